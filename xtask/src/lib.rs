//! What `cargo xtask` does for maintainers. [`tidy`] is the part that tests run: it compares the pages that describe
//! the code with the code.

pub mod tidy;
