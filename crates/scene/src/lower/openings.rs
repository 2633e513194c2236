//! Inlets, outlets and gauges, and what can be known to be wrong with them before the first step.

use super::Lowering;
use crate::check::{Entry, Node, Table, Value};
use crate::fault::suggestion;
use crate::model::*;
use crate::raw::Span;
use crate::sizes::Size;
use riprap_engine::{D2, D3, Dim, Primitive, TimeFunction};

impl Lowering<'_> {
    pub(super) fn inlets(&mut self, root: &Table, gravity: Point) -> Vec<InletSpec> {
        let mut inlets: Vec<InletSpec> = Vec::new();
        for (table, place) in root.tables("inlets") {
            let Some(inlet) = self.inlet(root, table, place) else { continue };
            self.check_name(table, place, inlets.iter().any(|other| other.name == inlet.name));
            self.check_room_of(table, place, &inlet);
            self.check_rate(table, place, &inlet, gravity);
            inlets.push(inlet);
        }
        inlets
    }

    pub(super) fn outlets(&mut self, root: &Table, inlets: &[InletSpec]) -> Vec<OutletSpec> {
        let mut outlets: Vec<OutletSpec> = Vec::new();
        for (table, place) in root.tables("outlets") {
            let Some(outlet) = self.outlet(root, table, place, inlets) else { continue };
            let is_taken = outlets.iter().any(|other| other.name == outlet.name)
                || inlets.iter().any(|inlet| inlet.name == outlet.name);
            self.check_name(table, place, is_taken);
            for inlet in inlets.iter().filter(|inlet| outlet.group.as_ref().is_none_or(|group| *group == inlet.group)) {
                if inlet.place.sample_points(inlet.size.bounds().1).iter().any(|&point| outlet.place.contains(point)) {
                    let message = format!("grains of inlet \"{}\" would leave immediately", inlet.name);
                    let label = format!("outlet \"{}\" contains a part of the inlet", outlet.name);
                    self.faults.add(table.place("place", place), message, label, "move one of them");
                }
            }
            outlets.push(outlet);
        }
        for inlet in inlets.iter().filter(|inlet| inlet.rate.is_none()) {
            if !outlets.iter().any(|outlet| outlet.to.is_some_and(|to| inlets[to].name == inlet.name)) {
                let help = "give `mass_rate` or `number_rate`, or name it in `to` of an outlet";
                let message = format!("inlet \"{}\" feeds nothing", inlet.name);
                self.faults.add(&inlet.at.0, message, "it has no rate, and no outlet leads to it", help);
            }
        }
        outlets
    }

    pub(super) fn gauges(&mut self, root: &Table) -> Vec<GaugeSpec> {
        let mut gauges: Vec<GaugeSpec> = Vec::new();
        for (table, place) in root.tables("gauges") {
            let gauge = (|| {
                let (name, at) = (table.text("name"), self.place(table));
                let classes = self.classes(table);
                Some(GaugeSpec { name: name?.to_owned(), place: at?, classes: classes? })
            })();
            let Some(gauge) = gauge else { continue };
            let is_named = |key: &str| root.tables(key).any(|(other, _)| other.text("name") == Some(&gauge.name));
            let is_taken =
                gauges.iter().any(|other| other.name == gauge.name) || is_named("inlets") || is_named("outlets");
            self.check_name(table, place, is_taken);
            gauges.push(gauge);
        }
        gauges
    }

    fn inlet(&mut self, root: &Table, table: &Table, place: &Span) -> Option<InletSpec> {
        let material = self.material(table, place);
        self.check_density(table, place, material);
        let shape = self.shaping(table, table.text("orientation") == Some("aligned"));
        if let Some(Some(Shaping { spec: ShapeSpec::File { .. }, .. })) = &shape {
            let help = "give the shape by `hull`, `box` or `cluster`";
            self.faults.add(table.place("shape", place), "the shape of an inlet cannot come from a file", "", help);
        }
        let own_size = match &shape {
            Some(Some(Shaping { spec: ShapeSpec::Fixed(solid), .. })) => Some(solid.radius),
            // The fault of a broken shape is enough.
            None => Some(1.0),
            _ => None,
        };
        let size = match own_size {
            Some(radius) if !table.has("radius") && !table.has("diameter") => Some(Size::Constant(radius)),
            _ => self.size(table, place),
        };
        let rate = self.rate(table, place);
        let total = self.total(table, place);
        let (at, stages, classes) = (self.place(table), self.stages_of(root, table), self.classes(table));
        let size = size?;
        self.check_period(size.bounds().1, place);
        Some(InletSpec {
            at: At(place.clone()),
            name: table.text("name")?.to_owned(),
            place: at?,
            rate: rate?,
            total: total?,
            wait: table.number("wait"),
            size,
            shape: shape?,
            material: material?,
            group: table.text("group")?.to_owned(),
            velocity: table.vector("velocity")?,
            velocity_spread: table.number("velocity_spread")?,
            spin: table.vector("spin").unwrap_or_default(),
            seed: table.integer("seed").or(root.integer("seed"))? as u64,
            stages: stages?,
            classes: classes?,
        })
    }

    fn outlet(&mut self, root: &Table, table: &Table, place: &Span, inlets: &[InletSpec]) -> Option<OutletSpec> {
        let to = match table.get("to") {
            None => Some(None),
            Some(node) => {
                let name = node.as_text()?;
                let found = inlets.iter().position(|inlet| inlet.name == name);
                // An inlet with a fault of its own is not in the list, and not a fault of the outlet.
                let is_broken = root.tables("inlets").any(|(inlet, _)| inlet.text("name") == Some(name));
                if found.is_none() && !is_broken {
                    let help = suggestion(name, inlets.iter().map(|inlet| inlet.name.as_str()));
                    self.faults.add(&node.place, format!("no such inlet: \"{name}\""), "", help);
                }
                found.map(Some)
            }
        };
        let (at, stages, classes) = (self.place(table), self.stages_of(root, table), self.classes(table));
        Some(OutletSpec {
            at: At(place.clone()),
            name: table.text("name")?.to_owned(),
            place: at?,
            to: to?,
            group: table.text("group").map(str::to_owned),
            stages: stages?,
            classes: classes?,
        })
    }

    pub(super) fn place(&mut self, table: &Table) -> Option<Place> {
        let entry: &Entry = table.table("place")?.only()?;
        let (inner, at) = (entry.node.as_table()?, &entry.node.place);
        match entry.key.as_str() {
            "plane" => {
                let normal = self.direction(inner, "normal");
                Some(Place::Plane { point: inner.vector("point")?, normal: normal? })
            }
            "plate" => {
                let plate = self.plate(inner, at)?;
                let WallForm::Primitive(Primitive::Plate { half_edges }) = plate.form else { return None };
                Some(Place::Plate { centre: plate.position, half_edges })
            }
            "disk" => {
                let normal = self.direction(inner, "normal");
                Some(Place::Disk { centre: inner.vector("centre")?, normal: normal?, radius: inner.number("radius")? })
            }
            "outside" => self.given_region(entry).map(Place::Outside),
            _ => self.given_region(entry).map(Place::Region),
        }
    }

    fn rate(&mut self, table: &Table, place: &Span) -> Option<Option<Rate>> {
        let rate = match (table.has("mass_rate"), table.has("number_rate")) {
            (true, false) => Rate::Mass(table.function("mass_rate")?),
            (false, true) => Rate::Number(table.function("number_rate")?),
            (false, false) => return Some(None),
            (true, true) => {
                let at = table.place("number_rate", place);
                self.faults.add(at, "the rate is given twice", "", "give either `mass_rate` or `number_rate`");
                return None;
            }
        };
        let (Rate::Mass(function) | Rate::Number(function)) = &rate;
        if matches!(function, TimeFunction::Constant(rate) if *rate <= 0.0) {
            let at = table.place("mass_rate", table.place("number_rate", place));
            self.faults.add(at, "the rate of an inlet must be greater than 0", "", "");
            return None;
        }
        Some(Some(rate))
    }

    fn total(&mut self, table: &Table, place: &Span) -> Option<Option<Quota>> {
        match (table.number("total_mass"), table.integer("total_number")) {
            (None, None) => Some(None),
            (Some(mass), None) => Some(Some(Quota::Mass(mass))),
            (None, Some(number)) => Some(Some(Quota::Number(number as f64))),
            (Some(_), Some(_)) => {
                let at = table.place("total_number", place);
                self.faults.add(at, "the total is given twice", "", "give either `total_mass` or `total_number`");
                None
            }
        }
    }

    /// The stages that an inlet or outlet names; empty for all.
    fn stages_of(&mut self, root: &Table, table: &Table) -> Option<Vec<usize>> {
        let names: Vec<&str> = root.tables("stages").map(|(stage, _)| stage.text("name").unwrap_or_default()).collect();
        let mut stages = Some(Vec::new());
        for node in table.list("stages") {
            let name = node.as_text()?;
            match names.iter().position(|known| *known == name) {
                Some(stage) => stages.iter_mut().for_each(|stages| stages.push(stage)),
                None => {
                    let help = suggestion(name, names.iter().copied());
                    self.faults.add(&node.place, format!("no such stage: \"{name}\""), "", help);
                    stages = None;
                }
            }
        }
        stages
    }

    fn classes(&mut self, table: &Table) -> Option<Vec<f64>> {
        let number = |node: &Node| match node.value {
            Value::Number(number) => Some(number),
            _ => None,
        };
        let classes: Vec<f64> = table.list("sizes").iter().map(number).collect::<Option<_>>()?;
        if let Some(place) = classes.windows(2).position(|pair| pair[0] >= pair[1]) {
            let at = &table.list("sizes")[place + 1].place;
            self.faults.add(at, "the sizes do not increase", "expected a larger diameter than the one before", "");
            return None;
        }
        Some(classes)
    }

    fn check_name(&mut self, table: &Table, place: &Span, is_taken: bool) {
        if let Some(name) = table.text("name").filter(|_| is_taken) {
            let message = format!("two openings have the name \"{name}\"");
            self.faults.add(table.place("name", place), message, "inlets, outlets and gauges share their names", "");
        }
    }

    /// The largest grain has to fit into the inlet.
    fn check_room_of(&mut self, table: &Table, place: &Span, inlet: &InletSpec) {
        let radius = inlet.size.bounds().1;
        if inlet.place.widest_ball(self.dimension, self.period) < radius * (1.0 - 1e-9) {
            let label = format!("the largest has a radius of {radius} m");
            self.faults.add(table.place("place", place), "the grains do not fit into the inlet", label, "");
        }
    }

    /// No more can come in than the inlet holds in the time in which a grain leaves it.
    fn check_rate(&mut self, table: &Table, place: &Span, inlet: &InletSpec, gravity: Point) {
        let Some(rate) = &inlet.rate else { return };
        let (smallest, largest) = inlet.size.bounds();
        let ball = |radius| if self.dimension == 2 { D2::ball_volume(radius) } else { D3::ball_volume(radius) };
        let density = self.materials[inlet.material].density.unwrap_or(f64::NAN)
            * if self.dimension == 2 { self.thickness } else { 1.0 };
        // The volume of grains that one unit of the rate stands for, at least.
        let (key, asked, volume_of_one) = match rate {
            Rate::Mass(function) => ("mass_rate", function.largest(), 1.0 / density),
            Rate::Number(function) => ("number_rate", function.largest(), ball(smallest)),
        };
        let volume = inlet.place.volume(largest, self.dimension);
        let time = inlet.place.clearing_time(inlet.velocity, gravity, largest, self.dimension);
        if time.is_infinite() {
            let most = match inlet.total {
                Some(Quota::Mass(mass)) => mass / density,
                Some(Quota::Number(number)) => number * ball(smallest),
                None => f64::INFINITY,
            };
            if most > volume {
                let help = "give the grains a velocity, or a smaller total";
                let label = "they have no velocity, and there is no gravity";
                self.faults.add(
                    table.place(key, place),
                    "the grains never leave the inlet, and it fills up",
                    label,
                    help,
                );
            }
            return;
        }
        let most = volume / time / volume_of_one;
        if asked > most {
            let unit = if key == "mass_rate" { "kg/s" } else { "grains per second" };
            let message = format!("the rate of inlet \"{}\" cannot be reached", inlet.name);
            let label = format!(
                "a grain needs {time:.3e} s to leave the inlet, which would let in less than {most:.3e} {unit} even if it \
                 were filled without gaps"
            );
            self.faults.add(
                table.place(key, place),
                message,
                label,
                "use a larger inlet, a higher velocity or a lower rate",
            );
        }
    }
}
