//! Measurements by name, each with its numbers, tables and plots, for programs that offer them all.

mod of_forces;
mod of_joints;
mod of_motion;
mod of_structure;

use crate::plot::Drawing;
use crate::{Fit, ForceOptions, Packing, Region, Unavailable, packed_region};

/// A measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Distributions of normal and tangential forces.
    Forces,
    /// Strong and weak, compressive and tensile networks.
    Networks,
    /// Mean stress.
    Stress,
    /// Particle pressures, their clusters and percolation.
    Pressures,
    /// Coordination.
    Coordination,
    /// Solid fraction.
    SolidFraction,
    /// Directions of contacts and forces.
    Fabric,
    /// Profiles of velocity and solid fraction.
    Profile,
    /// Radial distribution.
    Radial,
    /// How well kinds of grains are mixed.
    Mixing,
    /// The angle of repose of a heap or in a drum.
    Repose,
    /// Mean strain since an earlier snapshot.
    Strain,
    /// Displacements and rotations since an earlier snapshot.
    Displacements,
    /// Local strains since an earlier snapshot, and the shear band.
    ShearBand,
    /// Rank and null space of `H`.
    Indeterminacy,
    /// Opening and sliding of the joints of blocks since an earlier snapshot, and their forces.
    Joints,
    /// The thrust line: where the force goes through the joints of blocks.
    Thrust,
}

impl What {
    /// All measurements.
    pub const ALL: [What; 17] = [
        What::Forces,
        What::Networks,
        What::Stress,
        What::Pressures,
        What::Coordination,
        What::SolidFraction,
        What::Fabric,
        What::Profile,
        What::Radial,
        What::Mixing,
        What::Repose,
        What::Strain,
        What::Displacements,
        What::ShearBand,
        What::Indeterminacy,
        What::Joints,
        What::Thrust,
    ];

    /// The word by which scenes and commands know it.
    pub fn word(self) -> &'static str {
        match self {
            What::Forces => "forces",
            What::Networks => "networks",
            What::Stress => "stress",
            What::Pressures => "pressures",
            What::Coordination => "coordination",
            What::SolidFraction => "solid-fraction",
            What::Fabric => "fabric",
            What::Profile => "profile",
            What::Radial => "radial",
            What::Mixing => "mixing",
            What::Repose => "repose",
            What::Strain => "strain",
            What::Displacements => "displacements",
            What::ShearBand => "shear-band",
            What::Indeterminacy => "indeterminacy",
            What::Joints => "joints",
            What::Thrust => "thrust",
        }
    }

    /// The measurement of that word.
    pub fn from_word(word: &str) -> Option<What> {
        What::ALL.into_iter().find(|what| what.word() == word)
    }

    /// True if it only makes sense of some packings: small ones, heaps, drums, mixtures, masonry.
    pub fn is_special(self) -> bool {
        matches!(self, What::Indeterminacy | What::Mixing | What::Repose | What::Joints | What::Thrust)
    }

    /// True if it compares two snapshots.
    pub fn needs_two(self) -> bool {
        matches!(self, What::Strain | What::Displacements | What::ShearBand | What::Joints)
    }
}

/// Choices for all measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    /// Where to measure.
    pub region: Where,
    /// How force distributions are taken.
    pub forces: ForceOptions,
    /// What particle pressures are divided by, in pascals; none for their mean magnitude.
    pub pressure_scale: Option<f64>,
    /// The axis across which profiles are layered; none for that of gravity, or the last.
    pub profile_axis: Option<usize>,
    /// In 3D the axis of symmetry of the fabric; none to find it.
    pub fabric_axis: Option<[f64; 3]>,
}

impl Default for Choices {
    fn default() -> Self {
        Choices {
            region: Where::Whole,
            forces: ForceOptions::default(),
            pressure_scale: None,
            profile_axis: None,
            fabric_axis: None,
        }
    }
}

/// Where to measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Where {
    /// Everywhere; solid fraction and stress in the packed region.
    Whole,
    /// In the packed region, at least this many mean diameters away from its sides.
    Inner(f64),
    /// In a box.
    Box(Region),
}

