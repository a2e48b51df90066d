//! A trace cut into cycles of equal length: which page changed in which cycle.
//!
//! The pages are those that exist throughout the window, or [all](Population::All). A page changed in a cycle if the trace
//! has a change of it in [begin, end); several within one cycle are one.

use std::ops::Range;

use super::population::{Life, Population};
use super::random::Random;
use super::trace::Trace;
use crate::page::PageId;
use crate::time::{Span, Time};

/// The part of a trace to look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// When the first cycle begins.
    pub start: Time,
    /// How long a cycle is.
    pub cycle: Span,
    /// How many cycles there are.
    pub cycles: usize,
    /// In how many of the first of them every page is visited.
    pub warmup: usize,
}

/// Why a window cannot be cut out of a trace.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum WindowError {
    /// No page exists throughout.
    #[error(
        "no page of {trace} exists from {start} to {end} (seconds since 1970); it has pages from {first} to {last}: \
         move the window or make it shorter"
    )]
    NoPages {
        /// The trace.
        trace: String,
        /// Where the window begins.
        start: i64,
        /// Where it ends.
        end: i64,
        /// Where the trace begins.
        first: i64,
        /// Where it ends.
        last: i64,
    },
    /// Pages come and go, but the trace does not know of all cycles who was there.
    #[error(
        "the window from {start} to {end} (seconds since 1970) reaches beyond {trace}, which knows pages from {first} to \
         {last}: move the window or make it shorter"
    )]
    Outside {
        /// The trace.
        trace: String,
        /// Where the window begins.
        start: i64,
        /// Where it ends.
        end: i64,
        /// Where the trace begins.
        first: i64,
        /// Where it ends.
        last: i64,
    },
    /// No page would ever have been visited when the policies begin.
    #[error("a warm-up of 0 leaves no copies to keep fresh: use at least 1")]
    NoWarmup,
    /// All cycles are warm-up, or there are none.
    #[error(
        "{cycles} cycles with a warm-up of {warmup} leave nothing to measure: use more or shorter cycles, or begin earlier"
    )]
    NothingToMeasure {
        /// The cycles.
        cycles: usize,
        /// The warm-up.
        warmup: usize,
    },
}

impl Window {
    /// When a cycle begins, which is when the one before it ends.
    pub fn begin(&self, cycle: usize) -> Time {
        self.start + Span::from_millis(self.cycle.millis() * cycle as i64)
    }

    /// When a cycle ends, which is when its visits are made.
    pub fn end(&self, cycle: usize) -> Time {
        self.begin(cycle + 1)
    }
}

/// A trace cut into cycles.
#[derive(Clone, Debug)]
pub struct Cut<'a> {
    trace: &'a Trace,
    window: Window,
    population: Population,
    /// In the order in which they appear, those of one cycle in the trace's order.
    pages: Vec<PageId>,
    changes: Vec<Vec<FirstChange>>,
    /// How many pages have appeared before each cycle, and one more for the end.
    appeared: Vec<usize>,
    /// The places of the pages that are gone from each cycle on.
    gone: Vec<Vec<u32>>,
}

/// A page changed in a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstChange {
    /// The page's place in the cut.
    pub index: u32,
    /// When it changed first in that cycle.
    pub at: Time,
}

impl<'a> Cut<'a> {
    /// Cuts a window out of a trace, with the pages that exist throughout.
    pub fn new(trace: &'a Trace, window: Window) -> Result<Cut<'a>, WindowError> {
        Cut::of(trace, window, Population::Throughout)
    }

    /// Cuts a window out of a trace, with the pages of a population.
    pub fn of(trace: &'a Trace, window: Window, population: Population) -> Result<Cut<'a>, WindowError> {
        check(trace, window, population)?;
        let life = |page: PageId| {
            let life = Life::of(trace.page(page), &window)?;
            life.belongs_to(population, window.cycles).then_some((page, life))
        };
        let mut lives: Vec<(PageId, Life)> = trace.ids().filter_map(life).collect();
        if lives.is_empty() {
            return Err(no_pages(trace, window));
        }
        // Stable, and no work at all if nobody appears later.
        lives.sort_by_key(|(_, life)| life.first_cycle());
        let mut cut = Cut::empty(trace, window, population);
        lives.into_iter().for_each(|(page, life)| cut.push(page, life));
        Ok(cut.finished())
    }

    fn empty(trace: &'a Trace, window: Window, population: Population) -> Cut<'a> {
        let (changes, gone) = (vec![Vec::new(); window.cycles], vec![Vec::new(); window.cycles]);
        Cut { trace, window, population, pages: Vec::new(), changes, appeared: vec![0; window.cycles + 1], gone }
    }

    /// Takes in a page that appears no earlier than those before it.
    fn push(&mut self, page: PageId, life: Life) {
        let (start, index) = (self.window.start, self.pages.len() as u32);
        let (from, to) = (self.window.begin(life.first_cycle()), self.window.begin(life.gone));
        let mut last = None;
        for &at in within(self.trace.changes(page), from, to) {
            let cycle = ((at - start).millis() / self.window.cycle.millis()) as usize;
            if last.replace(cycle) != Some(cycle) {
                self.changes[cycle].push(FirstChange { index, at });
            }
        }
        self.pages.push(page);
        self.appeared[life.first_cycle()] += 1;
        if life.gone < self.window.cycles {
            self.gone[life.gone].push(index);
        }
    }

    /// The cut, once all its pages are in it: counts of pages that appeared become sums.
    fn finished(mut self) -> Cut<'a> {
        for cycle in 1..self.appeared.len() {
            self.appeared[cycle] += self.appeared[cycle - 1];
        }
        self
    }

    /// The same window for each of several parts of the pages, as equal as they can be and drawn by a seed.
    ///
    /// There are no more parts than pages.
    pub fn folds(&self, count: usize, seed: u64) -> Vec<Cut<'a>> {
        let count = count.clamp(1, self.len());
        let mut random = Random::stream(seed, 0);
        let mut fold_of: Vec<usize> = (0..self.len()).map(|index| index % count).collect();
        random.shuffle(&mut fold_of);
        let mut places = vec![Vec::new(); count];
        (0..).zip(fold_of).for_each(|(place, fold)| places[fold].push(place));
        places.iter().map(|places| self.only(places)).collect()
    }

    /// The same window for the pages at these places, given in rising order; places it does not have are left out.
    pub fn only(&self, places: &[u32]) -> Cut<'a> {
        let mut cut = Cut::empty(self.trace, self.window, self.population);
        for &page in places.iter().filter_map(|place| self.pages.get(*place as usize)) {
            if let Some(life) = Life::of(self.trace.page(page), &self.window) {
                cut.push(page, life);
            }
        }
        cut.finished()
    }

