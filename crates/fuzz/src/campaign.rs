//! Inputs judged one after the other in a process of their own, whose end is a finding too.
//!
//! An input is a function of target, seed and number. So a campaign is resumed by the number alone, and a finding is made
//! again from it.

use crate::dice::Dice;
use crate::targets::{Entry, TARGETS, Verdict};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// The memory that an input may ask for; no input is longer than a tenth of a megabyte.
const MOST_MEMORY: u64 = 2 << 30;
/// The CPU time that an input may take, in seconds. The longest take a few; the rest is for machines that are slower.
const MOST_SECONDS: u64 = 60;
/// CPU seconds of a target's turn, where several take turns.
const TURN: u64 = 15;

/// What has been done of a target with a seed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counts {
    /// Inputs judged, which is the number of the next one.
    inputs: u64,
    /// Those that were accepted.
    accepted: u64,
    /// Those that are findings.
    findings: u64,
    cpu_seconds: f64,
}

/// Carries out `fuzz`.
pub fn fuzz(words: &[&str]) -> Result<(), String> {
    let mut chosen: Vec<&Entry> = Vec::new();
    let (mut minutes, mut seed, mut short, mut list) = (1.0, 1, false, false);
    let (mut file, mut number) = (None, None);
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word {
            "--minutes" => minutes = value()?.parse().map_err(|_| "--minutes needs a number")?,
            "--seed" => seed = value()?.parse().map_err(|_| "--seed needs a whole number")?,
            "--input" => number = Some(value()?.parse().map_err(|_| "--input needs a whole number")?),
            "--judge" => file = Some(PathBuf::from(value()?)),
            "--short" => short = true,
            "--list" => list = true,
            name => chosen.push(
                TARGETS.iter().find(|entry| entry.name == name).ok_or_else(|| format!("there is no target {name}"))?,
            ),
        }
    }
    if chosen.is_empty() {
        chosen = TARGETS.iter().collect();
    }
    match (file, number) {
        (Some(file), _) => judge_file(chosen[0], &file),
        (None, Some(number)) => {
            let input = (chosen[0].make)().input(&mut Dice::new(seed, chosen[0].name, number));
            std::io::stdout().write_all(&input).map_err(|error| error.to_string())
        }
        _ if list => {
            for entry in chosen {
                println!("{:<14} {}; so far {}", entry.name, entry.about, Counts::read(entry, seed).words());
            }
            Ok(())
        }
        _ if short => report(&chosen, |entry| Campaign::new(entry, 1, Counts::default(), false).inputs(entry.short)),
        _ => run_for(&chosen, seed, minutes * 60.0),
    }
}

/// Takes turns until the CPU time is used up.
fn run_for(chosen: &[&Entry], seed: u64, seconds: f64) -> Result<(), String> {
    let mut campaigns: Vec<Campaign> =
        chosen.iter().map(|entry| Campaign::new(entry, seed, Counts::read(entry, seed), true)).collect();
    let before: Vec<Counts> = campaigns.iter().map(|campaign| campaign.counts).collect();
    let used = |campaigns: &[Campaign]| -> f64 {
        campaigns.iter().zip(&before).map(|(now, before)| now.counts.cpu_seconds - before.cpu_seconds).sum()
    };
    let turn = (seconds / chosen.len() as f64).ceil().clamp(1.0, TURN as f64) as u64;
    while used(&campaigns) < seconds {
        for campaign in &mut campaigns {
            campaign.turn(u64::MAX, turn)?;
        }
    }
    let mut found = 0;
    for (campaign, before) in campaigns.iter().zip(&before) {
        println!("{:<14} {}", campaign.entry.name, campaign.counts.words());
        found += campaign.counts.findings - before.findings;
    }
    if found == 0 { Ok(()) } else { Err(format!("{found} findings")) }
}

