//! The same results as plain text: one Markdown file without figures, small enough to be kept under version control
//! (docs/reproduced.md is one).

use super::Outcome;
use super::bench::VERSION;
use super::case::{Case, Findings};
use super::claims::shares;
use super::kept::size;
use super::row::{Row, Verdict, count, short};
use crate::failure::{Exit, Failure};
use riprap_run::duration;
use riprap_store::write_atomically;
use std::fmt::Write;
use std::path::Path;

/// Writes the text of these outcomes; the cases in `missing` were not run.
pub fn write(path: &Path, outcomes: &[Outcome], missing: &[&Case], quick: bool) -> Result<(), Failure> {
    let text = text(outcomes, missing, quick);
    write_atomically(path, |out| out.write_all(text.as_bytes()))
        .map_err(|error| Failure::new(Exit::Unwritable, error.to_string()))
}

fn text(outcomes: &[Outcome], missing: &[&Case], quick: bool) -> String {
    let rows = || outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok()).flat_map(|found| &found.rows);
    let mut text = format!(
        "# Published results: all numbers\n\nWritten by `riprap reproduce` (riprap {VERSION}, {} size): {} numbers in {} \
         cases. {}\n",
        size(quick),
        rows().count(),
        outcomes.len(),
        count(rows())
    );
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|case| case.name).collect();
        add(&mut text, format_args!("\nNot run: {}.\n", names.join(", ")));
    }
    text.push_str(
        "\n| source | things stated | with a row | of these, run | of these, passing |\n|---|---|---|---|---|\n",
    );
    for (source, share) in shares(outcomes) {
        let line =
            format_args!("| {source} | {} | {} | {} | {} |\n", share.stated, share.with_row, share.run, share.passing);
        add(&mut text, line);
    }
    for outcome in outcomes {
        section(&mut text, outcome);
    }
    text
}

fn section(text: &mut String, outcome: &Outcome) {
    let Case { name, title, source, about, .. } = outcome.case;
    add(text, format_args!("\n## {}\n\n{}.\n\n{}\n\n", plain(title), plain(source), plain(about)));
    match &outcome.result {
        Err(error) => add(text, format_args!("**fail**: the case could not be run: {}\n\n", plain(error))),
        Ok(findings) => found(text, findings),
    }
    let cost =
        if outcome.cpu_s.is_finite() { format!("{} of CPU time, ", duration(outcome.cpu_s)) } else { String::new() };
    add(text, format_args!("{cost}{}; `riprap reproduce {name}`\n", outcome.date));
}

fn found(text: &mut String, findings: &Findings) {
    text.push_str(
        "| quantity | kind | published | measured | reason for the range | what would have been a failure | verdict |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for row in &findings.rows {
        let Row { quantity, tolerance, .. } = row;
        let revised = tolerance.revised.as_ref();
        let revised = revised.map_or(String::new(), |text| format!(" **Changed after the run:** {}", plain(text)));
        let verdict = match row.verdict() {
            Verdict::Pass => "pass",
            Verdict::Fail => "**fail**",
            Verdict::Hollow => "**hollow**",
        };
        let cells = [
            plain(quantity),
            row.kind.word().to_owned(),
            plain(&row.claimed()),
            number(row),
            plain(&tolerance.reason) + &revised,
            plain(&row.failure()),
        ];
        add(text, format_args!("| {} | {verdict} |\n", cells.join(" | ")));
    }
    text.push('\n');
    for remark in &findings.remarks {
        add(text, format_args!("* {}\n", plain(remark)));
    }
    if !findings.remarks.is_empty() {
        text.push('\n');
    }
}

fn number(row: &Row) -> String {
    let uncertainty = row.uncertainty.map_or(String::new(), |uncertainty| format!(" ± {}", short(uncertainty)));
    format!("{}{uncertainty}", short(row.measured))
}

/// Text on one line that says nothing in Markdown: `μ*` begins no emphasis, and `|f|` ends no cell of a table.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '|' | '*' | '<' | '`' | '\\') {
            plain.push('\\');
        }
        plain.push(if character == '\n' { ' ' } else { character });
    }
    plain
}

fn add(text: &mut String, more: std::fmt::Arguments<'_>) {
    // A string does not fail to take text.
    let _ = text.write_fmt(more);
}

#[cfg(test)]
mod tests {
    use super::super::cases::CASES;
    use super::*;
    use crate::reproduce::row::measured;

    #[test]
    fn every_number_stands_in_a_table_with_its_verdict() {
        let mut findings = Findings::default();
        findings.row(measured("|f|", 1.0).published(1.0).within(0.1, "good"));
        findings.row(measured("c", 2.0).published(1.0).within(0.1, "bad").revised("was 0.05"));
        findings.remark("a remark");
        let outcomes = [
            Outcome { case: &CASES[0], result: Ok(findings), cpu_s: 1.0, date: "2026-01-01".into() },
            Outcome { case: &CASES[1], result: Err("a reason".into()), cpu_s: f64::NAN, date: String::new() },
        ];
        let text = text(&outcomes, &[&CASES[2]], true);
        assert!(text.contains("2 numbers in 2 cases. published: 1 of 2 pass, 1 fail, 0 are hollow; 1 were"), "{text}");
        let first = "| \\|f\\| | published | 1 | 1 | good | a number below 0.9 or above 1.1 | pass |";
        assert!(text.contains(first), "{text}");
        assert!(text.contains("bad **Changed after the run:** was 0.05 |"), "{text}");
        assert!(text.contains("* a remark\n") && text.contains("could not be run: a reason"), "{text}");
        assert!(text.contains(&format!("Not run: {}.", CASES[2].name)), "{text}");
    }
}
