//! The loop of the lab: the live crawler's scheduler on a trace, visits at the cycle's end.
//!
//! In each of the warm-up cycles every page is visited, and each of those visits is an observation. In each later cycle up
//! to k pages are visited: in one round, or in as many as the policy [needs](crate::policy::Needs), each of an equal part of
//! k, and then in more until k is spent or nobody wants more. A visit sees "changed" if any cycle since the page's last visit,
//! this one included, had a change. The loop counts; the policy hears of a change only through a visit. Pages that come and go
//! do so as [`population`](super::population) says.
//!
//! All of that goes as in a crawl, since policies that learn from all pages together (`everfresh`) are moved by each of it: every
//! cycle is opened, so that the policy plans in it, those of the warm-up with a budget for all pages, and what is visited at one
//! instant is learned in the order of the pages.

use super::cut::Cut;
use super::links::Links;
use super::measure::{CycleCounts, Measures};
use super::population::{Population, UntilGone, is_gone};
use super::reliability::Reliability;
use crate::page::{HostId, PageId};
use crate::policy::{Needs, Policy};
use crate::schedule::{BadScore, Floors, Scheduler};
use crate::time::Time;
use crate::visit::{Outcome, Visit};

/// Rounds a cycle may have beyond those that the policy asked for: a chain of visits that each open the next ends somewhere.
/// What it did not get to is wanted in the next cycle.
const MORE_ROUNDS: usize = 64;

/// What a policy did on a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// How many pages there were, all at once or one after the other.
    pub pages: usize,
    /// What happened in each cycle after the warm-up.
    pub cycles: Vec<CycleCounts>,
}

impl Run {
    /// The measures over all cycles after the warm-up.
    pub fn measures(&self) -> Measures {
        Measures::of(&self.cycles)
    }
}

/// Runs a policy on a trace with up to `visits` visits a cycle.
pub fn run(cut: &Cut<'_>, policy: Box<dyn Policy>, visits: usize) -> Result<Run, BadScore> {
    let mut runs = run_by_group(cut, policy, |_| visits, 1, |_| 0)?;
    // As many runs come back as there are groups.
    Ok(runs.swap_remove(0))
}

/// Runs a policy as [`run`] does, and names every visit, those of the warm-up too: its cycle, the place of its page in the cut, and
/// whether it saw a change.
pub fn run_watched(
    cut: &Cut<'_>,
    policy: Box<dyn Policy>,
    visits: usize,
    watch: impl FnMut(usize, usize, bool),
) -> Result<Run, BadScore> {
    let mut runs = Replay::new(cut, policy).run_by_group(|_| visits, 1, |_| 0, watch)?;
    Ok(runs.swap_remove(0))
}

/// Runs a policy as [`run`] does, but makes every copy current at the end of each cycle, outside the budget and uncounted.
///
/// So each cycle after the warm-up is an experiment of its own: what would the policy find in one cycle, if it began with
/// current copies? Kumagai & Yamana 2004 compare two points in time like that.
pub fn run_afresh(cut: &Cut<'_>, policy: Box<dyn Policy>, visits: usize) -> Result<Run, BadScore> {
    let mut replay = Replay::new(cut, policy);
    replay.afresh = true;
    let mut runs = replay.run_by_group(|_| visits, 1, |_| 0, |_, _, _| {})?;
    Ok(runs.swap_remove(0))
}

/// Runs a policy as [`run_by_group`] does with one group, and holds what it expected of every copy after each cycle's visits
/// against the truth.
pub fn run_with_reliability(
    cut: &Cut<'_>,
    policy: Box<dyn Policy>,
    visits: impl Fn(usize) -> usize,
) -> Result<Reliability, BadScore> {
    let mut reliability = Reliability::default();
    let mut replay = Replay::new(cut, policy);
    replay.reliability = Some(&mut reliability);
    replay.run_by_group(visits, 1, |_| 0, |_, _, _| {})?;
    Ok(reliability)
}

/// Runs a policy on all pages at once, as [`run`] does, and counts apart for each of several groups of pages.
///
/// `visits` says how many visits a cycle may make when there are so many pages at its end. `group` says in which of the
/// `groups` a page of the cut is; a group it never names has no pages.
pub fn run_by_group(
    cut: &Cut<'_>,
    policy: Box<dyn Policy>,
    visits: impl Fn(usize) -> usize,
    groups: usize,
    group: impl Fn(usize) -> usize,
) -> Result<Vec<Run>, BadScore> {
    Replay::new(cut, policy).run_by_group(visits, groups, group, |_, _, _| {})
}

/// A run without cycles for each group.
fn empty_runs(cut: &Cut<'_>, groups: usize, group: impl Fn(usize) -> usize) -> Vec<Run> {
    let mut pages = vec![0; groups];
    (0..cut.len()).for_each(|index| pages[group(index)] += 1);
    pages.into_iter().map(|pages| Run { pages, cycles: Vec::with_capacity(cut.window().cycles) }).collect()
}

