//! What comes in and goes out in the course of a run.
//!
//! The n-th grain of an inlet has random numbers of its own, and so have the places that are tried in a step. So an inlet
//! remembers how many grains it has drawn, and nothing of a generator.

use crate::Scene;
use crate::fault::Collector;
use crate::model::*;
use crate::shapes::Shaper;
use crate::sizes::Random;
use crate::vector::*;
use riprap_engine::{AnyWorld, BodyId, D2, D3, Dim, Form, GrainTable, TableCell, Vector, World, for_any_world};

/// How often a place is tried in a step before a grain has to wait: as in a layer of rain.
const DRAWS_A_STEP: usize = 200;

/// How many places are tried to find out whether an inlet is free of walls.
const WALL_TRIES: usize = 2000;

/// How many grains of an inlet stand for all of them when a time step is chosen.
const TYPICAL: u64 = 32;

/// All that inlets, outlets and gauges remember, in the order of the scene. It goes into checkpoints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flows {
    /// What each inlet has let in.
    pub inlets: Vec<Feed>,
    /// What each outlet has let out.
    pub outlets: Vec<Tally>,
    /// What has passed through each gauge along its normal, less what has passed against it.
    pub gauges: Vec<Tally>,
}

/// An inlet in the course of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feed {
    /// What has come in: new grains, and those put back.
    pub tally: Tally,
    /// What is due and has found no room yet: kg or grains, by the kind of the rate.
    pub due: f64,
    /// What was due but had waited too long: kg or grains.
    pub refused: f64,
    /// The number of new grains.
    pub new: f64,
    /// The mass of new grains (kg).
    pub new_mass: f64,
    /// Grains that have left by an outlet and wait to be put back.
    pub waiting: GrainTable,
}

/// Grains counted by material and size class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// The number of grains, first by material, then by class.
    pub number: Vec<f64>,
    /// Their mass (kg).
    pub mass: Vec<f64>,
}

impl Tally {
    fn new(materials: usize, classes: usize) -> Self {
        let places = materials * (classes + 1);
        Tally { number: vec![0.0; places], mass: vec![0.0; places] }
    }

    fn count(&mut self, opening: &Opening<'_>, grain: &Counted, sign: f64) {
        let place = opening.class_of(grain);
        self.number[place] += sign;
        self.mass[place] += sign * grain.mass;
    }

    /// The number of all grains.
    pub fn total_number(&self) -> f64 {
        self.number.iter().sum()
    }

    /// The mass of all grains (kg).
    pub fn total_mass(&self) -> f64 {
        self.mass.iter().sum()
    }
}

/// A grain as it is counted.
struct Counted {
    material: u16,
    diameter: f64,
    mass: f64,
}

/// What kind of opening something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningKind {
    /// Grains come in.
    Inlet,
    /// Grains leave.
    Outlet,
    /// Grains pass through.
    Gauge,
}

/// An inlet, outlet or gauge as output files know it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is.
    pub kind: OpeningKind,
    /// The diameters between its size classes (m).
    pub classes: &'a [f64],
    /// True for an inlet whose rate is a number and not a mass.
    pub counts_grains: bool,
}

impl Opening<'_> {
    fn class_of(&self, grain: &Counted) -> usize {
        let class = self.classes.iter().take_while(|&&limit| grain.diameter >= limit).count();
        usize::from(grain.material) * (self.classes.len() + 1) + class
    }

    /// The diameters between which the grains of a class are; the last one is infinite.
    pub fn class(&self, class: usize) -> [f64; 2] {
        let lower = class.checked_sub(1).map_or(0.0, |below| self.classes[below]);
        [lower, self.classes.get(class).copied().unwrap_or(f64::INFINITY)]
    }
}

/// A grain that has left by an outlet.
#[derive(Clone, Debug, PartialEq)]
pub struct Departure {
    /// The index of the outlet.
    pub outlet: usize,
    /// The id of the grain.
    pub id: BodyId,
    /// The index of its material.
    pub material: u16,
    /// Its diameter; of a grain that is not a ball, that of the ball around it (m).
    pub diameter: f64,
    /// Its mass (kg).
    pub mass: f64,
    /// When it came in (s).
    pub entered: f64,
}

impl Scene {
    /// True if grains come and go, or their flow is measured.
    pub fn is_open(&self) -> bool {
        !(self.model.inlets.is_empty() && self.model.outlets.is_empty() && self.model.gauges.is_empty())
    }

