//! Measurements on a world: coordination, solid fraction, balance of forces.
