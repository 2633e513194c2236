//! A look back at a solved step before it is taken: was any contact left out, did anything pass through anything?

use crate::cell::Cell;
use crate::contact::{Contact, Status};
use crate::detect::{Geometry, Pair, Placed, Scratch, gap as surface_gap};
use crate::report::StepError;
use crate::seen::{Points, Reach, SeenPairs};
use crate::shape::Shape;
use crate::step::{CHUNK, Places, Work};
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::{Dim, Vector};

/// An angular pair that overlaps by more than this part of the smaller radius, at a point where it had no contact, is
/// solved again with that point; less is left to the next step, of a round pair nothing. Where fast bodies meet one after the
/// other, each solve finds a few new pairs, and tens of solves would go by for the last ones: from a few solves on, four times
/// as much is left with each; of round pairs, which are missed for so long only where solves do not converge, from many on.
const OVERLAP: f64 = 1e-4;
const MOST_OVERLAP: f64 = 0.2;
const MOST_OVERLAP_OF_BALLS: f64 = 0.01;
const FEW_SOLVES: u32 = 3;
const MANY_SOLVES: u32 = 15;

impl<D: Dim> World<D> {
    /// Looks at every listed pair where the bodies will be at the end of the step: true if all is well. A pair that
    /// was left out and would overlap takes part when the step is solved once more, and a list that was made for
    /// slower bodies is made anew; a body that would pass through another is an error.
    pub(crate) fn look_back(&mut self, step: &mut Work<D>) -> Result<bool, StepError> {
        let (here, start) = (self.state.cell, step.start.clone());
        let outcome = self.look_at_end(step);
        // The look was at the cell of the end.
        self.state.cell = Cell { rate: self.state.cell.rate, ..here };
        step.start = start;
        outcome
    }

    fn look_at_end(&mut self, step: &mut Work<D>) -> Result<bool, StepError> {
        if let Some(error) = self.not_finite() {
            return Err(error);
        }
        let euler = self.settings.is_euler();
        let time = self.settings.move_after_solve();
        if !self.list_holds_for(time) {
            self.outrun_list();
            self.restore_start(step);
            step.tried.clear();
            step.missed.clear();
            return Ok(false);
        }
        // The first contact of each pair; the others follow it.
        let mut contact_of = vec![u32::MAX; self.cache.pairs.pairs.len()];
        for (contact, &pair) in step.pair_of.iter().enumerate().rev() {
            contact_of[pair as usize] = contact as u32;
        }
        let carrying = self.carrying(time);
        let end: Vec<D::Vector> =
            (0..self.bodies.len()).map(|body| self.place_after(body, time, carrying.as_ref())).collect();
        if let Some(carrying) = carrying {
            self.carry_start(time, step);
            self.state.cell = carrying.cell(&self.state.cell);
        }
        let mut poses = std::mem::take(&mut self.cache.poses);
        let has_corners = !poses.is_empty();
        let (turned, spin): (Vec<D::Orientation>, Vec<D::Spin>) = if has_corners {
            let bodies = (0..self.bodies.len()).into_par_iter().with_min_len(1024);
            bodies.map(|body| self.turn_for(body, time)).unzip()
        } else {
            (self.state.orientation.clone(), Vec::new())
        };
        poses.turn(&self.bodies, &turned);
        let at_end = Places { position: &end, orientation: &turned };
        // Two grains that are farther apart than they have moved did not meet on the way.
        let gone: Vec<D::Vector> = end.iter().zip(&step.start).map(|(&end, &start)| end - start).collect();
        let gone_apart = |pair: &Pair| (gone[pair.bodies[1] as usize] - gone[pair.bodies[0] as usize]).length();
        // The next step begins where this one ends, and what it will want to know is looked at here, once for both.
        let ahead = if has_corners && euler { self.reach_ahead(&self.state.velocity, &spin) } else { Reach::default() };
        let within = |pair: &Pair| if ahead.own.is_empty() { 0.0 } else { ahead.of(pair) };
        let mut seen = std::mem::take(&mut self.cache.seen.chunks);
        let fours_since = |solves: u32| 4.0_f64.powi(step.solves.saturating_sub(solves).min(10) as i32);
        let left = f64::min(OVERLAP * fours_since(FEW_SOLVES), MOST_OVERLAP);
        let left_of_balls = match step.solves {
            0..=MANY_SOLVES => 0.0,
            _ => f64::min(OVERLAP * fours_since(MANY_SOLVES), MOST_OVERLAP_OF_BALLS),
        };
        let looks: Vec<Look> = self
            .cache
            .pairs
            .pairs
            .par_chunks(CHUNK)
            .zip(&mut seen)
            .enumerate()
            .map(|(chunk, (pairs, seen))| {
                let mut look = Look::default();
                let (mut scratch, mut round) = (Scratch::default(), Vec::new());
                let SeenPairs { axes, next: Points { points: seen, ends }, .. } = seen;
                seen.clear();
                ends.clear();
                for (i, pair) in pairs.iter().enumerate() {
                    let index = (chunk * CHUNK + i) as u32;
                    let start = seen.len();
                    if has_corners {
                        ends.push(start as u32);
                    }
                    let within = within(pair);
                    if self.far_apart(pair, &end, gone_apart(pair).max(within)) || !self.can_move(pair) {
                        continue;
                    }
                    let points: &[Geometry<D>] = if self.is_round(pair) {
                        round.clear();
                        round.push(self.geometry(pair, &end));
                        &round
                    } else {
                        scratch.axis = axes.get(i).copied().unwrap_or(D::Vector::ZERO);
                        self.points(pair, &at_end, &poses, within, &mut scratch, seen);
                        if let Some(axis) = axes.get_mut(i) {
                            *axis = scratch.axis;
                        }
                        if let Some(end) = ends.last_mut() {
                            *end = seen.len() as u32;
                        }
                        &seen[start..]
                    };
                    let first = contact_of[index as usize] as usize;
                    let known = step.pair_of.get(first..).unwrap_or(&[]).iter().take_while(|&&of| of == index).count();
                    let contacts = step.contacts.get(first..first + known).unwrap_or(&[]);
                    let gap = points.iter().map(|point| point.gap).fold(f64::INFINITY, f64::min);
                    look.deepest = look.deepest.max(-gap);
                    let depth = self.passed_through(pair, &step.start, &end, gap);
                    let overlaps = |contact: &Contact<D>| {
                        let point = points.iter().find(|point| point.feature == contact.feature);
                        point.map_or(0.0, |point| f64::max(-point.gap, 0.0))
                    };
                    let carrying = contacts.iter().filter(|contact| contact.status != Status::Open);
                    look.overlap += carrying.map(overlaps).sum::<f64>();
                    if euler && step.missed.binary_search(&index).is_err() {
                        let missed = match contacts {
                            [] => {
                                let left = if self.is_round(pair) { left_of_balls } else { left };
                                gap < -left * self.smaller_radius(pair.bodies) || depth > 0.0
                            }
                            _ => self.has_new_overlap(pair, contacts, points, left),
                        };
                        if missed {
                            look.missed.push(index);
                            continue;
                        }
                    }
                    if depth > 0.0 {
                        look.tunnel = look.tunnel.or(Some((*pair, depth)));
                    }
                }
                look
            })
            .collect();
        self.cache.poses = poses;
        self.cache.seen.chunks = seen;
        let known = step.missed.len();
        step.missed.extend(looks.iter().flat_map(|look| &look.missed));
        if step.missed.len() > known {
            step.missed.sort_unstable();
            self.restore_start(step);
            return Ok(false);
        }
        if let Some((pair, depth)) = looks.iter().find_map(|look| look.tunnel) {
            let [a, b] = pair.bodies.map(|body| body as usize);
            let moved = ((end[b] - step.start[b]) - (end[a] - step.start[a])).length();
            let step = self.state.step + 1;
            return Err(StepError::Tunnel { step, body: pair.bodies[1], other: pair.bodies[0], moved, depth });
        }
        step.deepest = looks.iter().fold(0.0, |deepest, look| f64::max(deepest, look.deepest));
        let carrying = step.contacts.iter().filter(|contact| contact.status != Status::Open).count();
        step.mean_overlap = looks.iter().map(|look| look.overlap).sum::<f64>() / carrying.max(1) as f64;
        if !ahead.own.is_empty() {
            self.cache.seen.accept(&at_end, self.state.cell, &self.cache.slots, ahead);
        }
        // Not before: a list that holds for one solve of this step need not hold for the next one.
        self.hold_list();
        Ok(true)
    }

