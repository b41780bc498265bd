//! `formwork fuzz`: makes a fuzz pack of schemas, and seeds of files.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use formwork::ReadOptions;
use formwork_codegen::build;
use formwork_codegen::fuzz::{Origin, Target, build_script, ignored, manifest};
use formwork_codegen::model::Model;
use formwork_formats::FormatId;
use formwork_properties::seeds;

use crate::args::Fuzz;
use crate::generate::show_problems;
use crate::many::{What, find};
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::{Candidate, Format, Formats, load_named};
use crate::shown::line;
use crate::{files, shown};

/// Larger files are no seeds: a fuzzer tries many small ones in the time that one of them takes.
const LARGEST_SEED: u64 = 1 << 16;

pub(crate) fn run(options: &Fuzz, out: &mut dyn Write) -> Result<Outcome, Problem> {
    let Some(schemas) = models(options)? else { return Ok(Outcome::Bad) };
    let folder = &options.output;
    fs::create_dir_all(folder).map_err(|error| files::unwritten(folder, &error))?;
    let mut targets = Vec::new();
    for schema in &schemas {
        let origin = match &schema.file {
            None => Origin::BuiltIn,
            Some(file) => Origin::File(from(folder, file)?),
        };
        targets.push(Target::new(&schema.model, &schema.name, origin));
    }
    let write = |name: &str, text: &str| files::write_if_changed(&folder.join(name), text);
    for target in &targets {
        write(&format!("fuzz_targets/{}.rs", target.name), &target.program)?;
        write(&format!("dictionaries/{}.dict", target.name), &target.dictionary)?;
    }
    let old = fs::read_to_string(folder.join("Cargo.toml")).ok();
    write("Cargo.toml", &manifest(old.as_deref(), &targets))?;
    if let Some(script) = build_script(&targets) {
        write("build.rs", &script)?;
    }
    if !folder.join(".gitignore").exists() {
        write(".gitignore", ignored())?;
    }
    if !options.seeds.is_empty() {
        write_seeds(options, schemas, out)?;
    }
    Ok(Outcome::Good)
}

/// A schema that a target is made of.
struct Schema {
    name: String,
    /// Its file, unless it is built in.
    file: Option<PathBuf>,
    model: Model,
}

/// The models of the schemas, in the order of their names; `None` if one has errors, which are
/// shown.
fn models(options: &Fuzz) -> Result<Option<Vec<Schema>>, Problem> {
    let mut schemas: BTreeMap<String, Schema> = BTreeMap::new();
    let mut complete = true;
    let mut paths = options.schemas.clone();
    if paths.is_empty() {
        paths.extend(FormatId::ALL.iter().map(|format| PathBuf::from(format.name())));
    }
    for path in &paths {
        let mut loaded = load_named(path)?;
        build::check(&mut loaded);
        show_problems(&loaded);
        if loaded.diagnostics.has_errors() {
            complete = false;
            continue;
        }
        let Some(model) = loaded.model else {
            return Err(Problem::Usage(format!(
                "{} is a library; fuzz targets are made of modules",
                shown::path(path)
            )));
        };
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.chars().all(is_name) {
            return Err(Problem::Usage(format!(
                "`{}` cannot be the name of a fuzz target; rename the schema's file",
                shown::text(&name)
            )));
        }
        let file = path.is_file().then(|| path.clone());
        if schemas.insert(name.clone(), Schema { name: name.clone(), file, model }).is_some() {
            return Err(Problem::Usage(format!("two schemas would become the target {name}")));
        }
    }
    Ok(complete.then(|| schemas.into_values().collect()))
}

/// The path of a file as seen from a folder.
fn from(folder: &Path, file: &Path) -> Result<String, Problem> {
    let absolute =
        |path: &Path| fs::canonicalize(path).map_err(|error| files::unopened(path, &error));
    let (folder, file) = (absolute(folder)?, absolute(file)?);
    let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| "..".to_owned());
    let down = file.components().skip(common).map(|step| match step {
        Component::Normal(name) => name.to_string_lossy().into_owned(),
        other => other.as_os_str().to_string_lossy().into_owned(),
    });
    Ok(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// Writes seeds of all files that have one of the formats, and says how many there are.
fn write_seeds(options: &Fuzz, schemas: Vec<Schema>, out: &mut dyn Write) -> Result<(), Problem> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut names = BTreeMap::new();
    let mut formats = Vec::new();
    for schema in schemas {
        names.insert(schema.model.name.clone(), schema.name.clone());
        counts.insert(schema.name.clone(), 0);
        formats.push(Candidate::Loaded(Format::new(schema.model, &ReadOptions::default())));
        let made = seeds::made().into_iter().enumerate();
        for (number, seed) in made {
            write_seed(options, &schema.name, &format!("made-{number}"), &seed, out)?;
            *counts.entry(schema.name.clone()).or_default() += 1;
        }
    }
    let formats = Formats::Detected(formats);
    for found in find(&options.seeds)? {
        let file = found.path;
        match found.what {
            What::File => {}
            What::Skipped(_) => continue,
            What::Failed(error) => {
                return Err(Problem::Failure(format!("{}: {error}", shown::path(&file))));
            }
        }
        // No more is read than a seed may have.
        if fs::metadata(&file).is_ok_and(|metadata| metadata.len() > LARGEST_SEED) {
            continue;
        }
        let bytes = files::read(&file)?;
        let Some(format) = formats.of(&file, &bytes) else { continue };
        let Some(name) = names.get(format.name()) else { continue };
        let file = file.file_name().unwrap_or_default().to_string_lossy();
        for (number, seed) in seeds::of(&bytes).into_iter().enumerate() {
            write_seed(options, name, &format!("{file}-{number}"), &seed, out)?;
            *counts.entry(name.clone()).or_default() += 1;
        }
    }
    for (name, count) in counts {
        line!(out, "{name}: {count} seeds")?;
    }
    Ok(())
}

fn write_seed(
    options: &Fuzz,
    target: &str,
    name: &str,
    seed: &[u8],
    out: &mut dyn Write,
) -> Result<(), Problem> {
    let folder = options.output.join("corpus").join(target);
    fs::create_dir_all(&folder).map_err(|error| files::unwritten(&folder, &error))?;
    files::write(&folder.join(name), seed, out)
}
