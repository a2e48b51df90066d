//! The ways in which a page changes, and the moments at which it does.
//!
//! A kind of change unfolds into an endless, lazily drawn sequence of moments. Nothing is drawn before somebody
//! asks about a time, so a page that changes each minute costs nothing until the clock gets there.

use std::iter;

use revisit::{Span, Time};

use super::random::Random;

/// The moments of a page's changes, in order.
pub(super) type Moments = Box<dyn Iterator<Item = Time> + Send>;

/// How a page changes over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// The page stays as it is.
    Never,
    /// Changes come without memory, this far apart on average.
    Poisson {
        /// Mean time between two changes.
        mean: Span,
    },
    /// Changes come exactly this far apart, from a moment of the page's own.
    Every(Span),
    /// One change a day, Monday to Friday (UTC), at a time of day of the page's own.
    Weekdays,
    /// Long quiet times, then a change every so often for a while.
    Bursts {
        /// Mean length of the quiet times.
        quiet: Span,
        /// Length of a busy time.
        busy: Span,
        /// Time between two changes in a busy time.
        every: Span,
    },
    /// Changes at exactly these times.
    At(Vec<Time>),
    /// All pages of a site with the same group and mean change at the same moments, like a manual that is built as
    /// a whole.
    Together {
        /// Which pages go together.
        group: u64,
        /// Mean time between two changes of the group.
        mean: Span,
    },
}

impl Changes {
    /// The moments after `start` at which the page `path` of `host` changes.
    pub(super) fn moments(&self, seed: u64, host: &str, path: &str, start: Time) -> Moments {
        let mut random = match self {
            Changes::Together { group, .. } => Random::new(seed, host, *group),
            _ => Random::new(seed, &format!("changes of {host}{path}"), 0),
        };
        match *self {
            Changes::Never => Box::new(iter::empty()),
            Changes::Poisson { mean } | Changes::Together { mean, .. } => poisson(random, mean, start),
            Changes::Every(span) => {
                Box::new(iter::successors(Some(start + span * random.unit()), move |at| Some(*at + span)))
            }
            Changes::Weekdays => weekdays(Span::DAY * random.unit(), start),
            Changes::Bursts { quiet, busy, every } => bursts(random, quiet, busy, every, start),
            Changes::At(ref times) => {
                let mut times = times.clone();
                times.sort_unstable();
                Box::new(times.into_iter())
            }
        }
    }
}

fn poisson(mut random: Random, mean: Span, start: Time) -> Moments {
    let mut at = start;
    Box::new(iter::from_fn(move || {
        at = at + random.exponential(mean);
        Some(at)
    }))
}

fn weekdays(time_of_day: Span, start: Time) -> Moments {
    let first_day = start.millis().div_euclid(Span::DAY.millis());
    // 1970 began on a Thursday, so day 4 was the first Monday.
    let working = |day: &i64| (day - 4).rem_euclid(7) < 5;
    let midnight = |day: i64| Time::from_millis(day.saturating_mul(Span::DAY.millis()));
    Box::new((first_day..).filter(working).map(move |day| midnight(day) + time_of_day))
}

fn bursts(mut random: Random, quiet: Span, busy: Span, every: Span, start: Time) -> Moments {
    let (mut at, mut busy_until) = (start, start);
    Box::new(iter::from_fn(move || {
        at = at + every;
        if at >= busy_until {
            at = busy_until + random.exponential(quiet);
            busy_until = at + busy;
        }
        Some(at)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Monday.
    const START: Time = Time::from_secs(1_767_571_200);

    fn first(changes: &Changes, count: usize) -> Vec<Time> {
        changes.moments(3, "a.test", "/", START).take(count).collect()
    }

    #[test]
    fn moments_come_in_order_and_are_the_same_each_time() {
        let kinds = [
            Changes::Poisson { mean: Span::HOUR },
            Changes::Every(Span::HOUR),
            Changes::Weekdays,
            Changes::Bursts { quiet: Span::DAY, busy: Span::HOUR, every: Span::MINUTE },
            Changes::Together { group: 1, mean: Span::DAY },
        ];
        for kind in kinds {
            let moments = first(&kind, 200);
            assert!(moments.is_sorted() && moments[0] >= START, "{kind:?}");
            assert_eq!(moments, first(&kind, 200), "{kind:?}");
        }
    }

    #[test]
    fn weekends_are_quiet() {
        let days: Vec<i64> =
            first(&Changes::Weekdays, 10).iter().map(|at| (*at - START).millis() / 86_400_000).collect();
        assert_eq!(days, [0, 1, 2, 3, 4, 7, 8, 9, 10, 11]);
    }

    #[test]
    fn a_group_changes_together() {
        let kind = Changes::Together { group: 4, mean: Span::DAY };
        let of = |path| kind.moments(3, "a.test", path, START).take(9).collect::<Vec<_>>();
        assert_eq!(of("/one"), of("/two"));
    }

    #[test]
    fn bursts_are_dense_and_apart() {
        let kind = Changes::Bursts { quiet: Span::DAY * 10.0, busy: Span::HOUR, every: Span::MINUTE };
        let moments = first(&kind, 600);
        let close = moments.windows(2).filter(|pair| pair[1] - pair[0] == Span::MINUTE).count();
        assert!((570..600).contains(&close), "{close} close pairs");
    }
}
