//! The simulated crawl, fast: pages in the same state are scored and chosen together.
//!
//! Exactly the lab's loop for formulas over n, X and t (Santos 2013, algorithm 2): in every cycle after the warm-up the
//! highest scores are visited, ties go to the lowest page ids, and a visit sees whether the page changed since the one
//! before. The work of a cycle grows with its visits and with the number of different states, not with the pages.

use super::super::graph::Graph;
use super::super::sample::Sample;
use super::buckets::{Bucket, Buckets};
use super::cut::{self, Candidate, Cut};
use super::program::{Program, State};
use super::scores::Scores;
use crate::lab::measure::CycleCounts;
use crate::model::formula::Variable;

/// Where every crawl of a sample begins: the pages after the warm-up, by the changes seen in it.
#[derive(Debug)]
pub(super) struct Start {
    pages: Vec<u32>,
    buckets: Vec<Bucket>,
}

impl Start {
    pub(super) fn of(sample: &Sample) -> Start {
        let warmup = sample.window().warmup;
        let mut by_changes: Vec<Vec<u32>> = vec![Vec::new(); warmup + 1];
        for page in 0..sample.len() as u32 {
            let changes = (0..warmup).filter(|cycle| sample.test(*cycle..=*cycle).any(page)).count();
            by_changes[changes].push(page);
        }
        let mut start = Start { pages: Vec::with_capacity(sample.len()), buckets: Vec::new() };
        for (changes, pages) in by_changes.iter().enumerate().filter(|(_, pages)| !pages.is_empty()) {
            start.buckets.push(Bucket {
                visits: warmup as u32,
                changes: changes as u32,
                last: warmup as u32 - 1,
                start: start.pages.len() as u32,
                length: pages.len() as u32,
            });
            start.pages.extend_from_slice(pages);
        }
        start
    }
}

/// The memory of a simulated crawl, kept from one formula to the next.
#[derive(Debug, Default)]
pub(super) struct Simulator {
    program: Program,
    scores: Scores,
    buckets: Buckets,
    candidates: Vec<Candidate>,
    unscored: Vec<u32>,
    states: Vec<State>,
    fresh: Vec<f64>,
    visited: Vec<Bucket>,
    order: Vec<u64>,
    changed: Vec<u32>,
    /// What a visit adds to n.
    counting: u32,
}

/// The crawl to simulate.
#[derive(Clone, Copy)]
pub(super) struct Crawl<'a> {
    pub(super) sample: &'a Sample,
    pub(super) start: &'a Start,
    /// Visits a cycle may make.
    pub(super) visits: usize,
    /// Whether to count the current copies, which looks at every page in every cycle.
    pub(super) freshness: bool,
}

impl Simulator {
    /// What happens in each cycle after the warm-up.
    ///
    /// A formula that does not know n cannot tell pages apart by it: their n then stands still, and there are fewer states.
    pub(super) fn run(&mut self, crawl: Crawl<'_>, graph: &Graph, root: u32) -> Vec<CycleCounts> {
        let window = crawl.sample.window();
        let visits = crawl.visits.min(crawl.sample.len());
        self.counting = u32::from(graph.variables().any(|variable| variable == Variable::Visits));
        self.program.compile(graph, root, window.cycles);
        self.scores.reset(window.cycles);
        self.buckets.begin(&crawl.start.buckets, &crawl.start.pages, visits, &mut self.scores);
        self.changed.resize(visits + 1, 0);
        let mut counts = Vec::with_capacity(window.cycles - window.warmup);
        let mut floor = f64::NEG_INFINITY;
        for cycle in window.warmup as u32..window.cycles as u32 {
            if visits > 0 {
                floor = self.choose(cycle, visits, floor, window.warmup as u32 - 1);
            }
            let changed_visits = self.visit(crawl.sample, cycle);
            let current = if crawl.freshness { self.current(crawl.sample, cycle) } else { 0 };
            let changed_pages = crawl.sample.changed_pages(cycle as usize);
            let pages = crawl.sample.len();
            counts.push(CycleCounts { pages, visits, changed_visits, changed_pages, current, age_days: 0.0 });
        }
        counts
    }

    /// Takes the pages to visit out of their buckets; returns the floor for the next cycle.
    fn choose(&mut self, cycle: u32, visits: usize, floor: f64, ordered: u32) -> f64 {
        self.buckets.make_room(visits);
        if self.scores.is_full() {
            self.scores.give_up();
            self.buckets.rebase(&mut self.scores);
        }
        let (mut found, pages) = self.collect(cycle, floor);
        if pages < visits {
            (found, _) = self.collect(cycle, f64::NEG_INFINITY);
        }
        let candidates = &mut self.candidates[..found];
        let Cut { above, level, visits, floor } = cut::find(candidates, visits);
        self.visited.clear();
        self.visited.extend(candidates[..above].iter().map(|candidate| self.buckets.take(candidate.bucket)));
        let level = &candidates[above..above + level];
        let pages: usize = level.iter().map(|candidate| candidate.pages as usize).sum();
        if pages == visits {
            self.visited.extend(level.iter().map(|candidate| self.buckets.take(candidate.bucket)));
        } else {
            let places = level.iter().map(|candidate| candidate.bucket);
            self.buckets.take_lowest(places, visits, ordered, |bucket| self.visited.push(bucket));
        }
        floor
    }

