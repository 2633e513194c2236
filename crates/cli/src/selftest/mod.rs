//! The command `selftest`: does this machine give the results of the project, to the last bit?

use crate::failure::{Exit, Failure};
use crate::screen::{say, tell};
use riprap::templates::TEMPLATES;
use riprap_run::{Simulation, Until};
use riprap_scene::{Override, load};
use riprap_store::state_hash;

/// The name of each scene and the hash of its state at the end, as `riprap selftest --list` prints them.
const HASHES: &str = include_str!("hashes.txt");

/// Scenes beside the templates, for laws and methods that none of those has.
const OTHERS: [(&str, &str); 3] = [
    ("laws", include_str!("scenes/laws.toml")),
    ("percussions", include_str!("scenes/percussions.toml")),
    ("soft", include_str!("scenes/soft.toml")),
];

/// Steps of each stage of a template: enough for all of its machinery, and few enough for a minute in all.
const STEPS_OF_A_STAGE: u32 = 12;

/// Runs every scene of the set and compares the hashes of their states with the pinned ones; or lists the hashes.
pub fn selftest(list: bool) -> Result<Exit, Failure> {
    let mut differing = 0;
    for (name, text) in scenes() {
        let found = hash_at_end(name, text)?;
        if list {
            say(format_args!("{name} {found}"));
            continue;
        }
        let expected = pinned(name).unwrap_or("nothing");
        if found != expected {
            tell(format_args!("{name}: state hash {found}, expected {expected}"));
            differing += 1;
        }
    }
    if list {
        return Ok(Exit::Done);
    }
    let count = scenes().count();
    if differing == 0 {
        say(format_args!("{count} scenes: bit-identical to the reference"));
        return Ok(Exit::Done);
    }
    let (version, system, processor) = (env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH);
    Err(Failure::new(
        Exit::Differs,
        format!(
            "{differing} of {count} scenes end in a different state (riprap {version} on {system}, {processor}); results are equally accurate, but not bit-identical. Please report this with the lines above"
        ),
    ))
}

/// Names and texts of the set.
fn scenes() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEMPLATES.iter().map(|template| (template.name, template.text)).chain(OTHERS)
}

fn pinned(name: &str) -> Option<&'static str> {
    HASHES.lines().find_map(|line| line.split_once(' ').filter(|(own, _)| *own == name)).map(|(_, hash)| hash)
}

/// The hash of the state at the end of a run without files, all of whose stages end after a few steps at the latest.
fn hash_at_end(name: &str, text: &str) -> Result<String, Failure> {
    let file = format!("{name}.toml");
    let is_other = OTHERS.iter().any(|(other, _)| *other == name);
    let stages = if is_other { 0 } else { load(text, &file, &[])?.stages().len() };
    let ends: Vec<Override> = (0..stages)
        .map(|stage| Override { path: format!("stages.{stage}.end.steps"), value: STEPS_OF_A_STAGE.to_string() })
        .collect();
    let mut simulation = Simulation::new(load(text, &file, &ends)?)?;
    simulation.run(Until::End)?;
    Ok(state_hash(simulation.world()))
}
