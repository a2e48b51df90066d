//! What is expected of a page now, and the same in words for the person who asks why it is visited, or is not.

use super::objective::Objective;
use super::rates::{RATES, mean, mean_with, unchanged};
use crate::history::History;
use crate::time::{Span, Time};
use std::fmt::Write;

/// What is expected of a page now.
pub(super) struct Outlook<'a> {
    /// The chance of each rate.
    pub(crate) chances: [f32; RATES],
    /// The same for pages like it.
    pub(crate) alike: &'a [f32; RATES],
    /// Cycles since it was seen.
    pub(crate) elapsed: f32,
    /// The same, each as busy as it was around the page.
    pub(crate) around: f32,
    /// How much busier that time was for one of its habits.
    pub(crate) at_work: f32,
    /// How much busier a page is after visits like its last ones.
    pub(crate) burst: f32,
    /// The same after a visit now, if it sees a change and if it sees none.
    pub(crate) after: [f32; 2],
}

impl Outlook<'_> {
    /// Cycles since it was seen, each as busy as it was for this page.
    pub(super) fn exposure(&self) -> f32 {
        self.around * self.at_work * self.burst
    }

    /// The chance that the copy is current.
    pub(super) fn current(&self) -> f32 {
        self.current_if(&unchanged(self.exposure()))
    }

    /// The same, going by the chance of no change at each rate.
    fn current_if(&self, unchanged: &[f32; RATES]) -> f32 {
        mean_with(&self.chances, unchanged, |_, unchanged| unchanged)
    }

    /// What a visit now is worth.
    pub(super) fn worth(&self, objective: Objective) -> f32 {
        let exposure = self.exposure();
        let unchanged = unchanged(exposure);
        let current = self.current_if(&unchanged);
        let after = self.after[0] * (1.0 - current) + self.after[1] * current;
        // Busy neighbours make a change likelier, not older.
        let unmoved = self.elapsed * self.at_work * self.burst;
        objective.worth(&self.chances, &unchanged, exposure, unmoved, after)
    }

    /// Why a visit is worth what it is worth.
    pub(super) fn in_words(&self, history: &History, objective: Objective, cycle: Span, now: Time) -> String {
        let every = |chances| cycle * f64::from(1.0 / mean(chances, |rate| rate).max(1e-6));
        format!(
            "{} of {} visits saw a change and pages like it change every {}, so it is taken to change every {}; it was last \
             seen {} ago,{} so it has changed with a chance of {:.0} %; a visit is worth {:.3} {}",
            history.changes(),
            history.observations(),
            every(self.alike),
            every(&self.chances),
            history.elapsed(now).unwrap_or_default(),
            self.since(),
            100.0 * (1.0 - self.current()),
            self.worth(objective),
            objective.name(),
        )
    }

    /// What made the time since the last visit count for more or less than it is long, if it did.
    fn since(&self) -> String {
        let around = if self.elapsed > 0.0 { self.around / self.elapsed } else { 1.0 };
        let mut since = String::new();
        for (factor, what) in [
            (around, "pages around it changed"),
            (self.at_work, "going by the days and hours at which it rests it changed"),
            (self.burst, "going by what its last visits saw it changed"),
        ] {
            // Writing to a string cannot fail.
            let _ = match factor {
                0.8..=1.25 => Ok(()),
                _ if factor > 1.0 => write!(since, " {what} {factor:.1} times as much as usual since,"),
                _ => write!(since, " {what} {:.1} times less than usual since,", 1.0 / factor.max(0.01)),
            };
        }
        since
    }
}
