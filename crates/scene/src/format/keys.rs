//! Short words in which the sections are written.

use super::{Key, Kind, Need, Only};

pub(super) const fn key(name: &'static str, kind: Kind, need: Need, doc: &'static str) -> Key {
    Key { name, kind, need, only: Only::Both, doc }
}

pub(super) const fn in_plane(key: Key) -> Key {
    Key { only: Only::Plane, ..key }
}

pub(super) const fn in_space(key: Key) -> Key {
    Key { only: Only::Space, ..key }
}

pub(super) const ZEROS: Need = Need::ByDimension("[0, 0]", "[0, 0, 0]");
/// A section that is there, with its defaults, even if nothing of it is written.
pub(super) const EMPTY: Need = Need::Default("{}");
pub(super) const AXES: Kind = Kind::Choice(&[("x", "along x"), ("y", "along y"), ("z", "along z, in 3D")]);
