//! The server over real connections: what is served, how large it is, and what is refused.

mod refusals;
mod serving;

use riprap_run::{Output, PreparedScene, RunFolder, RunOptions, Simulation, Until};
use riprap_view::{Server, Site};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use tempfile::TempDir;

/// A small run: spheres in a box, with a snapshot at its beginning and its end.
const SCENE: &str = r#"
title = "a few spheres"
dimension = 3
[materials.stone]
density = "2600 kg/m3"
friction = 0.5
[[walls]]
name = "box"
shape = "box"
lower = [0, 0, 0]
upper = ["10 mm", "10 mm", "40 mm"]
open = ["top"]
[[grains]]
sample = "lattice"
count = 60
spacing = "2.2 mm"
radius = "1 mm"
[[stages]]
name = "fall"
end = { time = "60 ms" }
[outputs]
snapshot_interval = "20 ms"
snapshot_formats = ["h5"]
"#;

/// The folder of the small run.
fn small_run(folder: &Path) -> RunFolder {
    let scene = riprap_scene::load(SCENE, "few.toml", &[]).expect("the scene is right");
    let prepared = PreparedScene::new(scene, folder).expect("grains fit");
    let output = Output::from(RunFolder::named(&folder.join("run"), false).expect("a new folder"));
    let mut simulation = Simulation::begin(prepared, output, RunOptions::default()).expect("it begins");
    simulation.run(Until::End).expect("it runs");
    simulation.end().expect("it ends");
    RunFolder::existing(&folder.join("run")).expect("it is there")
}

/// A server of the small run, with the folder that it lives in.
fn server() -> (Server, RunFolder, TempDir) {
    let folder = TempDir::new().expect("a folder");
    let run = small_run(folder.path());
    let mut site = Site::default();
    site.add(run.path()).expect("it is a run");
    (Server::open(site, ([127, 0, 0, 1], 0).into()).expect("it serves"), run, folder)
}

/// The status line and the body of the answer to a request, sent as it is.
fn ask(server: &Server, request: &[u8]) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(server.address()).expect("it listens");
    stream.write_all(request).expect("it takes the request");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let head = answer.windows(4).position(|window| window == b"\r\n\r\n").map_or(answer.len(), |at| at + 4);
    let status = String::from_utf8_lossy(&answer[..head]).lines().next().unwrap_or_default().to_owned();
    (status, answer[head..].to_vec())
}

/// The path to something below the token.
fn path_of(server: &Server, rest: &str) -> String {
    let url = server.url();
    let token = url.trim_end_matches('/').rsplit('/').next().expect("the address has a token");
    format!("/{token}/{rest}")
}

/// The answer to an ordinary request for something below the token.
fn get(server: &Server, rest: &str) -> (String, Vec<u8>) {
    let path = path_of(server, rest);
    ask(server, format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address()).as_bytes())
}
