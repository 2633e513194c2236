//! The pages as a book with search, by mdBook, into `target/book`.
//!
//! Pages link to each other across folders (`../ARCHITECTURE.md`), and mdBook wants all of them below one folder. So they
//! are copied to `target/book-src` as they stand in the repository, together with whatever they link to.

use crate::cargo::{Outcome, call, is_installed};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use xtask::tidy::links::{SUMMARY, is_local, pages_of_book, target};
use xtask::tidy::{Tree, markdown};

const SOURCE: &str = "target/book-src";

/// Builds the book, where mdBook is installed.
pub fn build() -> Outcome {
    if !is_installed("mdbook", &["--version"]) {
        println!("== mdbook is not installed (cargo install mdbook --version '^0.4'): the book is not built");
        return Ok(());
    }
    collect()?;
    call("mdbook", &["build"])
}

/// Copies the pages of the book, and what they show or link to, to one folder.
fn collect() -> Outcome {
    let tree = Tree::read(Path::new(".")).map_err(|error| error.to_string())?;
    let pages = pages_of_book(&tree);
    let mut wanted: BTreeSet<String> = pages.clone();
    for page in &pages {
        let lines = markdown::prose(tree.text(page).unwrap_or_default());
        let links = lines.iter().flat_map(|(_, line)| markdown::links(line)).filter(|link| is_local(link));
        wanted.extend(links.map(|link| target(page, &link)).filter(|path| Path::new(path).is_file()));
    }
    if Path::new(SOURCE).exists() {
        fs::remove_dir_all(SOURCE).map_err(|error| format!("{SOURCE}: {error}"))?;
    }
    for path in wanted {
        let copy = Path::new(SOURCE).join(&path);
        let failed = |error: std::io::Error| format!("{}: {error}", copy.display());
        fs::create_dir_all(copy.parent().unwrap_or(Path::new(SOURCE))).map_err(failed)?;
        fs::copy(&path, &copy).map_err(failed)?;
    }
    let summary = from_the_root(tree.text(SUMMARY).unwrap_or_default());
    fs::write(Path::new(SOURCE).join("SUMMARY.md"), summary).map_err(|error| format!("{SOURCE}: {error}"))
}

/// The table of contents with its links seen from the root instead of from `docs`.
fn from_the_root(summary: &str) -> String {
    let mut text = String::new();
    for line in summary.lines() {
        match (line.rfind("]("), line.rfind(')')) {
            (Some(open), Some(close)) if open < close => {
                text +=
                    &format!("{}{}{}\n", &line[..open + 2], target(SUMMARY, &line[open + 2..close]), &line[close..]);
            }
            _ => text += &format!("{line}\n"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::from_the_root;

    #[test]
    fn the_table_of_contents_is_seen_from_the_root() {
        let summary = "# Contents\n\n- [Method](method.md)\n- [Map](../ARCHITECTURE.md)\n";
        let expected = "# Contents\n\n- [Method](docs/method.md)\n- [Map](ARCHITECTURE.md)\n";
        assert_eq!(from_the_root(summary), expected);
    }
}
