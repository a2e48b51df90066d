//! What `site-a`, `site-b` and `site-c` share: top pages are visited, and members when a top changed (Kumagai & Yamana 2004).
//!
//! The paper compares two points in time: every copy was current at the first, so "a top changed" has one meaning. In a crawl
//! that goes on under a budget, readings:
//!
//! - A site's members are worth a visit while a change of a top was seen since they were last seen. What a cycle's budget did
//!   not reach stays open, and within one cycle and without a limit this is the paper's rule.
//! - Members of sites that are open go before tops, else a budget smaller than the number of tops would only ever look and
//!   never collect. Within each kind the page not seen for longest goes first.
//! - By method C the tops of a lower site are worth a visit while a change of an upper top was seen since they were last seen.
//! - Pages in no site (out of reach, or found since the last look at the structure) are visited round robin with what is left.
//! - What is closed is not visited, even if budget is left. `rest=age` visits that round robin too, after everything else.

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::parameter::{Parameter, Values};
use crate::policy::{Budget, Needs, Policy, seniority};
use crate::site::{SiteId, Sites, Structure};
use crate::site::{by_directory, by_hierarchy, by_links};
use crate::{History, PageId, Pages, Span, Time};

/// How servers are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Directories,
    Links,
    Hierarchy,
}

/// Why a page is or is not to be visited, the least pressing first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
enum Call {
    /// No top of its sites changed since it was seen.
    Closed,
    /// No site has it.
    Apart,
    /// It tells whether its site changed.
    Top,
    /// A top changed since it was seen.
    Open,
}

/// What can be set about any policy that works in rounds.
pub(super) const ROUNDS: Parameter = Parameter::number(
    "rounds",
    "16",
    (1.0, 1000.0),
    "rounds a cycle in the lab: visits of one decide those of the next",
);

/// What can be set about any policy that goes by sites.
pub(super) const REST: Parameter =
    Parameter::choice("rest", &["none", "age"], "what is done with the budget that is left: nothing, or round robin");

/// Pages by the sites they are in.
#[derive(Debug)]
pub(super) struct BySite {
    method: Method,
    rest: bool,
    rounds: usize,
    sites: Sites,
    /// What each page is to be visited for; pages beyond the end are in no site.
    calls: Vec<Call>,
    cycle: Span,
}

impl BySite {
    /// No site yet.
    pub(super) fn new(method: Method, values: &Values<'_>) -> BySite {
        let (rest, rounds) = (values.is("rest", "age"), values.number("rounds") as usize);
        BySite { method, rest, rounds, sites: Sites::default(), calls: Vec::new(), cycle: Span::HOUR }
    }

    fn call(&self, page: PageId) -> Call {
        self.calls.get(page.index()).copied().unwrap_or(Call::Apart)
    }

    fn raise(&mut self, page: PageId, to: Call) {
        if let Some(call) = self.calls.get_mut(page.index()) {
            *call = to.max(*call);
        }
    }

    /// Decides what the pages of a site are to be visited for, given when a change of each site's tops was last seen.
    fn decide(&mut self, site: SiteId, news: &[Time], pages: &Pages) {
        let seen = |page: PageId| pages.contains(page).then(|| pages.history(page).last_seen()).flatten();
        let newer = |site: SiteId, page: PageId| seen(page).is_some_and(|seen| news[site.index()] > seen);
        // The lists of a site are read while the calls are written.
        let sites = std::mem::take(&mut self.sites);
        for top in sites.tops(site) {
            let looked_at = sites.upper(site).is_none_or(|upper| newer(upper, *top));
            self.raise(*top, if looked_at { Call::Top } else { Call::Closed });
        }
        for member in sites.members(site).iter().filter(|member| newer(site, **member)) {
            self.raise(*member, Call::Open);
        }
        self.sites = sites;
    }
}

/// When a change of a site's tops was last seen; `Time::MIN` if never.
fn news(sites: &Sites, site: SiteId, pages: &Pages) -> Time {
    let known = sites.tops(site).iter().filter(|top| pages.contains(**top));
    known.filter_map(|top| pages.history(*top).last_change()).max().unwrap_or(Time::MIN)
}

