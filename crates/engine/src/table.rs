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

    /// The first rows, with the forms and surfaces.
    pub fn first(&self, rows: usize) -> GrainTable {
        fn head<T: Clone>(column: &[T], rows: usize) -> Vec<T> {
            column[..rows.min(column.len())].to_vec()
        }
        GrainTable {
            position: head(&self.position, rows),
            radius: head(&self.radius, rows),
            velocity: head(&self.velocity, rows),
            spin: head(&self.spin, rows),
            orientation: head(&self.orientation, rows),
            material: head(&self.material, rows),
            group: head(&self.group, rows),
            form: head(&self.form, rows),
            forms: self.forms.clone(),
            surfaces: self.surfaces.clone(),
        }
    }

    /// Fills the columns that are empty with their default values; `material` is what a row without one is made of.
    pub fn complete(&mut self, material: &str) {
        let rows = self.len();
        fn fill<T: Clone>(column: &mut Vec<T>, rows: usize, default: T) {
            if column.is_empty() {
                column.resize(rows, default);
            }
        }
        fill(&mut self.velocity, rows, [0.0; 3]);
        fill(&mut self.spin, rows, [0.0; 3]);
        fill(&mut self.orientation, rows, [0.0, 0.0, 0.0, 1.0]);
        fill(&mut self.material, rows, material.to_owned());
        fill(&mut self.group, rows, "grains".to_owned());
        fill(&mut self.form, rows, None);
    }

    /// Appends the rows of a table of balls; both must be complete.
    pub fn append(&mut self, balls: GrainTable) {
        self.position.extend(balls.position);
        self.radius.extend(balls.radius);
        self.velocity.extend(balls.velocity);
        self.spin.extend(balls.spin);
        self.orientation.extend(balls.orientation);
        self.material.extend(balls.material);
        self.group.extend(balls.group);
        self.form.extend(balls.form);
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.radius.is_empty()
    }
}
