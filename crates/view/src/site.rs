//! What there is to see: runs, their frames, tables and logs, by address.
//!
//! No part of an address ever becomes part of a path: runs and frames have numbers, everything else has a fixed name.

use crate::arrays::{Array, Frames};
use crate::frame;
use crate::http::{Response, Status};
use crate::live::Live;
use crate::page;
use riprap_measure::plot::ColourMap;
use riprap_run::{RunError, RunFolder, TimeSeries};
use riprap_store::{Snapshot, read_snapshot};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Snapshots that are kept in memory: the one that is shown, its neighbours, and the one that displacements are since.
const KEPT: usize = 4;
/// Rows of a time series that the page gets: more than it has pixels.
const MOST_ROWS: usize = 2000;
/// The last lines of the log that the page gets.
const LAST_LINES: usize = 200;
/// Colours sent of each map.
const COLOURS: usize = 64;

/// All that a server shows.
#[derive(Debug, Default)]
pub struct Site {
    runs: Vec<ViewedRun>,
}

/// A run, or a snapshot alone.
#[derive(Debug)]
struct ViewedRun {
    name: String,
    source: Source,
    live: Option<Live>,
    kept: Mutex<Vec<(PathBuf, Arc<Snapshot>)>>,
}

#[derive(Debug)]
enum Source {
    Run(RunFolder),
    Snapshot(PathBuf),
}

/// The bodies of answers by their addresses.
type Files = Vec<(String, Vec<u8>)>;

/// What an address asks for, or why it gets nothing.
type Answer = Result<Response, Response>;

impl Site {
    /// Adds a run folder, or a snapshot that stands alone.
    pub fn add(&mut self, path: &Path) -> Result<(), RunError> {
        let source = if path.is_file() {
            read_snapshot(path).map_err(RunError::Unreadable)?;
            Source::Snapshot(path.into())
        } else {
            Source::Run(RunFolder::existing(path)?)
        };
        self.push(path, source, None);
        Ok(())
    }

    /// Adds a run that this program is doing.
    pub fn add_live(&mut self, folder: RunFolder, live: Live) {
        let path = folder.path().to_owned();
        self.push(&path, Source::Run(folder), Some(live));
    }

    fn push(&mut self, path: &Path, source: Source, live: Option<Live>) {
        let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
        self.runs.push(ViewedRun { name, source, live, kept: Mutex::default() });
    }

    /// The answer to a request; `rest` is its address after the token.
    pub(crate) fn answer(&self, method: &str, rest: &str, nonce: &str) -> Response {
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let parts: Vec<&str> = path.split('/').collect();
        let answer = match (method, parts.as_slice()) {
            ("POST", ["run", run, "live", button]) => self.run(run).and_then(|run| run.press(button)),
            ("POST", _) => Err(Response::refusal(Status::WrongMethod, "there is nothing to change here")),
            (_, ["site"]) => Ok(self.overview()),
            (_, ["run", run, rest @ ..]) => self.run(run).and_then(|run| run.answer(rest, query)),
            (_, [file]) => page::file(file, nonce).ok_or_else(not_found),
            _ => Err(not_found()),
        };
        answer.unwrap_or_else(|refusal| refusal)
    }

