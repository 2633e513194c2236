//! The identity of a contact point between two bodies, from step to step.

/// What makes up a contact point. Corners and sides are counted within their part of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// A corner of body 1 on body 2.
    CornerOfFirst(u32),
    /// A corner of body 2 on body 1.
    CornerOfSecond(u32),
    /// Where two sides cross, by the corners that they start from.
    Crossing(u32, u32),
    /// The nearest points of two edges or corners.
    Nearest(u32, u32),
}

impl Feature {
    /// One number for the feature and the parts of the two bodies that it belongs to: 24 and 12 bits for the parts
    /// (triangles of a mesh are parts of body 1), 2 for the kind, 13 for each corner.
    pub fn number(self, parts: [u32; 2]) -> u64 {
        let (kind, first, second) = match self {
            Feature::CornerOfFirst(corner) => (0, corner, 0),
            Feature::CornerOfSecond(corner) => (1, 0, corner),
            Feature::Crossing(first, second) => (2, first, second),
            Feature::Nearest(first, second) => (3, first, second),
        };
        let bits = |value: u32, count: u32| u64::from(value) & ((1 << count) - 1);
        bits(parts[0], 24) << 40 | bits(parts[1], 12) << 28 | kind << 26 | bits(first, 13) << 13 | bits(second, 13)
    }
}

/// The part of body 1 (the triangle of a mesh) that the number of a feature belongs to.
pub fn first_part(number: u64) -> usize {
    (number >> 40) as usize
}