impl Where {
    /// The region in a packing; none for everywhere.
    pub fn region(&self, packing: &Packing) -> Result<Option<Region>, Unavailable> {
        let region = match *self {
            Where::Whole => return Ok(None),
            Where::Inner(distance) => packed_region(packing)?.inset(2.0 * distance * packing.mean_radius(), packing),
            // An end that was left open is that of the packed region.
            Where::Box(mut region) => {
                let is_open = |axis: usize| region.low[axis].is_infinite() || region.high[axis].is_infinite();
                if (0..packing.dimension).any(is_open) {
                    let packed = packed_region(packing)?;
                    for axis in 0..packing.dimension {
                        if region.low[axis].is_infinite() {
                            region.low[axis] = packed.low[axis];
                        }
                        if region.high[axis].is_infinite() {
                            region.high[axis] = packed.high[axis];
                        }
                    }
                }
                for axis in packing.dimension..3 {
                    (region.low[axis], region.high[axis]) = (0.0, 0.0);
                }
                region
            }
        };
        crate::grains_inside(packing, &region)?;
        Ok(Some(region))
    }
}

/// What a measurement gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Its numbers; those that could not be had say why.
    pub values: Vec<Value>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Its plots, by name.
    pub plots: Vec<(String, Drawing)>,
}

/// A number with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Its name.
    pub name: &'static str,
    /// Its unit; empty for a pure number.
    pub unit: &'static str,
    /// The number, or why there is none.
    pub number: Result<Number, Unavailable>,
}

/// Values that count something, or say by 1 or 0 whether something is so.
const COUNTS: [&str; 23] = [
    "normal_forces",
    "positive_clusters",
    "largest_positive_cluster",
    "positive_percolates_x",
    "positive_percolates_y",
    "negative_clusters",
    "largest_negative_cluster",
    "negative_percolates_x",
    "negative_percolates_y",
    "rattlers",
    "contacts_between_grains",
    "contacts_with_walls",
    "kinds",
    "samples",
    "joints",
    "joints_without_force",
    "loaded_joints",
    "unknown_forces",
    "equations_of_balance",
    "rank",
    "indeterminacy",
    "frictionless_rank",
    "frictionless_indeterminacy",
];

impl Value {
    /// True for a whole number.
    pub fn is_count(&self) -> bool {
        COUNTS.contains(&self.name)
    }
}

/// A number, with what is known about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// The number.
    pub value: f64,
    /// Its standard error.
    pub uncertainty: Option<f64>,
    /// For a fit, where its points lie.
    pub range: Option<[f64; 2]>,
    /// For a fit, how many points it has.
    pub points: Option<usize>,
}

/// Rows of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Names of columns, with their units.
    pub columns: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<Vec<f64>>,
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Number { value, uncertainty: None, range: None, points: None }
    }
}

impl From<[f64; 2]> for Number {
    fn from([value, uncertainty]: [f64; 2]) -> Self {
        Number { value, uncertainty: Some(uncertainty), range: None, points: None }
    }
}

impl From<Fit> for Number {
    fn from(fit: Fit) -> Self {
        let Fit { value, uncertainty, range, points } = fit;
        Number { value, uncertainty: Some(uncertainty), range: Some(range), points: Some(points) }
    }
}

