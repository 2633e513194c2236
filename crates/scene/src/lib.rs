//! Scenes: from TOML to a checked scene to a world, with units and diagnostics.
//!
//! [`load`] parses and checks a scene. All errors are found before any work is done and are returned together
//! ([`Faults`]), each with its line and a hint. A [`Scene`] then samples its grains, builds a world, and takes it from stage
//! to stage:
//!
//! ```
//! use riprap_engine::{Silent, for_any_world};
//! use riprap_scene::{NoFiles, load};
//!
//! const TEXT: &str = r#"
//!     title = "a disk rolls down a slope"
//!     dimension = 2
//!     [domain]
//!     gravity = ["4.905 m/s2", "-8.496 m/s2"]
//!     [materials.steel]
//!     density = "7800 kg/m3"
//!     friction = 0.5
//!     [[walls]]
//!     name = "slope"
//!     shape = "plane"
//!     point = [0, 0]
//!     normal = [0, 1]
//!     [[grains]]
//!     sample = "list"
//!     positions = [[0, "1 cm"]]
//!     radius = "1 cm"
//!     [[stages]]
//!     name = "roll"
//!     end = { time = "0.1 s" }
//! "#;
//! let mut scene = load(TEXT, "slope.toml", &[])?;
//! let grains = scene.sample(&NoFiles)?;
//! let mut world = scene.build(&grains)?;
//! let mut progress = scene.enter_stage(0, &mut world, None);
//! loop {
//!     let report = world.step(&mut Silent).expect("the step succeeds");
//!     if progress.ended(&world, &report) {
//!         break;
//!     }
//! }
//! // It rolls without sliding, with an acceleration of two thirds of g sin 30° along the slope.
//! let (speed, time) = for_any_world!(&world, world => (world.state.velocity[0].length(), world.state.time));
//! assert!((speed / (9.81 * 0.5 * time * 2.0 / 3.0) - 1.0).abs() < 1e-3, "{speed} m/s after {time} s");
//!
//! let faults = load(&TEXT.replace("radius", "radios"), "slope.toml", &[]).unwrap_err();
//! assert!(faults.to_string().contains("slope.toml:17"));
//! # Ok::<(), riprap_scene::Faults>(())
//! ```
//!
//! Internally, the text is parsed into a tree with source locations (`raw`), checked against the description of the format
//! (`format`, `check`), and lowered into a consistent model (`lower`, `model`), from which grains are placed (`sample`) and
//! a world is built (`world`).

mod added_walls;
mod amount;
mod attraction;
mod bodies;
mod check;
mod defaults;
mod fault;
mod filling;
mod flows;
mod format;
mod functions;
mod lower;
mod model;
mod openings;
mod progress;
mod raw;
mod record;
mod reference;
mod refine;
mod resolved;
mod room;
mod sample;
mod schema;
mod shapes;
mod sizes;
mod study;
mod tessellation;
mod units;
mod vector;
mod walls;
mod watches;
mod world;

pub use amount::GrainCount;
pub use fault::{Fault, Faults, suggestion};
pub use flows::{Departure, Feed, Flows, Opening, OpeningKind, Tally};
pub use model::{End, EndCause, Outputs, Stage, Strain};
pub use progress::{Displacement, Moving, StageProgress};
pub use raw::Override;
pub use reference::reference;
pub use refine::Unrefinable;
pub use schema::schema;
pub use study::{
    Case, Interval, SEED, SampleKind, Samples, Seeds, StudyPlan, StudyPoint, StudyValue, Values, Variation,
    is_run_name, seed_in,
};

use check::{Checker, Node, Table, Value};
use defaults::Choice;
use fault::{Collector, Sources};
use model::{BlockFile, Sample, ShapeSpec, Shaping, WallForm};
use raw::{RawValue, Span, quoted};
use riprap_engine::{GrainTable, Surface};
use std::sync::Arc;

/// A checked scene.
#[derive(Clone, Debug)]
pub struct Scene {
    model: model::Model,
    /// The checked tables, from which the resolved scene is written.
    root: Table,
    /// What was chosen from the grains.
    chosen: Vec<Choice>,
    /// What is worth knowing about the world that was built.
    remarks: Vec<String>,
    sources: Arc<Sources>,
}

/// Where grains, surfaces and records come from that a scene names by a path.
pub trait GrainSource {
    /// The grains of a file or snapshot; the path is as the scene has it, seen from the scene's folder.
    fn read(&self, path: &str) -> Result<GrainTable, String>;
    /// The surface of a file of triangles or polygons, in the file's unit of length.
    fn read_surface(&self, path: &str) -> Result<Surface, String>;
    /// The text of a file of columns.
    fn read_text(&self, path: &str) -> Result<String, String>;
}

/// For scenes that name no files: whatever they name cannot be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl GrainSource for NoFiles {
    fn read(&self, _path: &str) -> Result<GrainTable, String> {
        Err("no files are read here".into())
    }

    fn read_surface(&self, _path: &str) -> Result<Surface, String> {
        Err("no files are read here".into())
    }

    fn read_text(&self, _path: &str) -> Result<String, String> {
        Err("no files are read here".into())
    }
}

