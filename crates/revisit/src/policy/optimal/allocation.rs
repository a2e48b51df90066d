//! A bandwidth shared among pages: what `cho-optimal`, `lambdacrawl` and `lambdacrawl-binary` solve for.
//!
//! All three give a page of rate Δ and importance μ the visit rate ρ = Δ·h(μ/(λΔ)), differ only in the response h, and
//! choose the multiplier λ such that the visits add up to the budget. A page can be visited once a cycle at most, so ρ
//! is cut there and the rest goes to others.
//!
//! Cost of a plan: pages are put into classes of nearly equal μ/Δ (32 an octave), λ is found by bisection over the
//! classes that have pages, some hundreds, and each page takes the response of its class. That is two passes over the
//! pages whatever the number of steps, and it depends on nothing but the current rates: a scheduler rebuilt from its
//! log plans the same.

use super::rates::Rates;
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::Budget;
use crate::{History, PageId, Pages, Span, Time};

/// The bits of an `f32` that a class does not look at: it has the exponent and 5 bits of the mantissa.
const IGNORED: u32 = 18;
/// As many classes as positive finite numbers have such prefixes.
const CLASSES: usize = (f32::INFINITY.to_bits() >> IGNORED) as usize;

/// Visit rates for all pages that add up to the budget.
#[derive(Debug)]
pub(super) struct Allocation {
    rates: Rates,
    response: fn(f64) -> f64,
    /// Visits a day, by page.
    visits: Vec<f32>,
    cycle: Span,
}

/// Pages of nearly equal μ/Δ.
#[derive(Clone, Copy, Debug, Default)]
struct Class {
    pages: f64,
    /// ΣΔ, in changes a day.
    rate: f64,
    /// Σμ.
    weight: f64,
}

/// The number of the class of a page.
fn class_of(weight: f64, rate: f64) -> usize {
    ((((weight / rate) as f32).to_bits() >> IGNORED) as usize).min(CLASSES - 1)
}

impl Class {
    /// Visits a day that all its pages get.
    fn visits(&self, multiplier: f64, response: fn(f64) -> f64, most: f64) -> f64 {
        (self.rate * response(self.weight / (multiplier * self.rate))).min(self.pages * most)
    }
}

impl Allocation {
    /// `response` is h.
    pub(super) fn new(rates: Rates, response: fn(f64) -> f64) -> Allocation {
        Allocation { rates, response, visits: Vec::new(), cycle: Span::HOUR }
    }

    pub(super) fn learn(&mut self, page: PageId, history: &History) {
        self.rates.learn(page, history);
    }

    /// Shares the budget among the pages visited before.
    pub(super) fn plan(&mut self, pages: &Pages, budget: Budget) {
        self.cycle = budget.cycle;
        let classes = classes(pages.ids().map(|page| self.known(pages, page)));
        let most = 1.0 / budget.cycle.as_days();
        let multiplier = solve(&classes, budget.fetches as f64 * most, self.response, most);
        let mut shares = vec![0.0; CLASSES];
        for (number, class) in &classes {
            shares[*number] = class.visits(multiplier, self.response, most) / class.rate;
        }
        self.visits = vec![0.0; pages.end()];
        for page in pages.ids() {
            let (weight, rate) = self.known(pages, page);
            if rate > 0.0 {
                self.visits[page.index()] = (rate * shares[class_of(weight, rate)]) as f32;
            }
        }
    }

    /// What a page matters, and how often it changes.
    fn known(&self, pages: &Pages, page: PageId) -> (f64, f64) {
        (pages.weight(page).max(0.0), self.rates.of(page))
    }

