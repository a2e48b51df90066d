//! The lab: any policy on any history of changes, counted honestly.

pub mod random;
pub mod trace;
pub mod world;
