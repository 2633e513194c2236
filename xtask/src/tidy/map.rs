//! ARCHITECTURE.md and the other pages about the code: what they name exists, and the code map names every source file.

use super::markdown::{cells, code_spans, headings, prose, section};
use super::rust::words;
use super::{Finding, Tree};
use std::collections::BTreeSet;

/// The page with the code map.
pub const MAP: &str = "ARCHITECTURE.md";
/// The page with the words that matter.
const DICTIONARY: &str = "docs/dictionary.md";
/// Pages whose paths must exist.
const PAGES: [&str; 7] =
    [MAP, "CONVENTIONS.md", "CONTRIBUTING.md", "SECURITY.md", "README.md", "docs/README.md", DICTIONARY];

/// Reports names without a file, files without a name, and functions that are not where the tables say.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for page in PAGES {
        match tree.text(page) {
            Some(text) => named_paths_exist(tree, page, text, &mut findings),
            None => findings.push(Finding::new(page, 0, "the page is missing")),
        }
    }
    sources_named_elsewhere_exist(tree, &mut findings);
    let Some(map) = tree.text(MAP) else { return findings };
    every_source_is_mapped(tree, map, &mut findings);
    functions_exist(tree, map, "From equations to code", &mut findings);
    functions_exist(tree, map, "The step", &mut findings);
    words_are_where_the_dictionary_says(tree, &mut findings);
    findings
}

/// True for a word that names a file or folder of the repository, rather than one that a run writes.
fn is_path(word: &str) -> bool {
    let characters = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '*'));
    let rooted = ["crates/", "docs/", "scenes/", "benches/", "problems/", "validation/", "xtask/", ".ci/", ".cargo/"];
    characters
        && !word.starts_with("..")
        && (word.ends_with(".rs") || word.ends_with(".md") || rooted.iter().any(|root| word.starts_with(root)))
}

fn named_paths_exist(tree: &Tree, page: &str, text: &str, findings: &mut Vec<Finding>) {
    for (line, words) in prose(text) {
        for word in code_spans(words).filter(|word| is_path(word)) {
            let path = word.trim_end_matches('*').trim_end_matches('/');
            let folder = page.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
            let somewhere = [path.to_owned(), format!("crates/{path}"), format!("{folder}{path}")];
            let ending = format!("/{path}");
            // The files that a run writes have the endings of pages, too.
            let written = page != MAP && path.ends_with(".md") && !path.contains('/');
            if !written
                && !somewhere.iter().any(|path| tree.has(path))
                && !tree.files().any(|(path, _)| path.ends_with(&ending))
            {
                findings.push(Finding::new(page, line, format!("`{word}` names nothing in the tree")));
            }
        }
    }
}

/// Sources that other pages and comments name in code spans exist.
fn sources_named_elsewhere_exist(tree: &Tree, findings: &mut Vec<Finding>) {
    let pages = tree.ending(".md").filter(|(path, _)| !PAGES.contains(path));
    let comments = tree.sources("").filter(|(path, _)| !path.starts_with("xtask/"));
    let comments = comments.map(|(path, source)| (path, source.comments.as_str()));
    for (page, text) in pages.chain(comments) {
        for (line, words) in text.lines().enumerate() {
            for word in code_spans(words).filter(|word| is_path(word) && word.ends_with(".rs") && !word.contains('*')) {
                let ending = format!("/{word}");
                if !tree.has(word) && !tree.files().any(|(path, _)| path.ends_with(&ending)) {
                    findings.push(Finding::new(page, line + 1, format!("`{word}` names nothing in the tree")));
                }
            }
        }
    }
}

