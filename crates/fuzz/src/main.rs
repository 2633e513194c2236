//! Fuzzing, and runs that are killed: for those who change riprap. `cargo xtask fuzz` and `cargo xtask soak` call it
//! (docs/testing.md, "Fuzzing").

mod campaign;
mod dice;
mod mutate;
mod random_scene;
mod soak;
mod targets;
mod worlds;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask fuzz [TARGET …] [--minutes N | --short] [--seed S]    judge inputs for N minutes of CPU time (1), resumable
cargo xtask fuzz --list                                            the targets and the counts so far
cargo xtask fuzz TARGET --judge FILE                               judge one input, such as a finding
cargo xtask fuzz TARGET --input NUMBER [--seed S]                  write one input to the standard output
cargo xtask soak [--hours N] [--kills N] [--seed S]                random runs and templates that are killed, resumable
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        // The program itself, for runs that are to be killed.
        ["riprap", ..] => return ExitCode::from(riprap_cli::main(std::env::args_os().skip(1))),
        ["worker", target, seed, from, most, seconds, lines] => {
            campaign::work(target, [seed, from, most, seconds, lines].map(|word| word.parse().unwrap_or_default()))
        }
        ["fuzz", rest @ ..] => campaign::fuzz(rest),
        ["soak", rest @ ..] => soak::soak(rest),
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