/// Judges a fixed number of inputs of each target.
fn report(chosen: &[&Entry], run: impl Fn(&Entry) -> Result<Counts, String>) -> Result<(), String> {
    let mut found = 0;
    for entry in chosen {
        let counts = run(entry)?;
        println!("{:<14} {}", entry.name, counts.words());
        found += counts.findings;
    }
    if found == 0 { Ok(()) } else { Err(format!("{found} findings")) }
}

fn judge_file(entry: &Entry, file: &PathBuf) -> Result<(), String> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let verdict = (entry.make)().judge(&bytes)?;
    println!("{verdict:?}");
    Ok(())
}

impl Counts {
    fn place(entry: &Entry, seed: u64) -> PathBuf {
        PathBuf::from(format!("target/fuzz/seed-{seed}/{}", entry.name))
    }

    fn read(entry: &Entry, seed: u64) -> Counts {
        let text = fs::read_to_string(Counts::place(entry, seed)).unwrap_or_default();
        let mut numbers = text.split_whitespace();
        let mut next = || numbers.next().and_then(|word| word.parse::<f64>().ok()).unwrap_or_default();
        let [inputs, accepted, findings] = [next(), next(), next()].map(|number| number as u64);
        Counts { inputs, accepted, findings, cpu_seconds: next() }
    }

    fn write(&self, entry: &Entry, seed: u64) -> std::io::Result<()> {
        let path = Counts::place(entry, seed);
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        let Counts { inputs, accepted, findings, cpu_seconds } = self;
        let partial = path.with_extension("partial");
        fs::write(&partial, format!("{inputs} {accepted} {findings} {cpu_seconds:.1}\n"))?;
        fs::rename(partial, path)
    }

    fn words(&self) -> String {
        let Counts { inputs, accepted, findings, cpu_seconds } = self;
        format!("{inputs} inputs, {accepted} accepted, {findings} findings, {cpu_seconds:.0} CPU seconds")
    }
}

/// A target with a seed.
struct Campaign<'a> {
    entry: &'a Entry,
    seed: u64,
    counts: Counts,
    /// True if the counts are kept on disk.
    kept: bool,
    /// What was found, each once.
    messages: BTreeSet<String>,
}

impl<'a> Campaign<'a> {
    fn new(entry: &'a Entry, seed: u64, counts: Counts, kept: bool) -> Self {
        Campaign { entry, seed, counts, kept, messages: BTreeSet::new() }
    }

    /// Judges this many inputs.
    fn inputs(mut self, count: u64) -> Result<Counts, String> {
        let end = self.counts.inputs + count;
        while self.counts.inputs < end {
            self.turn(end - self.counts.inputs, u64::MAX)?;
        }
        Ok(self.counts)
    }

    /// Judges at most so many inputs, for so many seconds. An input that ends the worker is a finding.
    fn turn(&mut self, most: u64, seconds: u64) -> Result<(), String> {
        let end = self.counts.inputs.saturating_add(most);
        if self.worker(most, seconds, false)? {
            return Ok(());
        }
        // It has died since its last line. Another one says a line after every input, so that the one that does it is known.
        if !self.worker(end - self.counts.inputs, seconds, true)? {
            self.found(self.counts.inputs, "the process ends: an abort, memory or CPU time beyond the limits")?;
            self.counts.inputs += 1;
        }
        self.keep()
    }

