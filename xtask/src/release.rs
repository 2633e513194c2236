//! What has to agree before a release. Nothing is published or tagged here.

use crate::cargo::{Outcome, output};
use crate::check;
use std::fs;

/// Checks that the version stands where it should and that everything is committed, then runs the whole check.
pub fn release() -> Outcome {
    let version = workspace_value("version")?;
    let mut faults = Vec::new();
    for (file, line) in [("CHANGELOG.md", format!("## {version}")), ("CITATION.cff", format!("version: {version}"))] {
        let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        if !text.lines().any(|found| found == line || found.starts_with(&format!("{line} "))) {
            faults.push(format!("{file} has no line \"{line}\""));
        }
    }
    if !output("git", &["status", "--porcelain"])?.trim().is_empty() {
        faults.push("there are changes that are not committed".to_owned());
    }
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    check::check()?;
    println!("\nriprap {version} is ready: git tag v{version}, then cargo publish --workspace");
    Ok(())
}

/// A value of `[workspace.package]`.
pub fn workspace_value(key: &str) -> Result<String, String> {
    let text = fs::read_to_string("Cargo.toml").map_err(|error| format!("Cargo.toml: {error}"))?;
    let table: toml::Table = text.parse().map_err(|error| format!("Cargo.toml: {error}"))?;
    let value = table.get("workspace").and_then(|workspace| workspace.get("package")?.get(key)?.as_str());
    value.map(str::to_owned).ok_or_else(|| format!("Cargo.toml has no workspace.package.{key}"))
}
