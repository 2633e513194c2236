//! What a loading test is about: lengths, stresses and rates of a box of walls or a periodic cell, from wall positions and
//! wall forces or from the cell.

use crate::linear::principal;
use crate::{grains, mean_radius};
use riprap_engine::{Dim, Shape, Vector, World};

/// The state of a sample between walls or in a periodic cell. Stresses are positive in compression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loading {
    /// 2 or 3.
    pub dimension: usize,
    /// Length along each axis: the distance of the planes that face each other, or the period.
    pub length: [f64; 3],
    /// Rate of stretching along each axis.
    pub rate: [f64; 3],
    /// Rate of shear: how the velocity along the first axis grows along the last.
    pub shear_rate: f64,
    /// Stress along each axis: the mean of the forces on the two planes over their area, or `Σ f ℓ/V` where it is periodic.
    pub stress: [f64; 3],
    /// Shear stress on planes across the last axis, along the first; positive if it resists a positive rate of shear.
    pub shear_stress: f64,
    /// Volume of the grains.
    pub solid_volume: f64,
    /// Mean diameter of the grains.
    pub diameter: f64,
    /// Density of the grains.
    pub density: f64,
}

impl Loading {
    /// Volume of the sample.
    pub fn volume(&self) -> f64 {
        self.length[..self.dimension].iter().product()
    }

    /// Volume of the pores over that of the grains.
    pub fn void_ratio(&self) -> f64 {
        self.volume() / self.solid_volume - 1.0
    }

    /// Mean pressure `p`.
    pub fn pressure(&self) -> f64 {
        self.stress[..self.dimension].iter().sum::<f64>() / self.dimension as f64
    }

    /// The deviator `q` (docs/method.md §10): half the difference of the principal stresses in 2D, the difference of the
    /// largest and the smallest in 3D.
    pub fn deviator(&self) -> f64 {
        let last = self.dimension - 1;
        let mut tensor = [[0.0; 3]; 3];
        for axis in 0..self.dimension {
            tensor[axis][axis] = self.stress[axis];
        }
        (tensor[0][last], tensor[last][0]) = (-self.shear_stress, -self.shear_stress);
        let values = principal(tensor, self.dimension);
        let difference = values[0].0 - values[last].0;
        if self.dimension == 2 { 0.5 * difference } else { difference }
    }

    /// The largest rate of strain, of stretching or shear.
    pub fn strain_rate(&self) -> f64 {
        self.rate.iter().fold(self.shear_rate.abs(), |most, rate| most.max(rate.abs()))
    }

    /// The inertial number `I = ε̇ d √(ρ/p)`: below about 10⁻³ a test is quasi-static. Not a number without pressure.
    pub fn inertial_number(&self) -> f64 {
        self.strain_rate() * self.diameter * (self.density / self.pressure()).sqrt()
    }
}

/// The loading of a sample in the last step; `None` where some axis is neither periodic nor between two planes that face
/// each other, or where there are no grains.
pub fn loading<D: Dim>(world: &World<D>) -> Option<Loading> {
    let (state, cell) = (&world.state, &world.state.cell);
    let mut loading = Loading {
        dimension: D::AXES,
        length: [0.0; 3],
        rate: [0.0; 3],
        shear_rate: cell.shear,
        stress: [0.0; 3],
        shear_stress: 0.0,
        solid_volume: grains(world).map(|i| world.bodies[i].shape.volume()).sum(),
        diameter: 2.0 * mean_radius(world),
        density: 0.0,
    };
    if loading.solid_volume <= 0.0 {
        return None;
    }
    loading.density = grains(world).map(|i| world.bodies[i].mass).sum::<f64>() / loading.solid_volume;
    let mut walls = [None; 3];
    for axis in 0..D::AXES {
        if cell.is_periodic(axis) {
            (loading.length[axis], loading.rate[axis]) = (cell.period.get(axis), cell.rate.get(axis));
            continue;
        }
        let [low, high] = [1.0, -1.0].map(|sign| facing(world, axis, sign));
        let (low, high) = (low?, high?);
        let length = state.position[high].get(axis) - state.position[low].get(axis);
        if length <= 0.0 {
            return None;
        }
        loading.length[axis] = length;
        loading.rate[axis] = (state.velocity[high] - state.velocity[low]).get(axis) / length;
        walls[axis] = Some([low, high]);
    }
    let volume = loading.volume();
    let loads = world.wall_loads();
    let force_on = |wall: usize| loads.iter().find(|load| load.body as usize == wall).map(|load| load.force);
    let last = D::AXES - 1;
    let mut moment = [0.0; 3];
    let mut shear_moment = 0.0;
    for link in world.links() {
        let [a, b] = link.bodies.map(|body| body as usize);
        if world.bodies[a].is_free() && world.bodies[b].is_free() {
            let branch = state.position[b] + cell.shift(link.offset) - state.position[a];
            for axis in 0..D::AXES {
                moment[axis] += link.force.get(axis) * branch.get(axis);
            }
            shear_moment -= link.force.get(0) * branch.get(last);
        }
    }
    for axis in 0..D::AXES {
        loading.stress[axis] = match walls[axis] {
            None => moment[axis] / volume,
            Some([low, high]) => {
                let area = volume / loading.length[axis];
                0.5 * (force_on(high)? - force_on(low)?).get(axis) / area
            }
        };
    }
    loading.shear_stress = match walls[last] {
        None => shear_moment / volume,
        Some([low, high]) => {
            loading.shear_rate = (state.velocity[high] - state.velocity[low]).get(0) / loading.length[last];
            0.5 * (force_on(low)? - force_on(high)?).get(0) / (volume / loading.length[last])
        }
    };
    Some(loading)
}

