//! Runs that are killed again and again, and have to end as if nothing had happened.
//!
//! Each trial is a scene, random or a template, run once undisturbed and once in processes that end at a write drawn at random
//! (`RIPRAP_FAULT`, docs/testing.md, "Crash points") and are resumed, on changing numbers of threads. State hash, tables and
//! snapshots have to be the same, byte for byte. Trials are numbered: the counts on disk say where to go on.

use crate::dice::Dice;
use crate::random_scene;
use crate::targets::scratch;
use riprap::templates::TEMPLATES;
use riprap_scene::load;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Steps of each stage of a template.
const STEPS_OF_A_STAGE: usize = 4;
/// Kills of one run at most.
const MOST_KILLS: usize = 4;
/// A run makes fewer calls that write than this.
const MOST_CALLS: f64 = 4000.0;

/// What was done with a seed.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    trials: u64,
    kills: u64,
    /// Trials that ended otherwise than undisturbed.
    failures: u64,
    cpu_seconds: f64,
}

/// Trials of the whole check.
const SHORT: u64 = 200;

/// Carries out `soak`.
pub fn soak(words: &[&str]) -> Result<(), String> {
    if words == ["--short"] {
        let told = |number| trial(1, number).map_err(|message| format!("trial {number} of seed 1: {message}"));
        let kills = (0..SHORT).map(told).sum::<Result<u64, String>>()?;
        println!("{SHORT} trials, {kills} kills, 0 failures");
        return Ok(());
    }
    let (mut hours, mut kills, mut seed) = (0.1, u64::MAX, 1);
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word {
            "--hours" => hours = value.parse().map_err(|_| "--hours needs a number")?,
            "--kills" => kills = value.parse().map_err(|_| "--kills needs a whole number")?,
            "--seed" => seed = value.parse().map_err(|_| "--seed needs a whole number")?,
            _ => return Err(format!("soak has no {word}")),
        }
    }
    let mut counts = Tally::read(seed);
    let before = counts;
    while counts.cpu_seconds - before.cpu_seconds < hours * 3600.0 && counts.kills - before.kills < kills {
        let began = children_seconds();
        match trial(seed, counts.trials) {
            Ok(more) => counts.kills += more,
            Err(message) => {
                counts.failures += 1;
                println!("trial {} of seed {seed}: {message}", counts.trials);
            }
        }
        counts.trials += 1;
        counts.cpu_seconds += children_seconds() - began;
        counts.write(seed)?;
    }
    let Tally { trials, kills, failures, cpu_seconds } = counts;
    println!("seed {seed}: {trials} trials, {kills} kills, {failures} failures, {cpu_seconds:.0} CPU seconds");
    let failed = failures - before.failures;
    if failed == 0 { Ok(()) } else { Err(format!("{failed} trials failed")) }
}

impl Tally {
    fn place(seed: u64) -> PathBuf {
        PathBuf::from(format!("target/soak/seed-{seed}"))
    }

    fn read(seed: u64) -> Tally {
        let text = fs::read_to_string(Tally::place(seed)).unwrap_or_default();
        let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [trials, kills, failures, cpu_seconds] => {
                Tally { trials: trials as u64, kills: kills as u64, failures: failures as u64, cpu_seconds }
            }
            _ => Tally::default(),
        }
    }

    fn write(&self, seed: u64) -> Result<(), String> {
        let Tally { trials, kills, failures, cpu_seconds } = self;
        let (path, text) = (Tally::place(seed), format!("{trials} {kills} {failures} {cpu_seconds:.1}\n"));
        let partial = path.with_extension("partial");
        fs::create_dir_all("target/soak")
            .and_then(|()| fs::write(&partial, text))
            .and_then(|()| fs::rename(&partial, &path))
            .map_err(|error| error.to_string())
    }
}

fn children_seconds() -> f64 {
    use nix::sys::resource::{UsageWho, getrusage};
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + 1e-6 * time.tv_usec() as f64;
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0.0, |usage| seconds(usage.user_time()) + seconds(usage.system_time()))
}

