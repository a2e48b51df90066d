//! Learning from what pages did: training makes a value that a policy evaluates.
//!
//! [`gp`] breeds score formulas by genetic programming.

pub mod gp;