    /// All inlets, then all outlets, then all gauges.
    pub fn openings(&self) -> Vec<Opening<'_>> {
        let (inlets, outlets, gauges) = (&self.model.inlets, &self.model.outlets, &self.model.gauges);
        let inlets = inlets.iter().map(inlet_opening);
        let outlets = outlets.iter().map(outlet_opening);
        inlets.chain(outlets).chain(gauges.iter().map(gauge_opening)).collect()
    }

    /// The names of the scene's materials, in the order of their indices.
    pub fn material_names(&self) -> Vec<&str> {
        self.model.materials.iter().map(|material| material.name.as_str()).collect()
    }

    /// Nothing has come in or gone out yet.
    pub fn flows(&self) -> Flows {
        let tally = |classes: &Vec<f64>| Tally::new(self.model.materials.len(), classes.len());
        let feed = |inlet: &InletSpec| Feed { tally: tally(&inlet.classes), ..Feed::default() };
        Flows {
            inlets: self.model.inlets.iter().map(feed).collect(),
            outlets: self.model.outlets.iter().map(|outlet| tally(&outlet.classes)).collect(),
            gauges: self.model.gauges.iter().map(|gauge| tally(&gauge.classes)).collect(),
        }
    }

    /// Removes the grains that are in an outlet, and counts them. Those that are to be put back wait at their inlet.
    pub fn let_out(&self, stage: usize, flows: &mut Flows, world: &mut AnyWorld) -> Vec<Departure> {
        for_any_world!(world, world => self.let_out_of(stage, flows, world))
    }

    fn let_out_of<D: Dim>(&self, stage: usize, flows: &mut Flows, world: &mut World<D>) -> Vec<Departure> {
        let mut departures = Vec::new();
        for (number, outlet) in self.model.outlets.iter().enumerate().filter(|(_, outlet)| acts(&outlet.stages, stage))
        {
            let leaving: Vec<BodyId> =
                grains_in(&self.model, outlet, world).map(|index| world.state.id[index]).collect();
            for id in leaving {
                let Some(index) = world.index_of(id) else { continue };
                let entered = world.state.added_at[index];
                let row = outlet.to.map(|inlet| (inlet, row_of(world, index)));
                let Counted { material, diameter, mass } = counted(world, index);
                // What holds a grain by a spring or membrane keeps it in.
                if world.remove(id).is_err() {
                    continue;
                }
                flows.outlets[number].count(&outlet_opening(outlet), &Counted { material, diameter, mass }, 1.0);
                if let Some((inlet, row)) = row {
                    flows.inlets[inlet].waiting.append(row);
                }
                departures.push(Departure { outlet: number, id, material, diameter, mass, entered });
            }
        }
        departures
    }

    /// The grains that come in at an inlet after a step, each where there is room for it. What is due grows by that step;
    /// `rate` is evaluated at its middle.
    pub fn let_in(&self, stage: usize, inlet: usize, flows: &mut Flows, world: &AnyWorld) -> GrainTable {
        let feed = &mut flows.inlets[inlet];
        for_any_world!(world, world => self.let_in_to(stage, inlet, feed, world))
    }

    fn let_in_to<D: Dim>(&self, stage: usize, index: usize, feed: &mut Feed, world: &World<D>) -> GrainTable {
        let inlet = &self.model.inlets[index];
        let mut fed = GrainTable::default();
        let mut next = self.next_new(index, feed);
        let is_done = |feed: &Feed, next: &NewGrain| match inlet.total {
            Some(Quota::Number(number)) => feed.new >= number,
            // The nearest to the total that whole grains allow.
            Some(Quota::Mass(mass)) => feed.new_mass + 0.5 * next.mass > mass,
            None => false,
        };
        if acts(&inlet.stages, stage) && !is_done(feed, &next) {
            self.fall_due(inlet, feed, &next, world);
        } else {
            feed.due = 0.0;
        }
        let has_new = |feed: &Feed, next: &NewGrain| feed.due >= price(inlet, next) && !is_done(feed, next);
        if feed.waiting.is_empty() && !has_new(feed, &next) {
            return fed;
        }
        let largest = feed.waiting.radius.iter().copied().fold(inlet.size.bounds().1, f64::max);
        let (lower, upper) = inlet.place.bounds(largest, self.model.dimension);
        let mut vacancy = world.vacancy(D::Vector::from_array3(lower), D::Vector::from_array3(upper));
        let mut random = Random::of_place(inlet.seed, index as u64, world.state.step);
        let opening = inlet_opening(inlet);
        let mut put = |fed: &mut GrainTable, feed: &mut Feed, mut row: GrainTable, mass: f64| {
            let (radius, group) = (row.radius[0], group_of(world, &row.group[0]));
            let mut tries = (0..DRAWS_A_STEP).filter_map(|_| inlet.place.draw(radius, &mut random, &self.model));
            let Some(place) = tries.find(|&place| vacancy.is_free(D::Vector::from_array3(place), radius, group)) else {
                return false;
            };
            vacancy.take(D::Vector::from_array3(place), radius);
            row.position[0] = place;
            let material = self.model.materials.iter().position(|m| m.name == row.material[0]).unwrap_or(0) as u16;
            feed.tally.count(&opening, &Counted { material, diameter: 2.0 * radius, mass }, 1.0);
            fed.append(row);
            true
        };
        // Those that were there before come first.
        let waiting = feed.waiting.len();
        let put_back = (0..waiting).take_while(|&grain| {
            let mut row = feed.waiting.row(grain);
            let mass = self.mass_of(&row);
            (row.velocity[0], row.spin[0]) = (inlet.velocity, spin_of(inlet, self.model.dimension));
            put(&mut fed, feed, row, mass)
        });
        let put_back = put_back.count();
        if put_back < waiting {
            feed.waiting.retain(&(0..waiting).map(|grain| grain >= put_back).collect::<Vec<_>>());
            return fed;
        }
        feed.waiting = GrainTable::default();
        while has_new(feed, &next) && put(&mut fed, feed, next.row.clone(), next.mass) {
            feed.due -= price(inlet, &next);
            feed.new += 1.0;
            feed.new_mass += next.mass;
            next = self.next_new(index, feed);
        }
        fed
    }

    /// Adds what has become due in the last step, and refuses what has waited too long.
    fn fall_due<D: Dim>(&self, inlet: &InletSpec, feed: &mut Feed, next: &NewGrain, world: &World<D>) {
        let Some(Rate::Mass(rate) | Rate::Number(rate)) = &inlet.rate else { return };
        let step = world.time_step();
        let rate = rate.at(world.state.time - 0.5 * step).max(0.0);
        feed.due += rate * step;
        let most = (rate * inlet.wait.unwrap_or_default()).max(price(inlet, next) + rate * step);
        if feed.due > most {
            feed.refused += feed.due - most;
            feed.due = most;
        }
    }

    /// Counts the grains that have passed through the gauges since `before`, their positions at the start of the step.
    pub fn gauge(&self, flows: &mut Flows, before: &[[f64; 3]], world: &AnyWorld) {
        for_any_world!(world, world => self.gauge_in(flows, before, world));
    }

    fn gauge_in<D: Dim>(&self, flows: &mut Flows, before: &[[f64; 3]], world: &World<D>) {
        for (gauge, tally) in self.model.gauges.iter().zip(&mut flows.gauges) {
            for index in world.free_bodies() {
                let from = D::Vector::from_array3(before[index]);
                let wrapped = world.state.cell.wrap(from);
                let to = (world.state.position[index] - from + wrapped).to_array3();
                let sign = gauge.place.crossing(wrapped.to_array3(), to, self.model.dimension);
                if sign != 0.0 {
                    tally.count(&gauge_opening(gauge), &counted(world, index), sign);
                }
            }
        }
    }

    /// The next new grain of an inlet, at no place yet.
    fn next_new(&self, inlet: usize, feed: &Feed) -> NewGrain {
        self.new_grain(inlet, feed.new as u64)
    }

    fn new_grain(&self, index: usize, number: u64) -> NewGrain {
        let (model, inlet) = (&self.model, &self.model.inlets[index]);
        let mut random = Random::of_grain(inlet.seed, index as u64, number);
        let radius = inlet.size.draw(&mut random, model.dimension);
        let spread = |random: &mut Random| random.between(-inlet.velocity_spread, inlet.velocity_spread);
        let deviation: Point =
            std::array::from_fn(|axis| if axis < model.dimension { spread(&mut random) } else { 0.0 });
        let mut forms: Vec<Form> = Vec::new();
        let drawn = inlet
            .shape
            .as_ref()
            .map(|shaping| Shaper::of_one(shaping, model.dimension, random).draw(radius, &mut forms));
        let row = GrainTable {
            position: vec![[0.0; 3]],
            radius: vec![radius],
            velocity: vec![add(inlet.velocity, deviation)],
            spin: vec![spin_of(inlet, model.dimension)],
            orientation: vec![drawn.map_or([0.0, 0.0, 0.0, 1.0], |drawn| drawn.orientation)],
            material: vec![model.materials[inlet.material].name.clone()],
            group: vec![inlet.group.clone()],
            form: vec![drawn.map(|_| 0)],
            forms,
            surfaces: Vec::new(),
            cell: TableCell::default(),
        };
        NewGrain { mass: self.mass_of(&row), row }
    }

    fn mass_of(&self, row: &GrainTable) -> f64 {
        let material = self.model.materials.iter().position(|material| material.name == row.material[0]).unwrap_or(0);
        let ball = || {
            if self.model.dimension == 2 { D2::ball_volume(row.radius[0]) } else { D3::ball_volume(row.radius[0]) }
        };
        let volume = match row.forms.first() {
            Some(form) => {
                crate::bodies::volume_and_thickness(form, self.model.dimension).map_or(0.0, |(volume, _)| volume)
            }
            None => ball(),
        };
        self.density(material) * volume
    }

    /// The grains of the sample, and some of each inlet in the middle of it: what the numerical choices are made for.
    pub(crate) fn typical_grains(&self, grains: &GrainTable) -> GrainTable {
        let mut typical = grains.clone();
        typical.complete(&self.model.materials[0].name);
        for (index, inlet) in self.model.inlets.iter().enumerate() {
            let (lower, upper) = inlet.place.bounds(0.0, self.model.dimension);
            for number in 0..TYPICAL {
                let mut row = self.new_grain(index, number).row;
                row.position[0] = scale(add(lower, upper), 0.5);
                typical.append(row);
            }
        }
        typical
    }

    /// Inlets that are walled up, and outlets that all grains are in at the start.
    pub(crate) fn check_openings(&self, world: &AnyWorld, faults: &mut Collector) {
        for_any_world!(world, world => {
            self.check_inlets(world, faults);
            self.check_outlets(world, faults);
        });
    }

    fn check_inlets<D: Dim>(&self, world: &World<D>, faults: &mut Collector) {
        for (index, inlet) in self.model.inlets.iter().enumerate() {
            let radius = inlet.size.bounds().0;
            let (lower, upper) = inlet.place.bounds(radius, self.model.dimension);
            let vacancy = world.vacancy(D::Vector::from_array3(lower), D::Vector::from_array3(upper));
            let mut random = Random::of_place(inlet.seed, index as u64, 0);
            let group = group_of(world, &inlet.group);
            let places = (0..WALL_TRIES).filter_map(|_| inlet.place.draw(radius, &mut random, &self.model));
            let walls: Vec<Option<u32>> =
                places.map(|place| vacancy.blocking_wall(D::Vector::from_array3(place), radius, group)).collect();
            if let Some(Some(wall)) = walls.first()
                && walls.iter().all(Option::is_some)
            {
                let name = world.bodies[*wall as usize].name.as_deref().unwrap_or_default();
                let message = format!("inlet \"{}\" is inside a wall", inlet.name);
                let label = format!("wherever a grain is put, it touches a wall such as \"{name}\"");
                faults.add(&inlet.at.0, message, label, "move the inlet to where grains may be, or use smaller grains");
            }
        }
    }

    fn check_outlets<D: Dim>(&self, world: &World<D>, faults: &mut Collector) {
        let count = world.free_bodies().count();
        for outlet in self.model.outlets.iter().filter(|outlet| acts(&outlet.stages, 0)) {
            let inside = grains_in(&self.model, outlet, world).count();
            if count > 0 && inside == count {
                let message = format!("outlet \"{}\" would remove all {count} grains immediately", outlet.name);
                let help = "the normal of a plane points out: to the side on which grains leave";
                faults.add(&outlet.at.0, message, "they are all in it at the start", help);
            }
        }
    }
}

