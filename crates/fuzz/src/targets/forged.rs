//! Files whose checksum is right and whose content is not: what somebody who means harm can write.

use super::files::{scratch, show};
use super::{Target, Verdict};
use crate::dice::Dice;
use crate::mutate::mutated;
use crate::worlds;
use riprap_engine::AnyWorld;
use riprap_store::{
    AnyState, Checkpoint, Format, Snapshot, hash_of_bytes, read_checkpoint_file, write_checkpoint, write_snapshot,
};
use std::fs;
use tempfile::TempDir;

/// The bytes in front of the payload of a checkpoint, and behind it: its length and the hash.
const FRONT: usize = 12;
const BEHIND: usize = 16;

struct Checkpoints {
    folder: TempDir,
    worlds: Vec<AnyWorld>,
    /// The payloads.
    corpus: Vec<Vec<u8>>,
}

pub fn checkpoint() -> Box<dyn Target> {
    let (folder, worlds) = (scratch(), worlds::all());
    let payload = |world: &AnyWorld| {
        let grains = Snapshot::of(world).grain_table();
        let checkpoint = Checkpoint {
            scene: 1,
            state: AnyState::of(world),
            added: vec![2],
            walls: vec![("[[walls]]".into(), 3)],
            waiting: vec![grains.clone()],
            grains,
            stage: 0,
            progress: vec![0.5, 1.0],
            counters: vec![("sweeps".into(), 10.0)],
        };
        let path = write_checkpoint(folder.path(), &checkpoint).expect("it can be written");
        let bytes = fs::read(path).expect("it was written");
        bytes[..bytes.len() - BEHIND].to_vec()
    };
    let corpus = worlds.iter().map(payload).collect();
    Box::new(Checkpoints { folder, worlds, corpus })
}

impl Target for Checkpoints {
    fn input(&self, dice: &mut Dice) -> Vec<u8> {
        let mut bytes = mutated(&self.corpus, &[], dice);
        let (length, hash) = (bytes.len().saturating_sub(FRONT) as u64, hash_of_bytes(&bytes));
        bytes.extend(length.to_le_bytes());
        bytes.extend(hash.to_le_bytes());
        bytes
    }

    fn judge(&mut self, input: &[u8]) -> Result<Verdict, String> {
        let path = self.folder.path().join("input.riprap");
        fs::write(&path, input).map_err(|error| error.to_string())?;
        let Ok(checkpoint) = read_checkpoint_file(&path) else { return Ok(Verdict::Refused) };
        let fitting =
            |world: &&AnyWorld| world.dimension() == if matches!(checkpoint.state, AnyState::D2(_)) { 2 } else { 3 };
        for world in self.worlds.iter().filter(fitting) {
            let _ = checkpoint.state.clone().put_into(&mut world.clone());
        }
        Ok(Verdict::Accepted)
    }
}

struct Snapshots {
    folder: TempDir,
    good: Vec<Snapshot>,
}

pub fn snapshot() -> Box<dyn Target> {
    Box::new(Snapshots { folder: scratch(), good: worlds::all().iter().map(Snapshot::of).collect() })
}

/// Numbers that a column should not hold, or seldom.
const WRONG_NUMBERS: [f64; 12] =
    [0.0, -1.0, 1e-320, 1e-30, 1e15, 1e30, 1e150, 1e308, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.1];
const INDICES: [u32; 6] = [0, 1, 7, 1000, u32::MAX / 2, u32::MAX];

impl Target for Snapshots {
    /// The bytes of the file: the snapshot is changed before it is written.
    fn input(&self, dice: &mut Dice) -> Vec<u8> {
        let mut snapshot = dice.pick(&self.good).clone();
        for _ in 0..1 + dice.below(3) {
            spoil(&mut snapshot, dice);
        }
        // What cannot even be written is no input.
        write_snapshot(&snapshot, Format::Hdf5, &self.folder.path().join("made"))
            .ok()
            .and_then(|paths| fs::read(&paths[0]).ok())
            .unwrap_or_default()
    }

    fn judge(&mut self, input: &[u8]) -> Result<Verdict, String> {
        let path = self.folder.path().join("input.h5");
        fs::write(&path, input).map_err(|error| error.to_string())?;
        show(&path)
    }
}

/// Puts a wrong number into one place of a snapshot, or several.
fn spoil(snapshot: &mut Snapshot, dice: &mut Dice) {
    let number = *dice.pick(&WRONG_NUMBERS);
    let index = *dice.pick(&INDICES);
    let axis = dice.below(3);
    let into_vector = |column: &mut Vec<[f64; 3]>, dice: &mut Dice| {
        if !column.is_empty() {
            let row = dice.below(column.len());
            column[row][axis] = number;
        }
    };
    let into_column = |column: &mut Vec<f64>, dice: &mut Dice| {
        if !column.is_empty() {
            let row = dice.below(column.len());
            column[row] = number;
        }
    };
    let into_index = |column: &mut Vec<u32>, dice: &mut Dice| {
        if !column.is_empty() {
            let row = dice.below(column.len());
            column[row] = index;
        }
    };
    let (grains, contacts) = (&mut snapshot.grains, &mut snapshot.contacts);
    match dice.below(24) {
        0 => into_vector(&mut grains.position, dice),
        1 => into_vector(&mut grains.velocity, dice),
        2 => into_vector(&mut grains.spin, dice),
        3 => into_column(&mut grains.radius, dice),
        4 => into_column(&mut grains.mass, dice),
        5 => into_index(&mut grains.id, dice),
        6 if !grains.material.is_empty() => grains.material[0] = index as u16,
        7 if !grains.group.is_empty() => grains.group[0] = index as u16,
        8 if !grains.form.is_empty() => grains.form[0] = Some(index),
        9 if !grains.image.is_empty() => grains.image[0][axis] = index as i32,
        10 if !grains.orientation.is_empty() => grains.orientation[0][axis] = number,
        11 => into_index(&mut contacts.body1, dice),
        12 => into_index(&mut contacts.body2, dice),
        13 => into_vector(&mut contacts.point, dice),
        14 => into_vector(&mut contacts.normal, dice),
        15 => into_vector(&mut contacts.force, dice),
        16 => into_vector(&mut contacts.impulse, dice),
        17 => into_column(&mut contacts.gap, dice),
        18 => snapshot.gravity[axis] = number,
        19 => snapshot.cell.period[axis] = number,
        20 => snapshot.cell.origin[axis] = number,
        21 => (snapshot.time, snapshot.time_step) = (number, -number),
        22 => snapshot.dimension = index as usize % 5,
        23 if !snapshot.walls.is_empty() => {
            let wall = dice.below(snapshot.walls.len());
            snapshot.walls[wall].position[axis] = number;
        }
        _ => {
            grains.radius.pop();
        }
    }
}
