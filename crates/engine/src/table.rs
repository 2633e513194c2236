//! A plain table of grains of either dimension, for samples and files.

use crate::form::Form;

/// Grains, one row each. A column that is empty has its default value (zero, identity, or a ball) in every row; the
/// columns of position and radius are always full. In 2D the third component of vectors is zero, and spins are in the
/// third.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GrainTable {
    /// Centres of mass.
    pub position: Vec<[f64; 3]>,
    /// Radii; of a grain that is not a ball, the distance of its farthest point from its centre of mass.
    pub radius: Vec<f64>,
    /// Velocities.
    pub velocity: Vec<[f64; 3]>,
    /// Spins.
    pub spin: Vec<[f64; 3]>,
    /// Orientations as quaternions (x, y, z, w).
    pub orientation: Vec<[f64; 4]>,
    /// Names of materials.
    pub material: Vec<String>,
    /// Names of groups.
    pub group: Vec<String>,
    /// Which of the forms a grain has; none for a ball.
    pub form: Vec<Option<u32>>,
    /// The forms of grains that are not balls, each for one grain or more.
    pub forms: Vec<Form>,
    /// The surfaces of walls that came from files, by the names of the walls.
    pub surfaces: Vec<(String, Form)>,
}

impl GrainTable {
    /// The number of grains.
    pub fn len(&self) -> usize {
        self.radius.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.radius.is_empty()
    }
}
