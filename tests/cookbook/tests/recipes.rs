//! What `docs/rust.md` shows, as tests, in a folder with the files that it names.
#![allow(clippy::pedantic, missing_docs, reason = "the page is for people")]

use std::path::Path;
use std::sync::Once;
use std::{env, fs};

mod mixtape {
    formwork::schema!("mixtape");
}

/// Goes to a folder of this test alone, with files by short names.
fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipes");
        fs::create_dir_all(&folder).expect("the folder can be made");
        for (from, to) in [("flowchart.bfevfl", "garden.bfevfl"), ("garden.abca.esf", "garden.esf")]
        {
            fs::copy(fixtures.join(from), folder.join(to)).expect("there is such a file");
        }
        env::set_current_dir(&folder).expect("it was just made");
    });
}

include!(concat!(env!("OUT_DIR"), "/recipes.rs"));
