//! Runs by the library: stepped in all ways they end in the same bits as in one go, and write what they say.

mod breaking;
mod extremes;
mod failing;
mod openings;
mod ranks;
mod templates;

use riprap_engine::{BodyId, GrainTable, for_any_world};
use riprap_run::{
    Interrupt, Listener, Output, PreparedScene, Progress, RunError, RunFolder, RunOptions, Simulation, Status, Stop,
    Until,
};
use riprap_scene::Scene;
use riprap_store::state_hash;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// Some disks fall into a box, in two stages of 60 steps; checkpoints are written at their ends only, however long they take.
const SCENE: &str = concat!(include_str!("../disks.toml"), "checkpoint_interval = 1e9\n");

fn scene() -> Scene {
    riprap_scene::load(SCENE, "disks.toml", &[]).unwrap()
}

fn prepared() -> PreparedScene {
    PreparedScene::new(scene(), Path::new("")).unwrap()
}

fn position(simulation: &Simulation) -> (u64, f64) {
    for_any_world!(simulation.world(), world => (world.state.step, world.state.time))
}

/// The state at the end of a run in one go.
fn reference() -> String {
    let mut simulation = Simulation::new(scene()).unwrap();
    assert_eq!(simulation.run(Until::End).unwrap(), Stop::Finished);
    state_hash(simulation.world())
}

/// A folder of its own for each test, removed at the end.
struct Place {
    path: PathBuf,
    _parent: TempDir,
}

impl Place {
    fn new() -> Self {
        let parent = tempfile::tempdir().unwrap();
        Place { path: parent.path().join("run"), _parent: parent }
    }

    fn folder(&self) -> RunFolder {
        RunFolder::named(&self.path, false).unwrap()
    }
}

/// Hears everything.
#[derive(Clone, Default)]
struct Ear {
    heard: Arc<Mutex<Heard>>,
}

#[derive(Default)]
struct Heard {
    notes: Vec<String>,
    steps: u64,
    last: Progress,
    ended: bool,
}

impl Listener for Ear {
    fn note(&mut self, text: &str) {
        self.heard.lock().unwrap().notes.push(text.into());
    }
    fn step(&mut self, progress: &mut dyn FnMut() -> Progress) {
        let mut heard = self.heard.lock().unwrap();
        heard.steps += 1;
        heard.last = progress();
    }
    fn end(&mut self) {
        self.heard.lock().unwrap().ended = true;
    }
}

#[test]
fn a_run_stepped_in_all_ways_ends_in_the_same_bits() {
    let mut simulation = Simulation::new(scene()).unwrap();
    assert!(simulation.report().is_none());
    assert_eq!(simulation.step().unwrap().step, 1);
    assert_eq!(simulation.run(Until::Steps(9)).unwrap(), Stop::Reached);
    assert_eq!(position(&simulation).0, 10);
    assert_eq!(simulation.run(Until::Time(0.012)).unwrap(), Stop::Reached);
    assert_eq!(position(&simulation).0, 24);
    assert_eq!(simulation.run(Until::StageEnd).unwrap(), Stop::Reached);
    assert_eq!((position(&simulation).0, simulation.stage(), simulation.is_finished()), (60, 1, false));
    // A time that is past is reached, and so are no steps.
    assert_eq!(simulation.run(Until::Time(0.012)).unwrap(), Stop::Reached);
    assert_eq!(simulation.run(Until::Steps(0)).unwrap(), Stop::Reached);
    assert_eq!(position(&simulation).0, 60);
    assert_eq!(simulation.run(Until::StageEnd).unwrap(), Stop::Finished);
    assert_eq!(simulation.run(Until::End).unwrap(), Stop::Finished);
    assert!(simulation.is_finished());
    assert!(matches!(simulation.step(), Err(RunError::HasFinished)));
    assert_eq!(simulation.report().unwrap().step, 120);
    assert!(simulation.totals().all_stages().sweeps > 0.0);
    assert_eq!(state_hash(simulation.world()), reference());
    let outcome = simulation.end().unwrap();
    assert_eq!((outcome.status, &outcome.summary["steps"]), (Status::Completed, &120.into()));
}