impl Policy for BySite {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        let kind = match self.call(page) {
            Call::Open => 3.0,
            Call::Top => 2.0,
            Call::Apart => 1.0,
            Call::Closed if self.rest => 0.0,
            Call::Closed => return None,
        };
        Some(kind + seniority(history, self.cycle, now))
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let elapsed = history.elapsed(now).unwrap_or_default();
        match self.call(page) {
            Call::Open => format!("last seen {elapsed} ago, and a top page of its site was seen changed since"),
            Call::Top => format!("last seen {elapsed} ago; it is a top page, which tells whether its site changed"),
            Call::Apart => format!("last seen {elapsed} ago; it is in no site, so it takes its turn in what is left"),
            Call::Closed => format!("last seen {elapsed} ago; no top page of its site was seen changed since"),
        }
    }

    fn needs(&self) -> Needs {
        Needs { structure: true, links: true, rounds: self.rounds, ..Needs::default() }
    }

    fn survey(&mut self, structure: &Structure) {
        let (graph, directories, depths) = (structure.graph(), structure.directories(), structure.depths());
        self.sites = match self.method {
            Method::Directories => by_directory(directories, &depths),
            Method::Links => by_links(graph, directories, &depths),
            Method::Hierarchy => by_hierarchy(graph, directories, &depths),
        };
    }

    fn plan(&mut self, pages: &Pages, budget: Budget, _now: Time) {
        self.cycle = budget.cycle;
        let in_site = |page: PageId| if self.sites.of(page).is_empty() { Call::Apart } else { Call::Closed };
        self.calls = (0..pages.end() as u32).map(|page| in_site(PageId(page))).collect();
        let news: Vec<Time> = self.sites.ids().map(|site| news(&self.sites, site, pages)).collect();
        for site in self.sites.ids() {
            self.decide(site, &news, pages);
        }
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.sites)?;
        checkpoint.keep_rows(&mut self.calls)
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::registry::build;
    use crate::{Floors, HostId, Outcome, PageId, Scheduler, Span, Time, Visit};

    /// The paper's Figure 4, its pages A to H in order, with a page that nobody links to.
    fn figure_4(policy: &str) -> Scheduler {
        let urls = ["a", "b", "c", "x/d", "x/e", "x/f", "y/g", "y/h", "lost"];
        let links: [&[u32]; 9] = [&[1, 2, 3, 6], &[5], &[], &[4], &[5], &[], &[7], &[], &[]];
        let mut scheduler = Scheduler::new(build(policy).unwrap(), Span::DAY, Floors::NONE);
        for (number, url) in (0..).zip(urls) {
            let page = scheduler.add(PageId(number), HostId(0), 1.0);
            let url = if url == "a" { String::new() } else { format!("{url}.html") };
            scheduler.locate(page, &format!("http://x.org/{url}"));
            scheduler.record(&visit(page.0, 0, Outcome::First));
        }
        scheduler.end_replay();
        for (page, targets) in (0..).zip(links) {
            scheduler.link(PageId(page), targets.iter().copied().map(PageId));
        }
        scheduler
    }

    fn visit(page: u32, day: i64, outcome: Outcome) -> Visit {
        Visit { page: PageId(page), at: Time::from_secs(day * 86_400), outcome }
    }

    /// Who is visited in each round of a day on which these pages have changed.
    fn rounds(scheduler: &mut Scheduler, day: i64, changed: &[u32]) -> Vec<Vec<u32>> {
        let now = Time::from_secs(day * 86_400);
        scheduler.open_cycle(99, 99, now);
        let mut rounds = Vec::new();
        loop {
            let picks = scheduler.pick(now, 99).unwrap();
            if picks.is_empty() {
                return rounds;
            }
            for page in &picks {
                let outcome = if changed.contains(&page.0) { Outcome::Changed } else { Outcome::Unchanged };
                scheduler.record(&visit(page.0, day, outcome));
            }
            let mut picks: Vec<u32> = picks.into_iter().map(|page| page.0).collect();
            picks.sort_unstable();
            rounds.push(picks);
        }
    }

    #[test]
    fn by_directory_tops_open_their_directories() {
        let mut scheduler = figure_4("site-a");
        // A, D, G are shallowest; F is as deep as E and D's members wait for D.
        assert_eq!(rounds(&mut scheduler, 1, &[]), [[0, 3, 6, 8]]);
        assert_eq!(rounds(&mut scheduler, 2, &[0, 6]), [vec![0, 3, 6, 8], vec![1, 2, 7]]);
        assert_eq!(rounds(&mut scheduler, 3, &[]), [[0, 3, 6, 8]], "what was collected is closed again");
    }

    #[test]
    fn by_hierarchy_lower_sites_wait_for_upper_ones() {
        let mut scheduler = figure_4("site-c");
        let quiet = rounds(&mut scheduler, 1, &[6, 7]);
        assert!(!quiet.concat().contains(&6), "A did not change, so G is not looked at");
        let lively = rounds(&mut scheduler, 2, &[0, 6, 7]);
        assert!(lively[0].contains(&0) && lively[1].contains(&6) && lively[2].contains(&7), "{lively:?}");
    }

    #[test]
    fn what_the_budget_did_not_reach_stays_open() {
        let mut scheduler = figure_4("site-a");
        let now = Time::from_secs(86_400);
        scheduler.open_cycle(4, 4, now);
        for page in scheduler.pick(now, 4).unwrap() {
            scheduler.record(&visit(page.0, 1, if page.0 == 0 { Outcome::Changed } else { Outcome::Unchanged }));
        }
        assert_eq!(rounds(&mut scheduler, 2, &[])[0], [0, 1, 2, 3, 6, 8]);
    }

    #[test]
    fn the_rest_is_visited_only_if_told() {
        let all: Vec<u32> = (0..9).collect();
        assert_eq!(rounds(&mut figure_4("site-b?rest=age"), 1, &[]), [all]);
    }

    #[test]
    fn reasons_name_the_site() {
        let mut scheduler = figure_4("site-a");
        rounds(&mut scheduler, 1, &[]);
        let said = |page| scheduler.reason(PageId(page), Time::from_secs(2 * 86_400));
        assert!(said(0).contains("top page") && said(8).contains("in no site") && said(1).contains("no top page"));
    }
}
