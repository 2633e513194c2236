//! How many contacts a grain has.

use crate::packing::shown_links;
use crate::{Contact, End, Packing, Region, Unavailable, is_grain};
use riprap_engine::{Dim, Vector, World};

/// Mean numbers of bearing contacts per grain. The points of a face contact count one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coordination {
    /// `(2 N_gg + N_gw)/N`: a contact of two grains counts for both, a contact with a wall for its grain.
    pub mean: f64,
    /// The same among the grains that are not rattlers, contacts with rattlers left out.
    pub without_rattlers: f64,
    /// Grains that are not held by the packing: fewer than two bearing contacts, once the contacts with other rattlers
    /// are taken away.
    pub rattlers: usize,
    /// Bearing contacts between two grains, `N_gg`.
    pub grain_grain: usize,
    /// Bearing contacts between a grain and a wall, `N_gw`.
    pub grain_wall: usize,
    /// Mean number of bodies that a grain has a bearing contact with: the points of a face contact count once.
    pub neighbours: f64,
    /// The share of bearing contacts that slide.
    pub sliding: f64,
}

/// Grains with fewer bearing contacts than this are not held.
const HELD: u32 = 2;

/// The coordination of the grains in a region, or of all; all zero where there are none.
pub fn coordination(packing: &Packing, region: Option<&Region>) -> Result<Coordination, Unavailable> {
    let contacts = packing.contacts.as_ref().ok_or(Unavailable::NoContacts)?;
    let bearing = || contacts.iter().filter(|contact| contact.bears());
    let inside: Vec<bool> =
        packing.grains.iter().map(|grain| region.is_none_or(|region| region.contains(grain.position))).collect();
    let degree = degrees(packing, contacts);
    let is_rattler = rattlers(packing, contacts);

    let mut result = Coordination::default();
    let (mut slides, mut counted, mut neighbours, mut ends_held) = (0_usize, 0_usize, 0_usize, 0_usize);
    let mut last: Option<[End; 2]> = None;
    for contact in bearing() {
        let here = contact.grains().filter(|&row| inside[row]).count();
        if here == 0 {
            continue;
        }
        match contact.grains().count() {
            2 => result.grain_grain += 1,
            _ => result.grain_wall += 1,
        }
        counted += 1;
        slides += usize::from(contact.status == riprap_engine::Status::Slide);
        // Points of one pair follow each other.
        neighbours += if last == Some(contact.ends) { 0 } else { here };
        last = Some(contact.ends);
        if contact.grains().all(|row| !is_rattler[row]) {
            ends_held += here;
        }
    }
    let rows = || (0..packing.grains.len()).filter(|&row| inside[row]);
    let count = rows().count();
    result.rattlers = rows().filter(|&row| is_rattler[row]).count();
    if count > 0 {
        result.mean = rows().map(|row| degree[row] as usize).sum::<usize>() as f64 / count as f64;
        result.neighbours = neighbours as f64 / count as f64;
    }
    if counted > 0 {
        result.sliding = slides as f64 / counted as f64;
    }
    if count > result.rattlers {
        result.without_rattlers = ends_held as f64 / (count - result.rattlers) as f64;
    }
    Ok(result)
}

/// [`Coordination::mean`] of all grains of a world, without a copy of its contacts; zero where there are no grains.
pub fn mean_coordination<D: Dim>(world: &World<D>) -> f64 {
    let grains = world.bodies.iter().filter(|body| is_grain(body)).count();
    let bearing = shown_links(world).filter(|(link, _)| link.force != D::Vector::ZERO);
    let ends = bearing.flat_map(|(link, _)| link.bodies).filter(|&body| is_grain(&world.bodies[body as usize]));
    ends.count() as f64 / grains.max(1) as f64
}

