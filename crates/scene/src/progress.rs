//! How far a stage is, and whether it has ended.

use crate::model::{EndCause, Model, Strain};
use crate::vector::dot;
use crate::watches::Watched;
use riprap_engine::{AnyWorld, BodyId, Dim, Shape, StepReport, Vector, World, for_any_world};

/// What a stage remembers of its start, and when it ends.
#[derive(Clone, Debug, PartialEq)]
pub struct StageProgress {
    /// The time at which each stage up to this one started (s).
    pub starts: Vec<f64>,
    /// The step at which it started.
    pub start_step: u64,
    /// The time at which it ends, if time ends it (s).
    pub end_time: Option<f64>,
    /// The step at which it ends, if their number ends it.
    pub end_step: Option<u64>,
    /// Mean kinetic energy of a grain (J) below which it ends; zero if that does not end it.
    pub kinetic_energy: f64,
    /// Unbalanced force below which it ends; zero if that does not end it.
    pub force_balance: f64,
    /// For how long (s) energies, forces and lost contacts must stay beyond their thresholds.
    pub hold: f64,
    /// Since when they have stayed below, if they have (s).
    pub held_since: Option<f64>,
    /// The displacement at which it ends, if strain ends it.
    pub displacement: Option<Displacement>,
    watches: Vec<Watched>,
    done: Option<f64>,
    cause: Option<EndCause>,
}

/// A displacement that ends a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Displacement {
    /// What moves.
    pub of: Moving,
    /// The axis along which it moves.
    pub axis: usize,
    /// Where the wall was at the start, or how long the cell was (m).
    pub start: f64,
    /// How far from there the stage ends, in either direction (m).
    pub limit: f64,
}

/// What moves until a stage ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moving {
    /// A wall.
    Wall(BodyId),
    /// The end of the periodic cell.
    Cell,
}

impl StageProgress {
    /// The start of a stage in the world as it is now.
    pub(crate) fn start<D: Dim>(model: &Model, stage: usize, world: &World<D>, before: Option<&Self>) -> Self {
        let (end, state) = (&model.stages[stage].end, &world.state);
        let mut starts = before.map(|before| before.starts.clone()).unwrap_or_default();
        starts.resize(stage, state.time);
        starts.push(state.time);
        let gravity = model.stages[stage].gravity.unwrap_or(model.gravity.acceleration);
        let weight_times_diameter = dot(gravity, gravity).sqrt() * mean_mass_times_diameter(world);
        let relative = end.kinetic_energy_over_mgd.unwrap_or(0.0) * weight_times_diameter;
        StageProgress {
            starts,
            start_step: state.step,
            end_time: end.time.map(|time| state.time + time),
            end_step: end.steps.map(|steps| state.step + steps),
            // Whichever threshold is reached first is the higher one.
            kinetic_energy: end.kinetic_energy.unwrap_or(0.0).max(relative),
            force_balance: end.force_balance.unwrap_or(0.0),
            hold: end.hold.unwrap_or(0.0),
            held_since: None,
            displacement: end.strain.map(|strain| Displacement::start(model, world, strain)),
            watches: end.watches.iter().map(|watch| Watched::start(watch, world, weight_times_diameter)).collect(),
            done: None,
            cause: None,
        }
    }

    /// True if the stage has ended with this step; to be asked once after every step.
    pub fn ended(&mut self, world: &AnyWorld, report: &StepReport) -> bool {
        for_any_world!(world, world => self.ended_in(world, report))
    }

