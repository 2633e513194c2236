//! Verification of a solved step before it is accepted: was a contact left out, did a motor do what it cannot, did a body
//! pass through another?

use crate::cache::PAIRS_PER_TASK;
use crate::contact::{Contact, Status};
use crate::detect::{Geometry, Pair, Placed, gap as surface_gap, gap_of_balls};
use crate::drive::External;
use crate::geometry::PairWalk;
use crate::reach::Reach;
use crate::report::StepError;
use crate::shape::Shape;
use crate::state::Places;
use crate::work::{BodyAtEnd, End, RejectedImpulse, Work};
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::problem::GROUND;
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

/// Squares of lengths that differ by more than this factor are not equal by rounding.
const APART: f64 = 1.0 + 1e-12;

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
    /// would overlap takes part when the step is solved again, and a list that was made for slower bodies is made anew; so
    /// is a step in which a motor did what it cannot do; a body that would pass through another is an error.
    pub(crate) fn verify(&mut self, external: &External<D>, step: &mut Work<D>) -> Result<Verdict, StepError> {
        if let Some(error) = self.not_finite() {
            return Err(error);
        }
        if !self.list_holds_for(self.move_after_solve()) {
            self.outrun_list()?;
            self.restart(step);
            step.rejected.clear();
            step.missed.clear();
            return Ok(Verdict::SolveAgain);
        }
        if self.change_motors(external, step) {
            self.restart(step);
            return Ok(Verdict::SolveAgain);
        }
        let mut end = std::mem::take(&mut step.end);
        self.end_of_step(step, &mut end);
        let findings = self.look_at_pairs(&end, step);
        let verdict = self.verdict(&mut end, findings, step);
        step.end = end;
        verdict
    }

    /// Where the bodies will be at the end of the step.
    fn end_of_step(&self, step: &Work<D>, end: &mut End<D>) {
        let time = self.move_after_solve();
        let carrying = self.carrying(time);
        end.start.clone_from(&step.start_position);
        self.carry(time, &mut end.start);
        end.position.clear();
        end.position.extend((0..self.bodies.len()).map(|body| self.place_after(body, time, carrying.as_ref())));
        end.bodies.clear();
        let balls = self.cache.slots.iter().zip(&self.cache.ball_radius);
        end.bodies.extend(end.position.iter().zip(&end.start).zip(balls).map(
            |((&position, &start), (&slot, &radius))| {
                let radius = if slot == GROUND { f64::NAN } else { radius };
                BodyAtEnd { position, moved: position - start, radius }
            },
        ));
        let has_corners = !self.cache.poses.is_empty();
        let bodies = 0..self.bodies.len();
        let (orientation, spin): (Vec<D::Orientation>, Vec<D::Spin>) = if has_corners {
            bodies.into_par_iter().with_min_len(1024).map(|body| self.turn_for(body, time)).unzip()
        } else {
            (Vec::new(), Vec::new())
        };
        // The next step begins where this one ends: the points that it will need are found here, once for both.
        end.next_reach = if has_corners && self.settings.is_euler() {
            self.reach_ahead(&self.state.velocity, &spin)
        } else {
            Reach::default()
        };
        end.orientation = orientation;
        end.cell = carrying.map_or(self.state.cell, |carrying| carrying.cell(&self.state.cell));
    }

    /// Looks at all pairs at the end of the step.
    fn look_at_pairs(&mut self, end: &End<D>, step: &Work<D>) -> Vec<Findings> {
        let here = std::mem::replace(&mut self.state.cell, end.cell);
        self.cache.poses.turn(&self.bodies, &end.orientation);
        let mut chunks = std::mem::take(&mut self.cache.points.chunks);
        let check = Check::new(self, end, step);
        let mut findings = Vec::new();
        self.for_pairs(
            0,
            &mut chunks,
            &mut findings,
            |_| {},
            |findings, walk, index, pair| {
                check.look_at_pair(walk, index, pair, findings);
            },
        );
        self.cache.points.chunks = chunks;
        self.state.cell = here;
        findings
    }

    /// Accepts the step, or has it solved again with the pairs that were missed.
    fn verdict(&mut self, end: &mut End<D>, findings: Vec<Findings>, step: &mut Work<D>) -> Result<Verdict, StepError> {
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
        step.overlap_growth = findings.iter().fold(0.0, |most, found| f64::max(most, found.growth));
        step.mean_overlap = findings.iter().map(|found| found.overlap).sum::<f64>() / step.carrying.max(1) as f64;
        if !end.next_reach.bodies.is_empty() {
            let places = Places { position: &end.position, orientation: &end.orientation };
            let next_reach = std::mem::take(&mut end.next_reach);
            self.cache.points.accept(&places, end.cell, &self.cache.slots, next_reach);
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
        let mut extras = step.extras.iter();
        let found = step.pair_of.iter().zip(&step.contacts);
        step.rejected.extend(found.map(|(&pair, contact)| RejectedImpulse {
            pair,
            feature: contact.feature,
            impulse: contact.impulse,
            torque: extras.next().map_or(D::Spin::ZERO, |extras| extras.torque),
        }));
        self.state.velocity.clone_from(&step.velocity_before);
        self.state.spin.clone_from(&step.spin_before);
        self.state.cell.rate = step.rate_before;
    }

    /// True for two balls that cannot have passed through each other: each has moved by less than half of the smaller radius
    /// against the other, and they end no deeper in each other than that.
    fn is_safe(&self, pair: &Pair, moved: f64, gap: f64) -> bool {
        let radii = pair.bodies.map(|body| self.cache.ball_radius[body as usize]);
        // The radius of what is no ball is NaN, and no comparison with it holds.
        let half = 0.5 * f64::min(radii[0], radii[1]);
        radii[0] + radii[1] > 0.0 && moved < half && gap > -half
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

/// What one task found.
#[derive(Default)]
struct Findings {
    /// The next contact to be looked at: they are in the order of the pairs.
    next_contact: usize,
    max_overlap: f64,
    /// By how much the overlap of a pair has grown, over its smaller radius.
    growth: f64,
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
    has_corners: bool,
    /// Overlaps that are left to the next step, as fractions of the smaller radius: of angular pairs, and of balls.
    tolerated: f64,
    tolerated_of_balls: f64,
}

impl<'a, D: Dim> Check<'a, D> {
    fn new(world: &'a World<D>, end: &'a End<D>, step: &'a Work<D>) -> Self {
        let growth = |free: u32| f64::from(4_u32.pow(step.solves_before.saturating_sub(free).min(10)));
        Check {
            world,
            end,
            step,
            has_corners: !world.cache.poses.is_empty(),
            tolerated: f64::min(OVERLAP * growth(FREE_SOLVES), MAX_OVERLAP),
            tolerated_of_balls: match step.solves_before {
                0..=FREE_SOLVES_OF_BALLS => 0.0,
                _ => f64::min(OVERLAP * growth(FREE_SOLVES_OF_BALLS), MAX_OVERLAP_OF_BALLS),
            },
        }
    }

    /// The contacts of a pair, by a walk along them that began with the first pair of the task.
    #[inline]
    fn contacts_of(&self, index: u32, next: &mut usize) -> &'a [Contact<D>] {
        let pair_of = &self.step.pair_of;
        while pair_of.get(*next).is_some_and(|&of| of < index) {
            *next += 1;
        }
        let count = pair_of[*next..].iter().take_while(|&&of| of == index).count();
        &self.step.contacts[*next..*next + count]
    }

    #[inline]
    fn look_at_pair(&self, walk: &mut PairWalk<'_, D>, index: u32, pair: &Pair, findings: &mut Findings) {
        if (index as usize).is_multiple_of(PAIRS_PER_TASK) {
            findings.next_contact = self.step.pair_of.partition_point(|&of| of < index);
        }
        let [a, b] = pair.bodies.map(|body| &self.end.bodies[body as usize]);
        let moved = b.moved - a.moved;
        if self.has_corners || a.radius.is_nan() || b.radius.is_nan() {
            return self.look_at_others(walk, index, pair, moved.length(), findings);
        }
        // Two balls, of which there are most: nothing more has to be looked up.
        let place = b.position + self.world.image_shift(pair);
        let (away, sum) = (place - a.position, a.radius + b.radius);
        let (distance, path, half) = (away.dot(away), moved.dot(moved), 0.5 * f64::min(a.radius, b.radius));
        if distance > APART * sum * sum && APART * path < half * half {
            // They end apart, and have moved too little to have passed through each other.
            return;
        }
        // Two grains that are farther apart than they have moved did not meet on the way.
        let moved = path.sqrt();
        let reach = sum + moved;
        if distance <= reach * reach {
            self.judge(index, pair, moved, &[gap_of_balls(place, away, [a.radius, b.radius])], findings);
        }
    }

    /// Looks at a pair that is not one of two balls that can move, or where contact points are cached.
    #[inline(never)]
    fn look_at_others(&self, walk: &mut PairWalk<'_, D>, index: u32, pair: &Pair, moved: f64, findings: &mut Findings) {
        let (world, end) = (self.world, self.end);
        let within = end.next_reach.or_zero(pair);
        let is_near = !world.far_apart(pair, &end.position, moved.max(within)) && world.can_move(pair);
        if is_near {
            // Balls need no orientation, and simple walls keep theirs.
            let orientation = if self.has_corners { &end.orientation } else { &world.state.orientation };
            let places = Places { position: &end.position, orientation };
            walk.measure(world, pair, &places, &world.cache.poses, within);
        }
        if self.has_corners {
            walk.keep(is_near && !world.is_listed_round(pair));
        }
        if is_near {
            self.judge(index, pair, moved, walk.points(), findings);
        }
    }

    /// Overlaps of a pair; whether it was missed; whether one body passed through the other.
    #[inline]
    fn judge(&self, index: u32, pair: &Pair, moved: f64, points: &[Geometry<D>], findings: &mut Findings) {
        let (world, contacts) = (self.world, self.contacts_of(index, &mut findings.next_contact));
        let gap = points.iter().map(|point| point.gap).fold(f64::INFINITY, f64::min);
        findings.max_overlap = findings.max_overlap.max(-gap);
        let deeper = contacts.iter().map(|contact| contact.gap).fold(0.0, f64::min) - gap;
        if deeper > 0.0 {
            findings.growth = findings.growth.max(deeper / world.smaller_radius(pair.bodies));
        }
        let depth = if world.is_safe(pair, moved, gap) { 0.0 } else { world.passed_through(pair, self.end, gap) };
        let overlap = |contact: &Contact<D>| {
            let point = points.iter().find(|point| point.feature == contact.feature);
            point.map_or(0.0, |point| f64::max(-point.gap, 0.0))
        };
        let carrying = contacts.iter().filter(|contact| contact.status != Status::Open);
        findings.overlap += carrying.map(overlap).sum::<f64>();
        if world.settings.is_euler() && self.step.missed.binary_search(&index).is_err() {
            let missed = match contacts {
                [] => {
                    let tolerated = if world.is_listed_round(pair) { self.tolerated_of_balls } else { self.tolerated };
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