/// A trace being replayed: what the scheduler knows, and what is true.
struct Replay<'a> {
    cut: &'a Cut<'a>,
    scheduler: Scheduler,
    copies: Copies<'a>,
    arrangement: Option<Arrangement<'a>>,
    /// Whether all copies are made current at the end of each cycle.
    afresh: bool,
    /// Where to count what was expected of copies, if that is wanted.
    reliability: Option<&'a mut Reliability>,
}

impl<'a> Replay<'a> {
    fn new(cut: &'a Cut<'a>, policy: Box<dyn Policy>) -> Replay<'a> {
        // Nobody asks about pages that are gone if none ever is.
        let policy = match cut.population() {
            Population::Throughout => policy,
            Population::All => Box::new(UntilGone(policy)),
        };
        let mut scheduler = Scheduler::new(policy, cut.window().cycle, Floors::NONE);
        scheduler.reserve(cut.len());
        cut.first().for_each(|index| _ = meet(&mut scheduler, cut, index));
        let arrangement = Arrangement::of(cut, scheduler.needs());
        if let Some(arrangement) = &arrangement {
            arrangement.tell(&mut scheduler);
        }
        Replay { cut, scheduler, copies: Copies::new(cut), arrangement, afresh: false, reliability: None }
    }

    /// The loop: see [`run_by_group`].
    fn run_by_group(
        mut self,
        visits: impl Fn(usize) -> usize,
        groups: usize,
        group: impl Fn(usize) -> usize,
        mut watch: impl FnMut(usize, usize, bool),
    ) -> Result<Vec<Run>, BadScore> {
        let (cut, window) = (self.cut, self.cut.window());
        let mut runs = empty_runs(cut, groups, &group);
        let mut there = vec![0; groups];
        cut.first().for_each(|index| there[group(index)] += 1);
        for (cycle, present) in cut.present().into_iter().enumerate() {
            let mut counts = vec![CycleCounts::default(); groups];
            self.copies.pass(cycle, |index| counts[group(index)].changed_pages += 1);
            self.depart(cycle);
            self.visit_all(cycle, visits(present), |page, changed| {
                let counts = &mut counts[group(page.index())];
                counts.visits += 1;
                counts.changed_visits += usize::from(changed);
                watch(cycle, page.index(), changed);
            })?;
            if self.afresh {
                self.refresh(cycle);
            }
            self.arrive(cycle);
            cut.gone_in(cycle).iter().for_each(|index| there[group(*index as usize)] -= 1);
            cut.appeared_in(cycle).for_each(|index| there[group(index)] += 1);
            if cycle >= window.warmup {
                if let Some(reliability) = &mut self.reliability {
                    for (page, chance) in self.scheduler.all_chances_current(window.end(cycle)) {
                        reliability.count(chance, self.copies.is_current(page.index()));
                    }
                }
                there
                    .iter()
                    .zip(&mut counts)
                    .for_each(|(there, counts)| (counts.pages, counts.current) = (*there, *there));
                self.copies.stale(window.end(cycle), |index, age| {
                    let counts = &mut counts[group(index)];
                    counts.current -= 1;
                    counts.age_days += age;
                });
                runs.iter_mut().zip(counts).for_each(|(run, counts)| run.cycles.push(counts));
            }
        }
        Ok(runs)
    }

    /// Tells the scheduler of the pages that are gone.
    fn depart(&mut self, cycle: usize) {
        let at = self.cut.window().end(cycle);
        for &index in self.cut.gone_in(cycle) {
            self.copies.visit(index as usize);
            self.record_unpaid(&Visit { page: PageId(index), at, outcome: Outcome::Gone });
        }
    }

    /// Makes the visits of a cycle: those that the scheduler picks, and in the warm-up all others too.
    fn visit_all(&mut self, cycle: usize, visits: usize, mut made: impl FnMut(PageId, bool)) -> Result<(), BadScore> {
        let (now, is_warmup) = (self.cut.window().end(cycle), cycle < self.cut.window().warmup);
        if is_warmup {
            let pages = self.scheduler.pages().len();
            self.scheduler.open_cycle(pages, pages, now);
            self.scheduler.pick(now, pages)?;
            for page in (0..pages as u32).map(PageId) {
                if !is_gone(&self.scheduler.pages().history(page)) {
                    made(page, self.visit(page, cycle));
                }
            }
            return Ok(());
        }
        self.scheduler.open_cycle(visits, visits, now);
        let rounds = self.scheduler.needs().rounds.max(1);
        let most = if rounds == 1 { 1 } else { rounds + MORE_ROUNDS };
        for _ in 0..most {
            let mut picks = self.scheduler.pick(now, visits.div_ceil(rounds))?;
            if picks.is_empty() {
                break;
            }
            picks.sort_unstable();
            picks.into_iter().for_each(|page| made(page, self.visit(page, cycle)));
        }
        Ok(())
    }

    /// Visits a page at the end of a cycle; says whether it had changed.
    fn visit(&mut self, page: PageId, cycle: usize) -> bool {
        let changed = self.copies.visit(page.index());
        let outcome = if changed { Outcome::Changed } else { Outcome::Unchanged };
        self.scheduler.record(&Visit { page, at: self.cut.window().end(cycle), outcome });
        changed
    }

    /// Tells the scheduler of a visit outside the budget.
    fn record_unpaid(&mut self, visit: &Visit) {
        self.scheduler.record(visit);
        self.scheduler.refund();
    }

    /// Visits every page that was not visited in a cycle.
    fn refresh(&mut self, cycle: usize) {
        let now = Some(self.cut.window().end(cycle));
        let pages = self.scheduler.pages().iter();
        let stale = pages.filter(|(_, history)| !is_gone(history) && history.last_seen() != now).map(|(page, _)| page);
        for page in stale.collect::<Vec<_>>() {
            self.visit(page, cycle);
            self.scheduler.refund();
        }
    }

    /// Discovers the pages that appeared in a cycle.
    fn arrive(&mut self, cycle: usize) {
        let window = self.cut.window();
        let arrivals = self.cut.appeared_in(cycle);
        let none = arrivals.is_empty();
        for index in arrivals {
            let page = meet(&mut self.scheduler, self.cut, index);
            self.record_unpaid(&Visit { page, at: window.end(cycle), outcome: Outcome::First });
        }
        if let Some(arrangement) = self.arrangement.as_ref().filter(|_| !none) {
            arrangement.tell(&mut self.scheduler);
        }
        // What was visited without being picked must leave the queue of pages never seen.
        if cycle + 1 == window.warmup || (cycle >= window.warmup && !none) {
            self.scheduler.end_replay();
        }
    }
}