    /// Everything that a page without a server needs to show this many frames of the first run, by address, and why frames
    /// were left out that cannot be shown.
    pub(crate) fn everything(&self, most_frames: usize, arrays: &[&str]) -> Result<(Files, Vec<String>), String> {
        let words = |response: Answer| {
            response
                .map(|response| response.body)
                .map_err(|refusal| String::from_utf8_lossy(&refusal.body).into_owned())
        };
        let run = self.runs.first().ok_or("there is no run")?;
        let all = run.frames();
        let step = all.len().div_ceil(most_frames.max(1)).max(1);
        let chosen: Vec<usize> = (0..all.len()).rev().step_by(step).collect::<Vec<_>>().into_iter().rev().collect();
        let mut files = vec![("site".to_string(), self.overview().body)];
        for part in ["series", "walls", "marks", "log", "summary"] {
            if let Ok(body) = words(run.answer(&[part], "")) {
                files.push((format!("run/0/{part}"), body));
            }
        }
        let (mut shown, mut skipped): (Vec<usize>, Vec<String>) = Default::default();
        for frame in chosen {
            let (k, number) = (shown.len(), frame.to_string());
            let packed = match words(run.answer(&["frame", &number], "")) {
                Ok(packed) => packed,
                Err(reason) => {
                    skipped.push(format!("snapshot {}: {reason}", frame + 1));
                    continue;
                }
            };
            shown.push(frame);
            files.push((format!("run/0/frame/{k}"), packed));
            for part in ["bodies", "wall-surfaces"] {
                files.push((format!("run/0/{part}/{k}"), words(run.answer(&[part, &number], ""))?));
            }
            for name in arrays {
                let since = format!("since={}", shown[0]);
                if let Ok(body) = words(run.answer(&["array", &number, name], &since)) {
                    files.push((format!("run/0/array/{k}/{name}"), body));
                }
            }
        }
        files.push(("run/0".into(), run.overview(Some(&shown)).to_string().into_bytes()));
        Ok((files, skipped))
    }

    fn run(&self, number: &str) -> Result<&ViewedRun, Response> {
        number.parse().ok().and_then(|number: usize| self.runs.get(number)).ok_or_else(not_found)
    }

    /// What the page is told first.
    fn overview(&self) -> Response {
        let map = |map: ColourMap| -> Value {
            (0..COLOURS).map(|k| json!(map.at(k as f64 / (COLOURS - 1) as f64).rgb)).collect()
        };
        json_response(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "runs": self.runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(),
            "arrays": Array::ALL.iter().map(|array| json!({
                "name": array.name, "label": array.label, "unit": array.unit, "scale": array.scale.word(),
            })).collect::<Vec<_>>(),
            "maps": { "rising": map(ColourMap::Rising), "signed": map(ColourMap::Signed) },
        }))
    }
}

impl ViewedRun {
    fn answer(&self, parts: &[&str], query: &str) -> Answer {
        match *parts {
            [] => Ok(json_response(&self.overview(None))),
            ["frame", number] => Ok(bulk(frame::frame(&*self.snapshot(number)?))),
            ["bodies", number] => Ok(bulk(frame::bodies(&*self.snapshot(number)?))),
            ["wall-surfaces", number] => Ok(bulk(frame::walls(&*self.snapshot(number)?))),
            ["array", number, name] => self.array(number, name, query),
            ["grain", number, id] => self.grain(number, id),
            ["series"] => self.table(RunFolder::series),
            ["walls"] => self.table(RunFolder::walls),
            ["marks"] => self.marks(),
            ["log"] => self.text(RunFolder::log).map(|text| plain(&last_lines(&text))),
            ["summary"] => self.text(RunFolder::summary).map(|text| Response::new("application/json", text)),
            _ => Err(not_found()),
        }
    }

    fn press(&self, button: &str) -> Answer {
        let pressed = self.live.as_ref().is_some_and(|live| live.press(button));
        if pressed { Ok(plain("done")) } else { Err(not_found()) }
    }

    /// Which frames there are, and how the run is; only the chosen frames where some are chosen.
    fn overview(&self, chosen: Option<&[usize]>) -> Value {
        let frames = self.frames();
        let listed = |k: &usize| json!({ "time": frames[*k].1, "step": frames[*k].0 });
        let all: Vec<usize> = (0..frames.len()).collect();
        let status = match &self.source {
            Source::Run(folder) => folder.status(),
            Source::Snapshot(_) => Some("snapshot".into()),
        };
        let live = self.live.as_ref().filter(|_| chosen.is_none()).map(|live| {
            let progress = live.progress();
            json!({
                "paused": live.is_paused(), "ended": live.has_ended(), "stage": progress.stage, "time": progress.time,
                "step": progress.step,
            })
        });
        json!({
            "name": self.name,
            "status": status,
            "live": live,
            "frames": chosen.unwrap_or(&all).iter().map(listed).collect::<Vec<_>>(),
        })
    }

