//! The binary form of the engine's state: little endian, exact bits, one place for each type.
//!
//! A list is its length (u64) and its elements; a string is a list of UTF-8 bytes; a structure is its fields in the
//! order in which they are written here. The same bytes are what the state hash is taken of.

use glam::{DQuat, DVec2, DVec3};
use riprap_engine::{
    BodyId, Bond, BondLaw, Breaking, Bridge, Cell, Contact, ContactExtras, Crack, D2, D3, Dim, Energy, Exchange,
    FaceLoad, Form, FormPart, GrainTable, Inventory, Search, Share, State, Status, Surface, TableCell, WallWear,
};
use std::io::{self, Read, Write};
use xxhash_rust::xxh3::Xxh3;

/// Something with a binary form.
pub trait Record: Sized {
    /// The least number of bytes that a value takes: a list that claims more elements than there are bytes is
    /// recognised before memory is asked for.
    const LEAST_BYTES: u64;
    /// Appends the value.
    fn encode(&self, out: &mut Encoder) -> io::Result<()>;
    /// Reads a value back.
    fn decode(input: &mut Decoder) -> io::Result<Self>;
}

/// The dimensions whose state has a binary form; that is both.
pub trait RecordDim: Dim<Vector: Record, Spin: Record, Orientation: Record> {}
impl RecordDim for D2 {}
impl RecordDim for D3 {}

/// Collects bytes, hashes them and passes them on.
pub struct Encoder<'a> {
    sink: &'a mut dyn Write,
    buffer: Vec<u8>,
    hash: Xxh3,
    length: u64,
}

const BUFFER: usize = 1 << 16;

impl<'a> Encoder<'a> {
    /// An encoder that writes to `sink`.
    pub fn new(sink: &'a mut dyn Write) -> Self {
        Encoder { sink, buffer: Vec::with_capacity(BUFFER), hash: Xxh3::new(), length: 0 }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.pass_on()?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn pass_on(&mut self) -> io::Result<()> {
        self.hash.update(&self.buffer);
        self.length += self.buffer.len() as u64;
        self.sink.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Passes on what is left; returns the number of bytes and their xxh3 hash.
    pub fn finish(mut self) -> io::Result<(u64, u64)> {
        self.pass_on()?;
        Ok((self.length, self.hash.digest()))
    }
}

/// Reads from a source of known length; never asks for memory beyond what the source can fill.
pub struct Decoder<'a> {
    source: &'a mut dyn Read,
    remaining: u64,
}

impl<'a> Decoder<'a> {
    /// A decoder of the next `length` bytes of `source`.
    pub fn new(source: &'a mut dyn Read, length: u64) -> Self {
        Decoder { source, remaining: length }
    }

    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.take_into(&mut bytes)?;
        Ok(bytes)
    }

    fn take_into(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.remaining = self
            .remaining
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| malformed("is truncated in the middle of a value"))?;
        self.source.read_exact(bytes)
    }

    fn take_length(&mut self, least_bytes: u64) -> io::Result<usize> {
        let length = u64::decode(self)?;
        if length.checked_mul(least_bytes).is_none_or(|bytes| bytes > self.remaining) {
            return Err(malformed("contains a list longer than the file"));
        }
        usize::try_from(length).map_err(|_| malformed("contains a list that does not fit into memory"))
    }

    /// True once everything was read.
    pub fn is_at_end(&self) -> bool {
        self.remaining == 0
    }
}

