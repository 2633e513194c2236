//! `cargo xtask`: one command for everything that a maintainer does.

mod benches;
mod book;
mod cargo;
mod check;
mod counts;
mod docs;
mod environment;
mod licences;
mod mpi;
mod page;
mod python;
mod release;

use cargo::Outcome;
use std::path::Path;
use std::process::ExitCode;
use xtask::tidy::{self, Tree};

const USAGE: &str = "\
cargo xtask COMMAND

  check              the whole check, as .ci/run: format, map, licences, lints, docs, packages, page, Python, tests
  tidy               compare ARCHITECTURE.md and the other pages with the code
  licences           check licences and duplicates of dependencies by deny.toml
  docs               write all generated pages again; build the book and the API reference
  book               the pages as a book, by mdBook, into target/book
  bench [NAME …]     run a benchmark; without a name, list them
  ablation [ARGS …]  run the solver with each heuristic switched off
  load [RUNS]        run the tests while other work keeps all cores busy (10 runs)
  seeds [COUNT]      run the random tests with other seeds (20 seeds)
  fuzz [TARGET …]    judge random inputs and runs; --minutes N, --short, --seed S, --list
  soak               run random scenes and templates that are killed; --hours N, --kills N, --seed S
  counts             lines and functions of each crate, and the longest functions
  mpi                run scenes on several ranks with the MPI that is there, and compare states
  page               test the page of the viewer in Chromium
  python             install the Python package into target/python and test it
  package            make the packages of all crates, build each of them, and publish none
  release            check that version, changelog and packages agree; publishes nothing
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // The workspace, wherever in it the command is given.
    if let Some(root) = Path::new(env!("CARGO_MANIFEST_DIR")).parent()
        && let Err(error) = std::env::set_current_dir(root)
    {
        eprintln!("{}: {error}", root.display());
        return ExitCode::FAILURE;
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Outcome {
    match arguments {
        ["check"] => check::check(),
        ["tidy"] => tidy(),
        ["book"] => book::build(),
        ["licences"] => licences::check(),
        ["docs"] => docs::docs(),
        ["bench", names @ ..] => benches::bench(names),
        ["ablation", rest @ ..] => benches::script("benches/ablation/run.sh", rest),
        ["load", rest @ ..] => benches::script("benches/load/suite.sh", rest),
        ["seeds", rest @ ..] => benches::script("benches/load/seeds.sh", rest),
        ["fuzz" | "soak", ..] => check::fuzz(arguments),
        ["counts"] => counts::counts(),
        ["mpi"] => mpi::check(),
        ["page"] => page::check(),
        ["python"] => python::check(),
        ["package"] => check::package(&[]),
        ["release"] => release::release(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        _ => Err(format!("there is no such command\n\n{USAGE}")),
    }
}

/// Prints what contradicts the pages.
fn tidy() -> Outcome {
    let tree = Tree::read(Path::new(".")).map_err(|error| error.to_string())?;
    let findings = tidy::check(&tree);
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() { Ok(()) } else { Err(format!("{} findings", findings.len())) }
}
