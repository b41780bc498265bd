//! Writes schemas that are put together by chance, with files of them, as the goldens are: `made
//! FOLDER [COUNT [SEED]]`. `made.sh` beside the sources compiles them and compares the engines.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

use formwork_codegen::{load, rust};
use formwork_tests::pieces;
use formwork_tests::seeds::Noise;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (folder, numbers) = match arguments.as_slice() {
        [folder, numbers @ ..] if numbers.len() <= 2 => (Path::new(folder), numbers),
        _ => {
            eprintln!("usage: made FOLDER [COUNT [SEED]]");
            return ExitCode::FAILURE;
        }
    };
    let number = |at: usize, or: u64| match numbers.get(at) {
        None => Some(or),
        Some(text) => text.parse().ok(),
    };
    let (Some(count), Some(seed)) = (number(0, 40), number(1, 0)) else {
        eprintln!("COUNT and SEED are numbers");
        return ExitCode::FAILURE;
    };
    match write(folder, count, seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

/// Writes so many schemas, in a folder that has nothing else.
fn write(folder: &Path, count: u64, seed: u64) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    if fs::read_dir(folder)?.next().is_some() {
        return Err(io::Error::other("the folder is not empty"));
    }
    let mut written = 0;
    let mut noise = Noise::new(seed);
    while written < count {
        let length = 160 + 80 * usize::from(noise.bytes(1).first().copied().unwrap_or(0) % 10);
        let Some(made) = pieces::made(&noise.bytes(length)) else { continue };
        let model = load("made.kdl", &made.schema, None, &()).model;
        if model.is_none_or(|model| !rust::check(&model).is_empty()) {
            // No code is generated for it: a row has another Rust type in each layout.
            continue;
        }
        let name = format!("s{seed}_{written}");
        let schema = made.schema.replacen("module pieces ", &format!("module {name} "), 1);
        let mut files = String::new();
        for (number, bytes) in made.files.iter().enumerate() {
            let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            files.push_str(&format!("== file{number}\n{}\n\n", bytes.join(" ")));
        }
        fs::write(folder.join(format!("{name}.kdl")), schema)?;
        fs::write(folder.join(format!("{name}.hex")), files)?;
        written += 1;
    }
    Ok(())
}