#[test]
fn a_condition_ends_a_run_and_may_change_the_world() {
    let mut simulation = Simulation::new(scene()).unwrap();
    let mut fastest = 0.0_f64;
    let stop = simulation.run_while(Until::End, |simulation, report| {
        fastest = fastest.max(report.max_speed);
        if report.step == 10 {
            for_any_world!(simulation.world_mut(), world => world.state.velocity.iter_mut().for_each(|v| *v *= 0.0));
        }
        report.step < 15
    });
    assert_eq!(stop.unwrap(), Stop::Reached);
    let report = simulation.report().unwrap();
    // They fall at 9.81 m/s² for 5 ms, and from rest again for 2.5 ms.
    assert!(fastest > 0.04 && report.max_speed < 0.03, "{fastest} {}", report.max_speed);
    assert_eq!(report.step, 15);
}

#[test]
fn a_run_without_files_writes_nothing_and_says_the_same() {
    let place = Place::new();
    let ears = [Ear::default(), Ear::default()];
    let options = |ear: &Ear| RunOptions { listener: Box::new(ear.clone()), ..RunOptions::default() };
    let mut silent = Simulation::without_files(prepared(), options(&ears[0])).unwrap();
    assert!(silent.folder().is_none());
    silent.run(Until::End).unwrap();
    let silent = silent.end().unwrap();
    let mut kept = Simulation::begin(prepared(), place.folder(), options(&ears[1])).unwrap();
    kept.run(Until::End).unwrap();
    let kept = kept.end().unwrap();
    assert_eq!(silent.summary["state_hash"], kept.summary["state_hash"]);
    assert_eq!(silent.summary["worst_residual"], kept.summary["worst_residual"]);
    assert!(kept.words.contains("results in") && !silent.words.contains("results in"));
    let [silent, kept] = ears.map(|ear| std::mem::take(&mut *ear.heard.lock().unwrap()));
    let folder = place.path.display().to_string();
    let without_folder: Vec<&String> = kept.notes.iter().filter(|note| !note.contains(&folder)).collect();
    assert_eq!((silent.notes.iter().collect::<Vec<_>>(), kept.notes.len()), (without_folder, silent.notes.len() + 1));
    assert!(silent.notes[0].contains("a few disks in a box (disks.toml)"), "{:?}", silent.notes);
    assert_eq!((silent.steps, silent.ended), (120, true));
    assert_eq!((silent.last.step, silent.last.stage.as_str(), silent.last.last_stage), (120, "settle", true));
    assert_eq!(silent.last.total_time, Some(0.06));
    assert_eq!(silent.last.fraction, Some(1.0));
}

#[test]
fn an_interrupted_run_is_resumed_to_the_same_bits() {
    let place = Place::new();
    let interrupt = Interrupt::default();
    let options = RunOptions { interrupt: interrupt.clone(), ..RunOptions::default() };
    let mut simulation = Simulation::begin(prepared(), place.folder(), options).unwrap();
    simulation.run(Until::Steps(70)).unwrap();
    assert!(!interrupt.ask() && interrupt.ask());
    assert_eq!(simulation.run(Until::End).unwrap(), Stop::Interrupted);
    assert_eq!(position(&simulation).0, 71);
    let folder = simulation.folder().unwrap().clone();
    // Nobody else may write there meanwhile, and a summary comes with the end.
    assert!(matches!(Simulation::resume(folder.clone(), RunOptions::default()), Err(RunError::Busy { .. })));
    assert_eq!(folder.status(), None);
    assert_eq!(simulation.end().unwrap().status, Status::Interrupted);
    assert_eq!(folder.status().as_deref(), Some("interrupted"));
    assert_eq!(for_any_world!(&folder.world().unwrap(), world => world.state.step), 71);
    assert_eq!(folder.listed_snapshots().unwrap().last().unwrap().step, 71);

    let mut resumed = Simulation::resume(folder.clone(), RunOptions::default()).unwrap().expect("it is not completed");
    assert_eq!((position(&resumed).0, resumed.stage()), (71, 1));
    resumed.run(Until::End).unwrap();
    assert_eq!(state_hash(resumed.world()), reference());
    assert_eq!(resumed.end().unwrap().summary["steps"], 120);
    assert!(Simulation::resume(folder, RunOptions::default()).unwrap().is_none());
}

