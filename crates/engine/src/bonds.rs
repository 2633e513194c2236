//! Gluing grains to each other, and the breaking of bonds.

use crate::contact::{Contact, Status};
use crate::detect::{Geometry, Pair, PairList, Poses, Scratch};
use crate::law::LoweredLaw;
use crate::law::bond::{Bond, BondLaw, BondStrength, Breaking, Crack, Joint};
use crate::work::Work;
use crate::world::World;
use riprap_solve::{Dim, Vector};

/// Grains can be glued if their gap is below this fraction of the smaller radius.
const GLUED_GAP: f64 = 5e-3;

/// Two bodies that were to be glued cannot be.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NotGlued {
    /// They do not touch.
    #[error("grains {} and {} do not touch: they are {gap:.3e} m apart", bodies[0], bodies[1])]
    Apart {
        /// The two bodies.
        bodies: [u32; 2],
        /// The gap between them; infinite for distant bodies that are not balls.
        gap: f64,
    },
    /// They touch at a corner or along an edge, where stresses have no area to act on.
    #[error("grains {} and {} do not touch over an area", bodies[0], bodies[1])]
    NoArea {
        /// The two bodies.
        bodies: [u32; 2],
    },
}

/// Two bodies that touch.
#[derive(Clone, Copy, Debug)]
struct Touching {
    pair: Pair,
    gap: f64,
    joint: Joint,
}

impl<D: Dim> World<D> {
    /// Glues all pairs of touching bodies that are `chosen`; returns the number of bonds. A pair that is already glued
    /// gets the new strengths. Strengths that are stresses glue only what touches over an area.
    pub fn glue_touching(
        &mut self,
        strength: impl Into<BondStrength>,
        chosen: impl Fn(&World<D>, [u32; 2]) -> bool,
    ) -> usize {
        let strength = strength.into();
        let mut count = 0;
        for touching in self.touching_pairs() {
            if chosen(self, touching.pair.bodies)
                && let Some(law) = strength.over::<D>(touching.joint)
            {
                self.glue_pair(&touching, law);
                count += 1;
            }
        }
        count
    }

    /// Glues the given pairs of bodies, or none of them if one cannot be.
    pub fn glue(&mut self, strength: impl Into<BondStrength>, pairs: &[[u32; 2]]) -> Result<(), NotGlued> {
        let strength = strength.into();
        let touching = self.touching_pairs();
        let mut found = Vec::with_capacity(pairs.len());
        for &[a, b] in pairs {
            let bodies = [a.min(b), a.max(b)];
            let Some(touching) = touching.iter().find(|touching| touching.pair.bodies == bodies) else {
                let mut poses = Poses::default();
                poses.turn(&self.bodies, &self.state.orientation);
                let (gap, _) = self.joint_of(&Pair { bodies, offset: [0; 3] }, &poses);
                return Err(NotGlued::Apart { bodies, gap });
            };
            let law = strength.over::<D>(touching.joint).ok_or(NotGlued::NoArea { bodies })?;
            found.push((*touching, law));
        }
        for (touching, law) in found {
            self.glue_pair(&touching, law);
        }
        Ok(())
    }

    fn glue_pair(&mut self, touching: &Touching, law: BondLaw) {
        let Touching { pair, gap, joint } = *touching;
        let bond = Bond { bodies: pair.bodies, offset: pair.offset, gap, area: joint.area::<D>(), law };
        // What is glued again is whole again.
        self.state.cracks.retain(|crack| (crack.bodies, crack.offset) != bond.key());
        match self.bond_of(pair.bodies, pair.offset) {
            Some(old) => self.state.bonds[old].law = law,
            None => {
                let place = self.state.bonds.partition_point(|other| other.key() < bond.key());
                self.state.bonds.insert(place, bond);
            }
        }
    }

    /// The pairs that touch at present.
    fn touching_pairs(&self) -> Vec<Touching> {
        let state = &self.state;
        let largest =
            self.bodies.iter().map(|body| body.equivalent_radius()).filter(|size| size.is_finite()).fold(0.0, f64::max);
        let reach = vec![0.5 * GLUED_GAP * largest; self.bodies.len()];
        let list = PairList::new(&self.bodies, &state.position, &state.orientation, &reach, &self.state.cell);
        let mut poses = Poses::default();
        poses.turn(&self.bodies, &state.orientation);
        let pairs = list.pairs.iter().map(|&pair| {
            let (gap, joint) = self.joint_of(&pair, &poses);
            Touching { pair, gap, joint }
        });
        pairs.filter(|touching| touching.gap <= GLUED_GAP * self.smaller_radius(touching.pair.bodies)).collect()
    }

