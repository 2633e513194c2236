//! Environments of Python for what is tested from there.

use crate::cargo::{call, output};
use std::path::Path;

/// The oldest Python that is supported.
const OLDEST: (u32, u32) = (3, 11);

/// The Python of an environment with these packages, made if it is not there yet; `None` where there is no Python at all.
pub fn python(environment: &str, packages: &[&str]) -> Result<Option<String>, String> {
    let Some(python) = interpreter() else { return Ok(None) };
    call(&python, &["-m", "venv", environment])?;
    let programs = if cfg!(windows) { "Scripts" } else { "bin" };
    let python = Path::new(environment).join(programs).join("python").display().to_string();
    call(&python, &[&["-m", "pip", "install", "--quiet"], packages].concat())?;
    Ok(Some(python))
}

/// A Python that is new enough.
fn interpreter() -> Option<String> {
    let newest_first = (OLDEST.1..20).rev().map(|minor| format!("python3.{minor}"));
    let names = ["python3".to_owned(), "python".to_owned()].into_iter().chain(newest_first);
    let version = "import sys; print(sys.version_info.major, sys.version_info.minor)";
    names.into_iter().find(|name| output(name, &["-c", version]).is_ok_and(|found| is_new_enough(&found)))
}

fn is_new_enough(version: &str) -> bool {
    let numbers: Vec<u32> = version.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    matches!(numbers[..], [major, minor] if (major, minor) >= OLDEST)
}

#[cfg(test)]
mod tests {
    use super::is_new_enough;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(["3 11\n", "3 14", "4 0"].iter().all(|version| is_new_enough(version)));
        assert!(["3 9", "2 7", "", "python"].iter().all(|version| !is_new_enough(version)));
    }
}
