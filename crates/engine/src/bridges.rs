//! Capillary bridges in the step: an external force on pairs of spheres (docs/method.md §3).

use crate::cache::PAIRS_PER_TASK;
use crate::detect::Pair;
use crate::law::ADHERES;
use crate::law::capillary::{Bridge, Bridges, Share, reduced_diameter};
use crate::work::Work;
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::{Dim, Vector};

/// Typical number of bridges per grain, used for the first guess of the rupture distance.
const BRIDGES_PER_GRAIN: f64 = 3.0;

/// Whether the list of pairs reaches as far as the bridges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// It does.
    Complete,
    /// It does not, and has to be made anew, for a longer range.
    TooShort,
}

/// One line of the network of forces: a contact, a bridge, or both between two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link<D: Dim> {
    /// Body 1 and body 2.
    pub bodies: [u32; 2],
    /// How many periods body 2's image is away from body 2 itself.
    pub offset: [i16; 3],
    /// Unit vector from body 1 to body 2.
    pub normal: D::Vector,
    /// Where it acts.
    pub point: D::Vector,
    /// Signed gap.
    pub gap: f64,
    /// The total force on body 2: impulse over time step, and attraction.
    pub force: D::Vector,
    /// The attraction of a bridge, contained in the force.
    pub attraction: f64,
    /// The index of the contact in the state, if there is one.
    pub contact: Option<usize>,
}

