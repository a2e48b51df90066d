//! `everfresh`: what each page is likely to do, from everything that was seen, and the visit that is worth most for what
//! the user wants.
//!
//! For each page the chance of every rate (`rates`) follows from its own visits (`evidence`) and from what is known before
//! (`prior`): how common each rate is in the collection, moved by what the page looks like (`looks`) and by the `words` of
//! its address. Time does not
//! always count the same: a cycle in which its `neighbours` were found changed counts for more, a day on which it rests for
//! less (`rhythm`), and the time right after a change for more if changes come in `bursts`. What a visit is worth under the `objective`, averaged over
//! all rates, is the score. A page of which nothing is known may be a busy one, so it is looked at without a bonus for
//! exploring; that bonus was tried and is worth nothing.
//!
//! Each part can be left out (`everfresh-…`), so that its worth is measured. A visit costs constant work; a refit, once a
//! cycle, is linear in pages, and what it fits is fitted to a [sample] of at most 50,000 of them. 60 bytes a page.

mod bursts;
mod evidence;
mod looks;
mod neighbours;
mod objective;
mod prior;
mod rates;
mod reasons;
mod rhythm;
mod sample;
mod words;

use super::registry::{Build, Entry, Spending};
use super::{Budget, Needs, Policy};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::features::Features;
use crate::history::History;
use crate::page::{PageId, Pages};
use crate::site::Structure;
use crate::time::{Span, Time};
use crate::visit::{Outcome, Visit};
use bursts::Bursts;
use evidence::Evidence;
use looks::{Look, Looks};
use neighbours::{Neighbours, Watched};
use objective::{OBJECTIVE, Objective};
use prior::{NEUTRAL, Prior, leaning};
use rates::{RATES, decay, mean};
use reasons::Outlook;
use rhythm::{Habit, Rhythm};
use sample::Sample;
use words::{Vocabulary, Words};

/// How fast evidence fades: −ln 0.99 a cycle.
const FADING: f32 = 0.010_05;
/// How fast what was seen fades where pages are compared by looks and words: −ln 0.9 a cycle. There is more of it.
const FADING_OF_LOOKS: f32 = 0.105_36;

/// The registry's entry.
pub(super) const ENTRY: Entry =
    entry("everfresh", "the visit worth most, going by the page's history, looks and neighbours", |values| {
        Box::new(Everfresh::new(Objective::of(values), ALL))
    });

/// Without `evidence` fading.
pub(super) const WITHOUT_FADING: Entry =
    entry("everfresh-fading", "everfresh, but old evidence counts as recent does", |values| {
        Box::new(Everfresh::new(Objective::of(values), Parts { fading: false, ..ALL }))
    });
/// Without `looks`.
pub(super) const WITHOUT_LOOKS: Entry =
    entry("everfresh-looks", "everfresh, but blind to what pages look like", |values| {
        Box::new(Everfresh::new(Objective::of(values), Parts { looks: false, ..ALL }))
    });
/// Without `words`.
pub(super) const WITHOUT_WORDS: Entry =
    entry("everfresh-words", "everfresh, but blind to the words of addresses", |values| {
        Box::new(Everfresh::new(Objective::of(values), Parts { words: false, ..ALL }))
    });
/// Without `neighbours`.
pub(super) const WITHOUT_NEIGHBOURS: Entry =
    entry("everfresh-neighbours", "everfresh, but every cycle counts the same", |values| {
        Box::new(Everfresh::new(Objective::of(values), Parts { neighbours: false, ..ALL }))
    });
/// Without `rhythm`.
pub(super) const WITHOUT_RHYTHM: Entry =
    entry("everfresh-rhythm", "everfresh, but no day is busier than another", |values| {
        Box::new(Everfresh::new(Objective::of(values), Parts { rhythm: false, ..ALL }))
    });
/// Without `bursts`.
pub(super) const WITHOUT_BURSTS: Entry =
    entry("everfresh-bursts", "everfresh, but a change says nothing of the next", |values| {
        Box::new(Everfresh::new(Objective::of(values), Parts { bursts: false, ..ALL }))
    });

