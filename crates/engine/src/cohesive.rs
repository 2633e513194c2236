//! Which pairs cohesion and bonds can hold together.

use crate::contact::Contact;
use crate::detect::Pair;
use crate::law::ADHERES;
use crate::world::World;
use riprap_solve::Dim;

/// Bonds are looked for across gaps up to this fraction of the largest radius.
const BOND_RANGE: f64 = 0.01;

impl<D: Dim> World<D> {
    /// The gap out to which cohesion or a bond can hold a pair.
    pub(crate) fn cohesive_range(&self) -> f64 {
        if !self.is_cohesive() {
            return 0.0;
        }
        let radii = self.bodies.iter().map(|body| body.equivalent_radius()).filter(|radius| radius.is_finite());
        let (least, most) =
            radii.fold((f64::INFINITY, 0.0), |(least, most), r| (f64::min(least, r), f64::max(most, r)));
        // A given energy reaches farthest where the force is smallest: between two of the smallest grains.
        let ranges = self
            .materials
            .laws()
            .filter_map(|law| law.cohesion)
            .flat_map(|cohesion| [cohesion.range(0.5 * least), cohesion.range(most), ADHERES * most]);
        ranges.fold(if self.state.bonds.is_empty() { 0.0 } else { BOND_RANGE * most }, f64::max)
    }

    /// True if there is a bond or a cohesive law.
    fn is_cohesive(&self) -> bool {
        !self.state.bonds.is_empty() || self.materials.laws().any(|law| law.cohesion.is_some())
    }

    /// The pairs that cohesion held in the last step, in the order of the list.
    pub(crate) fn cohesive_pairs(&self) -> Vec<u32> {
        if !self.is_cohesive() {
            return Vec::new();
        }
        let contacts = self.state.contacts.iter().zip(&self.cache.pair_of);
        contacts.filter(|(contact, _)| contact.bonded).map(|(_, &pair)| pair).collect()
    }

    /// True if a pair takes part in the solve because cohesion or a bond holds it; `cohesive` are those that cohesion held
    /// in the last step.
    #[inline]
    pub(crate) fn is_held_together(&self, cohesive: &[u32], index: u32, pair: &Pair, gap: f64) -> bool {
        if self.bond_of(pair.bodies, pair.offset).is_some() {
            return true;
        }
        if cohesive.binary_search(&index).is_err() {
            return false;
        }
        let [a, b] = pair.bodies.map(|body| self.bodies[body as usize].material);
        self.materials.pair(a, b).cohesion.is_some_and(|cohesion| {
            let range = cohesion.range(self.reduced_radius(pair.bodies));
            gap <= range.max(ADHERES * self.smaller_radius(pair.bodies))
        })
    }

    /// For each contact, the number of contacts between its two bodies: cohesion and bonds belong to the pair of bodies,
    /// and its contacts share them. Empty where nothing is cohesive.
    pub(crate) fn points_of_pairs(&self, contacts: &[Contact<D>]) -> Vec<f64> {
        if !self.is_cohesive() {
            return Vec::new();
        }
        let same = |a: &Contact<D>, b: &Contact<D>| (a.bodies, a.offset) == (b.bodies, b.offset);
        contacts.chunk_by(same).flat_map(|group| std::iter::repeat_n(group.len() as f64, group.len())).collect()
    }
}