/// A grain that an inlet has drawn.
struct NewGrain {
    /// One row of a table, with its form if it has one.
    row: GrainTable,
    mass: f64,
}

/// What has to be due for a grain to come in.
fn price(inlet: &InletSpec, grain: &NewGrain) -> f64 {
    match inlet.rate {
        Some(Rate::Mass(_)) => grain.mass,
        Some(Rate::Number(_)) => 1.0,
        None => f64::INFINITY,
    }
}

fn acts(stages: &[usize], stage: usize) -> bool {
    stages.is_empty() || stages.contains(&stage)
}

fn inlet_opening(inlet: &InletSpec) -> Opening<'_> {
    let counts_grains = matches!(inlet.rate, Some(Rate::Number(_)));
    Opening { name: &inlet.name, kind: OpeningKind::Inlet, classes: &inlet.classes, counts_grains }
}

fn outlet_opening(outlet: &OutletSpec) -> Opening<'_> {
    Opening { name: &outlet.name, kind: OpeningKind::Outlet, classes: &outlet.classes, counts_grains: false }
}

fn gauge_opening(gauge: &GaugeSpec) -> Opening<'_> {
    Opening { name: &gauge.name, kind: OpeningKind::Gauge, classes: &gauge.classes, counts_grains: false }
}

/// A spin as tables of grains have it: in 2D it is the third component.
fn spin_of(inlet: &InletSpec, dimension: usize) -> Point {
    if dimension == 2 { [0.0, 0.0, inlet.spin[2]] } else { inlet.spin }
}

