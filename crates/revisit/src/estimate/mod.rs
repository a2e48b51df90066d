//! How often a page changes, from what its visits showed: one file per method.

pub mod gamma;
pub mod poisson;
pub mod regular;
