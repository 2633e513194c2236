//! The rows of `walls.csv`: force, torque and power on each wall, and where it is.

use crate::table_file::{number, text};
use riprap_engine::{Dim, StepReport, Vector, WallLoad, World};

/// A wall after a step; in 2D the third components are zero, and the torque has its first only.
pub struct WallRow<'a> {
    report: &'a StepReport,
    dimension: usize,
    name: &'a str,
    force: [f64; 3],
    torque: [f64; 3],
    power: f64,
    position: [f64; 3],
    velocity: [f64; 3],
}

impl<'a> WallRow<'a> {
    /// The row of one wall.
    pub fn new<D: Dim>(world: &'a World<D>, report: &'a StepReport, load: &WallLoad<D>) -> Self {
        let body = load.body as usize;
        WallRow {
            report,
            dimension: D::AXES,
            name: world.bodies[body].name.as_deref().unwrap_or(""),
            force: components(load.force),
            torque: components(load.torque),
            power: load.power,
            position: components(world.state.position[body]),
            velocity: components(world.state.velocity[body]),
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
    (BOTH, "force_x_N", |row| number(row.force[0])),
    (BOTH, "force_y_N", |row| number(row.force[1])),
    (SPACE, "force_z_N", |row| number(row.force[2])),
    (PLANE, "torque_N_m", |row| number(row.torque[0])),
    (SPACE, "torque_x_N_m", |row| number(row.torque[0])),
    (SPACE, "torque_y_N_m", |row| number(row.torque[1])),
    (SPACE, "torque_z_N_m", |row| number(row.torque[2])),
    (BOTH, "power_W", |row| number(row.power)),
    (BOTH, "x_m", |row| number(row.position[0])),
    (BOTH, "y_m", |row| number(row.position[1])),
    (SPACE, "z_m", |row| number(row.position[2])),
    (BOTH, "velocity_x_m_s", |row| number(row.velocity[0])),
    (BOTH, "velocity_y_m_s", |row| number(row.velocity[1])),
    (SPACE, "velocity_z_m_s", |row| number(row.velocity[2])),
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
