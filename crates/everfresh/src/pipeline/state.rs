//! What memory says of itself and of single pages, for people: the same whether a running crawl is asked or what it left in the
//! store is told again.

use revisit::estimate::gamma::Gamma;
use revisit::site::{Claim, Trust};
use revisit::{BadScore, Held, History, HostId, PageId, Rank, Time};
use serde::{Deserialize, Serialize};

use super::memory::{Memory, ToldCycle};
use crate::settings::Settings;
use crate::store::{HostRow, Outcomes};

/// How a collection stands.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Overview {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Under which policy.
    pub policy: String,
    /// With how many fetches a cycle.
    pub budget: usize,
    /// Pages that wait for their first visit.
    pub waiting: usize,
    /// The share of the pages that were ever seen.
    pub coverage: f64,
    /// The share of the pages seen whose copy is expected to be current. Times the coverage, it is the share of all pages.
    pub expected_freshness: f64,
    /// The cycle that began last; `None` if nobody wrote down when cycles began.
    pub cycle: Option<CycleState>,
    /// Pages picked and not yet recorded; none if no crawl runs.
    pub picked: usize,
    /// Exchanges under way; none if no crawl runs.
    pub in_flight: usize,
}

/// How a cycle stands.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct CycleState {
    /// Its number.
    pub number: u64,
    /// When it began, in milliseconds since 1970.
    pub opened_at: i64,
    /// Visits it may still make; `None` if as many as there are pages.
    pub left: Option<u64>,
    /// How its visits ended.
    pub outcomes: Outcomes,
}

/// How a page stands.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct PageState {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Under which policy.
    pub policy: String,
    /// With how many fetches a cycle.
    pub budget: usize,
    /// Why it is visited when it is.
    pub reason: String,
    /// When its turn comes if nothing else changes.
    pub turn: Turn,
    /// What its visits showed.
    pub evidence: Evidence,
    /// What lists say of it since its last visit: `changed`, `unchanged`, or nothing.
    pub claim: Option<Claimed>,
    /// What the dates of its host's lists are worth.
    pub dates: Dates,
    /// How its host is treated.
    pub host: HostState,
}

/// When a page's turn comes.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Turn {
    /// It was never visited, and waits among the new pages.
    New,
    /// It is picked: it is being visited, or waits in the queue of its host.
    UnderWay,
    /// It could not be reached, and rests until this time, in milliseconds since 1970.
    RestsUntil(i64),
    /// It has a place in the order.
    Ranked {
        /// 1 for the page that would go first.
        position: usize,
        /// How many pages the policy wants to visit now.
        of: usize,
        /// The page's score, its weight included.
        score: f64,
        /// Pages that wait for their first visit meanwhile.
        waiting: usize,
    },
    /// The policy does not want it now, even if budget is left.
    Unwanted,
    /// Somebody ordered so.
    LeftAlone(Held),
}

/// What visits of a page showed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Evidence {
    /// Visits that could have seen a change.
    pub observations: u32,
    /// Those that did.
    pub changes: u32,
    /// Visits in vain since the last that reached it.
    pub failures_in_a_row: u8,
    /// When it was last seen, in milliseconds since 1970.
    pub last_seen: Option<i64>,
    /// When it was last seen to have changed.
    pub last_change: Option<i64>,
    /// How often it changes, as far as is believed.
    pub changes_per_day: f64,
    /// The chance that the copy is current, as the policy has it.
    pub chance_current: Option<f64>,
    /// Newest first, at most 64.
    pub recent_changes: Vec<bool>,
}

/// What a list's date says of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claimed {
    /// It changed since it was last seen.
    Changed,
    /// It did not.
    Unchanged,
}

/// What the dates of a host's lists are worth, from visits of late. A share is absent until a visit tested it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Dates {
    /// Of pages said to have changed, the share that had.
    pub changed_right: Option<f64>,
    /// Of pages said to be as they were, the share that was.
    pub unchanged_right: Option<f64>,
    /// The chance that a page said to have changed goes ahead of all others.
    pub urgency: f64,
    /// The chance that a page said to be unchanged stands for a visit all the same.
    pub need: f64,
}

/// How a host is treated.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct HostState {
    /// Scheme, name and port.
    pub name: String,
    /// Seconds between two requests, at least.
    pub delay_seconds: f64,
    /// When it was last contacted, in milliseconds since 1970.
    pub last_contact: Option<i64>,
    /// Until when it is left alone.
    pub blocked_until: Option<i64>,
}

impl CycleState {
    fn of(cycle: &ToldCycle, left: usize) -> CycleState {
        let ToldCycle { opened, outcomes, .. } = cycle;
        CycleState::new(opened.number, opened.at, left, *outcomes)
    }

    pub(super) fn new(number: u64, opened_at: Time, left: usize, outcomes: Outcomes) -> CycleState {
        // Without a budget, it is more than any collection takes from it.
        let left = (left < usize::MAX / 4).then_some(left as u64);
        CycleState { number, opened_at: opened_at.millis(), left, outcomes }
    }
}

