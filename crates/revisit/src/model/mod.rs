//! What was learned beforehand, as values that a policy evaluates. Training makes them; nothing here trains.
//!
//! A [`formula`] gives a page's score.

pub mod formula;
