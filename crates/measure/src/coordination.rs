//! How many contacts a grain has.

use crate::{bears, grains, is_grain};
use riprap_engine::{Dim, World};

/// Mean numbers of bearing contacts per grain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coordination {
    /// `(2 N_gg + N_gw)/N`: a contact of two grains counts for both, a contact with a wall for its grain.
    pub mean: f64,
    /// The same among the grains that are not rattlers, contacts with rattlers left out.
    pub without_rattlers: f64,
    /// Grains with fewer than two bearing contacts: they are not held by the packing.
    pub rattlers: usize,
    /// Bearing contacts between two grains, `N_gg`.
    pub grain_grain: usize,
    /// Bearing contacts between a grain and a wall, `N_gw`.
    pub grain_wall: usize,
}

/// The coordination of the contacts of the last step; all zero in a world without grains.
pub fn coordination<D: Dim>(world: &World<D>) -> Coordination {
    let mut degree = vec![0_u32; world.bodies.len()];
    let mut result = Coordination::default();
    let grain: Vec<bool> = world.bodies.iter().map(is_grain).collect();
    let bearing = || world.state.contacts.iter().filter(|c| bears(c)).map(|c| c.bodies.map(|b| b as usize));
    for [a, b] in bearing() {
        match (grain[a], grain[b]) {
            (true, true) => result.grain_grain += 1,
            (true, false) | (false, true) => result.grain_wall += 1,
            (false, false) => continue,
        }
        degree[a] += 1;
        degree[b] += 1;
    }
    let count = grains(world).count();
    if count == 0 {
        return result;
    }
    result.mean = (2 * result.grain_grain + result.grain_wall) as f64 / count as f64;

    result.rattlers = grains(world).filter(|&i| degree[i] < 2).count();
    let held = count - result.rattlers;
    if held > 0 {
        let keeps = |i: usize| grain[i] && degree[i] >= 2;
        let ends: usize = bearing()
            .filter(|&[a, b]| [a, b].iter().all(|&i| !grain[i] || degree[i] >= 2))
            .map(|[a, b]| usize::from(keeps(a)) + usize::from(keeps(b)))
            .sum();
        result.without_rattlers = ends as f64 / held as f64;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{square_lattice, touch, world_of_disks};

    #[test]
    fn two_touching_grains_have_one_contact_each() {
        let mut world = world_of_disks(&[([0.0, 0.0], 1.0), ([2.0, 0.0], 1.0), ([9.0, 0.0], 1.0)]);
        touch(&mut world, 0, 1, [1.0, 0.0], [1.0, 0.0]);
        let measured = coordination(&world);
        assert!((measured.mean - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!((measured.rattlers, measured.without_rattlers), (3, 0.0));
    }

    #[test]
    fn a_square_lattice_has_four_but_at_its_edges_and_three_per_grain_on_a_floor() {
        // 5 × 5 disks: 2·5·4 contacts between them; the five lowest stand on a floor.
        let world = square_lattice(5);
        let measured = coordination(&world);
        assert_eq!((measured.grain_grain, measured.grain_wall, measured.rattlers), (40, 5, 0));
        assert!((measured.mean - 85.0 / 25.0).abs() < 1e-15);
        assert_eq!(measured.mean, measured.without_rattlers);
    }

    #[test]
    fn rattlers_and_open_contacts_do_not_count() {
        // A triangle whose third corner also touches a loose fourth grain; a fifth contact is open.
        let mut world = world_of_disks(&[([0.0, 0.0], 1.0), ([2.0, 0.0], 1.0), ([1.0, 1.7], 1.0), ([1.0, 3.7], 1.0)]);
        for (a, b) in [(0, 1), (1, 2), (0, 2), (2, 3)] {
            touch(&mut world, a, b, [1.0, 0.0], [1.0, 0.0]);
        }
        touch(&mut world, 1, 3, [1.0, 0.0], [0.0, 0.0]);
        let measured = coordination(&world);
        assert_eq!(measured.mean, 2.0);
        assert_eq!((measured.rattlers, measured.without_rattlers), (1, 2.0));
    }
}