    /// Takes the velocities of the step's start back, to solve the step again from what was found.
    fn restore_start(&mut self, step: &mut Work<D>) {
        step.solves += 1;
        step.sweeps_before += step.solved.sweeps;
        step.updates += u64::from(step.solved.sweeps) * step.contacts.len() as u64;
        step.tried.clear();
        let tried = step.pair_of.iter().zip(&step.contacts);
        step.tried.extend(tried.map(|(&pair, contact)| (pair, contact.feature, contact.impulse, contact.torque)));
        self.state.velocity.clone_from(&step.velocity_before);
        self.state.spin.clone_from(&step.spin_before);
        self.state.cell.rate = step.rate_before;
    }

    /// True if an angular pair would overlap, by more than may be left, at a point that none of its contacts stands for.
    fn has_new_overlap(&self, pair: &Pair, contacts: &[Contact<D>], points: &[Geometry<D>], left: f64) -> bool {
        let depth = left * self.smaller_radius(pair.bodies);
        let is_new = |point: &&Geometry<D>| contacts.iter().all(|contact| contact.feature != point.feature);
        points.iter().filter(|point| point.gap < -depth).any(|point| is_new(&point))
    }

    /// How deep the centre of one body has gone into the other on the way from start to end; zero if it has not. `gap` is
    /// that of the pair at the end.
    fn passed_through(&self, pair: &Pair, start: &[D::Vector], end: &[D::Vector], gap: f64) -> f64 {
        let [a, b] = pair.bodies.map(|body| body as usize);
        let radius = self.bodies[b].shape.core_radius();
        let shift = if pair.offset == [0; 3] { D::Vector::ZERO } else { self.state.cell.shift(pair.offset) };
        let seen = |at: &[D::Vector]| at[b] + shift - at[a];
        let (from, to) = (seen(start), seen(end));
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
            Shape::Plane { .. } | Shape::Drum { .. } | Shape::Rod { .. } => {
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

/// What one task saw at the end of the step.
#[derive(Default)]
struct Look {
    deepest: f64,
    overlap: f64,
    missed: Vec<u32>,
    tunnel: Option<(Pair, f64)>,
}
