//! What a crawl did, for people and programs.

use super::meter::Rooms;
use crate::store::Outcomes;

/// How a crawl goes, told every second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Visits made by this run, by outcome.
    pub outcomes: Outcomes,
    /// Pages known.
    pub pages: usize,
    /// Pages waiting for their first visit.
    pub waiting: usize,
    /// Exchanges under way.
    pub in_flight: usize,
    /// The cycle, counted from 1 in this run.
    pub cycle: u32,
}

/// What a run did.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Summary {
    /// Visits made.
    pub visits: u64,
    /// Visits by outcome.
    pub outcomes: Outcomes,
    /// Pages known at the end.
    pub pages: usize,
    /// Pages that still wait for their first visit.
    pub waiting: usize,
    /// Pages found and not taken in, because their domain has as many hosts as are followed.
    pub left_out: u64,
    /// Cycles begun.
    pub cycles: u32,
    /// Wall time.
    pub seconds: f64,
    /// Visits in a second of wall time.
    pub pages_per_second: f64,
    /// CPU time of the process in microseconds a visit.
    pub cpu_us_per_page: f64,
    /// The same by room.
    pub rooms: Rooms,
    /// The most memory the process held, in bytes.
    pub peak_memory_bytes: u64,
    /// The share of pages expected to be current at the end.
    pub expected_freshness: f64,
    /// Whether the run ended because it was asked to stop.
    pub interrupted: bool,
}
