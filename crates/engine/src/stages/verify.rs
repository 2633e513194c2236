//! Verification of a solved step before it is accepted: was a contact left out, did a body pass through another?

use crate::cell::Cell;
use crate::contact::{Contact, Status};
use crate::detect::{Geometry, Pair, Placed, gap as surface_gap};
use crate::geometry::PairWalk;
use crate::reach::Reach;
use crate::report::StepError;
use crate::shape::Shape;
use crate::state::Places;
use crate::work::{RejectedImpulse, Work};
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::{Dim, Vector};

/// A pair that had no contact where it overlaps at the end of the step is solved for again if the overlap is more than
/// this fraction of the smaller radius, for angular pairs; for balls, if there is any overlap.
const OVERLAP: f64 = 1e-4;
/// Where fast bodies meet one after the other, each solve finds a few new pairs, and the last of them would take tens of
/// solves. So the tolerated overlap quadruples with every solve after this many (angular pairs) …
const FREE_SOLVES: u32 = 3;
/// … or after this many (balls, which are missed for so long only where solves do not converge), …
const FREE_SOLVES_OF_BALLS: u32 = 15;
/// … up to this fraction of the smaller radius (angular pairs) …
const MAX_OVERLAP: f64 = 0.2;
/// … or this one (balls).
const MAX_OVERLAP_OF_BALLS: f64 = 0.01;

/// What verification decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The step stands.
    Accepted,
    /// The step has to be solved again, from its start.
    SolveAgain,
}

impl<D: Dim> World<D> {
    /// Looks at every listed pair with the bodies where they will be at the end of the step. A pair that was left out and
    /// would overlap takes part when the step is solved again, and a list that was made for slower bodies is made anew; a
    /// body that would pass through another is an error.
    pub(crate) fn verify(&mut self, step: &mut Work<D>) -> Result<Verdict, StepError> {
        if let Some(error) = self.not_finite() {
            return Err(error);
        }
        if !self.list_holds_for(self.settings.move_after_solve()) {
            self.outrun_list();
            self.restart(step);
            step.rejected.clear();
            step.missed.clear();
            return Ok(Verdict::SolveAgain);
        }
        let end = self.end_of_step(step);
        let findings = self.look_at_pairs(&end, step);
        self.verdict(end, findings, step)
    }

    /// Where the bodies will be at the end of the step.
    fn end_of_step(&self, step: &Work<D>) -> End<D> {
        let time = self.settings.move_after_solve();
        let carrying = self.carrying(time);
        let bodies = 0..self.bodies.len();
        let position: Vec<D::Vector> =
            bodies.clone().map(|body| self.place_after(body, time, carrying.as_ref())).collect();
        let mut start = step.start_position.clone();
        self.carry(time, &mut start);
        let moved = position.iter().zip(&start).map(|(&end, &start)| end - start).collect();
        let has_corners = !self.cache.poses.is_empty();
        let (orientation, spin): (Vec<D::Orientation>, Vec<D::Spin>) = if has_corners {
            bodies.into_par_iter().with_min_len(1024).map(|body| self.turn_for(body, time)).unzip()
        } else {
            (self.state.orientation.clone(), Vec::new())
        };
        // The next step begins where this one ends: the points that it will need are found here, once for both.
        let next_reach = if has_corners && self.settings.is_euler() {
            self.reach_ahead(&self.state.velocity, &spin)
        } else {
            Reach::default()
        };
        let cell = carrying.map_or(self.state.cell, |carrying| carrying.cell(&self.state.cell));
        End { start, position, orientation, moved, cell, next_reach }
    }

    /// Looks at all pairs at the end of the step.
    fn look_at_pairs(&mut self, end: &End<D>, step: &Work<D>) -> Vec<Findings> {
        let here = std::mem::replace(&mut self.state.cell, end.cell);
        self.cache.poses.turn(&self.bodies, &end.orientation);
        let mut chunks = std::mem::take(&mut self.cache.points.chunks);
        let check = Check::new(self, end, step);
        let findings = self.for_pairs(&mut chunks, |findings, walk, index, pair| {
            check.look_at_pair(walk, index, pair, findings);
        });
        self.cache.points.chunks = chunks;
        self.state.cell = here;
        findings
    }

