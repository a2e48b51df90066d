//! How far the dates in a site's sitemaps and feeds can be believed, learned from visits.
//!
//! A list claims of a page that it changed since it was last seen, or that it did not. Each visit to such a page shows
//! whether the claim was right. Two chances are learned for every host, each a Beta posterior over visits that fade: that a
//! page changed although the list claims it did not, and that it changed if the list claims so. From the lists themselves
//! comes a third number, the share of pages they claim to have changed. Together they say how likely a change is if nobody
//! had asked a list,
//!
//! > usual = share · P(changed | claimed) + (1 − share) · P(changed | denied),
//!
//! and what a claim is worth is how far it moves that chance. This is taken from the lists and not from the visits, because
//! who believes a list visits what it names, and would soon find that nearly everything changes.
//!
//! A list that calls everything changed (share 1) or nothing (share 0), or whose claims have nothing to do with the
//! changes, leaves the chance where it was: it is worth nothing, whatever the prior. Both chances begin with the same
//! prior, so an unknown list is worth nothing either.

/// Visits fade so that about this many count: a site can lose its trust and gain it again.
const MEMORY: f32 = 256.0;
/// Readings of lists fade so that about this many count.
const READINGS: f32 = 8.0;
/// What both chances are before any visit, and how many visits that counts for.
const PRIOR: (f32, f32) = (0.25, 2.0);
/// For so many visits a list has the benefit of the doubt: it is read to find out what it is worth.
const DOUBT: f64 = 16.0;
/// Pages said to be unchanged that are visited all the same, so that the claim keeps being tested: one in twenty.
const TESTED: f64 = 0.05;

/// What a list says of a page since it was last seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It changed.
    Changed,
    /// It did not.
    Unchanged,
}

/// Visits that saw a change and visits that saw none, the older ones faded.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize, serde::Serialize)]
struct Visits {
    changed: f32,
    unchanged: f32,
}

impl Visits {
    fn add(&mut self, changed: bool) {
        let kept = 1.0 - 1.0 / MEMORY;
        self.changed = self.changed * kept + f32::from(u8::from(changed));
        self.unchanged = self.unchanged * kept + f32::from(u8::from(!changed));
    }

    /// The mean of the Beta posterior.
    fn chance(self) -> f64 {
        let (mean, strength) = PRIOR;
        f64::from((mean * strength + self.changed) / (strength + self.changed + self.unchanged))
    }
}

/// What one host's dates have been worth so far, in 24 bytes.
///
/// ```
/// use revisit::site::{Claim, Trust};
/// let mut trust = Trust::default();
/// assert_eq!((trust.urgency(), trust.need()), (0.0, 1.0), "an unknown list changes nothing");
/// // Of ten pages one is said to have changed, and it has; two others are looked at and have not.
/// trust.read(1, 10);
/// trust.check(Claim::Changed, true);
/// trust.check(Claim::Unchanged, false);
/// trust.check(Claim::Unchanged, false);
/// // P(changed | claimed) = (.5 + 1) / (2 + 1) = .5 and P(changed | denied) = .5 / (2 + 2) = .125, all but what faded;
/// // usual = .1 · .5 + .9 · .125 = .1625.
/// assert!((trust.urgency() - (1.0 - 0.1625 / 0.5)).abs() < 0.001);
/// assert!((trust.need() - 0.125 / 0.1625).abs() < 0.001);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct Trust {
    claimed: Visits,
    denied: Visits,
    share: f32,
    readings: f32,
}

impl Trust {
    /// Takes in that a list was read which claims of `claimed` out of `listed` pages that they changed.
    pub fn read(&mut self, claimed: u32, listed: u32) {
        self.readings = (self.readings + 1.0).min(READINGS);
        let share = claimed.min(listed) as f32 / listed.max(1) as f32;
        self.share += (share - self.share) / self.readings;
    }

