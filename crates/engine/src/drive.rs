//! The stage *drive*: drivers impose velocities, and the forces from outside are gathered, all at the middle of the step.

use crate::body::{Carrier, Freedom, Hanging, LoadedArea, Motion, Span};
use crate::loads::{Load, Target};
use crate::settings::Method;
use crate::world::World;
use riprap_solve::{Dim, Vector};

/// What acts on the bodies from outside during a step.
pub(crate) struct External<D: Dim> {
    /// The middle of the step, at which all of it is evaluated.
    pub time: f64,
    /// Gravity on free bodies.
    pub gravity: D::Vector,
    /// The pressure on the cell along each axis.
    pub cell_pressure: D::Vector,
    /// Force and torque on each body; empty if there is none.
    pub loads: Vec<(D::Vector, D::Spin)>,
}

impl<D: Dim> External<D> {
    /// Force and torque on a body, gravity excluded.
    pub fn on(&self, body: usize) -> (D::Vector, D::Spin) {
        self.loads.get(body).copied().unwrap_or((D::Vector::ZERO, D::Spin::ZERO))
    }
}

impl<D: Dim> World<D> {
    /// Imposes the velocities of this step, and returns the forces from outside.
    pub(crate) fn drive(&mut self) -> External<D> {
        let t = self.state.time + 0.5 * self.time_step();
        self.drive_cell(t);
        // After the cell: the energy that it has given to the grains counts as work of drivers.
        self.open_energy_balance();
        let mut loads = Vec::new();
        let from_outside = !(self.loads.is_empty() && self.percussions.is_empty() && self.applied.is_empty());
        let from_bodies = !(self.springs.is_empty() && self.membranes.is_empty());
        if from_outside || from_bodies || self.bodies.iter().any(|body| !body.is_free() && !body.is_imposed()) {
            loads = vec![(D::Vector::ZERO, D::Spin::ZERO); self.bodies.len()];
            for load in &self.loads {
                self.add_load(load, t, &mut loads);
            }
            self.add_percussions(&mut loads);
            for (index, (force, torque)) in self.applied.iter().enumerate().filter(|(i, _)| self.bodies[*i].is_free()) {
                loads[index].0 += *force;
                loads[index].1 += *torque;
            }
            // Soft grains feel these anew in every short step.
            if !matches!(self.method, Method::MolecularDynamics(_)) {
                self.add_position_forces(t, &mut loads);
            }
        }
        let mut carried = Vec::new();
        for body in 0..self.bodies.len() {
            match self.carrier(body) {
                None => self.drive_body(body, t, &mut loads),
                Some(_) => carried.push(body),
            }
        }
        // Each after its carrier. No chain of carriers is longer than they are.
        let longest = carried.len();
        let chain = |body: usize| std::iter::successors(self.carrier(body), |&next| self.carrier(next));
        carried.sort_by_cached_key(|&body| chain(body).take(longest).count());
        carried.into_iter().for_each(|body| self.drive_body(body, t, &mut loads));
        External { time: t, gravity: self.gravity.at(t), cell_pressure: self.cell_pressure(t), loads }
    }

    fn add_load(&self, load: &Load, t: f64, loads: &mut [(D::Vector, D::Spin)]) {
        let force = D::Vector::from_fn(|i| load.force[i].at(t));
        let torque = D::Spin::from_fn(|i| load.torque[i].at(t));
        for index in self.targets(load.target) {
            loads[index].0 += force;
            loads[index].1 += torque;
        }
    }

    /// The percussions of this step, as forces that act during all of it: their impulses are the same.
    fn add_percussions(&self, loads: &mut [(D::Vector, D::Spin)]) {
        let (start, dt) = (self.state.time, self.time_step());
        for percussion in &self.percussions {
            let Some((impulse, turning)) = percussion.within::<D>(start, start + dt) else { continue };
            for index in self.targets(percussion.target) {
                loads[index].0 += impulse * (1.0 / dt);
                loads[index].1 += turning * (1.0 / dt);
            }
        }
    }

