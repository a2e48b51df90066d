//! When to visit which page again: histories, policies and schedules, free of I/O.

pub mod time;

pub use time::{Span, Time};