/// Tells the scheduler of a page of the cut, and what its first version shows.
fn meet(scheduler: &mut Scheduler, cut: &Cut<'_>, index: usize) -> PageId {
    let page = scheduler.add(PageId(scheduler.pages().len() as u32), HostId(0), 1.0);
    let found = cut.trace().page(cut.page(index));
    scheduler.locate(page, &found.url);
    scheduler.describe(page, &found.features());
    page
}

/// The trace's links between the pages of the cut, all along: those of the trace's end, or of the pages' first versions.
struct Arrangement<'a> {
    cut: &'a Cut<'a>,
    links: &'a Links,
    /// The place in the cut of each page of the trace, if it has one.
    places: Vec<Option<u32>>,
}

impl<'a> Arrangement<'a> {
    /// `None` if the policy needs none or the trace knows none. Who predicts must not know the future.
    fn of(cut: &'a Cut<'a>, needs: Needs) -> Option<Arrangement<'a>> {
        let trace = cut.trace();
        let links = if needs.predicts { trace.first_links() } else { trace.links() };
        let links = links.filter(|_| needs.structure)?;
        let mut places = vec![None; cut.trace().len()];
        (0..cut.len()).for_each(|index| places[cut.page(index).index()] = Some(index as u32));
        Some(Arrangement { cut, links, places })
    }

    /// Tells the links between the pages that were found so far.
    fn tell(&self, scheduler: &mut Scheduler) {
        for index in 0..scheduler.pages().len() {
            let targets = self.links.of(self.cut.page(index)).iter();
            let targets = targets.filter_map(|target| self.places[target.index()].map(PageId));
            scheduler.link(PageId(index as u32), targets);
        }
    }
}

/// Which copies are current, and since when the others are not.
struct Copies<'a> {
    cut: &'a Cut<'a>,
    /// When the first change not yet seen happened; `Time::MAX` for a current copy.
    stale_since: Vec<Time>,
}

