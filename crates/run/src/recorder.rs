//! What a run writes while it goes on: time series and snapshots.

use crate::error::RunError;
use crate::flows::{FlowTables, Traffic};
use crate::folder::RunFolder;
use crate::measures::{NUMBER_COLUMNS, number_row};
use crate::snapshots::{LIST_COLUMNS, ListedSnapshot, stem_name};
use crate::table_file::{TableFile, number};
use crate::walls::WallSums;
use crate::{breaking, loading, series, walls};
use riprap_engine::{AnyWorld, Dim, StepReport, World, for_any_world};
use riprap_measure as measure;
use riprap_measure::report::{Choices, What};
use riprap_scene::{Departure, Outputs, Scene};
use riprap_store::{Format, PvdSeries, Snapshot, VTP_ROLES, write_snapshot};
use std::path::{Path, PathBuf};

/// The files that grow with the run.
#[derive(Debug)]
pub struct Recorder {
    outputs: Outputs,
    formats: Vec<Format>,
    folder: RunFolder,
    series: TableFile,
    walls: TableFile,
    wall_sums: WallSums,
    list: TableFile,
    /// The stresses and lengths of a sample between walls or in a periodic cell.
    loading: Option<TableFile>,
    /// What is measured on the way, and the file that it goes to.
    measures: Option<(Vec<What>, TableFile)>,
    /// What ParaView opens as animations: grains, contacts, walls, bodies that are not balls, the balls of clumps, and
    /// broken bonds.
    animations: Vec<PvdSeries>,
    snapshots: Vec<ListedSnapshot>,
    /// The bonds that broke, of a run that has bonds.
    bonds: Option<TableFile>,
    /// Of a run whose grains come and go.
    flows: Option<FlowTables>,
}

impl Recorder {
    /// New files for a new run.
    pub fn create(folder: &RunFolder, scene: &Scene, world: &AnyWorld) -> Result<Self, RunError> {
        Recorder::open(folder, scene, world, TableFile::create)
    }

    /// The files of a run that goes on, cut back to the step that the world is at, with the sums of its checkpoint.
    pub fn reopen(
        folder: &RunFolder,
        scene: &Scene,
        world: &AnyWorld,
        counters: &[(String, f64)],
    ) -> Result<Self, RunError> {
        let step = for_any_world!(world, world => world.state.step);
        let recorder = Recorder::open(folder, scene, world, |path, columns| TableFile::reopen(path, columns, step))?;
        Ok(Recorder { wall_sums: WallSums::from_counters(counters), ..recorder })
    }

    /// The sums since the last rows, as a checkpoint keeps them.
    pub fn counters(&self) -> Vec<(String, f64)> {
        self.wall_sums.to_counters()
    }

    fn open(
        folder: &RunFolder,
        scene: &Scene,
        world: &AnyWorld,
        table: impl Fn(&Path, &[&str]) -> Result<TableFile, RunError>,
    ) -> Result<Self, RunError> {
        let outputs = scene.outputs().clone();
        let dimension = world.dimension();
        let time = for_any_world!(world, world => world.state.time);
        let is_loaded = for_any_world!(world, world => measure::loading(world)).is_some();
        let whats: Vec<What> = outputs.measure.iter().filter_map(|word| What::from_word(word)).collect();
        let animation = |path: &PathBuf| PvdSeries::open(path, time).map_err(RunError::Unreadable);
        Ok(Recorder {
            formats: outputs.snapshot_formats.iter().map(|word| stored(word)).collect(),
            series: table(&folder.series(), &series::names())?,
            walls: table(&folder.walls(), &walls::names(dimension))?,
            wall_sums: WallSums::default(),
            list: table(&folder.snapshot_list(), &LIST_COLUMNS)?,
            loading: is_loaded.then(|| table(&folder.loading(), &loading::names(dimension))).transpose()?,
            measures: match whats.is_empty() {
                true => None,
                false => Some((whats, table(&folder.measures(), &NUMBER_COLUMNS)?)),
            },
            bonds: scene.has_bonds().then(|| table(&folder.bonds(), &breaking::names(dimension))).transpose()?,
            animations: folder.animations().iter().map(animation).collect::<Result<_, _>>()?,
            snapshots: folder.listed_snapshots()?,
            folder: folder.clone(),
            outputs,
            flows: scene.is_open().then(|| FlowTables::open(folder, &table)).transpose()?,
        })
    }

