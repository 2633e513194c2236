//! Runs that several ranks compute together end in the state of a run by one.

use riprap_run::{Output, PreparedScene, RunError, RunFolder, RunOptions, Simulation, Until};
use riprap_scene::Override;
use riprap_solve::Ranks;
use riprap_solve::ranks::on_threads;
use riprap_store::state_hash;
use std::path::{Path, PathBuf};

/// Scenes of all kinds: balls in space and in the plane, loaded walls, rolling friction, polygons and polyhedra, a cell that its
/// contacts stretch, walls that turn, another order of sweeps, bonds, liquid.
const SCENES: [(&str, &[(&str, &str)]); 9] = [
    ("deposit", &[("grains.0.count", "700")]),
    ("deposit", &[("grains.0.count", "300"), ("solver.order", "\"sequential\"")]),
    ("piston", &[]),
    ("rolling-heap", &[]),
    ("polygons", &[]),
    ("polyhedra", &[("grains.0.count", "200")]),
    ("isotropic-cell", &[]),
    ("drum", &[]),
    ("powder", &[]),
];
const STEPS: u64 = 40;

fn scene(name: &str, changes: &[(&str, &str)]) -> PreparedScene {
    let file = PathBuf::from(format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR")));
    let change = |(path, value): &(&str, &str)| Override { path: (*path).into(), value: (*value).into() };
    PreparedScene::from_file(&file, &changes.iter().map(change).collect::<Vec<_>>()).unwrap()
}

/// The states of a run after some steps and after as many again.
fn states(mut simulation: Simulation, ranks: &Ranks) -> [String; 2] {
    simulation.join(ranks).unwrap();
    [0, 1].map(|_| {
        simulation.run(Until::Steps(STEPS / 2)).unwrap();
        state_hash(simulation.world())
    })
}

#[test]
fn every_kind_of_scene_ends_in_the_same_state_on_any_number_of_ranks() {
    for (name, changes) in SCENES {
        let prepared = scene(name, changes);
        let begin = || Simulation::without_files(prepared.clone(), RunOptions::default()).unwrap();
        let alone = states(begin(), &Ranks::default());
        assert_ne!(alone[0], alone[1]);
        for size in [2, 3] {
            for (rank, found) in on_threads(size, 1, |ranks| states(begin(), &ranks)).into_iter().enumerate() {
                assert_eq!(found, alone, "{name} {changes:?}: rank {rank} of {size}");
            }
        }
    }
}

/// The run in a folder, as the ranks have it: the first one writes.
fn resumed(folder: &Path, ranks: &Ranks) -> Simulation {
    // The others read before the first one writes.
    let followed = (ranks.rank() > 0).then(|| Simulation::follow(folder, RunOptions::default()).unwrap().unwrap());
    ranks.gather_each(0.0);
    followed.unwrap_or_else(|| {
        let folder = RunFolder::existing(folder).unwrap();
        Simulation::resume(folder, RunOptions::default()).unwrap().unwrap()
    })
}

#[test]
fn a_run_goes_on_with_another_number_of_ranks() {
    let place = tempfile::tempdir().unwrap();
    let prepared = scene("piston", &[("stages.0.end", "{ steps = 20 }"), ("stages.1.end", "{ steps = 30 }")]);
    let mut whole = Simulation::without_files(prepared.clone(), RunOptions::default()).unwrap();
    whole.run(Until::End).unwrap();
    let folder = place.path().join("run");
    let (prepared, path) = (&prepared, &folder);
    for (size, steps) in [(3, 11), (1, 13), (2, 30)] {
        let part = |ranks: Ranks| {
            let mut simulation = match (path.exists(), ranks.rank()) {
                (true, _) => resumed(path, &ranks),
                (false, 0) => {
                    ranks.gather_each(0.0);
                    let output = Output::from(RunFolder::named(path, false).unwrap());
                    Simulation::begin(prepared.clone(), output, RunOptions::default()).unwrap()
                }
                (false, _) => {
                    ranks.gather_each(0.0);
                    Simulation::without_files(prepared.clone(), RunOptions::default()).unwrap()
                }
            };
            simulation.join(&ranks).unwrap();
            simulation.run(Until::Steps(steps)).unwrap();
            let hash = state_hash(simulation.world());
            simulation.pause().unwrap();
            hash
        };
        let found = on_threads(size, 1, part);
        assert!(found.iter().all(|hash| *hash == found[0]));
        if steps == 30 {
            assert_eq!(found[0], state_hash(whole.world()));
        }
    }
    let summary = std::fs::read_to_string(folder.join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!((&summary["status"], &summary["ranks"]), (&"completed".into(), &2.into()));
    assert!(summary["messages"]["bytes"].as_u64() > Some(0));
}

#[test]
fn what_ranks_cannot_do_together_is_refused() {
    let soft = scene("deposit", &[("method", "\"md\"")]);
    let refused = on_threads(2, 1, |ranks| {
        let mut simulation = Simulation::without_files(soft.clone(), RunOptions::default()).unwrap();
        simulation.join(&ranks).unwrap_err().to_string()
    });
    assert!(refused.iter().all(|error| error.starts_with("molecular dynamics")), "{refused:?}");
    let seeds = ["1", "2"];
    let refused = on_threads(2, 1, |ranks| {
        let own = scene("piston", &[("seed", seeds[ranks.rank()])]);
        Simulation::without_files(own, RunOptions::default()).unwrap().join(&ranks).unwrap_err()
    });
    assert!(refused.iter().all(|error| matches!(error, RunError::OtherState { rank: 1 })), "{refused:?}");
}

#[test]
fn a_rank_that_is_asked_to_end_ends_all_at_the_same_step() {
    let prepared = scene("piston", &[]);
    let steps = on_threads(3, 1, |ranks| {
        let mut simulation = Simulation::without_files(prepared.clone(), RunOptions::default()).unwrap();
        simulation.join(&ranks).unwrap();
        let (interrupt, rank) = (simulation.interrupt(), ranks.rank());
        let stop = simulation.run_while(Until::End, |_, report| {
            if rank == 1 && report.step == 5 {
                interrupt.ask();
            }
            true
        });
        (stop.unwrap(), simulation.report().unwrap().step)
    });
    assert_eq!(steps, [(riprap_run::Stop::Interrupted, 6); 3]);
}
