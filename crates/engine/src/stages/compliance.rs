//! The stiffness of slightly compliant contacts, as the compliance of the contact problem.

use crate::work::Work;
use crate::world::World;
use riprap_solve::Dim;

impl<D: Dim> World<D> {
    /// Compliant contacts: `1/(K δt²)`, about the impulses of the last step.
    pub(super) fn state_compliance(&self, step: &mut Work<D>) {
        let Work { problem, contacts, laws, last_impulse, .. } = step;
        problem.undeformed_impulses.clear();
        if let Some(stiffness) = self.settings.stiffness {
            problem.compliance = 1.0 / (stiffness * self.time_step() * self.time_step());
            let tension = |index: usize| laws.get(index).map_or(0.0, |law| law.tension);
            let undeformed = last_impulse.iter().zip(&*contacts).enumerate();
            problem
                .undeformed_impulses
                .extend(undeformed.map(|(index, (&last, contact))| last + contact.normal * tension(index)));
        }
    }
}
