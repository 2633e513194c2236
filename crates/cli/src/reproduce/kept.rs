//! Finished cases on disk: `findings.json` and the figures in the folder of the case.

use super::bench::VERSION;
use super::case::{Case, Figure, Findings, Image};
use super::row::Row;
use super::{Outcome, page};
use crate::failure::{Exit, Failure};
use riprap_store::write_atomically;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Keeps an outcome.
pub fn write(outcome: &Outcome, quick: bool, folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, error))?;
    let put = |name: &str, bytes: &[u8]| {
        write_atomically(&folder.join(name), |out| out.write_all(bytes))
            .map_err(|error| Failure::new(Exit::Unwritable, error.to_string()))
    };
    let mut document = json!({
        "case": outcome.case.name,
        "version": VERSION,
        "size": size(quick),
        "cpu_s": outcome.cpu_s,
        "date": outcome.date,
    });
    match &outcome.result {
        Err(error) => document["error"] = json!(error),
        Ok(findings) => {
            let mut figures = Vec::new();
            for figure in &findings.figures {
                let file = format!("{}.{}", figure.name, figure.image.ending());
                put(&file, figure.image.bytes())?;
                figures.push(json!({"name": figure.name, "caption": figure.caption, "file": file}));
            }
            document["rows"] = findings.rows.iter().map(Row::to_json).collect();
            document["figures"] = json!(figures);
            document["remarks"] = json!(findings.remarks);
        }
    }
    put("findings.json", format!("{document:#}\n").as_bytes())
}

/// The kept findings of a case of this size by this version of the program, if it was finished.
pub fn read(case: &'static Case, quick: bool, folder: &Path) -> Option<Outcome> {
    read_any(case, quick, folder).filter(|outcome| outcome.result.is_ok())
}

/// The same, also if the case could not be run.
pub fn read_any(case: &'static Case, quick: bool, folder: &Path) -> Option<Outcome> {
    let document: Value = serde_json::from_str(&fs::read_to_string(folder.join("findings.json")).ok()?).ok()?;
    if document["version"] != VERSION || document["size"] != size(quick) || document["case"] != case.name {
        return None;
    }
    let result = match document["error"].as_str() {
        Some(error) => Err(error.to_owned()),
        None => Ok(findings(&document, folder)?),
    };
    let date = document["date"].as_str()?.to_owned();
    Some(Outcome { case, result, cpu_s: document["cpu_s"].as_f64().unwrap_or(f64::NAN), date })
}

/// The outcome of a case that could not be run.
pub fn failed(case: &'static Case, error: String) -> Outcome {
    Outcome { case, result: Err(error), cpu_s: f64::NAN, date: page::today() }
}

fn findings(document: &Value, folder: &Path) -> Option<Findings> {
    let rows = document["rows"].as_array()?.iter().map(Row::from_json).collect::<Option<_>>()?;
    let figure = |figure: &Value| {
        let file = figure["file"].as_str()?;
        let bytes = fs::read(folder.join(file)).ok()?;
        let image = if file.ends_with(".svg") { Image::Svg(String::from_utf8(bytes).ok()?) } else { Image::Png(bytes) };
        let text = |key: &str| Some(figure[key].as_str()?.to_owned());
        Some(Figure { name: text("name")?, caption: text("caption")?, image })
    };
    let figures = document["figures"].as_array()?.iter().map(figure).collect::<Option<_>>()?;
    let remark = |remark: &Value| Some(remark.as_str()?.to_owned());
    let remarks = document["remarks"].as_array()?.iter().map(remark).collect::<Option<_>>()?;
    Some(Findings { rows, figures, remarks })
}

/// The word for a size.
pub fn size(quick: bool) -> &'static str {
    if quick { "quick" } else { "full" }
}
