//! Breadth-first search from contact to contact through shared freedoms: the order of visits, and neighbourhoods.

use super::freedoms::Map;
use super::incidence::Incidence;

/// Contacts layer by layer from the ground, so that neighbours stay in the cache and forces propagate in fewer sweeps. The
/// layer of a contact is the mean of those of the freedoms that it touches.
pub fn visit_order<const S: usize, const K: usize>(maps: &[Map<S, K>], nothing: u32) -> Vec<u32> {
    let mut search = BreadthFirst::new(maps, nothing);
    // A contact with the ground moves fewer freedoms than it could.
    let on_ground = (0..maps.len()).filter(|&contact| maps[contact].freedoms[K - 1] == nothing);
    for seed in on_ground {
        search.begin_at(seed as u32);
    }
    let mut layers = vec![u32::MAX; nothing as usize + 1];
    for seed in 0..maps.len() as u32 {
        let mut from = if seed == 0 { 0 } else { search.order.len() };
        search.begin_at(seed);
        let mut layer = 0;
        while from < search.order.len() {
            for &contact in &search.order[from..] {
                for freedom in maps[contact as usize].freedoms {
                    let known = &mut layers[freedom as usize];
                    *known = layer.min(*known);
                }
            }
            from = search.advance(from);
            layer += 1;
        }
    }
    let mean_layer = |contact: u32| {
        let moved = maps[contact as usize].freedoms.iter().filter(|&&freedom| freedom != nothing);
        let (sum, count) = moved.fold((0, 0), |(sum, count), &freedom| (sum + layers[freedom as usize], count + 1));
        // In twelfths, exact for every number of freedoms that occurs.
        12 * sum / count.max(1)
    };
    let mut order = search.order;
    order.sort_by_cached_key(|&contact| mean_layer(contact));
    order
}

/// A breadth-first search over contacts, neighbours if they share a freedom; `nothing` is the freedom that connects none.
pub struct BreadthFirst<'a, const S: usize, const K: usize> {
    maps: &'a [Map<S, K>],
    incidence: Incidence,
    reached: Vec<bool>,
    seen: Vec<bool>,
    /// The contacts in the order in which they were reached.
    order: Vec<u32>,
}

impl<'a, const S: usize, const K: usize> BreadthFirst<'a, S, K> {
    /// No contact is reached yet.
    pub fn new(maps: &'a [Map<S, K>], nothing: u32) -> Self {
        let freedoms = nothing as usize + 1;
        let mut reached = vec![false; freedoms];
        reached[nothing as usize] = true;
        let incidence = Incidence::new(maps.len(), freedoms, |contact| maps[contact].freedoms);
        BreadthFirst { maps, incidence, reached, seen: vec![false; maps.len()], order: Vec::with_capacity(maps.len()) }
    }

    fn begin_at(&mut self, contact: u32) {
        if !std::mem::replace(&mut self.seen[contact as usize], true) {
            self.order.push(contact);
        }
    }

    /// Adds the neighbours of the contacts reached from number `from` on; returns where the new ones begin.
    fn advance(&mut self, from: usize) -> usize {
        let end = self.order.len();
        for at in from..end {
            for freedom in self.maps[self.order[at] as usize].freedoms {
                if !std::mem::replace(&mut self.reached[freedom as usize], true) {
                    for &other in self.incidence.of(freedom) {
                        if !std::mem::replace(&mut self.seen[other as usize], true) {
                            self.order.push(other);
                        }
                    }
                }
            }
        }
        end
    }
}
