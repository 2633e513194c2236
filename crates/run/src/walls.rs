//! The rows of `walls.csv`: force, torque and power on each wall, in the last step and in the mean since the last row, and
//! where the wall is.

use crate::table_file::{number, text};
use riprap_engine::{BodyId, Dim, StepReport, Vector, WallLoad, World};

/// What the walls carried since the last row. It goes into checkpoints, so that a resumed run writes the same means.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WallSums {
    /// In the order of their ids.
    walls: Vec<WallSum>,
}

/// The sums of one wall.
#[derive(Clone, Debug, PartialEq)]
struct WallSum {
    id: BodyId,
    duration: f64,
    /// Force, torque and power, times the time that they acted for.
    load: [f64; LOAD.len()],
}

/// The numbers of a load: those of [`WallSum::load`], by the names of their counters.
const LOAD: [&str; 7] = ["force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z", "power"];
const DURATION: &str = "duration";

impl WallSums {
    /// Adds the last step.
    pub fn add<D: Dim>(&mut self, world: &World<D>) {
        let duration = world.time_step();
        for load in world.wall_loads() {
            let sum = self.of(world.state.id[load.body as usize]);
            sum.duration += duration;
            for (sum, value) in sum.load.iter_mut().zip(numbers(&load)) {
                *sum += duration * value;
            }
        }
    }

    /// Begins anew after a row.
    pub fn clear(&mut self) {
        self.walls.clear();
    }

    /// The mean load of a wall over the steps that were added.
    fn mean(&self, id: BodyId) -> [f64; LOAD.len()] {
        match self.walls.binary_search_by_key(&id, |sum| sum.id) {
            Ok(place) => self.walls[place].load.map(|value| value / self.walls[place].duration),
            Err(_) => [0.0; LOAD.len()],
        }
    }

    /// The sums of a wall; zero for one that was not there before.
    fn of(&mut self, id: BodyId) -> &mut WallSum {
        let place = self.walls.binary_search_by_key(&id, |sum| sum.id).unwrap_or_else(|place| {
            self.walls.insert(place, WallSum { id, duration: 0.0, load: [0.0; LOAD.len()] });
            place
        });
        &mut self.walls[place]
    }

    /// The sums as a checkpoint keeps them.
    pub fn to_counters(&self) -> Vec<(String, f64)> {
        let of_wall = |sum: &WallSum| {
            let numbers = LOAD.into_iter().zip(sum.load).chain([(DURATION, sum.duration)]);
            numbers.map(|(name, value)| (format!("wall.{}.{name}", sum.id), value)).collect::<Vec<_>>()
        };
        self.walls.iter().flat_map(of_wall).collect()
    }

    /// The sums of a checkpoint; other counters are passed over.
    pub fn from_counters(counters: &[(String, f64)]) -> Self {
        let mut sums = WallSums::default();
        for (name, value) in counters {
            let Some((id, name)) = name.strip_prefix("wall.").and_then(|rest| rest.split_once('.')) else { continue };
            let Ok(id) = id.parse().map(BodyId) else { continue };
            if let Some(place) = LOAD.iter().position(|load| *load == name) {
                sums.of(id).load[place] = *value;
            } else if name == DURATION {
                sums.of(id).duration = *value;
            }
        }
        sums
    }
}

/// The numbers of a load, in the order of [`LOAD`].
fn numbers<D: Dim>(load: &WallLoad<D>) -> [f64; LOAD.len()] {
    let ([fx, fy, fz], [tx, ty, tz]) = (components(load.force), components(load.torque));
    [fx, fy, fz, tx, ty, tz, load.power]
}

/// A wall after a step; in 2D the third components are zero, and torque and spin have their first only.
pub struct WallRow<'a> {
    report: &'a StepReport,
    dimension: usize,
    name: &'a str,
    load: [f64; LOAD.len()],
    mean: [f64; LOAD.len()],
    position: [f64; 3],
    velocity: [f64; 3],
    /// A quaternion (x, y, z, w).
    orientation: [f64; 4],
    spin: [f64; 3],
}

impl<'a> WallRow<'a> {
    /// The row of one wall, with what all walls carried since the last row.
    pub fn new<D: Dim>(world: &'a World<D>, report: &'a StepReport, load: &WallLoad<D>, sums: &WallSums) -> Self {
        let body = load.body as usize;
        WallRow {
            report,
            dimension: D::AXES,
            name: world.bodies[body].name.as_deref().unwrap_or(""),
            load: numbers(load),
            mean: sums.mean(world.state.id[body]),
            position: components(world.state.position[body]),
            velocity: components(world.state.velocity[body]),
            orientation: D::quaternion(world.state.orientation[body]),
            spin: components(world.state.spin[body]),
        }
    }
}

