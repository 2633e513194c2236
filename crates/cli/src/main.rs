//! riprap, a simulator of granular matter: the program.

mod arguments;
mod check;
mod compare;
mod converge;
mod export;
mod failure;
mod info;
mod interrupt;
mod measure;
mod movie;
mod picture;
mod progress;
mod reproduce;
mod run;
mod screen;
mod solve;
mod templates;
mod view;
mod voice;

use arguments::{Arguments, Command};
use clap::{CommandFactory, Parser};
use failure::{Exit, Failure};
use screen::{say, tell};
use std::process::ExitCode;

fn main() -> ExitCode {
    let exit = match carry_out(Arguments::parse().command) {
        Ok(exit) => exit,
        Err(failure) => {
            tell(failure.for_screen());
            failure.exit
        }
    };
    ExitCode::from(exit as u8)
}

fn carry_out(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::New { template, file } => templates::new(template.as_deref(), file).map(|()| Exit::Done),
        Command::Check { scenes, overrides } => check::check(&scenes, &overrides.set),
        Command::Run { scene, out, force, view, view_choices, overrides, manner } => {
            run::run(&scene, out.as_deref(), force, view.then_some(&view_choices), &overrides.set, &manner)
        }
        Command::View { runs, export, frames, choices } => {
            view::view(&runs, export.as_deref(), frames as usize, &choices)
        }
        Command::Compare { scene, out, rows, overrides, manner } => {
            compare::compare(&scene, &out, rows, &overrides, &manner)
        }
        Command::Converge { scene, choices, overrides } => converge::converge(&scene, &choices, &overrides.set),
        Command::Resume { folder, manner } => run::resume(&folder, &manner),
        Command::Info { path, json } => info::info(&path, json).map(|()| Exit::Done),
        Command::Export { path, to, out } => export::export(&path, to, out).map(|()| Exit::Done),
        Command::Solve { problems, choices } => solve::solve(&problems, &choices),
        Command::Measure { paths, choices } => measure::measure(&paths, &choices),
        Command::Movie { run, out, fps, size, look } => movie::movie(&run, &out, fps, size, &look).map(|()| Exit::Done),
        Command::Picture { snapshot, choices } => picture::picture(&snapshot, &choices).map(|()| Exit::Done),
        Command::Reproduce { cases, choices } => reproduce::reproduce(&cases, &choices),
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