    /// Lists the buckets that score above a floor; returns how many they are and how many pages they have.
    fn collect(&mut self, cycle: u32, floor: f64) -> (usize, usize) {
        let count = self.buckets.bases.len();
        if self.candidates.len() < count {
            self.candidates.resize(count, Candidate { score: 0.0, bucket: 0, pages: 0 });
            self.unscored.resize(count, 0);
        }
        let (mut above, mut unscored, mut pages) = (0, 0, 0);
        for (place, (base, bucket)) in self.buckets.bases.iter().zip(&self.buckets.buckets).enumerate() {
            // Writing always and advancing sometimes leaves nothing for the processor to guess.
            let score = self.scores.get(*base, cycle);
            self.candidates[above] = Candidate { score, bucket: place as u32, pages: bucket.length };
            self.unscored[unscored] = place as u32;
            above += usize::from(score > floor);
            unscored += usize::from(score.is_nan());
            pages += if score > floor { bucket.length as usize } else { 0 };
        }
        self.score(cycle, unscored);
        for (&place, &score) in self.unscored[..unscored].iter().zip(&self.fresh).filter(|(_, score)| **score > floor) {
            let length = self.buckets.buckets[place as usize].length;
            self.candidates[above] = Candidate { score, bucket: place, pages: length };
            above += 1;
            pages += length as usize;
        }
        (above, pages)
    }

    /// Scores the first so many of the buckets that met a new state.
    fn score(&mut self, cycle: u32, unscored: usize) {
        let places = &self.unscored[..unscored];
        self.states.clear();
        self.states.extend(places.iter().map(|place| self.buckets.buckets[*place as usize].state(cycle)));
        self.program.scores(&self.states, &mut self.fresh);
        for (&place, &score) in places.iter().zip(&self.fresh) {
            self.scores.set(self.buckets.bases[place as usize], cycle, score);
        }
    }

    /// Visits the pages taken and puts them into the buckets of their new states; returns how many had changed.
    ///
    /// In the order of (n, X) the pages of a new bucket come one after the other: first those that went from X − 1 to X,
    /// which waited in `changed`, then those that stayed at X.
    fn visit(&mut self, sample: &Sample, cycle: u32) -> usize {
        self.sort();
        let (visited, order) = (std::mem::take(&mut self.visited), std::mem::take(&mut self.order));
        let (mut changed_visits, mut waiting) = (0, 0);
        let mut open = Bucket { visits: 0, changes: 0, last: cycle, start: self.buckets.end(), length: 0 };
        for key in &order {
            let bucket = &visited[*key as u32 as usize];
            open = self.open_for(bucket, open, &mut waiting);
            let test = sample.test(bucket.last as usize + 1..=cycle as usize);
            let room = &mut self.changed[waiting..];
            let changed = if test.is_short() {
                self.buckets.visit(bucket, room, |page| test.short(page))
            } else {
                self.buckets.visit(bucket, room, |page| test.any(page))
            };
            waiting += changed;
            changed_visits += changed;
        }
        open = self.advance(open, &mut waiting);
        self.close(open);
        (self.visited, self.order) = (visited, order);
        changed_visits
    }

    /// Lists the places of the buckets taken in the order of their (n, X).
    fn sort(&mut self) {
        // One word for what to sort by and what is sorted: the fastest there is to sort.
        let key = |(place, bucket): (usize, &Bucket)| {
            u64::from(self.scores.pair(bucket.visits, bucket.changes)) << 32 | place as u64
        };
        self.order.clear();
        self.order.extend(self.visited.iter().enumerate().map(key));
        self.order.sort_unstable();
    }

    /// The bucket for the pages of another that did not change; the one that was open if it is the same.
    fn open_for(&mut self, bucket: &Bucket, mut open: Bucket, waiting: &mut usize) -> Bucket {
        let (visits, changes) = (bucket.visits + self.counting, bucket.changes);
        let fits = |open: &Bucket| (open.visits, open.changes) == (visits, changes);
        if !fits(&open) {
            open = self.advance(open, waiting);
        }
        if !fits(&open) {
            self.close(open);
            open = Bucket { visits, changes, start: self.buckets.end(), ..open };
        }
        open
    }

    /// Closes a bucket and opens the one with a change more, whose pages were waiting.
    fn advance(&mut self, open: Bucket, waiting: &mut usize) -> Bucket {
        self.close(open);
        let start = self.buckets.end();
        self.buckets.append(&self.changed[..std::mem::take(waiting)]);
        Bucket { changes: open.changes + 1, start, ..open }
    }

    fn close(&mut self, open: Bucket) {
        let length = self.buckets.end() - open.start;
        if length > 0 {
            self.buckets.add(Bucket { length, ..open }, &mut self.scores);
        }
    }

    /// How many copies are current at a cycle's end.
    fn current(&self, sample: &Sample, cycle: u32) -> usize {
        let waiting = self.buckets.buckets.iter().filter(|bucket| bucket.length > 0 && bucket.last < cycle);
        let stale: usize = waiting
            .map(|bucket| {
                let test = sample.test(bucket.last as usize + 1..=cycle as usize);
                self.buckets.pages(bucket).iter().filter(|page| test.any(**page)).count()
            })
            .sum();
        sample.len() - stale
    }
}