fn malformed(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

macro_rules! number {
    ($($number:ty),*) => {$(
        impl Record for $number {
            const LEAST_BYTES: u64 = size_of::<$number>() as u64;
            #[inline]
            fn encode(&self, out: &mut Encoder) -> io::Result<()> {
                out.put(&self.to_le_bytes())
            }
            #[inline]
            fn decode(input: &mut Decoder) -> io::Result<Self> {
                Ok(<$number>::from_le_bytes(input.take()?))
            }
        }
    )*};
}
number!(u8, u16, u32, u64, i16, i32, f64);

impl<T: Record> Record for Vec<T> {
    const LEAST_BYTES: u64 = 8;
    fn encode(&self, out: &mut Encoder) -> io::Result<()> {
        (self.len() as u64).encode(out)?;
        self.iter().try_for_each(|element| element.encode(out))
    }
    fn decode(input: &mut Decoder) -> io::Result<Self> {
        let length = input.take_length(T::LEAST_BYTES)?;
        let mut list = Vec::with_capacity(length);
        for _ in 0..length {
            list.push(T::decode(input)?);
        }
        Ok(list)
    }
}

impl<T: Record + Copy + Default, const N: usize> Record for [T; N] {
    const LEAST_BYTES: u64 = N as u64 * T::LEAST_BYTES;
    fn encode(&self, out: &mut Encoder) -> io::Result<()> {
        self.iter().try_for_each(|element| element.encode(out))
    }
    fn decode(input: &mut Decoder) -> io::Result<Self> {
        let mut array = [T::default(); N];
        for element in &mut array {
            *element = T::decode(input)?;
        }
        Ok(array)
    }
}

impl Record for String {
    const LEAST_BYTES: u64 = 8;
    fn encode(&self, out: &mut Encoder) -> io::Result<()> {
        (self.len() as u64).encode(out)?;
        out.put(self.as_bytes())
    }
    fn decode(input: &mut Decoder) -> io::Result<Self> {
        let mut bytes = vec![0; input.take_length(1)?];
        input.take_into(&mut bytes)?;
        String::from_utf8(bytes).map_err(|_| malformed("contains a name that is not valid UTF-8"))
    }
}

impl<T: Record> Record for (String, T) {
    const LEAST_BYTES: u64 = 8 + T::LEAST_BYTES;
    fn encode(&self, out: &mut Encoder) -> io::Result<()> {
        self.0.encode(out)?;
        self.1.encode(out)
    }
    fn decode(input: &mut Decoder) -> io::Result<Self> {
        Ok((String::decode(input)?, T::decode(input)?))
    }
}

/// A number that may be missing is one more than it is, and zero where it is missing.
impl Record for Option<u32> {
    const LEAST_BYTES: u64 = 8;
    fn encode(&self, out: &mut Encoder) -> io::Result<()> {
        self.map_or(0, |number| u64::from(number) + 1).encode(out)
    }
    fn decode(input: &mut Decoder) -> io::Result<Self> {
        let number = u64::decode(input)?.checked_sub(1);
        number
            .map(u32::try_from)
            .transpose()
            .map_err(|_| malformed("contains the number of a form that is out of range"))
    }
}

macro_rules! array_like {
    ($($vector:ty: $len:literal),*) => {$(
        impl Record for $vector {
            const LEAST_BYTES: u64 = 8 * $len;
            #[inline]
            fn encode(&self, out: &mut Encoder) -> io::Result<()> {
                self.to_array().encode(out)
            }
            #[inline]
            fn decode(input: &mut Decoder) -> io::Result<Self> {
                Ok(<$vector>::from_array(Record::decode(input)?))
            }
        }
    )*};
}
array_like!(DVec2: 2, DVec3: 3, DQuat: 4);

impl Record for bool {
    const LEAST_BYTES: u64 = 1;
    fn encode(&self, out: &mut Encoder) -> io::Result<()> {
        u8::from(*self).encode(out)
    }
    fn decode(input: &mut Decoder) -> io::Result<Self> {
        match u8::decode(input)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(malformed("contains an invalid Boolean")),
        }
    }
}

impl Record for BodyId {
    const LEAST_BYTES: u64 = u32::LEAST_BYTES;
    fn encode(&self, out: &mut Encoder) -> io::Result<()> {
        self.0.encode(out)
    }
    fn decode(input: &mut Decoder) -> io::Result<Self> {
        Ok(BodyId(u32::decode(input)?))
    }
}

impl Record for Status {
    const LEAST_BYTES: u64 = 1;
    fn encode(&self, out: &mut Encoder) -> io::Result<()> {
        status_code(*self).encode(out)
    }
    fn decode(input: &mut Decoder) -> io::Result<Self> {
        status_of_code(u8::decode(input)?).ok_or_else(|| malformed("contains a contact with unknown status"))
    }
}

