//! Change-rate groups: what `historic` and `bayesian` sort pages into, fastest first (Barbosa et al. 2005).

use crate::time::Span;

/// Pages that change about equally often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// How often its pages are visited.
    pub interval: Span,
    /// After how many visits a page of it is judged.
    pub window: u8,
    /// A page with a smaller share of changed visits belongs to a slower group.
    pub least: f64,
    /// A page with a larger share of changed visits belongs to a faster group.
    pub most: f64,
}

const fn group(days: i64, window: u8, least: f64, most: f64) -> Group {
    Group { interval: Span::from_secs(days * 86_400), window, least, most }
}

/// The paper's Table 2, its example.
pub const TABLE_2: [Group; 4] =
    [group(1, 10, 0.3, 0.7), group(7, 8, 0.3, 0.7), group(30, 6, 0.3, 0.7), group(100, 2, 0.3, 0.7)];

/// The paper's Table 4, which its experiments used.
pub const TABLE_4: [Group; 4] =
    [group(1, 3, 0.2, 0.8), group(3, 2, 0.2, 0.8), group(31, 2, 0.2, 0.8), group(96, 1, 0.2, 0.8)];
