//! The state: everything that a step changes.

use crate::body::BodyId;
use crate::cell::Cell;
use crate::contact::{Contact, ContactExtras};
use crate::energy::Energy;
use crate::exchange::Exchange;
use crate::face::WallWear;
use crate::law::bond::{Bond, Crack};
use crate::law::capillary::{Bridge, Share};
use riprap_solve::Dim;

/// Everything that a step changes. A run resumed from a copy of this, with the same model, continues bit for bit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State<D: Dim> {
    /// Steps done.
    pub step: u64,
    /// Time.
    pub time: f64,
    /// The length of the step that is being made, or of the last one; zero before the first.
    pub time_step: f64,
    /// How fast grains move against each other: the root of the sum of the squares of the relative velocities of all contacts
    /// that bear, over the number of grains, in smallest radii per second.
    pub contact_motion: f64,
    /// Id of each body, in increasing order.
    pub id: Vec<BodyId>,
    /// The id of the body that is added next.
    pub next_id: u32,
    /// The time at which each body was added.
    pub added_at: Vec<f64>,
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
    /// What only some laws and methods give to contacts: none, or those of each contact.
    pub extras: Vec<ContactExtras<D>>,
    /// The intact bonds, sorted by bodies and offset.
    pub bonds: Vec<Bond>,
    /// Where bonds have broken, in the order of time, as long as both bodies are there and not glued again.
    pub cracks: Vec<Crack<D>>,
    /// The capillary bridges of the last step, in the order of the pair list.
    pub bridges: Vec<Bridge<D>>,
    /// How the liquid was shared in the last step.
    pub share: Share,
    /// Energies since the start.
    pub energy: Energy,
    /// What bodies have brought in and taken away that were added or removed since the start.
    pub exchange: Exchange<D>,
    /// What the faces of walls have carried since the start, by increasing id of the walls that grains have touched.
    pub wear: Vec<WallWear>,
    /// Periodic directions, as they are now.
    pub cell: Cell<D>,
    /// Where the list of pairs was last made, from which it can be made again.
    pub search: Search<D>,
}

/// Where the bodies were when the list of pairs was last made, and how far each may move before it must be made anew.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Search<D: Dim> {
    /// The time at which the list was made.
    pub time: f64,
    /// Position of each body; empty if a list has yet to be made, because there was no step yet or because bodies were
    /// added or removed.
    pub position: Vec<D::Vector>,
    /// Orientation of each body.
    pub orientation: Vec<D::Orientation>,
    /// How far each body may move, relative to the drift.
    pub reach: Vec<f64>,
    /// The velocity that most of the grains share, such as that of a fall; only motion relative to it counts.
    pub drift: D::Vector,
    /// The gap out to which bodies act on each other that the list was made for, the reach excluded.
    pub range: f64,
    /// The cell when the list was made.
    pub cell: Cell<D>,
}

/// Velocities of all bodies at one moment.
pub(crate) struct Velocities<'a, D: Dim> {
    pub velocity: &'a [D::Vector],
    pub spin: &'a [D::Spin],
}

impl<D: Dim> Velocities<'_, D> {
    /// The spin of the second body relative to the first.
    pub fn relative_spin(&self, bodies: [u32; 2]) -> D::Spin {
        self.spin[bodies[1] as usize] - self.spin[bodies[0] as usize]
    }
}

/// Positions and orientations of all bodies at one moment.
pub(crate) struct Places<'a, D: Dim> {
    pub position: &'a [D::Vector],
    pub orientation: &'a [D::Orientation],
}

impl<D: Dim> State<D> {
    /// What contact `index` has of torques and springs.
    pub fn extras_of(&self, index: usize) -> ContactExtras<D> {
        self.extras.get(index).copied().unwrap_or_default()
    }

    /// The velocities as they are now.
    pub(crate) fn velocities(&self) -> Velocities<'_, D> {
        Velocities { velocity: &self.velocity, spin: &self.spin }
    }

    /// Positions and orientations as they are now.
    pub(crate) fn places(&self) -> Places<'_, D> {
        Places { position: &self.position, orientation: &self.orientation }
    }
}