const fn entry(
    name: &'static str,
    summary: &'static str,
    build: fn(&super::parameter::Values<'_>) -> Box<dyn Policy>,
) -> Entry {
    Entry {
        name,
        paper: "everfresh's own",
        summary,
        spending: Spending::Ranks,
        needs_truth: false,
        parameters: &[OBJECTIVE],
        build: Build::Plain(build),
    }
}

/// Which parts are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts {
    fading: bool,
    looks: bool,
    words: bool,
    neighbours: bool,
    rhythm: bool,
    bursts: bool,
}

impl Parts {
    /// The share of evidence that is left after so many cycles.
    fn kept(self, cycles: f32) -> f32 {
        if self.fading { decay(FADING * cycles) } else { 1.0 }
    }
}

const ALL: Parts = Parts { fading: true, looks: true, words: true, neighbours: true, rhythm: true, bursts: true };

/// Times of a page's last visits, the last one first, in cycles; NaN where there was none.
type Visits = [f32; 3];

/// What is known of one page.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
struct Known {
    evidence: Evidence,
    visits: Visits,
    group: u32,
    look: Look,
    words: Words,
    leaning: u8,
    habit: Habit,
    /// What the last visits saw, the last one in the lowest bit.
    outcomes: u8,
}

impl Known {
    /// Expects what pages of such looks, given what these say, and with such words in their addresses do.
    fn lean(&mut self, by_looks: f32, vocabulary: &Vocabulary) {
        self.leaning = leaning(by_looks + vocabulary.offset(&self.words));
    }
}

/// A page nobody has seen.
const UNKNOWN: Known = Known {
    evidence: evidence::NONE,
    visits: [f32::NAN; 3],
    group: 0,
    look: looks::UNSEEN,
    words: Words::NONE,
    leaning: NEUTRAL,
    habit: Habit::NONE,
    outcomes: 0,
};

/// The policy.
#[derive(Debug)]
pub(crate) struct Everfresh {
    objective: Objective,
    parts: Parts,
    cycle: Span,
    /// The first visit of all: time counts in cycles from here.
    origin: Option<Time>,
    /// When it was last fitted to what was seen.
    refitted: f32,
    pages: Vec<Known>,
    sample: Sample,
    prior: Prior,
    looks: Looks,
    vocabulary: Vocabulary,
    neighbours: Neighbours,
    rhythm: Rhythm,
    bursts: Bursts,
}

impl Everfresh {
    fn new(objective: Objective, parts: Parts) -> Everfresh {
        Everfresh {
            objective,
            parts,
            cycle: Span::HOUR,
            origin: None,
            refitted: f32::NEG_INFINITY,
            pages: Vec::new(),
            sample: Sample::default(),
            prior: Prior::default(),
            looks: Looks::default(),
            vocabulary: Vocabulary::default(),
            neighbours: Neighbours::default(),
            rhythm: Rhythm::default(),
            bursts: Bursts::default(),
        }
    }

    fn page_mut(&mut self, page: PageId) -> &mut Known {
        if self.pages.len() <= page.index() {
            self.pages.resize(page.index() + 1, UNKNOWN);
            self.sample.grow(self.pages.len());
        }
        &mut self.pages[page.index()]
    }

    fn in_cycles(&self, time: Time) -> f32 {
        self.origin.map_or(0.0, |origin| (time - origin).ratio(self.cycle) as f32)
    }

    fn time(&self, cycles: f32) -> Time {
        self.origin.unwrap_or(Time::from_secs(0)) + self.cycle * f64::from(cycles)
    }

    fn posterior(&self, known: &Known, now: f32) -> [f32; RATES] {
        known.evidence.posterior(self.prior.of(known.leaning), self.parts.kept(now - known.visits[0]))
    }

    /// How much busier, or less, than usual the time between two others is for a page, going by its habits.
    fn busy(&self, known: &Known, from: f32, to: f32) -> f32 {
        if !self.rhythm.has_rest() {
            return 1.0;
        }
        let if_resting = self.rhythm.busy(self.time(from), self.time(to));
        1.0 + self.rhythm.chance(known.habit) * (if_resting - 1.0)
    }

