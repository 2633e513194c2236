//! The deformation of a periodic cell by its [`crate::CellDriver`].
//!
//! The velocity of a grain in the state is its own, to which the cell adds `ε̇·(r − origin)`. So the relative velocity of
//! every contact between grains gains `ε̇·ℓ`, with the branch `ℓ = r₂ − r₁` between their centres (in the images that touch),
//! and contact impulses move the cell as they move bodies. Along an axis under pressure `P`
//!
//! ```text
//!   M δε̇ = Σ p ℓ − δt P V,    r ← r + δt c + (e^{ε̇δt} − 1)(r − origin)
//! ```
//!
//! with the volume `V` of the cell and a mass `M` (kg m²), which sets how fast the cell responds but not its equilibrium, where
//! the stress `Σ f ℓ/V` is `P`. Energy is exact with mean velocities as for bodies (docs/method.md §2): `½ M ε̇²` is the
//! cell's kinetic energy and `−P V ε̇ δt` the work of the pressure.
//!
//! Where the motion of the cell is imposed, a grain that moves through it with its own velocity `c` reaches places that move
//! differently, so that `ċ = F/m − ε̇·c`; the energy that this gives to the grains is work of the cell. (In a uniform shear flow this is
//! Newton's law without approximation.) Along axes under pressure neither this nor its counterpart, the momentum that grains
//! carry between collisions, is taken into account: the pressure is that of the contacts alone, which is the whole pressure except in a gas.
//!
//! Walls are not carried along: they have to be planes along which the cell deforms.

use crate::cell::{Cell, Deformation};
use crate::cell_driver::Stretch;
use crate::contact::Contact;
use crate::drive::External;
use crate::energy::CellWork;
use crate::law::capillary::Bridge;
use crate::work::Work;
use crate::world::World;
use riprap_solve::{Dim, Problem, Vector, problem};

/// The mass of a cell in a step is at least this many times the mass needed for frictionless sweeps to converge (see
/// `sweep/cell.rs` of the solver).
const HEAVY: f64 = 1.5;

/// How the cell carries bodies along if it keeps deforming as it does now.
pub(crate) struct Carrying<D: Dim> {
    origin: D::Vector,
    ahead: Deformation<D>,
    since_search: Deformation<D>,
}

impl<D: Dim> World<D> {
    /// The volume of the cell that pressures act in.
    pub fn cell_volume(&self) -> f64 {
        let lengths = (0..D::AXES).map(|i| self.state.cell.period.get(i)).filter(|&length| length > 0.0);
        let spans = self.cell_driver.iter().flat_map(|driver| &driver.spans).map(|span| self.span(span));
        lengths.chain(spans).product()
    }

    /// Imposes the rates of this step, and changes the velocities of grains that move through the imposed motion.
    pub(crate) fn drive_cell(&mut self, t: f64) {
        let Some(driver) = &self.cell_driver else { return };
        let rate = self.state.cell.rate;
        self.state.cell.rate = D::Vector::from_fn(|i| match &driver.stretch[i] {
            Stretch::Fixed => 0.0,
            Stretch::Rate(imposed) => imposed.at(t),
            Stretch::Pressure(_) => rate.get(i),
        });
        self.state.cell.shear = driver.shear.as_ref().map_or(0.0, |shear| shear.at(t));
        // ċ = −ε̇·c over the step, for the part of the motion that is imposed.
        let free = |axis: usize| driver.is_free(axis);
        let cell = &self.state.cell;
        let imposed = D::Vector::from_fn(|i| if free(i) { 0.0 } else { -cell.rate.get(i) });
        if imposed == D::Vector::ZERO && cell.shear == 0.0 {
            return;
        }
        let back = Cell { rate: imposed, shear: -cell.shear, ..*cell }.deformation(self.time_step());
        for (velocity, body) in self.state.velocity.iter_mut().zip(&self.bodies) {
            if body.is_free() {
                *velocity = back.carry(D::Vector::ZERO, *velocity);
            }
        }
    }

    /// The pressures on the cell, zero along axes without one.
    pub(crate) fn cell_pressure(&self, t: f64) -> D::Vector {
        D::Vector::from_fn(|i| match self.cell_driver.as_ref().map(|driver| &driver.stretch[i]) {
            Some(Stretch::Pressure(pressure)) => pressure.at(t),
            _ => 0.0,
        })
    }