    /// Accepts the step, or has it solved again with the pairs that were missed.
    fn verdict(&mut self, end: End<D>, findings: Vec<Findings>, step: &mut Work<D>) -> Result<Verdict, StepError> {
        let known = step.missed.len();
        step.missed.extend(findings.iter().flat_map(|found| &found.missed));
        if step.missed.len() > known {
            step.missed.sort_unstable();
            self.restart(step);
            return Ok(Verdict::SolveAgain);
        }
        if let Some((pair, depth)) = findings.iter().find_map(|found| found.tunnel) {
            let [a, b] = pair.bodies.map(|body| body as usize);
            let moved = ((end.position[b] - end.start[b]) - (end.position[a] - end.start[a])).length();
            let (step, [other, body]) = (self.state.step + 1, [a, b].map(|body| self.state.id[body]));
            return Err(StepError::Tunnel { step, body, other, moved, depth });
        }
        step.max_overlap = findings.iter().fold(0.0, |deepest, found| f64::max(deepest, found.max_overlap));
        let carrying = step.contacts.iter().filter(|contact| contact.status != Status::Open).count();
        step.mean_overlap = findings.iter().map(|found| found.overlap).sum::<f64>() / carrying.max(1) as f64;
        if !end.next_reach.own.is_empty() {
            let places = Places { position: &end.position, orientation: &end.orientation };
            self.cache.points.accept(&places, end.cell, &self.cache.slots, end.next_reach);
        }
        // Not before: a list that holds for one solve of this step need not hold for the next one.
        self.hold_list();
        Ok(Verdict::Accepted)
    }

    /// Puts back the velocities before the solve; the step is solved again from the impulses that were found.
    fn restart(&mut self, step: &mut Work<D>) {
        step.solves_before += 1;
        step.count_solve();
        step.rejected.clear();
        let found = step.pair_of.iter().zip(&step.contacts);
        step.rejected.extend(found.map(|(&pair, contact)| RejectedImpulse {
            pair,
            feature: contact.feature,
            impulse: contact.impulse,
            torque: contact.torque,
        }));
        self.state.velocity.clone_from(&step.velocity_before);
        self.state.spin.clone_from(&step.spin_before);
        self.state.cell.rate = step.rate_before;
    }

    /// How deep the centre of one body has gone into the other on the way from start to end; zero if it has not. `gap` is
    /// that of the pair at the end.
    fn passed_through(&self, pair: &Pair, end: &End<D>, gap: f64) -> f64 {
        let [a, b] = pair.bodies.map(|body| body as usize);
        let radius = self.bodies[b].shape.core_radius();
        let shift = self.image_shift(pair);
        let relative = |at: &[D::Vector]| at[b] + shift - at[a];
        let (from, to) = (relative(&end.start), relative(&end.position));
        let orientation = self.state.orientation[a];
        let in_frame =
            |vector: D::Vector| D::Vector::from_fn(|i| D::rotate(orientation, D::Vector::axis(i)).dot(vector));
        match &self.bodies[a].shape {
            shape if self.bodies[a].search_radius().is_some() => {
                let path = to - from;
                let square = path.dot(path);
                let nearest = if square > 0.0 { (-from.dot(path) / square).clamp(0.0, 1.0) } else { 0.0 };
                (shape.core_radius().max(radius) - (from + path * nearest).length()).max(0.0)
            }
            shape if shape.is_one_sided() => {
                let depth = match self.bodies[b].shape {
                    Shape::Ball { .. } => -gap - radius,
                    _ if gap >= 0.0 => 0.0,
                    // Of an angular body the centre counts as well.
                    _ => {
                        let point = Shape::Ball { radius: 0.0 };
                        let place = |shape, position| Placed { shape, position, orientation };
                        -surface_gap(place(&self.bodies[a].shape, D::Vector::ZERO), place(&point, to)).gap
                    }
                };
                depth.max(0.0)
            }
            shape => {
                // Walls with two sides: does the straight path of the centre go through?
                if shape.is_crossed_by(in_frame(from), in_frame(to)) { self.cache.size[b] } else { 0.0 }
            }
        }
    }
}

/// The end of a step.
struct End<D: Dim> {
    /// Positions at the start of the step, carried along with the cell: the rest is the bodies' own motion.
    start: Vec<D::Vector>,
    position: Vec<D::Vector>,
    orientation: Vec<D::Orientation>,
    /// From start to end.
    moved: Vec<D::Vector>,
    cell: Cell<D>,
    /// The distance out to which the next step needs contact points; empty where they are not cached.
    next_reach: Reach<D>,
}

/// What one task found.
#[derive(Default)]
struct Findings {
    max_overlap: f64,
    /// The sum over contacts that carry an impulse.
    overlap: f64,
    missed: Vec<u32>,
    /// A pair that passed through each other, and how deep.
    tunnel: Option<(Pair, f64)>,
}

