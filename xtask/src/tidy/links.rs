//! Links between pages, and the table of contents of the book.

use super::markdown::{anchors, links, prose};
use super::{Finding, Tree};
use std::collections::BTreeSet;

/// The table of contents of the book.
pub const SUMMARY: &str = "docs/SUMMARY.md";

/// Reports links that lead nowhere and pages that the book leaves out.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.ending(".md") {
        for (line, words) in prose(text) {
            for link in links(words).iter().filter(|link| is_local(link)) {
                if let Some(fault) = fault(tree, path, link) {
                    findings.push(Finding::new(path, line, format!("the link to {link} is broken: {fault}")));
                }
            }
        }
    }
    let in_book = pages_of_book(tree);
    for page in &in_book {
        for (line, words) in prose(tree.text(page).unwrap_or_default()) {
            for linked in links(words).iter().filter(|link| is_local(link)).map(|link| target(page, link)) {
                if linked.ends_with(".md") && !in_book.contains(&linked) {
                    let what = format!("a page of the book links to {linked}, which {SUMMARY} leaves out");
                    findings.push(Finding::new(page, line, what));
                }
            }
        }
    }
    for (path, _) in tree.below("docs/").filter(|(path, _)| path.ends_with(".md") && *path != SUMMARY) {
        if !in_book.contains(path) {
            findings.push(Finding::new(SUMMARY, 0, format!("{path} is not in the table of contents")));
        }
    }
    findings
}

/// The pages that the table of contents names, as paths from the root.
pub fn pages_of_book(tree: &Tree) -> BTreeSet<String> {
    let summary = prose(tree.text(SUMMARY).unwrap_or_default());
    summary.iter().flat_map(|(_, line)| links(line)).map(|link| target(SUMMARY, &link)).collect()
}

/// True for a link to something in the repository.
pub fn is_local(link: &str) -> bool {
    !link.is_empty() && !link.contains("://") && !link.starts_with("mailto:")
}

/// The path from the root that a link on a page leads to, without its anchor.
pub fn target(page: &str, link: &str) -> String {
    let file = link.split('#').next().unwrap_or_default();
    if file.is_empty() {
        return page.to_owned();
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn fault(tree: &Tree, page: &str, link: &str) -> Option<String> {
    let path = target(page, link);
    if !tree.has(&path) {
        return Some(format!("there is no {path}"));
    }
    let (_, anchor) = link.split_once('#')?;
    let known = anchors(tree.text(&path)?);
    (path.ends_with(".md") && !known.iter().any(|known| known == anchor)).then(|| format!("{path} has no such heading"))
}
