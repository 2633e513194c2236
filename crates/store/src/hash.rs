//! One number for a whole state, to compare runs by, and for a snapshot, to find damage by.

use crate::codec::{Encoder, Record, RecordDim};
use crate::{ContactColumns, CrackColumns, GrainColumns, Snapshot, Wall};
use riprap_engine::{AnyWorld, World, for_any_world};
use std::io;
use xxhash_rust::xxh3::xxh3_64;

/// The xxh3 hash of some bytes.
pub fn hash_of_bytes(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// The xxh3 hash, as 16 hexadecimal digits, of every bit of step, time, positions, orientations, velocities, spins and
/// of the contacts' bodies and impulses. Two runs with the same hash are in the same state; it depends neither on the
/// number of threads nor on the machine's byte order.
pub fn state_hash(world: &AnyWorld) -> String {
    let mut nowhere = io::sink();
    let mut out = Encoder::new(&mut nowhere);
    let hash = for_any_world!(world, world => encode_moving(world, &mut out)).and_then(|()| out.finish());
    // Nothing is written anywhere, so nothing can fail.
    format!("{:016x}", hash.map_or(0, |(_, hash)| hash))
}

/// The xxh3 hash, as 16 hexadecimal digits, of every number and name of a snapshot, in the order of its columns.
pub fn snapshot_hash(snapshot: &Snapshot) -> String {
    let mut nowhere = io::sink();
    let mut out = Encoder::new(&mut nowhere);
    let hash = encode_snapshot(snapshot, &mut out).and_then(|()| out.finish());
    format!("{:016x}", hash.map_or(0, |(_, hash)| hash))
}

fn encode_snapshot(snapshot: &Snapshot, out: &mut Encoder) -> io::Result<()> {
    let Snapshot { dimension, time, step, time_step, gravity, cell, materials, groups, .. } = snapshot;
    let Snapshot { grains, walls, contacts, cracks, membranes, forms, faces, .. } = snapshot;
    (*dimension as u64).encode(out)?;
    time.encode(out)?;
    step.encode(out)?;
    time_step.encode(out)?;
    [*gravity, cell.origin, cell.period].encode(out)?;
    // Files of before cells had a tilt and walls faces keep their checksums.
    if cell.tilt != 0.0 {
        cell.tilt.encode(out)?;
    }
    if !faces.is_empty() {
        faces.wall.encode(out)?;
        faces.face.encode(out)?;
        faces.numbers().into_iter().try_for_each(|(_, column)| column.encode(out))?;
    }
    materials.encode(out)?;
    groups.encode(out)?;
    let GrainColumns { id, position, image, orientation, velocity, spin, radius, mass, material, group, form } = grains;
    id.encode(out)?;
    position.encode(out)?;
    image.encode(out)?;
    orientation.encode(out)?;
    velocity.encode(out)?;
    spin.encode(out)?;
    radius.encode(out)?;
    mass.encode(out)?;
    material.encode(out)?;
    group.encode(out)?;
    form.encode(out)?;
    for Wall { id, name, shape, material, position, orientation, velocity, spin } in walls {
        let (word, radius, directions) = shape.parts();
        id.encode(out)?;
        name.encode(out)?;
        word.to_string().encode(out)?;
        radius.encode(out)?;
        directions.encode(out)?;
        shape.form().encode(out)?;
        material.encode(out)?;
        [*position, *velocity, *spin].encode(out)?;
        orientation.encode(out)?;
    }
    let ContactColumns {
        body1,
        body2,
        point,
        normal,
        gap,
        impulse,
        force,
        torque,
        attraction,
        status,
        friction,
        bonded,
    } = contacts;
    body1.encode(out)?;
    body2.encode(out)?;
    point.encode(out)?;
    normal.encode(out)?;
    gap.encode(out)?;
    impulse.encode(out)?;
    force.encode(out)?;
    torque.encode(out)?;
    attraction.encode(out)?;
    status.encode(out)?;
    // Files of earlier versions, which lack these, keep their checksums.
    if !friction.is_empty() || !bonded.is_empty() || !membranes.is_empty() {
        friction.encode(out)?;
        bonded.iter().map(|&bonded| u8::from(bonded)).collect::<Vec<_>>().encode(out)?;
        for chain in membranes {
            chain.encode(out)?;
        }
    }
    if !cracks.is_empty() {
        let CrackColumns { body1, body2, time, mode, point, normal, area } = cracks;
        body1.encode(out)?;
        body2.encode(out)?;
        time.encode(out)?;
        mode.encode(out)?;
        point.encode(out)?;
        normal.encode(out)?;
        area.encode(out)?;
    }
    forms.encode(out)
}

fn encode_moving<D: RecordDim>(world: &World<D>, out: &mut Encoder) -> io::Result<()> {
    let state = &world.state;
    state.step.encode(out)?;
    state.time.encode(out)?;
    state.position.encode(out)?;
    state.orientation.encode(out)?;
    state.velocity.encode(out)?;
    state.spin.encode(out)?;
    for contact in &state.contacts {
        contact.bodies.encode(out)?;
        contact.impulse.encode(out)?;
    }
    Ok(())
}
