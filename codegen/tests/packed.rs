//! Packed models are those that were packed, but for what reading and writing do not need.

use std::fs;
use std::path::{Path as FilePath, PathBuf};

use formwork_codegen::model::{
    Definer, Expr, Exprs, Model, Path, Role, RowKind, Span, Statement, Step, pack, unpack,
};
use formwork_codegen::{Provider, load};

struct Shipped;

impl Provider for Shipped {
    fn library(&self, name: &str) -> Option<String> {
        fs::read_to_string(workspace().join(format!("schemas/{name}.kdl"))).ok()
    }
}

fn workspace() -> PathBuf {
    FilePath::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The models of all schemas in a folder that have one, by name.
fn models(folder: &str) -> Vec<(String, Model)> {
    let folder = workspace().join(folder);
    let mut paths: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kdl"));
    paths.sort();
    let model = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?.to_owned();
        let text = fs::read_to_string(path).ok()?;
        Some((name.clone(), load(&name, &text, Some(&folder), &Shipped).model?))
    };
    paths.iter().filter_map(model).collect()
}

/// The model without what is left out.
fn bare(model: &Model) -> Model {
    let none = Span::default();
    let mut bare = Model {
        title: String::new(),
        extensions: Vec::new(),
        sources: Vec::new(),
        strings: Vec::new(),
        lets: Vec::new(),
        remarks: Vec::new(),
        examples: Vec::new(),
        exprs: Exprs::default(),
        ..model.clone()
    };
    for (_, expr) in model.exprs.iter() {
        let mut expr = expr.clone();
        if let Expr::Path(path)
        | Expr::Is(path, _)
        | Expr::At(path)
        | Expr::End(path)
        | Expr::Size(path)
        | Expr::Index(path)
        | Expr::IsLast(path)
        | Expr::Listed(path)
        | Expr::Patricia(path) = &mut expr
        {
            strip(path);
        }
        bare.exprs.add(expr);
    }
    bare.epoch_variables.iter_mut().for_each(|variable| variable.span = none);
    for section in &mut bare.relocation {
        (section.name, section.span) = (String::new(), none);
    }
    for record in &mut bare.records {
        (record.name, record.doc, record.source) = (String::new(), None, None);
        (record.parameters, record.derives, record.span) = (Vec::new(), Vec::new(), none);
        for defined in &mut record.lets {
            (defined.name, defined.doc, defined.span) = (String::new(), None, none);
        }
        record.checks.iter_mut().for_each(|check| check.span = none);
        strip_all(&mut record.layout);
        record.passes.iter_mut().for_each(|(_, statements)| strip_all(statements));
        for row in &mut record.rows {
            (row.doc, row.source, row.span) = (None, None, none);
            row.definers.iter_mut().for_each(|Definer { span, .. }| *span = none);
            row.checks.iter_mut().for_each(|check| check.span = none);
            row.reference.iter_mut().for_each(|reference| strip(&mut reference.array));
            if let RowKind::Slice { table, .. } = &mut row.kind {
                strip(table);
            }
            if let Role::View { slices, .. } = &mut row.role {
                slices.iter_mut().for_each(strip);
            }
        }
    }
    for union in &mut bare.unions {
        (union.doc, union.source, union.span) = (None, None, none);
        for case in &mut union.cases {
            (case.doc, case.span) = (None, none);
            case.forms.iter_mut().for_each(|form| form.span = none);
        }
    }
    for list in &mut bare.enums {
        (list.doc, list.source, list.span) = (None, None, none);
        list.members.iter_mut().for_each(|member| member.doc = None);
    }
    for kind in &mut bare.pointers {
        (kind.name, kind.doc, kind.span) = (String::new(), None, none);
        kind.pool.iter_mut().for_each(strip);
    }
    for kind in &mut bare.varints {
        (kind.name, kind.doc, kind.span) = (String::new(), None, none);
    }
    for kind in &mut bare.digits {
        (kind.name, kind.doc, kind.span) = (String::new(), None, none);
    }
    bare
}

fn strip(path: &mut Path) {
    for step in &mut path.steps {
        if let Step::Field(field) = step {
            field.name.clear();
        }
    }
}

fn strip_all(statements: &mut [Statement]) {
    for statement in statements {
        match statement {
            Statement::Record(path)
            | Statement::Tail(path)
            | Statement::Put(path)
            | Statement::Run(_, path) => {
                path.text.clear();
                path.span = Span::default();
            }
            Statement::When(_, then, otherwise) => {
                strip_all(then);
                strip_all(otherwise);
            }
            Statement::This | Statement::Align(_) | Statement::Zero(_) | Statement::Mark(..) => {}
        }
    }
}

fn check(name: &str, model: &Model) -> usize {
    let text = pack(model);
    let packed = unpack(&text).unwrap_or_else(|| panic!("{name} cannot be unpacked"));
    // Not `assert_eq`: models are long.
    assert!(format!("{packed:?}") == format!("{:?}", bare(model)), "{name} is another model");
    assert_eq!(pack(&packed), text, "{name} is packed differently");
    text.chars().count()
}

#[test]
fn shipped_schemas() {
    let mut models = models("schemas");
    let readme = fs::read_to_string(workspace().join("README.md")).unwrap();
    let (_, text) = readme.split_once("```kdl\n").unwrap();
    let (text, _) = text.split_once("```").unwrap();
    let model = load("README", text, None, &Shipped).model;
    models.push(("README.md".to_owned(), model.expect("it is a schema")));
    for (name, model) in models {
        println!("{name}: {} characters", check(&name, &model));
    }
}

#[test]
fn schemas_of_tests() {
    let folders = ["conformance", "generated", "golden", "reach"];
    for folder in folders.map(|folder| format!("tests/{folder}")) {
        let models = models(&folder);
        assert!(!models.is_empty(), "{folder} has schemas");
        for (name, model) in models {
            check(&format!("{folder}/{name}"), &model);
        }
    }
}
