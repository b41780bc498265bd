//! Edits of resources that take apart what belongs together: they are refused when the
//! value is written, and the error names the place.

use formwork_interpreter::{Edit, Program, Source, Value, edit, write};
use formwork_tests::{laws, programs, resources};

/// A fixture as it is read.
fn fixture(program: &Program, all: Vec<(&'static str, Value)>, name: &str) -> Value {
    let (_, value) =
        all.into_iter().find(|(known, _)| *known == name).expect("there is such a one");
    let bytes = write(program, &value).expect("the fixture can be written");
    laws::value_of(program, &bytes).expect("it was just written")
}

fn resource(major: u32) -> Value {
    fixture(programs::bfres(), resources::all(), &format!("everything.{major}.bfres"))
}

/// Makes an edit, which can be made, and says what is wrong with the value then.
fn problems(program: &Program, mut value: Value, path: &str, action: Edit<'_>) -> Vec<String> {
    edit(program, &mut value, path, action).unwrap_or_else(|error| panic!("{path}: {error}"));
    match write(program, &value) {
        Ok(_) => Vec::new(),
        Err(error) => {
            let shown =
                |problem: &formwork::Problem| format!("{} {}", problem.kind.code(), problem.path);
            error.problems().iter().map(shown).collect()
        }
    }
}

#[test]
fn options_have_names() {
    let shader = "models[0].materials[0].shader";
    for list in ["attributes", "samplers", "options"] {
        let new = Value::from("1");
        let insert = Edit::Insert(Source::Value(&new));
        let found = problems(programs::bfres(), resource(9), &format!("{shader}.{list}"), insert);
        assert_eq!(found, [format!("check_failed {shader}")], "{list}");
    }
}

#[test]
fn values_of_parameters_are_there() {
    let places = [
        (5, "models[0].materials[0].params[1].offset"),
        (9, "models[0].materials[0].params[1].offset"),
        (10, "models[0].reflections[0].params[0].offset"),
    ];
    for (major, path) in places {
        let end = Value::from(0x7000);
        let set = Edit::Set(Source::Value(&end));
        let found = problems(programs::bfres(), resource(major), path, set);
        assert_eq!(found, [format!("check_failed {path}")], "{major}");
    }
}

#[test]
fn what_is_measured_has_to_be_set_with_what_shows_it() {
    let program = programs::bfres();
    let mut value = resource(9);
    let short = Value::from(true);
    let set = |value: &mut Value, new: &Value| {
        edit(program, value, "short", Edit::Set(Source::Value(new))).expect("it is a truth value");
    };
    set(&mut value, &short);
    write(program, &value).expect("vertices show it");
    while value.at_path("models[0]").is_some() {
        edit(program, &mut value, "models[0]", Edit::Remove(None)).expect("nothing refers to it");
    }
    let error = write(program, &value).expect_err("nothing shows it");
    let problem = "it would be seen as false, so set it to that, in short";
    assert!(error.to_string().contains(problem), "{error}");
    set(&mut value, &Value::from(false));
    write(program, &value).expect("it is as it is seen");
}
