//! Why a page is visited when it is, and from what evidence.

use revisit::{Floors, Held, PageId, Time};
use serde::Serialize;
use url::Url;

use super::{Query, QueryError};
use crate::meaning::Rules;
use crate::pipeline::{Call, Claimed, Dates, Evidence, HostState, PageState, PipelineError, Reply, Turn};
use crate::store::{HintEntry, PageSummary, VisitEntry};

/// All there is to say of a page.
#[derive(Serialize)]
pub struct Explanation {
    /// The page as it was found.
    pub page: PageSummary,
    /// Whether the crawl that runs says so; if not, it is what the store tells.
    pub live: bool,
    /// When this was so, in milliseconds since 1970.
    pub at: i64,
    /// The policy in use.
    pub policy: String,
    /// Why, in the policy's words.
    pub reason: String,
    /// When its turn comes if nothing else changes, in words.
    pub when: String,
    /// The same for programs.
    pub turn: Turn,
    /// Its score, its weight included, if it has a place in the order.
    pub score: Option<f64>,
    /// That place: 1 for the page that would go first.
    pub rank: Option<usize>,
    /// How many pages have one.
    pub of: Option<usize>,
    /// What its visits showed.
    pub evidence: Evidence,
    /// How it is asked.
    pub source: SourceEntry,
    /// How its host is treated.
    pub host: HostState,
    /// Its last visit.
    pub last_visit: Option<VisitEntry>,
    /// The site it is in, unless its server has more pages than can be looked at in the time of a question.
    pub site: Option<SiteOfPage>,
    /// What the lists of its host say of it.
    pub list: Option<ListSaid>,
}

/// How a page is asked.
#[derive(Serialize)]
pub struct SourceEntry {
    /// Its kind.
    pub kind: &'static str,
    /// What fetches it.
    pub handler: &'static str,
    /// The media types it is asked for.
    pub accept: Option<String>,
    /// The query that is put to it.
    pub query: Option<String>,
    /// What does not count in its data.
    pub rules: Rules,
}

/// The site a page is in, by its top page.
#[derive(Serialize)]
pub struct SiteOfPage {
    /// The top page's URL.
    pub top: String,
    /// The top page's last visit.
    pub top_last_visit: Option<VisitEntry>,
}

/// What the lists of its host say of a page.
#[derive(Serialize)]
pub struct ListSaid {
    /// What was said last.
    #[serde(flatten)]
    pub hint: HintEntry,
    /// What that means since the last visit.
    pub claim: Option<Claimed>,
    /// What the dates of the host are worth.
    pub dates: Dates,
}

impl Query {
    /// Why the page that a person means is visited when it is.
    pub fn explain(&self, url: &str, now: Time) -> Result<Explanation, QueryError> {
        let page = self.find(url)?;
        let id = PageId(page.id);
        let (live, state) = match self.ask(&Call::Page(id)) {
            Some(Reply::Page(Some(state))) if self.means(&state.policy, state.budget) => (true, *state),
            // If it answered, it may not have learned of the page yet.
            _ => (false, self.page_state(&page, now)?),
        };
        let PageState { at, policy, budget, reason, turn, evidence, claim, dates, host } = state;
        let (rank, of, score) = match turn {
            Turn::Ranked { position, of, score, .. } => (Some(position), Some(of), Some(score)),
            _ => (None, None, None),
        };
        Ok(Explanation {
            live,
            at,
            policy,
            reason,
            when: when(turn, budget, self.settings.floors, Time::from_millis(at)),
            turn,
            score,
            rank,
            of,
            evidence,
            source: self.source_entry(&page)?,
            host,
            last_visit: self.last_visit(id)?,
            site: self.site_of(&page)?,
            list: self.store.hint(id)?.map(|hint| ListSaid { hint, claim, dates }),
            page,
        })
    }

    fn page_state(&self, page: &PageSummary, now: Time) -> Result<PageState, QueryError> {
        let state = self.memory(now)?.page_state(PageId(page.id), &self.settings, now).map_err(PipelineError::from)?;
        state.ok_or_else(|| {
            QueryError::NotFound(format!("{} is out of reach: its host was deleted from the store", page.url))
        })
    }

    fn source_entry(&self, page: &PageSummary) -> Result<SourceEntry, QueryError> {
        let source = self.source(PageId(page.id))?;
        let rules = self.settings.data_rules(source.as_ref());
        let source = source.unwrap_or_default();
        let wrong = |why: String| QueryError::Malformed(format!("{} cannot be asked: {why}", page.url));
        let url = Url::parse(&page.url).map_err(|error| wrong(error.to_string()))?;
        let handler = source.handler(&url).map_err(|error| wrong(error.to_string()))?;
        let (handler, accept) = (handler.name(), handler.first().question.accept);
        Ok(SourceEntry { kind: source.kind.name(), handler, accept, query: source.query, rules })
    }

    fn site_of(&self, page: &PageSummary) -> Result<Option<SiteOfPage>, QueryError> {
        let Some(top) = self.top_of(page)? else { return Ok(None) };
        let url = self.store.urls(&[top])?.remove(&top).unwrap_or_default();
        Ok(Some(SiteOfPage { top: url, top_last_visit: self.last_visit(top)? }))
    }
}

/// In how many cycles, about, a revisit has its turn: while pages wait for their first visit, revisits may have no more than their floor.
fn cycles_until(position: usize, waiting: usize, budget: usize, floors: Floors) -> usize {
    let (position, budget) = (position as f64, budget.max(1) as f64);
    let least = (budget * floors.again).max(1.0 / 20.0);
    let crowded = waiting as f64 / (budget - least).max(1.0);
    let cycles = if position <= crowded * least { position / least } else { (position + waiting as f64) / budget };
    cycles.ceil() as usize
}

/// When a page's turn comes, in words.
fn when(turn: Turn, budget: usize, floors: Floors, now: Time) -> String {
    match turn {
        Turn::New => "as soon as its turn among the new pages comes".into(),
        Turn::UnderWay => "now: it is being visited, or waits for its host to be ready".into(),
        Turn::RestsUntil(until) => format!("not before it has rested for another {}", Time::from_millis(until) - now),
        Turn::Ranked { position, of, waiting, .. } => {
            let cycles = cycles_until(position, waiting, budget, floors);
            let wait = if cycles <= 1 { "in the next cycle".into() } else { format!("in about {cycles} cycles") };
            format!("{wait}: it stands {position} of {of} with a budget of {budget}")
        }
        Turn::Unwanted => "not now, even if budget is left".into(),
        Turn::LeftAlone(Held::Paused) => "not before it is resumed: it was paused".into(),
        Turn::LeftAlone(Held::Removed) => "never again: it was removed".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisits_wait_while_new_pages_take_all_but_their_floor() {
        let floors = Floors { first: 0.2, again: 0.05 };
        assert_eq!(cycles_until(21, 0, 20, floors), 2);
        assert_eq!(cycles_until(133, 3000, 20, floors), 133, "one a cycle, for 158 cycles");
        assert_eq!(cycles_until(133, 19, 20, floors), 8);
        assert_eq!(cycles_until(3, 100, 20, Floors::NONE), 6, "after all that wait");
    }
}