/// A value with its unit, such as `"5 ms"`, in SI units; `unit` is the SI unit of the quantity that is meant, such as `s`.
pub fn in_si(text: &str, unit: &str) -> Result<f64, String> {
    let quantity = units::QUANTITIES.iter().find(|quantity| quantity.unit == unit);
    let quantity = quantity.ok_or_else(|| format!("no quantity of scenes has the unit {unit}"))?;
    quantity.parse(text).map_err(|_| format!("`{text}` is not {}", quantity.expectation()))
}

/// Parses and checks a scene without functions of time in files. `file` is its name in messages; `overrides` replace
/// values of the text.
pub fn load(text: &str, file: &str, overrides: &[Override]) -> Result<Scene, Faults> {
    load_with_files(text, file, overrides, &NoFiles)
}

/// As [`load`], with the files that functions of time are read from.
pub fn load_with_files(
    text: &str,
    file: &str,
    overrides: &[Override],
    files: &dyn GrainSource,
) -> Result<Scene, Faults> {
    let overrides_text = overrides.iter().map(|change| (change.path.clone(), change.value.clone())).collect();
    let sources = Arc::new(Sources { file: file.to_owned(), text: text.to_owned(), overrides: overrides_text });
    let mut faults = Collector::default();
    if text.trim().is_empty() {
        faults.add(&Span::Text(0..0), "the file is empty", "", "`riprap new` lists scenes to start from");
        return Err(Faults::new(faults.faults, sources));
    }
    let Some(tree) = raw::read(text, overrides, &mut faults) else { return Err(Faults::new(faults.faults, sources)) };
    let RawValue::Table(entries) = &tree.value else { unreachable!("a document is a table") };
    let dimension = entries.iter().find(|entry| entry.key == "dimension").map(|entry| &entry.value.value);
    let dimension = match dimension {
        Some(RawValue::Integer(dimension @ 2..=3)) => Some(*dimension as usize),
        _ => None,
    };
    // Faults of the whole file are shown at its first line.
    let place = Span::Text(0..text.find('\n').unwrap_or(text.len()));
    let mut checker =
        Checker { dimension: dimension.unwrap_or(3), dimension_known: dimension.is_some(), faults: &mut faults, files };
    let root = checker.table(entries, &place, &format::ROOT, format::Fill::Defaults);
    let model = lower::lower(&root, &place, &mut faults, files);
    match model {
        Some(model) if faults.faults.is_empty() => {
            Ok(Scene { model, root, chosen: Vec::new(), remarks: Vec::new(), sources })
        }
        _ => Err(Faults::new(faults.faults, sources)),
    }
}

impl Scene {
    /// 2 or 3.
    pub fn dimension(&self) -> usize {
        self.model.dimension
    }

    /// The name of its file, as it stands in messages.
    pub fn file(&self) -> &str {
        &self.sources.file
    }

    /// The one-line description of the scene.
    pub fn title(&self) -> &str {
        &self.model.title
    }

    /// True if grains can leave.
    pub fn has_outlets(&self) -> bool {
        !self.model.outlets.is_empty()
    }

    /// The stages in order.
    pub fn stages(&self) -> &[Stage] {
        &self.model.stages
    }

    /// The output settings; complete once the world has been built.
    pub fn outputs(&self) -> &Outputs {
        &self.model.outputs
    }

    /// Replaces the paths of the files that grains, shapes and walls are read from, for a scene that is stored elsewhere.
    pub fn move_paths(&mut self, moved: impl Fn(&str) -> String) {
        for entry in &mut self.model.grains {
            match &mut entry.sample {
                Sample::File { path, .. } | Sample::Blocks { file: Some(BlockFile { path, .. }), .. } => {
                    *path = moved(path);
                }
                _ => {}
            }
            if let Some(Shaping { spec: ShapeSpec::File { path, .. }, .. }) = &mut entry.shape {
                *path = moved(path);
            }
        }
        for wall in &mut self.model.walls {
            if let WallForm::MeshFile { path, .. } = &mut wall.shape.form {
                *path = moved(path);
            }
        }
        let rename = |table: Option<&mut Table>| {
            if let Some(node) = table.and_then(|table| table.get_mut("path"))
                && let Value::Text(path) = &mut node.value
            {
                *path = moved(path);
                node.literal = quoted(path);
            }
        };
        for entry in self.root.list_mut("grains").iter_mut().filter_map(Node::as_table_mut) {
            let shape = entry.get_mut("shape").and_then(Node::as_table_mut);
            rename(shape.and_then(|shape| shape.get_mut("file")).and_then(Node::as_table_mut));
            rename(Some(entry));
        }
        for wall in self.root.list_mut("walls").iter_mut().filter_map(Node::as_table_mut) {
            rename(Some(wall));
        }
    }

    /// True if another scene is equivalent, however it is written.
    pub fn says_the_same(&self, other: &Scene) -> bool {
        self.model == other.model
    }

    /// `value`, or the faults if there are any.
    fn finish<T>(&self, value: T, faults: Collector) -> Result<T, Faults> {
        if faults.faults.is_empty() { Ok(value) } else { Err(Faults::new(faults.faults, Arc::clone(&self.sources))) }
    }
}