    fn ended_in<D: Dim>(&mut self, world: &World<D>, report: &StepReport) -> bool {
        let state = &world.state;
        let grains = world.bodies.iter().filter(|body| body.is_free()).count().max(1);
        let is_slow = report.energy.kinetic / (grains as f64) < self.kinetic_energy;
        let at_rest = is_slow || (report.contacts > 0 && report.unbalanced_force < self.force_balance);
        self.held_since = at_rest.then(|| self.held_since.map_or(state.time, |since| since.min(state.time)));
        let start = self.starts.last().copied().unwrap_or(0.0);
        // Sums of time steps may fall short of a time by rounding.
        let slack = 1e-6 * report.time_step;
        let in_time = self.end_time.map_or(0.0, |end| (state.time - start + slack) / (end - start));
        let in_steps = self
            .end_step
            .map_or(0.0, |end| (state.step as f64 - self.start_step as f64) / (end as f64 - self.start_step as f64));
        let moved = self.displacement.map_or(0.0, |displacement| displacement.done(world));
        // A limit that is there for safety says nothing about how long the stage lasts.
        let known = in_time.max(moved).max(if in_steps < 1.0 && self.judges_rest() { 0.0 } else { in_steps });
        self.done = (known > 0.0).then(|| known.min(1.0));
        let rest = if is_slow { EndCause::Rest } else { EndCause::ForceBalance };
        let causes = [
            (moved >= 1.0, EndCause::Strain),
            (self.held_since.is_some_and(|since| state.time - since >= self.hold), rest),
            (in_time >= 1.0, EndCause::Time),
            (in_steps >= 1.0, EndCause::Steps),
        ];
        let hold = self.hold;
        // Each of them remembers, so that all are asked.
        let ends: Vec<bool> = self.watches.iter_mut().map(|watched| watched.ends(world, report, hold)).collect();
        let watched = self.watches.iter().zip(ends).find(|(_, ends)| *ends).map(|(watched, _)| watched.watch.cause());
        self.cause = watched.or(causes.into_iter().find(|(ends, _)| *ends).map(|(_, cause)| cause));
        self.cause.is_some()
    }

    /// What ended the stage, if it has ended.
    pub fn cause(&self) -> Option<EndCause> {
        self.cause
    }

    /// Why signs of failure that the stage asks for could not come, in words.
    pub fn never_armed(&self) -> Vec<String> {
        self.watches.iter().filter_map(Watched::never_armed).collect()
    }

    /// The part of the stage that is done, if that can be known.
    pub fn fraction(&self) -> Option<f64> {
        self.done
    }

    fn judges_rest(&self) -> bool {
        self.kinetic_energy > 0.0 || self.force_balance > 0.0 || self.displacement.is_some() || !self.watches.is_empty()
    }
}

impl Displacement {
    fn start<D: Dim>(model: &Model, world: &World<D>, Strain { strain, wall, axis }: Strain) -> Self {
        match wall {
            Some(wall) => {
                let body = model.body_of_wall(wall, world);
                let limit = body.map_or(f64::INFINITY, |body| strain * distance_ahead(model, world, wall, body));
                let start = body.map_or(0.0, |body| world.state.position[body].get(axis));
                let id = body.map_or(BodyId(0), |body| world.state.id[body]);
                Displacement { of: Moving::Wall(id), axis, start, limit }
            }
            None => {
                let period = world.state.cell.period.get(axis);
                Displacement { of: Moving::Cell, axis, start: period, limit: strain * period }
            }
        }
    }

    /// The part of the displacement that is done.
    fn done<D: Dim>(&self, world: &World<D>) -> f64 {
        let now = match self.of {
            Moving::Wall(id) => world.index_of(id).map_or(self.start, |body| world.state.position[body].get(self.axis)),
            Moving::Cell => world.state.cell.period.get(self.axis),
        };
        (now - self.start).abs() / self.limit
    }
}

/// Takes the place of the wall's body in a row of numbers if it is the periodic cell that moves.
const NO_WALL: f64 = -1.0;