#[test]
fn a_run_that_is_dropped_goes_on_from_its_last_checkpoint() {
    let place = Place::new();
    let mut simulation = Simulation::begin(prepared(), place.folder(), RunOptions::default()).unwrap();
    simulation.run(Until::Steps(80)).unwrap();
    let folder = simulation.folder().unwrap().clone();
    drop(simulation);
    assert_eq!(folder.status(), None);
    let mut resumed = Simulation::resume(folder, RunOptions::default()).unwrap().expect("it is not completed");
    // The end of the first stage.
    assert_eq!(position(&resumed).0, 60);
    resumed.run(Until::End).unwrap();
    assert_eq!(state_hash(resumed.world()), reference());
}

#[test]
fn a_failed_run_says_what_is_safe_and_goes_no_further() {
    let place = Place::new();
    let mut simulation = Simulation::begin(prepared(), place.folder(), RunOptions::default()).unwrap();
    simulation.run(Until::Steps(5)).unwrap();
    for_any_world!(simulation.world_mut(), world => world.state.velocity[3] *= f64::NAN);
    let error = simulation.run(Until::End).unwrap_err();
    assert!(matches!(&error, RunError::Failed { cause, .. } if matches!(**cause, RunError::Step { .. })), "{error:?}");
    let message = error.to_string();
    assert!(message.contains("grain 3") && message.contains("the last good checkpoint is"), "{message}");
    assert!(matches!(simulation.step(), Err(RunError::HasFailed)));
    assert!(matches!(simulation.run(Until::End), Err(RunError::HasFailed)));
    assert!(matches!(simulation.end(), Err(RunError::HasFailed)));
    assert_eq!(RunFolder::existing(&place.path).unwrap().status().as_deref(), Some("failed"));
}

#[test]
fn contact_problems_that_are_asked_for_are_written() {
    let place = Place::new();
    let output = Output { folder: place.folder(), problems: vec![60..=61, 500..=500] };
    let mut simulation = Simulation::begin(prepared(), output, RunOptions::default()).unwrap();
    simulation.run(Until::Steps(62)).unwrap();
    let summary = simulation.end().unwrap().summary;
    assert_eq!(summary["problems_written"], 2);
    assert!(place.path.join("problems/step-000061.hdf5").is_file());
    assert!(fs::read_to_string(place.path.join("log.txt")).unwrap().contains("500"));
}

#[test]
fn measurements_have_an_interval_of_their_own() {
    let times = |line: &str| {
        let place = Place::new();
        let text = format!("{SCENE}measure = [\"coordination\"]\n{line}");
        let scene = riprap_scene::load(&text, "disks.toml", &[]).unwrap();
        let prepared = PreparedScene::new(scene, Path::new("")).unwrap();
        let mut simulation = Simulation::begin(prepared, place.folder(), RunOptions::default()).unwrap();
        simulation.run(Until::End).unwrap();
        simulation.end().unwrap();
        let rows = fs::read_to_string(place.path.join("measures.csv")).unwrap();
        let mut times: Vec<i64> = rows
            .lines()
            .skip(1)
            .map(|row| (1e3 * row.split(',').nth(1).unwrap().parse::<f64>().unwrap()).round() as i64)
            .collect();
        times.dedup();
        times
    };
    assert_eq!(times("measure_interval = \"10 ms\""), [10, 20, 30, 40, 50, 60]);
    assert_eq!(times(""), [15, 30, 45, 60], "as often as snapshots");
}

