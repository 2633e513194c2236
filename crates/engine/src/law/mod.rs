//! The laws between bodies: the parameters of every pair of materials, one file per law, and how they are lowered to
//! what the solver knows of a contact.

pub mod bond;
pub mod capillary;
pub mod cohesion;
mod lower;
pub mod material;
pub mod speed;
mod table;
pub mod torque;

pub use table::LawTable;

pub(crate) use lower::{ADHERES, CLOSED, IncomingContact, LawFeatures, LoweredLaw, Shock, lower_law, lower_shock};
