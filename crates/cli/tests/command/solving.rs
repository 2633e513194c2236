//! Contact problems from files, and from steps of runs.

use crate::{Ended, Place};
use serde_json::Value;
use std::path::Path;

/// A problem of the repository.
fn problem(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems").join(name).to_str().unwrap().to_string()
}

/// The objects that `--json` prints, one for each line.
fn objects(ended: &Ended) -> Vec<Value> {
    ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn problems_of_every_kind_are_solved_and_told_as_json() {
    let place = Place::new();
    let names = [
        "local2d/FrictionContactProblem00031.dat",
        "local3d/NESpheres_10_1.dat",
        "global/GFC3D_TwoRods1.dat",
        "global/Box_Stacks-i0122-82-5.hdf5",
        "rolling/RFC3D_cube_1.dat",
        "rolling/Chute-ndof-768-nc-4-3.hdf5",
    ];
    let files: Vec<String> = names.iter().map(|name| problem(name)).collect();
    let mut arguments = vec!["solve", "--json", "--tolerance", "1e-6"];
    arguments.extend(files.iter().map(String::as_str));
    let solved = objects(&place.riprap(&arguments).with(0));
    assert_eq!(solved.len(), names.len());
    let expected = [(2, 11), (3, 9), (3, 3), (3, 82), (3, 2), (3, 4)];
    for ((object, file), (dimension, contacts)) in solved.iter().zip(&files).zip(expected) {
        assert_eq!(object["problem"], file.as_str());
        assert_eq!((object["dimension"].as_u64(), object["contacts"].as_u64()), (Some(dimension), Some(contacts)));
        assert_eq!(object["converged"], true);
        assert!(object["residual_scaled"].as_f64().unwrap() <= 1e-6);
        for key in ["solver", "iterations", "passes", "cpu_s", "residual_siconos"] {
            assert!(!object[key].is_null(), "{key} is missing in {object}");
        }
        assert!(object.get("reason").is_none());
    }
    // The same facts in words.
    arguments.remove(1);
    let table = place.riprap(&arguments).with(0).out;
    assert!(table.contains("contacts") && table.contains("NESpheres_10_1.dat"), "{table}");
}

#[test]
fn a_bad_file_does_not_keep_the_others_from_being_solved() {
    let place = Place::new();
    std::fs::write(place.join("cut.dat"), "3\n1\n0\n3\n3\n3 3\n15 -1").unwrap();
    let good = problem("local3d/FrictionContact3D_1c.dat");
    let ended = place.riprap(&["solve", "cut.dat", "nothing.hdf5", &good, "--json"]).with(3);
    assert!(ended.err.contains("cut.dat:7") && ended.err.contains("cut off"), "{}", ended.err);
    assert!(ended.err.contains("nothing.hdf5"), "{}", ended.err);
    let objects = objects(&ended);
    assert_eq!(objects.len(), 3);
    assert!(objects[0]["reason"].as_str().unwrap().contains("cut.dat:7"));
    assert_eq!(objects[2]["converged"], true);
    for wrong in [["--tolerance", "-1"], ["--solver", "gaus-seidel"], ["--max-seconds", "0"], ["--order", "upwards"]] {
        let ended = place.riprap(&["solve", &good, wrong[0], wrong[1]]).with(2);
        assert!(ended.err.contains(wrong[0]), "{}", ended.err);
    }
}

#[test]
fn a_problem_that_is_not_solved_ends_with_its_state_and_the_reason() {
    let place = Place::new();
    let hard = problem("local3d/OneObject-i100000-316.hdf5.dat");
    let few = ["--solver", "gauss-seidel", "--max-iterations", "3"];
    let ended = place.riprap(&[&["solve", &hard, "--json"], &few[..]].concat()).with(1);
    let object = &objects(&ended)[0];
    assert_eq!(object["converged"], false);
    assert!(object["reason"].as_str().unwrap().contains("limit"), "{object}");
    assert!(object["residual_scaled"].as_f64().unwrap() > 1e-8);
    // A time that has passed at once on any machine.
    let brief = ["--solver", "gauss-seidel", "--max-seconds", "1e-12"];
    let ended = place.riprap(&[&["solve", &hard], &brief[..]].concat()).with(1);
    assert!(ended.out.contains("time limit of 0.000000000001 s"), "{}", ended.out);
}

#[test]
fn a_written_solution_is_read_again_and_holds() {
    let place = Place::new();
    let file = problem("global/Box_Stacks-i0122-82-5.hdf5");
    place.riprap(&["solve", &file, "--tolerance", "1e-6", "--out", "solved.hdf5"]).with(0);
    let checked = ["solve", "solved.hdf5", "--start", "solution", "--max-iterations", "0", "--json"];
    let ended = place.riprap(&[&checked[..], &["--tolerance", "1.001e-6"]].concat()).with(0);
    assert_eq!(objects(&ended)[0]["passes"], 0);
    // As text it is the problem alone.
    place.riprap(&["solve", "solved.hdf5", "--tolerance", "1e-3", "--out", "problem.dat"]).with(0);
    let ended = place.riprap(&["solve", "problem.dat", "--start", "solution"]).with(3);
    assert!(ended.err.contains("no solution"), "{}", ended.err);
    // Several go to a folder, if their names differ.
    place.riprap(&["solve", "solved.hdf5", "problem.dat", "--tolerance", "1e-3", "--out", "all"]).with(0);
    assert!(place.join("all/solved.hdf5").is_file() && place.join("all/problem.hdf5").is_file());
    let ended = place.riprap(&["solve", "problem.dat", "all/problem.hdf5", "--out", "both"]).with(2);
    assert!(ended.err.contains("would both be written"), "{}", ended.err);
}

#[test]
fn the_problem_of_any_step_can_be_dumped_and_solved() {
    let place = Place::new();
    let ended = place.riprap(&["run", "scene.toml", "--out", "run", "--dump-problem", "1,60,118-119,500"]).with(0);
    assert!(ended.err.contains("step 1 of --dump-problem has no contact problem"), "{}", ended.err);
    assert!(ended.err.contains("step 500 of --dump-problem was not reached"), "{}", ended.err);
    assert_eq!(place.summary("run")["problems_written"], 3);
    assert!(place.read("run/log.txt").contains("contact problem of step 60"));
    let files = ["run/problems/step-000060.hdf5", "run/problems/step-000118.hdf5", "run/problems/step-000119.hdf5"];
    let solved = objects(&place.riprap(&[&["solve", "--json", "--start", "guess"], &files[..]].concat()).with(0));
    assert!(solved.iter().all(|object| object["dimension"] == 2 && object["converged"] == true));
    // What the run found solves them to what the run was asked for: the residuals of the two differ by their units only.
    let found = ["solve", "--json", "--start", "solution", "--max-iterations", "0", "--tolerance", "1e-2"];
    place.riprap(&[&found[..], &files[..]].concat()).with(0);
    for bad in ["0", "7-3", "soon"] {
        place.riprap(&["run", "scene.toml", "--dump-problem", bad]).with(2);
    }
}

#[test]
fn steps_that_fail_leave_their_problems() {
    let place = Place::new();
    let loose = ["--set", "solver.max_sweeps=1", "--set", "solver.criterion.residual=1e-13"];
    place.riprap(&[&["run", "scene.toml", "--out", "run", "--quiet"], &loose[..]].concat()).with(0);
    let summary = place.summary("run");
    assert!(summary["unconverged_steps"].as_u64().unwrap() > 10);
    assert_eq!(summary["problems_written"], 10);
    assert!(summary["warnings"][0].as_str().unwrap().contains("problems"), "{}", summary["warnings"]);
    // Where the step ends the run, the message says where its problem is.
    let strict =
        [&["run", "scene.toml", "--out", "strict", "--set", "solver.on_unconverged=stop"], &loose[..]].concat();
    let ended = place.riprap(&strict).with(1);
    let file = std::fs::read_dir(place.join("strict/problems")).unwrap().next().unwrap().unwrap().path();
    assert!(ended.err.contains(file.file_name().unwrap().to_str().unwrap()), "{}", ended.err);
    place.riprap(&["solve", file.to_str().unwrap()]).with(0);
}
