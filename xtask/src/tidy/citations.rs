//! Sections and headings that comments and pages cite: `docs/method.md §3`, `docs/solvers.md, "Patches"`.

use super::markdown::{headings, prose};
use super::rust::line_of;
use super::{Finding, Tree};

/// Names that pages no longer have.
const FORMER: [&str; 2] = ["METHOD.md", "SOLVERS.md"];

/// Reports citations of what is not there.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in tree.sources("") {
        // These rules name what they look for.
        if !path.starts_with("xtask/") {
            citations(tree, path, &source.comments, &mut findings);
        }
    }
    let is_page = |path: &str| [".md", ".toml", ".sh"].iter().any(|ending| path.ends_with(ending));
    for (path, text) in tree.files().filter(|(path, _)| is_page(path)) {
        citations(tree, path, text, &mut findings);
    }
    findings
}

fn citations(tree: &Tree, path: &str, text: &str, findings: &mut Vec<Finding>) {
    for former in FORMER {
        for (at, _) in text.match_indices(former) {
            findings.push(Finding::new(
                path,
                line_of(text, at),
                format!("{former} is no page; name it as it is called"),
            ));
        }
    }
    for (at, _) in text.match_indices(".md") {
        let start = text[..at].rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.')));
        let name = &text[start.map_or(0, |start| start + 1)..at + 3];
        let after = joined(&text[at + 3..]);
        let Some(page) = [name.to_owned(), format!("docs/{name}")].into_iter().find(|page| tree.text(page).is_some())
        else {
            continue;
        };
        let line = line_of(text, at);
        for section in sections(&after) {
            if !has_section(tree, &page, section) {
                findings.push(Finding::new(path, line, format!("{page} has no section {section}")));
            }
        }
        if let Some(heading) = cited_heading(&after)
            && !has_heading(tree, &page, heading)
        {
            findings.push(Finding::new(path, line, format!("{page} has no heading \"{heading}\"")));
        }
    }
}

/// The beginning of a text on one line, without what begins the lines of a comment.
fn joined(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().trim_end();
    let second = lines.next().unwrap_or_default().trim_start().trim_start_matches(['/', '!', '*', '#']).trim();
    format!("{first} {second}")
}

/// The numbers in `§3`, `§3 and §4`, `§§3–5`, or in `, section 3`, `, sections 3 and 4`, at the beginning of a text.
fn sections(after: &str) -> Vec<u32> {
    let marks = [" §§", " §", "), section ", ", section ", "), sections ", ", sections "];
    let Some(list) = marks.iter().find_map(|mark| after.strip_prefix(mark)) else { return Vec::new() };
    let mut found = Vec::new();
    let mut rest = list;
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let Ok(number) = rest[..digits].parse() else { break };
        found.push(number);
        let more = [" and §", " to §", ", §", "–§", " and ", " to ", "–"];
        match more.iter().find_map(|mark| rest[digits..].strip_prefix(mark)) {
            Some(next) => rest = next,
            None => break,
        }
    }
    found
}

fn has_section(tree: &Tree, page: &str, section: u32) -> bool {
    let start = format!("{section}. ");
    headings(tree.text(page).unwrap_or_default()).iter().any(|heading| heading.text.starts_with(&start))
}

/// The heading in `, "Heading"` or `), "Heading"` at the beginning of a text.
fn cited_heading(after: &str) -> Option<&str> {
    let quoted = after.strip_prefix(", \"").or_else(|| after.strip_prefix("), \""))?;
    quoted.find('"').map(|end| &quoted[..end])
}

/// True if the page has the heading, or a paragraph that begins with it in bold.
fn has_heading(tree: &Tree, page: &str, cited: &str) -> bool {
    let text = tree.text(page).unwrap_or_default();
    let same =
        |found: &str| found.trim_end_matches(['.', ':']).eq_ignore_ascii_case(cited.trim_end_matches(['.', ':', ',']));
    headings(text).iter().any(|heading| same(&heading.text))
        || prose(text).iter().any(|(_, line)| {
            let line = line.trim_start_matches(['*', '-', ' ']);
            line.split_once("**").is_some_and(|(bold, _)| same(bold))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_sections_are_read() {
        assert_eq!(sections(" §3 and §4, P1"), [3, 4]);
        assert_eq!(sections(" §§3–5)"), [3, 5]);
        assert_eq!(sections("), section 5."), [5]);
        assert_eq!(sections(" says"), Vec::<u32>::new());
        assert_eq!(cited_heading(", \"Patches\") x"), Some("Patches"));
    }
}
