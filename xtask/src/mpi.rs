//! Runs by several ranks, with the MPI that is there: the same state as that of one process.

use crate::cargo::{Outcome, call, is_installed};
use serde_json::Value;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const PROGRAM: &str = "target/release/riprap";
/// Where the runs are.
const FOLDER: &str = "target/mpi";
/// Scenes of all kinds, made short: balls and blocks, in the plane and in space, a loaded wall, rolling friction, and a cell
/// under pressure.
const SCENES: [(&str, &[&str]); 5] = [
    ("deposit", &["stages.0.end={ steps = 100 }"]),
    ("piston", &["stages.0.end={ steps = 60 }", "stages.1.end={ steps = 60 }"]),
    ("rolling-heap", &["stages.0.end={ steps = 60 }"]),
    ("polyhedra", &["grains.0.count=200", "stages.0.end={ steps = 60 }"]),
    ("isotropic-cell", &["stages.0.end={ steps = 40 }", "stages.1.end={ steps = 20 }"]),
];
/// How long a run whose rank was killed may take to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs scenes on one, two and three ranks, and one whose rank is killed.
pub fn check() -> Outcome {
    let Some(launcher) = launcher() else {
        println!("== there is no mpiexec (Debian: apt-get install openmpi-bin): runs by several ranks are not tested");
        return Ok(());
    };
    println!("== runs by several ranks, with {}", launcher[0]);
    call("cargo", &["build", "--locked", "--release", "--package", "riprap-cli"])?;
    let _ = fs::remove_dir_all(FOLDER);
    fs::create_dir_all(FOLDER).map_err(|error| format!("{FOLDER}: {error}"))?;
    for (scene, changes) in SCENES {
        let run = |ranks: usize| {
            let path = format!("{FOLDER}/{scene}-{ranks}");
            started(&launcher, ranks, &arguments(scene, &path, changes))?.wait().map_err(|error| error.to_string())?;
            Ok::<_, String>(end_of(&path)?.1)
        };
        let alone = run(1)?;
        for ranks in [2, 3] {
            let found = run(ranks)?;
            if found != alone {
                return Err(format!("{scene}: {ranks} ranks end in the state {found}, and one in {alone}"));
            }
        }
        println!("   {scene}: {alone} on 1, 2 and 3 ranks");
    }
    killed(&launcher)
}

/// The command line of a run.
fn arguments<'a>(scene: &str, path: &'a str, changes: &[&'a str]) -> Vec<String> {
    let mut arguments = vec!["run", "--quiet", "--threads", "1", "--out", path];
    arguments.extend(changes.iter().flat_map(|change| ["--set", change]));
    let scene = format!("scenes/{scene}.toml");
    arguments.into_iter().map(str::to_owned).chain([scene]).collect()
}

/// A run of two ranks, one of which is killed: it ends soon, and goes on with three from its last checkpoint. When its time is
/// up, it is in the state of a run in one process of as many steps.
fn killed(launcher: &[String]) -> Outcome {
    let path = format!("{FOLDER}/killed");
    let endless = "stages.0.end={ steps = 1000000 }";
    let mut run = started(launcher, 2, &arguments("deposit", &path, &[endless]))?;
    let began = Instant::now();
    let victim = loop {
        // Not before there is something to go on from.
        let is_under_way = fs::read_dir(format!("{path}/checkpoints")).is_ok_and(|files| files.count() > 0);
        if let (true, Some(&rank)) = (is_under_way, ranks_of(&path).last()) {
            break rank;
        }
        if began.elapsed() > PATIENCE {
            return Err("the run that was to be killed did not begin".into());
        }
        sleep(Duration::from_millis(20));
    };
    sleep(Duration::from_millis(500));
    call("sh", &["-c", &format!("kill -KILL {victim}")])?;
    let killed = Instant::now();
    while run.try_wait().map_err(|error| error.to_string())?.is_none() {
        if killed.elapsed() > PATIENCE {
            return Err("a run whose rank was killed goes on".into());
        }
        sleep(Duration::from_millis(20));
    }
    println!("   a run ended {:.1} s after one of its ranks was killed", killed.elapsed().as_secs_f64());
    let resume = ["resume", &path, "--quiet", "--threads", "1", "--max-wall", "3s"].map(str::to_owned);
    started(launcher, 3, &resume)?.wait().map_err(|error| error.to_string())?;
    let (steps, found) = end_of(&path)?;
    let (path, end) = (format!("{FOLDER}/whole"), format!("stages.0.end={{ steps = {steps} }}"));
    started(launcher, 1, &arguments("deposit", &path, &[&end]))?.wait().map_err(|error| error.to_string())?;
    match end_of(&path)?.1 {
        whole if whole == found => {
            println!("   killed and resumed with three ranks, after {steps} steps: {found}, as in one process");
            Ok(())
        }
        whole => Err(format!(
            "killed and resumed with three ranks, it is in the state {found} after {steps} steps, not in {whole}"
        )),
    }
}

/// The processes of the program whose command line has this path, from the oldest on.
fn ranks_of(path: &str) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut found: Vec<u32> = processes
        .filter_map(|process| process.file_name().to_str()?.parse().ok())
        .filter(|process| {
            let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            let words: Vec<&[u8]> = line.split(|&byte| byte == 0).collect();
            words[0].ends_with(PROGRAM.as_bytes()) && words.contains(&path.as_bytes())
        })
        .collect();
    found.sort_unstable();
    found
}

fn started(launcher: &[String], ranks: usize, arguments: &[String]) -> Result<Child, String> {
    let mut command = Command::new(if ranks == 1 { PROGRAM } else { &launcher[0] });
    if ranks > 1 {
        command.args(&launcher[1..]).args(["-n", &ranks.to_string(), PROGRAM]);
    }
    command.args(arguments).stdout(Stdio::null()).stdin(Stdio::null());
    command.spawn().map_err(|error| format!("{PROGRAM}: {error}"))
}

/// The steps of a run that has ended, and its state.
fn end_of(folder: &str) -> Result<(u64, String), String> {
    let file = format!("{folder}/summary.json");
    let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let summary: Value = serde_json::from_str(&text).map_err(|error| format!("{file}: {error}"))?;
    match (summary["steps"].as_u64(), summary["state_hash"].as_str()) {
        (Some(steps), Some(hash)) if summary["status"] != "failed" => Ok((steps, hash.to_owned())),
        _ => Err(format!("{file}: the run has failed")),
    }
}

/// What starts ranks, with its options. The hosted check installs Debian's where there is none.
fn launcher() -> Option<Vec<String>> {
    let is_there = || is_installed("mpiexec", &["--version"]);
    if !is_there() && std::env::var_os("CI").is_some() && is_installed("apt-get", &["--version"]) {
        let installed = call("apt-get", &["update", "--quiet", "--quiet"])
            .and_then(|()| call("apt-get", &["install", "--yes", "--quiet", "--quiet", "openmpi-bin"]));
        if let Err(message) = installed {
            println!("== {message}");
        }
    }
    if !is_there() {
        return None;
    }
    let version = crate::cargo::output("mpiexec", &["--version"]).unwrap_or_default();
    // Open MPI refuses to start more ranks than cores, and for root, unless it is told to.
    let options: &[&str] =
        if version.contains("Open") { &["--oversubscribe", "--allow-run-as-root", "--bind-to", "none"] } else { &[] };
    Some([&["mpiexec"], options].concat().into_iter().map(str::to_owned).collect())
}
