//! How often a page changes, from what its visits showed: one file per method.

pub mod poisson;
pub mod regular;
