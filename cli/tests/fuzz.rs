//! `formwork fuzz` writes a crate, and leaves alone what others wrote into it.
#![forbid(unsafe_code)]

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let path = env::temp_dir().join(format!("formwork-fuzz-{}", std::process::id()));
        fs::create_dir_all(path.join("schemas")).expect("a temporary folder can be made");
        Folder(path)
    }

    fn fuzz(&self, arguments: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_formwork"))
            .arg("fuzz")
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .expect("the command can be started");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("the output is text")
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_pack_of_an_own_schema() {
    let folder = Folder::new();
    let schema = "module dots \"Dots\" root=File endian=little {\n    extension dot\n}\n\
                  struct File { magic DOT; u8 count; u16 dots count=count min=7 }\n";
    fs::write(folder.0.join("schemas/dots.kdl"), schema).expect("the schema can be written");
    fs::write(folder.0.join("one.dot"), b"DOT\x01\x07\0").expect("the file can be written");
    fs::write(folder.0.join("other.txt"), b"no such file").expect("the file can be written");

    let arguments = ["schemas/dots.kdl", "-o", "pack", "--seeds", "."];
    let said = folder.fuzz(&arguments);
    let seeds = fs::read_dir(folder.0.join("pack/corpus/dots")).expect("there are seeds");
    let seeds: Vec<Vec<u8>> = seeds
        .map(|entry| fs::read(entry.expect("it can be read").path()).expect("it can be read"))
        .collect();
    assert_eq!(said, format!("dots: {} seeds\n", seeds.len()));
    assert!(seeds.iter().any(|seed| seed.ends_with(b"DOT\x01\x07\0")));
    assert!(!seeds.iter().any(|seed| seed.ends_with(b"no such file")));

    let program = folder.text("pack/fuzz_targets/dots.rs");
    assert!(program.contains("formwork::schema!(\"dots\");"), "{program}");
    assert!(program.contains("/../schemas/dots.kdl"), "{program}");
    assert!(folder.text("pack/build.rs").contains(".schema(\"../schemas/dots.kdl\")"));
    let dictionary = folder.text("pack/dictionaries/dots.dict");
    assert!(dictionary.contains("\n\"DOT\"\n"), "{dictionary}");
    assert!(dictionary.contains("\n\"\\x07\\x00\"\n"), "{dictionary}");

    let manifest = folder.text("pack/Cargo.toml");
    let own = manifest.replace("[package]", "# Mine.\n[package]") + "\n# Mine, too.\n";
    fs::write(folder.0.join("pack/Cargo.toml"), &own).expect("the manifest can be written");
    folder.fuzz(&arguments);
    assert_eq!(folder.text("pack/Cargo.toml"), own);

    // With another list of targets, only that changes.
    folder.fuzz(&["evfl", "schemas/dots.kdl", "-o", "pack"]);
    let both = folder.text("pack/Cargo.toml");
    assert!(both.starts_with("# Mine.\n") && both.ends_with("\n# Mine, too.\n"), "{both}");
    assert!(both.find("name = \"dots\"") < both.find("name = \"evfl\""), "{both}");
    assert!(folder.text("pack/fuzz_targets/evfl.rs").contains("formwork_formats::evfl::File"));
}
