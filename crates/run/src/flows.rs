//! Grains that come and go during a run, and the tables that count them.

use crate::error::RunError;
use crate::folder::RunFolder;
use crate::table_file::{TableFile, number, text};
use crate::words::three_digits;
use riprap_scene::{Departure, Flows, Opening, OpeningKind, Scene, Tally};
use serde_json::{Value, json};
use std::path::Path;

/// What inlets, outlets and gauges have counted, and what of it the tables have told already.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// The counts.
    pub flows: Flows,
    /// Number and mass of each opening in the last row of `flows.csv`.
    told: Vec<[f64; 2]>,
    told_at: f64,
    /// The step before which grains last came and went.
    pub exchanged: f64,
    /// The first step in which an inlet refused something.
    refused_first: f64,
}

impl Traffic {
    /// The traffic of a run that begins, or goes on with the numbers of a checkpoint.
    pub fn new(scene: &Scene, counters: &[(String, f64)]) -> Self {
        let mut traffic =
            Traffic { flows: scene.flows(), told: vec![[0.0; 2]; scene.openings().len()], ..Traffic::default() };
        if !counters.is_empty() {
            traffic.flows.set_counters(counters);
            for (name, value) in traffic.fields() {
                if let Some((_, stored)) = counters.iter().find(|(stored, _)| *stored == name) {
                    *value = *stored;
                }
            }
        }
        traffic
    }

    /// All numbers, as a checkpoint keeps them.
    pub fn to_counters(&self) -> Vec<(String, f64)> {
        let own = self.clone().fields().into_iter().map(|(name, value)| (name, *value)).collect::<Vec<_>>();
        if self.told.is_empty() { Vec::new() } else { [self.flows.to_counters(), own].concat() }
    }

    fn fields(&mut self) -> Vec<(String, &mut f64)> {
        let own = [
            ("flows told_at", &mut self.told_at),
            ("flows exchanged", &mut self.exchanged),
            ("flows refused_first", &mut self.refused_first),
        ];
        let mut fields: Vec<(String, &mut f64)> = own.map(|(name, value)| (name.to_owned(), value)).into();
        for (index, [number, mass]) in self.told.iter_mut().enumerate() {
            fields.push((format!("flows told number {index}"), number));
            fields.push((format!("flows told mass {index}"), mass));
        }
        fields
    }

    /// A warning, if this is the first step in which an inlet refuses something.
    pub fn first_refusal(&mut self, scene: &Scene, step: u64) -> Option<String> {
        let mut inlets = scene.openings().into_iter().zip(&self.flows.inlets);
        let (opening, _) = inlets.find(|(_, feed)| feed.refused > 0.0).filter(|_| self.refused_first == 0.0)?;
        self.refused_first = step as f64;
        let name = opening.name;
        Some(format!(
            "in step {step}, inlet \"{name}\" could not reach its rate: grains that find no room in time are refused and counted in flows.csv"
        ))
    }

    /// The warnings that stand at the end.
    pub fn warnings(&self, scene: &Scene) -> Vec<String> {
        let refused = scene.openings().into_iter().zip(&self.flows.inlets).filter(|(_, feed)| feed.refused > 0.0);
        let words = refused.map(|(opening, feed)| {
            let (fed, unit) =
                if opening.counts_grains { (feed.new, "grains") } else { (feed.new_mass, "kg") };
            format!(
                "inlet \"{}\" refused {} {unit} for lack of room and let in {} {unit}; use a larger inlet, a higher velocity or \
                 a lower rate",
                opening.name,
                three_digits(feed.refused),
                three_digits(fed)
            )
        });
        words.collect()
    }

    /// What the summary says of each opening.
    pub fn summary(&self, scene: &Scene) -> Value {
        let of = |(opening, tally): (Opening, &Tally)| {
            let mut entry = json!({
                "kind": kind(opening.kind),
                "number": tally.total_number(),
                "mass_kg": tally.total_mass(),
            });
            let feed = self.flows.inlets.iter().zip(scene.openings()).find(|(_, inlet)| *inlet == opening);
            if let (OpeningKind::Inlet, Some((feed, _))) = (opening.kind, feed) {
                let key = if opening.counts_grains { "refused_number" } else { "refused_kg" };
                entry[key] = json!(feed.refused);
                entry["new"] = json!(feed.new);
                entry["waiting"] = json!(feed.waiting.len());
            }
            (opening.name.to_owned(), entry)
        };
        Value::Object(scene.openings().into_iter().zip(self.tallies()).map(of).collect())
    }

    /// The counts in the order of [`Scene::openings`].
    fn tallies(&self) -> impl Iterator<Item = &Tally> {
        let inlets = self.flows.inlets.iter().map(|feed| &feed.tally);
        inlets.chain(&self.flows.outlets).chain(&self.flows.gauges)
    }
}

