//! What the strategies of Umbrich, Mrzelj & Polleres 2015 share: their bounds and steps.
//!
//! An interval is always kept within 1 day and 6 months. Reading: a month is 30 days, a page starts at 1 week.

use super::intervals::Bounds;
use crate::Span;
use crate::policy::parameter::{Parameter, Values};

/// A week.
pub(super) const WEEK: Span = Span::from_secs(7 * 86_400);
/// A month, read as 30 days.
pub(super) const MONTH: Span = Span::from_secs(30 * 86_400);

/// Lets users choose where intervals begin.
pub(super) const START: Parameter = Parameter::number("start", "7", (1.0, 180.0), "first interval, in days");

/// 1 day to 6 months, beginning where the user wants it.
pub(super) fn bounds(values: &Values<'_>) -> Bounds {
    Bounds { start: Span::DAY * values.number("start"), min: Span::DAY, max: MONTH * 6.0 }
}

/// How an interval moves when a change is this likely: the steps of `window`, used by `state-1` and `state-2` as well.
///
/// More than .9 → ÷ 3, .75 → ÷ 2, .6 → ÷ 1.5; less than .1 → × 3, .25 → × 2, .4 → × 1.5.
pub(super) fn factor(share: f64) -> f64 {
    match share {
        share if share > 0.9 => 1.0 / 3.0,
        share if share > 0.75 => 1.0 / 2.0,
        share if share > 0.6 => 1.0 / 1.5,
        share if share < 0.1 => 3.0,
        share if share < 0.25 => 2.0,
        share if share < 0.4 => 1.5,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_the_papers() {
        let shares = [1.0, 0.9, 0.75, 0.6, 0.5, 0.4, 0.25, 0.1, 0.0];
        let factors = [1.0 / 3.0, 0.5, 1.0 / 1.5, 1.0, 1.0, 1.0, 1.5, 2.0, 3.0];
        assert_eq!(shares.map(factor), factors);
    }
}
