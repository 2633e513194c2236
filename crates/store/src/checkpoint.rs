//! Checkpoints: the exact state that a run goes on from.
//!
//! A file is the magic word, the version, the payload, the payload's length and the xxh3 hash of everything before it.
//! Files are numbered, and the newest two are kept: a new one is safe on disk before an old one is removed, so that at
//! every moment the newest whole generation is the last good state.

use crate::codec::{Decoder, Encoder, Record};
use crate::disk;
use crate::{StoreError, write_atomically};
use riprap_engine::{AnyWorld, D2, D3, Dim, GrainTable, State, World};
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// Everything that a run needs to go on, apart from its scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The hash of the scene, as the program that runs it takes it, to see whether it was changed.
    pub scene: u64,
    /// The state of the world.
    pub state: AnyState,
    /// The grains that the world is built from again: those of the scene's sample, then those that were added since.
    pub grains: GrainTable,
    /// The ids of the grains that were added since, the last rows of `grains`; in increasing order.
    pub added: Vec<u32>,
    /// The walls that were added since: their description, and the id of the first.
    pub walls: Vec<(String, u32)>,
    /// Grains that have left the world and wait to be put back, in the order that the program that runs it chooses.
    pub waiting: Vec<GrainTable>,
    /// The stage that the run is in, counted from 0.
    pub stage: u64,
    /// How far the run is in its stage and its outputs, in the order that the program that runs it chooses.
    pub progress: Vec<f64>,
    /// Sums over the run, by name.
    pub counters: Vec<(String, f64)>,
}

/// The state of a world of either dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyState {
    /// Of disks.
    D2(State<D2>),
    /// Of spheres.
    D3(State<D3>),
}

impl AnyState {
    /// A copy of the state of `world`.
    pub fn of(world: &AnyWorld) -> Self {
        match world {
            AnyWorld::D2(world) => AnyState::D2(world.state.clone()),
            AnyWorld::D3(world) => AnyState::D3(world.state.clone()),
        }
    }

    /// Moves the state out of `world`, to write it without a copy; [`AnyState::put_into`] gives it back.
    pub fn take_from(world: &mut AnyWorld) -> Self {
        match world {
            AnyWorld::D2(world) => AnyState::D2(world.take_state()),
            AnyWorld::D3(world) => AnyState::D3(world.take_state()),
        }
    }

    /// Makes this the state of `world`, which must have the same dimension and all bodies of the state (see
    /// [`riprap_engine::World::restore`]).
    pub fn put_into(self, world: &mut AnyWorld) -> Result<(), StoreError> {
        let (state, bodies) = (self.describe(), world_size(world));
        let dimension = world.dimension();
        let done = match (self, world) {
            (AnyState::D2(own), AnyWorld::D2(world)) => fits(&own, world) && world.restore(own).is_ok(),
            (AnyState::D3(own), AnyWorld::D3(world)) => fits(&own, world) && world.restore(own).is_ok(),
            _ => false,
        };
        if done {
            Ok(())
        } else {
            Err(StoreError::OtherWorld { state, world: format!("{bodies} bodies in {dimension}D") })
        }
    }

    /// Steps done.
    pub fn step(&self) -> u64 {
        match self {
            AnyState::D2(state) => state.step,
            AnyState::D3(state) => state.step,
        }
    }

    /// Time.
    pub fn time(&self) -> f64 {
        match self {
            AnyState::D2(state) => state.time,
            AnyState::D3(state) => state.time,
        }
    }

    fn describe(&self) -> String {
        match self {
            AnyState::D2(state) => format!("{} bodies in 2D", state.position.len()),
            AnyState::D3(state) => format!("{} bodies in 3D", state.position.len()),
        }
    }
}

/// False if a world has bodies that there have never been where the state is from.
fn fits<D: Dim>(state: &State<D>, world: &World<D>) -> bool {
    world.state.next_id <= state.next_id
}

fn world_size(world: &AnyWorld) -> usize {
    riprap_engine::for_any_world!(world, world => world.bodies.len())
}

const MAGIC: [u8; 8] = *b"riprapCP";
const CHECKPOINT_VERSION: u32 = 10;
/// Magic word and version in front, length and hash behind the payload.
const FRONT: u64 = 12;
const BEHIND: u64 = 16;

/// Writes a new generation into `folder` and removes all but the newest two; returns the new file.
pub fn write_checkpoint(folder: &Path, checkpoint: &Checkpoint) -> Result<PathBuf, StoreError> {
    disk::create_dir_all(folder).map_err(|source| StoreError::Write {
        path: folder.into(),
        action: "making the folder",
        source,
    })?;
    let before = generations(folder)?;
    let number = before.first().map_or(1, |&(newest, _)| newest + 1);
    let path = folder.join(format!("checkpoint.{number:06}.riprap"));
    write_atomically(&path, |out| write_to(out, checkpoint))?;
    for (_, old) in &before[before.len().min(1)..] {
        disk::remove_file(old).map_err(|source| StoreError::Write {
            path: old.clone(),
            action: "removing an old generation",
            source,
        })?;
    }
    Ok(path)
}

/// Reads the newest generation in `folder` that is whole. The strings say which newer ones were damaged, and how.
pub fn read_checkpoint(folder: &Path) -> Result<(Checkpoint, Vec<String>), StoreError> {
    let mut reasons = Vec::new();
    for (_, path) in generations(folder)? {
        match read_checkpoint_file(&path) {
            Ok(checkpoint) => return Ok((checkpoint, reasons)),
            Err(error) => reasons.push(error.to_string()),
        }
    }
    Err(StoreError::NoCheckpoint { folder: folder.into(), reasons })
}

