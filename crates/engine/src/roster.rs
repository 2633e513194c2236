//! Bodies come and go: adding and removing them between steps, and putting back a state.
//!
//! A body has an index, its place in [`World::bodies`] and in every column of the state, and an id. The index of a body
//! decreases when a body before it is removed; the id never changes and is never given to another body.

use crate::body::{Body, BodyId, Freedom, LoadedArea, Motion, Placement, Span};
use crate::cache::Cache;
use crate::exchange::Inventory;
use crate::loads::Target;
use crate::state::{Search, State};
use crate::world::World;
use riprap_solve::{Dim, Vector};

/// Why a body could not be removed, or a state not be put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// There is no body with this id.
    #[error("there is no body with id {0}")]
    Unknown(BodyId),
    /// The model refers to the body.
    #[error("body {id} cannot be removed: {user} refers to it and must be removed first")]
    InUse {
        /// The body.
        id: BodyId,
        /// What refers to it.
        user: BodyUser,
    },
}

/// A part of the model that refers to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyUser {
    /// A spring that ends at it.
    Spring,
    /// A membrane that it is part of.
    Membrane,
    /// A load on it alone.
    Load,
    /// A pressure whose area extends to it.
    Pressure,
    /// A cell driver whose volume extends to it.
    CellDriver,
}

impl std::fmt::Display for BodyUser {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            BodyUser::Spring => "a spring",
            BodyUser::Membrane => "a membrane",
            BodyUser::Load => "a load",
            BodyUser::Pressure => "the pressure on a wall",
            BodyUser::CellDriver => "the cell driver",
        })
    }
}

impl<D: Dim> World<D> {
    /// Adds a body, before the first step or between any two steps, and returns its id.
    ///
    /// During a run, the mass, momentum and energy that it brings in are recorded in [`State::exchange`] and in the energy
    /// balance. A body should not overlap others when it is added (see [`World::overlaps`]).
    ///
    /// # Panics
    /// If 2³² bodies were added before.
    pub fn add(&mut self, body: Body<D>, placement: Placement<D>) -> BodyId {
        let id = BodyId(self.state.next_id);
        self.state.next_id = self.state.next_id.checked_add(1).expect("fewer than 2³² bodies in a run");
        self.bodies.push(body);
        let state = &mut self.state;
        state.id.push(id);
        state.added_at.push(state.time);
        state.position.push(placement.position);
        state.orientation.push(placement.orientation);
        state.velocity.push(placement.velocity);
        state.spin.push(placement.spin);
        if !self.applied.is_empty() {
            self.applied.push(Default::default());
        }
        self.forget_pairs();
        if self.state.step > 0 {
            let inventory = self.inventory_of(self.bodies.len() - 1);
            self.state.exchange.added += inventory;
            self.state.energy.exchange(inventory.kinetic, inventory.potential);
        }
        id
    }

    /// Removes a body between two steps and returns it, with its position and motion. Its contacts, bonds, cracks and
    /// capillary bridges go with it; the liquid stays, and is shared among the bridges that remain. A body that the model refers to,
    /// by a spring for instance, is not removed.
    ///
    /// During a run, the mass, momentum and energy that it takes away are recorded in [`State::exchange`] and in the
    /// energy balance.
    pub fn remove(&mut self, id: BodyId) -> Result<(Body<D>, Placement<D>), BodyError> {
        let index = self.index_of(id).ok_or(BodyError::Unknown(id))?;
        if let Some(user) = self.user_of(index as u32) {
            return Err(BodyError::InUse { id, user });
        }
        if self.state.step > 0 {
            let inventory = self.inventory_of(index);
            self.state.exchange.removed += inventory;
            self.state.energy.exchange(-inventory.kinetic, -inventory.potential);
        }
        let state = &mut self.state;
        state.id.remove(index);
        state.added_at.remove(index);
        let placement = Placement {
            position: state.position.remove(index),
            orientation: state.orientation.remove(index),
            velocity: state.velocity.remove(index),
            spin: state.spin.remove(index),
        };
        let is_of_others = |bodies: &[u32; 2]| !bodies.contains(&(index as u32));
        let mut contacts = state.contacts.iter();
        state.extras.retain(|_| contacts.next().is_some_and(|contact| is_of_others(&contact.bodies)));
        state.contacts.retain(|contact| is_of_others(&contact.bodies));
        state.bonds.retain(|bond| is_of_others(&bond.bodies));
        state.cracks.retain(|crack| is_of_others(&crack.bodies));
        state.bridges.retain(|bridge| is_of_others(&bridge.bodies));
        state.wear.retain(|entry| entry.wall != id);
        let body = self.bodies.remove(index);
        if !self.applied.is_empty() {
            self.applied.remove(index);
        }
        let renumber = |body: &mut u32| *body -= u32::from(*body > index as u32);
        self.for_each_index_in_state(renumber);
        self.for_each_index_in_model(|body, _| renumber(body));
        self.forget_pairs();
        Ok((body, placement))
    }

