//! What is served.

use crate::{get, server};
use serde_json::Value;

fn json(body: &[u8]) -> Value {
    serde_json::from_slice(body).expect("it is JSON")
}

/// The head of a blob, and where its columns begin.
fn head_of(blob: &[u8]) -> (Value, usize) {
    let length = u32::from_le_bytes(blob[..4].try_into().expect("four bytes")) as usize;
    (json(&blob[4..4 + length]), 4 + length)
}

/// A column of a blob as bytes.
fn column<'a>(blob: &'a [u8], name: &str) -> &'a [u8] {
    let (head, from) = head_of(blob);
    let columns = head["columns"].as_array().expect("columns").clone();
    let found = columns.iter().find(|column| column["name"] == name).expect("the column is there");
    let number = |key: &str| found[key].as_u64().expect("a number") as usize;
    let bytes = match found["kind"].as_str() {
        Some("f32" | "u32" | "i32") => 4,
        Some("u16" | "i16") => 2,
        _ => 1,
    };
    let begin = from + number("from");
    &blob[begin..begin + bytes * number("rows") * number("per_row")]
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().expect("four bytes"))).collect()
}

#[test]
fn the_page_and_all_that_it_names_are_served() {
    let (server, ..) = server();
    let (status, page) = get(&server, "");
    assert_eq!(status, "HTTP/1.1 200 OK");
    let page = String::from_utf8(page).expect("it is text");
    assert!(!page.contains("<!-- "), "a part of the page is missing");
    let map = page.split("<script type=\"importmap\"").nth(1).and_then(|rest| rest.split('>').nth(1)).expect("a map");
    let map: Value = serde_json::from_str(map.trim_end_matches("</script")).expect("the map is JSON");
    let modules = map["imports"].as_object().expect("imports");
    for (name, file) in modules {
        let (status, text) = get(&server, file.as_str().expect("a file").trim_start_matches("./"));
        assert_eq!(status, "HTTP/1.1 200 OK", "{name}");
        // Whatever a module imports is in the map too.
        for import in String::from_utf8(text).expect("it is text").split("from \"").skip(1) {
            let import = import.split('"').next().unwrap_or_default();
            assert!(modules.contains_key(import), "{name} imports {import}");
        }
    }
    assert_eq!(get(&server, "style.css").0, "HTTP/1.1 200 OK");
}

#[test]
fn a_frame_holds_the_grains_and_contacts_of_its_snapshot_in_few_bytes() {
    let (server, run, _folder) = server();
    let listed = run.listed_snapshots().expect("there is a list");
    let overview = json(&get(&server, "run/0").1);
    assert_eq!(overview["frames"].as_array().map(Vec::len), Some(listed.len()));
    let last = listed.len() - 1;
    let snapshot =
        riprap_store::read_snapshot(&listed[last].fullest_file(&run).expect("it has files")).expect("it is whole");
    let (_, frame) = get(&server, &format!("run/0/frame/{last}"));
    let (head, _) = head_of(&frame);
    assert_eq!(head["time"].as_f64(), Some(snapshot.time));
    let positions: Vec<f32> = snapshot.grains.position.iter().flatten().map(|&x| x as f32).collect();
    assert_eq!(floats(column(&frame, "position")), positions);
    let force = floats(column(&frame, "contact_force"));
    assert_eq!(force.len(), snapshot.contacts.len());
    assert!(force.iter().any(|&force| force > 0.0), "spheres at rest press on each other");
    let (grains, contacts) = (snapshot.grains.len(), snapshot.contacts.len());
    let (bulk, head_bytes) = (frame.len(), head_of(&frame).1);
    assert!(bulk - head_bytes <= 30 * grains + 20 * contacts + 16, "{bulk} bytes");
    // The frame names its bodies by what they are: those of the first frame are the same, and need not be sent again.
    let (first, _) = head_of(&get(&server, "run/0/frame/0").1);
    assert_eq!(first["bodies"], head["bodies"]);
    let speed = floats(column(&get(&server, &format!("run/0/array/{last}/speed")).1, "value"));
    assert_eq!(speed.len(), grains);
}

