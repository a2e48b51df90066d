//! When is a visit worth it? One small trait for every published answer, used by the live crawler and the lab alike.
//!
//! A policy knows pages only through their histories and hears of a change only through a visit. It never learns the
//! time or the budget but through the calls below, so the same policy runs live, in fast time and on a trace.
//!
//! One file a method, with its paper, its formula and how it was read; one folder a family. The [`registry`] is the only list
//! of them and builds them by name.
//!
//! | folder | what its methods have in common | policies |
//! |---|---|---|
//! | `baseline` | no cleverness: what the others are held against | `age`, `rand`, `uniform`, `proportional` |
//! | `score` | pages by how likely they changed (Tan & Mitra 2010; Santos 2013; Grimes & Ford 2008) | `cg`, `nad`, `sad`, `aad`, `gad`, `tx`, `gp`, `grimes-ford` |
//! | `interval` | an interval a page, moved by its visits (Umbrich et al. 2015; Nutch, StormCrawler) | `week`, `gold`, `fix`, `dyn`, `window`, `state-1`, `state-2`, `nutch-adaptive`, `stormcrawler-adaptive` |
//! | [`groups`] | pages in change-rate groups (Barbosa et al. 2005) | `historic`, `bayesian`, `random+…`, `tree+…` |
//! | `sites` | pages that speak for one another (Kumagai & Yamana 2004; Cho & Ntoulas 2002; Tan & Mitra 2010) | `breadth-first`, `site-a`, `site-b`, `site-c`, `sampling`, `sampling+…`, `clusters` |
//! | `optimal` | the best if rates were known (Cho & Garcia-Molina 2003; Azar et al. 2018; Kolobov et al. 2019; Whittle indices) | `cho-optimal`, `lambdacrawl`, `lambdacrawl-binary`, `index-…` |
//! | `everfresh` | this crate's own, which learns from content, history and neighbours | `everfresh`, `everfresh-…` |

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::features::Features;
use crate::history::History;
use crate::page::{PageId, Pages};
use crate::site::Structure;
use crate::time::{Span, Time};
use crate::visit::Visit;

mod baseline;
pub(crate) mod draw;
mod everfresh;
pub mod groups;
mod interval;
mod optimal;
mod parameter;
pub mod registry;
mod score;
mod sites;

/// What may be spent: fetches in each cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Fetches a cycle may make.
    pub fetches: usize,
    /// How long a cycle is.
    pub cycle: Span,
}

/// What a policy asks of whoever runs it, beside the calls that every policy gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Whether it wants to know how pages are arranged: their directories, and how many pages link to each. Nobody keeps that
    /// for a policy that does not.
    pub structure: bool,
    /// Whether it also follows links, so that it has to be kept who links to whom.
    pub links: bool,
    /// Whether it reads how long the intervals between a page's visits were. If not, histories keep times and counts alone, and
    /// take all intervals to be of the same length.
    pub intervals: bool,
    /// Whether it predicts changes from the links. Then the lab shows it those that pages' first versions had, not those of
    /// the trace's end, which know the future.
    pub predicts: bool,
    /// In how many rounds a cycle is to be picked, if what one round's visits show decides what the next wants. Live, rounds
    /// follow one another with the fetches anyway; the lab goes by this number.
    pub rounds: usize,
}

/// Nothing but the calls with whole histories, one round a cycle.
impl Default for Needs {
    fn default() -> Needs {
        Needs { structure: false, links: false, intervals: true, predicts: false, rounds: 1 }
    }
}

/// A rule that says which pages to visit next.
pub trait Policy: Send {
    /// How much a visit now is worth: higher goes first; `None` means not now, even if budget is left.
    ///
    /// Asked only of pages that were seen at least once; pages never seen have a share of the budget of their own.
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64>;

    /// Why the score is what it is, in one sentence with the page's own numbers, for the user who asks.
    fn reason(&self, page: PageId, history: &History, now: Time) -> String;

    /// The chance that the copy of a page is current, if the policy has an opinion.
    fn chance_current(&self, _page: PageId, _history: &History, _now: Time) -> Option<f64> {
        None
    }

    /// Told what a page's first version shows, before the visit that saw it. Not every page is described.
    fn describe(&mut self, _page: PageId, _features: &Features) {}

    /// Told where a page is, once, before anything else of it.
    fn locate(&mut self, _page: PageId, _url: &str) {}

    /// Told of every visit, after the history took it in.
    fn learn(&mut self, _page: PageId, _history: &History, _visit: &Visit) {}

    /// What it needs to be itself; the same at any time.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Told how pages are arranged, if it needs that: before the first plan after it changed, at most once a cycle.
    fn survey(&mut self, _structure: &Structure) {}

    /// Before each round of picks: refit, solve for the budget, choose probes, open or close sites.
    ///
    /// Called once before anything else too, with no pages and no fetches, so that a policy knows how long a cycle is
    /// when it learns of the first visit.
    fn plan(&mut self, _pages: &Pages, _budget: Budget, _now: Time) {}

    /// Keeps all that its scores come from, the plan of the cycle under way and what it was shown among it, but histories and
    /// settings.
    fn keep(&mut self, _checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        Ok(())
    }
}

/// Cycles since the page was last seen, the t of the score methods; 0 if it never was.
pub(crate) fn cycles_since(history: &History, cycle: Span, now: Time) -> f64 {
    history.elapsed(now).map_or(0.0, |elapsed| elapsed.ratio(cycle))
}

/// How long a page was not seen, as a number from 0 to 1, so that it orders pages of the same standing and nothing else.
pub(crate) fn seniority(history: &History, cycle: Span, now: Time) -> f64 {
    let cycles = cycles_since(history, cycle, now);
    cycles / (cycles + 1.0)
}

/// An interval method's score: `None` until due, then how many intervals have gone by.
pub(crate) fn overdue(elapsed: Span, interval: Span) -> Option<f64> {
    (elapsed >= interval).then(|| elapsed.ratio(Span::from_millis(interval.millis().max(1))))
}

/// Says of an interval method how long the page rests.
pub(crate) fn interval_reason(elapsed: Span, interval: Span) -> String {
    if elapsed >= interval {
        format!("its interval is {interval} and it was last seen {elapsed} ago: overdue")
    } else {
        let rest = Span::from_millis(interval.millis() - elapsed.millis());
        format!("its interval is {interval} and it was last seen {elapsed} ago: due in {rest}")
    }
}
