//! A crawl that is stopped and started again goes on as one that never stopped: in its cycle, with its budget, by its order.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{Changes, LivingWeb, Page, Script, Site};
use everfresh::pipeline::{self, Goal, Limits, Summary, make_checkpoint};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::units;
use revisit::{Span, Time};
use support::collection::{config_for, new_collection, visits};
use tempfile::TempDir;

const CYCLE: Span = Span::HOUR;
const BUDGET: usize = 40;

/// A web of two hosts in stepped time, and a collection of it.
struct Crawled {
    web: LivingWeb,
    clock: Clock,
    start: Time,
    config: Config,
    folder: TempDir,
}

/// More pages than a cycle has visits, some of them forbidden.
fn script() -> Script {
    let site = |host: &str| {
        let every = |page: i32| Changes::Every(CYCLE * f64::from(page % 7 + 1));
        let open = (0..40).map(|page| Page::new(&format!("/{page}")).changes(every(page)));
        let forbidden = (0..10).map(|page| Page::new(&format!("/private/{page}")));
        Site::new(host).pages(open).pages(forbidden).robots("User-agent: *\nDisallow: /private/\n")
    };
    Script::new(5).site(site("a.living.test")).site(site("b.living.test"))
}

impl Crawled {
    async fn new(policy: &str) -> Crawled {
        let start = script().begins() + Span::DAY;
        let clock = Clock::stepped(start);
        let web = LivingWeb::start(script(), clock.clone()).await.unwrap();
        // The budget takes half of a cycle.
        let mut config = config_for(&web, CYCLE * (1.0 / BUDGET as f64));
        config.schedule.policy = policy.to_owned();
        config.schedule.cycle = units::Duration(CYCLE);
        config.schedule.budget = BUDGET;
        let folder = new_collection(&config, &web, start);
        Crawled { web, clock, start, config, folder }
    }

    /// Crawls until so many cycles have passed since the beginning.
    async fn run_until(&self, cycles: f64) -> Summary {
        let (trigger, shutdown) = Shutdown::new();
        let stop = async {
            self.clock.sleep_until(self.start + CYCLE * cycles).await;
            trigger.ask();
        };
        let settings = Settings::resolve(self.config.clone()).unwrap();
        let (collection, limits) =
            (Collection::at(self.folder.path()), Limits { goal: Goal::Forever, max_visits: None });
        let crawl = pipeline::run(&collection, settings, self.clock.clone(), limits, shutdown, |_| {});
        tokio::join!(crawl, stop).0.unwrap()
    }

    /// Makes a checkpoint of what was before the last cycle.
    fn keep(&self) {
        let settings = Settings::resolve(self.config.clone()).unwrap();
        assert!(make_checkpoint(self.folder.path(), &settings, self.clock.now()).unwrap());
    }

    /// Requests for pages so far.
    fn requests(&self) -> usize {
        self.web.log().iter().filter(|request| request.path != "/robots.txt").count()
    }
}

#[tokio::test(start_paused = true)]
async fn restarts_neither_lose_the_budget_nor_have_it_twice() {
    for share in [0.3, 0.65, 0.97] {
        let crawled = Crawled::new("everfresh").await;
        for cycle in 0..10 {
            crawled.run_until(f64::from(cycle) + share).await;
        }
        crawled.run_until(10.0 - 0.001).await;
        let (requests, budget) = (crawled.requests(), 10 * BUDGET);
        let used = requests as f64 / budget as f64;
        assert!((0.98..=1.0).contains(&used), "stopped at {share} of every cycle: {requests} of {budget}");
        let refused = visits(crawled.folder.path()).iter().filter(|visit| visit.rule == "robots").count();
        assert!(refused >= 20, "forbidden pages cost nothing, and there are some");
    }
}

#[tokio::test(start_paused = true)]
async fn who_was_stopped_visits_what_who_never_stopped_does() {
    let told = |crawled: &Crawled| -> Vec<(String, i64, String)> {
        visits(crawled.folder.path()).into_iter().map(|visit| (visit.url, visit.at, visit.outcome)).collect()
    };
    // One of each family; all of them are replayed in the scheduler's own tests.
    for policy in ["everfresh", "age", "grimes-ford", "nutch-adaptive", "sampling+b", "lambdacrawl"] {
        let steady = Crawled::new(policy).await;
        steady.run_until(4.9).await;
        let stopped = Crawled::new(policy).await;
        // What is under way at a stop is visited later, so these are when the budget is spent.
        for (until, is_kept) in [(0.9, false), (1.7, true), (2.65, false), (2.97, true), (3.97, false), (4.9, false)] {
            stopped.run_until(until).await;
            if is_kept {
                stopped.keep();
            }
        }
        assert_eq!(told(&stopped), told(&steady), "{policy}");
    }
}