/// Reads one checkpoint by its file.
pub fn read_checkpoint_file(path: &Path) -> Result<Checkpoint, StoreError> {
    let mut file = File::open(path).map_err(StoreError::read(path))?;
    let size = file.metadata().map_err(StoreError::read(path))?.len();
    check(&mut file, size).map_err(|reason| match reason {
        Fault::Damaged(reason) => StoreError::damaged(path, reason),
        Fault::System(source) => StoreError::Read { path: path.into(), source },
    })?;
    let payload = size - FRONT - BEHIND;
    file.seek(SeekFrom::Start(FRONT)).map_err(StoreError::read(path))?;
    let mut buffered = BufReader::with_capacity(1 << 16, file);
    let mut decoder = Decoder::new(&mut buffered, payload);
    let checkpoint = Checkpoint::decode(&mut decoder)
        .map_err(|error| StoreError::damaged(path, format!("its checksum is correct, but it {error}")))?;
    if !decoder.is_at_end() {
        return Err(StoreError::damaged(path, "the checksum is correct, but the file contains more than a checkpoint"));
    }
    Ok(checkpoint)
}

/// The checkpoints of `folder`, newest first.
fn generations(folder: &Path) -> Result<Vec<(u64, PathBuf)>, StoreError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(StoreError::read(folder))? {
        let path = entry.map_err(StoreError::read(folder))?.path();
        let number = path
            .file_name()
            .and_then(|name| name.to_str())
            .and_then(|name| name.strip_prefix("checkpoint.")?.strip_suffix(".riprap")?.parse().ok());
        if let Some(number) = number {
            found.push((number, path));
        }
    }
    found.sort_by(|a, b| b.cmp(a));
    Ok(found)
}

fn write_to(out: &mut dyn Write, checkpoint: &Checkpoint) -> io::Result<()> {
    let mut encoder = Encoder::new(out);
    MAGIC.encode(&mut encoder)?;
    CHECKPOINT_VERSION.encode(&mut encoder)?;
    checkpoint.encode(&mut encoder)?;
    let (length, hash) = encoder.finish()?;
    out.write_all(&(length - FRONT).to_le_bytes())?;
    out.write_all(&hash.to_le_bytes())
}

enum Fault {
    Damaged(String),
    System(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Fault::System(error)
    }
}

/// Makes sure that the file is a whole checkpoint of this version before anything in it is believed.
fn check(file: &mut File, size: u64) -> Result<(), Fault> {
    let damaged = |reason: &str| Err(Fault::Damaged(reason.into()));
    let mut front = [0; FRONT as usize];
    if size < FRONT + BEHIND {
        return damaged("is too short for a checkpoint: it was cut off");
    }
    file.read_exact(&mut front)?;
    if front[..8] != MAGIC {
        return damaged("is not a checkpoint of riprap: its first bytes are wrong");
    }
    let version = u32::from_le_bytes([front[8], front[9], front[10], front[11]]);
    // What a checkpoint holds is exact, so that one of another version cannot be read as if it were of this one.
    if version != CHECKPOINT_VERSION {
        return Err(Fault::Damaged(format!(
            "is a checkpoint of version {version} (or damaged there); this program reads version {CHECKPOINT_VERSION}"
        )));
    }
    let mut hash = Xxh3::new();
    hash.update(&front);
    let mut buffer = vec![0; 1 << 16];
    let mut payload = Read::by_ref(file).take(size - FRONT - BEHIND);
    loop {
        match payload.read(&mut buffer)? {
            0 => break,
            count => hash.update(&buffer[..count]),
        }
    }
    let mut behind = [[0; 8]; 2];
    file.read_exact(behind.as_flattened_mut())?;
    if u64::from_le_bytes(behind[0]) != size - FRONT - BEHIND {
        return damaged("does not have the stated length: it was cut off or is damaged");
    }
    if u64::from_le_bytes(behind[1]) != hash.digest() {
        return damaged("is damaged: its checksum is wrong");
    }
    Ok(())
}

impl Record for AnyState {
    const LEAST_BYTES: u64 = 1 + State::<D2>::LEAST_BYTES;
    fn encode(&self, out: &mut Encoder) -> io::Result<()> {
        match self {
            AnyState::D2(state) => 2_u8.encode(out).and_then(|()| state.encode(out)),
            AnyState::D3(state) => 3_u8.encode(out).and_then(|()| state.encode(out)),
        }
    }
    fn decode(input: &mut Decoder) -> io::Result<Self> {
        match u8::decode(input)? {
            2 => State::decode(input).map(AnyState::D2),
            3 => State::decode(input).map(AnyState::D3),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, "the dimension is neither 2 nor 3")),
        }
    }
}

impl Record for Checkpoint {
    const LEAST_BYTES: u64 = AnyState::LEAST_BYTES + GrainTable::LEAST_BYTES + 40;
    fn encode(&self, out: &mut Encoder) -> io::Result<()> {
        let Checkpoint { scene, state, grains, added, walls, waiting, stage, progress, counters } = self;
        scene.encode(out)?;
        state.encode(out)?;
        grains.encode(out)?;
        added.encode(out)?;
        walls.encode(out)?;
        waiting.encode(out)?;
        stage.encode(out)?;
        progress.encode(out)?;
        counters.encode(out)
    }
    fn decode(input: &mut Decoder) -> io::Result<Self> {
        Ok(Checkpoint {
            scene: Record::decode(input)?,
            state: Record::decode(input)?,
            grains: Record::decode(input)?,
            added: Record::decode(input)?,
            walls: Record::decode(input)?,
            waiting: Record::decode(input)?,
            stage: Record::decode(input)?,
            progress: Record::decode(input)?,
            counters: Record::decode(input)?,
        })
    }
}
