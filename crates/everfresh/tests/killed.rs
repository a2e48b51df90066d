//! A crawl that is killed, again and again and at any moment, visits what a crawl visits that never was: under every policy that
//! runs live, with a checkpoint, with one that is of no use, and with none.
//!
//! Time is stepped and hosts answer at once, so that all visits of a cycle are made within a second, and the visits of both crawls
//! can be compared one by one. A kill is a crawl that ends after so many visits, whose store is then put back into the state that
//! a kill leaves: nobody said that it ended. (Real kills of real processes are in `kill.rs`.)

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{Changes, LivingWeb, Page, Script, Site, Sitemap};
use everfresh::pipeline::{self, CHECKPOINT, Goal, Limits, fingerprint, make_checkpoint};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::store;
use everfresh::units;
use revisit::policy::registry::{POLICIES, Spending, build};
use revisit::{Span, Time};
use rusqlite::Connection;
use support::collection::{config_for, new_collection, visits};
use tempfile::TempDir;

const CYCLE: Span = Span::HOUR;
const CYCLES: u32 = 7;
const BUDGET: usize = 12;
/// Between two visits: little beside a cycle, but more than is lost in the rounding of scores.
const APART: Span = Span::from_millis(100);
/// Kills of a crawl.
const KILLS: u32 = 4;

struct Crawled {
    clock: Clock,
    start: Time,
    config: Config,
    folder: TempDir,
    _web: LivingWeb,
}

/// More pages than a cycle has visits, most of which change now and then; a sitemap may say which did.
fn script(is_listed: bool) -> Script {
    let every = |page: i32| Changes::Every(CYCLE * f64::from(page % 4 + 1));
    let pages = (0..16).map(|page| Page::new(&format!("/{}/{page}", page % 3)).changes(every(page)));
    let site = Site::new("a.living.test").pages(pages);
    Script::new(9).site(if is_listed { site.sitemap(Sitemap::Honest) } else { site })
}

impl Crawled {
    async fn new(policy: &str, is_listed: bool) -> Crawled {
        let start = script(is_listed).begins() + Span::DAY;
        let clock = Clock::stepped(start);
        let web = LivingWeb::start(script(is_listed), clock.clone()).await.unwrap();
        let mut config = config_for(&web, APART);
        config.fetch.concurrency = 1;
        config.schedule.policy = policy.to_owned();
        config.schedule.cycle = units::Duration(CYCLE);
        config.schedule.budget = BUDGET;
        // New pages go first, however many are picked at once.
        config.schedule.new_share = 1.0;
        config.schedule.revisit_share = 0.0;
        let folder = new_collection(&config, &web, start);
        Crawled { clock, start, config, folder, _web: web }
    }

    fn settings(&self) -> Settings {
        Settings::resolve(self.config.clone()).unwrap()
    }

    /// Crawls until so many cycles have passed since the beginning, or so many visits were made.
    async fn run(&self, cycles: f64, max_visits: Option<u64>) {
        let (trigger, shutdown) = Shutdown::new();
        let end = self.start + CYCLE * cycles;
        let (collection, limits) = (Collection::at(self.folder.path()), Limits { goal: Goal::Forever, max_visits });
        let crawl = pipeline::run(&collection, self.settings(), self.clock.clone(), limits, shutdown, |_| {});
        tokio::pin!(crawl);
        let ended = tokio::select! {
            biased;
            ended = &mut crawl => Some(ended),
            () = self.clock.sleep_until(end) => None,
        };
        match ended {
            Some(ended) => ended,
            None => {
                trigger.ask();
                crawl.await
            }
        }
        .unwrap();
    }

    /// Puts the store back into the state in which a kill leaves it, and does something to the checkpoint.
    fn kill(&self, drawn: u64) {
        let outsider = Connection::open(self.folder.path().join(store::FILE)).unwrap();
        outsider.execute_batch(UNDO_THE_END).unwrap();
        let path = self.folder.path().join(CHECKPOINT);
        match drawn % 4 {
            0 => assert!(make_checkpoint(self.folder.path(), &self.settings(), self.clock.now()).unwrap()),
            // The one that is there, if any, is older by some cycles.
            1 => {}
            2 => std::fs::write(&path, "cut").unwrap(),
            _ => _ = std::fs::remove_file(&path),
        }
    }

    /// Each cycle's visits, and what they showed. Who was killed waits before the next visit, and what is worth the same but for
    /// that may change places within a cycle.
    fn told(&self) -> Vec<(i64, String, String)> {
        let cycle = |at: i64| (at - self.start.millis()) / CYCLE.millis();
        let visits = visits(self.folder.path()).into_iter();
        let mut told: Vec<_> = visits.map(|visit| (cycle(visit.at), visit.url, visit.outcome)).collect();
        told.sort_unstable();
        told
    }
}

/// What is written when a crawl ends in order and a kill keeps from being written.
const UNDO_THE_END: &str = "UPDATE meta SET value = 'yes' WHERE key = 'running'";

/// Policies that a crawl can use, and whether each can be stopped within a cycle: what those want that go by rounds depends on what
/// was under way, and some that solve for the budget or have intervals go by the millisecond at which a page was seen.
fn live_policies() -> impl Iterator<Item = (&'static str, bool)> {
    let live = POLICIES.iter().filter(|entry| !entry.needs_truth || entry.spending == Spending::Free);
    let named = live.filter(|entry| !entry.needs_model());
    let has_rounds = |name| build(name).unwrap().needs().rounds > 1;
    named.map(move |entry| (entry.name, entry.spending == Spending::Ranks && !has_rounds(entry.name)))
}

/// Crawls the same twice, and kills one of the two again and again: between cycles, or after any number of visits.
async fn compare(policy: &str, is_listed: bool, within_cycles: bool) {
    let end = f64::from(CYCLES) - 0.5;
    let steady = Crawled::new(policy, is_listed).await;
    steady.run(end, None).await;
    let killed = Crawled::new(policy, is_listed).await;
    for kill in 0..KILLS {
        let drawn = fingerprint(&format!("{policy} {is_listed} {kill}"));
        match within_cycles {
            true => killed.run(end, Some(drawn % 16 + 1)).await,
            false => killed.run(f64::from(kill) + 0.5 + f64::from(drawn as u8 % 2), None).await,
        }
        killed.kill(drawn >> 8);
    }
    killed.run(end, None).await;
    assert_eq!(killed.told(), steady.told(), "{policy}, listed: {is_listed}");
    assert!(steady.told().len() > BUDGET, "{policy}");
}

#[tokio::test(start_paused = true)]
async fn killed_within_cycles_a_crawl_visits_what_one_does_that_never_was() {
    for (policy, _) in live_policies().filter(|(_, within_cycles)| *within_cycles) {
        compare(policy, false, true).await;
    }
}

/// What a list says moves those that are picked after it was read, and who was killed picks later: so these are killed between
/// cycles.
#[tokio::test(start_paused = true)]
async fn killed_between_cycles_a_crawl_believes_lists_as_one_does_that_never_was() {
    for (policy, _) in live_policies() {
        compare(policy, true, false).await;
    }
}