impl Dates {
    /// What this much trust means.
    pub fn of(trust: Trust) -> Dates {
        let tested = |claim| (trust.tested(claim) > 0.0).then(|| trust.chance(claim));
        Dates {
            changed_right: tested(Claim::Changed),
            unchanged_right: tested(Claim::Unchanged).map(|chance| 1.0 - chance),
            urgency: trust.urgency(),
            need: trust.need(),
        }
    }
}

impl Evidence {
    fn of(prior: &Gamma, history: &History, chance_current: Option<f64>) -> Evidence {
        let believed = prior.posterior(history);
        Evidence {
            observations: history.observations(),
            changes: history.changes(),
            failures_in_a_row: history.failures(),
            last_seen: history.last_seen().map(Time::millis),
            last_change: history.last_change().map(Time::millis),
            changes_per_day: believed.rate(),
            chance_current,
            recent_changes: history.recent().collect(),
        }
    }
}

impl Memory {
    /// How the collection stands.
    pub fn overview(&self, settings: &Settings, now: Time) -> Overview {
        let left = self.scheduler.left();
        Overview {
            at: now.millis(),
            policy: settings.policy.clone(),
            budget: settings.budget,
            waiting: self.scheduler.waiting(),
            coverage: self.scheduler.coverage(),
            expected_freshness: self.scheduler.expected_freshness(now),
            cycle: self.cycle.as_ref().map(|cycle| CycleState::of(cycle, left)),
            picked: 0,
            in_flight: 0,
        }
    }

    /// How a page stands by the plan of the last cycle; `None` if there is no such page in reach.
    pub fn page_state(&self, page: PageId, settings: &Settings, now: Time) -> Result<Option<PageState>, BadScore> {
        if !self.scheduler.pages().contains(page) {
            return Ok(None);
        }
        let rank = match self.scheduler.ranking(page, now)? {
            Some(mut ranking) => self.scheduler.look_on(&mut ranking, usize::MAX)?,
            None => None,
        };
        Ok(Some(self.page_ranked(page, rank, settings, now)))
    }

    /// How a page stands of which it is known where in the order.
    pub(super) fn page_ranked(&self, page: PageId, rank: Option<Rank>, settings: &Settings, now: Time) -> PageState {
        let (scheduler, history) = (&self.scheduler, self.scheduler.pages().history(page));
        let host = scheduler.pages().host(page);
        PageState {
            at: now.millis(),
            policy: settings.policy.clone(),
            budget: settings.budget,
            reason: self.reason(page, now),
            turn: self.turn(page, rank, now),
            evidence: Evidence::of(&scheduler.prior(), &history, scheduler.chance_current(page, now)),
            claim: scheduler.claim(page, now).map(|claim| match claim {
                Claim::Changed => Claimed::Changed,
                Claim::Unchanged => Claimed::Unchanged,
            }),
            dates: Dates::of(scheduler.trust(host)),
            host: self.host_state(host),
        }
    }

    fn host_state(&self, host: HostId) -> HostState {
        let HostRow { name, last_contact, blocked_until, .. } = self.hosts.row(host);
        let ever = |time: Time| (time != Time::MIN).then(|| time.millis());
        let delay_seconds = self.hosts.delay(host).as_secs();
        HostState { name, delay_seconds, last_contact: ever(last_contact), blocked_until: ever(blocked_until) }
    }

    fn reason(&self, page: PageId, now: Time) -> String {
        let history = self.scheduler.pages().history(page);
        match (history.last_seen(), history.failures()) {
            (_, 1) => "its last visit did not reach it, so it rests for a cycle".into(),
            (_, failures @ 2..) => {
                format!("its last {failures} visits did not reach it, so it rests, twice as long after each")
            }
            (None, _) => {
                "it was never visited: a page without a copy is as stale as any, and goes first by its weight, hosts in turn".into()
            }
            (Some(_), _) => self.scheduler.reason(page, now),
        }
    }

    fn turn(&self, page: PageId, rank: Option<Rank>, now: Time) -> Turn {
        let history = self.scheduler.pages().history(page);
        if let (false, Some(why)) = (self.scheduler.is_picked(page), self.scheduler.held(page)) {
            return Turn::LeftAlone(why);
        }
        match (history.last_attempt(), self.scheduler.rests_until(page), rank) {
            _ if self.scheduler.is_picked(page) => Turn::UnderWay,
            (None, _, _) => Turn::New,
            (_, Some(until), _) if until > now => Turn::RestsUntil(until.millis()),
            (_, _, Some(Rank { position, of, score })) => {
                Turn::Ranked { position, of, score, waiting: self.scheduler.waiting() }
            }
            (Some(_), _, None) if history.last_seen().is_none() => Turn::New,
            (Some(_), _, None) => Turn::Unwanted,
        }
    }
}
