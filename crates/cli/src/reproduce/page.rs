//! The page with all results: one HTML file that needs nothing from outside.

use super::Outcome;
use super::bench::VERSION;
use super::case::{Case, Figure, Findings, Image};
use super::claims::shares;
use super::kept::size;
use super::row::{Row, count, short};
use crate::failure::{Exit, Failure};
use base64::prelude::{BASE64_STANDARD, Engine};
use riprap_run::duration;
use riprap_store::write_atomically;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.5rem;border-top:1px solid #ccc;padding-top:1rem}
table{border-collapse:collapse;width:100%;font-size:.92rem}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;\
border-bottom:1px solid #ddd}th{background:#f4f4f2}
.pass{color:#1a6b2d;font-weight:600}.fail,.hollow{color:#fff;background:#b22222;font-weight:600}.hollow{background:#8a5a00}
figure{margin:1rem 0}figcaption{color:#555;font-size:.9rem}figure svg,figure img{max-width:100%;height:auto}
.source,.note{color:#555}";

/// Writes the page of these outcomes; the cases in `missing` were not run.
pub fn write(path: &Path, outcomes: &[Outcome], missing: &[&Case], quick: bool, threads: usize) -> Result<(), Failure> {
    let text = page(outcomes, missing, quick, threads);
    write_atomically(path, |out| out.write_all(text.as_bytes()))
        .map_err(|error| Failure::new(Exit::Unwritable, error.to_string()))
}

fn page(outcomes: &[Outcome], missing: &[&Case], quick: bool, threads: usize) -> String {
    let rows = || outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok()).flat_map(|found| &found.rows);
    let not_run = outcomes.iter().filter(|outcome| outcome.result.is_err()).count();
    let cores = std::thread::available_parallelism().map_or(threads, usize::from);
    let cost: f64 = outcomes.iter().map(|outcome| outcome.cpu_s).filter(|cost| cost.is_finite()).sum();
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>riprap: published \
         results</title><style>{STYLE}</style></head><body>\n<h1>riprap: published results reproduced</h1>\n<p>riprap \
         {VERSION}, {} size, {} on a machine with {cores} cores (threads used: {threads}); total CPU time \
         {}.</p>\n<p><b>{} numbers. {}</b> {} cases, {not_run} of which could not be run. A verdict depends only on \
         the number and its range. Ranges were fixed before the runs; what was changed afterwards is marked, row by \
         row. A row is hollow if a model without the published effect passes too. Consistency rows compare numbers of \
         one run that must agree; they reproduce nothing.</p>\n",
        size(quick),
        today(),
        duration(cost),
        rows().count(),
        count(rows()),
        outcomes.len(),
    );
    html.push_str("<p>How much of the five sources is reproduced. Something stated passes if all its rows do, and one of them at least is no consistency row.</p>\n<table><tr><th>source</th><th>things stated</th><th>with a row</th><th>of these, run</th><th>of these, passing</th></tr>\n");
    for (source, share) in shares(outcomes) {
        html.push_str(&format!(
            "<tr><td>{source}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            share.stated, share.with_row, share.run, share.passing
        ));
    }
    html.push_str("</table>\n");
    html.push_str(
        "<table><tr><th>case</th><th>quantity</th><th>kind</th><th>published</th><th>measured</th><th>verdict</th></tr>\n",
    );
    for outcome in outcomes {
        overview(&mut html, outcome);
    }
    html.push_str("</table>\n");
    if !missing.is_empty() {
        let names: Vec<String> = missing.iter().map(|case| escape(case.name)).collect();
        html.push_str(&format!("<p>Not run: {}.</p>\n", names.join(", ")));
    }
    for outcome in outcomes {
        section(&mut html, outcome);
    }
    html.push_str("</body></html>\n");
    html
}

fn overview(html: &mut String, outcome: &Outcome) {
    let name = outcome.case.name;
    let link = format!("<a href=\"#{name}\">{name}</a>");
    match &outcome.result {
        Err(_) => html.push_str(&format!(
            "<tr><td>{link}</td><td colspan=\"4\">could not be run</td><td class=\"fail\">fail</td></tr>\n"
        )),
        Ok(findings) => {
            for row in &findings.rows {
                html.push_str(&format!(
                    "<tr><td>{link}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>{}</tr>\n",
                    escape(&row.quantity),
                    row.kind.word(),
                    escape(&row.published.to_string()),
                    number(row),
                    verdict(row)
                ));
            }
        }
    }
}

fn section(html: &mut String, outcome: &Outcome) {
    let Case { name, title, source, about, .. } = outcome.case;
    html.push_str(&format!(
        "<h2 id=\"{name}\">{}</h2>\n<p class=\"source\">{}</p>\n<p>{}</p>\n",
        escape(title),
        escape(source),
        escape(about)
    ));
    match &outcome.result {
        Err(error) => html.push_str(&format!(
            "<p><span class=\"fail\">fail</span> The case could not be run:</p><pre>{}</pre>\n",
            escape(error)
        )),
        Ok(findings) => found(html, findings),
    }
    let cost =
        if outcome.cpu_s.is_finite() { format!("{} of CPU time, ", duration(outcome.cpu_s)) } else { String::new() };
    html.push_str(&format!(
        "<p class=\"note\">{cost}{}. To repeat: <code>riprap reproduce {name}</code></p>\n",
        outcome.date
    ));
}

fn found(html: &mut String, findings: &Findings) {
    html.push_str(
        "<table><tr><th>quantity</th><th>kind</th><th>published</th><th>measured</th><th>reason for the range</th>\
         <th>what would have been a failure</th><th>verdict</th></tr>\n",
    );
    for row in &findings.rows {
        let revised = row.tolerance.revised.as_ref();
        let revised = revised.map_or(String::new(), |text| format!(" <b>Changed after the run:</b> {}", escape(text)));
        html.push_str(&format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}{revised}</td><td>{}</td>{}</tr>\n",
            escape(&row.quantity),
            row.kind.word(),
            escape(&row.claimed()),
            number(row),
            escape(&row.tolerance.reason),
            escape(&row.failure()),
            verdict(row)
        ));
    }
    html.push_str("</table>\n");
    for figure in &findings.figures {
        html.push_str(&figure_html(figure));
    }
    if !findings.remarks.is_empty() {
        let items: String = findings.remarks.iter().map(|remark| format!("<li>{}</li>\n", escape(remark))).collect();
        html.push_str(&format!("<ul>\n{items}</ul>\n"));
    }
}

