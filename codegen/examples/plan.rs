//! Prints what generated code for schemas has to remember beside the value; with `--rust`, the code; with `--model`, the
//! checked model.
use std::path::Path;

fn main() {
    let code = std::env::args().any(|arg| arg == "--rust");
    let listing = std::env::args().any(|arg| arg == "--model");
    for name in std::env::args().skip(1).filter(|arg| !arg.starts_with("--")) {
        let text = std::fs::read_to_string(&name).expect("a schema");
        let library = Path::new(&name).parent().map(Path::to_path_buf);
        let loaded = formwork_codegen::load(&name, &text, library.as_deref(), &());
        match loaded.model {
            Some(model) if code => {
                println!("{}", formwork_codegen::rust::emit(&model, &Default::default()));
            }
            Some(model) if listing => {
                println!("{}", formwork_codegen::print::model_text(&model));
            }
            Some(model) => println!("{name}\n{}", formwork_codegen::rust::plan_text(&model)),
            None => println!("{name}: no model"),
        }
    }
}
