//! How far forces are from being determined by balance alone (P0 section 5.2).

use crate::linear::{dot, length, scaled, sub};
use crate::{Contact, End, Packing, Unavailable};
use rand::RngExt;
use rand_pcg::Pcg64;
use riprap_engine::{Dim, Silent, StepError, Vector, World};

/// More unknown force components than this are too many for a dense computation.
pub const MOST: usize = 1500;
/// A direction whose share is below this part of the largest is none.
const RANK_TOLERANCE: f64 = 1e-10;

/// Rank and null space of the map `H` from contact forces to the forces and torques on grains.
#[derive(Clone, Debug, PartialEq)]
pub struct Indeterminacy {
    /// Unknown components of contact forces, the columns of `H`.
    pub unknowns: usize,
    /// Equations of balance, the rows of `H`.
    pub equations: usize,
    /// The rank.
    pub rank: usize,
    /// A basis of the forces that balance without load: `unknowns − rank` vectors of components, contact by contact in
    /// the order normal, tangents.
    pub null_space: Vec<Vec<f64>>,
}

/// The rank and null space of `H` over the bearing contacts of a small packing. Without friction only normal components
/// are unknown.
pub fn indeterminacy(packing: &Packing, frictionless: bool) -> Result<Indeterminacy, Unavailable> {
    let contacts = packing.contacts.as_ref().ok_or(Unavailable::NoContacts)?;
    let bearing: Vec<_> = contacts.iter().filter(|contact| contact.bears()).collect();
    let per_contact = if frictionless { 1 } else { packing.dimension };
    let unknowns = bearing.len() * per_contact;
    if unknowns == 0 {
        return Err(Unavailable::NoForces);
    }
    if unknowns > MOST {
        return Err(Unavailable::TooLarge { what: "unknown components of force", found: unknowns, most: MOST });
    }
    let equations = packing.grains.len() * if packing.dimension == 2 { 3 } else { 6 };
    let (rank, null_space) = rank_and_null_space(columns_of(packing, &bearing, per_contact));
    Ok(Indeterminacy { unknowns, equations, rank, null_space })
}

/// `H` by its columns, with the rows of grains that contacts bear on: those of others are empty, and would take most of the
/// memory in a loose sample.
fn columns_of(packing: &Packing, bearing: &[&Contact], per_contact: usize) -> Vec<Vec<f64>> {
    let flat = packing.dimension == 2;
    let freedoms = if flat { 3 } else { 6 };
    // Torques over a radius are forces, so that all rows have one unit.
    let per_radius = 1.0 / packing.mean_radius();
    let grain = |end: End| match end {
        End::Grain(row) => Some(row),
        End::Wall(_) => None,
    };
    let mut rows: Vec<u32> = bearing.iter().flat_map(|contact| contact.ends).filter_map(grain).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut columns = Vec::with_capacity(bearing.len() * per_contact);
    for contact in bearing {
        for direction in directions(contact.normal, flat).into_iter().take(per_contact) {
            let mut column = vec![0.0; rows.len() * freedoms];
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let row = grain(contact.ends[side]).and_then(|grain| rows.binary_search(&grain).ok());
                let Some(at) = row.map(|row| row * freedoms) else { continue };
                let force = scaled(direction, sign);
                let torque = scaled(cross(contact.arms[side], force), per_radius);
                for axis in 0..packing.dimension {
                    column[at + axis] += force[axis];
                }
                if flat {
                    column[at + 2] += torque[2];
                } else {
                    (0..3).for_each(|axis| column[at + 3 + axis] += torque[axis]);
                }
            }
            columns.push(column);
        }
    }
    columns
}

/// The normal, and tangents that complete a frame.
fn directions(normal: [f64; 3], flat: bool) -> Vec<[f64; 3]> {
    if flat {
        return vec![normal, [-normal[1], normal[0], 0.0]];
    }
    let least = (0..3).min_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs())).unwrap_or(0);
    let axis = std::array::from_fn(|i| f64::from(u8::from(i == least)));
    let first = sub(axis, scaled(normal, dot(axis, normal)));
    let first = scaled(first, 1.0 / length(first));
    vec![normal, first, cross(normal, first)]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The rank of a matrix given by its columns, and a basis of what it maps to zero, by orthogonalisation with the largest