    fn outlook(&self, page: PageId, history: &History, now: Time) -> Option<Outlook<'_>> {
        let known = self.pages.get(page.index()).filter(|known| !known.visits[0].is_nan())?;
        let now = self.in_cycles(now);
        let seen = known.visits[0];
        Some(Outlook {
            chances: self.posterior(known, now),
            alike: self.prior.of(known.leaning),
            elapsed: (now - seen).max(0.0),
            around: self.neighbours.exposure(known.group, seen, now),
            at_work: self.busy(known, seen, now),
            burst: if self.parts.bursts { self.bursts.factor(history) } else { 1.0 },
            after: if self.parts.bursts { self.bursts.factors_after(history) } else { [1.0; 2] },
        })
    }

    /// Has a page that was met expect what others like it do.
    fn lean(&mut self, page: PageId) {
        let known = &mut self.pages[page.index()];
        known.lean(self.looks.offset(&known.look), &self.vocabulary);
    }

    /// Takes in a visit that could tell whether the page had changed.
    fn observe(&mut self, page: PageId, history: &History, at: f32, changed: bool) {
        let known = &self.pages[page.index()];
        // A first visit that saw a change knows of the cycle that ends with it.
        let from = if known.visits[0].is_nan() { at - 1.0 } else { known.visits[0] };
        let kept = self.parts.kept(at - from);
        let chances = known.evidence.posterior(self.prior.of(known.leaning), kept);
        let factor = if self.parts.bursts { self.bursts.factor_before(history) } else { 1.0 };
        let around = self.neighbours.exposure(known.group, from, at) * factor;
        let exposure = around * self.busy(known, from, at);
        let rate = mean(&chances, |rate| rate);
        let changes = if changed { expected_changes(rate * exposure) } else { 0.0 };
        let mut habit = known.habit;
        // Before the first fit nothing is expected of anybody, so nothing can be more or less than that.
        if self.refitted > f32::NEG_INFINITY {
            let unchanged = |exposure: f32| mean(&chances, |rate| decay(rate * exposure));
            let told = |exposure: f32| if changed { 1.0 - unchanged(exposure) } else { unchanged(exposure) };
            self.bursts.learn(history, changed, 1.0 - unchanged(exposure / factor));
            let (from, to) = (self.time(from), self.time(at));
            habit.learn(told(around * self.rhythm.busy(from, to)), told(around), kept);
            self.rhythm.learn(from, to, changes, rate * around);
        }
        let known = &mut self.pages[page.index()];
        known.habit = habit;
        known.evidence.add(exposure, changed, kept);
        if let Some(seen) = self.sample.of(page) {
            seen.add(changes, exposure, decay(FADING_OF_LOOKS * (at - from)));
        }
    }

    /// Fits everything to what was seen so far.
    fn refit(&mut self, now: f32) {
        let sample = self.pages.iter().step_by(self.sample.step()).zip(self.sample.iter());
        let sample = sample.filter(|(known, _)| !known.visits[0].is_nan());
        let kept = |known: &Known| self.parts.kept(now - known.visits[0]);
        self.prior.refit(sample.clone().map(|(known, _)| (&known.evidence, kept(known), known.leaning)));
        if self.parts.looks {
            let (looks, vocabulary) = (&mut self.looks, &self.vocabulary);
            looks
                .refit(sample.clone().map(|(known, seen)| (&known.look, seen.beside(vocabulary.offset(&known.words)))));
        }
        if self.parts.words {
            let (looks, vocabulary) = (&self.looks, &mut self.vocabulary);
            vocabulary.refit(sample.map(|(known, seen)| (known.words, seen.beside(looks.offset(&known.look)))));
        }
        let looks = self.looks.offsets();
        self.pages.iter_mut().for_each(|known| known.lean(looks.offset(&known.look), &self.vocabulary));
        if self.parts.neighbours {
            let counts = self.neighbours.count(now, self.watched(now));
            self.neighbours.settle(now, &counts);
        }
        if self.parts.rhythm {
            self.rhythm.settle(self.time(now));
        }
        self.refitted = now;
    }

    /// What the last visits to each page told of the cycles before them.
    fn watched(&self, now: f32) -> impl Iterator<Item = Watched> + '_ {
        self.pages.iter().filter(|known| !known.visits[1].is_nan()).flat_map(move |known| {
            let chances = self.posterior(known, now);
            let rate = mean(&chances, |rate| rate);
            let windows = [(known.visits[1], known.visits[0], 1), (known.visits[2], known.visits[1], 2)];
            windows.into_iter().filter(|(from, ..)| !from.is_nan()).map(move |(from, to, outcome)| {
                let busy = self.busy(known, from, to);
                let exposure = self.neighbours.exposure(known.group, from, to);
                let expected = || mean(&chances, |rate| expected_changes(rate * exposure * busy));
                let changes = if known.outcomes & outcome == 0 { 0.0 } else { expected() };
                Watched { group: known.group, from, to, exposure, rate: rate * busy, changes }
            })
        })
    }
}