/// The number that stands for a status in all files.
pub fn status_code(status: Status) -> u8 {
    match status {
        Status::Open => 0,
        Status::Stick => 1,
        Status::Slide => 2,
    }
}

/// The inverse of [`status_code`].
pub fn status_of_code(code: u8) -> Option<Status> {
    [Status::Open, Status::Stick, Status::Slide].into_iter().find(|&status| status_code(status) == code)
}

/// A structure is its fields, in the order that is written here.
macro_rules! structure {
    ([$($dim:tt)*] $type:ty { $($field:ident: $field_type:ty),* $(,)? }) => {
        impl $($dim)* Record for $type {
            const LEAST_BYTES: u64 = 0 $(+ <$field_type>::LEAST_BYTES)*;
            fn encode(&self, out: &mut Encoder) -> io::Result<()> {
                // Naming every field makes a new one in the engine a compile error here.
                let Self { $($field),* } = self;
                $($field.encode(out)?;)*
                Ok(())
            }
            fn decode(input: &mut Decoder) -> io::Result<Self> {
                Ok(Self { $($field: <$field_type>::decode(input)?),* })
            }
        }
    };
}

structure!([<D: RecordDim>] Contact<D> {
    bodies: [u32; 2],
    offset: [i16; 3],
    feature: u64,
    status: Status,
    normal: D::Vector,
    point: D::Vector,
    gap: f64,
    impulse: D::Vector,
    velocity: D::Vector,
    bonded: bool,
});

structure!([<D: RecordDim>] ContactExtras<D> {
    torque: D::Spin,
    spring: D::Vector,
    turn: D::Spin,
});

structure!([] Energy {
    kinetic: f64,
    potential: f64,
    elastic: f64,
    initial: f64,
    exchanged: f64,
    loads: f64,
    drivers: f64,
    friction: f64,
    impact: f64,
    rolling: f64,
    torsion: f64,
    cohesion: f64,
    bridges: f64,
    scheme: f64,
    created: f64,
});

structure!([<D: RecordDim>] State<D> {
    step: u64,
    time: f64,
    time_step: f64,
    contact_motion: f64,
    id: Vec<BodyId>,
    next_id: u32,
    added_at: Vec<f64>,
    position: Vec<D::Vector>,
    orientation: Vec<D::Orientation>,
    velocity: Vec<D::Vector>,
    spin: Vec<D::Spin>,
    contacts: Vec<Contact<D>>,
    extras: Vec<ContactExtras<D>>,
    bonds: Vec<Bond>,
    cracks: Vec<Crack<D>>,
    bridges: Vec<Bridge<D>>,
    share: Share,
    energy: Energy,
    exchange: Exchange<D>,
    wear: Vec<WallWear>,
    cell: Cell<D>,
    search: Search<D>,
});

structure!([] WallWear {
    wall: BodyId,
    faces: Vec<FaceLoad>,
});

structure!([] FaceLoad {
    normal_impulse: f64,
    sliding_work: f64,
    worn_volume: f64,
});

structure!([<D: RecordDim>] Exchange<D> {
    added: Inventory<D>,
    removed: Inventory<D>,
});

structure!([<D: RecordDim>] Inventory<D> {
    bodies: u64,
    mass: f64,
    momentum: D::Vector,
    angular_momentum: D::Spin,
    kinetic: f64,
    potential: f64,
});

structure!([<D: RecordDim>] Cell<D> {
    origin: D::Vector,
    period: D::Vector,
    tilt: f64,
    rate: D::Vector,
    shear: f64,
});

structure!([] BondLaw {
    tensile_strength: f64,
    shear_strength: f64,
    bending_strength: f64,
    twisting_strength: f64,
});

structure!([] Bond {
    bodies: [u32; 2],
    offset: [i16; 3],
    gap: f64,
    area: f64,
    law: BondLaw,
});

structure!([<D: RecordDim>] Crack<D> {
    bodies: [u32; 2],
    offset: [i16; 3],
    step: u64,
    time: f64,
    arm: D::Vector,
    normal: D::Vector,
    area: f64,
    mode: Breaking,
    normal_force: f64,
    shear_force: f64,
});

