//! The time of a trace that is played, in stages: as long as every page is visited, first for copies of all and then in the cycles
//! of the warm-up, and from when a policy chooses.

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
pub(super) fn stages(window: Window, pages: usize, visits: usize) -> [Stage; 2] {
    // What is visited when a cycle begins is what was there at the end of the one before.
    let cycles = |first: usize, last: usize, visits| Stage {
        visits,
        begin: window.begin(first) - EARLY,
        end: window.begin(last) + window.cycle / 2.0,
    };
    [cycles(0, window.warmup, pages), cycles(window.warmup + 1, window.cycles, visits)]
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
        let [all, chosen] = stages(window, 10, 3);
        assert_eq!((all.visits, chosen.visits), (10, 3));
        assert!(all.begin < start && all.end < chosen.begin);
        assert_eq!(all.begin + window.cycle * 3.0, chosen.begin, "copies, and two cycles of warm-up");
        assert!(chosen.begin + window.cycle * 2.0 < chosen.end && chosen.end < chosen.begin + window.cycle * 3.0);
        let cycles = [all.begin, all.begin + window.cycle, chosen.begin, chosen.end].map(|at| cycle_of(window, at));
        assert_eq!(cycles, [None, Some(0), Some(2), Some(4)]);
    }
}