#[test]
fn displacements_are_since_the_frame_that_is_named() {
    let (server, run, _folder) = server();
    let last = run.listed_snapshots().expect("there is a list").len() - 1;
    let moved = |since: usize| {
        floats(column(&get(&server, &format!("run/0/array/{last}/displacement?since={since}")).1, "value"))
    };
    assert!(moved(0).iter().any(|&path| path > 1e-4), "grains have fallen");
    assert!(moved(last).iter().all(|&path| path == 0.0));
}

#[test]
fn a_grain_is_told_with_its_contacts_and_tables_with_their_columns() {
    let (server, run, _folder) = server();
    let last = run.listed_snapshots().expect("there is a list").len() - 1;
    let grain = json(&get(&server, &format!("run/0/grain/{last}/7")).1);
    assert_eq!((grain["id"].as_u64(), grain["material"].as_str()), (Some(7), Some("stone")));
    assert!(grain["contacts"].is_array());
    let series = json(&get(&server, "run/0/series").1);
    assert!(series["columns"]["time_s"].as_array().is_some_and(|times| times.len() > 1));
    assert_eq!(json(&get(&server, "run/0/summary").1)["status"], "completed");
    assert!(String::from_utf8(get(&server, "run/0/log").1).expect("it is text").contains("riprap"));
}

#[test]
fn a_damaged_snapshot_is_told_and_the_others_are_shown() {
    let (server, run, _folder) = server();
    let listed = run.listed_snapshots().expect("there is a list");
    let file = listed[0].fullest_file(&run).expect("it has files");
    std::fs::write(&file, b"nonsense").expect("it can be overwritten");
    let (status, reason) = get(&server, "run/0/frame/0");
    assert_eq!(status, "HTTP/1.1 422 Unprocessable Content");
    assert!(!reason.is_empty());
    assert_eq!(get(&server, "run/0/frame/1").0, "HTTP/1.1 200 OK");
    std::fs::remove_file(&file).expect("it can be removed");
    assert_eq!(get(&server, "run/0/frame/0").0, "HTTP/1.1 422 Unprocessable Content");
}

#[test]
fn an_exported_page_holds_what_it_shows() {
    let (_server, run, _folder) = server();
    let mut site = riprap_view::Site::default();
    site.add(run.path()).expect("it is a run");
    let (page, skipped) = riprap_view::exported(&site, 2, &["speed"]).expect("it can be exported");
    assert!(skipped.is_empty());
    let files = page.split("id=\"files\">").nth(1).and_then(|rest| rest.split("</script>").next()).expect("files");
    let files: Value = serde_json::from_str(files).expect("they are JSON");
    let overview = files["run/0"].as_str().expect("an overview");
    assert!(!overview.is_empty());
    for address in
        ["site", "run/0/frame/0", "run/0/frame/1", "run/0/bodies/1", "run/0/wall-surfaces/0", "run/0/array/1/speed"]
    {
        assert!(files[address].is_string(), "{address}");
    }
    assert!(files["run/0/frame/2"].is_null());
    // What is damaged is left out, and said.
    let listed = run.listed_snapshots().expect("there is a list");
    std::fs::write(listed[1].fullest_file(&run).expect("it has files"), b"nonsense").expect("it can be overwritten");
    let mut site = riprap_view::Site::default();
    site.add(run.path()).expect("it is a run");
    let (less, skipped) = riprap_view::exported(&site, 100, &["speed"]).expect("it can be exported");
    assert!(skipped.len() == 1 && skipped[0].starts_with("snapshot 2: "), "{skipped:?}");
    assert!(less.contains(&format!("run/0/frame/{}", listed.len() - 2)));
    assert!(!less.contains(&format!("run/0/frame/{}", listed.len() - 1)));
    assert!(!page.contains("http://") || page.matches("http://").count() == page.matches("http://www.w3.org").count());
}