/// The rows of `walls.csv` of a run of the scene with other rows per time, stopped and resumed after each of `stops`.
fn walls_of(interval: &str, stops: &[u64]) -> String {
    let place = Place::new();
    let text = SCENE.replace("series_interval = \"1 ms\"", &format!("series_interval = \"{interval}\""));
    let scene = riprap_scene::load(&text, "disks.toml", &[]).unwrap();
    let prepared = PreparedScene::new(scene, Path::new("")).unwrap();
    let mut simulation = Simulation::begin(prepared, place.folder(), RunOptions::default()).unwrap();
    for &step in stops {
        let done = position(&simulation).0;
        simulation.run(Until::Steps(step - done)).unwrap();
        simulation.end().unwrap();
        let folder = RunFolder::existing(&place.path).unwrap();
        simulation = Simulation::resume(folder, RunOptions::default()).unwrap().expect("it is not completed");
    }
    simulation.run(Until::End).unwrap();
    simulation.end().unwrap();
    fs::read_to_string(place.path.join("walls.csv")).unwrap()
}

/// The numbers of a column of the wall `box.bottom`.
fn of_floor(walls: &str, column: &str) -> Vec<f64> {
    let names: Vec<&str> = walls.lines().next().unwrap().split(',').collect();
    let place = names.iter().position(|name| *name == column).unwrap_or_else(|| panic!("{column} in {names:?}"));
    let rows = walls.lines().skip(1).map(|row| row.split(',').collect::<Vec<_>>());
    rows.filter(|row| row[2] == "box.bottom").map(|row| row[place].parse().unwrap()).collect()
}

#[test]
fn means_of_wall_loads_are_those_of_all_steps_since_the_last_row() {
    let (every, tenth) = (walls_of("0 s", &[]), walls_of("5 ms", &[]));
    for (column, mean) in
        [("force_y_N", "mean_force_y_N"), ("force_x_N", "mean_force_x_N"), ("power_W", "mean_power_W")]
    {
        let (single, means) = (of_floor(&every, column), of_floor(&tenth, mean));
        assert_eq!((single.len(), means.len()), (120, 12));
        let same = |mean: f64, expected: f64| {
            assert!((mean - expected).abs() <= 1e-12 * expected.abs(), "{mean} and {expected}");
        };
        of_floor(&every, mean).into_iter().zip(&single).for_each(|(mean, step)| same(mean, *step));
        single.chunks(10).zip(means).for_each(|(steps, mean)| same(mean, steps.iter().sum::<f64>() / 10.0));
    }
    let (single, means) = (of_floor(&tenth, "force_y_N"), of_floor(&tenth, "mean_force_y_N"));
    assert_ne!(single, means);
}

#[test]
fn means_of_wall_loads_are_the_same_after_a_resume_between_rows() {
    assert_eq!(walls_of("5 ms", &[33, 47, 99]), walls_of("5 ms", &[]));
}

/// A run of the scene in a folder, with these changes of its text.
fn begin_with(place: &Place, problems: Vec<std::ops::RangeInclusive<u64>>, changes: &[[&str; 2]]) -> Simulation {
    let text = changes.iter().fold(SCENE.to_string(), |text, [from, to]| text.replace(from, to));
    let scene = riprap_scene::load(&text, "disks.toml", &[]).unwrap();
    let prepared = PreparedScene::new(scene, Path::new("")).unwrap();
    Simulation::begin(prepared, Output { folder: place.folder(), problems }, RunOptions::default()).unwrap()
}

/// Hardly a step converges.
const HARD: [&str; 2] = ["criterion = { residual = 1e-3 }", "max_sweeps = 1\ncriterion = { residual = 1e-13 }"];