impl Record for Breaking {
    const LEAST_BYTES: u64 = 1;
    fn encode(&self, out: &mut Encoder) -> io::Result<()> {
        breaking_code(*self).encode(out)
    }
    fn decode(input: &mut Decoder) -> io::Result<Self> {
        breaking_of_code(u8::decode(input)?).ok_or_else(|| malformed("contains a crack of unknown mode"))
    }
}

/// The number that stands for the way in which a bond broke in all files.
pub fn breaking_code(mode: Breaking) -> u8 {
    Breaking::ALL.iter().position(|&other| other == mode).unwrap_or_default() as u8
}

/// The inverse of [`breaking_code`].
pub fn breaking_of_code(code: u8) -> Option<Breaking> {
    Breaking::ALL.get(usize::from(code)).copied()
}

structure!([<D: RecordDim>] Bridge<D> {
    bodies: [u32; 2],
    offset: [i16; 3],
    normal: D::Vector,
    point: D::Vector,
    gap: f64,
    volume: f64,
    force: f64,
});

structure!([] Share {
    scale: f64,
    last: f64,
});

structure!([<D: RecordDim>] Search<D> {
    time: f64,
    position: Vec<D::Vector>,
    orientation: Vec<D::Orientation>,
    reach: Vec<f64>,
    drift: D::Vector,
    range: f64,
    cell: Cell<D>,
});

structure!([] GrainTable {
    position: Vec<[f64; 3]>,
    radius: Vec<f64>,
    velocity: Vec<[f64; 3]>,
    spin: Vec<[f64; 3]>,
    orientation: Vec<[f64; 4]>,
    material: Vec<String>,
    group: Vec<String>,
    form: Vec<Option<u32>>,
    forms: Vec<Form>,
    surfaces: Vec<(String, Form)>,
    cell: TableCell,
});

structure!([] TableCell {
    origin: [f64; 3],
    period: [f64; 3],
    tilt: f64,
});

structure!([] Surface {
    vertices: Vec<[f64; 3]>,
    faces: Vec<Vec<u32>>,
});

/// A choice is the number of its arm, from 0 in the order that is written here, and what belongs to it.
impl Record for Form {
    const LEAST_BYTES: u64 = 17;
    fn encode(&self, out: &mut Encoder) -> io::Result<()> {
        match self {
            Form::Convex(surface) => {
                0_u8.encode(out)?;
                surface.encode(out)
            }
            Form::Cluster { parts, volume, inertia } => {
                1_u8.encode(out)?;
                parts.encode(out)?;
                volume.encode(out)?;
                inertia.encode(out)
            }
            Form::Mesh(surface) => {
                2_u8.encode(out)?;
                surface.encode(out)
            }
        }
    }
    fn decode(input: &mut Decoder) -> io::Result<Self> {
        Ok(match u8::decode(input)? {
            0 => Form::Convex(Surface::decode(input)?),
            1 => Form::Cluster {
                parts: Vec::decode(input)?,
                volume: f64::decode(input)?,
                inertia: Record::decode(input)?,
            },
            2 => Form::Mesh(Surface::decode(input)?),
            _ => return Err(malformed("contains a form of unknown kind")),
        })
    }
}

impl Record for FormPart {
    const LEAST_BYTES: u64 = 33;
    fn encode(&self, out: &mut Encoder) -> io::Result<()> {
        match self {
            FormPart::Ball { centre, radius } => {
                0_u8.encode(out)?;
                centre.encode(out)?;
                radius.encode(out)
            }
            FormPart::Convex { surface, position, orientation } => {
                1_u8.encode(out)?;
                surface.encode(out)?;
                position.encode(out)?;
                orientation.encode(out)
            }
        }
    }
    fn decode(input: &mut Decoder) -> io::Result<Self> {
        Ok(match u8::decode(input)? {
            0 => FormPart::Ball { centre: Record::decode(input)?, radius: f64::decode(input)? },
            1 => FormPart::Convex {
                surface: Surface::decode(input)?,
                position: Record::decode(input)?,
                orientation: Record::decode(input)?,
            },
            _ => return Err(malformed("contains a part of unknown kind")),
        })
    }
}