/// A column: the dimensions in which there is one, its name, and its cell in a row.
type WallColumn = (&'static [usize], &'static str, fn(&WallRow) -> String);

const PLANE: &[usize] = &[2];
const SPACE: &[usize] = &[3];
const BOTH: &[usize] = &[2, 3];

const WALL_COLUMNS: &[WallColumn] = &[
    (BOTH, "step", |row| row.report.step.to_string()),
    (BOTH, "time_s", |row| number(row.report.time)),
    (BOTH, "wall", |row| text(row.name)),
    (BOTH, "force_x_N", |row| number(row.load[0])),
    (BOTH, "force_y_N", |row| number(row.load[1])),
    (SPACE, "force_z_N", |row| number(row.load[2])),
    (PLANE, "torque_N_m", |row| number(row.load[3])),
    (SPACE, "torque_x_N_m", |row| number(row.load[3])),
    (SPACE, "torque_y_N_m", |row| number(row.load[4])),
    (SPACE, "torque_z_N_m", |row| number(row.load[5])),
    (BOTH, "power_W", |row| number(row.load[6])),
    (BOTH, "mean_force_x_N", |row| number(row.mean[0])),
    (BOTH, "mean_force_y_N", |row| number(row.mean[1])),
    (SPACE, "mean_force_z_N", |row| number(row.mean[2])),
    (PLANE, "mean_torque_N_m", |row| number(row.mean[3])),
    (SPACE, "mean_torque_x_N_m", |row| number(row.mean[3])),
    (SPACE, "mean_torque_y_N_m", |row| number(row.mean[4])),
    (SPACE, "mean_torque_z_N_m", |row| number(row.mean[5])),
    (BOTH, "mean_power_W", |row| number(row.mean[6])),
    (BOTH, "x_m", |row| number(row.position[0])),
    (BOTH, "y_m", |row| number(row.position[1])),
    (SPACE, "z_m", |row| number(row.position[2])),
    (BOTH, "velocity_x_m_s", |row| number(row.velocity[0])),
    (BOTH, "velocity_y_m_s", |row| number(row.velocity[1])),
    (SPACE, "velocity_z_m_s", |row| number(row.velocity[2])),
    (PLANE, "angle_rad", |row| number(2.0 * f64::atan2(row.orientation[2], row.orientation[3]))),
    (PLANE, "spin_rad_s", |row| number(row.spin[0])),
    (SPACE, "orientation_x", |row| number(row.orientation[0])),
    (SPACE, "orientation_y", |row| number(row.orientation[1])),
    (SPACE, "orientation_z", |row| number(row.orientation[2])),
    (SPACE, "orientation_w", |row| number(row.orientation[3])),
    (SPACE, "spin_x_rad_s", |row| number(row.spin[0])),
    (SPACE, "spin_y_rad_s", |row| number(row.spin[1])),
    (SPACE, "spin_z_rad_s", |row| number(row.spin[2])),
];

fn columns(dimension: usize) -> impl Iterator<Item = &'static WallColumn> {
    WALL_COLUMNS.iter().filter(move |(dimensions, ..)| dimensions.contains(&dimension))
}

/// The names of the columns.
pub fn names(dimension: usize) -> Vec<&'static str> {
    columns(dimension).map(|(_, name, _)| *name).collect()
}

/// The cells of a row.
pub fn cells(row: &WallRow) -> Vec<String> {
    columns(row.dimension).map(|(_, _, cell)| cell(row)).collect()
}

fn components<V: Vector>(vector: V) -> [f64; 3] {
    std::array::from_fn(|axis| if axis < V::LEN { vector.get(axis) } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_are_the_same_after_a_checkpoint() {
        let wall = |id: u32| WallSum { id: BodyId(id), duration: 0.1 * f64::from(id), load: [1.0 / 3.0; LOAD.len()] };
        let sums = WallSums { walls: vec![wall(3), wall(17)] };
        let mut counters = sums.to_counters();
        counters.push(("sweeps".into(), 5.0));
        assert_eq!(WallSums::from_counters(&counters), sums);
    }
}
