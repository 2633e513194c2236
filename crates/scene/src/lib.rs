//! Scenes: TOML to a checked scene to a world, with units and diagnostics.