#[test]
fn a_problem_that_nobody_asked_for_does_not_end_the_run_if_it_cannot_be_written() {
    let place = Place::new();
    let mut simulation = begin_with(&place, Vec::new(), &[HARD]);
    fs::write(place.path.join("problems"), "no folder").unwrap();
    assert_eq!(simulation.run(Until::End).unwrap(), Stop::Finished);
    let log = fs::read_to_string(place.path.join("log.txt")).unwrap();
    assert_eq!(log.matches("could not be saved").count(), 10, "{log}");

    let place = Place::new();
    let mut simulation = begin_with(&place, vec![1..=100], &[HARD]);
    fs::write(place.path.join("problems"), "no folder").unwrap();
    assert!(simulation.run(Until::End).unwrap_err().is_of_writing(), "one that was asked for");
}

#[test]
fn a_periodic_cell_that_shrinks_too_far_ends_the_run_before_grains_meet_themselves() {
    for change in ["rate = -2", "pressure = 1e5"] {
        let place = Place::new();
        let scene = format!(
            "dimension = 3\nseed = 2\n[domain]\ngravity = 0\nperiodic = {{ x = 1, y = 1, z = 1 }}\n\
             [materials.a]\ndensity = 1000\nfriction = 0.3\n[cell]\ny = {{ {change} }}\n\
             [[grains]]\nsample = \"random\"\ncount = 4\nradius = 0.06\n\
             [[stages]]\nname = \"one\"\nend = {{ steps = 100000 }}\n[outputs]\nsnapshot_interval = 1e30\n"
        );
        let scene = riprap_scene::load(&scene, "cell.toml", &[]).unwrap();
        let prepared = PreparedScene::new(scene, Path::new("")).unwrap();
        let mut simulation = Simulation::begin(prepared, place.folder(), RunOptions::default()).unwrap();
        let message = simulation.run(Until::End).unwrap_err().to_string();
        let expected = "its period along y is";
        assert!(message.contains(expected) && message.contains("one and a half diameters"), "{change}: {message}");
        assert!(simulation.totals().worst_momentum_error < 1e-9, "{change}");
    }
}

#[test]
fn a_run_that_goes_on_is_never_replaced() {
    let place = Place::new();
    let mut simulation = Simulation::begin(prepared(), place.folder(), RunOptions::default()).unwrap();
    simulation.run(Until::Steps(3)).unwrap();
    assert!(matches!(RunFolder::named(&place.path, true), Err(RunError::Busy { .. })));
    simulation.run(Until::End).unwrap();
    assert_eq!(simulation.end().unwrap().status, Status::Completed);
    assert!(place.path.join("summary.json").is_file());

    // A folder that was made for a run is claimed before that run begins.
    let folder = RunFolder::named(&place.path, true).unwrap();
    assert!(matches!(RunFolder::named(&place.path, true), Err(RunError::Busy { .. })));
    drop(folder);
    RunFolder::named(&place.path, true).unwrap();
}

#[test]
fn a_folder_whose_run_was_killed_before_it_kept_its_scene_can_be_used() {
    let place = Place::new();
    // Everything is as such a kill leaves it: an empty log and empty folders.
    drop(place.folder());
    let mut simulation = Simulation::begin(prepared(), place.folder(), RunOptions::default()).unwrap();
    simulation.run(Until::Steps(1)).unwrap();
}

#[test]
#[cfg(unix)]
fn a_link_in_the_place_of_a_file_leads_nowhere() {
    let place = Place::new();
    let elsewhere = place.path.with_file_name("elsewhere");
    fs::create_dir_all(&place.path).unwrap();
    std::os::unix::fs::symlink(&elsewhere, place.path.join("log.txt")).unwrap();
    assert!(matches!(RunFolder::named(&place.path, false), Err(RunError::WouldOverwrite { .. })));
    let folder = RunFolder::named(&place.path, true).unwrap();
    drop(Simulation::begin(prepared(), folder, RunOptions::default()).unwrap());
    assert!(!elsewhere.exists());
}

