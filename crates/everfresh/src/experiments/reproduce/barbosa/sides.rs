//! Which pages a classifier learns from, which it is checked on (Table 1), and which are crawled in the end (Tables 3 and 5).
//!
//! As in the paper, two thirds of the pages train and the other third is crawled; of those that train, two thirds are
//! learned from and the last third checks. With `--split site` no site is on two sides. With `--split time` no time is
//! either: what pages did in the first half trains; the second half checks and is crawled.

use revisit::lab::cut::{Cut, Window};
use revisit::lab::trace::Trace;
use revisit::learn::example::{Example, observe};
use revisit::learn::{LearnError, sample};

/// What no two sides have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// No page
    Page,
    /// No site
    Site,
    /// Neither page nor time: the first half trains, the second tests
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
        let whole = cut.window();
        let (earlier, later, window) = if split == Split::Time {
            let half = whole.cycles / 2;
            let window = Window { start: whole.begin(half), cycles: half, ..whole };
            (observe(cut, 0..half), observe(cut, half..2 * half), window)
        } else {
            let examples = observe(cut, 0..whole.cycles);
            (examples.clone(), examples, whole)
        };
        let parted = |examples: &[Example]| match split {
            Split::Site => sample::by_site(examples, seed),
            Split::Page | Split::Time => sample::by_page(examples.len(), seed),
        };
        let taken = |examples: &[Example], rows: &[usize]| -> Vec<Example> {
            rows.iter().map(|row| examples[*row].clone()).collect()
        };
        let (train, test) = parted(&earlier)?;
        let (trained, seen_later) = (taken(&earlier, &train), taken(&later, &train));
        let (learn, check) = parted(&trained)?;
        Ok(Sides {
            learn: taken(&trained, &learn),
            check: taken(&seen_later, &check),
            train: trained,
            test: taken(&later, &test),
            window,
        })
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
        let Sides { learn, check, train, test, window } = sides(Split::Time);
        assert_eq!((train.len(), test.len(), window.cycles), (200, 100, 50));
        let longest = |side: &[Example]| side.iter().map(|page| page.interval.as_days()).fold(0.0, f64::max);
        assert_eq!([&learn, &check, &test].map(|side| longest(side)), [50.0; 3], "all are watched equally long");
        let before = |page: &Example| train.iter().find(|other| other.page == page.page);
        assert!(check.iter().any(|page| before(page).is_some_and(|other| other.interval != page.interval)));
        assert!(test.iter().all(|page| before(page).is_none()));
    }
}
