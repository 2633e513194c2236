//! The command `gather`: the numbers of a study in one table.

use super::arguments::GatherChoices;
use crate::failure::{Exit, Failure};
use crate::measure::arguments::Asked;
use crate::measure::{numbers_of_run, write_plot};
use crate::screen::{say, tell};
use riprap_run::{Study, StudyTable};
use riprap_store::write_atomically;
use std::fs;
use std::path::Path;

/// Writes the tables of a study, and the plots that were asked for.
pub fn gather(folder: &Path, choices: &GatherChoices) -> Result<Exit, Failure> {
    let (table, missing) = table_of(&Study::open(folder)?, &choices.measure)?;
    let charts = choices.plot.iter().map(|(y, x)| Ok((format!("{y}-over-{x}"), table.chart(y, x)?)));
    let charts: Vec<_> = charts.collect::<Result<_, String>>().map_err(|why| Failure::new(Exit::BadInput, why))?;
    let out = choices.out.as_deref().unwrap_or(folder);
    fs::create_dir_all(out).map_err(|error| Failure::writing(out, error))?;
    let mut files = write_tables(&table, out)?;
    for (name, chart) in charts {
        for format in choices.plots.iter().filter_map(|plots| plots.format()) {
            write_plot(&chart.draw(), format, &out.join(format!("{name}.{}", format.ending())))?;
            files += 1;
        }
    }
    if choices.json {
        say(format_args!("{:#}", table.json()));
    } else {
        let complete = table.rows.iter().filter(|row| row.status == "completed").count();
        say(format_args!("{complete} of {} runs complete; wrote {files} files to {}", table.rows.len(), out.display()));
    }
    for words in &missing {
        tell(format_args!("warning: {words}"));
    }
    Ok(if missing.is_empty() { Exit::Done } else { Exit::Incomplete })
}

/// The table of a study with the numbers of some measurements, and words on those that could not be made.
pub fn table_of(study: &Study, measure: &[Asked]) -> Result<(StudyTable, Vec<String>), Failure> {
    let mut missing: Vec<String> = Vec::new();
    let table = study.table(|run| -> Result<Vec<(String, f64)>, Failure> {
        let mut numbers = Vec::new();
        for &asked in measure {
            match numbers_of_run(&run.folder, asked)? {
                Ok(found) => numbers.extend(found),
                Err(why) => missing.push(format!("{} could not be measured in a run: {why}", asked.word())),
            }
        }
        Ok(numbers)
    })?;
    missing.dedup();
    Ok((table, missing))
}

/// How many files.
fn write_tables(table: &StudyTable, out: &Path) -> Result<usize, Failure> {
    let files = [
        ("runs.csv", table.runs_csv()),
        ("means.csv", table.means_csv()),
        ("table.json", format!("{:#}\n", table.json())),
    ];
    for (name, text) in &files {
        write_atomically(&out.join(name), |out| out.write_all(text.as_bytes()))
            .map_err(|error| Failure::new(Exit::Unwritable, error.to_string()))?;
    }
    Ok(files.len())
}
