//! riprap, a simulator of granular matter.

pub use riprap_engine as engine;
pub use riprap_measure as measure;
pub use riprap_run as run;
pub use riprap_scene as scene;
pub use riprap_solve as solve;
pub use riprap_store as store;

pub mod templates;