fn group_of<D: Dim>(world: &World<D>, name: &str) -> u16 {
    world.groups.iter().position(|group| group == name).map_or(u16::MAX, |group| group as u16)
}

/// The grains that are in an outlet, by their indices.
fn grains_in<'a, D: Dim>(
    model: &'a Model,
    outlet: &'a OutletSpec,
    world: &'a World<D>,
) -> impl Iterator<Item = usize> + 'a {
    let group = outlet.group.as_ref().map(|name| group_of(world, name));
    world.free_bodies().filter(move |&index| {
        let mut place = world.state.cell.wrap(world.state.position[index]).to_array3();
        place[model.dimension..].fill(0.0);
        group.is_none_or(|group| world.bodies[index].group == group) && outlet.place.contains(place)
    })
}

fn counted<D: Dim>(world: &World<D>, index: usize) -> Counted {
    let body = &world.bodies[index];
    let radius = body.shape.bounding_radius().unwrap_or(0.0);
    Counted { material: body.material, diameter: 2.0 * radius, mass: body.mass }
}

/// A grain as a table of one row.
fn row_of<D: Dim>(world: &World<D>, index: usize) -> GrainTable {
    let (body, state) = (&world.bodies[index], &world.state);
    let form = Form::of(&body.shape);
    GrainTable {
        position: vec![state.position[index].to_array3()],
        radius: vec![body.shape.bounding_radius().unwrap_or(0.0)],
        velocity: vec![state.velocity[index].to_array3()],
        spin: vec![[0.0; 3]],
        orientation: vec![D::quaternion(state.orientation[index])],
        material: vec![world.materials.names()[usize::from(body.material)].clone()],
        group: vec![world.groups[usize::from(body.group)].clone()],
        form: vec![form.as_ref().map(|_| 0)],
        forms: form.into_iter().collect(),
        surfaces: Vec::new(),
        cell: TableCell::default(),
    }
}

