//! How often a page changes, from what its visits showed: one file per method.

pub mod gamma;
pub mod naive;
pub mod poisson;
pub mod recency;
pub mod regular;