/// Makes a measurement. Those that compare need an earlier packing.
pub fn measure(
    what: What,
    packing: &Packing,
    earlier: Option<&Packing>,
    choices: &Choices,
) -> Result<Measured, Unavailable> {
    if packing.grains.is_empty() {
        return Err(Unavailable::NoGrains);
    }
    let region = choices.region.region(packing)?;
    let region = region.as_ref();
    let before = || earlier.ok_or(Unavailable::NeedsTwo);
    match what {
        What::Forces => of_forces::forces(packing, region, choices),
        What::Networks => of_forces::networks(packing, region),
        What::Stress => of_forces::stress(packing, region),
        What::Pressures => of_forces::pressures(packing, region, choices),
        What::Coordination => of_structure::coordination(packing, region),
        What::SolidFraction => of_structure::solid_fraction(packing, region),
        What::Fabric => of_structure::fabric(packing, region, choices),
        What::Profile => of_structure::profile(packing, region, choices),
        What::Radial => of_structure::radial(packing, region),
        What::Mixing => of_structure::mixing(packing, region),
        What::Repose => of_structure::repose(packing, region),
        What::Strain => of_motion::strain(packing, before()?, region),
        What::Displacements => of_motion::displacements(packing, before()?),
        What::ShearBand => of_motion::shear_band(packing, before()?),
        What::Indeterminacy => of_structure::indeterminacy(packing),
        What::Joints => of_joints::joints(packing, before()?),
        What::Thrust => of_joints::thrust(packing, earlier.unwrap_or(packing)),
    }
}

/// Values of these names and units, in order.
fn values<const N: usize>(
    names: &[&'static str],
    numbers: [(&'static str, Result<Number, Unavailable>); N],
) -> Vec<Value> {
    debug_assert_eq!(names.len(), N);
    names.iter().zip(numbers).map(|(&name, (unit, number))| Value { name, unit, number }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{cubic_lattice, periodic_square_lattice, square_lattice};
    use riprap_engine::{D2, Dim, Vector};

    #[test]
    fn every_measurement_can_be_made_by_name_and_its_numbers_have_names_of_their_own() {
        let mut world = periodic_square_lattice(8, [1.0, 2.0]);
        let earlier = Packing::of(&world);
        for (k, position) in world.state.position.iter_mut().enumerate() {
            let k = k as f64;
            *position += <D2 as Dim>::Vector::from_array3([0.01 * k.sin(), 0.01 * (2.0 * k).cos(), 0.0]);
        }
        let flat = Packing::of(&world);
        let mut cubic = cubic_lattice([5, 5, 5]);
        cubic.state.cell.period = Vector::from_array3([5.0; 3]);
        for k in 0..124 {
            crate::examples::touch3(&mut cubic, k, k + 1, [1.0, 0.0, 0.0], [1.0, 0.1, 0.0]);
        }
        let space = Packing::of(&cubic);
        for (now, before) in [(&flat, &earlier), (&space, &space)] {
            for what in What::ALL {
                assert_eq!(What::from_word(what.word()), Some(what));
                match measure(what, now, Some(before), &Choices::default()) {
                    Ok(measured) => {
                        let mut names: Vec<&str> = measured.values.iter().map(|value| value.name).collect();
                        names.sort_unstable();
                        names.dedup();
                        assert_eq!(names.len(), measured.values.len(), "{what:?}");
                        assert!(!names.is_empty());
                        for table in &measured.tables {
                            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{what:?}");
                        }
                    }
                    // Nothing has sheared in space, a lattice has no inner grains far from its sides, no slope, one kind, no
                    // faces.
                    Err(error) => {
                        let has_none = matches!(what, What::Mixing | What::Repose | What::Joints | What::Thrust);
                        assert!(has_none || now.dimension == 3 && what.needs_two(), "{what:?}: {error}");
                    }
                }
            }
        }
        assert_eq!(measure(What::Strain, &flat, None, &Choices::default()), Err(Unavailable::NeedsTwo));
    }

    #[test]
    fn a_region_may_be_inside_a_box_or_half_open() {
        let packing = Packing::of(&square_lattice(8));
        assert_eq!(Where::Whole.region(&packing), Ok(None));
        let half =
            Where::Box(Region::new([f64::NEG_INFINITY, 1.0, f64::NEG_INFINITY], [f64::INFINITY, 3.0, f64::INFINITY]));
        let region = half.region(&packing).unwrap().unwrap();
        assert_eq!((region.low[1], region.high[1]), (1.0, 3.0));
        assert!(region.low[0].is_finite() && region.contains([4.0, 2.0, 0.0]));
        let far = Where::Box(Region::new([50.0; 3], [60.0; 3]));
        assert!(matches!(far.region(&packing), Err(Unavailable::EmptyRegion { .. })));
    }
}
