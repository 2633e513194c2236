//! Gluing grains to each other, and the breaking of bonds.

use crate::contact::Status;
use crate::detect::{Pair, PairList, Poses, Scratch};
use crate::law::bond::{Bond, BondLaw};
use crate::work::Work;
use crate::world::World;
use riprap_solve::{Dim, Vector};

/// Grains can be glued if their gap is below this fraction of the smaller radius.
const GLUED_GAP: f64 = 5e-3;

/// Two grains that were to be glued do not touch.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("grains {} and {} do not touch: they are {gap:.3e} m apart", bodies[0], bodies[1])]
pub struct NotTouching {
    /// The two bodies.
    pub bodies: [u32; 2],
    /// The gap between them; infinite for distant bodies that are not balls.
    pub gap: f64,
}

impl<D: Dim> World<D> {
    /// Glues all pairs of touching bodies that are both `chosen`; returns the number of bonds. A pair that is already glued
    /// gets the new strengths.
    pub fn glue_touching(&mut self, law: BondLaw, chosen: impl Fn(&World<D>, u32) -> bool) -> usize {
        let pairs = self.touching_pairs();
        let mut count = 0;
        for (pair, gap) in pairs {
            if pair.bodies.iter().all(|&body| chosen(self, body)) {
                self.glue_pair(&pair, gap, law);
                count += 1;
            }
        }
        count
    }

    /// Glues the given pairs of grains, or none of them if one does not touch.
    pub fn glue(&mut self, law: BondLaw, pairs: &[[u32; 2]]) -> Result<(), NotTouching> {
        let touching = self.touching_pairs();
        let mut found = Vec::with_capacity(pairs.len());
        for &[a, b] in pairs {
            let bodies = [a.min(b), a.max(b)];
            match touching.iter().find(|(pair, _)| pair.bodies == bodies) {
                Some(touching) => found.push(*touching),
                None => {
                    let pair = Pair { bodies, offset: [0; 3] };
                    let mut poses = Poses::default();
                    poses.turn(&self.bodies, &self.state.orientation);
                    return Err(NotTouching { bodies, gap: self.gap_of(&pair, &poses) });
                }
            }
        }
        for (pair, gap) in found {
            self.glue_pair(&pair, gap, law);
        }
        Ok(())
    }

    fn glue_pair(&mut self, pair: &Pair, gap: f64, law: BondLaw) {
        let bond = Bond { bodies: pair.bodies, offset: pair.offset, gap, law };
        match self.bond_of(pair.bodies, pair.offset) {
            Some(old) => self.state.bonds[old].law = law,
            None => {
                let place = self.state.bonds.partition_point(|other| other.key() < bond.key());
                self.state.bonds.insert(place, bond);
            }
        }
    }

    /// The pairs that touch at present, with their gaps.
    fn touching_pairs(&self) -> Vec<(Pair, f64)> {
        let state = &self.state;
        let largest =
            self.bodies.iter().map(|body| body.equivalent_radius()).filter(|size| size.is_finite()).fold(0.0, f64::max);
        let reach = vec![0.5 * GLUED_GAP * largest; self.bodies.len()];
        let list = PairList::new(&self.bodies, &state.position, &state.orientation, &reach, &self.state.cell);
        let mut poses = Poses::default();
        poses.turn(&self.bodies, &state.orientation);
        let gaps = list.pairs.iter().map(|pair| (*pair, self.gap_of(pair, &poses)));
        gaps.filter(|(pair, gap)| *gap <= GLUED_GAP * self.smaller_radius(pair.bodies)).collect()
    }

    /// The smallest gap of two bodies of any shape; infinite if they are far apart.
    fn gap_of(&self, pair: &Pair, poses: &Poses<D>) -> f64 {
        let state = &self.state;
        if self.is_round(pair) {
            return self.geometry(pair, &state.position).gap;
        }
        let mut points = Vec::new();
        let reach = self.smaller_radius(pair.bodies);
        self.contact_points(pair, &state.places(), poses, reach, &mut Scratch::default(), &mut points);
        points.iter().map(|point| point.gap).fold(f64::INFINITY, f64::min)
    }

    /// True if a bond holds two bodies together; the second one is so many periods away.
    pub fn is_glued(&self, bodies: [u32; 2], offset: [i16; 3]) -> bool {
        self.bond_of(bodies, offset).is_some()
    }

    /// The index of a pair's bond in [`crate::State::bonds`].
    pub(crate) fn bond_of(&self, bodies: [u32; 2], offset: [i16; 3]) -> Option<usize> {
        if self.state.bonds.is_empty() {
            return None;
        }
        self.state.bonds.binary_search_by_key(&(bodies, offset), Bond::key).ok()
    }

    /// Removes the bonds whose contacts reached their strength in this step.
    pub(crate) fn break_bonds(&mut self, step: &Work<D>) {
        if self.state.bonds.is_empty() {
            return;
        }
        let mut broken = Vec::new();
        for (index, (contact, law)) in step.contacts.iter().zip(&step.laws).enumerate() {
            let Some(bond) = self.bond_of(contact.bodies, contact.offset) else { continue };
            let [torsion, rolling] = D::split_spin(contact.normal, step.torque_of(index));
            let reached = |torque: D::Spin, limit: f64| {
                let normal = contact.impulse.dot(contact.normal) + law.tension;
                limit > 0.0 && torque.length() >= limit * normal * (1.0 - 1e-9)
            };
            if contact.status == Status::Slide || reached(torsion, law.torsion) || reached(rolling, law.rolling) {
                broken.push(bond);
            }
        }
        broken.sort_unstable();
        broken.dedup();
        for bond in broken.into_iter().rev() {
            self.state.bonds.remove(bond);
        }
    }
}
