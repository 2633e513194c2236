//! One name, one meaning: no type is defined twice in a crate, and no constant twice with two values.

use super::rust::words;
use super::{Finding, Tree, arrows};
use std::collections::BTreeMap;

/// Reports names with two meanings.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in arrows::packages(tree) {
        let source = if package.folder.is_empty() { "src/".to_owned() } else { format!("{}/src/", package.folder) };
        let mut types: BTreeMap<String, String> = BTreeMap::new();
        let mut constants: BTreeMap<String, (String, String)> = BTreeMap::new();
        for (path, file) in tree.sources(&source) {
            if path.ends_with("/tests.rs") || path.contains("/tests/") {
                continue;
            }
            let text = tree.text(path).unwrap_or_default();
            for (number, line) in file.product.lines().enumerate() {
                match definition(line) {
                    Some(Definition::Type(name)) => {
                        if let Some(other) = types.insert(name.to_owned(), path.to_owned()) {
                            findings.push(Finding::new(
                                path,
                                number + 1,
                                format!("the type {name} is defined in {other} too"),
                            ));
                        }
                    }
                    Some(Definition::Constant(name)) => {
                        let value = value(text, number);
                        match constants.get(name) {
                            Some((other, known)) if *known != value => findings.push(Finding::new(
                                path,
                                number + 1,
                                format!("the constant {name} has another value in {other}"),
                            )),
                            _ => drop(constants.insert(name.to_owned(), (path.to_owned(), value))),
                        }
                    }
                    None => {}
                }
            }
        }
    }
    findings
}

enum Definition<'a> {
    Type(&'a str),
    Constant(&'a str),
}

/// What a line defines, if it begins at the margin: items within others are their own business.
fn definition(line: &str) -> Option<Definition<'_>> {
    if line.starts_with(' ') {
        return None;
    }
    let mut parts =
        words(line).map(|(_, word)| word).skip_while(|word| matches!(*word, "pub" | "crate" | "super" | "in"));
    match parts.next()? {
        "struct" | "enum" | "trait" | "type" | "union" => parts.next().map(Definition::Type),
        "const" => {
            parts.next().filter(|name| *name != "fn" && *name != "_" && *name != "unsafe").map(Definition::Constant)
        }
        _ => None,
    }
}

/// The text of a constant's definition from its sign of equality on.
fn value(text: &str, line: usize) -> String {
    let rest: String = text.lines().skip(line).take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let rest = rest.split_once('=').map_or("", |(_, value)| value);
    rest.split(';').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}