/// One trial; the number of kills, or what is wrong. A scene that is refused has none.
fn trial(seed: u64, number: u64) -> Result<u64, String> {
    let mut dice = Dice::new(seed, "soak", number);
    let place = scratch();
    let scene = place.path().join("scene.toml");
    let every = *dice.pick(&["0 s", "1 us", "1 h"]);
    let mut set = vec![format!("outputs.checkpoint_interval={every}")];
    let text = if dice.chance(0.3) {
        let template = dice.pick(TEMPLATES);
        let stages = load(template.text, template.name, &[]).map_err(|faults| faults.to_string())?.stages().len();
        set.extend((0..stages).map(|stage| format!("stages.{stage}.end.steps={STEPS_OF_A_STAGE}")));
        template.text.to_owned()
    } else {
        random_scene::scene(&mut dice)
    };
    fs::write(&scene, text).map_err(|error| error.to_string())?;
    let run = Run { folder: place.path(), set };
    // Scenes that are refused, and runs that end by an error of a step, are for the fuzzer.
    if run.begin("whole", None, 1)? != Some(0) {
        return Ok(0);
    }
    let whole = content(&place.path().join("whole"))?;
    let kills = run.killed(&mut dice)?;
    let found = content(&place.path().join("killed"))?;
    if !found.keys().eq(whole.keys()) {
        return Err(format!("other files: {:?} in place of {:?}", found.keys(), whole.keys()));
    }
    match found.iter().find(|(name, bytes)| whole[*name] != **bytes) {
        Some((name, _)) => Err(format!("{name} differs after {kills} kills")),
        None => Ok(kills),
    }
}

/// A scene in a folder, and the command.
struct Run<'a> {
    folder: &'a Path,
    set: Vec<String>,
}

impl Run<'_> {
    /// Calls the command; its exit code, none if it was killed.
    fn call(&self, words: &[&str], fault: Option<&str>, threads: usize) -> Result<Option<i32>, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.arg("riprap").args(words).args(["--quiet", "--threads", &threads.to_string()]).current_dir(self.folder);
        command.stdout(Stdio::null()).stderr(Stdio::null()).env_remove("RIPRAP_FAULT");
        if let Some(fault) = fault {
            command.env("RIPRAP_FAULT", fault);
        }
        Ok(command.status().map_err(|error| error.to_string())?.code())
    }

    fn begin(&self, name: &str, fault: Option<&str>, threads: usize) -> Result<Option<i32>, String> {
        let mut words = vec!["run", "scene.toml", "--out", name];
        for change in &self.set {
            words.extend(["--set", change.as_str()]);
        }
        self.call(&words, fault, threads)
    }

    /// Runs the scene with kills at random writes, and goes on to the end; the number of kills.
    fn killed(&self, dice: &mut Dice) -> Result<u64, String> {
        let mut kills = 0;
        let wanted = 1 + dice.below(MOST_KILLS);
        // Early writes and late ones alike: a call that the run does not reach does not kill it.
        let mut reach = MOST_CALLS;
        for _ in 0..wanted {
            let call = reach.powf(dice.between(0.0, 1.0)).ceil();
            let fault = format!("{call}:{}", dice.pick(&["kill-before", "kill-after"]));
            match self.go_on(Some(&fault), 1 + dice.below(4))? {
                None => kills += 1,
                Some(0) => {
                    reach = call.max(4.0);
                    if kills > 0 {
                        return Ok(kills);
                    }
                    fs::remove_dir_all(self.folder.join("killed")).map_err(|error| error.to_string())?;
                }
                Some(code) => return Err(format!("exit code {code} with the fault {fault}")),
            }
        }
        match self.go_on(None, 1 + dice.below(4))? {
            Some(0) => Ok(kills),
            code => Err(format!("exit code {code:?} at the end, after {kills} kills")),
        }
    }

    /// Resumes the run, or begins it if there is none yet.
    fn go_on(&self, fault: Option<&str>, threads: usize) -> Result<Option<i32>, String> {
        if self.folder.join("killed/scene.toml").exists() {
            self.call(&["resume", "killed"], fault, threads)
        } else {
            self.begin("killed", fault, threads)
        }
    }
}

/// What a run has found: the hash of its state, its tables and snapshots.
fn content(run: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let summary: serde_json::Value =
        serde_json::from_slice(&read(&run.join("summary.json"))?).map_err(|error| error.to_string())?;
    let mut found = BTreeMap::from([("state_hash".to_owned(), summary["state_hash"].to_string().into_bytes())]);
    for folder in [run.to_owned(), run.join("snapshots")] {
        for entry in fs::read_dir(&folder).map_err(|error| error.to_string())?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_file() && !["log.txt", "summary.json", ".room"].contains(&name.as_str()) {
                found.insert(name, read(&entry.path())?);
            }
        }
    }
    Ok(found)
}
