//! Why a packing cannot give a measurement.

/// Why a packing cannot give a measurement. Other measurements are not touched by it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unavailable {
    /// The file holds no contacts.
    #[error("no contacts are stored in this file; HDF5 snapshots contain them (outputs.snapshot_formats = [\"h5\"])")]
    NoContacts,
    /// There are contacts, but none bears.
    #[error("no contact carries a force")]
    NoForces,
    /// There are no grains.
    #[error("there are no grains")]
    NoGrains,
    /// The region holds no grain.
    #[error("no grain has its centre in the region {region}; the grains are in {grains}")]
    EmptyRegion {
        /// The region that was asked for.
        region: String,
        /// The box around the grains.
        grains: String,
    },
    /// A fit or a mean has too little to go by.
    #[error("too few {what}: {found}, but at least {needed} are needed")]
    TooFew {
        /// What there is too little of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many it takes.
        needed: usize,
    },
    /// Two snapshots are needed.
    #[error("this measurement compares two snapshots, but there is only one; give a run folder or several snapshots")]
    NeedsTwo,
    /// Two snapshots of different grains.
    #[error("the two snapshots have different grains ({0} are in both)")]
    OtherGrains(usize),
    /// The packing is too large for a dense computation.
    #[error("limited to packings of at most {most} {what}; this one has {found}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many are the most.
        most: usize,
    },
    /// Anything else, said in words.
    #[error("{0}")]
    Because(String),
}
