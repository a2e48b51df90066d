//! Which pages a classifier learns from, which it is checked on (Table 1), and which are crawled in the end (Tables 3 and 5).
//!
//! As in the paper, two thirds of the pages train and the other third is crawled; of those that train, two thirds are
//! learned from and the last third checks. With `--split site` no site is on two sides. With `--split time` all pages are on
//! every side: what they did in the first half of the time trains, the second half checks and is crawled.

use clap::ValueEnum;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::trace::Trace;
use revisit::learn::LearnError;
use revisit::learn::example::{Example, observe};
use revisit::learn::sample;

/// What no two sides have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Split {
    /// No page
    Page,
    /// No site
    Site,
    /// No time: the first half trains, the second tests
    Time,
}

impl Split {
    /// How it is written on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Split::Page => "page",
            Split::Site => "site",
            Split::Time => "time",
        }
    }
}

/// The sides of an experiment.
#[derive(Debug)]
pub(super) struct Sides {
    /// Classifiers learn from these.
    pub(super) learn: Vec<Example>,
    /// Table 1 is made with these.
    pub(super) check: Vec<Example>,
    /// The groups are found in these.
    pub(super) train: Vec<Example>,
    /// These are crawled.
    pub(super) test: Vec<Example>,
    /// When they are crawled.
    pub(super) window: Window,
}

impl Sides {
    pub(super) fn of(cut: &Cut<'_>, split: Split, seed: u64) -> Result<Sides, LearnError> {
        let window = cut.window();
        if split == Split::Time {
            return Ok(Sides::by_time(cut));
        }
        let halve = |examples: &[Example]| -> Result<(Vec<Example>, Vec<Example>), LearnError> {
            let (train, test) = match split {
                Split::Site => sample::by_site(examples, seed)?,
                _ => sample::by_page(examples.len(), seed)?,
            };
            let taken = |rows: Vec<usize>| rows.into_iter().map(|row| examples[row].clone()).collect();
            Ok((taken(train), taken(test)))
        };
        let (train, test) = halve(&observe(cut, 0..window.cycles))?;
        let (learn, check) = halve(&train)?;
        Ok(Sides { learn, check, train, test, window })
    }

    fn by_time(cut: &Cut<'_>) -> Sides {
        let (window, half) = (cut.window(), cut.window().cycles / 2);
        let (earlier, later) = (observe(cut, 0..half), observe(cut, half..2 * half));
        let window = Window { start: window.begin(half), cycles: half, ..window };
        Sides { learn: earlier.clone(), check: later.clone(), train: earlier, test: later, window }
    }

    /// The pages to crawl as a trace of their own, in the order of [`Sides::test`].
    pub(super) fn crawled(&self, trace: &Trace) -> Trace {
        let page = |example: &Example| (trace.page(example.page).clone(), trace.changes(example.page).to_vec());
        Trace::new(trace.name.clone(), self.test.iter().map(page))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use revisit::lab::world;
    use std::collections::BTreeSet;

    fn sides(split: Split) -> Sides {
        let trace = world::make("general?site=5", 300, 1).unwrap();
        let window = Window { start: trace.span().unwrap().0, cycle: revisit::Span::DAY, cycles: 101, warmup: 1 };
        Sides::of(&Cut::new(&trace, window).unwrap(), split, 1).unwrap()
    }

    fn of<T: Ord>(examples: &[Example], what: impl Fn(&Example) -> T) -> BTreeSet<T> {
        examples.iter().map(what).collect()
    }

    #[test]
    fn no_page_is_on_two_sides() {
        let Sides { learn, check, train, test, .. } = sides(Split::Page);
        assert_eq!((train.len(), test.len(), learn.len(), check.len()), (200, 100, 134, 66));
        let pages = |examples: &[Example]| of(examples, |example| example.page);
        assert!(pages(&train).is_disjoint(&pages(&test)) && pages(&learn).is_disjoint(&pages(&check)));
        assert!(pages(&learn).is_subset(&pages(&train)));
    }

    #[test]
    fn no_site_is_on_two_sides() {
        let Sides { learn, check, test, .. } = sides(Split::Site);
        let sites = [learn, check, test].map(|side| of(&side, |example| example.site.clone()));
        assert!(sites.iter().all(|side| !side.is_empty()));
        let all: BTreeSet<&String> = sites.iter().flatten().collect();
        assert_eq!(sites.iter().map(BTreeSet::len).sum::<usize>(), all.len());
    }

    #[test]
    fn no_time_is_on_two_sides() {
        let sides = sides(Split::Time);
        assert_eq!((sides.learn.len(), sides.test.len(), sides.window.cycles), (300, 300, 50));
        let longest =
            |examples: &[Example]| examples.iter().map(|example| example.interval.as_days()).fold(0.0, f64::max);
        assert_eq!((longest(&sides.learn), longest(&sides.test)), (50.0, 50.0), "both are watched equally long");
        assert_ne!(sides.learn, sides.test);
    }
}
