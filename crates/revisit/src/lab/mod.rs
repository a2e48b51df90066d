//! The lab: any policy on any history of changes, counted honestly.

pub mod trace;