    /// Takes in what a visit showed of a page of which something was claimed.
    pub fn check(&mut self, claim: Claim, changed: bool) {
        match claim {
            Claim::Changed => self.claimed.add(changed),
            Claim::Unchanged => self.denied.add(changed),
        }
    }

    /// The chance that a page changed of which this is claimed.
    pub fn chance(&self, claim: Claim) -> f64 {
        match claim {
            Claim::Changed => self.claimed.chance(),
            Claim::Unchanged => self.denied.chance(),
        }
    }

    /// How many visits tested such claims, the older ones faded.
    pub fn tested(&self, claim: Claim) -> f64 {
        let Visits { changed, unchanged } = if claim == Claim::Changed { self.claimed } else { self.denied };
        f64::from(changed + unchanged)
    }

    /// The chance that a listed page changed, whatever is claimed.
    pub fn usual(&self) -> f64 {
        let share = f64::from(self.share);
        share * self.claimed.chance() + (1.0 - share) * self.denied.chance()
    }

    /// With which chance a page said to have changed goes ahead of all others: 1 − usual / P(changed | claimed), the part of
    /// its chance that is due to the claim. 0 if the claim says nothing.
    pub fn urgency(&self) -> f64 {
        (1.0 - self.usual() / self.claimed.chance()).max(0.0)
    }

    /// With which chance a page said to be unchanged stands for a visit at all: P(changed | denied) / usual, and at least
    /// a twentieth. 1 if the claim says nothing.
    pub fn need(&self) -> f64 {
        (self.denied.chance() / self.usual()).clamp(TESTED, 1.0)
    }

    /// The chance that a page changed, given what it was before this was claimed: moved by as much as the claim moves the
    /// chance of the usual page.
    ///
    /// ```
    /// use revisit::site::{Claim, Trust};
    /// assert_eq!(Trust::default().revise(Claim::Unchanged, 0.5), 0.5, "an unknown list changes nothing");
    /// // P(changed | claimed) = 10.5 / 12 = .875 and P(changed | denied) = .5 / 8 = .0625; with a tenth of the pages said to
    /// // have changed, usual = .0875 + .05625 = .14375.
    /// let trust = Trust::from_numbers([10.0, 0.0, 0.0, 6.0, 0.1, 8.0]);
    /// assert!((trust.revise(Claim::Unchanged, 0.5) - 0.5 * 0.0625 / 0.14375).abs() < 1e-6);
    /// assert!((trust.revise(Claim::Changed, 0.5) - (1.0 - 0.5 * 0.125 / 0.85625)).abs() < 1e-6);
    /// ```
    pub fn revise(&self, claim: Claim, chance: f64) -> f64 {
        let (usual, claimed) = (self.usual(), self.chance(claim));
        if claimed < usual { chance * claimed / usual } else { 1.0 - (1.0 - chance) * (1.0 - claimed) / (1.0 - usual) }
    }

    /// Which part of the visits to its pages a host's lists can save: of the pages they call unchanged 1 − [`Trust::need`],
    /// or the most there is while too few visits have tested them.
    pub fn promise(&self) -> f64 {
        let tested = self.tested(Claim::Changed) + self.tested(Claim::Unchanged);
        let saved = if tested < DOUBT { 1.0 - TESTED } else { 1.0 - self.need() };
        (1.0 - f64::from(self.share)) * saved
    }

    /// Its numbers, for who keeps them: visits to pages said to have changed that saw a change, and that saw none, the
    /// same of pages said to be unchanged, the share of pages said to have changed, and the readings behind that.
    pub fn numbers(&self) -> [f32; 6] {
        let Trust { claimed, denied, share, readings } = *self;
        [claimed.changed, claimed.unchanged, denied.changed, denied.unchanged, share, readings]
    }

