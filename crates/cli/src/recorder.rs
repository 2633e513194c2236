//! What a run writes while it goes: time series and snapshots.

use crate::failure::{Exit, Failure};
use crate::folder::Folder;
use crate::measure::{NUMBER_COLUMNS, loading, number_row};
use crate::table_file::{TableFile, number, optional, text};
use riprap_engine::{AnyWorld, Dim, StepReport, Vector, World, for_any_world};
use riprap_measure as measure;
use riprap_measure::report::{Choices, What};
use riprap_scene::{End, Outputs, Scene, SnapshotFormat};
use riprap_store::{Format, PvdSeries, Snapshot, write_snapshot};
use std::path::{Path, PathBuf};

/// The columns of `series.csv`.
pub const SERIES: [&str; 36] = [
    "step",
    "time_s",
    "stage",
    "time_step_s",
    "sweeps",
    "residual",
    "worst_contact_error",
    "converged",
    "candidates",
    "contacts",
    "sliding",
    "max_overlap_over_radius",
    "mean_overlap_over_radius",
    "coordination",
    "solid_fraction",
    "kinetic_energy_J",
    "potential_energy_J",
    "elastic_energy_J",
    "work_of_loads_J",
    "work_of_drivers_J",
    "friction_J",
    "impact_J",
    "rolling_J",
    "torsion_J",
    "cohesion_J",
    "work_of_bridges_J",
    "scheme_J",
    "created_J",
    "energy_error",
    "momentum_error",
    "max_speed_m_s",
    "unbalanced_force_over_weight",
    "worst_unbalanced_force_over_weight",
    "unbalanced_force_over_contact_force",
    "worst_unbalanced_force_over_contact_force",
    "floor_force_over_weight",
];

const SNAPSHOT_LIST: [&str; 3] = ["step", "time_s", "file"];

/// The files that grow with the run.
#[derive(Debug)]
pub struct Recorder {
    outputs: Outputs,
    formats: Vec<Format>,
    folder: Folder,
    series: TableFile,
    walls: TableFile,
    list: TableFile,
    /// The stresses and lengths of a sample between walls or in a periodic cell.
    loading: Option<TableFile>,
    /// What is measured on the way, and the file that it goes to.
    measures: Option<(Vec<What>, TableFile)>,
    /// What ParaView opens as animations: grains, contacts, walls, and bodies that are not balls.
    animations: Vec<PvdSeries>,
    snapshots: Vec<Listed>,
    mean_radius: f64,
}

impl Recorder {
    /// New files for a new run.
    pub fn create(folder: &Folder, scene: &Scene, world: &AnyWorld) -> Result<Self, Failure> {
        let series = TableFile::create(&folder.series(), &SERIES)?;
        let walls = TableFile::create(&folder.walls(), &wall_columns(world.dimension()))?;
        let list = TableFile::create(&folder.snapshot_list(), &SNAPSHOT_LIST)?;
        let loading =
            loading_columns(world).map(|columns| TableFile::create(&folder.loading(), &columns)).transpose()?;
        let measures = measures(scene, || TableFile::create(&folder.measures(), &NUMBER_COLUMNS))?;
        Recorder::new(folder, scene, world, ([series, walls, list], loading, measures), Vec::new())
    }

    /// The files of a run that goes on, cut back to the step that the world is at.
    pub fn reopen(folder: &Folder, scene: &Scene, world: &AnyWorld) -> Result<Self, Failure> {
        let step = for_any_world!(world, world => world.state.step);
        let series = TableFile::reopen(&folder.series(), &SERIES, step)?;
        let walls = TableFile::reopen(&folder.walls(), &wall_columns(world.dimension()), step)?;
        let list = TableFile::reopen(&folder.snapshot_list(), &SNAPSHOT_LIST, step)?;
        let columns = loading_columns(world);
        let loading = columns.map(|columns| TableFile::reopen(&folder.loading(), &columns, step)).transpose()?;
        let measures = measures(scene, || TableFile::reopen(&folder.measures(), &NUMBER_COLUMNS, step))?;
        let snapshots = listed_snapshots(&folder.snapshot_list())?;
        Recorder::new(folder, scene, world, ([series, walls, list], loading, measures), snapshots)
    }