impl<'a> Copies<'a> {
    fn new(cut: &'a Cut<'a>) -> Copies<'a> {
        Copies { cut, stale_since: vec![Time::MAX; cut.len()] }
    }

    /// A cycle passes; names the pages that changed in it.
    fn pass(&mut self, cycle: usize, mut changed: impl FnMut(usize)) {
        for change in self.cut.changed_in(cycle) {
            let index = change.index as usize;
            changed(index);
            if self.stale_since[index] == Time::MAX {
                self.stale_since[index] = change.at;
            }
        }
    }

    fn is_current(&self, index: usize) -> bool {
        self.stale_since[index] == Time::MAX
    }

    /// A visit makes the copy current; says whether it was not.
    fn visit(&mut self, index: usize) -> bool {
        std::mem::replace(&mut self.stale_since[index], Time::MAX) != Time::MAX
    }

    /// Names the pages whose copies are not current, with their ages in days.
    fn stale(&self, now: Time, mut stale: impl FnMut(usize, f64)) {
        for (index, since) in self.stale_since.iter().enumerate().filter(|(_, since)| **since != Time::MAX) {
            stale(index, (now - *since).as_days());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::cut::Window;
    use crate::lab::trace::{FIRST_DAY, Trace, TracePage};
    use crate::policy::registry::build;
    use crate::time::Span;

    fn window(cycles: usize) -> Window {
        Window { start: FIRST_DAY, cycle: Span::DAY, cycles, warmup: 1 }
    }

    /// A top page and a page it links to, both on one server.
    fn linked(top: Vec<u32>, member: Vec<u32>) -> Trace {
        let pages = [("http://x.org/".to_owned(), top), ("http://x.org/member".to_owned(), member)];
        let links = Links::new(2, vec![(PageId(0), PageId(1))]).ok();
        Trace::daily("made", 4, pages).with_links(links)
    }

    fn visits(run: &Run) -> Vec<(usize, usize)> {
        run.cycles.iter().map(|counts| (counts.visits, counts.changed_visits)).collect()
    }

    #[test]
    fn who_watches_hears_of_every_visit() {
        let trace = linked(vec![2], vec![1]);
        let mut seen = Vec::new();
        let cut = Cut::new(&trace, window(4)).unwrap();
        let watched =
            run_watched(&cut, build("age").unwrap(), 1, |cycle, page, changed| seen.push((cycle, page, changed)));
        assert_eq!(watched, run(&cut, build("age").unwrap(), 1));
        assert_eq!(seen, [(0, 0, false), (0, 1, false), (1, 0, false), (2, 1, true), (3, 0, true)]);
    }

    #[test]
    fn links_of_the_trace_reach_the_policy_and_one_round_opens_the_next() {
        let trace = linked(vec![2], vec![1, 2]);
        let cut = Cut::new(&trace, window(4)).unwrap();
        let run = run(&cut, build("site-a").unwrap(), 2).unwrap();
        assert_eq!(visits(&run), [(1, 0), (2, 2), (1, 0)], "the member waits for its top");
    }

    #[test]
    fn afresh_every_cycle_begins_with_current_copies() {
        let trace = linked(vec![2, 3], vec![1, 2]);
        let cut = Cut::new(&trace, window(4)).unwrap();
        let run = run_afresh(&cut, build("site-a").unwrap(), 2).unwrap();
        assert_eq!(visits(&run), [(1, 0), (2, 2), (2, 1)], "what day 1 missed is no news on day 2");
        assert!(run.cycles.iter().all(|counts| counts.current == 2));
    }

    #[test]
    fn who_comes_and_goes_costs_nothing_of_the_budget() {
        let day = |day: usize| FIRST_DAY + Span::DAY * day as f64;
        let lives = [(0, 9), (0, 9), (0, 9), (0, 3), (0, 5), (2, 9), (2, 9), (4, 9), (4, 6), (4, 9)];
        let pages = lives.map(|(from, to)| (TracePage::named(format!("p{from}-{to}"), day(from), day(to)), Vec::new()));
        let trace = Trace::new("made", pages);
        let cut = Cut::of(&trace, window(8), Population::All).unwrap();
        let run = run(&cut, build("age").unwrap(), 2).unwrap();
        assert_eq!(visits(&run), [(2, 0); 7]);
    }

    #[test]
    fn groups_add_up_to_the_whole() {
        let pages = (0_u32..9).map(|page| (format!("p{page}"), (page..30).step_by(page as usize + 2).collect()));
        let trace = Trace::daily("made", 30, pages);
        let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 30, warmup: 2 };
        let cut = Cut::new(&trace, window).unwrap();
        let whole = run(&cut, build("age").unwrap(), 2).unwrap();
        let groups = run_by_group(&cut, build("age").unwrap(), |_| 2, 4, |index| index % 3).unwrap();
        assert_eq!(groups.iter().map(|run| run.pages).collect::<Vec<_>>(), [3, 3, 3, 0]);
        for (cycle, all) in whole.cycles.iter().enumerate() {
            let sum =
                |count: fn(&CycleCounts) -> usize| groups.iter().map(|run| count(&run.cycles[cycle])).sum::<usize>();
            assert_eq!(sum(|counts| counts.visits), all.visits);
            assert_eq!(sum(|counts| counts.changed_visits), all.changed_visits);
            assert_eq!(sum(|counts| counts.changed_pages), all.changed_pages);
            assert_eq!(sum(|counts| counts.current), all.current);
            let age: f64 = groups.iter().map(|run| run.cycles[cycle].age_days).sum();
            assert!((age - all.age_days).abs() < 1e-9);
        }
    }
}