#[test]
fn all_that_any_run_writes_goes_with_it() {
    let place = Place::new();
    let everything = "[outputs]\nmeasure = [\"coordination\"]\nsnapshot_formats = [\"h5\", \"vtp\", \"csv\", \"xyz\"]";
    let mut simulation = begin_with(&place, vec![1..=1], &[HARD, ["[outputs]", everything]]);
    simulation.run(Until::Steps(70)).unwrap();
    simulation.end().unwrap();
    fs::write(place.path.join("loading.csv"), "of a run with a cell").unwrap();
    fs::write(place.path.join("notes.txt"), "of the user").unwrap();
    drop(RunFolder::named(&place.path, true).unwrap());
    let mut left: Vec<_> = fs::read_dir(&place.path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["checkpoints", "log.txt", "notes.txt", "snapshots"]);
    assert!(fs::read(place.path.join("log.txt")).unwrap().is_empty());
}

#[test]
fn no_folder_is_taken_twice() {
    let place = Place::new();
    let simulation = Simulation::begin(prepared(), place.folder(), RunOptions::default()).unwrap();
    drop(simulation);
    assert!(matches!(RunFolder::named(&place.path, false), Err(RunError::Occupied { .. })));
    // What another run has left there goes, whatever its scene wrote.
    fs::write(place.path.join("loading.csv"), "old").unwrap();
    let folder = RunFolder::named(&place.path, true).unwrap();
    assert!(!folder.loading().exists() && !folder.scene().exists());
    drop(folder);
    assert!(matches!(RunFolder::existing(&place.path), Err(RunError::NotARun { .. })));
    assert!(matches!(RunFolder::existing(Path::new("no such folder")), Err(RunError::NoFolder { .. })));
}

/// A lid comes down in the second stage of the scene.
fn with_lid() -> PreparedScene {
    let lid = "[[walls]]\nname = \"lid\"\nshape = \"plane\"\npoint = [0, \"40 mm\"]\nnormal = [0, -1]\n[[grains]]";
    let drivers = "name = \"settle\"\ndrivers = [{ wall = \"lid\", y = { velocity = -0.1 } }]\n";
    let text = SCENE.replace("[[grains]]", lid).replace("name = \"settle\"\n", drivers);
    PreparedScene::new(riprap_scene::load(&text, "lid.toml", &[]).unwrap(), Path::new("")).unwrap()
}

/// A grain less, one that is smaller, and two more of which one leaves again.
fn change(simulation: &mut Simulation) {
    simulation.control().unwrap();
    let position = vec![[5e-3, 34e-3, 0.0], [5e-3, 37e-3, 0.0]];
    let balls = GrainTable { position, radius: vec![1e-3, 0.8e-3], ..GrainTable::default() };
    let ids = simulation.add_grains(balls).unwrap();
    simulation.change_ball(BodyId(7), 0.9e-3, 0).unwrap();
    for id in [BodyId(3), ids[0]] {
        for_any_world!(simulation.world_mut(), world => drop(world.remove(id).unwrap()));
    }
    assert!(simulation.change_ball(BodyId(3), 1e-3, 0).is_err(), "it is gone");
}

#[test]
fn a_run_whose_grains_were_changed_goes_on_to_the_same_bits_and_finds_its_walls() {
    let begun = |simulation: &mut Simulation| {
        simulation.run(Until::Steps(40)).unwrap();
        change(simulation);
        simulation.run(Until::Steps(30)).unwrap();
    };
    let mut whole = Simulation::without_files(with_lid(), RunOptions::default()).unwrap();
    begun(&mut whole);
    whole.run(Until::End).unwrap();
    let lid = for_any_world!(whole.world(), world => {
        let lid = world.wall("lid").unwrap();
        riprap_engine::Vector::get(world.state.position[lid as usize], 1)
    });
    assert!((lid - 37e-3).abs() < 1e-9, "the lid was driven, at {lid} m");

    let place = Place::new();
    let mut simulation = Simulation::begin(with_lid(), place.folder(), RunOptions::default()).unwrap();
    begun(&mut simulation);
    simulation.pause().unwrap();
    assert_eq!(RunFolder::existing(&place.path).unwrap().status().as_deref(), Some("interrupted"));
    simulation.run(Until::Steps(5)).unwrap();
    simulation.end().unwrap();
    let folder = || RunFolder::existing(&place.path).unwrap();
    let refused = Simulation::resume(folder(), RunOptions::default());
    assert!(matches!(refused, Err(RunError::Controlled { .. })));
    let controls = RunOptions { controls: true, ..RunOptions::default() };
    let mut resumed = Simulation::resume(folder(), controls).unwrap().expect("it is not completed");
    assert_eq!(position(&resumed).0, 75);
    resumed.run(Until::End).unwrap();
    assert_eq!(state_hash(resumed.world()), state_hash(whole.world()));
}