/// For each grain if it is a rattler: taking a rattler away may leave others unheld, and so on.
pub fn rattlers(packing: &Packing, contacts: &[Contact]) -> Vec<bool> {
    let mut degree = degrees(packing, contacts);
    let mut is_rattler = vec![false; packing.grains.len()];
    let mut touching: Vec<Vec<u32>> = vec![Vec::new(); packing.grains.len()];
    for contact in contacts.iter().filter(|contact| contact.bears()) {
        if let [End::Grain(a), End::Grain(b)] = contact.ends {
            touching[a as usize].push(b);
            touching[b as usize].push(a);
        }
    }
    let mut loose: Vec<usize> = (0..degree.len()).filter(|&row| degree[row] < HELD).collect();
    while let Some(row) = loose.pop() {
        if is_rattler[row] {
            continue;
        }
        is_rattler[row] = true;
        for &other in &touching[row] {
            let other = other as usize;
            degree[other] = degree[other].saturating_sub(1);
            if degree[other] < HELD && !is_rattler[other] {
                loose.push(other);
            }
        }
    }
    is_rattler
}

fn degrees(packing: &Packing, contacts: &[Contact]) -> Vec<u32> {
    let mut degree = vec![0_u32; packing.grains.len()];
    for contact in contacts.iter().filter(|contact| contact.bears()) {
        contact.grains().for_each(|row| degree[row] += 1);
    }
    degree
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{square_lattice, touch, world_of_disks};

    #[test]
    fn two_touching_grains_have_one_contact_each() {
        let mut world = world_of_disks(&[([0.0, 0.0], 1.0), ([2.0, 0.0], 1.0), ([9.0, 0.0], 1.0)]);
        touch(&mut world, 0, 1, [1.0, 0.0], [1.0, 0.0]);
        let measured = coordination(&Packing::of(&world), None).unwrap();
        assert!((measured.mean - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(mean_coordination(&world), measured.mean);
        assert_eq!((measured.rattlers, measured.without_rattlers), (3, 0.0));
    }

    #[test]
    fn a_square_lattice_has_four_but_at_its_edges_and_three_per_grain_on_a_floor() {
        // 5 × 5 disks: 2·5·4 contacts between them; the five lowest stand on a floor.
        let packing = Packing::of(&square_lattice(5));
        let measured = coordination(&packing, None).unwrap();
        assert_eq!(mean_coordination(&square_lattice(5)), measured.mean);
        assert_eq!((measured.grain_grain, measured.grain_wall, measured.rattlers), (40, 5, 0));
        assert!((measured.mean - 85.0 / 25.0).abs() < 1e-15);
        assert_eq!(measured.mean, measured.without_rattlers);
        assert_eq!(measured.mean, measured.neighbours);
        // The nine grains in the middle have four each.
        let region = Region::new([1.0, 1.0, 0.0], [4.0, 4.0, 0.0]);
        assert_eq!(coordination(&packing, Some(&region)).unwrap().mean, 4.0);
    }

    #[test]
    fn rattlers_are_taken_away_until_none_is_left_and_open_contacts_do_not_count() {
        // A triangle whose third corner touches a chain of two loose grains; a contact is open.
        let mut world = world_of_disks(&[
            ([0.0, 0.0], 1.0),
            ([2.0, 0.0], 1.0),
            ([1.0, 1.7], 1.0),
            ([1.0, 3.7], 1.0),
            ([1.0, 5.7], 1.0),
        ]);
        for (a, b) in [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)] {
            touch(&mut world, a, b, [1.0, 0.0], [1.0, 0.0]);
        }
        touch(&mut world, 1, 3, [1.0, 0.0], [0.0, 0.0]);
        let measured = coordination(&Packing::of(&world), None).unwrap();
        assert_eq!(measured.mean, 2.0);
        assert_eq!((measured.rattlers, measured.without_rattlers), (2, 2.0));
    }

    #[test]
    fn a_packing_without_stored_contacts_says_so() {
        let mut packing = Packing::of(&square_lattice(3));
        packing.contacts = None;
        assert_eq!(coordination(&packing, None), Err(Unavailable::NoContacts));
    }
}