    /// Step and time of every frame.
    fn frames(&self) -> Vec<(u64, f64)> {
        match &self.source {
            Source::Run(folder) => {
                folder.listed_snapshots().unwrap_or_default().iter().map(|listed| (listed.step, listed.time)).collect()
            }
            Source::Snapshot(path) => {
                self.read(path).map_or(Vec::new(), |snapshot| vec![(snapshot.step, snapshot.time)])
            }
        }
    }

    /// The snapshot with this number, or `now` of a run that is under way.
    fn snapshot(&self, number: &str) -> Result<Arc<Snapshot>, Response> {
        if number == "now" {
            let waits = || Response::refusal(Status::Busy, "the run is in the middle of a step");
            return self.live.as_ref().ok_or_else(not_found)?.picture().ok_or_else(waits);
        }
        let number: usize = number.parse().map_err(|_| not_found())?;
        match &self.source {
            Source::Snapshot(path) => {
                if number == 0 {
                    self.read(path)
                } else {
                    Err(not_found())
                }
            }
            Source::Run(folder) => {
                let listed = folder.listed_snapshots().unwrap_or_default();
                let snapshot = listed.get(number).ok_or_else(not_found)?;
                let damaged = || Response::refusal(Status::Damaged, "the files of this snapshot are gone");
                self.read(&snapshot.fullest_file(folder).ok_or_else(damaged)?)
            }
        }
    }