#[test]
fn a_change_that_fails_halfway_changes_nothing() {
    let mut simulation = Simulation::new(scene()).unwrap();
    simulation.run(Until::Steps(40)).unwrap();
    let before = state_hash(simulation.world());
    let failed: Result<(), &str> = simulation.attempt(|simulation| {
        change(simulation);
        Err("on purpose")
    });
    assert_eq!(failed, Err("on purpose"));
    assert_eq!(state_hash(simulation.world()), before);
    let unknown = GrainTable {
        position: vec![[0.0; 3]],
        radius: vec![1e-3],
        material: vec!["cheese".into()],
        ..Default::default()
    };
    assert!(matches!(simulation.add_grains(unknown), Err(RunError::Scene(_))));
}

/// The last stage of a complete run is given more time, twice.
#[test]
fn a_run_that_is_made_longer_ends_in_the_bits_of_a_longer_run() {
    let hash = |simulation: &Simulation| state_hash(simulation.world());
    let longer = SCENE.replacen("30 ms", "LONG", 2).replacen("LONG", "30 ms", 1).replacen("LONG", "55 ms", 1);
    let scene = riprap_scene::load(&longer, "disks.toml", &[]).unwrap();
    let mut whole = Simulation::new(scene).unwrap();
    whole.run(Until::End).unwrap();

    let place = Place::new();
    let mut simulation = Simulation::begin(prepared(), place.folder(), RunOptions::default()).unwrap();
    simulation.run(Until::Steps(70)).unwrap();
    let folder = || RunFolder::existing(&place.path).unwrap();
    simulation.end().unwrap();
    let early = Simulation::extend(folder(), 0.01, RunOptions::default()).unwrap_err();
    assert!(early.to_string().contains("not complete"), "{early}");
    let mut simulation = Simulation::resume(folder(), RunOptions::default()).unwrap().unwrap();
    simulation.run(Until::End).unwrap();
    simulation.end().unwrap();
    for longer in [0.01, 0.015] {
        let mut simulation = Simulation::extend(folder(), longer, RunOptions::default()).unwrap();
        assert!(!simulation.is_finished() && !folder().is_complete());
        // It may be interrupted like any other.
        simulation.run(Until::Steps(5)).unwrap();
        simulation.end().unwrap();
        let mut simulation = Simulation::resume(folder(), RunOptions::default()).unwrap().unwrap();
        simulation.run(Until::End).unwrap();
        if longer == 0.015 {
            assert_eq!((position(&simulation).0, hash(&simulation)), (position(&whole).0, hash(&whole)));
        }
        simulation.end().unwrap();
    }
    assert!(folder().is_complete());
    let rows = fs::read_to_string(folder().series()).unwrap().lines().count();
    assert_eq!(rows, 1 + 85, "a row for every millisecond");
}

