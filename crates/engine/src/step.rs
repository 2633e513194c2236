//! One step (docs/method.md §2). [`World::stages`] is the story of contact dynamics; each line is a stage. That of
//! molecular dynamics is in `md/window.rs`.

use crate::bridges::Coverage;
use crate::observer::{Observer, Stage};
use crate::report::{StepError, StepReport};
use crate::settings::{Method, Scheme};
use crate::stages::Verdict;
use crate::work::Work;
use crate::world::World;
use riprap_solve::percussion::PercussionOptions;
use riprap_solve::{D2, D3, Dim};
use std::any::Any;

impl<D: Dim> World<D> {
    /// Moves the world on by one time step, on the threads of the current pool.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
        // A generic function is compiled in every crate that calls it. There are only two dimensions: both are compiled
        // here, once, and callers get a dispatch.
        let world: &mut dyn Any = self;
        match world.downcast_mut::<World<D2>>() {
            Some(plane) => step_in_the_plane(plane, observer),
            None => match world.downcast_mut::<World<D3>>() {
                Some(space) => step_in_space(space, observer),
                None => unreachable!("there are two dimensions"),
            },
        }
    }

    /// The step by the world's method.
    fn step_by_method(&mut self, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
        // Inside the pool the many short parallel loops of a step need not be handed over one by one.
        rayon::scope(|_| {
            let mut step = self.cache.work.0.take().unwrap_or_default();
            step.begin();
            step.keeps_problem = observer.watches_problems();
            let number = self.state.step + 1;
            let restores = observer.restores();
            if restores {
                step.before.keep(&self.state);
            }
            let before = observer.changes_laws().then(|| self.state.clone());
            step.lengthened = self.begin_time_step();
            let outcome = match self.method {
                Method::ContactDynamics => self.stages(None, observer, &mut step),
                Method::Percussions(options) => self.stages(Some(&options), observer, &mut step),
                Method::MolecularDynamics(soft) => self.soft_stages(soft, observer, &mut step),
            };
            if let (Err(StepError::Law { .. }), Some(before)) = (&outcome, before) {
                self.put_back(before);
            } else if outcome.is_err() && restores {
                let Work { before, contacts, extras, .. } = &mut *step;
                before.put_back(&mut self.state, contacts, extras);
                self.forget_pairs();
            }
            observer.end(number, &outcome, &mut || step.step_problem());
            self.cache.work.0 = Some(step);
            outcome
        })
    }

    /// The stages of a step of contact dynamics, or of A-CD² where options for percussions are given.
    fn stages(
        &mut self,
        percussions: Option<&PercussionOptions>,
        observer: &mut dyn Observer,
        step: &mut Work<D>,
    ) -> Result<StepReport, StepError> {
        observer.begin(Stage::Drive);
        let mut external = self.drive();
        step.start_position.clone_from(&self.state.position);
        if let Scheme::Midpoint { .. } = self.settings.scheme {
            observer.begin(Stage::MoveToMidpoint);
            let half = 0.5 * self.time_step();
            self.carry(half, &mut step.start_position);
            self.move_bodies(half);
        }
        // After the move: an angular body changes its spin as it turns, and the solve starts from the spin here.
        step.velocity_before.clone_from(&self.state.velocity);
        step.spin_before.clone_from(&self.state.spin);
        step.rate_before = self.state.cell.rate;
        self.start_motors(&external, step);
        loop {
            observer.begin(Stage::FindPairs);
            step.pairs_rebuilt |= self.find_pairs(step)?;
            if self.form_bridges(step) == Coverage::TooShort {
                continue;
            }
            observer.begin(Stage::FreeVelocity);
            self.free_velocity(&external, step);
            // Two stages, in turn for one part of the list after the other.
            self.measure_gaps_and_recall_impulses(observer, step);
            observer.begin(Stage::Solve);
            match percussions {
                None => self.solve(&external, observer, step)?,
                Some(options) => self.solve_percussions(options, step),
            }
            observer.begin(Stage::KeepImpulses);
            self.keep_impulses(step);
            observer.begin(Stage::Verify);
            if self.verify(&external, step)? == Verdict::Accepted {
                break;
            }
        }
        observer.begin(Stage::Shock);
        self.shock(&external, step)?;
        observer.begin(Stage::ContactWork);
        self.count_motors(step, &mut external);
        self.contact_work(step);
        self.load_faces(step);
        step.cell_work = self.cell_work(&external, step);
        step.spin_after.clone_from(&self.state.spin);
        observer.begin(Stage::MoveToEnd);
        self.move_to_end(step);
        observer.begin(Stage::Report);
        self.report(&external, step)
    }
}

#[inline(never)]
fn step_in_the_plane(world: &mut World<D2>, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
    world.step_by_method(observer)
}

#[inline(never)]
fn step_in_space(world: &mut World<D3>, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
    world.step_by_method(observer)
}