    /// The trace it was cut from.
    pub fn trace(&self) -> &'a Trace {
        self.trace
    }

    /// The window.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Which pages of the trace these are.
    pub fn population(&self) -> Population {
        self.population
    }

    /// How many pages there are, all at once or one after the other.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is no page; never, since such a cut is an error.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The page in the trace that stands at this place in the cut.
    pub fn page(&self, index: usize) -> PageId {
        self.pages[index]
    }

    /// The pages that changed in a cycle, in the order of their places.
    pub fn changed_in(&self, cycle: usize) -> &[FirstChange] {
        &self.changes[cycle]
    }

    /// The places of the pages that appear in a cycle.
    pub fn appeared_in(&self, cycle: usize) -> Range<usize> {
        self.appeared[cycle]..self.appeared[cycle + 1]
    }

    /// The places of the pages that are there when the window begins.
    pub fn first(&self) -> Range<usize> {
        0..self.appeared[0]
    }

    /// The places of the pages that are gone from a cycle on, in ascending order.
    pub fn gone_in(&self, cycle: usize) -> &[u32] {
        &self.gone[cycle]
    }

    /// How many pages are there at the end of each cycle.
    pub fn present(&self) -> Vec<usize> {
        let mut gone = 0;
        let at_end = |cycle: usize| {
            gone += self.gone[cycle].len();
            self.appeared[cycle + 1] - gone
        };
        (0..self.window.cycles).map(at_end).collect()
    }

    /// A page's mean time between changes while it is there; how long it is there if it never changes.
    pub fn mean_interval(&self, index: usize) -> Span {
        let page = self.trace.page(self.pages[index]);
        let start = page.first_seen.max(self.window.start);
        let end = page.last_seen.min(self.window.begin(self.window.cycles));
        let changes = within(self.trace.changes(self.pages[index]), start, end).len();
        (end - start) / changes.max(1) as f64
    }
}

fn check(trace: &Trace, window: Window, population: Population) -> Result<(), WindowError> {
    if window.warmup == 0 {
        return Err(WindowError::NoWarmup);
    }
    if window.cycles <= window.warmup {
        return Err(WindowError::NothingToMeasure { cycles: window.cycles, warmup: window.warmup });
    }
    let (first, last) = trace.span().unwrap_or_default();
    let (start, end) = (window.start, window.begin(window.cycles));
    // The first pages may appear in the first cycle, and be discovered by its visits.
    if population == Population::All && (window.end(0) < first || end > last) {
        let (start, end, first, last) = (start.secs(), end.secs(), first.secs(), last.secs());
        return Err(WindowError::Outside { trace: trace.name.clone(), start, end, first, last });
    }
    Ok(())
}

fn no_pages(trace: &Trace, window: Window) -> WindowError {
    let (first, last) = trace.span().unwrap_or_default();
    WindowError::NoPages {
        trace: trace.name.clone(),
        start: window.start.secs(),
        end: window.begin(window.cycles).secs(),
        first: first.secs(),
        last: last.secs(),
    }
}

/// The changes in [from, to).
fn within(changes: &[Time], from: Time, to: Time) -> &[Time] {
    let first = changes.partition_point(|change| *change < from);
    let last = changes.partition_point(|change| *change < to);
    &changes[first..last]
}
