//! Loads a schema and prints its problems: `cargo run --example load -- FILE...`.
use std::path::Path;

struct Beside<'a>(&'a Path);

impl formwork_codegen::Provider for Beside<'_> {
    fn library(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.0.join(format!("{name}.kdl"))).ok()
    }
}

fn main() {
    for name in std::env::args().skip(1) {
        let path = Path::new(&name);
        let directory = path.parent().unwrap_or(Path::new("."));
        let text = std::fs::read_to_string(path).expect("a file that can be read");
        let loaded = formwork_codegen::load(&name, &text, Some(directory), &Beside(directory));
        print!(
            "{}",
            formwork_codegen::diagnostic::render(&loaded.diagnostics, &loaded.sources, false)
        );
        match loaded.model {
            Some(model) if std::env::var("DUMP").is_ok() => {
                println!("{}", formwork_codegen::print::model_text(&model));
            }
            Some(model) => println!(
                "{name}: {} records, {} unions, {} epochs",
                model.records.len(),
                model.unions.len(),
                model.epochs.len()
            ),
            None => println!("{name}: no model"),
        }
    }
}