/// The files that the code map names. A heading's first code span is the folder of a package; below it names are seen
/// from there or from its `src`, and from any folder named earlier on the same line. A folder stands for its `mod.rs`,
/// a folder of tests and `folder/*` for all that is in it.
pub fn mapped(tree: &Tree, map: &str, findings: &mut Vec<Finding>) -> BTreeSet<String> {
    let lines = section(map, "Code map");
    let packages = headings(map).into_iter().filter(|heading| heading.level == 3);
    let packages: Vec<(usize, String)> = packages
        .filter_map(|heading| Some((heading.line, code_spans(&heading.text).next()?.trim_end_matches('/').to_owned())))
        .collect();
    let mut named = BTreeSet::new();
    for (number, line) in lines {
        let Some((_, package)) = packages.iter().rev().find(|(start, _)| *start < number) else { continue };
        let mut folders = vec![String::new(), format!("{package}/"), format!("{package}/src/")];
        for word in code_spans(line) {
            let (path, whole) = word.strip_suffix("/*").map_or((word, false), |path| (path, true));
            let path = path.trim_end_matches('/');
            if !(word.ends_with(".rs") || word.ends_with('/') || whole) {
                continue;
            }
            let Some(found) = folders.iter().rev().map(|folder| format!("{folder}{path}")).find(|path| tree.has(path))
            else {
                findings.push(Finding::new(MAP, number, format!("`{word}` is not in {package}")));
                continue;
            };
            if found.ends_with(".rs") {
                named.insert(found);
                continue;
            }
            let is_tests = found.split('/').any(|part| part == "tests");
            let inside = format!("{found}/");
            let door = format!("{found}/mod.rs");
            named.extend(
                tree.below(&inside)
                    .map(|(path, _)| path)
                    .filter(|p| whole || is_tests || *p == door)
                    .map(str::to_owned),
            );
            folders.push(inside);
        }
    }
    named
}

fn every_source_is_mapped(tree: &Tree, map: &str, findings: &mut Vec<Finding>) {
    let named = mapped(tree, map, findings);
    for (path, _) in tree.ending(".rs") {
        let is_door = path.ends_with("src/lib.rs") || path.ends_with("src/main.rs");
        let is_unit_test = path.contains("/src/") && (path.ends_with("/tests.rs") || path.contains("/tests/"));
        if !is_door && !is_unit_test && !named.contains(path) {
            findings.push(Finding::new(MAP, 0, format!("the code map does not name {path}")));
        }
    }
}

/// In the tables of a section the last column names functions and types, and the one before it, where there are three
/// columns with files, where they are: `solve` `problem.rs` means crates/solve/src/problem.rs.
fn functions_exist(tree: &Tree, map: &str, heading: &str, findings: &mut Vec<Finding>) {
    for (line, text) in section(map, heading) {
        let Some(cells) = cells(text).filter(|cells| cells.len() == 3) else { continue };
        let files = files_of(tree, cells[1]);
        let files: Vec<&str> = match files.is_empty() {
            true => tree.below("crates/engine/src/").map(|(_, text)| text).collect(),
            false => files,
        };
        for name in code_spans(cells[2]).filter(|name| !name.ends_with(".rs")) {
            let last = name.rsplit("::").next().unwrap_or(name);
            if last.chars().all(|c| c.is_alphanumeric() || c == '_')
                && !files.iter().any(|text| words(text).any(|(_, word)| word == last))
            {
                findings.push(Finding::new(MAP, line, format!("`{name}` is not in the files of its row")));
            }
        }
    }
}

/// In the dictionary the last column has names of the code beside the paths of their files.
fn words_are_where_the_dictionary_says(tree: &Tree, findings: &mut Vec<Finding>) {
    for (line, text) in prose(tree.text(DICTIONARY).unwrap_or_default()) {
        let Some(last) = cells(text).and_then(|cells| cells.last().copied()) else { continue };
        let (paths, names): (Vec<&str>, Vec<&str>) = code_spans(last).partition(|word| is_path(word));
        let files: Vec<&str> = paths.iter().filter_map(|path| tree.text(path)).collect();
        for name in names {
            if !files.iter().any(|text| words(text).any(|(_, word)| word == name)) {
                findings.push(Finding::new(DICTIONARY, line, format!("`{name}` is not in {paths:?}")));
            }
        }
    }
}

/// The files that a cell names, each after the name of its crate.
fn files_of<'a>(tree: &'a Tree, cell: &str) -> Vec<&'a str> {
    let mut package = "";
    let mut found = Vec::new();
    for (i, part) in cell.split('`').enumerate() {
        if i % 2 == 0 {
            package =
                part.split([' ', ';', ',']).rfind(|word| tree.has(&format!("crates/{word}/src"))).unwrap_or(package);
            continue;
        }
        let inside = format!("crates/{package}/{part}");
        let in_source = format!("crates/{package}/src/{part}");
        found.extend(
            tree.files()
                .filter(|(path, _)| path.starts_with(&in_source) || path.starts_with(&inside))
                .map(|(_, text)| text),
        );
    }
    found
}