/// remaining column first. Each column is orthogonalised twice, which leaves rounding only.
fn rank_and_null_space(columns: Vec<Vec<f64>>) -> (usize, Vec<Vec<f64>>) {
    let count = columns.len();
    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    // Each remainder is the matrix applied to its combination of columns.
    let mut remainders = columns;
    let mut combinations: Vec<Vec<f64>> = (0..count)
        .map(|k| {
            let mut unit = vec![0.0; count];
            unit[k] = 1.0;
            unit
        })
        .collect();
    let mut left: Vec<usize> = (0..count).collect();
    let largest = remainders.iter().map(|r| inner(r, r)).fold(0.0, f64::max).sqrt();
    let mut rank = 0;
    loop {
        let pick = (0..left.len()).max_by(|&a, &b| {
            let size = |k: usize| inner(&remainders[left[k]], &remainders[left[k]]);
            size(a).total_cmp(&size(b))
        });
        let Some(pick) = pick else { break };
        let pivot = left[pick];
        let size = inner(&remainders[pivot], &remainders[pivot]).sqrt();
        if size <= RANK_TOLERANCE * largest {
            break;
        }
        left.swap_remove(pick);
        rank += 1;
        let direction: Vec<f64> = remainders[pivot].iter().map(|x| x / size).collect();
        let combination: Vec<f64> = combinations[pivot].iter().map(|x| x / size).collect();
        for &k in &left {
            for _ in 0..2 {
                let share = inner(&direction, &remainders[k]);
                if share != 0.0 {
                    remainders[k].iter_mut().zip(&direction).for_each(|(x, d)| *x -= share * d);
                    combinations[k].iter_mut().zip(&combination).for_each(|(x, c)| *x -= share * c);
                }
            }
        }
    }
    left.sort_unstable();
    let null_space = left.into_iter().map(|k| {
        let size = inner(&combinations[k], &combinations[k]).sqrt();
        combinations[k].iter().map(|x| x / size).collect()
    });
    (rank, null_space.collect())
}

/// How much the forces of one step differ when the solver starts from random forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// How many starts were made.
    pub starts: usize,
    /// How many contacts bear in at least one solution.
    pub contacts: usize,
    /// The mean normal force over all solutions, in newtons.
    pub mean_force: f64,
    /// Root mean square, over contacts, of the standard deviation of a normal force over the solutions, over the mean
    /// normal force; zero if there is no force.
    pub relative: f64,
    /// The largest standard deviation of a contact, over the mean normal force.
    pub worst: f64,
    /// How many of the steps converged.
    pub converged: usize,
}