/// The word for a kind of opening in files.
fn kind(kind: OpeningKind) -> &'static str {
    match kind {
        OpeningKind::Inlet => "inlet",
        OpeningKind::Outlet => "outlet",
        OpeningKind::Gauge => "gauge",
    }
}

const FLOW_COLUMNS: [&str; 11] = [
    "step",
    "time_s",
    "opening",
    "kind",
    "number",
    "mass_kg",
    "number_rate_1_s",
    "mass_rate_kg_s",
    "waiting",
    "refused_number",
    "refused_kg",
];

const CLASS_COLUMNS: [&str; 8] =
    ["step", "time_s", "opening", "material", "diameter_from_m", "diameter_to_m", "number", "mass_kg"];

const DEPARTURE_COLUMNS: [&str; 8] =
    ["step", "time_s", "outlet", "grain", "material", "diameter_m", "mass_kg", "residence_s"];

/// The tables of a run whose grains come and go.
#[derive(Debug)]
pub struct FlowTables {
    flows: TableFile,
    classes: TableFile,
    departures: TableFile,
}

impl FlowTables {
    /// Creates or reopens the files.
    pub fn open(
        folder: &RunFolder,
        table: impl Fn(&Path, &[&str]) -> Result<TableFile, RunError>,
    ) -> Result<Self, RunError> {
        Ok(FlowTables {
            flows: table(&folder.flows(), &FLOW_COLUMNS)?,
            classes: table(&folder.flow_classes(), &CLASS_COLUMNS)?,
            departures: table(&folder.departures(), &DEPARTURE_COLUMNS)?,
        })
    }

    /// The rows of grains that leave before a step.
    pub fn departed(&mut self, scene: &Scene, step: u64, time: f64, gone: &[Departure]) -> Result<(), RunError> {
        let (openings, materials) = (scene.openings(), scene.material_names());
        let outlets: Vec<&str> =
            openings.iter().filter(|opening| opening.kind == OpeningKind::Outlet).map(|opening| opening.name).collect();
        for grain in gone {
            self.departures.row(&[
                step.to_string(),
                number(time),
                text(outlets[grain.outlet]),
                grain.id.to_string(),
                text(materials[usize::from(grain.material)]),
                number(grain.diameter),
                number(grain.mass),
                number(time - grain.entered),
            ])?;
        }
        Ok(())
    }

    /// The rows of all openings after a step; rates are means since the last rows.
    pub fn rows(&mut self, scene: &Scene, traffic: &mut Traffic, step: u64, time: f64) -> Result<(), RunError> {
        let (openings, materials) = (scene.openings(), scene.material_names());
        let span = time - traffic.told_at;
        let per_second = |change: f64| if span > 0.0 { number(change / span) } else { String::new() };
        for (index, (opening, tally)) in openings.iter().zip(traffic.tallies()).enumerate() {
            let (count, mass) = (tally.total_number(), tally.total_mass());
            let [told_count, told_mass] = traffic.told[index];
            let feed = traffic.flows.inlets.get(index);
            let refused = |wanted: bool| {
                let fits = |feed: &&riprap_scene::Feed| feed.refused >= 0.0 && opening.counts_grains == wanted;
                feed.filter(fits).map_or(String::new(), |feed| number(feed.refused))
            };
            self.flows.row(&[
                step.to_string(),
                number(time),
                text(opening.name),
                kind(opening.kind).to_owned(),
                number(count),
                number(mass),
                per_second(count - told_count),
                per_second(mass - told_mass),
                feed.map_or(String::new(), |feed| feed.waiting.len().to_string()),
                refused(true),
                refused(false),
            ])?;
            let classes = opening.classes.len() + 1;
            for (place, (&count, &mass)) in tally.number.iter().zip(&tally.mass).enumerate() {
                let [from, to] = opening.class(place % classes);
                self.classes.row(&[
                    step.to_string(),
                    number(time),
                    text(opening.name),
                    text(materials[place / classes]),
                    number(from),
                    if to.is_finite() { number(to) } else { String::new() },
                    number(count),
                    number(mass),
                ])?;
            }
        }
        traffic.told = traffic.tallies().map(|tally| [tally.total_number(), tally.total_mass()]).collect();
        traffic.told_at = time;
        Ok(())
    }

    /// What is wrong with rows of a run that goes on.
    pub fn damage(&self) -> impl Iterator<Item = String> {
        [&self.flows, &self.classes, &self.departures].into_iter().filter_map(TableFile::damage)
    }

    /// Makes all rows safe on disk.
    pub fn sync(&mut self) -> Result<(), RunError> {
        self.flows.sync()?;
        self.classes.sync()?;
        self.departures.sync()
    }
}
