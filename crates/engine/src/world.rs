//! The model and its state.

use crate::balance::Velocities;
use crate::body::{Body, Freedom, LoadedArea, Motion, Placement, Span};
use crate::bridges::Bridge;
use crate::cell::Cell;
use crate::contact::Contact;
use crate::drive::{Gravity, Load, Target};
use crate::law::bond::Bond;
use crate::law::capillary::{Liquid, Share};
use crate::material::Materials;
use crate::md::Soft;
use crate::membrane::{Membrane, Spring};
use crate::neighbours::Neighbours;
use crate::report::{Energy, WallLoad};
use crate::rotation::turn_freely;
use crate::shape::Shape;
use crate::stretching::CellDriver;
use riprap_solve::percussion::PercussionOptions;
use riprap_solve::problem::Mass;
use riprap_solve::{Dim, Options, Vector};

/// The method by which a world moves on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// Rigid grains: one contact problem per step (METHOD.md sections 2 to 4).
    #[default]
    ContactDynamics,
    /// A-CD²: percussions from pseudopotentials of dissipation, under the midpoint scheme (METHOD.md section 7).
    Percussions(PercussionOptions),
    /// Soft grains: springs and dashpots, many short steps within each step of the run (METHOD.md section 8).
    MolecularDynamics(Soft),
}

/// How positions and velocities are put together in time (METHOD.md section 2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheme {
    /// Moreau's midpoint: contacts are those with a gap below `tolerance` halfway through the step.
    Midpoint {
        /// Gap up to which a pair counts as touching; zero or a small length.
        tolerance: f64,
    },
    /// Implicit Euler with gap: contacts are all pairs that could close during the step.
    Euler {
        /// What an overlap does.
        gap: GapVariant,
    },
}

/// What an overlap does under the Euler scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapVariant {
    /// `g⁺ = max(g, 0)`: overlaps stay, and measure the error; no energy is pumped in.
    #[default]
    Keep,
    /// `g` itself: overlaps are pushed apart within a step, which pumps energy.
    Correct,
    /// A tenth of `g`: overlaps are taken back over some steps, with a hundredth of the energy. What a solve leaves at
    /// the points of a face comes back as a push on one of its sides: blocks on blocks sway under `Correct`.
    Relax,
}

impl GapVariant {
    /// The part of an overlap that one step takes back.
    pub fn part(self) -> f64 {
        match self {
            GapVariant::Keep => 0.0,
            GapVariant::Correct => 1.0,
            GapVariant::Relax => 0.1,
        }
    }
}

/// What to do when a step does not converge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unconverged {
    /// Go on with the best state and count it.
    #[default]
    Continue,
    /// End the run.
    Stop,
}

/// The numerical choices of a run; a stage may change them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The time step.
    pub time_step: f64,
    /// The scheme.
    pub scheme: Scheme,
    /// The solver's choices.
    pub solver: Options,
    /// Treat a closed contact that opens (`u_n⁻ > 0`) as one at rest (METHOD.md section 3); not the default.
    pub clip_opening: bool,
    /// The stiffness of a contact in N/m, where grains are slightly compliant; none are rigid.
    pub stiffness: Option<f64>,
    /// What to do when a step does not converge.
    pub on_unconverged: Unconverged,
}

impl Settings {
    /// How long bodies move on with the new velocity: the second half of a midpoint step, the whole of an Euler step.
    pub(crate) fn move_after_solve(&self) -> f64 {
        match self.scheme {
            Scheme::Midpoint { .. } => 0.5 * self.time_step,
            Scheme::Euler { .. } => self.time_step,
        }
    }

    /// True if contacts are found where a step begins, which is where the last one ended.
    pub(crate) fn is_euler(&self) -> bool {
        matches!(self.scheme, Scheme::Euler { .. })
    }
}

/// Everything that a step changes. A run that is resumed from a copy of this, with the same model, goes on bit for bit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State<D: Dim> {
    /// Steps done.
    pub step: u64,
    /// Time.
    pub time: f64,
    /// Position of each body, unwrapped.
    pub position: Vec<D::Vector>,
    /// Orientation of each body.
    pub orientation: Vec<D::Orientation>,
    /// Velocity of each body.
    pub velocity: Vec<D::Vector>,
    /// Spin of each body, in the frame of the world.
    pub spin: Vec<D::Spin>,
    /// The contacts of the last step, in the order of the pair list.
    pub contacts: Vec<Contact<D>>,
    /// The bonds that hold, sorted by bodies and offset.
    pub bonds: Vec<Bond>,
    /// The capillary bridges of the last step, in the order of the pair list.
    pub bridges: Vec<Bridge<D>>,
    /// How the liquid was shared in the last step.
    pub share: Share,
    /// Energies since the start.
    pub energy: Energy,
    /// Periodic directions, as they are now.
    pub cell: Cell<D>,
    /// Where the list of pairs was last made, from which it can be made again.
    pub search: Search<D>,
}

