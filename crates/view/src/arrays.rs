//! The arrays by which grains can be coloured: one number per grain of a snapshot.

use glam::DVec3;
use riprap_measure::{Packing, particle_pressures, solid_fraction};
use riprap_run::packing_of;
use riprap_store::Snapshot;

/// An array: its name in addresses, what it is called on the page, and its unit.
#[derive(Debug)]
pub struct Array {
    /// The word in addresses.
    pub name: &'static str,
    /// What people call it.
    pub label: &'static str,
    /// Its unit; empty for plain numbers.
    pub unit: &'static str,
    /// The scale that suits it.
    pub scale: Scale,
    values: fn(&Frames) -> Result<Vec<f64>, String>,
}

/// What kind of numbers an array holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From small to large.
    Rising,
    /// About zero.
    Signed,
    /// Numbers that only tell things apart.
    Named,
}

impl Scale {
    /// The word by which the page knows it.
    pub fn word(self) -> &'static str {
        match self {
            Scale::Rising => "rising",
            Scale::Signed => "signed",
            Scale::Named => "named",
        }
    }
}

/// The snapshot that is shown, and an earlier one for displacements.
pub struct Frames<'a> {
    /// The one that is shown.
    pub now: &'a Snapshot,
    /// The earlier one.
    pub since: &'a Snapshot,
}

impl Array {
    /// All arrays, the one to begin with first.
    pub const ALL: &'static [Array] = &[
        Array::rising("speed", "speed", "m/s", |frames| Ok(lengths(&frames.now.grains.velocity))),
        Array {
            name: "pressure",
            label: "particle pressure",
            unit: "Pa",
            scale: Scale::Signed,
            values: |frames| pressures(frames.now),
        },
        Array::rising("coordination", "contacts", "", |frames| Ok(bearing_contacts(frames.now))),
        Array::rising("displacement", "displacement", "m", displacements),
        Array::rising("spin", "angular speed", "rad/s", |frames| Ok(lengths(&frames.now.grains.spin))),
        Array::rising("radius", "radius", "m", |frames| Ok(frames.now.grains.radius.clone())),
        Array::rising("mass", "mass", "kg", |frames| Ok(frames.now.grains.mass.clone())),
        Array::signed("velocity-x", "velocity along x", "m/s", |frames| Ok(components(&frames.now.grains.velocity, 0))),
        Array::signed("velocity-y", "velocity along y", "m/s", |frames| Ok(components(&frames.now.grains.velocity, 1))),
        Array::signed("velocity-z", "velocity along z", "m/s", |frames| Ok(components(&frames.now.grains.velocity, 2))),
        Array::named("material", "material", |frames| Ok(wide(&frames.now.grains.material))),
        Array::named("group", "group", |frames| Ok(wide(&frames.now.grains.group))),
        Array::named("id", "id", |frames| Ok(frames.now.grains.id.iter().map(|&id| f64::from(id)).collect())),
    ];

    const fn rising(
        name: &'static str,
        label: &'static str,
        unit: &'static str,
        values: fn(&Frames) -> Result<Vec<f64>, String>,
    ) -> Array {
        Array { name, label, unit, scale: Scale::Rising, values }
    }

    const fn signed(
        name: &'static str,
        label: &'static str,
        unit: &'static str,
        values: fn(&Frames) -> Result<Vec<f64>, String>,
    ) -> Array {
        Array { name, label, unit, scale: Scale::Signed, values }
    }

    const fn named(name: &'static str, label: &'static str, values: fn(&Frames) -> Result<Vec<f64>, String>) -> Array {
        Array { name, label, unit: "", scale: Scale::Named, values }
    }

    /// The array of this name.
    pub fn find(name: &str) -> Option<&'static Array> {
        Array::ALL.iter().find(|array| array.name == name)
    }

    /// Its numbers, one per grain; or why there are none.
    pub fn values(&self, frames: &Frames) -> Result<Vec<f64>, String> {
        (self.values)(frames)
    }
}

fn lengths(vectors: &[[f64; 3]]) -> Vec<f64> {
    vectors.iter().map(|&vector| DVec3::from_array(vector).length()).collect()
}

fn components(vectors: &[[f64; 3]], axis: usize) -> Vec<f64> {
    vectors.iter().map(|vector| vector[axis]).collect()
}

fn wide(numbers: &[u16]) -> Vec<f64> {
    numbers.iter().map(|&number| f64::from(number)).collect()
}

fn pressures(snapshot: &Snapshot) -> Result<Vec<f64>, String> {
    if snapshot.contacts.is_empty() {
        return Err("this snapshot has no contacts".into());
    }
    let packing: Packing = packing_of(snapshot, true)?;
    let fraction = solid_fraction(&packing, None).map_err(|why| why.to_string())?;
    particle_pressures(&packing, fraction).map_err(|why| why.to_string())
}

/// How many contacts of each grain carry a force.
fn bearing_contacts(snapshot: &Snapshot) -> Vec<f64> {
    let mut count = vec![0.0; snapshot.grains.len()];
    let contacts = &snapshot.contacts;
    for k in (0..contacts.len()).filter(|&k| contacts.force[k] != [0.0; 3]) {
        for id in [contacts.body1[k], contacts.body2[k]] {
            if let Ok(row) = snapshot.grains.id.binary_search(&id) {
                count[row] += 1.0;
            }
        }
    }
    count
}

/// How far each grain has gone, across periods too; grains that were not there yet have gone nowhere.
fn displacements(frames: &Frames) -> Result<Vec<f64>, String> {
    let (now, since) = (frames.now, frames.since);
    let place = |snapshot: &Snapshot, row: usize| {
        let image = snapshot.grains.image.get(row).copied().unwrap_or_default();
        let periods = DVec3::from_array(snapshot.cell.period) * DVec3::from_array(image.map(f64::from));
        DVec3::from_array(snapshot.grains.position[row]) + periods
    };
    let path = |row: usize, id: &u32| match since.grains.id.binary_search(id) {
        Ok(earlier) => (place(now, row) - place(since, earlier)).length(),
        Err(_) => 0.0,
    };
    Ok(now.grains.id.iter().enumerate().map(|(row, id)| path(row, id)).collect())
}