    fn new(
        folder: &Folder,
        scene: &Scene,
        world: &AnyWorld,
        ([series, walls, list], loading, measures): Tables,
        snapshots: Vec<Listed>,
    ) -> Result<Self, Failure> {
        let outputs = scene.outputs().clone();
        let formats = outputs.snapshot_formats.iter().map(|&format| stored(format)).collect();
        let (time, mean_radius) = for_any_world!(world, world => (world.state.time, measure::mean_radius(world)));
        let animations = folder
            .animations()
            .iter()
            .map(|path| PvdSeries::open(path, time))
            .collect::<Result<_, _>>()
            .map_err(|error| Failure::new(Exit::Unreadable, error.to_string()))?;
        let folder = folder.clone();
        Ok(Recorder {
            outputs,
            formats,
            folder,
            series,
            walls,
            list,
            loading,
            measures,
            animations,
            snapshots,
            mean_radius,
        })
    }

    /// Writes what is due after a step that began at the time `before`; the end of a stage is always written.
    pub fn record(
        &mut self,
        world: &AnyWorld,
        report: &StepReport,
        before: f64,
        stage_ended: bool,
        stage: &str,
    ) -> Result<(), Failure> {
        if stage_ended || is_due(self.outputs.series_interval, before, report.time) {
            for_any_world!(world, inner => self.rows(inner, report, stage))?;
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

    /// Measures what the scene asks for.
    fn measure(&mut self, world: &AnyWorld) -> Result<(), Failure> {
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
    pub fn snapshot(&mut self, world: &AnyWorld) -> Result<(), Failure> {
        let (step, time) = for_any_world!(world, world => (world.state.step, world.state.time));
        if self.snapshots.last().is_some_and(|last| last.step == step) {
            return Ok(());
        }
        let snapshot = Snapshot::of(world);
        for &format in &self.formats {
            let files = write_snapshot(&snapshot, format, &self.stem(step)).map_err(unwritable)?;
            if format == Format::Vtp {
                for (animation, file) in self.animations.iter_mut().zip(&files) {
                    animation.push(time, file).map_err(unwritable)?;
                }
            }
        }
        self.snapshots.push(Listed { step, time });
        self.list.row(&[step.to_string(), number(time), stem_name(step)])
    }

    /// Makes all rows safe on disk.
    pub fn sync(&mut self) -> Result<(), Failure> {
        self.series.sync()?;
        self.walls.sync()?;
        self.loading.as_mut().map_or(Ok(()), TableFile::sync)?;
        self.measures.as_mut().map_or(Ok(()), |(_, file)| file.sync())?;
        self.list.sync()
    }

    /// Where the results are and how to open them.
    pub fn where_to_look(&self) -> String {
        let path = self.folder.path().display();
        let mut lines = vec![format!("results are in {path}:")];
        let mut line = |file: &str, what: &str| lines.push(format!("  {file:<28}{what}"));
        line("summary.json", "these numbers and more");
        line("series.csv, walls.csv", "time series of the whole and of the forces on each wall");
        if self.loading.is_some() {
            line("loading.csv", "stresses and lengths of the sample; its curves: riprap measure --what loading");
        }
        if self.measures.is_some() {
            line("measures.csv", "what was measured on the way");
        }
        for format in &self.formats {
            match format {
                Format::Vtp => line(
                    "grains.pvd, contacts.pvd, …",
                    "open in ParaView (grains: Glyph or Point Gaussian, by radius; angular ones: bodies.pvd)",
                ),
                Format::Hdf5 => line("snapshots/*.h5", "open in Python with h5py"),
                Format::Xyz => line("snapshots/*.xyz", "open in OVITO"),
                Format::LammpsDump | Format::LammpsData => line("snapshots/*.dump", "open in OVITO"),
                Format::Csv => line("snapshots/*.csv", "open in a spreadsheet or numpy"),
            }
        }
        lines.join("\n")
    }

    fn stem(&self, step: u64) -> PathBuf {
        self.folder.snapshots().join(stem_name(step))
    }

    fn rows<D: Dim>(&mut self, world: &World<D>, report: &StepReport, stage: &str) -> Result<(), Failure> {
        let energy = &report.energy;
        let balance = measure::force_balance(world);
        let packing = measure::Packing::of(world);
        let [weight, contact] = [balance.over_weight(), balance.over_contact_force()];
        let per_radius = |length: f64| (self.mean_radius > 0.0).then(|| length / self.mean_radius);
        let scale = energy.scale();
        self.series.row(&[
            report.step.to_string(),
            number(report.time),
            text(stage),
            number(report.time_step),
            report.sweeps.to_string(),
            number(report.residual),
            number(report.worst_contact),
            u8::from(report.converged).to_string(),
            report.candidates.to_string(),
            report.contacts.to_string(),
            report.sliding.to_string(),
            optional(per_radius(report.max_overlap)),
            optional(per_radius(report.mean_overlap)),
            number(measure::coordination(&packing, None).map_or(0.0, |coordination| coordination.mean)),
            optional(measure::solid_fraction(&packing, None).ok()),
            number(energy.kinetic),
            number(energy.potential),
            number(energy.elastic),
            number(energy.loads),
            number(energy.drivers),
            number(energy.friction),
            number(energy.impact),
            number(energy.rolling),
            number(energy.torsion),
            number(energy.cohesion),
            number(energy.bridges),
            number(energy.scheme),
            number(energy.created),
            number(if scale > 0.0 { energy.error() / scale } else { 0.0 }),
            number(report.momentum_error),
            number(report.max_speed),
            optional(weight.map(|[mean, _]| mean)),
            optional(weight.map(|[_, worst]| worst)),
            optional(contact.map(|[mean, _]| mean)),
            optional(contact.map(|[_, worst]| worst)),
            optional(measure::floor_force(world).map(|floor| floor.force / floor.weight)),
        ])?;
        if let (Some(file), Some(loading)) = (&mut self.loading, measure::loading(world)) {
            let mut row = vec![report.step.to_string(), number(report.time), text(stage)];
            row.extend(loading::row(&loading, report.unbalanced_force).into_iter().map(number));
            file.row(&row)?;
        }
        for load in world.wall_loads() {
            let body = load.body as usize;
            let mut row = vec![report.step.to_string(), number(report.time)];
            row.push(text(world.bodies[body].name.as_deref().unwrap_or("")));
            row.extend(components(load.force));
            row.extend(components(load.torque));
            row.push(number(load.power));
            row.extend(components(world.state.position[body]));
            row.extend(components(world.state.velocity[body]));
            self.walls.row(&row)?;
        }
        Ok(())
    }
}

/// The series, walls and snapshots of a run, its loading if it is a loading test, and what is measured on the way.
type Tables = ([TableFile; 3], Option<TableFile>, Option<(Vec<What>, TableFile)>);

/// The columns of the loading of a world whose sample is between planes or periods along every axis.
fn loading_columns(world: &AnyWorld) -> Option<Vec<&'static str>> {
    for_any_world!(world, world => measure::loading(world)).map(|loading| loading::columns(loading.dimension))
}

/// What the scene asks to measure, with the file for it; none if it asks for nothing.
fn measures(
    scene: &Scene,
    file: impl FnOnce() -> Result<TableFile, Failure>,
) -> Result<Option<(Vec<What>, TableFile)>, Failure> {
    let whats: Vec<What> = scene.outputs().measure.iter().filter_map(|word| What::from_word(word)).collect();
    if whats.is_empty() { Ok(None) } else { Ok(Some((whats, file()?))) }
}

/// A snapshot in the list of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listed {
    /// The step that it was taken after.
    pub step: u64,
    /// The time.
    pub time: f64,
}

impl Listed {
    /// The file of this snapshot that holds most of it; `None` if there is none.
    pub fn fullest_file(&self, folder: &Folder) -> Option<PathBuf> {
        let name = stem_name(self.step);
        let grains = name.replace("snapshot_", "snapshot_grains_");
        [
            format!("{name}.h5"),
            format!("{grains}.vtp"),
            format!("{grains}.csv"),
            format!("{name}.xyz"),
            format!("{name}.dump"),
        ]
        .into_iter()
        .map(|file| folder.snapshots().join(file))
        .find(|path| path.is_file())
    }
}

/// The snapshots that a run has listed, in order.
pub fn listed_snapshots(path: &Path) -> Result<Vec<Listed>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::reading(path, error))?;
    let listed = |line: &str| {
        let (step, rest) = line.split_once(',')?;
        let (time, _) = rest.split_once(',')?;
        Some(Listed { step: step.parse().ok()?, time: time.parse().ok()? })
    };
    Ok(text.lines().skip(1).filter_map(listed).collect())
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

