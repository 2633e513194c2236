//! The generated documentation.

use crate::cargo::{Outcome, call, output};
use crate::{book, check};

/// Writes the scene reference and the figures of the laws again, builds the book and the API reference.
pub fn docs() -> Outcome {
    let reference = ["run", "--locked", "--release", "--quiet", "-p", "riprap-scene", "--example", "reference"];
    let text = output("cargo", &reference)?;
    std::fs::write("docs/scene.md", text).map_err(|error| format!("docs/scene.md: {error}"))?;
    call(
        "cargo",
        &["run", "--locked", "--release", "--quiet", "-p", "riprap-measure", "--example", "laws", "docs/laws"],
    )?;
    book::build()?;
    check::api_reference()
}
