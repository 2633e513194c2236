//! `riprap reproduce`.

use crate::Place;
use serde_json::Value;
use std::fs;

#[test]
fn the_list_names_sources_and_costs() {
    let place = Place::new();
    let out = place.riprap(&["reproduce", "--list"]).with(0).out;
    for words in ["frontal-collision", "chain", "T. Unger, J. Kertész 2003", "with --quick", "CPU time in total"] {
        assert!(out.contains(words), "{words}\n{out}");
    }
    assert!(!place.join("runs").exists());
}

#[test]
fn a_case_gives_an_object_for_each_number_and_a_page() {
    let place = Place::new();
    let ended = place.riprap(&["reproduce", "frontal-collision", "chain", "--quick", "--json", "--out", "r"]).with(0);
    let objects: Vec<Value> = ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(objects.iter().any(|object| object["case"] == "chain"));
    for object in &objects {
        for key in ["case", "source", "quantity", "published", "measured", "uncertainty", "tolerance", "verdict"] {
            assert!(object.get(key).is_some(), "{key} {object}");
        }
        let measured = object["measured"].as_f64().unwrap();
        let inside = measured >= object["tolerance"]["low"].as_f64().unwrap()
            && measured <= object["tolerance"]["high"].as_f64().unwrap();
        assert_eq!(object["verdict"] == "pass", inside, "{object}");
        assert!(!object["tolerance"]["reason"].as_str().unwrap().is_empty());
    }
    let page = place.read("r/index.html");
    assert_eq!(page.matches("class=\"pass\"").count(), 2 * objects.len());
    for words in ["Frontal collision", "<svg", "Not run: ", "quick size", "id=\"chain\""] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("<script") && !page.contains("src=\"http"));
    assert_eq!(place.read("r/results.md").matches(" | pass |").count(), objects.len());

    // Finished cases are kept: a second call runs nothing and says the same.
    let again = place.riprap(&["reproduce", "frontal-collision", "chain", "--quick", "--json", "--out", "r"]).with(0);
    assert_eq!(again.out, ended.out);
    assert!(!again.err.contains("case 1 of 2"), "{}", again.err);
}

/// Each published row is turned against itself: with the number of its null model in the place of its own it must fail.
/// A row without such a model says why.
#[test]
fn published_rows_fail_by_their_null_models() {
    let place = Place::new();
    let cases = ["chain", "chain-modes", "chain-springs", "sweep-order"];
    let call: Vec<&str> = [&["reproduce"], &cases[..], &["--quick", "--json", "--out", "r"]].concat();
    place.riprap(&call);
    let mut turned = 0;
    for case in cases {
        let path = place.join(&format!("r/{case}/findings.json"));
        let mut kept: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        for row in kept["rows"].as_array_mut().unwrap() {
            if row["kind"] == "published" && row["null"]["measured"].is_number() {
                row["measured"] = row["null"]["measured"].clone();
                turned += 1;
            } else if row["kind"] == "published" {
                assert!(!row["null"]["none"].as_str().unwrap_or("").is_empty(), "{row}");
            }
        }
        fs::write(&path, kept.to_string()).unwrap();
    }
    assert!(turned > 10, "{turned}");
    let ended = place.riprap(&call).with(6);
    for line in ended.out.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let is_turned = row["kind"] == "published" && row["null"]["measured"].is_number();
        assert!(!is_turned || row["verdict"] == "fail", "{row}");
    }
}

#[test]
fn a_misspelt_case_is_an_error_with_the_nearest_name() {
    let place = Place::new();
    let ended = place.riprap(&["reproduce", "chian"]).with(2);
    assert!(ended.err.contains("'chain'"), "{}", ended.err);
    assert!(!place.join("runs").exists());
}

#[test]
fn a_number_that_differs_is_a_fail_with_an_exit_code_of_its_own() {
    let place = Place::new();
    place.riprap(&["reproduce", "frontal-collision", "--quick", "--out", "r"]).with(0);
    // What is kept is judged anew: a number that was falsified does not pass by its word.
    let path = place.join("r/frontal-collision/findings.json");
    let mut kept: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    kept["rows"][0]["measured"] = 1.0.into();
    fs::write(&path, kept.to_string()).unwrap();
    let ended = place.riprap(&["reproduce", "frontal-collision", "--quick", "--out", "r"]).with(6);
    assert!(ended.out.contains("FAIL    frontal-collision"), "{}", ended.out);
    assert!(place.read("r/index.html").contains("<td class=\"fail\">fail</td>"));
    // Made anew it passes again.
    place.riprap(&["reproduce", "frontal-collision", "--quick", "--out", "r", "--again"]).with(0);
}

#[test]
fn a_case_goes_on_from_the_runs_that_are_there() {
    let place = Place::new();
    let cohesion = ["reproduce", "cohesion-work", "--quick", "--out", "r"];
    let first = place.riprap(&cohesion).with(0).out;
    // As if it had been killed after its runs but one, and in that one after a checkpoint.
    fs::remove_file(place.join("r/cohesion-work/findings.json")).unwrap();
    fs::remove_file(place.join("r/cohesion-work/10us/summary.json")).unwrap();
    let written =
        |run: &str| fs::metadata(place.join(&format!("r/cohesion-work/{run}/summary.json"))).unwrap().modified();
    let before = written("1ms").unwrap();
    let second = place.riprap(&cohesion).with(0).out;
    assert_eq!(first, second);
    assert_eq!(written("1ms").unwrap(), before);
    assert!(place.read("r/cohesion-work/10us/log.txt").contains("resuming at step"));
}