fn figure_html(figure: &Figure) -> String {
    let image = match &figure.image {
        // Inside a page the drawing begins with its own element, without the line that makes it a file.
        Image::Svg(text) => text[text.find("<svg").unwrap_or(0)..].to_owned(),
        Image::Png(bytes) => {
            let encoded = BASE64_STANDARD.encode(bytes);
            format!("<img alt=\"{}\" src=\"data:image/png;base64,{encoded}\">", escape(&figure.caption))
        }
    };
    format!("<figure>{image}<figcaption>{}</figcaption></figure>\n", escape(&figure.caption))
}

fn number(row: &Row) -> String {
    let uncertainty = row.uncertainty.map_or(String::new(), |uncertainty| format!(" ± {}", short(uncertainty)));
    escape(&format!("{}{uncertainty}", short(row.measured)))
}

fn verdict(row: &Row) -> String {
    let word = row.verdict().word();
    format!("<td class=\"{word}\">{word}</td>")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The date of today in the universal time, as 2026-11-16.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date(seconds / 86_400)
}

/// The date of a day counted from 1970-01-01. Years are counted from March, so that the leap day is the last.
fn date(day: u64) -> String {
    let day = day + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 { (month + 3, year) } else { (month - 9, year + 1) };
    format!("{:04}-{month:02}-{day_of_month:02}", era * 400 + year)
}

#[cfg(test)]
mod tests {
    use super::super::cases::CASES;
    use super::*;
    use crate::reproduce::row::measured;

    #[test]
    fn failures_are_shown_as_plainly_as_successes() {
        let mut findings = Findings::default();
        findings.row(measured("a < b", 1.0).published(1.0).within(0.1, "good"));
        findings.row(measured("c", 2.0).published(1.0).within(0.1, "bad").revised("was 0.05"));
        let outcomes = [
            Outcome { case: &CASES[0], result: Ok(findings), cpu_s: 1.0, date: "2026-01-01".into() },
            Outcome { case: &CASES[1], result: Err("a grain <escaped>".into()), cpu_s: f64::NAN, date: String::new() },
        ];
        let html = page(&outcomes, &[], true, 2);
        // Each row stands in the overview and in its section.
        assert_eq!(html.matches("<td class=\"fail\">fail</td>").count(), 3);
        assert_eq!(html.matches("<td class=\"pass\">pass</td>").count(), 2);
        assert!(html.contains("2 numbers. published: 1 of 2 pass, 1 fail"), "{html}");
        assert!(html.contains("a grain &lt;escaped&gt;") && html.contains("a &lt; b") && html.contains("was 0.05"));
        assert!(!html.contains("http") && !html.contains("<script"));
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(
            [0, 59, 60, 11_016, 19_782, 20_773].map(date),
            ["1970-01-01", "1970-03-01", "1970-03-02", "2000-02-29", "2024-02-29", "2026-11-16"]
        );
    }
}