    /// The trust with these numbers; what is no such number counts as nothing.
    pub fn from_numbers(numbers: [f32; 6]) -> Trust {
        let most = [MEMORY, MEMORY, MEMORY, MEMORY, 1.0, READINGS];
        let mut kept = [0.0; 6];
        for (kept, (number, most)) in kept.iter_mut().zip(numbers.into_iter().zip(most)) {
            *kept = if number.is_finite() { number.clamp(0.0, most) } else { 0.0 };
        }
        let [right, wrong, missed, quiet, share, readings] = kept;
        let (claimed, denied) =
            (Visits { changed: right, unchanged: wrong }, Visits { changed: missed, unchanged: quiet });
        Trust { claimed, denied, share, readings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What `visits` visits show of a list that claims `share` of 100 pages to have changed, if every `nth` claimed and every
    /// `mth` other page has.
    fn learned(share: u32, nth: u32, mth: u32, visits: u32) -> Trust {
        let mut trust = Trust::default();
        for visit in 0..visits {
            trust.read(share, 100);
            if share > 0 {
                trust.check(Claim::Changed, visit % nth == 0);
            }
            if share < 100 {
                trust.check(Claim::Unchanged, visit % mth == 0);
            }
        }
        trust
    }

    #[test]
    fn an_honest_list_is_soon_believed() {
        let trust = learned(10, 1, 1000, 20);
        assert!(trust.urgency() > 0.7 && trust.need() < 0.45, "{} {}", trust.urgency(), trust.need());
        let trust = learned(10, 1, 1000, 200);
        assert!(trust.urgency() > 0.85 && trust.need() < 0.1, "{} {}", trust.urgency(), trust.need());
    }

    #[test]
    fn a_list_that_calls_everything_changed_or_nothing_is_worth_nothing() {
        let (everything, nothing) = (learned(100, 3, 1, 50), learned(0, 1, 3, 50));
        assert!(everything.urgency() < 1e-6 && everything.promise() < 1e-6, "{everything:?}");
        assert!(nothing.need() > 1.0 - 1e-6 && nothing.promise() < 1e-6, "{nothing:?}");
    }

    #[test]
    fn claims_that_have_nothing_to_do_with_the_changes_are_worth_little() {
        let trust = learned(40, 3, 3, 300);
        assert!(trust.urgency() < 0.01 && trust.need() > 0.99, "{} {}", trust.urgency(), trust.need());
    }

    #[test]
    fn trust_is_lost_and_gained_again() {
        let mut trust = learned(10, 1, 1000, 100);
        for _ in 0..READINGS as u32 * 5 {
            trust.read(100, 100);
        }
        assert!(trust.urgency() < 0.01, "a list that began to lie: {}", trust.urgency());
        for _ in 0..READINGS as u32 * 5 {
            trust.read(10, 100);
        }
        assert!(trust.urgency() > 0.7, "and stopped: {}", trust.urgency());
        for _ in 0..300 {
            trust.check(Claim::Unchanged, true);
        }
        assert!(trust.need() > 0.9, "what it calls unchanged changes: {}", trust.need());
    }

    proptest! {
        #[test]
        fn chances_are_chances(
            checks in prop::collection::vec(any::<(bool, bool)>(), 0..400),
            readings in prop::collection::vec(any::<(u32, u32)>(), 0..20),
            numbers in prop::array::uniform6(any::<f32>()),
        ) {
            let mut trust = Trust::from_numbers(numbers);
            for (claimed, listed) in readings {
                trust.read(claimed, listed);
            }
            for (claim, changed) in checks {
                trust.check(if claim { Claim::Changed } else { Claim::Unchanged }, changed);
            }
            prop_assert!((0.0..1.0).contains(&trust.urgency()), "{:?}", trust);
            prop_assert!((TESTED..=1.0).contains(&trust.need()), "{:?}", trust);
            for claim in [Claim::Changed, Claim::Unchanged] {
                prop_assert!((0.0..=1.0).contains(&trust.revise(claim, 0.3)), "{:?}", trust);
            }
            prop_assert_eq!(Trust::from_numbers(trust.numbers()), trust);
        }
    }
}