/// The row of numbers that a checkpoint stores; missing values are infinite or NaN.
impl StageProgress {
    /// All numbers in a row.
    pub fn to_numbers(&self) -> Vec<f64> {
        let displacement = self.displacement.unwrap_or(Displacement {
            of: Moving::Wall(BodyId(0)),
            axis: 0,
            start: 0.0,
            limit: f64::INFINITY,
        });
        let mut numbers = vec![
            self.end_time.unwrap_or(f64::INFINITY),
            self.end_step.map_or(f64::INFINITY, |step| step as f64),
            self.kinetic_energy,
            self.force_balance,
            self.hold,
            self.held_since.unwrap_or(f64::INFINITY),
            match displacement.of {
                Moving::Wall(id) => f64::from(id.0),
                Moving::Cell => NO_WALL,
            },
            displacement.axis as f64,
            displacement.start,
            displacement.limit,
            self.start_step as f64,
            self.done.unwrap_or(f64::NAN),
        ];
        self.watches.iter().for_each(|watched| watched.put_numbers(&mut numbers));
        numbers.extend(&self.starts);
        numbers
    }

    /// The inverse of [`StageProgress::to_numbers`] for a stage of a scene; none if the row is too short.
    pub(crate) fn from_numbers(model: &Model, stage: usize, numbers: &[f64]) -> Option<Self> {
        let (numbers, mut starts) = numbers.split_first_chunk::<12>()?;
        let mut watches = Vec::new();
        for watch in &model.stages.get(stage)?.end.watches {
            let (watched, rest) = Watched::from_numbers(watch, starts)?;
            watches.push(watched);
            starts = rest;
        }
        let &[end_time, end_step, kinetic_energy, force_balance, hold, held_since, ..] = numbers;
        let &[.., of, axis, start, limit, start_step, done] = numbers;
        let finite = |number: f64| Some(number).filter(|number| number.is_finite());
        Some(StageProgress {
            starts: starts.to_vec(),
            start_step: start_step as u64,
            end_time: finite(end_time),
            end_step: finite(end_step).map(|step| step as u64),
            kinetic_energy,
            force_balance,
            hold,
            held_since: finite(held_since),
            displacement: finite(limit).map(|limit| Displacement {
                of: if of == NO_WALL { Moving::Cell } else { Moving::Wall(BodyId(of as u32)) },
                axis: axis as usize,
                start,
                limit,
            }),
            watches,
            done: finite(done),
            cause: None,
        })
    }
}

fn mean_mass_times_diameter<D: Dim>(world: &World<D>) -> f64 {
    let mut sum = (0.0, 0.0);
    for body in world.bodies.iter().filter(|body| body.is_free()) {
        sum = (sum.0 + 2.0 * body.mass * body.shape.bounding_radius().unwrap_or(0.0), sum.1 + 1.0);
    }
    if sum.1 > 0.0 { sum.0 / sum.1 } else { 0.0 }
}

/// The distance from a wall, along its normal, to the nearest plane that faces it, or to the farthest grain.
fn distance_ahead<D: Dim>(model: &Model, world: &World<D>, wall: usize, body: usize) -> f64 {
    // Strain is only accepted for walls with a normal.
    let Some(normal) = model.walls[wall].shape.normal(model.dimension) else { return f64::INFINITY };
    let n = D::Vector::from_array3(normal);
    let here = world.state.position[body];
    let ahead = |body: usize| (world.state.position[body] - here).dot(n);
    let two_sided = model.walls[wall].shape.plane_normal().is_none();
    let side = |distance: f64| if two_sided { distance.abs() } else { distance };
    let plane = (0..world.bodies.len())
        .filter(|&body| matches!(world.bodies[body].shape, Shape::Plane { normal } if normal.dot(n) < -1.0 + 1e-9))
        .map(|body| side(ahead(body)))
        .filter(|&distance| distance > 0.0)
        .min_by(f64::total_cmp);
    plane.unwrap_or_else(|| {
        let reach = |body: usize| side(ahead(body)) + world.bodies[body].shape.bounding_radius().unwrap_or(0.0);
        world.free_bodies().map(reach).fold(0.0, f64::max)
    })
}
