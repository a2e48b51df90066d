//! The time of a trace that is played, in stages: first every page is fetched once, so that there are copies; then come the cycles
//! of the warm-up, in which every page is visited; then those in which a policy chooses.

use revisit::lab::cut::Window;
use revisit::{Span, Time};

/// A cycle's visits are made so long before its end: they see all that changed in it, and nothing of the next one.
pub(super) const EARLY: Span = Span::from_millis(1);

/// A time in which each cycle may make so many visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stage {
    pub(super) visits: usize,
    pub(super) begin: Time,
    pub(super) end: Time,
}

/// The stages of a window with so many pages, of which so many are visited in a cycle after the warm-up.
pub(super) fn stages(window: Window, pages: usize, visits: usize) -> [Stage; 3] {
    let before = window.cycle.min(Span::MINUTE);
    let first = window.start - before;
    let cycles = |first: usize, last: usize, visits| Stage {
        visits,
        begin: window.end(first) - EARLY,
        end: window.end(last) + window.cycle / 2.0,
    };
    [
        Stage { visits: pages, begin: first, end: first + before / 2.0 },
        cycles(0, window.warmup - 1, pages),
        cycles(window.warmup, window.cycles - 1, visits),
    ]
}

/// The cycle of the window in which a visit was made; `None` before the first.
pub(super) fn cycle_of(window: Window, at: Time) -> Option<usize> {
    let passed = (at + EARLY - window.start).millis().div_euclid(window.cycle.millis());
    usize::try_from(passed - 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_follow_each_other_and_no_cycle_of_one_reaches_into_the_next() {
        let start = Time::from_secs(1_000_000);
        let window = Window { start, cycle: Span::DAY, cycles: 5, warmup: 2 };
        let [copies, warmup, chosen] = stages(window, 10, 3);
        assert_eq!((copies.visits, warmup.visits, chosen.visits), (10, 10, 3));
        for (stage, next) in [(copies, warmup), (warmup, chosen)] {
            assert!(stage.begin < stage.end && stage.end < next.begin);
        }
        assert!(copies.end < start && copies.begin + window.cycle <= warmup.begin);
        assert_eq!(warmup.begin + window.cycle * 2.0, chosen.begin);
        assert!(chosen.begin + window.cycle * 2.0 < chosen.end && chosen.end < chosen.begin + window.cycle * 3.0);
        let cycles = [copies.begin, warmup.begin, chosen.begin, chosen.end].map(|at| cycle_of(window, at));
        assert_eq!(cycles, [None, Some(0), Some(2), Some(4)]);
    }
}