/// Takes one step of copies of a world, each time from other random forces of the given mean magnitude (in newtons; by
/// default that of the forces that are there), and compares the forces that come out. The world itself is not changed.
pub fn spread_of_solutions<D: Dim>(
    world: &World<D>,
    starts: usize,
    magnitude: Option<f64>,
    seed: u64,
) -> Result<Spread, Unavailable> {
    if starts < 2 {
        return Err(Unavailable::TooFew { what: "starts", found: starts, needed: 2 });
    }
    if world.state.contacts.is_empty() {
        return Err(Unavailable::NoForces);
    }
    let time_step = world.time_step();
    let mean_impulse = |world: &World<D>| {
        let sum: f64 = world.state.contacts.iter().map(|c| c.impulse.length()).sum();
        sum / world.state.contacts.len() as f64
    };
    let scale = magnitude.map_or_else(|| mean_impulse(world), |force| force * time_step);
    let mut random = Pcg64::new(u128::from(seed), 23);
    let mut found = Vec::new();
    let mut converged = 0;
    for _ in 0..starts {
        let mut copy = world.clone();
        copy.settings.solver.warm_start = true;
        for contact in &mut copy.state.contacts {
            // A push along the normal and half as much in any direction.
            let push = contact.normal * (2.0 * random.random::<f64>());
            let any = D::Vector::from_fn(|_| random.random::<f64>() - 0.5);
            contact.impulse = (push + any) * scale;
        }
        let report = copy.step(&mut Silent).map_err(|error: StepError| Unavailable::Because(error.to_string()))?;
        converged += usize::from(report.converged);
        let force = |contact: &riprap_engine::Contact<D>| contact.impulse.dot(contact.normal) / time_step;
        found.extend(copy.state.contacts.iter().filter(|c| force(c) != 0.0).map(|c| (c.key(), force(c))));
    }
    found.sort_by_key(|&(key, _)| key);
    let n = starts as f64;
    let (mut contacts, mut variances, mut total, mut worst) = (0_usize, 0.0, 0.0, 0.0_f64);
    for solutions in found.chunk_by(|a, b| a.0 == b.0) {
        // A start in which the contact does not bear counts as a zero.
        let mean = solutions.iter().map(|s| s.1).sum::<f64>() / n;
        let variance = (solutions.iter().map(|s| (s.1 - mean).powi(2)).sum::<f64>()
            + (n - solutions.len() as f64) * mean * mean)
            / (n - 1.0);
        contacts += 1;
        total += mean;
        variances += variance;
        worst = worst.max(variance.sqrt());
    }
    let per_contact = 1.0 / contacts.max(1) as f64;
    let mean_force = total * per_contact;
    let over = |value: f64| if mean_force > 0.0 { value / mean_force } else { 0.0 };
    Ok(Spread {
        starts,
        contacts,
        mean_force,
        relative: over((variances * per_contact).sqrt()),
        worst: over(worst),
        converged,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{add_ball, add_floor, add_plane, empty, touch, world_of_disks};
    use riprap_engine::{D2, Gravity};

    #[test]
    fn a_disk_on_a_floor_is_determined_and_one_in_a_groove_is_not() {
        let mut world = world_of_disks(&[([0.0, 1.0], 1.0)]);
        let floor = add_floor(&mut world);
        touch(&mut world, floor, 0, [0.0, 1.0], [0.0, 1.0]);
        let one = indeterminacy(&Packing::of(&world), false).unwrap();
        assert_eq!((one.unknowns, one.equations, one.rank, one.null_space.len()), (2, 3, 2, 0));

        // Between two sides, with friction: four unknowns, three equations, one force that balances itself.
        let s = 0.5_f64.sqrt();
        let mut groove = world_of_disks(&[([0.0, 1.0], 1.0)]);
        for side in [1.0, -1.0] {
            let wall = add_plane(&mut groove, "side", [0.0; 3], [side * s, s, 0.0]);
            touch(&mut groove, wall, 0, [side * s, s], [0.1, 0.1]);
        }
        let two = indeterminacy(&Packing::of(&groove), false).unwrap();
        assert_eq!((two.unknowns, two.rank, two.null_space.len()), (4, 3, 1));
        let normals = indeterminacy(&Packing::of(&groove), true).unwrap();
        assert_eq!((normals.unknowns, normals.rank), (2, 2));
    }

    #[test]
    fn grains_without_forces_take_no_memory() {
        let places: Vec<_> = (0..100).map(|k| ([3.0 * f64::from(k), 1.0], 1.0)).collect();
        let mut world = world_of_disks(&places);
        let floor = add_floor(&mut world);
        touch(&mut world, floor, 40, [0.0, 1.0], [0.0, 1.0]);
        let packing = Packing::of(&world);
        let bearing: Vec<_> = packing.contacts.iter().flatten().filter(|contact| contact.bears()).collect();
        let columns = columns_of(&packing, &bearing, 2);
        assert!(columns.len() == 2 && columns.iter().all(|column| column.len() == 3));
        let found = indeterminacy(&packing, false).unwrap();
        assert_eq!((found.unknowns, found.equations, found.rank), (2, 300, 2));
    }

    #[test]
    fn a_ring_of_frictionless_disks_between_walls_is_isostatic_and_its_null_vectors_balance() {
        // A 3 × 3 square lattice between four walls, frictionless: 2·3·4 unknowns in rows and columns, and in each of
        // the six lines one force that balances itself.
        let mut world = crate::examples::square_lattice(3);
        let [left, right, top] = [
            add_plane(&mut world, "left", [0.0; 3], [1.0, 0.0, 0.0]),
            add_plane(&mut world, "right", [3.0, 0.0, 0.0], [-1.0, 0.0, 0.0]),
            add_plane(&mut world, "top", [0.0, 3.0, 0.0], [0.0, -1.0, 0.0]),
        ];
        for k in 0..3 {
            touch(&mut world, left, 3 * k, [1.0, 0.0], [1.0, 0.0]);
            touch(&mut world, right, 3 * k + 2, [-1.0, 0.0], [-1.0, 0.0]);
            touch(&mut world, top, 6 + k, [0.0, -1.0], [0.0, -1.0]);
        }
        let found = indeterminacy(&Packing::of(&world), true).unwrap();
        assert_eq!((found.unknowns, found.rank, found.null_space.len()), (24, 18, 6));
        let with_friction = indeterminacy(&Packing::of(&world), false).unwrap();
        assert_eq!((with_friction.unknowns, with_friction.rank), (48, 27));
    }

    #[test]
    fn a_determined_problem_has_one_solution_and_a_groove_many() {
        let mut world = empty::<D2>();
        world.gravity = Gravity::new(Vector::from_array3([0.0, -10.0, 0.0]));
        add_ball(&mut world, [0.0, 1.0, 0.0], 1.0);
        add_floor(&mut world);
        world.step(&mut Silent).unwrap();
        let one = spread_of_solutions(&world, 5, None, 1).unwrap();
        let weight = world.bodies[0].mass * 10.0;
        assert!((one.mean_force - weight).abs() < 1e-6 * weight && one.relative < 1e-9, "{one:?}");

        let mut groove = empty::<D2>();
        groove.gravity = world.gravity.clone();
        add_ball(&mut groove, [0.0, 2_f64.sqrt(), 0.0], 1.0);
        let s = 0.5_f64.sqrt();
        for side in [1.0, -1.0] {
            add_plane(&mut groove, "side", [0.0; 3], [side * s, s, 0.0]);
        }
        groove.step(&mut Silent).unwrap();
        let many = spread_of_solutions(&groove, 8, None, 1).unwrap();
        assert!(many.relative > 1e-3 && many.contacts == 2 && many.converged == 8, "{many:?}");
    }
}