/// What pairs are checked against.
struct Check<'a, D: Dim> {
    world: &'a World<D>,
    end: &'a End<D>,
    step: &'a Work<D>,
    /// The first contact of each pair; the others follow it.
    first_contact: Vec<u32>,
    has_corners: bool,
    /// Overlaps that are left to the next step, as fractions of the smaller radius: of angular pairs, and of balls.
    tolerated: f64,
    tolerated_of_balls: f64,
}

impl<'a, D: Dim> Check<'a, D> {
    fn new(world: &'a World<D>, end: &'a End<D>, step: &'a Work<D>) -> Self {
        let mut first_contact = vec![u32::MAX; world.cache.pairs.pairs.len()];
        for (contact, &pair) in step.pair_of.iter().enumerate().rev() {
            first_contact[pair as usize] = contact as u32;
        }
        let growth = |free: u32| 4.0_f64.powi(step.solves_before.saturating_sub(free).min(10) as i32);
        Check {
            world,
            end,
            step,
            first_contact,
            has_corners: !world.cache.poses.is_empty(),
            tolerated: f64::min(OVERLAP * growth(FREE_SOLVES), MAX_OVERLAP),
            tolerated_of_balls: match step.solves_before {
                0..=FREE_SOLVES_OF_BALLS => 0.0,
                _ => f64::min(OVERLAP * growth(FREE_SOLVES_OF_BALLS), MAX_OVERLAP_OF_BALLS),
            },
        }
    }

    /// The contacts of a pair.
    fn contacts_of(&self, index: u32) -> &'a [Contact<D>] {
        let first = self.first_contact[index as usize] as usize;
        let count = self.step.pair_of.get(first..).unwrap_or(&[]).iter().take_while(|&&of| of == index).count();
        self.step.contacts.get(first..first + count).unwrap_or(&[])
    }

    fn look_at_pair(&self, walk: &mut PairWalk<'_, D>, index: u32, pair: &Pair, findings: &mut Findings) {
        let (world, end) = (self.world, self.end);
        let within = end.next_reach.or_zero(pair);
        // Two grains that are farther apart than they have moved did not meet on the way.
        let moved = (end.moved[pair.bodies[1] as usize] - end.moved[pair.bodies[0] as usize]).length();
        let is_near = !world.far_apart(pair, &end.position, moved.max(within)) && world.can_move(pair);
        if is_near {
            let places = Places { position: &end.position, orientation: &end.orientation };
            walk.measure(world, pair, &places, &world.cache.poses, within);
        }
        if self.has_corners {
            walk.keep(is_near && !world.is_round(pair));
        }
        if is_near {
            self.judge(index, pair, walk.points(), findings);
        }
    }

    /// Overlaps of a pair; whether it was missed; whether one body passed through the other.
    fn judge(&self, index: u32, pair: &Pair, points: &[Geometry<D>], findings: &mut Findings) {
        let (world, contacts) = (self.world, self.contacts_of(index));
        let gap = points.iter().map(|point| point.gap).fold(f64::INFINITY, f64::min);
        findings.max_overlap = findings.max_overlap.max(-gap);
        let depth = world.passed_through(pair, self.end, gap);
        let overlap = |contact: &Contact<D>| {
            let point = points.iter().find(|point| point.feature == contact.feature);
            point.map_or(0.0, |point| f64::max(-point.gap, 0.0))
        };
        let carrying = contacts.iter().filter(|contact| contact.status != Status::Open);
        findings.overlap += carrying.map(overlap).sum::<f64>();
        if world.settings.is_euler() && self.step.missed.binary_search(&index).is_err() {
            let missed = match contacts {
                [] => {
                    let tolerated = if world.is_round(pair) { self.tolerated_of_balls } else { self.tolerated };
                    gap < -tolerated * world.smaller_radius(pair.bodies) || depth > 0.0
                }
                _ => self.has_new_overlap(pair, contacts, points),
            };
            if missed {
                findings.missed.push(index);
                return;
            }
        }
        if depth > 0.0 {
            findings.tunnel = findings.tunnel.or(Some((*pair, depth)));
        }
    }

    /// True if an angular pair would overlap, by more than is tolerated, at a point that is none of its contacts.
    fn has_new_overlap(&self, pair: &Pair, contacts: &[Contact<D>], points: &[Geometry<D>]) -> bool {
        let depth = self.tolerated * self.world.smaller_radius(pair.bodies);
        let is_new = |point: &Geometry<D>| contacts.iter().all(|contact| contact.feature != point.feature);
        points.iter().any(|point| point.gap < -depth && is_new(point))
    }
}