    /// The kinetic energy of the cell.
    pub(crate) fn cell_energy(&self) -> f64 {
        let Some(driver) = &self.cell_driver else { return 0.0 };
        let rate = self.state.cell.rate;
        0.5 * driver.mass_along_axes().scale(rate).dot(rate)
    }

    /// From the centre of body 1 to that of body 2, in the image that touches; zero if one of them is a wall, which the cell
    /// does not carry.
    pub(crate) fn branch(&self, contact: &Contact<D>) -> D::Vector {
        self.branch_between(contact.bodies, contact.offset)
    }

    fn branch_between(&self, bodies: [u32; 2], offset: [i16; 3]) -> D::Vector {
        let [a, b] = bodies.map(|body| body as usize);
        if !(self.bodies[a].is_free() && self.bodies[b].is_free()) {
            return D::Vector::ZERO;
        }
        self.state.position[b] + self.state.cell.shift(offset) - self.state.position[a]
    }

    /// The contribution of the cell to the relative velocity of a contact.
    pub(crate) fn carried_apart(&self, contact: &Contact<D>) -> D::Vector {
        self.carried_apart_between(contact.bodies, contact.offset)
    }

    /// The same for two bodies, the second in an image.
    pub(crate) fn carried_apart_between(&self, bodies: [u32; 2], offset: [i16; 3]) -> D::Vector {
        if self.cell_driver.is_none() {
            return D::Vector::ZERO;
        }
        self.state.cell.velocity(self.branch_between(bodies, offset))
    }

    /// The imposed part of [`World::carried_apart`], which is not a degree of freedom of the problem.
    pub(crate) fn imposed_apart(&self, contact: &Contact<D>) -> D::Vector {
        if self.cell_driver.is_none() {
            return D::Vector::ZERO;
        }
        self.imposed_velocity_along(self.branch(contact))
    }

    fn imposed_velocity_along(&self, branch: D::Vector) -> D::Vector {
        let Some(driver) = &self.cell_driver else { return D::Vector::ZERO };
        let free = D::Vector::from_fn(|i| if driver.is_free(i) { self.state.cell.rate.get(i) } else { 0.0 });
        self.state.cell.velocity(branch) - free.scale(branch)
    }

    /// States the cell as part of the problem if it has degrees of freedom: with the rate that pressures, bridges and the
    /// tension of cohesive contacts give it, and with a mass large enough for the sweeps to converge.
    pub(crate) fn state_cell(&self, external: &External<D>, step: &mut Work<D>) {
        step.problem.cell = None;
        step.cell_mass = D::Vector::ZERO;
        let Some(driver) = self.cell_driver.as_ref().filter(|driver| (0..D::AXES).any(|i| driver.is_free(i))) else {
            return;
        };
        let dt = self.time_step();
        let branches: Vec<D::Vector> = step.contacts.iter().map(|contact| self.branch(contact)).collect();
        let needed = branches.iter().zip(&step.problem.contacts).fold(D::Vector::ZERO, |sum, (branch, contact)| {
            sum + branch.scale(*branch) * normal_mass(&step.problem, contact)
        });
        let mass = driver.mass_along_axes();
        step.cell_mass =
            D::Vector::from_fn(|i| if driver.is_free(i) { mass.get(i).max(HEAVY * needed.get(i)) } else { 0.0 });
        let inverse_mass = D::Vector::from_fn(|i| if driver.is_free(i) { 1.0 / step.cell_mass.get(i) } else { 0.0 });
        let held = branches.iter().zip(&step.contacts).zip(&step.laws);
        let held = held
            .fold(D::Vector::ZERO, |sum, ((branch, contact), law)| sum - branch.scale(contact.normal) * law.tension);
        let pushed = (self.pull_of_bridges(&step.bridges) - external.cell_pressure * self.cell_volume()) * dt + held;
        let free = D::Vector::from_fn(|i| if driver.is_free(i) { self.state.cell.rate.get(i) } else { 0.0 });
        let rate = free + inverse_mass.scale(pushed);
        step.problem.cell = Some(problem::Cell { rate, inverse_mass, branches });
    }

    /// Keeps the rates that the solve has found.
    pub(crate) fn keep_rates(&mut self, step: &Work<D>) {
        let (Some(driver), Some(solved)) = (&self.cell_driver, &step.problem.cell) else { return };
        let now = self.state.cell.rate;
        self.state.cell.rate = D::Vector::from_fn(|i| if driver.is_free(i) { solved.rate.get(i) } else { now.get(i) });
    }

