//! Benchmarks: those of cargo in `crates/*/benches`, and scripts, `benches/NAME/run.sh`.

use crate::cargo::{Outcome, call};
use std::path::Path;
use xtask::tidy::{Tree, arrows};

/// Runs the benchmark with the first name, with the other words as its arguments; without a name lists them all.
pub fn bench(words: &[&str]) -> Outcome {
    let tree = Tree::read(Path::new(".")).map_err(|error| error.to_string())?;
    let mut known = Vec::new();
    for package in arrows::packages(&tree) {
        let folder = format!("{}/benches/", package.folder);
        let files = tree.below(&folder).filter_map(|(path, _)| path[folder.len()..].strip_suffix(".rs"));
        known.extend(files.map(|name| (name.to_owned(), Some(package.name.clone()))));
    }
    let scripts = tree.below("benches/").filter_map(|(path, _)| path.strip_prefix("benches/")?.strip_suffix("/run.sh"));
    known.extend(scripts.map(|name| (name.to_owned(), None)));
    let [name, rest @ ..] = words else {
        known.iter().for_each(|(name, _)| println!("{name}"));
        return Ok(());
    };
    match known.iter().find(|(known, _)| known == name) {
        Some((_, Some(package))) => {
            call("cargo", &[&["bench", "--locked", "-p", package, "--bench", name, "--"], rest].concat())
        }
        Some((_, None)) => script(&format!("benches/{name}/run.sh"), rest),
        None => Err(format!("there is no benchmark {name}; `cargo xtask bench` lists them")),
    }
}

/// Runs a script of the repository.
pub fn script(path: &str, arguments: &[&str]) -> Outcome {
    call("bash", &[&[path], arguments].concat())
}