    /// Writes what is due after a step that began at the time `before`; the end of a stage is always written.
    pub fn record(
        &mut self,
        world: &mut AnyWorld,
        report: &StepReport,
        before: f64,
        stage_ended: bool,
        (scene, stage): (&Scene, &str),
        traffic: &mut Traffic,
    ) -> Result<(), RunError> {
        for_any_world!(&*world, world => self.wall_sums.add(world));
        if let Some(bonds) = &mut self.bonds {
            for_any_world!(&*world, world => breaking::rows(world)).iter().try_for_each(|row| bonds.row(row))?;
        }
        if stage_ended || is_due(self.outputs.series_interval, before, report.time) {
            for_any_world!(&*world, world => self.rows(world, report, stage))?;
            if let Some(flows) = &mut self.flows {
                flows.rows(scene, traffic, report.step, report.time)?;
            }
        }
        if stage_ended || is_due(self.outputs.snapshot_interval, before, report.time) {
            self.snapshot(world)?;
        }
        let interval = self.outputs.measure_interval.or(self.outputs.snapshot_interval);
        if stage_ended || is_due(interval, before, report.time) {
            self.measure(world)?;
        }
        Ok(())
    }

    /// Writes the grains that leave before a step.
    pub fn departed(&mut self, scene: &Scene, step: u64, time: f64, gone: &[Departure]) -> Result<(), RunError> {
        self.flows.as_mut().map_or(Ok(()), |flows| flows.departed(scene, step, time, gone))
    }

    /// Measures what the scene asks for.
    fn measure(&mut self, world: &AnyWorld) -> Result<(), RunError> {
        let Some((whats, file)) = &mut self.measures else { return Ok(()) };
        let packing = measure::Packing::of_any(world);
        for &what in whats.iter() {
            let row = |value| number_row(packing.step, packing.time, what.word(), value);
            match measure::report::measure(what, &packing, None, &Choices::default()) {
                Ok(measured) => measured.values.iter().try_for_each(|value| file.row(&row(Ok(value))))?,
                Err(why) => file.row(&row(Err(&why)))?,
            }
        }
        Ok(())
    }

    /// Writes a snapshot in all formats of the scene, unless this step has one.
    pub fn snapshot(&mut self, world: &mut AnyWorld) -> Result<(), RunError> {
        let (step, time) = for_any_world!(&*world, world => (world.state.step, world.state.time));
        if self.snapshots.last().is_some_and(|last| last.step == step) {
            return Ok(());
        }
        // The snapshot and its file are large too; the steps can do without their memory until both are written.
        for_any_world!(&mut *world, world => world.release_working_memory());
        let snapshot = Snapshot::of(world);
        for &format in &self.formats {
            let files = write_snapshot(&snapshot, format, &self.stem(step)).map_err(RunError::Unwritable)?;
            if format == Format::Vtp {
                for (animation, role) in self.animations.iter_mut().zip(VTP_ROLES) {
                    let role = format!("snapshot_{role}_");
                    let is_of_role = |file: &&PathBuf| {
                        file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&role))
                    };
                    if let Some(file) = files.iter().find(is_of_role) {
                        animation.push(time, file).map_err(RunError::Unwritable)?;
                    }
                }
            }
        }
        self.snapshots.push(ListedSnapshot { step, time });
        self.list.row(&[step.to_string(), number(time), stem_name(step)])
    }

    /// What is wrong with rows of a run that goes on.
    pub fn damage(&self) -> Vec<String> {
        let tables = [&self.series, &self.walls, &self.list].into_iter().chain(&self.loading).chain(&self.bonds);
        let tables = tables.chain(self.measures.iter().map(|(_, file)| file)).filter_map(TableFile::damage);
        tables.chain(self.flows.iter().flat_map(FlowTables::damage)).collect()
    }

    /// Makes all rows safe on disk.
    pub fn sync(&mut self) -> Result<(), RunError> {
        self.series.sync()?;
        self.walls.sync()?;
        self.loading.as_mut().map_or(Ok(()), TableFile::sync)?;
        self.measures.as_mut().map_or(Ok(()), |(_, file)| file.sync())?;
        self.bonds.as_mut().map_or(Ok(()), TableFile::sync)?;
        self.flows.as_mut().map_or(Ok(()), FlowTables::sync)?;
        self.list.sync()
    }

    fn rows<D: Dim>(&mut self, world: &World<D>, report: &StepReport, stage: &str) -> Result<(), RunError> {
        self.series.row(&series::cells(&series::SeriesRow::new(world, report, stage)))?;
        if let (Some(file), Some(loading)) = (&mut self.loading, measure::loading(world)) {
            file.row(&loading::cells(&loading::LoadingRow { report, stage, loading }))?;
        }
        for load in world.wall_loads() {
            self.walls.row(&walls::cells(&walls::WallRow::new(world, report, &load, &self.wall_sums)))?;
        }
        self.wall_sums.clear();
        Ok(())
    }

    fn stem(&self, step: u64) -> PathBuf {
        self.folder.snapshots().join(stem_name(step))
    }

    /// Where the results are and how to open them.
    pub fn where_to_look(&self) -> String {
        let path = self.folder.path().display();
        let mut lines = vec![format!("results in {path}:")];
        let mut line = |file: &str, what: &str| lines.push(format!("  {file:<28}{what}"));
        line("summary.json", "these numbers and more");
        line("series.csv, walls.csv", "time series of global quantities and of the force on each wall");
        if self.loading.is_some() {
            line("loading.csv", "stresses and lengths of the sample; for curves: riprap measure --what loading");
        }
        if self.measures.is_some() {
            line("measures.csv", "measurements made during the run");
        }
        if self.bonds.is_some() {
            line("bonds.csv", "the bonds that broke, one by one: when, where and how");
        }
        if self.flows.is_some() {
            line(
                "flows.csv",
                "grains that entered and left; by material and size in flow_classes.csv, one by one in departures.csv",
            );
        }
        for format in &self.formats {
            let files = match format {
                Format::Vtp => "grains.pvd, contacts.pvd, …",
                _ => &format!("snapshots/*.{}", format.word()),
            };
            line(files, format.advice());
        }
        lines.join("\n")
    }
}

