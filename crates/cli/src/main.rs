//! riprap, a simulator of granular matter.
fn main() {}