    /// Starts a worker and hears what it says; false if it was killed.
    fn worker(&mut self, most: u64, seconds: u64, careful: bool) -> Result<bool, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let words = [self.seed, self.counts.inputs, most, seconds].map(|number| number.to_string());
        let mut child = Command::new(program)
            .args(["worker", self.entry.name])
            .args(words)
            .arg(if careful { "0" } else { "1" })
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let before = self.counts;
        for line in BufReader::new(child.stdout.take().ok_or("the worker is mute")?).lines().map_while(Result::ok) {
            let mut parts = line.splitn(4, ' ');
            match [parts.next(), parts.next(), parts.next(), parts.next()] {
                [Some("done"), Some(next), Some(accepted), Some(cpu)] => {
                    self.counts.inputs = next.parse().unwrap_or(self.counts.inputs);
                    self.counts.accepted = before.accepted + accepted.parse::<u64>().unwrap_or_default();
                    self.counts.cpu_seconds = before.cpu_seconds + cpu.parse::<f64>().unwrap_or_default();
                    self.keep()?;
                }
                [Some("finding"), Some(number), ..] => {
                    let number = number.parse().unwrap_or_default();
                    let message = line.splitn(3, ' ').nth(2).unwrap_or_default().to_owned();
                    self.found(number, &message)?;
                }
                _ => {}
            }
        }
        Ok(child.wait().map_err(|error| error.to_string())?.success())
    }

    fn keep(&self) -> Result<(), String> {
        if self.kept { self.counts.write(self.entry, self.seed).map_err(|error| error.to_string()) } else { Ok(()) }
    }

    /// Counts a finding, and shows and keeps it if it is a new one.
    fn found(&mut self, number: u64, message: &str) -> Result<(), String> {
        self.counts.findings += 1;
        if !self.messages.insert(message.to_owned()) {
            return Ok(());
        }
        let folder = PathBuf::from("target/fuzz/findings");
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let path = folder.join(format!("{}-{}-{number}", self.entry.name, self.seed));
        let input = (self.entry.make)().input(&mut Dice::new(self.seed, self.entry.name, number));
        fs::write(&path, input).map_err(|error| error.to_string())?;
        println!("finding: {}: {message}\n  {}", self.entry.name, path.display());
        Ok(())
    }
}

/// Where and why the last panic was.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Carries out `worker`: judges inputs of a seed from one number on, at most so many and for so many CPU seconds, and tells
/// of them at this interval.
pub fn work(name: &str, [seed, from, most, seconds, between_lines]: [u64; 5]) -> Result<(), String> {
    let entry = TARGETS.iter().find(|entry| entry.name == name).ok_or("there is no such target")?;
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut words) = PANIC.lock() {
            *words = panic.to_string().replace('\n', " ");
        }
    }));
    let mut target = (entry.make)();
    setrlimit(Resource::RLIMIT_AS, MOST_MEMORY, MOST_MEMORY).map_err(|error| error.to_string())?;
    let now = || riprap_run::cpu_seconds().unwrap_or_default();
    let (mut told, mut accepted) = (now(), 0_u64);
    let mut out = std::io::stdout().lock();
    let began = now();
    for number in from..from.saturating_add(most) {
        limit_cpu(now())?;
        let input = target.input(&mut Dice::new(seed, name, number));
        match catch_unwind(AssertUnwindSafe(|| target.judge(&input))) {
            Ok(Ok(verdict)) => accepted += u64::from(verdict == Verdict::Accepted),
            Ok(Err(message)) => {
                writeln!(out, "finding {number} {}", message.replace('\n', " ")).map_err(|error| error.to_string())?;
            }
            Err(_) => {
                let words = PANIC.lock().map(|words| words.clone()).unwrap_or_default();
                writeln!(out, "finding {number} {words}").map_err(|error| error.to_string())?;
                target = (entry.make)();
            }
        }
        let time = now();
        let ends = time - began >= seconds as f64 || number + 1 == from.saturating_add(most);
        if ends || time - told >= between_lines as f64 {
            writeln!(out, "done {} {accepted} {:.3}", number + 1, time - began).map_err(|error| error.to_string())?;
            told = time;
        }
        if ends {
            break;
        }
    }
    Ok(())
}

/// The next input may take its time from here on, and no longer.
fn limit_cpu(now: f64) -> Result<(), String> {
    let (_, hard) = getrlimit(Resource::RLIMIT_CPU).map_err(|error| error.to_string())?;
    setrlimit(Resource::RLIMIT_CPU, now.ceil() as u64 + MOST_SECONDS, hard).map_err(|error| error.to_string())
}
