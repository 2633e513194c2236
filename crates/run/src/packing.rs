//! Packings, which measurements read, from the snapshots that a run has written.

use crate::error::RunError;
use riprap_engine::{D2, D3, Dim, Shape};
use riprap_measure::{Contact, CrackPlace, End, Grain, Packing, Wall, WallSurface, parts_of_shape, radius_of_volume};
use riprap_store::{Format, Snapshot, WallShape, read_snapshot};
use std::path::Path;

/// The packing in a file of a snapshot.
pub fn read_packing(file: &Path) -> Result<Packing, RunError> {
    let snapshot = read_snapshot(file).map_err(RunError::Unreadable)?;
    let has_contacts = Format::from_path(file).is_ok_and(Format::keeps_contacts);
    packing_of(&snapshot, has_contacts).map_err(|reason| RunError::Snapshot { path: file.into(), reason })
}

/// The packing of a snapshot, which holds contacts or does not.
pub fn packing_of(snapshot: &Snapshot, has_contacts: bool) -> Result<Packing, String> {
    let largest = snapshot.grains.radius.iter().copied().fold(0.0, f64::max);
    // The nearest grains would be images of images without end.
    if let Some(period) = snapshot.cell.period.iter().find(|period| **period > 0.0 && **period < largest) {
        return Err(format!("a period is {period:e} m, shorter than the largest radius, {largest:e} m"));
    }
    match snapshot.dimension {
        2 => convert::<D2>(snapshot, has_contacts),
        3 => convert::<D3>(snapshot, has_contacts),
        other => Err(format!("the dimension is {other}, expected 2 or 3")),
    }
}

fn convert<D: Dim>(snapshot: &Snapshot, has_contacts: bool) -> Result<Packing, String> {
    let forms: Vec<Shape<D>> = snapshot
        .forms
        .iter()
        .map(|form| form.shape::<D>().map_err(|error| format!("the form of a grain is not a valid body: {error}")))
        .collect::<Result<_, _>>()?;
    let shape_at = |index: u32| {
        forms
            .get(index as usize)
            .ok_or_else(|| format!("a body refers to form {index}, but there are only {}", forms.len()))
    };
    let columns = &snapshot.grains;
    let mut packing = Packing {
        dimension: snapshot.dimension,
        step: snapshot.step,
        time: snapshot.time,
        gravity: snapshot.gravity,
        origin: snapshot.cell.origin,
        period: snapshot.cell.period,
        ..Packing::default()
    };
    for row in 0..columns.len() {
        let orientation = columns.orientation[row];
        let form = columns.form.get(row).copied().flatten();
        let (volume, radius, parts) = match form {
            None => (D::ball_volume(columns.radius[row]), columns.radius[row], Vec::new()),
            Some(index) => {
                let shape = shape_at(index)?;
                let parts = parts_of_shape(shape, D::from_quaternion(orientation));
                (shape.volume(), radius_of_volume(D::AXES, shape.volume()), parts)
            }
        };
        packing.grains.push(Grain {
            id: columns.id[row],
            position: columns.position[row],
            image: columns.image[row],
            orientation,
            velocity: columns.velocity[row],
            spin: columns.spin[row],
            radius,
            volume,
            mass: columns.mass[row],
            // Some formats keep neither.
            material: columns.material.get(row).copied().unwrap_or_default(),
            group: columns.group.get(row).copied().unwrap_or_default(),
            parts,
        });
    }
    if !packing.grains.is_sorted_by_key(|grain| grain.id) {
        packing.grains.sort_by_key(|grain| grain.id);
    }
    for wall in &snapshot.walls {
        let surface = match wall.shape {
            WallShape::Primitive(primitive) => WallSurface::Primitive(primitive),
            WallShape::Form { index, .. } => {
                WallSurface::of_shape(shape_at(index)?, D::from_quaternion(wall.orientation))
            }
        };
        packing.walls.push(Wall {
            id: wall.id,
            name: wall.name.clone(),
            position: wall.position,
            orientation: wall.orientation,
            velocity: wall.velocity,
            wear: match &surface {
                WallSurface::Pieces(pieces) => {
                    let depth = |face| snapshot.faces.row(wall.id, face).map(|row| snapshot.faces.wear_depth[row]);
                    (0..pieces.len()).map_while(depth).collect()
                }
                WallSurface::Primitive(_) => Vec::new(),
            },
            surface,
        });
    }
    let cracks = &snapshot.cracks;
    let crack = |k: usize| CrackPlace { point: cracks.point[k], normal: cracks.normal[k], area: cracks.area[k] };
    packing.cracks = (0..cracks.len()).map(crack).collect();
    if has_contacts {
        packing.contacts = Some(contacts(snapshot, &packing)?);
    }
    Ok(packing)
}

fn contacts(snapshot: &Snapshot, packing: &Packing) -> Result<Vec<Contact>, String> {
    let columns = &snapshot.contacts;
    let mut walls: Vec<(u32, u32)> = packing.walls.iter().enumerate().map(|(k, wall)| (wall.id, k as u32)).collect();
    walls.sort_unstable();
    // A file that lost its walls, as VTK has them in a file of their own, still says that a body is no grain.
    let end = |body: u32| match packing.grains.binary_search_by_key(&body, |grain| grain.id) {
        Ok(row) => End::Grain(row as u32),
        Err(_) => End::Wall(walls.binary_search_by_key(&body, |wall| wall.0).map_or(u32::MAX, |k| walls[k].1)),
    };
    (0..columns.len())
        .map(|k| {
            let ends = [end(columns.body1[k]), end(columns.body2[k])];
            if ends.iter().all(|end| matches!(end, End::Wall(_))) {
                return Err(format!(
                    "contact {k} joins {} and {}, neither of which is a grain",
                    columns.body1[k], columns.body2[k]
                ));
            }
            let contact = Contact {
                ends,
                normal: columns.normal[k],
                arms: [[0.0; 3]; 2],
                force: columns.force[k],
                gap: columns.gap[k],
                status: columns.status[k],
            };
            Ok(packing.with_arms(contact, columns.point[k]))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_that_holds_no_grain_is_refused_before_images_are_looked_for() {
        let mut snapshot = Snapshot { dimension: 3, ..Snapshot::default() };
        let grains = &mut snapshot.grains;
        (grains.id, grains.radius, grains.mass) = (vec![1, 2], vec![1.0; 2], vec![1.0; 2]);
        (grains.position, grains.velocity, grains.spin) = (vec![[0.0; 3]; 2], vec![[0.0; 3]; 2], vec![[0.0; 3]; 2]);
        (grains.image, grains.orientation) = (vec![[0; 3]; 2], vec![[0.0, 0.0, 0.0, 1.0]; 2]);
        (grains.material, grains.group) = (vec![0; 2], vec![0; 2]);
        snapshot.cell.period = [4.0, 0.0, 0.0];
        assert!(packing_of(&snapshot, false).is_ok());
        snapshot.cell.period[0] = 1e-30;
        assert!(packing_of(&snapshot, false).unwrap_err().contains("shorter than the largest radius"));
    }
}
