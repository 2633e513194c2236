//! riprap, a simulator of granular matter: the command, as a function that the program and the Python package call.

mod arguments;
mod batch_voice;
mod check;
mod compare;
mod converge;
mod export;
mod failure;
mod info;
mod interrupt;
mod limit;
mod measure;
mod movie;
mod pack;
mod picture;
mod progress;
mod ranks;
mod reproduce;
mod run;
mod screen;
mod selftest;
mod solve;
mod study;
mod target;
mod templates;
mod view;
mod voice;

use arguments::{Arguments, Command};
use clap::{CommandFactory, Parser};
use failure::{Exit, Failure};
use riprap_measure::Unavailable;
use riprap_measure::report::Measured;
use riprap_run::{Study, StudyTable};
use screen::{say, tell};
use std::ffi::OsString;
use std::path::Path;

/// Carries out a command line, the name of the program first, and returns the exit code. What it has to say goes to the
/// screen.
pub fn main(command_line: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(command_line) {
        Ok(arguments) => arguments,
        Err(answer) => {
            // Help, the version, or what is wrong; nobody has to read it.
            let _ = answer.print();
            return answer.exit_code() as u8;
        }
    };
    let exit = carry_out(arguments.command).unwrap_or_else(|failure| {
        if !failure.message.is_empty() {
            tell(failure.for_screen());
        }
        failure.exit
    });
    exit as u8
}

/// A measurement of the whole run in a folder.
pub type RunMeasurement = fn(&Path) -> Result<Measured, Unavailable>;

/// The measurements of whole runs, by the words of `riprap measure --what`.
pub const RUN_MEASUREMENTS: [(&str, RunMeasurement); 3] = [
    ("history", measure::history::history),
    ("spread", measure::history::spread),
    ("loading", measure::loading::loading),
];

/// The table of a study with measurements of the last states of its runs, by the words of `riprap measure --what`, and words on
/// those that could not be made.
pub fn study_table(study: &Study, measure: &[String]) -> Result<(StudyTable, Vec<String>), String> {
    let asked =
        measure.iter().map(|word| converge::arguments::parse_measurement(word)).collect::<Result<Vec<_>, _>>()?;
    study::table_of(study, &asked).map_err(|failure| failure.message)
}

fn carry_out(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::New { template, file } => templates::new(template.as_deref(), file).map(|()| Exit::Done),
        Command::Check { scenes, overrides } => check::check(&scenes, &overrides.set),
        Command::Run { scene, place, view, view_choices, overrides, manner, limit } => {
            run::run(&scene, &place, view.then_some(&view_choices), &overrides.set, &manner, &limit)
        }
        Command::Limit { scene, choices, overrides } => limit::limit(&scene, &choices, &overrides.set),
        Command::Pack { scene, choices, overrides } => pack::pack(&scene, &choices, &overrides.set),
        Command::View { runs, export, frames, choices } => {
            view::view(&runs, export.as_deref(), frames as usize, &choices)
        }
        Command::Compare { scene, out, rows, overrides, manner } => {
            compare::compare(&scene, &out, rows, &overrides, &manner)
        }
        Command::Converge { scene, choices, overrides } => converge::converge(&scene, &choices, &overrides.set),
        Command::Resume { folder, longer, manner, limit } => run::resume(&folder, longer, &manner, &limit),
        Command::Study { path, choices, overrides } => study::study(&path, &choices, &overrides.set),
        Command::Gather { folder, choices } => study::gather(&folder, &choices),
        Command::Info { path, json } => info::info(&path, json).map(|()| Exit::Done),
        Command::Export { path, to, out } => export::export(&path, to, out).map(|()| Exit::Done),
        Command::Solve { problems, choices } => solve::solve(&problems, &choices),
        Command::Measure { paths, choices } => measure::measure(&paths, &choices),
        Command::Movie { run, out, fps, size, look } => movie::movie(&run, &out, fps, size, &look).map(|()| Exit::Done),
        Command::Picture { snapshot, choices } => picture::picture(&snapshot, &choices).map(|()| Exit::Done),
        Command::Reproduce { cases, choices } => reproduce::reproduce(&cases, &choices),
        Command::Selftest { list } => selftest::selftest(list),
        Command::Schema => {
            say(format_args!("{:#}", riprap_scene::schema()));
            Ok(Exit::Done)
        }
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Arguments::command(), "riprap", &mut std::io::stdout());
            Ok(Exit::Done)
        }
    }
}