    /// `Σ f ℓ` of bridges.
    fn pull_of_bridges(&self, bridges: &[Bridge<D>]) -> D::Vector {
        bridges.iter().fold(D::Vector::ZERO, |sum, bridge| {
            sum - self.branch_between(bridge.bodies, bridge.offset).scale(bridge.normal) * bridge.force
        })
    }

    /// The work of the cell in a step, with the bodies where the step was solved.
    pub(crate) fn cell_work(&self, external: &External<D>, step: &Work<D>) -> CellWork {
        let Some(driver) = &self.cell_driver else { return CellWork::default() };
        let dt = self.time_step();
        let (before, after) = (step.rate_before, self.state.cell.rate);
        let mean = (before + after) * 0.5;
        let free = D::Vector::from_fn(|i| if driver.is_free(i) { mean.get(i) } else { 0.0 });
        let excess = step.cell_mass - driver.mass_along_axes();
        let mut work = CellWork {
            loads: -dt * self.cell_volume() * external.cell_pressure.dot(free),
            scheme: -excess.scale(after - before).dot(free),
            ..CellWork::default()
        };
        for contact in step.contacts.iter().filter(|contact| contact.impulse != D::Vector::ZERO) {
            work.drivers -= contact.impulse.dot(self.imposed_apart(contact));
        }
        for bridge in &step.bridges {
            let (branch, pull) = (self.branch_between(bridge.bodies, bridge.offset), bridge.normal * -bridge.force);
            let imposed = dt * pull.dot(self.imposed_velocity_along(branch));
            work.bridges += dt * pull.dot(free.scale(branch)) + imposed;
            work.drivers -= imposed;
        }
        work
    }

    /// How the cell carries bodies for `time`, if it is driven.
    pub(crate) fn carrying(&self, time: f64) -> Option<Carrying<D>> {
        self.cell_driver.as_ref()?;
        let cell = &self.state.cell;
        let ahead = cell.deformation(time);
        let since_search = Deformation::between(&self.state.search.cell, &cell.deformed(&ahead));
        Some(Carrying { origin: cell.origin, ahead, since_search })
    }

    /// Carries the positions of free bodies along with the cell for `time`: the rest is their own motion.
    pub(crate) fn carry(&self, time: f64, positions: &mut [D::Vector]) {
        if let Some(carrying) = self.carrying(time) {
            for (place, _) in positions.iter_mut().zip(&self.bodies).filter(|(_, body)| body.is_free()) {
                *place = carrying.now(*place);
            }
        }
    }

    /// Where a body will be after `time`.
    pub(crate) fn place_after(&self, body: usize, time: f64, carrying: Option<&Carrying<D>>) -> D::Vector {
        let own = self.state.velocity[body] * time;
        match carrying {
            Some(carrying) if self.bodies[body].is_free() => carrying.now(self.state.position[body]) + own,
            _ => self.state.position[body] + own,
        }
    }

    /// The largest strain rate of the cell.
    pub(crate) fn strain_rate(&self) -> f64 {
        let cell = &self.state.cell;
        (0..D::AXES).map(|i| cell.rate.get(i).abs()).fold(cell.shear.abs(), f64::max)
    }
}

impl<D: Dim> Carrying<D> {
    /// Where the deformation ahead takes a point.
    pub fn now(&self, point: D::Vector) -> D::Vector {
        self.ahead.carry(self.origin, point)
    }

    /// Where the deformation since the list of pairs was made, and that ahead, take a point.
    pub fn since_search(&self, point: D::Vector) -> D::Vector {
        self.since_search.carry(self.origin, point)
    }

    /// The largest relative change of a distance since then.
    pub fn strain(&self) -> f64 {
        self.since_search.strain()
    }

    /// The cell as it will be.
    pub fn cell(&self, now: &Cell<D>) -> Cell<D> {
        now.deformed(&self.ahead)
    }
}

/// `m_n` of a contact by the masses of its bodies alone: an upper bound of that with their inertia.
fn normal_mass<D: Dim>(problem: &Problem<D>, contact: &problem::Contact<D>) -> f64 {
    let n = contact.normal;
    let inverse: f64 = contact.bodies.iter().map(|&body| problem.mass(body).inverse_mass.scale(n).dot(n)).sum();
    if inverse > 0.0 { 1.0 / inverse } else { 0.0 }
}
