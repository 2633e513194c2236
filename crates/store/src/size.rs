//! How large the files of a snapshot will be, before there are any.

use crate::surfaces::{ball_parts, flat_surfaces, wall_surfaces};
use crate::{Format, Snapshot};

/// Bytes of text in place of one number, its separator included: most have all of their digits.
const PER_NUMBER: f64 = 19.0;
/// What Base64 makes of a byte.
const CODED: f64 = 4.0 / 3.0;

impl Format {
    /// The bytes that a snapshot takes in this format once it has so many contacts: an estimate, from the columns of each
    /// format.
    pub fn size(self, snapshot: &Snapshot, contacts: f64) -> f64 {
        let grains = snapshot.grains.len() as f64;
        let faces = snapshot.faces.len() as f64;
        match self {
            // Numbers of the widths that they have in memory, and the headers of about fifty datasets.
            Format::Hdf5 => {
                let of_forms = if snapshot.grains.form.is_empty() { 0.0 } else { 8.0 };
                2e4 + grains * (140.0 + of_forms) + contacts * 154.0 + faces * 56.0 + forms_bytes(snapshot)
            }
            Format::Vtp => 6e3 + CODED * (grains * 184.0 + contacts * 272.0 + surface_bytes(snapshot)),
            Format::Csv => PER_NUMBER * (grains * 16.0 + contacts * 15.0),
            Format::Xyz => PER_NUMBER * (grains * 16.0 + contacts * 10.0),
            Format::LammpsDump => PER_NUMBER * (grains * 16.0 + contacts * 10.0),
            Format::LammpsData => PER_NUMBER * grains * 12.0,
        }
    }
}

/// The bytes of the forms of grains and walls in HDF5: corners, and their numbers around each face.
fn forms_bytes(snapshot: &Snapshot) -> f64 {
    let columns = crate::forms::FormColumns::of(&snapshot.forms);
    24.0 * columns.vertex.len() as f64 + 4.0 * (columns.corner.len() + columns.first_corner.len()) as f64
}

/// The bytes of the polygons of walls and angular grains and of the balls of clumps in VTK, before they are coded.
fn surface_bytes(snapshot: &Snapshot) -> f64 {
    let of = |surfaces: &crate::Surfaces, arrays: f64| {
        let corners: usize = surfaces.cells.iter().map(Vec::len).sum();
        24.0 * surfaces.points.len() as f64 + 8.0 * corners as f64 + (8.0 + arrays) * surfaces.cells.len() as f64
    };
    of(&wall_surfaces(snapshot), 88.0) + of(&flat_surfaces(snapshot), 88.0) + 120.0 * ball_parts(snapshot).len() as f64
}
