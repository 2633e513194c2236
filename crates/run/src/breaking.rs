//! The rows of `bonds.csv`: the bonds that broke, each with when, where and how.

use crate::table_file::number;
use riprap_engine::{Crack, Dim, Vector, World};

/// The names of the columns.
pub fn names(dimension: usize) -> Vec<&'static str> {
    let all = [
        "step",
        "time_s",
        "body1",
        "body2",
        "mode",
        "x_m",
        "y_m",
        "z_m",
        "normal_x",
        "normal_y",
        "normal_z",
        "area_m2",
        "normal_force_N",
        "shear_force_N",
    ];
    all.into_iter().filter(|name| dimension == 3 || !matches!(*name, "z_m" | "normal_z")).collect()
}

/// The rows of the bonds that broke in the last step.
pub fn rows<D: Dim>(world: &World<D>) -> Vec<Vec<String>> {
    // The newest are last.
    let first = world.state.cracks.partition_point(|crack| crack.step < world.state.step);
    world.state.cracks[first..].iter().map(|crack| cells(world, crack)).collect()
}

fn cells<D: Dim>(world: &World<D>, crack: &Crack<D>) -> Vec<String> {
    let [point, normal] = world.place_of(crack);
    let [body1, body2] = crack.bodies.map(|body| world.state.id[body as usize].to_string());
    let components = |vector: D::Vector| (0..D::AXES).map(move |axis| number(vector.get(axis)));
    let mut cells = vec![crack.step.to_string(), number(crack.time), body1, body2, crack.mode.word().to_owned()];
    cells.extend(components(point));
    cells.extend(components(normal));
    cells.extend([crack.area, crack.normal_force, crack.shear_force].map(number));
    cells
}
