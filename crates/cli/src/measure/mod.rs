//! Measures runs and snapshots: numbers, tables and plots.

pub mod arguments;
mod evolution;
pub mod history;
pub mod loading;
mod output;
pub mod source;

use crate::failure::{Exit, Failure};
use crate::screen::{say, tell};
use arguments::{Asked, MeasureChoices, PlotFormat, Reference};
use output::{Output, Record};
use riprap_engine::{AnyWorld, for_any_world};
use riprap_measure::picture::{Picture, Shade};
use riprap_measure::report::{What, measure as make};
use riprap_measure::{Packing, Unavailable};
use riprap_run::{PreparedScene, RunFolder, read_packing};
use std::path::{Path, PathBuf};

/// Measures all snapshots of the given runs and files, one after the other, so that memory holds a few at most. What
/// cannot be measured is said with the reason; a snapshot that cannot be read is named and skipped.
pub fn measure(paths: &[PathBuf], choices: &MeasureChoices) -> Result<Exit, Failure> {
    let sources = source::sources(paths)?;
    let target = choices.out.clone().map_or_else(|| source::default_target(&paths[0]), Ok)?;
    let mut output = Output::create(&target, &choices.plots)?;
    let asked = Asked::or_all(&choices.what);
    let mut session = Session { choices, asked: &asked, records: Vec::new(), skipped: Vec::new() };

    // What snapshots are compared with, and the last one that could be read: no more are held.
    let mut reference: Option<Packing> = None;
    let mut last: Option<(PathBuf, Packing)> = None;
    for source in sources {
        let packing = match read_packing(&source) {
            Ok(packing) => packing,
            Err(reason) => {
                tell(format_args!("warning: skipped: {reason}"));
                session.skipped.push((source, reason.to_string()));
                continue;
            }
        };
        if let Some((_, before)) = last.take()
            && (reference.is_none() || choices.since == Reference::Previous)
        {
            reference = Some(before);
        }
        session.snapshot(&source, &packing, reference.as_ref(), choices.every.then_some(&mut output))?;
        last = Some((source, packing));
    }
    let Some((file, packing)) = last else {
        return Err(Failure::new(Exit::Unreadable, "none of the snapshots could be read"));
    };
    let earlier = reference.as_ref();
    session.close(&file, &packing, earlier, &mut output)?;
    session.runs(paths, &mut output)?;
    let document = session.document(&output);
    output.finish(&session.records, &document)?;
    if choices.json {
        say(format_args!("{document:#}"));
    } else {
        session.describe(&file, &output);
    }
    Ok(session.exit(!choices.what.is_empty()))
}

/// What has been measured so far.
struct Session<'a> {
    choices: &'a MeasureChoices,
    asked: &'a [Asked],
    records: Vec<Record>,
    skipped: Vec<(PathBuf, String)>,
}

