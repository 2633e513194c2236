//! Joints of blocks, by name.

use super::{Measured, Number, Table, values};
use crate::picture::Picture;
use crate::{JointState, Packing, Unavailable, joint_states};

const JOINTS: [&str; 4] = ["joints", "joints_without_force", "largest_opening", "largest_sliding"];

const JOINT_COLUMNS: [&str; 17] = [
    "body1",
    "body2",
    "x_m",
    "y_m",
    "z_m",
    "area_m2",
    "opening_m",
    "sliding_m",
    "normal_force_N",
    "shear_force_N",
    "normal_stress_Pa",
    "shear_stress_Pa",
    "force_point_x_m",
    "force_point_y_m",
    "force_point_z_m",
    "distance_from_middle_m",
    "eccentricity",
];

pub fn joints(packing: &Packing, earlier: &Packing) -> Result<Measured, Unavailable> {
    let found = joint_states(earlier, packing)?;
    let largest = |of: fn(&JointState) -> f64| Ok(Number::from(found.iter().map(of).fold(0.0, f64::max)));
    let count = |number: usize| Ok(Number::from(number as f64));
    let numbers = [
        ("", count(found.len())),
        ("", count(found.iter().filter(|joint| joint.force == [0.0; 3]).count())),
        ("m", largest(|joint| joint.opening)),
        ("m", largest(|joint| joint.sliding)),
    ];
    let rows = found.iter().map(joint_row).collect();
    let table = Table { name: "joints", columns: JOINT_COLUMNS.to_vec(), rows };
    Ok(Measured { values: values(&JOINTS, numbers), tables: vec![table], plots: Vec::new() })
}

/// Without a force it goes through no point.
fn joint_row(joint: &JointState) -> Vec<f64> {
    let (normal, shear) = (joint.normal_force(), joint.shear_force());
    let mut row = joint.bodies.map(f64::from).to_vec();
    row.extend(joint.middle);
    row.extend([joint.area, joint.opening, joint.sliding, normal, shear, normal / joint.area, shear / joint.area]);
    row.extend(joint.point.unwrap_or([f64::NAN; 3]));
    row.extend([joint.distance_from_middle().unwrap_or(f64::NAN), joint.eccentricity.unwrap_or(f64::NAN)]);
    row
}

const THRUST: [&str; 3] = ["loaded_joints", "largest_eccentricity", "largest_normal_force"];

const THRUST_COLUMNS: [&str; 11] = [
    "body1",
    "body2",
    "x_m",
    "y_m",
    "z_m",
    "force_x_N",
    "force_y_N",
    "force_z_N",
    "normal_force_N",
    "distance_from_middle_m",
    "eccentricity",
];

pub fn thrust(packing: &Packing, earlier: &Packing) -> Result<Measured, Unavailable> {
    let mut found = joint_states(earlier, packing)?;
    found.retain(|joint| joint.normal_force() > 0.0 && joint.point.is_some());
    if found.is_empty() {
        return Err(Unavailable::NoForces);
    }
    let largest = |of: fn(&JointState) -> f64| Ok(Number::from(found.iter().map(of).fold(0.0, f64::max)));
    let numbers = [
        ("", Ok(Number::from(found.len() as f64))),
        ("", largest(|joint| joint.eccentricity.unwrap_or(0.0))),
        ("N", largest(JointState::normal_force)),
    ];
    let row = |joint: &JointState| {
        let mut row = joint.bodies.map(f64::from).to_vec();
        row.extend(joint.point.unwrap_or(joint.middle));
        row.extend(joint.force);
        row.extend([joint.normal_force(), joint.distance_from_middle().unwrap_or(0.0)]);
        row.push(joint.eccentricity.unwrap_or(0.0));
        row
    };
    let table = Table { name: "thrust", columns: THRUST_COLUMNS.to_vec(), rows: found.iter().map(row).collect() };
    let picture = Picture { lines: lines(packing, &found), ..Picture::new(packing.dimension) };
    let plots = picture.draw(packing, None).map(|drawing| vec![("thrust".to_owned(), drawing)]).unwrap_or_default();
    Ok(Measured { values: values(&THRUST, numbers), tables: vec![table], plots })
}

/// The thrust line within every block that is part of a chain: one with two loaded joints.
fn lines(packing: &Packing, found: &[JointState]) -> Vec<[[f64; 3]; 2]> {
    let within = |id: u32| {
        let mut points = found.iter().filter(|joint| joint.bodies.contains(&id)).filter_map(|joint| joint.point);
        match (points.next(), points.next(), points.next()) {
            (Some(from), Some(to), None) => Some([from, to]),
            _ => None,
        }
    };
    packing.grains.iter().filter_map(|grain| within(grain.id)).collect()
}