    /// Changes a body between two steps: what it is, where it is and how it moves. Its contacts keep the impulses of the last
    /// step as a start for the next one.
    ///
    /// During a run, what this adds to mass, momentum and energy is recorded in [`State::exchange`], as taken away with the
    /// body as it was and brought in with the body as it is, and in the energy balance.
    pub fn change_body(&mut self, id: BodyId, body: Body<D>, placement: Placement<D>) -> Result<(), BodyError> {
        let index = self.index_of(id).ok_or(BodyError::Unknown(id))?;
        let before = self.inventory_of(index);
        self.bodies[index] = body;
        let state = &mut self.state;
        state.position[index] = placement.position;
        state.orientation[index] = placement.orientation;
        state.velocity[index] = placement.velocity;
        state.spin[index] = placement.spin;
        if self.state.step > 0 {
            let after = self.inventory_of(index);
            // The body stays: only what it has is exchanged.
            self.state.exchange.removed += Inventory { bodies: 0, ..before };
            self.state.exchange.added += Inventory { bodies: 0, ..after };
            self.state.energy.exchange(after.kinetic - before.kinetic, after.potential - before.potential);
        }
        self.forget_pairs();
        Ok(())
    }

    /// The present index of a body; `None` if it was removed.
    pub fn index_of(&self, id: BodyId) -> Option<usize> {
        // Ids increase with the index: bodies are added at the end, and removing one keeps the order of the others.
        self.state.id.binary_search(&id).ok()
    }

    /// The position of a body.
    ///
    /// # Panics
    /// If it was removed.
    pub fn position(&self, id: BodyId) -> D::Vector {
        self.state.position[self.present_index(id)]
    }

    /// The velocity of a body.
    ///
    /// # Panics
    /// If it was removed.
    pub fn velocity(&self, id: BodyId) -> D::Vector {
        self.state.velocity[self.present_index(id)]
    }

    fn present_index(&self, id: BodyId) -> usize {
        self.index_of(id).unwrap_or_else(|| panic!("body {id} was removed"))
    }

    /// Puts back a state that was copied from this world, or from one that was built in the same way. Bodies that had been
    /// removed when the state was copied are removed here too; bodies that had been added during the run must be added,
    /// in the same order, before the state is put back.
    pub fn restore(&mut self, state: State<D>) -> Result<(), BodyError> {
        if let Some(&missing) = state.id.iter().find(|&&id| self.index_of(id).is_none()) {
            return Err(BodyError::Unknown(missing));
        }
        let is_gone = |id: &BodyId| state.id.binary_search(id).is_err();
        let gone: Vec<BodyId> = self.state.id.iter().copied().filter(is_gone).collect();
        for &id in &gone {
            if let Some(user) = self.user_of(self.present_index(id) as u32) {
                return Err(BodyError::InUse { id, user });
            }
        }
        for id in gone {
            self.remove(id)?;
        }
        self.put_back(state);
        Ok(())
    }

    /// Puts back a state of exactly these bodies.
    pub(crate) fn put_back(&mut self, state: State<D>) {
        self.state = state;
        self.cache = Cache::default();
    }

    /// Moves the state out, to write it without a copy. The world is of no use until [`World::restore`] puts it back.
    pub fn take_state(&mut self) -> State<D> {
        let State { id, next_id, added_at, .. } = &self.state;
        let (id, next_id, added_at) = (id.clone(), *next_id, added_at.clone());
        std::mem::replace(&mut self.state, State { id, next_id, added_at, ..State::default() })
    }

