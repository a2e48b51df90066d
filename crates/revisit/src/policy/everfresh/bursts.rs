//! Bursts: whether a change makes another one soon more or less likely than the page's rate says, learned from all pages.
//!
//! Pages are sorted by how many visits ago a change was last seen. For each kind, changes found over changes expected say
//! by how much the time since the last visit counts more, or less, than usual.

use crate::history::History;

/// Never, at the last visit, one before, two or three before, earlier.
const KINDS: usize = 5;
/// Changes as expected that each kind has in addition.
const WEIGHT: f32 = 30.0;
/// What is kept of the counts at each visit, so that they are those of about the last 5,000 visits.
const KEPT: f32 = 0.999_8;

/// Which kind a page is, by its outcomes, the last one in the lowest bit.
fn kind(outcomes: u64) -> usize {
    match outcomes.trailing_zeros() {
        0 => 1,
        1 => 2,
        2 | 3 => 3,
        _ if outcomes == 0 => 0,
        _ => 4,
    }
}

/// What visits found and what was expected of them, for each kind.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
pub(super) struct Bursts {
    counts: [(f32, f32); KINDS],
}

impl Default for Bursts {
    fn default() -> Bursts {
        Bursts { counts: [(WEIGHT, WEIGHT); KINDS] }
    }
}

impl Bursts {
    /// How much more the time since the last visit counts for a page.
    pub(super) fn factor(&self, history: &History) -> f32 {
        self.of(kind(history.recent_bits()))
    }

    /// The same for a page whose history has already taken a new visit in.
    pub(super) fn factor_before(&self, history: &History) -> f32 {
        self.of(kind(history.recent_bits() >> 1))
    }

    /// How much more the time after a visit now will count, if that sees a change and if it sees none.
    pub(super) fn factors_after(&self, history: &History) -> [f32; 2] {
        let bits = history.recent_bits() << 1;
        [self.of(kind(bits | 1)), self.of(kind(bits))]
    }

    fn of(&self, kind: usize) -> f32 {
        let (found, expected) = self.counts[kind];
        (found / expected).clamp(0.5, 2.0)
    }

    /// Takes in a visit that the page's history has taken in, and the chance of a change that the page's rate gave it.
    pub(super) fn learn(&mut self, history: &History, changed: bool, chance: f32) {
        let (found, expected) = &mut self.counts[kind(history.recent_bits() >> 1)];
        *found = (*found - WEIGHT) * KEPT + WEIGHT + f32::from(u8::from(changed));
        *expected = (*expected - WEIGHT) * KEPT + WEIGHT + chance;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, PageId, Time, Visit};

    fn history(outcomes: &[bool]) -> History {
        let mut history = History::default();
        for (hour, &changed) in outcomes.iter().enumerate() {
            let outcome = if changed { Outcome::Changed } else { Outcome::Unchanged };
            history.record(&Visit { page: PageId(0), at: Time::from_secs(hour as i64 * 3600), outcome });
        }
        history
    }

    #[test]
    fn kinds_go_by_the_last_change() {
        let kinds =
            [&[][..], &[true], &[true, false], &[true, false, false, false], &[true, false, false, false, false]];
        assert_eq!(kinds.map(|outcomes| kind(history(outcomes).recent_bits())), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn learns_that_changes_come_in_bursts() {
        let mut bursts = Bursts::default();
        for _ in 0..500 {
            bursts.learn(&history(&[true, true]), true, 0.5);
            bursts.learn(&history(&[true, false, false]), false, 0.5);
        }
        let (soon, later) = (bursts.factor(&history(&[true])), bursts.factor(&history(&[true, false])));
        assert!(soon > 1.5 && later == 0.5, "{soon} {later}");
        assert_eq!(bursts.factor(&history(&[false])), 1.0, "nothing was said of these");
    }
}