/// The time at which the run ends; `None` if that cannot be known.
pub fn total_time(scene: &Scene) -> Option<f64> {
    let length = |end: &End| end.time.filter(|_| !may_end_before(end) && end.steps.is_none() && end.strain.is_none());
    scene.stages().iter().map(|stage| length(&stage.end)).sum()
}

/// True if the stage may end by coming to rest, which nobody knows beforehand.
pub fn may_end_before(end: &End) -> bool {
    end.kinetic_energy.is_some() || end.kinetic_energy_over_mgd.is_some() || end.force_balance.is_some()
}

fn stored(format: SnapshotFormat) -> Format {
    match format {
        SnapshotFormat::Vtp => Format::Vtp,
        SnapshotFormat::Hdf5 => Format::Hdf5,
        SnapshotFormat::Xyz => Format::Xyz,
        SnapshotFormat::Dump => Format::LammpsDump,
        SnapshotFormat::Csv => Format::Csv,
    }
}

/// The name of a snapshot's files, without what comes before and after.
fn stem_name(step: u64) -> String {
    format!("snapshot_{step:09}")
}

fn components<V: Vector>(vector: V) -> impl Iterator<Item = String> {
    (0..V::LEN).map(move |i| number(vector.get(i)))
}

fn wall_columns(dimension: usize) -> Vec<&'static str> {
    let mut columns = vec!["step", "time_s", "wall"];
    if dimension == 2 {
        columns.extend(["force_x_N", "force_y_N", "torque_N_m", "power_W"]);
        columns.extend(["x_m", "y_m", "velocity_x_m_s", "velocity_y_m_s"]);
    } else {
        columns.extend([
            "force_x_N",
            "force_y_N",
            "force_z_N",
            "torque_x_N_m",
            "torque_y_N_m",
            "torque_z_N_m",
            "power_W",
        ]);
        columns.extend(["x_m", "y_m", "z_m", "velocity_x_m_s", "velocity_y_m_s", "velocity_z_m_s"]);
    }
    columns
}

fn unwritable(error: riprap_store::StoreError) -> Failure {
    Failure::new(Exit::Unwritable, error.to_string())
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
    fn an_interval_is_due_once_in_each_of_its_multiples() {
        let due = |interval: f64| {
            (0..1000).filter(|&i| is_due(Some(interval), f64::from(i) * 1e-3, f64::from(i + 1) * 1e-3)).count()
        };
        assert_eq!([0.1, 1e-3, 3e-4, 7.0, 0.0].map(due), [10, 1000, 1000, 0, 1000]);
    }
}