    /// What in the model refers to a body, if anything does: such a body cannot be removed.
    pub fn used_by(&mut self, id: BodyId) -> Option<BodyUser> {
        self.index_of(id).and_then(|index| self.user_of(index as u32))
    }

    fn user_of(&mut self, body: u32) -> Option<BodyUser> {
        let mut found = None;
        self.for_each_index_in_model(|index, user| {
            if *index == body {
                found = found.or(Some(user));
            }
        });
        found
    }

    /// Visits the index of every body that the state refers to.
    fn for_each_index_in_state(&mut self, visit: impl FnMut(&mut u32)) {
        let state = &mut self.state;
        let contacts = state.contacts.iter_mut().flat_map(|contact| &mut contact.bodies);
        let bonds = state.bonds.iter_mut().flat_map(|bond| &mut bond.bodies);
        let cracks = state.cracks.iter_mut().flat_map(|crack| &mut crack.bodies);
        let bridges = state.bridges.iter_mut().flat_map(|bridge| &mut bridge.bodies);
        contacts.chain(bonds).chain(cracks).chain(bridges).for_each(visit);
    }

    /// Visits the index of every body that the model refers to, and what refers to it.
    fn for_each_index_in_model(&mut self, mut visit: impl FnMut(&mut u32, BodyUser)) {
        for body in self.springs.iter_mut().flat_map(|spring| &mut spring.bodies) {
            visit(body, BodyUser::Spring);
        }
        for body in self.membranes.iter_mut().flat_map(|membrane| &mut membrane.chain) {
            visit(body, BodyUser::Membrane);
        }
        let loads = self.loads.iter_mut().map(|load| &mut load.target);
        for target in loads.chain(self.percussions.iter_mut().map(|percussion| &mut percussion.target)) {
            if let Target::Body(body) = target {
                visit(body, BodyUser::Load);
            }
        }
        for body in self.bodies.iter_mut().flat_map(loaded_spans).flat_map(walls_of) {
            visit(body, BodyUser::Pressure);
        }
        for body in self.cell_driver.iter_mut().flat_map(|driver| &mut driver.spans).flat_map(walls_of) {
            visit(body, BodyUser::CellDriver);
        }
    }

    /// The list of pairs has to be made anew before the next step, and likewise after a resume. To be called after a wall
    /// was opened or closed ([`Body::passage`]).
    pub fn forget_pairs(&mut self) {
        self.state.search = Search::default();
        self.cache = Cache::default();
    }

    /// What a body has of the quantities that are balanced.
    fn inventory_of(&self, index: usize) -> Inventory<D> {
        let state = &self.state;
        let (position, velocity, spin) = (state.position[index], state.velocity[index], state.spin[index]);
        let momentum = self.mass_along_axes(index).scale(velocity);
        Inventory {
            bodies: 1,
            mass: self.bodies[index].mass,
            momentum,
            angular_momentum: D::wedge(position, momentum) + self.angular_momentum(index, spin),
            kinetic: self.kinetic_energy_of_body(index, velocity, spin),
            potential: self.potential_energy_of_body(index, self.gravity.at(state.time)),
        }
    }
}

/// The spans of the areas under the pressures on a body.
fn loaded_spans<D: Dim>(body: &mut Body<D>) -> impl Iterator<Item = &mut Span> {
    let freedoms = match &mut body.motion {
        Motion::Free => &mut [][..],
        Motion::Driven(freedoms) => &mut freedoms.translation,
    };
    let spans = freedoms.iter_mut().filter_map(|freedom| match freedom {
        Freedom::Pressure { area: LoadedArea::Spans(spans), .. } => Some(spans),
        _ => None,
    });
    spans.flatten()
}

/// The two walls that a span lies between, if it does.
fn walls_of(span: &mut Span) -> impl Iterator<Item = &mut u32> {
    match span {
        Span::Between { walls, .. } => walls.iter_mut(),
        Span::Constant(_) | Span::Period(_) => [].iter_mut(),
    }
}