impl<D: Dim> World<D> {
    /// The contacts and bridges of the last step together: `f_n = p_n/δt + f_c` (docs/method.md §3). The contacts come
    /// first, in their order, then the bridges of pairs without a contact. Of a pair with several contacts the first
    /// one has the bridge.
    pub fn links(&self) -> impl Iterator<Item = Link<D>> + '_ {
        let (contacts, per_time) = (&self.state.contacts, 1.0 / self.time_step());
        let (bridge_of, alone) = self.bridges_of_contacts();
        let with_contact = contacts.iter().enumerate().map(move |(index, contact)| {
            let link = Link {
                bodies: contact.bodies,
                offset: contact.offset,
                normal: contact.normal,
                point: contact.point,
                gap: contact.gap,
                force: contact.impulse * per_time,
                attraction: 0.0,
                contact: Some(index),
            };
            match bridge_of.get(index).copied().flatten() {
                Some(bridge) => {
                    Link { attraction: bridge.force, force: link.force - bridge.normal * bridge.force, ..link }
                }
                None => link,
            }
        });
        with_contact.chain(alone.into_iter().map(|bridge| Link {
            bodies: bridge.bodies,
            offset: bridge.offset,
            normal: bridge.normal,
            point: bridge.point,
            gap: bridge.gap,
            force: bridge.normal * -bridge.force,
            attraction: bridge.force,
            contact: None,
        }))
    }

    /// The bridge of each contact of the last step, if it has one (nothing where there are no bridges at all), and the
    /// bridges of pairs without a contact.
    fn bridges_of_contacts(&self) -> (Vec<Option<&Bridge<D>>>, Vec<&Bridge<D>>) {
        let (contacts, bridges) = (&self.state.contacts, &self.state.bridges);
        let (mut bridge_of, mut alone) = (Vec::new(), Vec::new());
        if bridges.is_empty() {
            return (bridge_of, alone);
        }
        let of = |place: &u32| (contacts[*place as usize].bodies, contacts[*place as usize].offset);
        let mut places: Vec<u32> = (0..contacts.len() as u32).collect();
        places.sort_by_key(of);
        bridge_of.resize(contacts.len(), None);
        for bridge in bridges {
            let key = (bridge.bodies, bridge.offset);
            let first = places.partition_point(|place| of(place) < key);
            match places.get(first).filter(|place| of(place) == key) {
                Some(&place) => bridge_of[place as usize] = Some(bridge),
                None => alone.push(bridge),
            }
        }
        (bridge_of, alone)
    }

    /// The gap of the longest bridge for this share of the liquid.
    pub(crate) fn bridge_range(&self, share: &Share) -> f64 {
        let Some(liquid) = self.liquid else { return 0.0 };
        let largest = self.bodies.iter().filter_map(|body| body.grain_radius()).fold(0.0, f64::max);
        // Grains that just touch are always included.
        liquid.debonding_distance(share.scale * reduced_diameter([largest; 2])).max(ADHERES * largest)
    }

    /// Finds the bridges of this step and their forces on the bodies, unless the list of pairs is too short for them.
    pub(crate) fn form_bridges(&mut self, step: &mut Work<D>) -> Coverage {
        let Some(liquid) = self.liquid else { return Coverage::Complete };
        let range = self.state.search.range;
        let chunks: Vec<Vec<([f64; 2], Bridge<D>)>> = (self.cache.pairs.pairs.par_chunks(PAIRS_PER_TASK))
            .map(|pairs| pairs.iter().filter_map(|pair| self.bridge_between(pair, range)).collect())
            .collect();
        let mut found = chunks.concat();
        if liquid.bridges == Bridges::AtContact {
            let touches = |radii: &[f64; 2], gap: f64| gap <= ADHERES * radii[0].min(radii[1]);
            let bridges = self.state.bridges.iter().filter(|bridge| bridge.force > 0.0);
            let mut alive: Vec<_> = bridges.map(|bridge| (bridge.bodies, bridge.offset)).collect();
            alive.sort_unstable();
            found.retain(|(radii, bridge)| {
                touches(radii, bridge.gap) || alive.binary_search(&(bridge.bodies, bridge.offset)).is_ok()
            });
        }
        let pairs: Vec<(f64, f64)> =
            found.iter().map(|(radii, bridge)| (bridge.gap, reduced_diameter(*radii))).collect();
        step.share = liquid.share(&pairs);
        // If no pair is within reach, all the liquid could be in a single bridge beyond it.
        let alone = step.share.scale == 0.0 && liquid.bridges == Bridges::Shared;
        let needed = if alone { liquid.debonding_distance(liquid.volume) } else { self.bridge_range(&step.share) };
        if needed > range {
            self.state.share = self.wider_share(needed, range);
            return Coverage::TooShort;
        }
        step.bridge_forces.clear();
        step.bridge_forces.resize(self.bodies.len(), D::Vector::ZERO);
        step.bridges.clear();
        for (radii, mut bridge) in found {
            bridge.volume = liquid.bridge_volume(&step.share, bridge.gap, reduced_diameter(radii));
            bridge.force = liquid.attraction(radii, bridge.volume, bridge.gap);
            if bridge.volume == 0.0 {
                continue;
            }
            let pull = bridge.normal * bridge.force;
            step.bridge_forces[bridge.bodies[0] as usize] += pull;
            step.bridge_forces[bridge.bodies[1] as usize] -= pull;
            step.bridges.push(bridge);
        }
        Coverage::Complete
    }

    /// The share for which the next list of pairs is made, when bridges of length `needed` exceed the `range` of this one.
    /// A longer list has more pairs, among which bridges are shorter again, so the range grows in steps.
    fn wider_share(&self, needed: f64, range: f64) -> Share {
        let Some(liquid) = self.liquid else { return Share::default() };
        let grains = self.free_bodies().count().max(1) as f64;
        let expected = liquid.debonding_distance(liquid.volume / (BRIDGES_PER_GRAIN * grains));
        let largest = self.bodies.iter().filter_map(|body| body.grain_radius()).fold(0.0, f64::max);
        let unit = liquid.debonding_distance(reduced_diameter([largest; 2]));
        Share { scale: (f64::max(2.0 * range, expected).min(needed) / unit).powi(3), last: 0.0 }
    }

    /// The radii of two grains, and the bridge that they may have, still without liquid.
    fn bridge_between(&self, pair: &Pair, range: f64) -> Option<([f64; 2], Bridge<D>)> {
        let [a, b] = pair.bodies.map(|body| self.bodies[body as usize].grain_radius());
        let radii = [a?, b?];
        let geometry = self.geometry(pair, &self.state.position);
        let (bodies, offset) = (pair.bodies, pair.offset);
        let (normal, point, gap) = (geometry.normal, geometry.point, geometry.gap);
        (gap <= range).then_some((radii, Bridge { bodies, offset, normal, point, gap, volume: 0.0, force: 0.0 }))
    }
}
