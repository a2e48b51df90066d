//! A crawl that is killed, again and again and at any moment, visits what a crawl visits that never was: under every policy that
//! runs live, with a checkpoint, with one that is of no use, and with none.
//!
//! Time is stepped and hosts answer at once, so that all visits of a cycle are made within milliseconds, and the visits of both
//! crawls can be compared one by one. A kill is a crawl that ends after so many visits, whose store is then put back into the state that
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
use revisit::policy::registry::{POLICIES, Spending};
use revisit::{Span, Time};
use rusqlite::Connection;
use support::collection::{config_for, new_collection, visits};
use tempfile::TempDir;

const CYCLE: Span = Span::HOUR;
const CYCLES: u32 = 6;
const BUDGET: usize = 12;
/// Kills of one policy's crawl.
const KILLS: u64 = 4;

struct Crawled {
    clock: Clock,
    start: Time,
    config: Config,
    folder: TempDir,
    _web: LivingWeb,
}

/// More pages than a cycle has visits: some change, some are forbidden, some fail; a sitemap says which changed.
fn script() -> Script {
    let every = |page: i32| Changes::Every(CYCLE * f64::from(page % 4 + 1));
    let open = (0..16).map(|page| Page::new(&format!("/{}/{page}", page % 3)).changes(every(page)));
    let forbidden = (0..3).map(|page| Page::new(&format!("/private/{page}")));
    let site = Site::new("a.living.test").sitemap(Sitemap::Honest).pages(open).pages(forbidden);
    Script::new(9).site(site.robots("User-agent: *\nDisallow: /private/\nSitemap: http://a.living.test/sitemap.xml\n"))
}

impl Crawled {
    async fn new(policy: &str) -> Crawled {
        let start = script().begins() + Span::DAY;
        let clock = Clock::stepped(start);
        let web = LivingWeb::start(script(), clock.clone()).await.unwrap();
        let mut config = config_for(&web, Span::ZERO);
        config.fetch.concurrency = 1;
        config.schedule.policy = policy.to_owned();
        config.schedule.cycle = units::Duration(CYCLE);
        config.schedule.budget = BUDGET;
        // New pages go first, however many are picked at once.
        config.schedule.new_share = 1.0;
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
    fn kill(&self, number: u64) {
        let outsider = Connection::open(self.folder.path().join(store::FILE)).unwrap();
        outsider.execute_batch(UNDO_THE_END).unwrap();
        let path = self.folder.path().join(CHECKPOINT);
        match number % 4 {
            0 => assert!(make_checkpoint(self.folder.path(), &self.settings(), self.clock.now()).unwrap()),
            // The one that is there, if any, is older by some cycles.
            1 => {}
            2 => std::fs::write(&path, "cut").unwrap(),
            _ => _ = std::fs::remove_file(&path),
        }
    }

    /// Each visit, in which cycle, and what it showed. A visit takes a millisecond, and who was killed waits for one.
    fn told(&self) -> Vec<(String, i64, String)> {
        let cycle = |at: i64| (at - self.start.millis()) / CYCLE.millis();
        visits(self.folder.path()).into_iter().map(|visit| (visit.url, cycle(visit.at), visit.outcome)).collect()
    }
}

/// What is written when a crawl ends in order and a kill keeps from being written.
const UNDO_THE_END: &str = "UPDATE meta SET value = 'yes' WHERE key = 'running'";

/// Policies that a crawl can use, and whether each picks in rounds that follow what was seen.
fn live_policies() -> impl Iterator<Item = (&'static str, bool)> {
    let live = POLICIES.iter().filter(|entry| !entry.needs_truth || entry.spending == Spending::Free);
    let named = live.filter(|entry| !entry.needs_model()).map(|entry| entry.name);
    named.map(|name| (name, revisit::policy::registry::build(name).unwrap().needs().rounds > 1))
}

#[tokio::test(start_paused = true)]
async fn killed_at_any_moment_a_crawl_visits_what_one_does_that_never_was() {
    let mut kills = 0;
    for (policy, has_rounds) in live_policies() {
        let steady = Crawled::new(policy).await;
        steady.run(f64::from(CYCLES) - 0.5, None).await;
        let killed = Crawled::new(policy).await;
        for kill in 0..KILLS {
            let drawn = fingerprint(&format!("{policy} {kill}"));
            // Who goes by rounds is killed between cycles: within one, what is wanted next depends on what was under way.
            if has_rounds {
                killed.run(kill as f64 + 0.5, None).await;
            } else {
                killed.run(f64::from(CYCLES) - 0.5, Some(drawn % 16 + 1)).await;
            }
            killed.kill(drawn >> 8);
            kills += 1;
        }
        killed.run(f64::from(CYCLES) - 0.5, None).await;
        assert_eq!(killed.told(), steady.told(), "{policy}");
        assert!(steady.told().len() > 3 * BUDGET, "{policy}");
    }
    assert!(kills >= 50, "{kills}");
}