impl Session<'_> {
    /// Measures a snapshot; its tables and plots go to `output` if there is one.
    fn snapshot(
        &mut self,
        file: &Path,
        packing: &Packing,
        earlier: Option<&Packing>,
        mut output: Option<&mut Output>,
    ) -> Result<(), Failure> {
        for what in self.asked.iter().filter_map(|asked| asked.measurement()) {
            let made = make(what, packing, earlier, &self.choices.choices());
            if let (Ok(measured), Some(output)) = (&made, output.as_deref_mut()) {
                output.parts(what.word(), measured, Some(packing.step))?;
            }
            self.keep(what.word(), file, packing, made.map(|measured| measured.values));
        }
        Ok(())
    }

    /// Tables and plots of the last snapshot, pictures, and how the numbers changed.
    fn close(
        &mut self,
        file: &Path,
        packing: &Packing,
        earlier: Option<&Packing>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        if !self.choices.every {
            for what in self.asked.iter().filter_map(|asked| asked.measurement()) {
                if let Ok(measured) = make(what, packing, earlier, &self.choices.choices()) {
                    output.parts(what.word(), &measured, None)?;
                }
            }
        }
        if self.asked.contains(&Asked::Pictures) && output.draws() {
            let picture = |title: &str| Picture { title: title.into(), ..Picture::new(packing.dimension) };
            let all = [
                ("force_network", Picture { forces: true, ..picture("Force network") }),
                ("speed", Picture { grains: Shade::Speed, ..picture("Speed") }),
                ("pressure", Picture { grains: Shade::Pressure, ..picture("Particle pressure") }),
            ];
            for (name, picture) in all {
                match picture.draw(packing, earlier) {
                    Ok(drawing) => output.plot(name, None, &drawing)?,
                    Err(why) => self.keep("pictures", file, packing, Err(why)),
                }
            }
        }
        for (name, drawing) in evolution::charts(&self.records) {
            output.plot(&name, None, &drawing)?;
        }
        Ok(())
    }

    /// What only runs can give: histories of their steps, and the spread of solutions.
    fn runs(&mut self, paths: &[PathBuf], output: &mut Output) -> Result<(), Failure> {
        for (word, make) in crate::RUN_MEASUREMENTS {
            let Some(&asked) = self.asked.iter().find(|asked| asked.word() == word) else { continue };
            for path in paths {
                // Most runs are no loading tests, and need not say so unless they are asked.
                if asked == Asked::Loading && self.choices.what.is_empty() && !path.join("loading.csv").is_file() {
                    continue;
                }
                let made = if path.is_dir() {
                    make(path)
                } else {
                    Err(Unavailable::Because("a run folder is needed, not a single snapshot".into()))
                };
                if let Ok(measured) = &made {
                    output.parts(asked.word(), measured, None)?;
                }
                let values = made.map(|measured| measured.values);
                self.records.push(Record { what: asked.word(), file: path.clone(), step: 0, time: 0.0, values });
            }
        }
        Ok(())
    }

    fn keep(
        &mut self,
        what: &'static str,
        file: &Path,
        packing: &Packing,
        values: Result<Vec<riprap_measure::report::Value>, Unavailable>,
    ) {
        let (step, time) = (packing.step, packing.time);
        self.records.push(Record { what, file: file.into(), step, time, values });
    }

    fn document(&self, output: &Output) -> serde_json::Value {
        output::document(&self.records, &self.skipped, output)
    }

    /// The numbers of the last snapshot, and what could not be measured.
    fn describe(&self, last: &Path, output: &Output) {
        for record in self.records.iter().filter(|record| record.file == last || record.file.is_dir()) {
            match &record.values {
                Err(why) => say(format_args!("{}: not measured: {why}", record.what)),
                Ok(values) => {
                    say(format_args!("{}:", record.what));
                    for value in values {
                        say(format_args!("  {:<32}{}", value.name, output::words(value)));
                    }
                }
            }
        }
        for (file, reason) in &self.skipped {
            say(format_args!("skipped {}: {reason}", file.display()));
        }
        say(format_args!("wrote {} files to {}", output.count(), output.folder().display()));
    }

    /// Damaged snapshots come before measurements that were asked for by name and that no snapshot could give.
    fn exit(&self, by_name: bool) -> Exit {
        if !self.skipped.is_empty() {
            return Exit::Unreadable;
        }
        let is_made = |word: &str| self.records.iter().any(|record| record.what == word && record.values.is_ok());
        let misses = self.asked.iter().any(|asked| {
            let is_tried = self.records.iter().any(|record| record.what == asked.word());
            is_tried && !is_made(asked.word())
        });
        if by_name && misses { Exit::Incomplete } else { Exit::Done }
    }
}

impl Asked {
    /// The measurement of a snapshot, if it is one.
    fn measurement(&self) -> Option<What> {
        match self {
            Asked::Of(what) => Some(*what),
            Asked::History | Asked::Loading | Asked::Pictures | Asked::Spread => None,
        }
    }

    /// What was asked for; by default everything but what is for small packings, heaps, drums and mixtures only.
    fn or_all(asked: &[Asked]) -> Vec<Asked> {
        if !asked.is_empty() {
            return asked.to_vec();
        }
        let of_snapshots = What::ALL.into_iter().filter(|what| !what.is_special()).map(Asked::Of);
        of_snapshots.chain([Asked::History, Asked::Loading, Asked::Pictures]).collect()
    }
}

/// The numbers of a measurement of the last state of a run, by the name of the measurement and their own; what compares does so
/// with the first state.
pub fn numbers_of_run(run: &Path, asked: Asked) -> Result<Result<Vec<(String, f64)>, Unavailable>, Failure> {
    let measured = match asked {
        Asked::Of(what) => {
            let packing = |world: &AnyWorld| for_any_world!(world, world => Packing::of(world));
            let folder = RunFolder::existing(run)?;
            let last = packing(&folder.world()?);
            let first = if what.needs_two() {
                Some(packing(&PreparedScene::from_file(&folder.scene(), &[])?.world))
            } else {
                None
            };
            make(what, &last, first.as_ref(), &riprap_measure::report::Choices::default())
        }
        Asked::History => history::history(run),
        Asked::Loading => loading::loading(run),
        Asked::Spread | Asked::Pictures => history::spread(run),
    };
    let known = |value: &riprap_measure::report::Value| {
        Some((format!("{}.{}", asked.word(), value.name), value.number.as_ref().ok()?.value))
    };
    Ok(measured.map(|measured| measured.values.iter().filter_map(known).collect()))
}

/// Writes a plot in a format.
pub fn write_plot(drawing: &riprap_measure::plot::Drawing, format: PlotFormat, path: &Path) -> Result<(), Failure> {
    let bytes = match format {
        PlotFormat::Svg => drawing.svg().into_bytes(),
        PlotFormat::Png => drawing.png(2.0),
    };
    riprap_store::write_atomically(path, |out| out.write_all(&bytes))
        .map_err(|error| Failure::new(Exit::Unwritable, error.to_string()))
}
