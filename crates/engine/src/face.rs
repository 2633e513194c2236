//! The sums that are kept for every face of a wall.

use crate::body::BodyId;

/// What one face of a wall has carried since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FaceLoad {
    /// The sum of the normal impulses of its contacts: the mean normal force times the time.
    pub normal_impulse: f64,
    /// The work of friction on it.
    pub sliding_work: f64,
    /// The volume worn off it: `Σ k F_n s`, with the wear rate `k` of the pair of materials (m³/(N m)), the normal force
    /// `F_n` that presses, and the distance `s` that the contact slid in each step.
    pub worn_volume: f64,
}

/// The faces of one wall that a grain has touched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WallWear {
    /// The wall.
    pub wall: BodyId,
    /// All of its faces, in the order of its shape.
    pub faces: Vec<FaceLoad>,
}