/// A drum that turns from rest: `α = ½ a t²` for a spin that grows as `a t`.
#[test]
fn walls_csv_has_the_angle_and_spin_of_a_wall_that_turns() {
    let text = r#"
dimension = 2
[materials.glass]
density = 2500
friction = 0.5
[[walls]]
name = "drum"
shape = "drum"
centre = [0, 0]
radius = 1
[[grains]]
sample = "list"
positions = [[0, -0.9]]
radius = 0.1
[solver]
time_step = "1 ms"
[[drivers]]
wall = "drum"
rotation = { velocity = { ramp = { to = "2 rad/s", duration = 1 } } }
[[stages]]
name = "turn"
end = { time = "0.5 s" }
[outputs]
snapshot_formats = ["csv"]
"#;
    let place = Place::new();
    let scene = riprap_scene::load(text, "drum.toml", &[]).unwrap();
    let prepared = PreparedScene::new(scene, Path::new("")).unwrap();
    let mut simulation = Simulation::begin(prepared, place.folder(), RunOptions::default()).unwrap();
    simulation.run(Until::End).unwrap();
    simulation.end().unwrap();
    let table = fs::read_to_string(place.path.join("walls.csv")).unwrap();
    let column = |name: &str| table.lines().next().unwrap().split(',').position(|other| other == name).unwrap();
    let last: Vec<&str> = table.lines().last().unwrap().split(',').collect();
    let value = |name: &str| last[column(name)].parse::<f64>().unwrap();
    // Drivers are evaluated at the middle of the step.
    assert!((value("spin_rad_s") - 2.0 * 0.4995).abs() < 1e-9, "{}", value("spin_rad_s"));
    assert!((value("angle_rad") - 0.25).abs() < 1e-9, "{}", value("angle_rad"));
    let series = fs::read_to_string(place.path.join("series.csv")).unwrap();
    let bonds = series.lines().next().unwrap().split(',').position(|name| name == "bonds").unwrap();
    assert_eq!(series.lines().last().unwrap().split(',').nth(bonds), Some("0"));
}

#[test]
fn a_run_goes_on_from_the_snapshot_of_a_cell_that_was_sheared() {
    let text = include_str!("../../../../scenes/shear-cell.toml")
        .replace("\"5 cm\"", "\"3 cm\"")
        .replace("\"6 cm\"", "\"3 cm\"")
        .replace("time = \"1 s\"", "steps = 80");
    let place = Place::new();
    let prepared = PreparedScene::new(riprap_scene::load(&text, "shear.toml", &[]).unwrap(), Path::new("")).unwrap();
    let mut first = Simulation::begin(prepared, place.folder(), RunOptions::default()).unwrap();
    first.run(Until::End).unwrap();
    let (cell, grains) = match first.world() {
        riprap_engine::AnyWorld::D2(world) => (world.state.cell, world.bodies.len()),
        riprap_engine::AnyWorld::D3(_) => unreachable!("it is flat"),
    };
    first.end().unwrap();
    assert!(cell.tilt > 0.0);
    let mut snapshots: Vec<_> =
        fs::read_dir(place.path.join("snapshots")).unwrap().map(|e| e.unwrap().path()).collect();
    snapshots.retain(|path| path.extension().is_some_and(|ending| ending == "h5"));
    snapshots.sort();
    let last = snapshots.last().unwrap().to_str().unwrap();
    let chained = format!(
        "dimension = 2\n[domain]\ngravity = 0\n[materials.disk]\ndensity = 1000\nfriction = 0.4\n[[grains]]\nsample = \"snapshot\"\n\
         path = \"{last}\"\nat_rest = true\n[[stages]]\nname = \"rest\"\nend = {{ steps = 20 }}\n"
    );
    let scene = riprap_scene::load_with_files(
        &chained,
        "chained.toml",
        &[],
        &riprap_run::BesideScene::in_folder(Path::new("")),
    );
    let prepared = PreparedScene::new(scene.unwrap(), Path::new("")).unwrap();
    let mut second = Simulation::without_files(prepared, RunOptions::default()).unwrap();
    second.run(Until::End).unwrap();
    let riprap_engine::AnyWorld::D2(world) = second.world() else { unreachable!("it is flat") };
    assert_eq!((world.state.cell.period, world.state.cell.tilt, world.bodies.len()), (cell.period, cell.tilt, grains));
    // The grains that touched across the sides of the cell touch again: nothing has room to fly apart.
    assert!(world.state.contacts.iter().any(|contact| contact.offset[1] != 0 && contact.impulse.length() > 0.0));
    let deepest = world.state.contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max);
    assert!(deepest < 0.1 * 1.2e-3, "{deepest}");
}
