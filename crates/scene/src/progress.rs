//! How far a stage is, and whether it has ended.

use crate::model::{Model, Strain};
use crate::vector::dot;
use riprap_engine::{AnyWorld, Dim, Shape, StepReport, Vector, World, for_any_world};

/// The number that stands for the periodic cell in place of a wall.
const CELL: f64 = -1.0;

/// What a stage remembers of its start, and the numbers at which it ends. Plain numbers only, so that a checkpoint can
/// hold them.
#[derive(Clone, Debug, PartialEq)]
pub struct StageProgress {
    /// The time at which it ends; infinite if time does not end it.
    pub end_time: f64,
    /// The step at which it ends; infinite if their number does not end it.
    pub end_step: f64,
    /// Mean kinetic energy of a grain (J) below which it ends; zero if that does not end it.
    pub kinetic_energy: f64,
    /// Unbalanced force below which it ends; zero if that does not end it.
    pub force_balance: f64,
    /// For how long (s) energy or force balance must stay below their thresholds.
    pub hold: f64,
    /// Since when they have stayed below; infinite if they have not.
    pub held_since: f64,
    /// The body of the wall whose strain ends it (−1: the periodic cell), and the axis of its displacement.
    pub wall: f64,
    /// See `wall`.
    pub axis: f64,
    /// Where that wall was at the start, or how long the cell was (m).
    pub wall_start: f64,
    /// The displacement (m) at which it ends; infinite if strain does not end it.
    pub displacement: f64,
    /// The step at which it started.
    pub start_step: f64,
    /// The part that is done, as far as it is known; not a number if it is not.
    pub done: f64,
    /// The time at which each stage up to this one started (s).
    pub starts: Vec<f64>,
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
        let mut progress = StageProgress {
            end_time: end.time.map_or(f64::INFINITY, |time| state.time + time),
            end_step: end.steps.map_or(f64::INFINITY, |steps| (state.step + steps) as f64),
            // Whichever threshold is reached first is the higher one.
            kinetic_energy: end.kinetic_energy.unwrap_or(0.0).max(relative),
            force_balance: end.force_balance.unwrap_or(0.0),
            hold: end.hold.unwrap_or(0.0),
            held_since: f64::INFINITY,
            wall: 0.0,
            axis: 0.0,
            wall_start: 0.0,
            displacement: f64::INFINITY,
            start_step: state.step as f64,
            done: f64::NAN,
            starts,
        };
        if let Some(Strain { strain, wall, axis }) = end.strain {
            progress.axis = axis as f64;
            if let Some(wall) = wall {
                let body = world.bodies.len() - model.walls.len() + wall;
                progress.wall = body as f64;
                progress.wall_start = state.position[body].get(axis);
                progress.displacement = strain * distance_ahead(model, world, wall);
            } else {
                progress.wall = CELL;
                progress.wall_start = state.cell.period.get(axis);
                progress.displacement = strain * progress.wall_start;
            }
        }
        progress
    }

    /// True if the stage has ended with this step; to be asked once after every step.
    pub fn ended(&mut self, world: &AnyWorld, report: &StepReport) -> bool {
        for_any_world!(world, world => self.ended_in(world, report))
    }

    fn ended_in<D: Dim>(&mut self, world: &World<D>, report: &StepReport) -> bool {
        let state = &world.state;
        let grains = world.bodies.iter().filter(|body| body.is_free()).count().max(1);
        let at_rest = report.energy.kinetic / (grains as f64) < self.kinetic_energy
            || (report.contacts > 0 && report.unbalanced_force < self.force_balance);
        self.held_since = if at_rest { self.held_since.min(state.time) } else { f64::INFINITY };
        let start = self.starts.last().copied().unwrap_or(0.0);
        let moved = if self.displacement.is_finite() {
            let axis = self.axis as usize;
            let position = if self.wall == CELL {
                state.cell.period.get(axis)
            } else {
                state.position.get(self.wall as usize).map_or(self.wall_start, |p| p.get(axis))
            };
            (position - self.wall_start).abs() / self.displacement
        } else {
            0.0
        };
        // Sums of time steps may fall short of a time by rounding.
        let slack = 1e-6 * report.time_step;
        let in_time = (state.time - start + slack) / (self.end_time - start);
        let in_steps = (state.step as f64 - self.start_step) / (self.end_step - self.start_step);
        // A limit that is there for safety says nothing about how long the stage lasts.
        let known = in_time.max(moved).max(if in_steps < 1.0 && self.judges_rest() { 0.0 } else { in_steps });
        self.done = if known > 0.0 { known.min(1.0) } else { f64::NAN };
        known >= 1.0 || state.time - self.held_since >= self.hold
    }

    fn judges_rest(&self) -> bool {
        self.kinetic_energy > 0.0 || self.force_balance > 0.0 || self.displacement.is_finite()
    }

    /// The part of the stage that is done, if that can be known.
    pub fn fraction(&self) -> Option<f64> {
        (!self.done.is_nan()).then_some(self.done)
    }

    /// All numbers in a row, for a checkpoint.
    pub fn to_numbers(&self) -> Vec<f64> {
        let mut numbers = vec![
            self.end_time,
            self.end_step,
            self.kinetic_energy,
            self.force_balance,
            self.hold,
            self.held_since,
            self.wall,
            self.axis,
            self.wall_start,
            self.displacement,
            self.start_step,
            self.done,
        ];
        numbers.extend(&self.starts);
        numbers
    }

    /// The inverse of [`StageProgress::to_numbers`]; none if the row is too short.
    pub fn from_numbers(numbers: &[f64]) -> Option<Self> {
        let (
            &[
                end_time,
                end_step,
                kinetic_energy,
                force_balance,
                hold,
                held_since,
                wall,
                axis,
                wall_start,
                displacement,
                start_step,
                done,
            ],
            starts,
        ) = numbers.split_first_chunk::<12>()?;
        Some(StageProgress {
            end_time,
            end_step,
            kinetic_energy,
            force_balance,
            hold,
            held_since,
            wall,
            axis,
            wall_start,
            displacement,
            start_step,
            done,
            starts: starts.to_vec(),
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
fn distance_ahead<D: Dim>(model: &Model, world: &World<D>, wall: usize) -> f64 {
    let first_wall = world.bodies.len() - model.walls.len();
    // Strain is only accepted for walls with a normal.
    let Some(normal) = model.walls[wall].shape.normal(model.dimension) else { return f64::INFINITY };
    let n = D::Vector::from_array3(normal);
    let here = world.state.position[first_wall + wall];
    let ahead = |body: usize| (world.state.position[body] - here).dot(n);
    let two_sided = model.walls[wall].shape.plane_normal().is_none();
    let side = |distance: f64| if two_sided { distance.abs() } else { distance };
    let plane = (first_wall..world.bodies.len())
        .filter(|&body| matches!(world.bodies[body].shape, Shape::Plane { normal } if normal.dot(n) < -1.0 + 1e-9))
        .map(|body| side(ahead(body)))
        .filter(|&distance| distance > 0.0)
        .min_by(f64::total_cmp);
    plane.unwrap_or_else(|| {
        let reach = |body: usize| side(ahead(body)) + world.bodies[body].shape.bounding_radius().unwrap_or(0.0);
        (0..first_wall).map(reach).fold(0.0, f64::max)
    })
}
