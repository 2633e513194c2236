//! How large the code is: lines, functions and their lengths, tests set apart.

use crate::cargo::Outcome;
use std::path::Path;
use xtask::tidy::rust::functions;
use xtask::tidy::{Tree, arrows};

/// How many of the longest functions are listed.
const LONGEST: usize = 15;

/// Prints lines and functions of each crate, and the longest functions.
pub fn counts() -> Outcome {
    let tree = Tree::read(Path::new(".")).map_err(|error| error.to_string())?;
    let mut all: Vec<(usize, String)> = Vec::new();
    println!("{:<16}{:>8}{:>8}{:>11}{:>8}{:>8}", "package", "files", "lines", "functions", "median", "mean");
    for package in arrows::packages(&tree) {
        let source = if package.folder.is_empty() { "src/".to_owned() } else { format!("{}/src/", package.folder) };
        let mut found: Vec<(usize, String)> = Vec::new();
        let (mut files, mut lines) = (0, 0);
        for (path, file) in tree.sources(&source) {
            files += 1;
            lines += file.code.lines().count();
            let functions = functions(&file.product);
            found.extend(
                functions.into_iter().map(|found| (found.lines, format!("{path}:{} {}", found.line, found.name))),
            );
        }
        found.sort();
        print_row(&package.name, files, lines, &found);
        all.append(&mut found);
    }
    all.sort();
    println!("\nlongest functions, in lines:");
    for (lines, place) in all.iter().rev().take(LONGEST) {
        println!("{lines:>5}  {place}");
    }
    Ok(())
}

fn print_row(name: &str, files: usize, lines: usize, sorted: &[(usize, String)]) {
    let count = sorted.len();
    let median = sorted.get(count / 2).map_or(0, |(lines, _)| *lines);
    let mean = sorted.iter().map(|(lines, _)| *lines).sum::<usize>() as f64 / count.max(1) as f64;
    println!("{name:<16}{files:>8}{lines:>8}{count:>11}{median:>8}{mean:>8.1}");
}