/// Where the bodies were when the list of pairs was last made, and how far each may go before it must be made anew.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Search<D: Dim> {
    /// Time of the making.
    pub time: f64,
    /// Position of each body; empty before the first time.
    pub position: Vec<D::Vector>,
    /// Orientation of each body.
    pub orientation: Vec<D::Orientation>,
    /// How far each body may go, against the drift.
    pub reach: Vec<f64>,
    /// The velocity that most of the grains share, such as that of a fall; only motion against it counts.
    pub drift: D::Vector,
    /// The gap out to which bodies act on each other that the list was made for, the reach apart.
    pub range: f64,
    /// The cell when the list was made.
    pub cell: Cell<D>,
}

/// A set of bodies, what acts on them, and their state.
#[derive(Clone, Debug)]
pub struct World<D: Dim> {
    /// By which method it moves on.
    pub method: Method,
    /// Numerical choices.
    pub settings: Settings,
    /// What deforms the periodic cell.
    pub cell_driver: Option<CellDriver<D>>,
    /// Laws by pair of materials.
    pub materials: Materials,
    /// Gravity on free bodies.
    pub gravity: Gravity<D>,
    /// Loads on free bodies.
    pub loads: Vec<Load>,
    /// Springs between bodies.
    pub springs: Vec<Spring>,
    /// Chains of free bodies that hold a pressure.
    pub membranes: Vec<Membrane>,
    /// The liquid between grains, which must be spheres then.
    pub liquid: Option<Liquid>,
    /// Names of the groups that bodies belong to.
    pub groups: Vec<String>,
    /// The bodies.
    pub bodies: Vec<Body<D>>,
    /// What a step changes.
    pub state: State<D>,
    /// What can be made again from the state.
    pub(crate) cache: Neighbours<D>,
}

impl<D: Dim> World<D> {
    /// A world without bodies, for contact dynamics.
    pub fn new(settings: Settings, cell: Cell<D>, materials: Materials, gravity: Gravity<D>) -> Self {
        World {
            method: Method::ContactDynamics,
            settings,
            cell_driver: None,
            materials,
            gravity,
            loads: Vec::new(),
            springs: Vec::new(),
            membranes: Vec::new(),
            liquid: None,
            groups: Vec::new(),
            bodies: Vec::new(),
            state: State { cell, ..State::default() },
            cache: Neighbours::default(),
        }
    }

    /// Adds a body and returns its index.
    pub fn add(&mut self, body: Body<D>, placement: Placement<D>) -> u32 {
        let index = self.bodies.len() as u32;
        self.bodies.push(body);
        self.cache = Neighbours::default();
        self.state.position.push(placement.position);
        self.state.orientation.push(placement.orientation);
        self.state.velocity.push(placement.velocity);
        self.state.spin.push(placement.spin);
        index
    }

    /// Puts back a state that was copied from a world with the same bodies.
    ///
    /// # Panics
    /// If the number of bodies differs.
    pub fn restore(&mut self, state: State<D>) {
        assert_eq!(state.position.len(), self.bodies.len(), "a state of another set of bodies");
        self.state = state;
        self.cache = Neighbours::default();
    }

