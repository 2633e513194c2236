//! The model and its state.

use crate::{
    Body, Cell, Contact, Energy, Gravity, Load, Materials, Observer, Placement, StepError, StepReport, WallLoad,
};
use riprap_solve::{Dim, Options};

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
    /// What to do when a step does not converge.
    pub on_unconverged: Unconverged,
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
    /// Energies since the start.
    pub energy: Energy,
    /// Positions of all bodies when the list of pairs was last made; empty before the first time.
    pub search_position: Vec<D::Vector>,
    /// Orientations of all bodies at that time.
    pub search_orientation: Vec<D::Orientation>,
    /// The gap up to which pairs were listed at that time.
    pub search_margin: f64,
}

/// A set of bodies, what acts on them, and their state.
#[derive(Clone, Debug)]
pub struct World<D: Dim> {
    /// Numerical choices.
    pub settings: Settings,
    /// Periodic directions.
    pub cell: Cell<D>,
    /// Laws by pair of materials.
    pub materials: Materials,
    /// Gravity on free bodies.
    pub gravity: Gravity<D>,
    /// Loads on free bodies.
    pub loads: Vec<Load>,
    /// Names of the groups that bodies belong to.
    pub groups: Vec<String>,
    /// The bodies.
    pub bodies: Vec<Body<D>>,
    /// What a step changes.
    pub state: State<D>,
}

impl<D: Dim> World<D> {
    /// A world without bodies.
    pub fn new(settings: Settings, cell: Cell<D>, materials: Materials, gravity: Gravity<D>) -> Self {
        World {
            settings,
            cell,
            materials,
            gravity,
            loads: Vec::new(),
            groups: Vec::new(),
            bodies: Vec::new(),
            state: State::default(),
        }
    }

    /// Adds a body and returns its index.
    pub fn add(&mut self, body: Body<D>, placement: Placement<D>) -> u32 {
        let index = self.bodies.len() as u32;
        self.bodies.push(body);
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
    }

    /// One step.
    pub fn step(&mut self, _observer: &mut dyn Observer) -> Result<StepReport, StepError> {
        self.state.step += 1;
        self.state.time += self.settings.time_step;
        Ok(StepReport::default())
    }

    /// Force, torque and power on every wall in the last step, in the order of the bodies.
    pub fn wall_loads(&self) -> Vec<WallLoad<D>> {
        Vec::new()
    }

    /// Kinetic energy of all bodies that are not wholly imposed.
    pub fn kinetic_energy(&self) -> f64 {
        self.state.energy.kinetic
    }

    /// The index of the wall of that name.
    pub fn wall(&self, name: &str) -> Option<u32> {
        self.bodies.iter().position(|body| body.name.as_deref() == Some(name)).map(|i| i as u32)
    }
}