    /// The bodies that a load acts on.
    fn targets(&self, target: Target) -> impl Iterator<Item = usize> + '_ {
        self.free_bodies().filter(move |&index| target.includes(index, self.bodies[index].group))
    }

    /// Springs and membranes, with the bodies where they will be at the middle of the step.
    fn add_position_forces(&self, t: f64, loads: &mut [(D::Vector, D::Spin)]) {
        let half = 0.5 * self.time_step();
        let place = |body: u32| self.state.position[body as usize] + self.state.velocity[body as usize] * half;
        for spring in &self.springs {
            let [a, b] = spring.bodies;
            let force = spring.force(place(b) - place(a));
            loads[b as usize].0 += force;
            loads[a as usize].0 -= force;
        }
        for membrane in &self.membranes {
            for (&body, force) in membrane.chain.iter().zip(membrane.forces::<D>(t, place)) {
                loads[body as usize].0 += force;
            }
        }
    }

    /// What carries a body.
    fn carrier(&self, body: usize) -> Option<usize> {
        match &self.bodies[body].motion {
            Motion::Driven(freedoms) => freedoms.carrier.and_then(|carrier| self.index_of(carrier.id)),
            Motion::Free => None,
        }
    }

    /// Sets the imposed velocities of a driven body, and adds its imposed forces.
    fn drive_body(&mut self, index: usize, t: f64, loads: &mut [(D::Vector, D::Spin)]) {
        let Motion::Driven(freedoms) = &self.bodies[index].motion else { return };
        let dt = self.time_step();
        let imposed = |freedom: &Freedom| match freedom {
            Freedom::Velocity(velocity) => velocity.at(t),
            Freedom::Acceleration { acceleration, start } => acceleration.integral(*start, t.max(*start)),
            Freedom::Displacement(place) => (place.at(t + 0.5 * dt) - place.at(t - 0.5 * dt)) / dt,
            Freedom::Force(_) | Freedom::Motor { .. } | Freedom::Pressure { .. } => 0.0,
        };
        let mut velocity = D::Vector::from_fn(|i| imposed(&freedoms.translation[i]));
        let mut spin = D::Spin::from_fn(|i| imposed(&freedoms.rotation[i]));
        if let Some(carrier) = &freedoms.carrier {
            (velocity, spin) = self.carried(index, carrier, velocity, spin);
        }
        let (v, w) = (self.state.velocity[index], self.state.spin[index]);
        let or_now = |freedom: &Freedom, imposed: f64, now: f64| if freedom.is_loaded() { now } else { imposed };
        let velocity = D::Vector::from_fn(|i| or_now(&freedoms.translation[i], velocity.get(i), v.get(i)));
        let spin = D::Spin::from_fn(|i| or_now(&freedoms.rotation[i], spin.get(i), w.get(i)));
        if !loads.is_empty() {
            let force = D::Vector::from_fn(|i| self.imposed_force(&freedoms.translation[i], t));
            let torque = D::Spin::from_fn(|i| self.imposed_force(&freedoms.rotation[i], t));
            loads[index].0 += force;
            loads[index].1 += torque;
            if let Some(hanging) = &freedoms.hanging {
                loads[index].1 += self.torque_of_weight(index, hanging, (velocity - v) * (1.0 / dt), t);
            }
        }
        self.state.velocity[index] = velocity;
        self.state.spin[index] = spin;
    }

    /// The velocity and spin of a body on its carrier, from its own in the axes of the carrier. The displacement in this
    /// step is exact: the chord along which the carrier turns it, and its own way in the axes as they are at the end.
    fn carried(&self, body: usize, on: &Carrier<D>, velocity: D::Vector, spin: D::Spin) -> (D::Vector, D::Spin) {
        let Some(carrier) = self.index_of(on.id) else { return (velocity, spin) };
        let dt = self.time_step();
        let (v, w) = (self.state.velocity[carrier], self.state.spin[carrier]);
        let arm = self.state.position[body] - self.state.position[carrier];
        let turn = D::turn(D::Orientation::default(), w * dt);
        let middle = D::turn(self.state.orientation[carrier], w * (0.5 * dt));
        let back = D::inverse(on.aligned);
        let end = D::turn(self.state.orientation[carrier], w * dt);
        let own_velocity = D::rotate(end, D::rotate(back, velocity));
        let own_spin = D::rotate_spin(middle, D::rotate_spin(back, spin));
        (v + (D::rotate(turn, arm) - arm) * (1.0 / dt) + own_velocity, w + own_spin)
    }

    /// The torque by which its weight turns a hinged body, in the frame of its hinge, which has an acceleration. The
    /// midpoint scheme takes the body where it will be in the middle of the step.
    fn torque_of_weight(&self, body: usize, hanging: &Hanging<D>, acceleration: D::Vector, t: f64) -> D::Spin {
        let ahead = if self.settings.is_euler() { 0.0 } else { 0.5 * self.time_step() };
        let orientation = D::turn(self.state.orientation[body], self.state.spin[body] * ahead);
        let arm = D::rotate(orientation, hanging.arm);
        D::wedge(arm, (self.gravity.at(t) - acceleration) * hanging.mass)
    }

    fn imposed_force(&self, freedom: &Freedom, t: f64) -> f64 {
        match freedom {
            // What a motor gives is found with the contacts.
            Freedom::Velocity(_) | Freedom::Acceleration { .. } | Freedom::Displacement(_) | Freedom::Motor { .. } => {
                0.0
            }
            Freedom::Force(force) => force.at(t),
            Freedom::Pressure { pressure, area } => {
                let area = match area {
                    LoadedArea::Constant(area) => *area,
                    LoadedArea::Spans(spans) => spans.iter().map(|span| self.span(span)).product(),
                };
                pressure.at(t) * area
            }
        }
    }

    /// The length of a span as it is now.
    pub(crate) fn span(&self, span: &Span) -> f64 {
        match span {
            Span::Constant(length) => *length,
            Span::Period(axis) => self.state.cell.period.get(*axis),
            Span::Between { walls, axis } => {
                let [a, b] = walls.map(|wall| self.state.position[wall as usize].get(*axis));
                (b - a).abs()
            }
        }
    }
}
