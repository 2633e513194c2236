//! One number for a whole state, to compare runs by.

use crate::codec::{Encoder, Record, RecordDim};
use riprap_engine::{AnyWorld, World, for_any_world};
use std::io;

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