/// True if a multiple of the interval lies in a step that began at the time `before`; an interval of 0 means every step.
/// It depends on the step only, so that a resumed run writes at the same steps.
fn is_due(interval: Option<f64>, before: f64, now: f64) -> bool {
    match interval {
        Some(interval) if interval > 0.0 => {
            // A step that ends on a multiple but for rounding counts as ending on it.
            let count = |time: f64| (time / interval + 1e-6).floor();
            count(now) > count(before)
        }
        _ => true,
    }
}

/// The format that a word of a scene means; the scene was checked, and knows no other words than the store.
fn stored(word: &str) -> Format {
    Format::from_word(word).unwrap_or_else(|error| unreachable!("{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that the schema of scenes allows for a key, wherever it stands.
    fn words_of(key: &str, schema: &serde_json::Value, found: &mut Vec<String>, below: bool) {
        match schema {
            serde_json::Value::Object(entries) => {
                for (name, value) in entries {
                    match value.as_str() {
                        Some(word) if below && name == "const" => found.push(word.into()),
                        _ => words_of(key, value, found, below || name == key),
                    }
                }
            }
            serde_json::Value::Array(items) => items.iter().for_each(|item| words_of(key, item, found, below)),
            _ => {}
        }
    }

    #[test]
    fn every_measurement_that_a_scene_may_ask_for_is_one_of_a_single_packing() {
        let mut words = Vec::new();
        words_of("measure", &riprap_scene::schema(), &mut words, false);
        let known: Vec<&str> = What::ALL.iter().filter(|what| !what.needs_two()).map(|what| what.word()).collect();
        assert!(words.iter().all(|word| known.contains(&word.as_str())), "{words:?}");
        assert!(words.len() >= 9, "{words:?}");
    }

    #[test]
    fn scenes_know_all_formats_of_snapshots() {
        let mut words = Vec::new();
        words_of("snapshot_formats", &riprap_scene::schema(), &mut words, false);
        assert_eq!(words, Format::ALL.map(Format::word));
    }

    #[test]
    fn an_interval_is_due_once_in_each_of_its_multiples() {
        let due = |interval: f64| {
            (0..1000).filter(|&i| is_due(Some(interval), f64::from(i) * 1e-3, f64::from(i + 1) * 1e-3)).count()
        };
        assert_eq!([0.1, 1e-3, 3e-4, 7.0, 0.0].map(due), [10, 1000, 1000, 0, 1000]);
    }
}
