//! Licences and duplicates of what the program is built from, by the lists of deny.toml. cargo-deny checks more where it is
//! installed; this is what needs nothing but cargo.

use crate::cargo::{Outcome, call, is_installed, output};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Reports licences that are not allowed, and packages that are there in several versions without a reason.
pub fn check() -> Outcome {
    println!("== licences and duplicates of dependencies");
    let lists = Lists::read()?;
    let metadata = output("cargo", &["metadata", "--locked", "--format-version", "1"])?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let mut faults = Vec::new();
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        versions.entry(text("name")).or_default().insert(text("version"));
        if !allows(&lists.licences, text("license")) {
            faults.push(format!("{} {}: licence \"{}\"", text("name"), text("version"), text("license")));
        }
    }
    for (name, versions) in versions.into_iter().filter(|(_, versions)| versions.len() > 1) {
        if !lists.duplicates.contains(name) {
            faults.push(format!("{name} is there in several versions: {versions:?}"));
        }
    }
    match is_installed("cargo", &["deny", "--version"]) {
        true => call("cargo", &["deny", "--locked", "check", "licenses", "bans", "sources"])?,
        false => {
            println!("   cargo-deny is not installed (cargo install cargo-deny): advisories and sources not checked")
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(format!("not allowed by deny.toml:\n{}", faults.join("\n"))) }
}

/// What deny.toml allows.
struct Lists {
    licences: BTreeSet<String>,
    duplicates: BTreeSet<String>,
}

impl Lists {
    fn read() -> Result<Lists, String> {
        let text = std::fs::read_to_string("deny.toml").map_err(|error| format!("deny.toml: {error}"))?;
        let table: toml::Table = text.parse().map_err(|error| format!("deny.toml: {error}"))?;
        let strings = |section: &str, key: &str, of: fn(&toml::Value) -> Option<&str>| {
            let list = table.get(section).and_then(|section| section.get(key)?.as_array());
            list.into_iter().flatten().filter_map(of).map(str::to_owned).collect()
        };
        Ok(Lists {
            licences: strings("licenses", "allow", |value| value.as_str()),
            duplicates: strings("bans", "skip", |value| value.get("crate")?.as_str()),
        })
    }
}

/// True if the allowed licences satisfy an SPDX expression, or one in the older style with strokes.
fn allows(allowed: &BTreeSet<String>, expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ").replace(" WITH ", "+WITH+");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = tokens.as_slice();
    !tokens.is_empty() && any(allowed, &mut rest) && rest.is_empty()
}

fn any(allowed: &BTreeSet<String>, tokens: &mut &[&str]) -> bool {
    let mut satisfied = all(allowed, tokens);
    while let ["OR", rest @ ..] = *tokens {
        *tokens = rest;
        satisfied |= all(allowed, tokens);
    }
    satisfied
}

fn all(allowed: &BTreeSet<String>, tokens: &mut &[&str]) -> bool {
    let mut satisfied = one(allowed, tokens);
    while let ["AND", rest @ ..] = *tokens {
        *tokens = rest;
        satisfied &= one(allowed, tokens);
    }
    satisfied
}

fn one(allowed: &BTreeSet<String>, tokens: &mut &[&str]) -> bool {
    match *tokens {
        ["(", rest @ ..] => {
            *tokens = rest;
            let satisfied = any(allowed, tokens);
            *tokens = tokens.strip_prefix(&[")"]).unwrap_or(tokens);
            satisfied
        }
        [name, rest @ ..] => {
            *tokens = rest;
            allowed.contains(&name.replace("+WITH+", " WITH "))
        }
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_licences_are_judged() {
        let allowed = ["MIT", "Unicode-3.0"].map(str::to_owned).into();
        for yes in ["MIT", "Apache-2.0 OR MIT", "Unlicense/MIT", "(MIT OR Apache-2.0) AND Unicode-3.0"] {
            assert!(allows(&allowed, yes), "{yes}");
        }
        for no in ["", "GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT OR Apache-2.0) AND GPL-2.0-only"] {
            assert!(!allows(&allowed, no), "{no}");
        }
    }
}
