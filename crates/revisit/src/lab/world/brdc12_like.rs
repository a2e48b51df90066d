//! `brdc12-like`: a stand-in for the BRDC'12 data set of Santos (*Learning to Schedule Web Page Updates Using Genetic
//! Programming*, 2013), which is not to be had: 417,048 pages of the Brazilian Web, visited daily for 57 days.
//!
//! Each page draws one kind, and each day it changes with the kind's probability:
//!
//! | kind | share | probability on a day |
//! |---|---|---|
//! | never | .62 | 0 |
//! | Poisson | .18, .135, .015 | 1 − e^(−r), r log-uniform in 1/200–1/20, 1/20–1/2, 1/2–3 |
//! | daily | .01 | .97 |
//! | weekdays | .01 | .95 on five days, .05 on two |
//! | weekly | .01 | .95 on one weekday of its own, else .01 |
//! | bursty | .02 | .8 while on, 5 days on average; .01 while off, 20 days on average |
//!
//! Reading: how long a burst lasts has no memory, and a page begins on or off as often as it is in the long run.

use super::{Extent, Values, World};
use crate::lab::random::Random;
use crate::lab::trace::Trace;

pub(super) const WORLD: World = World {
    name: "brdc12-like",
    summary: "57 days shaped like the BRDC'12 data set of Santos 2013: most pages never change, a few change daily",
    parameters: &[],
    make,
};

const DAYS: u32 = 57;
const DAYS_ON: f64 = 5.0;
const DAYS_OFF: f64 = 20.0;

/// How a page changes. Days are counted from a Monday.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Never,
    Poisson { probability: f64 },
    Daily,
    Weekdays,
    Weekly { weekday: u32 },
    Bursty { on: bool },
}

impl Kind {
    fn draw(random: &mut Random) -> Kind {
        let poisson = |rate: f64| Kind::Poisson { probability: 1.0 - (-rate).exp() };
        match random.weighted(&[0.62, 0.18, 0.135, 0.015, 0.01, 0.01, 0.01, 0.02]) {
            0 => Kind::Never,
            1 => poisson(random.log_uniform(1.0 / 200.0, 1.0 / 20.0)),
            2 => poisson(random.log_uniform(1.0 / 20.0, 1.0 / 2.0)),
            3 => poisson(random.log_uniform(1.0 / 2.0, 3.0)),
            4 => Kind::Daily,
            5 => Kind::Weekdays,
            6 => Kind::Weekly { weekday: random.below(7) as u32 },
            _ => Kind::Bursty { on: random.chance(DAYS_ON / (DAYS_ON + DAYS_OFF)) },
        }
    }

    /// Whether the page changes on a day; days are asked for one after the other.
    fn changes(&mut self, day: u32, random: &mut Random) -> bool {
        let probability = match self {
            Kind::Never => return false,
            Kind::Poisson { probability } => *probability,
            Kind::Daily => 0.97,
            Kind::Weekdays if day % 7 < 5 => 0.95,
            Kind::Weekdays => 0.05,
            Kind::Weekly { weekday } if day % 7 == *weekday => 0.95,
            Kind::Weekly { .. } => 0.01,
            Kind::Bursty { on } => {
                let probability = if *on { 0.8 } else { 0.01 };
                *on ^= random.chance(1.0 / if *on { DAYS_ON } else { DAYS_OFF });
                probability
            }
        };
        random.chance(probability)
    }

    fn days(mut self, random: &mut Random) -> Vec<u32> {
        if self == Kind::Never {
            return Vec::new();
        }
        (0..DAYS).filter(|day| self.changes(*day, random)).collect()
    }
}

fn make(name: &str, extent: Extent, _values: &Values) -> Trace {
    let page = |number: u32| {
        let mut random = Random::stream(extent.seed, number.into());
        let kind = Kind::draw(&mut random);
        (format!("http://brdc12.test/{number}"), kind.days(&mut random))
    };
    Trace::daily(name, DAYS, (0..extent.pages).map(page))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: u32 = 100_000;

    fn kinds() -> impl Iterator<Item = (Kind, Random)> {
        (0..PAGES).map(|number| {
            let mut random = Random::stream(11, number.into());
            (Kind::draw(&mut random), random)
        })
    }

    /// The share of the pages that `belongs` picks, and on what share of the days they change.
    fn marginals(belongs: impl Fn(&Kind) -> bool) -> (f64, f64) {
        let (mut pages, mut days) = (0, 0);
        for (kind, mut random) in kinds().filter(|(kind, _)| belongs(kind)) {
            pages += 1;
            days += kind.days(&mut random).len();
        }
        (f64::from(pages) / f64::from(PAGES), days as f64 / f64::from(pages * DAYS))
    }

    fn assert_marginals(belongs: impl Fn(&Kind) -> bool, share: f64, rate: f64) {
        let (share_found, rate_found) = marginals(belongs);
        assert!((share_found - share).abs() < 0.005, "{share_found} of the pages, not {share}");
        assert!((rate_found - rate).abs() < 0.01, "{rate_found} of the days, not {rate}");
    }

    /// The mean of 1 − e^(−r) for r log-uniform between two rates, by the midpoint rule.
    fn poisson_mean(least: f64, most: f64) -> f64 {
        let steps = 10_000;
        let rate = |step: i32| least * (most / least).powf((f64::from(step) + 0.5) / f64::from(steps));
        (0..steps).map(|step| 1.0 - (-rate(step)).exp()).sum::<f64>() / f64::from(steps)
    }

    #[test]
    fn every_kind_has_its_share_and_its_rate() {
        assert_marginals(|kind| *kind == Kind::Never, 0.62, 0.0);
        assert_marginals(|kind| *kind == Kind::Daily, 0.01, 0.97);
        // 57 days from a Monday are 41 weekdays and 16 days of weekends.
        assert_marginals(|kind| *kind == Kind::Weekdays, 0.01, (41.0 * 0.95 + 16.0 * 0.05) / 57.0);
        let weekly = (0.95 + 6.0 * 0.01) / 7.0;
        assert_marginals(|kind| matches!(kind, Kind::Weekly { .. }), 0.01, weekly);
        assert_marginals(|kind| matches!(kind, Kind::Bursty { .. }), 0.02, 0.2 * 0.8 + 0.8 * 0.01);
    }

    #[test]
    fn poisson_pages_come_in_three_ranges() {
        for (share, least, most) in [(0.18, 1.0 / 200.0, 1.0 / 20.0), (0.135, 1.0 / 20.0, 0.5), (0.015, 0.5, 3.0)] {
            let range = 1.0 - f64::exp(-least)..1.0 - f64::exp(-most);
            let belongs = |kind: &Kind| matches!(kind, Kind::Poisson { probability } if range.contains(probability));
            assert_marginals(belongs, share, poisson_mean(least, most));
        }
    }
}
