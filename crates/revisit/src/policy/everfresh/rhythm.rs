//! The rhythm of a collection: days of the week, and hours of the day, on which pages change more than on others.
//!
//! Learned from what the last cycles showed of all pages together. A rhythm is looked for only where it can be seen: a cycle
//! must be short beside its period, and at least two periods must have been watched.

use super::neighbours::CYCLES;
use crate::time::{Span, Time};

/// Days of the week, and parts of the day of three hours each.
const PERIODS: [(Span, usize); 2] = [(Span::from_secs(7 * 86_400), 7), (Span::DAY, 8)];

/// Changes as expected that each slot has in addition: few changes make no rhythm.
const WEIGHT: f32 = 20.0;

/// How busy each part of a period is; 1 on average.
#[derive(Clone, Debug, Default)]
pub(super) struct Rhythm {
    periods: Vec<(Span, Vec<f32>)>,
}

impl Rhythm {
    /// Reads the rhythm off cycles: when each began, changes found in it, and changes expected without a rhythm.
    pub(super) fn read(cycle: Span, cycles: impl Iterator<Item = (Time, f32, f32)> + Clone) -> Rhythm {
        let periods = PERIODS.into_iter().filter(|(period, _)| {
            let cycles = period.ratio(cycle);
            cycles >= 4.0 && cycles * 2.0 <= CYCLES as f64
        });
        let read = |(period, slots): (Span, usize)| {
            let mut counts = vec![(WEIGHT, WEIGHT); slots];
            for (begun, found, expected) in cycles.clone() {
                let (all, usual) = &mut counts[slot(begun, period, slots)];
                *all += found;
                *usual += expected;
            }
            (period, counts.into_iter().map(|(found, expected)| found / expected).collect())
        };
        Rhythm { periods: periods.map(read).collect() }
    }

    /// How busy a cycle that begins then is expected to be.
    pub(super) fn at(&self, begun: Time) -> f32 {
        self.periods.iter().map(|(period, slots)| slots[slot(begun, *period, slots.len())]).product()
    }
}

fn slot(time: Time, period: Span, slots: usize) -> usize {
    let into = time.millis().rem_euclid(period.millis());
    (into as i128 * slots as i128 / i128::from(period.millis())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixty cycles of a day, busy on two days of seven.
    fn weekly(cycle: Span) -> Rhythm {
        let begun = move |day: i64| Time::from_secs(1_700_000_000) + cycle * day as f64;
        let cycles = (0..60).map(|day| (begun(day), if day % 7 < 2 { 300.0 } else { 20.0 }, 100.0));
        Rhythm::read(cycle, cycles.collect::<Vec<_>>().into_iter())
    }

    #[test]
    fn busy_days_come_again() {
        let rhythm = weekly(Span::DAY);
        let day = |number: i64| rhythm.at(Time::from_secs(1_700_000_000) + Span::DAY * number as f64);
        assert!(day(70) > 2.5 && day(71) > 2.5 && day(72) < 0.4, "{} {} {}", day(70), day(71), day(72));
    }

    #[test]
    fn weekly_cycles_have_no_days() {
        assert_eq!(weekly(Span::DAY * 7.0).at(Time::from_secs(1_700_000_000)), 1.0);
    }
}
