//! Commands of cargo that pages tell the reader to run: packages, examples, benchmarks and paths in them exist.

use super::{Finding, Tree, arrows};

/// Reports commands that cannot work.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let packages = arrows::packages(tree);
    let mut findings = Vec::new();
    let comments = tree.sources("").map(|(path, source)| (path, source.comments.as_str()));
    let is_page = |path: &str| [".md", ".sh", ".py"].iter().any(|ending| path.ends_with(ending));
    for (path, text) in comments.chain(tree.files().filter(|(path, _)| is_page(path))) {
        for (number, line) in text.lines().enumerate() {
            for (at, _) in line.match_indices("cargo ") {
                let command: Vec<&str> = line[at..].split('`').next().unwrap_or_default().split_whitespace().collect();
                let mut fault = |what: String| findings.push(Finding::new(path, number + 1, what));
                for pair in command.windows(2) {
                    let name = pair[1].trim_end_matches([',', '.', ':', ';', ')', '"']);
                    let exists =
                        |folder: &str| tree.files().any(|(path, _)| path.ends_with(&format!("{folder}/{name}.rs")));
                    match pair[0] {
                        "-p" if name.starts_with("riprap") && !packages.iter().any(|package| package.name == name) => {
                            fault(format!("there is no package {name}"));
                        }
                        "--example" if !exists("examples") => fault(format!("there is no example {name}")),
                        "--bench" if !exists("benches") => fault(format!("there is no benchmark {name}")),
                        "--path" if !tree.has(&format!("{name}/Cargo.toml")) => {
                            fault(format!("there is no package in {name}"))
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    findings
}