    /// `None` until due, then how many intervals of mean length 1/ρ have gone by; `stretch` is this interval's own length in
    /// terms of the mean. A page is visited in the cycle nearest to its time; a page with ρ = 0 never.
    pub(super) fn score(&self, page: PageId, history: &History, now: Time, stretch: f64) -> Option<f64> {
        let visits = self.visits(page) / stretch.max(1e-9);
        let elapsed = history.elapsed(now)?.as_days();
        let due = visits * (elapsed + self.cycle.as_days() / 2.0) >= 1.0;
        due.then_some(visits * elapsed)
    }

    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.rates.keep(checkpoint)?;
        checkpoint.keep_rows(&mut self.visits)
    }

    fn visits(&self, page: PageId) -> f64 {
        self.visits.get(page.index()).copied().map_or(0.0, f64::from)
    }

    pub(super) fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let (rate, visits) = (self.rates.of(page), self.visits(page));
        let elapsed = history.elapsed(now).unwrap_or_default();
        if visits == 0.0 {
            return format!("it changes about {rate:.2} times a day, too fast to be worth a visit at this budget");
        }
        let interval = Span::DAY / visits;
        format!(
            "it changes about {rate:.2} times a day, so its share of the budget is a visit every {interval}; \
             it was last seen {elapsed} ago"
        )
    }
}

/// The classes that have pages, with their numbers; pages without a rate are in none.
fn classes(known: impl Iterator<Item = (f64, f64)>) -> Vec<(usize, Class)> {
    let mut classes = vec![Class::default(); CLASSES];
    for (weight, rate) in known.filter(|(_, rate)| *rate > 0.0) {
        let class = &mut classes[class_of(weight, rate)];
        *class = Class { pages: class.pages + 1.0, rate: class.rate + rate, weight: class.weight + weight };
    }
    classes.into_iter().enumerate().filter(|(_, class)| class.pages > 0.0).collect()
}

/// The multiplier at which the visits add up to `bandwidth` a day; they fall as it grows.
fn solve(classes: &[(usize, Class)], bandwidth: f64, response: fn(f64) -> f64, most: f64) -> f64 {
    let (mut low, mut high) = (1e-12_f64, 1e12_f64);
    // 40 halvings of 24 decades on a logarithmic scale: exact to 1e-10.
    for _ in 0..40 {
        let middle = (low * high).sqrt();
        let spent: f64 = classes.iter().map(|(_, class)| class.visits(middle, response, most)).sum();
        if spent > bandwidth {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low * high).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HostId, Outcome, Visit};

    /// Pages visited daily for 40 days, the i-th of them changing every (i + 2)th day.
    fn planned(pages: i64, fetches: usize, response: fn(f64) -> f64) -> Allocation {
        planned_apart(pages, 1, fetches, response)
    }

    /// The same if only every so many-th number is a page's.
    fn planned_apart(pages: i64, apart: u32, fetches: usize, response: fn(f64) -> f64) -> Allocation {
        let (mut allocation, mut all) = (Allocation::new(Rates::default(), response), Pages::default());
        for number in 0..pages {
            let page = PageId(number as u32 * apart);
            all.add(page, HostId(0), 1.0);
            let mut history = History::default();
            for day in 0..40 {
                let outcome = if day % (number + 2) == 1 { Outcome::Changed } else { Outcome::Unchanged };
                history.record(&Visit { page, at: Time::from_secs(day * 86_400), outcome });
            }
            allocation.learn(page, &history);
        }
        allocation.plan(&all, Budget { fetches, cycle: Span::DAY });
        allocation
    }

    #[test]
    fn numbers_that_nobody_has_shift_nothing() {
        let [dense, sparse] = [1, 3].map(|apart| planned_apart(20, apart, 5, |value| value / (1.0 + value)));
        let of_pages: Vec<f32> = sparse.visits.iter().step_by(3).copied().collect();
        assert_eq!(of_pages, dense.visits);
    }

    #[test]
    fn the_visits_add_up_to_the_budget() {
        for fetches in [1, 5, 15] {
            let allocation = planned(20, fetches, |value| ((1.0 + 4.0 * value).sqrt() - 1.0) / 2.0);
            let spent: f32 = allocation.visits.iter().sum();
            assert!((spent - fetches as f32).abs() < 0.01 * fetches as f32, "{spent} of {fetches}");
            assert!(allocation.visits.iter().all(|visits| *visits <= 1.001));
        }
    }

    #[test]
    fn too_much_or_nothing_to_spend_is_no_trouble() {
        let visits = |fetches| planned(3, fetches, |value| value).visits;
        assert!(visits(100).iter().all(|visits| (*visits - 1.0).abs() < 1e-3), "{:?}", visits(100));
        assert!(visits(0).iter().all(|visits| *visits < 1e-6));
        assert!(planned(0, 10, |value| value).visits.is_empty());
    }
}
