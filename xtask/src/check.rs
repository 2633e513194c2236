//! The whole check. What is quick comes first, the tests come last; their sum is the last line.

use crate::cargo::{Outcome, call, call_with, is_installed, output};
use crate::{book, licences, mpi, page, python, tidy};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Runs everything; tools that are not installed are named and left out.
pub fn check() -> Outcome {
    match is_installed("cargo", &["fmt", "--version"]) {
        true => call("cargo", &["fmt", "--all", "--check"])?,
        false => println!("== rustfmt is not installed (rustup component add rustfmt): format not checked"),
    }
    println!("== pages against code");
    tidy()?;
    licences::check()?;
    match is_installed("cargo", &["clippy", "--version"]) {
        true => {
            call("cargo", &["clippy", "--locked", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"])?
        }
        false => println!("== clippy is not installed (rustup component add clippy): lints not checked"),
    }
    api_reference()?;
    book::build()?;
    package(&["--no-verify"])?;
    oldest_toolchain()?;
    page::check()?;
    python::check()?;
    mpi::check()?;
    fuzz(&["fuzz", "--short"])?;
    fuzz(&["soak", "--short"])?;
    tests()
}

/// Judges inputs and runs (docs/testing.md, "Fuzzing").
pub fn fuzz(arguments: &[&str]) -> Outcome {
    let program = ["run", "--locked", "--quiet", "--release", "--package", "riprap-fuzz", "--"];
    call("cargo", &[&program[..], arguments].concat())
}

/// The API reference, in which a warning is an error.
pub fn api_reference() -> Outcome {
    let arguments = ["doc", "--locked", "--release", "--workspace", "--no-deps"];
    call_with("cargo", &arguments, &[("RUSTDOCFLAGS", "-D warnings")])
}

/// The packages of all crates, as they would be published. Unless told otherwise cargo unpacks and builds each of them, which
/// takes as long as a first build.
pub fn package(options: &[&str]) -> Outcome {
    let skipped = ["--exclude", "xtask", "--exclude", "riprap-py", "--exclude", "riprap-fuzz"];
    let all = ["package", "--locked", "--workspace", "--allow-dirty", "--quiet"];
    call("cargo", &[&all[..], &skipped, options].concat())
}

/// Checks with the oldest Rust that the manifests promise, where it is installed.
fn oldest_toolchain() -> Outcome {
    let version = crate::release::workspace_value("rust-version")?;
    let installed = output("rustup", &["toolchain", "list"]).unwrap_or_default();
    match installed.lines().find(|line| line.starts_with(&version)) {
        Some(_) => call("cargo", &[&format!("+{version}"), "check", "--locked", "--workspace", "--all-targets"]),
        None => {
            println!("== Rust {version} is not installed (rustup toolchain install {version}): not checked with it");
            Ok(())
        }
    }
}

/// The README's test command. The last line that is printed counts the tests of all programs together.
fn tests() -> Outcome {
    println!("== cargo test --locked --release --workspace");
    let mut command = Command::new("cargo");
    command.args(["test", "--locked", "--release", "--workspace"]).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let (mut passed, mut failed) = (0, 0);
    for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
        let line = line.map_err(|error| error.to_string())?;
        println!("{line}");
        if let Some([more_passed, more_failed]) = tally(&line) {
            passed += more_passed;
            failed += more_failed;
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    println!("{passed} passed, {failed} failed");
    if status.success() && failed == 0 && passed > 0 { Ok(()) } else { Err("the tests failed".into()) }
}

/// The numbers in `test result: ok. 5 passed; 0 failed; …`.
fn tally(line: &str) -> Option<[u64; 2]> {
    let mut words = line.strip_prefix("test result: ")?.split_whitespace();
    let passed = words.nth(1)?.parse().ok()?;
    let failed = words.nth(1)?.parse().ok()?;
    Some([passed, failed])
}

#[cfg(test)]
mod tests {
    use super::tally;

    #[test]
    fn results_are_counted() {
        assert_eq!(tally("test result: FAILED. 41 passed; 2 failed; 0 ignored; 0 measured"), Some([41, 2]));
        assert_eq!(tally("test a ... ok"), None);
    }
}
