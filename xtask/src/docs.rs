//! The generated documentation.

use crate::cargo::{Outcome, call, output};
use crate::{book, check, python};

/// Writes the scene reference, the figures of the laws and what Python users read again, builds the book and the API
/// reference.
pub fn docs() -> Outcome {
    let reference = ["run", "--locked", "--release", "--quiet", "-p", "riprap-scene", "--example", "reference"];
    write("docs/scene.md", &output("cargo", &reference)?)?;
    call(
        "cargo",
        &["run", "--locked", "--release", "--quiet", "-p", "riprap-measure", "--example", "laws", "docs/laws"],
    )?;
    for_python()?;
    book::build()?;
    check::api_reference()
}

/// The sections of a scene as Python methods, and the reference of the package, which shows them: so in this order.
fn for_python() -> Outcome {
    let pages =
        [("riprap._generate", "crates/py/python/riprap/_sections.py"), ("riprap._reference", "docs/python-api.md")];
    for (module, page) in pages {
        match python::install()? {
            Some(python) => write(page, &output(&python, &["-m", module])?)?,
            None => println!("== there is no Python: {page} is not written"),
        }
    }
    Ok(())
}

fn write(path: &str, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(|error| format!("{path}: {error}"))
}