/// How many changes there were if there was one and x were expected: x / (1 − e^(−x)).
fn expected_changes(x: f32) -> f32 {
    if x < 0.01 { 1.0 + x / 2.0 } else { x / (1.0 - decay(x)) }
}

impl Policy for Everfresh {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        let outlook = self.outlook(page, history, now)?;
        Some(f64::from(outlook.worth(self.objective)))
    }

    fn chance_current(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        Some(f64::from(self.outlook(page, history, now)?.current()))
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let Some(outlook) = self.outlook(page, history, now) else { return "it was never seen".to_owned() };
        outlook.in_words(history, self.objective, self.cycle, now)
    }

    fn describe(&mut self, page: PageId, features: &Features) {
        self.page_mut(page).look.describe(features);
        self.lean(page);
    }

    fn locate(&mut self, page: PageId, url: &str) {
        self.page_mut(page).words = Words::of(url);
        self.lean(page);
    }

    fn learn(&mut self, page: PageId, history: &History, visit: &Visit) {
        let changed = match visit.outcome {
            Outcome::Failed | Outcome::Gone => return,
            Outcome::First => None,
            Outcome::Changed => Some(true),
            Outcome::Unchanged => Some(false),
        };
        self.origin.get_or_insert(visit.at);
        let at = self.in_cycles(visit.at);
        self.page_mut(page);
        if let Some(changed) = changed {
            self.observe(page, history, at, changed);
        }
        let known = self.page_mut(page);
        known.visits = [at, known.visits[0], known.visits[1]];
        known.outcomes = known.outcomes << 1 | u8::from(changed == Some(true));
    }

    fn needs(&self) -> Needs {
        Needs { structure: true, intervals: false, predicts: true, ..Needs::default() }
    }

    fn survey(&mut self, structure: &Structure) {
        let mut neighbours = std::mem::take(&mut self.neighbours);
        neighbours.regroup(structure, |page, group, company| {
            let known = self.page_mut(page);
            known.group = group;
            known.look.arrange(structure.in_degree(page), company);
        });
        self.neighbours = neighbours;
    }

    fn plan(&mut self, _pages: &Pages, budget: Budget, now: Time) {
        self.cycle = budget.cycle;
        let now = self.in_cycles(now);
        // Rounds of one cycle go by the same fit, however the clock is rounded.
        if !self.pages.is_empty() && now >= self.refitted + 0.999 {
            self.refit(now);
        }
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.origin)?;
        checkpoint.keep(&mut self.refitted)?;
        checkpoint.keep_rows(&mut self.pages)?;
        self.sample.keep(checkpoint)?;
        checkpoint.keep(&mut self.prior)?;
        checkpoint.keep(&mut self.looks)?;
        checkpoint.keep(&mut self.vocabulary)?;
        checkpoint.keep(&mut self.bursts)?;
        self.neighbours.keep(checkpoint)?;
        self.rhythm.keep(checkpoint)
    }
}

#[cfg(test)]
mod tests;