/// The first plane across an axis whose normal, towards the grains, has this sign.
fn facing<D: Dim>(world: &World<D>, axis: usize, sign: f64) -> Option<usize> {
    world.bodies.iter().position(|body| match body.shape {
        Shape::Plane { normal } => !body.is_free() && normal.get(axis) * sign > 1.0 - 1e-9,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{add_ball, add_plane, empty, touch};
    use riprap_engine::D2;

    /// One disk of diameter 1 in a box of width 1 and height 1, pushed by 3 N from the sides and 5 N from above and below.
    #[test]
    fn a_disk_between_four_walls_has_the_stress_of_their_forces() {
        let mut world = empty::<D2>();
        let disk = add_ball(&mut world, [0.5, 0.5, 0.0], 0.5);
        let walls = [
            ([0.0, 0.0], [1.0, 0.0], 3.0),
            ([1.0, 0.0], [-1.0, 0.0], 3.0),
            ([0.0, 0.0], [0.0, 1.0], 5.0),
            ([0.0, 1.0], [0.0, -1.0], 5.0),
        ];
        for ([x, y], [nx, ny], force) in walls {
            let wall = add_plane(&mut world, "side", [x, y, 0.0], [nx, ny, 0.0]);
            let impulse = force * world.settings.time_step;
            // A little shear: the upper wall is held back, the lower one dragged on.
            let shear = 0.5 * world.settings.time_step * ny;
            touch(&mut world, wall, disk, [nx, ny], [nx * impulse - shear, ny * impulse]);
        }
        world.state.velocity[4].y = -0.2;
        let loading = loading(&world).unwrap();
        assert_eq!((loading.length, loading.stress), ([1.0, 1.0, 0.0], [3.0, 5.0, 0.0]));
        assert!((loading.shear_stress - 0.5).abs() < 1e-12, "{}", loading.shear_stress);
        assert!((loading.pressure() - 4.0).abs() < 1e-12);
        assert!((loading.deviator() - (1.0_f64 + 0.25).sqrt()).abs() < 1e-12, "{}", loading.deviator());
        let area = std::f64::consts::PI / 4.0;
        assert!((loading.void_ratio() - (1.0 / area - 1.0)).abs() < 1e-12);
        assert_eq!(loading.strain_rate(), 0.2);
        assert!((loading.inertial_number() - 0.2 * (1000.0_f64 / 4.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_row_through_a_period_has_the_stress_of_its_contacts_and_an_open_box_has_none() {
        let mut world = empty::<D2>();
        let disks = [0.5, 1.5].map(|x| add_ball(&mut world, [x, 0.5, 0.0], 0.5));
        world.state.cell.period = riprap_engine::Vector::from_array3([2.0, 1.0, 0.0]);
        let impulse = 6.0 * world.settings.time_step;
        touch(&mut world, disks[0], disks[1], [1.0, 0.0], [impulse, 0.0]);
        touch(&mut world, disks[1], disks[0], [1.0, 0.0], [impulse, 0.0]);
        world.state.contacts[1].offset = [1, 0, 0];
        // Two branches of length 1 in a cell of volume 2.
        assert!((loading(&world).unwrap().stress[0] - 6.0).abs() < 1e-12);
        world.state.cell.period.y = 0.0;
        assert_eq!(loading(&world), None);
    }
}
