//! A look back at a solved step before it is taken: was any contact left out, did anything pass through anything?

use crate::contact::Status;
use crate::detect::{Geometry, Pair};
use crate::report::StepError;
use crate::shape::Shape;
use crate::step::{CHUNK, Work};
use crate::world::{Scheme, World};
use rayon::prelude::*;
use riprap_solve::{Dim, Vector};

impl<D: Dim> World<D> {
    /// Looks at every listed pair where the bodies will be at the end of the step: true if all is well. A pair that
    /// was left out and would overlap takes part when the step is solved once more, and a list that was made for
    /// slower bodies is made anew; a body that would pass through another is an error.
    pub(crate) fn look_back(&mut self, step: &mut Work<D>) -> Result<bool, StepError> {
        if let Some(error) = self.not_finite() {
            return Err(error);
        }
        let euler = matches!(self.settings.scheme, Scheme::Euler { .. });
        let time = self.settings.move_after_solve();
        if !self.list_holds_for(time) {
            self.cache.wanted.clone_from(&self.state.velocity);
            self.cache.failures += 1;
            self.restore_start(step);
            step.tried.clear();
            step.missed.clear();
            return Ok(false);
        }
        self.cache.failures = 0;
        let mut contact_of = vec![u32::MAX; self.cache.pairs.pairs.len()];
        for (contact, &pair) in step.pair_of.iter().enumerate() {
            contact_of[pair as usize] = contact as u32;
        }
        let end: Vec<D::Vector> =
            self.state.position.iter().zip(&self.state.velocity).map(|(&x, &v)| x + v * time).collect();
        // Two balls that are farther apart than they have moved did not meet on the way.
        let moved: Vec<f64> = end.iter().zip(&step.start).map(|(&end, &start)| (end - start).length()).collect();
        let looks: Vec<Look> = self
            .cache
            .pairs
            .pairs
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(chunk, pairs)| {
                let mut look = Look::default();
                for (i, pair) in pairs.iter().enumerate() {
                    let index = (chunk * CHUNK + i) as u32;
                    if self.far_apart(pair, &end, &moved) || !self.can_move(pair) {
                        continue;
                    }
                    let geometry = self.geometry(pair, &end);
                    look.deepest = look.deepest.max(-geometry.gap);
                    let depth = self.passed_through(pair, &step.start, &end, &geometry);
                    match contact_of[index as usize] {
                        u32::MAX if euler && (geometry.gap < 0.0 || depth > 0.0) => look.missed.push(index),
                        _ if depth > 0.0 => look.tunnel = look.tunnel.or(Some((*pair, depth))),
                        u32::MAX => {}
                        contact if step.contacts[contact as usize].status != Status::Open => {
                            look.overlap += f64::max(-geometry.gap, 0.0);
                        }
                        _ => {}
                    }
                }
                look
            })
            .collect();
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
        Ok(true)
    }

    /// Takes the velocities of the step's start back, to solve the step again from what was found.
    fn restore_start(&mut self, step: &mut Work<D>) {
        step.sweeps_before += step.solved.sweeps;
        step.updates += u64::from(step.solved.sweeps) * step.contacts.len() as u64;
        step.tried.clear();
        step.tried.extend(step.pair_of.iter().zip(&step.contacts).map(|(&pair, contact)| (pair, contact.impulse)));
        self.state.velocity.clone_from(&step.velocity_before);
        self.state.spin.clone_from(&step.spin_before);
    }

    /// How deep the centre of one body has gone into the other on the way from start to end; zero if it has not.
    fn passed_through(&self, pair: &Pair, start: &[D::Vector], end: &[D::Vector], at_end: &Geometry<D>) -> f64 {
        let [a, b] = pair.bodies.map(|body| body as usize);
        let radius = self.bodies[b].shape.ball_radius().unwrap_or(0.0);
        match self.bodies[a].shape {
            Shape::Ball { radius: own } => {
                let from = start[b] + self.cell.shift(pair.offset) - start[a];
                let path = (end[b] - start[b]) - (end[a] - start[a]);
                let square = path.dot(path);
                let nearest = if square > 0.0 { (-from.dot(path) / square).clamp(0.0, 1.0) } else { 0.0 };
                (own.max(radius) - (from + path * nearest).length()).max(0.0)
            }
            Shape::Plate { half_edges } => {
                // Where the straight path of the centre meets the plate's plane, if it does: is that on the plate?
                let seen = |at: &[D::Vector]| at[b] + self.cell.shift(pair.offset) - at[a];
                let edges = half_edges.map(|edge| D::rotate(self.state.orientation[a], edge));
                let across = |from_plate: D::Vector| {
                    edges
                        .iter()
                        .filter(|edge| edge.dot(**edge) > 0.0)
                        .fold(from_plate, |rest, &edge| rest - edge * (edge.dot(from_plate) / edge.dot(edge)))
                };
                let (from, to) = (seen(start), seen(end));
                let (height, height_end) = (across(from), across(to));
                if height.dot(height_end) >= 0.0 {
                    return 0.0;
                }
                let share = height.length() / (height.length() + height_end.length());
                let crossing = from + (to - from) * share;
                let on_plate = edges.iter().all(|edge| edge.dot(crossing).abs() <= edge.dot(*edge));
                if on_plate { radius } else { 0.0 }
            }
            Shape::Plane { .. } | Shape::Drum { .. } | Shape::Rod { .. } => (-at_end.gap - radius).max(0.0),
            Shape::Convex(_) | Shape::Cluster(_) | Shape::Mesh(_) => 0.0,
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