    /// Force, torque and power on every wall in the last step, in the order of the bodies.
    pub fn wall_loads(&self) -> Vec<WallLoad<D>> {
        let mut place = vec![usize::MAX; self.bodies.len()];
        let mut loads = Vec::new();
        for (index, _) in self.bodies.iter().enumerate().filter(|(_, body)| !body.is_free()) {
            place[index] = loads.len();
            loads.push(WallLoad { body: index as u32, ..WallLoad::default() });
        }
        let per_time = 1.0 / self.settings.time_step;
        for contact in &self.state.contacts {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let body = contact.bodies[side] as usize;
                if place[body] != usize::MAX {
                    let load = &mut loads[place[body]];
                    let force = contact.impulse * (sign * per_time);
                    let arm = self.lever_arm(contact, side);
                    let velocity = self.state.velocity[body] + D::cross(self.state.spin[body], arm);
                    load.force += force;
                    let torque = contact.torque * (sign * per_time);
                    load.torque += D::wedge(arm, force) + torque;
                    load.power -= force.dot(velocity) + torque.dot(self.state.spin[body]);
                }
            }
        }
        loads
    }

    /// The index of the wall of that name.
    pub fn wall(&self, name: &str) -> Option<u32> {
        self.bodies.iter().position(|body| body.name.as_deref() == Some(name)).map(|i| i as u32)
    }

    /// The indices of the free bodies.
    pub fn free_bodies(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        (0..self.bodies.len()).filter(|&body| self.bodies[body].is_free())
    }

    /// Imposes the velocities of this step, and tells the forces.
    pub(crate) fn drive(&mut self) -> External<D> {
        let t = self.state.time + 0.5 * self.settings.time_step;
        self.drive_cell(t);
        // What the cell has given to the grains is booked with what drivers have.
        self.open_books();
        let mut loads = Vec::new();
        let from_bodies = !(self.loads.is_empty() && self.springs.is_empty() && self.membranes.is_empty());
        if from_bodies || self.bodies.iter().any(|body| !body.is_free() && !body.is_imposed()) {
            loads = vec![(D::Vector::ZERO, D::Spin::ZERO); self.bodies.len()];
            for load in &self.loads {
                let force = D::Vector::from_fn(|i| load.force[i].at(t));
                let torque = D::Spin::from_fn(|i| load.torque[i].at(t));
                for (index, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.is_free()) {
                    let aimed = match load.target {
                        Target::All => true,
                        Target::Group(group) => body.group == group,
                        Target::Body(target) => index == target as usize,
                    };
                    if aimed {
                        loads[index].0 += force;
                        loads[index].1 += torque;
                    }
                }
            }
            // Soft grains feel these anew in every short step.
            if !matches!(self.method, Method::MolecularDynamics(_)) {
                self.add_forces_of_place(t, &mut loads);
            }
        }
        for index in 0..self.bodies.len() {
            let Motion::Driven(freedoms) = &self.bodies[index].motion else { continue };
            let imposed = |freedom: &Freedom, now: f64| match freedom {
                Freedom::Velocity(velocity) => velocity.at(t),
                _ => now,
            };
            let (v, w) = (self.state.velocity[index], self.state.spin[index]);
            let velocity = D::Vector::from_fn(|i| imposed(&freedoms.translation[i], v.get(i)));
            let spin = D::Spin::from_fn(|i| imposed(&freedoms.rotation[i], w.get(i)));
            if !loads.is_empty() {
                let force = D::Vector::from_fn(|i| self.imposed_force(&freedoms.translation[i], t));
                let torque = D::Spin::from_fn(|i| self.imposed_force(&freedoms.rotation[i], t));
                loads[index].0 += force;
                loads[index].1 += torque;
            }
            self.state.velocity[index] = velocity;
            self.state.spin[index] = spin;
        }
        External { time: t, gravity: self.gravity.at(t), cell_pressure: self.cell_pressure(t), loads }
    }

    /// Springs and membranes, with the bodies where they will be at the middle of the step.
    fn add_forces_of_place(&self, t: f64, loads: &mut [(D::Vector, D::Spin)]) {
        let half = 0.5 * self.settings.time_step;
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

    fn imposed_force(&self, freedom: &Freedom, t: f64) -> f64 {
        match freedom {
            Freedom::Velocity(_) => 0.0,
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

    /// Before the first step, what there is becomes the start of the energy balance; a change of gravity or of drivers
    /// since the last step is booked as their work.
    fn open_books(&mut self) {
        let (kinetic, potential) = (self.kinetic_energy(), self.potential_energy(self.state.time));
        let energy = &mut self.state.energy;
        if self.state.step == 0 {
            *energy = Energy { kinetic, potential, initial: kinetic + potential, ..Energy::default() };
        } else {
            energy.loads += potential - energy.potential;
            energy.drivers += kinetic - energy.kinetic;
            (energy.kinetic, energy.potential) = (kinetic, potential);
        }
    }

    /// Work that the turning of gravity does between two times, with the bodies where they are at the later one.
    pub(crate) fn gravity_turning_work(&self, from: f64, to: f64) -> f64 {
        if self.gravity.tilt.is_none() {
            return 0.0;
        }
        let change = self.gravity.at(to) - self.gravity.at(from);
        self.free_bodies().map(|body| -self.bodies[body].mass * change.dot(self.state.position[body])).sum()
    }

    /// The mass that resists along each axis: zero where the velocity is imposed.
    pub(crate) fn mass_along_axes(&self, body: usize) -> D::Vector {
        let body = &self.bodies[body];
        D::Vector::from_fn(|i| match &body.motion {
            Motion::Driven(freedoms) if !freedoms.translation[i].is_loaded() => 0.0,
            _ => body.mass,
        })
    }

    /// The moment of inertia that resists about each axis: zero where the spin is imposed.
    pub(crate) fn inertia_about_axes(&self, body: usize) -> D::Spin {
        let body = &self.bodies[body];
        D::Spin::from_fn(|i| match &body.motion {
            Motion::Driven(freedoms) if !freedoms.rotation[i].is_loaded() => 0.0,
            _ => body.inertia.get(i),
        })
    }

    /// The inverse mass of a body that is not a free ball: of a driven one along and about the axes of the world, of a
    /// free one by its inertia as it is turned.
    pub(crate) fn general_mass(&self, body: usize) -> Mass<D> {
        let inverse = |resists: f64| if resists > 0.0 { 1.0 / resists } else { 0.0 };
        let (mass, inertia) = (self.mass_along_axes(body), self.inertia_about_axes(body));
        let inverse_inertia = D::Spin::from_fn(|i| inverse(inertia.get(i)));
        Mass {
            inverse_mass: D::Vector::from_fn(|i| inverse(mass.get(i))),
            inverse_inertia: D::spin_tensor(self.inertia_frame(body), inverse_inertia),
        }
    }

    /// The frame in which a body's inertia is diagonal: its own if it is free, the world's if its freedoms are ruled one
    /// by one.
    fn inertia_frame(&self, body: usize) -> D::Orientation {
        if self.bodies[body].is_free() { self.state.orientation[body] } else { D::Orientation::default() }
    }

    /// Angular momentum about the centre of a body that turns with `spin`; zero about axes on which that is imposed.
    pub fn angular_momentum(&self, body: usize, spin: D::Spin) -> D::Spin {
        let inertia = self.inertia_about_axes(body);
        match self.bodies[body].shape {
            Shape::Ball { .. } => inertia.scale(spin),
            _ => D::apply(D::spin_tensor(self.inertia_frame(body), inertia), spin),
        }
    }

    /// The orientation and spin of a body after it has turned freely for `time`.
    pub(crate) fn turn_for(&self, body: usize, time: f64) -> (D::Orientation, D::Spin) {
        let (orientation, spin) = (self.state.orientation[body], self.state.spin[body]);
        match &self.bodies[body] {
            grain if grain.is_free() && grain.grain_radius().is_none() => {
                turn_freely::<D>(orientation, spin, grain.inertia, time)
            }
            _ => (D::turn(orientation, spin * time), spin),
        }
    }

    /// The part of a vector along the axes on which the body's velocity is imposed.
    pub(crate) fn along_imposed_axes(&self, body: usize, vector: D::Vector) -> D::Vector {
        if self.bodies[body].is_free() {
            return D::Vector::ZERO;
        }
        let mass = self.mass_along_axes(body);
        D::Vector::from_fn(|i| if mass.get(i) == 0.0 { vector.get(i) } else { 0.0 })
    }

    /// The arm from the centre of body 1 (side 0) or body 2 (side 1) to the contact. A grain's arm is its radius, gap or
    /// overlap or not, as in the solver.
    pub(crate) fn lever_arm(&self, contact: &Contact<D>, side: usize) -> D::Vector {
        let index = contact.bodies[side] as usize;
        let sign = if side == 0 { 1.0 } else { -1.0 };
        match self.bodies[index].grain_radius() {
            Some(radius) => contact.normal * (sign * radius),
            None if side == 0 => contact.point - self.state.position[index],
            None => contact.point - self.state.cell.shift(contact.offset) - self.state.position[index],
        }
    }

    /// Relative velocity of a contact, with what the cell adds to it.
    pub(crate) fn relative_velocity(&self, contact: &Contact<D>, at: &Velocities<'_, D>) -> D::Vector {
        let surface = |side: usize| {
            let body = contact.bodies[side] as usize;
            at.velocity[body] + D::cross(at.spin[body], self.lever_arm(contact, side))
        };
        surface(1) - surface(0) + self.carried_apart(contact)
    }

    /// The radius of the smaller body of a pair, of a ball of its volume if it is none.
    pub(crate) fn smaller_radius(&self, bodies: [u32; 2]) -> f64 {
        let size = |body: usize| self.cache.size.get(body).copied().unwrap_or_else(|| self.bodies[body].size());
        bodies.iter().map(|&body| size(body as usize)).fold(f64::INFINITY, f64::min)
    }
}

/// What acts on the bodies from outside during a step.
pub(crate) struct External<D: Dim> {
    /// The middle of the step, at which all of it is taken.
    pub time: f64,
    /// Gravity on free bodies.
    pub gravity: D::Vector,
    /// The pressure on the cell along each axis.
    pub cell_pressure: D::Vector,
    /// Force and torque on each body; empty if there is none.
    pub loads: Vec<(D::Vector, D::Spin)>,
}

impl<D: Dim> External<D> {
    /// Force and torque on a body, gravity apart.
    pub fn on(&self, body: usize) -> (D::Vector, D::Spin) {
        self.loads.get(body).copied().unwrap_or((D::Vector::ZERO, D::Spin::ZERO))
    }
}