/// The numbers that a checkpoint keeps, by name; grains that wait are kept as tables.
impl Flows {
    /// All numbers with their names.
    pub fn to_counters(&self) -> Vec<(String, f64)> {
        self.clone().fields().into_iter().map(|(name, value)| (name, *value)).collect()
    }

    /// Takes over the numbers of a checkpoint; those that are not there stay zero.
    pub fn set_counters(&mut self, counters: &[(String, f64)]) {
        let known: std::collections::HashMap<&str, f64> =
            counters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        for (name, value) in self.fields() {
            *value = known.get(name.as_str()).copied().unwrap_or(0.0);
        }
    }

    fn fields(&mut self) -> Vec<(String, &mut f64)> {
        fn of_tally<'a>(kind: &str, index: usize, tally: &'a mut Tally) -> Vec<(String, &'a mut f64)> {
            let number = tally.number.iter_mut().enumerate();
            let mass = tally.mass.iter_mut().enumerate();
            let number = number.map(|(place, value)| (format!("{kind} {index} number {place}"), value));
            let mass = mass.map(|(place, value)| (format!("{kind} {index} mass {place}"), value));
            number.chain(mass).collect()
        }
        let mut fields = Vec::new();
        for (index, feed) in self.inlets.iter_mut().enumerate() {
            let own = [
                ("due", &mut feed.due),
                ("refused", &mut feed.refused),
                ("new", &mut feed.new),
                ("new_mass", &mut feed.new_mass),
            ];
            fields.extend(own.map(|(name, value)| (format!("inlet {index} {name}"), value)));
            fields.extend(of_tally("inlet", index, &mut feed.tally));
        }
        for (index, tally) in self.outlets.iter_mut().enumerate() {
            fields.extend(of_tally("outlet", index, tally));
        }
        for (index, tally) in self.gauges.iter_mut().enumerate() {
            fields.extend(of_tally("gauge", index, tally));
        }
        fields
    }
}
