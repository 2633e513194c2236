//! A world: the model, which a run does not change within a stage, and the state, which every step changes.

use crate::body::Body;
use crate::cache::Cache;
use crate::cell_driver::CellDriver;
use crate::law::capillary::Liquid;
use crate::law::material::Materials;
use crate::loads::{Gravity, Load, Percussion};
use crate::membrane::{Membrane, Spring};
use crate::settings::{Method, Settings};
use crate::state::State;
use crate::work::IdleWork;
use riprap_solve::{Dim, Ranks};

/// A set of bodies, what acts on them, and their state.
#[derive(Clone, Debug)]
pub struct World<D: Dim> {
    /// The method by which it moves on.
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
    /// Blows on free bodies.
    pub percussions: Vec<Percussion>,
    /// Force and torque on each body from whoever steps the world, by index, in every step until they are changed; those
    /// on walls have no effect. Empty if there are none.
    pub applied: Vec<(D::Vector, D::Spin)>,
    /// Springs between bodies.
    pub springs: Vec<Spring>,
    /// Chains of free bodies that hold a pressure.
    pub membranes: Vec<Membrane>,
    /// In 2D, how thick the bodies are: lengths times this are areas of faces.
    pub thickness: f64,
    /// The liquid between grains, which must then be spheres.
    pub liquid: Option<Liquid>,
    /// Names of the groups that bodies belong to.
    pub groups: Vec<String>,
    /// The bodies.
    pub bodies: Vec<Body<D>>,
    /// What a step changes.
    pub state: State<D>,
    /// The ranks that solve its contact problems together; each has the same world. No result depends on them.
    pub ranks: Ranks,
    /// What can be made again from the state.
    pub(crate) cache: Cache<D>,
}

impl<D: Dim> World<D> {
    /// A world without bodies, for contact dynamics: with one material of friction 0.5, with gravity, without periodic
    /// directions. All of this can be changed by the fields.
    pub fn new(settings: Settings) -> Self {
        World {
            method: Method::ContactDynamics,
            settings,
            cell_driver: None,
            materials: Materials::default(),
            gravity: Gravity::default(),
            loads: Vec::new(),
            percussions: Vec::new(),
            applied: Vec::new(),
            springs: Vec::new(),
            membranes: Vec::new(),
            thickness: 1.0,
            liquid: None,
            groups: Vec::new(),
            bodies: Vec::new(),
            state: State::default(),
            ranks: Ranks::default(),
            cache: Cache::default(),
        }
    }

    /// Gives back the memory that steps work in. The next step asks for it again, and its bits do not depend on it.
    pub fn release_working_memory(&mut self) {
        self.cache.work = IdleWork::default();
    }

    /// The index of the wall of that name.
    pub fn wall(&self, name: &str) -> Option<u32> {
        self.bodies.iter().position(|body| body.name.as_deref() == Some(name)).map(|i| i as u32)
    }

    /// The indices of the free bodies.
    pub fn free_bodies(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        (0..self.bodies.len()).filter(|&body| self.bodies[body].is_free())
    }
}
