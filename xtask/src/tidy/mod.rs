//! The map kept true: every rule reads a [`Tree`] of files and reports what contradicts the pages that describe it.
//!
//! | rule | what it compares |
//! |---|---|
//! | [`map`] | paths and functions named in ARCHITECTURE.md and its like exist; every source file is in the code map |
//! | [`citations`] | sections and headings cited in comments and pages exist |
//! | [`links`] | links between pages lead somewhere; every page is in the table of contents of the book |
//! | [`arrows`] | crates depend on each other, and rooms of a crate import each other, as ARCHITECTURE.md allows |
//! | [`names`] | no type twice in a crate, no constant twice with two values |
//! | [`words`] | nothing that may not stand in the code: fused multiply-add, `unsafe`, iterated hash maps, loose ends |
//! | [`commands`] | packages, examples and benchmarks that pages tell the reader to run exist |

pub mod arrows;
pub mod citations;
pub mod commands;
pub mod links;
pub mod map;
pub mod markdown;
pub mod names;
pub mod rust;
pub mod words;

use rust::Source;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::{fs, io};

/// Folders that hold nothing of the project itself.
const NOT_OURS: [&str; 4] = [".git", "target", "runs", "node_modules"];

/// The files of the project: path from the root, with `/`, and content. Files that are not text have no content.
/// Copies share the files that are the same.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    files: BTreeMap<String, Arc<File>>,
}

#[derive(Debug, Default)]
struct File {
    text: String,
    /// The text taken apart as Rust, once it is asked for.
    source: OnceLock<Source>,
}

impl Tree {
    /// Reads the files below a folder.
    pub fn read(root: &Path) -> io::Result<Tree> {
        let mut tree = Tree::default();
        tree.read_folder(root, "")?;
        Ok(tree)
    }

    fn read_folder(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            if entry.file_type()?.is_dir() {
                if !NOT_OURS.contains(&name.as_str()) {
                    self.read_folder(&entry.path(), &format!("{path}/"))?;
                }
            } else {
                let bytes = fs::read(entry.path())?;
                self.set(&path, String::from_utf8(bytes).unwrap_or_default());
            }
        }
        Ok(())
    }

    /// The content of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(|file| file.text.as_str())
    }

    /// The sources of Rust below a folder, taken apart.
    pub fn sources<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Source)> {
        let files = self.files.iter().filter(move |(path, _)| path.starts_with(prefix) && path.ends_with(".rs"));
        files.map(|(path, file)| (path.as_str(), file.source.get_or_init(|| Source::of(&file.text))))
    }

    /// Sets the content of a file.
    pub fn set(&mut self, path: &str, text: impl Into<String>) {
        let file = File { text: text.into(), source: OnceLock::new() };
        self.files.insert(path.to_owned(), Arc::new(file));
    }

    /// Replaces a piece of a file.
    ///
    /// # Panics
    /// If there is no such file or the piece is not in it.
    pub fn replace(&mut self, path: &str, old: &str, new: &str) {
        let text = self.text(path).unwrap_or_else(|| panic!("no file {path}"));
        assert!(text.contains(old), "{path} does not contain {old:?}");
        self.set(path, text.replacen(old, new, 1));
    }

    /// Takes a file away.
    pub fn remove(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// True if there is such a file or folder.
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.contains_key(path) || self.below(&format!("{path}/")).next().is_some()
    }

    /// Paths and contents of all files, sorted.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file.text.as_str()))
    }

    /// Files whose path begins so.
    pub fn below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files().filter(move |(path, _)| path.starts_with(prefix))
    }

    /// Files with this ending.
    pub fn ending<'a>(&'a self, ending: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files().filter(move |(path, _)| path.ends_with(ending))
    }
}

/// Something that contradicts the pages or the rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file that has to change, mostly.
    pub file: String,
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl Finding {
    fn new(file: &str, line: usize, what: impl Into<String>) -> Finding {
        Finding { file: file.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { file, line, what } = self;
        if *line == 0 { write!(f, "{file}: {what}") } else { write!(f, "{file}:{line}: {what}") }
    }
}

/// Everything that contradicts the pages or the rules, in the order of files.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let rules =
        [map::check, citations::check, links::check, arrows::check, names::check, words::check, commands::check];
    let mut findings: Vec<Finding> = rules.iter().flat_map(|rule| rule(tree)).collect();
    findings.sort();
    findings.dedup();
    findings
}
