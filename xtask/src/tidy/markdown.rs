//! Just enough of Markdown: headings, tables, code spans, links.

/// A heading of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 for `#`, 2 for `##`, …
    pub level: usize,
    /// Its text.
    pub text: String,
    /// Its line, from 1.
    pub line: usize,
}

/// The lines of a page outside of code blocks, with their numbers from 1. An indented block counts as code only after an
/// empty line, as in Markdown itself.
pub fn prose(page: &str) -> Vec<(usize, &str)> {
    let (mut fenced, mut indented, mut after_empty, mut in_list) = (false, false, true, false);
    let mut lines = Vec::new();
    for (number, line) in page.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let empty = line.trim().is_empty();
        let deep = line.starts_with("    ") && !in_list;
        indented = deep && (indented || after_empty) || empty && indented;
        if !empty && !line.starts_with(' ') {
            in_list =
                line.starts_with("* ") || line.starts_with("- ") || line.starts_with(|c: char| c.is_ascii_digit());
        }
        after_empty = empty;
        if !fenced && !indented && !empty {
            lines.push((number + 1, line));
        }
    }
    lines
}

/// The headings of a page.
pub fn headings(page: &str) -> Vec<Heading> {
    let mut found = Vec::new();
    for (line, text) in prose(page) {
        let level = text.len() - text.trim_start_matches('#').len();
        if (1..=6).contains(&level) && text[level..].starts_with(' ') {
            found.push(Heading { level, text: text[level..].trim().to_owned(), line });
        }
    }
    found
}

/// The anchors of a page, as forges and mdBook make them.
pub fn anchors(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for heading in headings(page) {
        let anchor = anchor(&heading.text);
        let same = found.iter().filter(|&known| known == &anchor || known.starts_with(&format!("{anchor}-"))).count();
        found.push(if same == 0 { anchor } else { format!("{anchor}-{same}") });
    }
    found
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
}

/// The code spans of a line.
pub fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// A line without its code spans.
pub fn without_code_spans(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// The targets of the links and images of a line.
pub fn links(line: &str) -> Vec<String> {
    let line = without_code_spans_in_text(line);
    let mut found = Vec::new();
    let mut rest = line.as_str();
    while let Some(at) = rest.find("](") {
        rest = &rest[at + 2..];
        let Some(end) = rest.find(')') else { break };
        found.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    found
}

/// Code spans blanked, but for those within the text of a link: `[`x`](y)` stays a link.
fn without_code_spans_in_text(line: &str) -> String {
    line.split('`').enumerate().map(|(i, part)| if i % 2 == 0 { part } else { "" }).collect()
}

/// The cells of a line of a table.
pub fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(str::trim).collect())
}

/// The lines of the section under a heading, up to the next of its level or above.
pub fn section<'a>(page: &'a str, heading: &str) -> Vec<(usize, &'a str)> {
    let all = headings(page);
    let Some(at) = all.iter().position(|found| found.text == heading) else { return Vec::new() };
    let end = all[at + 1..].iter().find(|next| next.level <= all[at].level).map_or(usize::MAX, |next| next.line);
    prose(page).into_iter().filter(|(line, _)| *line > all[at].line && *line < end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_taken_apart() {
        let page = "# A page\n\ntext `code` [x](y.md#z)\n\n    # indented\n\n```\n## fenced\n```\n## 1. Über `it`: all\n| a | `b` |\n";
        let found: Vec<String> = headings(page).into_iter().map(|heading| heading.text).collect();
        assert_eq!(found, ["A page", "1. Über `it`: all"]);
        assert_eq!(anchors(page), ["a-page", "1-über-it-all"]);
        assert_eq!(links("text `[no](no)` [`x`](y.md#z) ![p](q.png)"), ["y.md#z", "q.png"]);
        assert_eq!(cells("| a | `b` |"), Some(vec!["a", "`b`"]));
        assert_eq!(section(page, "1. Über `it`: all"), [(11, "| a | `b` |")]);
        assert_eq!(code_spans("x `a` y `b/c`").collect::<Vec<_>>(), ["a", "b/c"]);
    }
}