    /// Reads a snapshot, or takes it from those that were read last.
    fn read(&self, path: &Path) -> Result<Arc<Snapshot>, Response> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(k) = kept.iter().position(|(file, _)| file == path) {
            let entry = kept.remove(k);
            kept.push(entry);
        } else {
            let read = read_snapshot(path).map_err(|error| Response::refusal(Status::Damaged, &error.to_string()))?;
            kept.push((path.into(), Arc::new(read)));
            let surplus = kept.len().saturating_sub(KEPT);
            kept.drain(..surplus);
        }
        kept.last().map(|(_, snapshot)| snapshot.clone()).ok_or_else(not_found)
    }

    fn array(&self, number: &str, name: &str, query: &str) -> Answer {
        let array = Array::find(name).ok_or_else(not_found)?;
        let now = self.snapshot(number)?;
        let since = match query.strip_prefix("since=") {
            Some(earlier) => self.snapshot(earlier)?,
            None => now.clone(),
        };
        let values = array
            .values(&Frames { now: &now, since: &since })
            .map_err(|reason| Response::refusal(Status::Damaged, &reason))?;
        Ok(bulk(frame::array(&values.iter().map(|&value| value as f32).collect::<Vec<_>>())))
    }

    /// A grain with all that is known of it.
    fn grain(&self, number: &str, id: &str) -> Answer {
        let snapshot = self.snapshot(number)?;
        let id: u32 = id.parse().map_err(|_| not_found())?;
        let row = snapshot.grains.id.binary_search(&id).map_err(|_| not_found())?;
        let (grains, contacts) = (&snapshot.grains, &snapshot.contacts);
        let touching = (0..contacts.len()).filter(|&k| contacts.body1[k] == id || contacts.body2[k] == id);
        let contact = |k: usize| {
            let other = if contacts.body1[k] == id { contacts.body2[k] } else { contacts.body1[k] };
            let wall = snapshot.walls.iter().find(|wall| wall.id == other);
            json!({
                "body": other, "wall": wall.map(|wall| wall.name.as_str()), "gap": contacts.gap[k], "force": contacts.force[k],
                "normal": contacts.normal[k], "point": contacts.point[k],
                "status": format!("{:?}", contacts.status[k]).to_lowercase(),
            })
        };
        Ok(json_response(&json!({
            "id": id,
            "row": row,
            "position": grains.position[row],
            "velocity": grains.velocity[row],
            "spin": grains.spin[row],
            "radius": grains.radius[row],
            "mass": grains.mass[row],
            "material": snapshot.materials.get(usize::from(grains.material[row])),
            "group": snapshot.groups.get(usize::from(grains.group[row])),
            "contacts": touching.map(contact).collect::<Vec<_>>(),
        })))
    }

    /// A time series, thinned out to what a screen can show.
    fn table(&self, file: fn(&RunFolder) -> PathBuf) -> Answer {
        let Source::Run(folder) = &self.source else { return Err(not_found()) };
        let series = TimeSeries::read(&file(folder)).map_err(|_| not_found())?;
        let every = series.len().div_ceil(MOST_ROWS).max(1);
        let thin = |values: Vec<Value>| -> Value { values.into_iter().step_by(every).collect() };
        let columns: serde_json::Map<String, Value> = series
            .columns()
            .iter()
            .enumerate()
            .map(|(k, name)| (name.clone(), thin(series.rows().iter().map(|row| json!(row[k])).collect())))
            .collect();
        let names = thin(series.names().iter().map(|name| json!(name)).collect());
        Ok(json_response(&json!({ "columns": columns, "names": names })))
    }

    /// What is marked on the time line: steps that did not converge, and warnings that name their step.
    fn marks(&self) -> Answer {
        let Source::Run(folder) = &self.source else { return Err(not_found()) };
        let series = TimeSeries::read(&folder.series()).map_err(|_| not_found())?;
        let column = |name: &str| series.columns().iter().position(|column| column == name).ok_or_else(not_found);
        let (step, time, converged) = (column("step")?, column("time_s")?, column("converged")?);
        let rows: Vec<(f64, f64, bool)> = series
            .rows()
            .iter()
            .filter_map(|row| Some((row[step]?, row[time]?, row[converged] == Some(0.0))))
            .collect();
        let unconverged = rows.iter().filter(|row| row.2);
        let every = unconverged.clone().count().div_ceil(MOST_ROWS).max(1);
        let mut marks: Vec<Value> = unconverged
            .step_by(every)
            .map(|(_, time, _)| json!({ "time": time, "kind": "unconverged", "what": "not converged" }))
            .collect();
        for line in self.text(RunFolder::log)?.lines() {
            let Some((words, warned)) =
                line.split_once("warning: ").and_then(|(_, words)| Some((words, step_in(words)?)))
            else {
                continue;
            };
            let after = rows.partition_point(|row| row.0 < warned).min(rows.len().saturating_sub(1));
            if let Some((_, time, _)) = rows.get(after) {
                marks.push(json!({ "time": time, "kind": "warning", "what": words }));
            }
        }
        Ok(json_response(&json!(marks)))
    }

    fn text(&self, file: fn(&RunFolder) -> PathBuf) -> Result<String, Response> {
        let Source::Run(folder) = &self.source else { return Err(not_found()) };
        fs::read_to_string(file(folder)).map_err(|_| not_found())
    }
}

/// The number of the step that a warning is about.
fn step_in(words: &str) -> Option<f64> {
    let number = |rest: &str| {
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok()
    };
    words.split("step ").skip(1).find_map(number)
}

fn not_found() -> Response {
    Response::refusal(Status::NotFound, "not found")
}

fn plain(text: &str) -> Response {
    Response::new("text/plain; charset=utf-8", text)
}

fn bulk(bytes: Vec<u8>) -> Response {
    Response::new("application/octet-stream", bytes)
}

fn json_response(value: &Value) -> Response {
    Response::new("application/json", value.to_string())
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}