    /// The smallest gap of two bodies of any shape, infinite if they are far apart, and how they can be glued.
    fn joint_of(&self, pair: &Pair, poses: &Poses<D>) -> (f64, Joint) {
        let state = &self.state;
        let radius = self.smaller_radius(pair.bodies);
        if self.is_round(pair) {
            return (self.geometry(pair, &state.position).gap, Joint::Plug { radius });
        }
        let mut points = Vec::new();
        self.contact_points(pair, &state.places(), poses, radius, &mut Scratch::default(), &mut points);
        let gap = points.iter().map(|point| point.gap).fold(f64::INFINITY, f64::min);
        if pair.bodies.iter().any(|&body| self.bodies[body as usize].shape.ball_radius().is_some()) {
            return (gap, Joint::Plug { radius });
        }
        points.retain(|point| point.gap <= GLUED_GAP * radius);
        (gap, Joint::Faces { area: spanned(&points) })
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

    /// Removes the bonds whose contacts reached their strength in this step, and keeps where they broke.
    pub(crate) fn break_bonds(&mut self, step: &Work<D>) {
        if self.state.bonds.is_empty() {
            return;
        }
        let mut broken: Vec<(usize, Use)> = Vec::new();
        for (index, (contact, law)) in step.contacts.iter().zip(&step.laws).enumerate() {
            let Some(bond) = self.bond_of(contact.bodies, contact.offset) else { continue };
            let [torsion, rolling] = D::split_spin(contact.normal, step.torque_of(index));
            let reached = |torque: D::Spin, limit: f64| {
                let normal = contact.impulse.dot(contact.normal) + law.tension;
                limit > 0.0 && torque.length() >= limit * normal * (1.0 - 1e-9)
            };
            if contact.status == Status::Slide || reached(torsion, law.torsion) || reached(rolling, law.rolling) {
                broken.push((bond, Use::most(contact, law, [torsion, rolling])));
            }
        }
        // Of the points of a joint that is broken in several, the one that is used most.
        broken.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then(y.share.total_cmp(&x.share)));
        broken.dedup_by_key(|(bond, _)| *bond);
        let cracks: Vec<_> = broken.iter().map(|&(bond, used)| self.crack(bond, used.mode, step)).collect();
        self.state.cracks.extend(cracks);
        for (bond, _) in broken.into_iter().rev() {
            self.state.bonds.remove(bond);
        }
    }

    /// Where a bond breaks that has just been found to, at the end of the step.
    fn crack(&self, bond: usize, mode: Breaking, step: &Work<D>) -> Crack<D> {
        let Bond { bodies, offset, area, .. } = self.state.bonds[bond];
        let (mut point, mut normal, mut impulse, mut count) = (D::Vector::ZERO, D::Vector::ZERO, D::Vector::ZERO, 0.0);
        for contact in step.contacts.iter().filter(|contact| (contact.bodies, contact.offset) == (bodies, offset)) {
            point += contact.point;
            normal += contact.normal;
            impulse += contact.impulse;
            count += 1.0;
        }
        let normal = normal.normalized().unwrap_or_else(|| D::Vector::axis(0));
        let force = impulse * (1.0 / self.time_step());
        let normal_force = force.dot(normal);
        let first = bodies[0] as usize;
        let (position, orientation) = (self.state.position[first], self.state.orientation[first]);
        Crack {
            bodies,
            offset,
            step: self.state.step,
            time: self.state.time,
            arm: turned_back::<D>(orientation, point * (1.0 / count) - position),
            normal: turned_back::<D>(orientation, normal),
            area,
            mode,
            normal_force,
            shear_force: (force - normal * normal_force).length(),
        }
    }

    /// Where a crack is now, beside body 1, and its normal: it moves with body 1.
    pub fn place_of(&self, crack: &Crack<D>) -> [D::Vector; 2] {
        let first = crack.bodies[0] as usize;
        let orientation = self.state.orientation[first];
        [self.state.position[first] + D::rotate(orientation, crack.arm), D::rotate(orientation, crack.normal)]
    }
}

/// How much of a strength a contact point of a bond uses.
#[derive(Clone, Copy, Debug)]
struct Use {
    mode: Breaking,
    share: f64,
}

impl Use {
    /// The strength that is used most, with the impulses and torques of the point and the law that it was solved by.
    fn most<D: Dim>(contact: &Contact<D>, law: &LoweredLaw<D>, [torsion, rolling]: [D::Spin; 2]) -> Use {
        let along = contact.impulse.dot(contact.normal);
        let across = (contact.impulse - contact.normal * along).length();
        // Each strength is its part of the tensile strength.
        let share = |size: f64, part: f64| if part > 0.0 { size / (part * law.tension) } else { 0.0 };
        let shares = [
            share(-along, 1.0),
            share(across, law.friction),
            share(rolling.length(), law.rolling),
            share(torsion.length(), law.torsion),
        ];
        let uses = Breaking::ALL.into_iter().zip(shares).map(|(mode, share)| Use { mode, share });
        uses.reduce(|a, b| if b.share > a.share { b } else { a }).expect("there are four")
    }
}

/// A vector of the world in the frame of a body.
fn turned_back<D: Dim>(orientation: D::Orientation, vector: D::Vector) -> D::Vector {
    D::Vector::from_fn(|axis| D::rotate(orientation, D::Vector::axis(axis)).dot(vector))
}

/// The area that contact points span: that of the polygon whose corners they are; in the plane, where bodies are 1 m thick,
/// their largest distance.
fn spanned<D: Dim>(points: &[Geometry<D>]) -> f64 {
    let Some(first) = points.first() else { return 0.0 };
    let tangents = D::tangents(first.normal);
    let seen = points.iter().map(|point| tangents.map(|tangent| tangent.dot(point.point - first.point)));
    if D::AXES == 2 {
        let (low, high) = seen.fold((0.0_f64, 0.0_f64), |(low, high), [x, _]| (low.min(x), high.max(x)));
        return high - low;
    }
    let mut corners: Vec<[f64; 2]> = seen.collect();
    let centre = [0, 1].map(|axis| corners.iter().map(|corner| corner[axis]).sum::<f64>() / corners.len() as f64);
    let angle = |corner: &[f64; 2]| libm::atan2(corner[1] - centre[1], corner[0] - centre[0]);
    corners.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    let next = corners.iter().cycle().skip(1);
    0.5 * corners.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
}
