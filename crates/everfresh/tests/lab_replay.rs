//! A crawl exported as a trace and replayed in the lab: the same policy picks the same pages, cycle by cycle.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{LivingWeb, Script};
use everfresh::parse::scope::Mode;
use everfresh::pipeline::{self, Goal, Limits};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::traces;
use everfresh::traces::collection::Observations;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::population::Population;
use revisit::lab::run::run;
use revisit::lab::trace::Trace;
use revisit::policy::Needs;
use revisit::policy::registry::{POLICIES, Spending, build};
use revisit::site::Structure;
use revisit::{Budget, Features, History, PageId, Pages, Policy, Span, Time, Visit};
use support::collection::{config_for, new_collection_of, visits};
use tempfile::TempDir;
use url::Url;

/// Sites of the demo that answer at once and never fail: on them a crawl makes every visit in the moment it is due.
const PROMPT: [&str; 5] =
    ["news.living.test", "wiki.living.test", "blog.living.test", "status.living.test", "museum.living.test"];
const CYCLE: Span = Span::DAY;
const CYCLES: usize = 8;
const BUDGET: usize = 60;

/// The demo's web under a clock that the test sets.
struct Demo {
    web: LivingWeb,
    now: Arc<AtomicI64>,
    begin: Time,
}

impl Demo {
    async fn start() -> Demo {
        let script = Script::demo(1);
        let begin = script.begins() + Span::DAY;
        let now = Arc::new(AtomicI64::new(begin.millis()));
        let told = now.clone();
        let web = LivingWeb::start_told(script, move || Time::from_millis(told.load(Ordering::SeqCst))).await.unwrap();
        Demo { web, now, begin }
    }

    /// The pages of the prompt sites that are there from beginning to end.
    fn lasting(&self) -> Vec<Url> {
        let truth = self.web.truth();
        let forbidden: BTreeSet<&str> = truth.forbidden().collect();
        let lasting = truth.pages().filter(|page| {
            let always = page.appears.is_none() && page.vanishes.is_none();
            always && truth.is_article(page.url) && !forbidden.contains(page.url)
        });
        let urls = lasting.map(|page| Url::parse(page.url).unwrap());
        urls.filter(|url| PROMPT.contains(&url.host_str().unwrap())).collect()
    }

    /// The n-th cycle's time; the first visits are made in the 0th.
    fn time(&self, cycle: usize) -> Time {
        self.begin + CYCLE * cycle as f64
    }

    /// Crawls a cycle with a clock that stands still.
    async fn crawl(&self, folder: &TempDir, config: &Config, cycle: usize) {
        self.now.store(self.time(cycle).millis(), Ordering::SeqCst);
        let clock = Clock::standing(self.time(cycle));
        let settings = Settings::resolve(config.clone()).unwrap();
        let limits = Limits { goal: Goal::OneCycle, max_visits: None };
        let (_trigger, shutdown) = Shutdown::new();
        pipeline::run(&Collection::at(folder.path()), settings, clock, limits, shutdown, |_| {}).await.unwrap();
    }

    /// Crawls all cycles with a policy: every page once, then as many as the budget allows.
    async fn crawled(&self, policy: &str) -> TempDir {
        let pages = self.lasting();
        let mut config = config_for(&self.web, Span::ZERO);
        config.detect.drop = [".clock", ".token", ".counter"].map(String::from).to_vec();
        config.scope.mode = Mode::List;
        // The lab asks for no robots.txt.
        config.fetch.robots_cache = everfresh::units::Duration(CYCLE * 1000.0);
        config.schedule.cycle = everfresh::units::Duration(CYCLE);
        config.schedule.policy = policy.to_owned();
        config.schedule.budget = pages.len() + self.web.hosts().len();
        let folder = new_collection_of(&config, &pages, self.begin);
        self.crawl(&folder, &config, 0).await;
        config.schedule.budget = BUDGET;
        for cycle in 1..=CYCLES {
            self.crawl(&folder, &config, cycle).await;
        }
        folder
    }
}

/// A policy, and the visits it hears of.
struct Overheard(Box<dyn Policy>, Arc<Mutex<Vec<Visit>>>);

impl Policy for Overheard {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        self.0.score(page, history, now)
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        self.0.reason(page, history, now)
    }

    fn describe(&mut self, page: PageId, features: &Features) {
        self.0.describe(page, features);
    }

    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn survey(&mut self, structure: &Structure) {
        self.0.survey(structure);
    }

    fn learn(&mut self, page: PageId, history: &History, visit: &Visit) {
        self.1.lock().unwrap().push(*visit);
        self.0.learn(page, history, visit);
    }

    fn plan(&mut self, pages: &Pages, budget: Budget, now: Time) {
        self.0.plan(pages, budget, now);
    }
}

/// When which page was visited, with what outcome.
type Visited = BTreeSet<(i64, String, &'static str)>;

/// The visits that the lab makes on a trace.
fn replayed(trace: &Trace, policy: &str, begin: Time) -> Visited {
    let window = Window { start: begin - CYCLE, cycle: CYCLE, cycles: CYCLES + 1, warmup: 1 };
    let cut = Cut::of(trace, window, Population::All).unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    run(&cut, Box::new(Overheard(build(policy).unwrap(), heard.clone())), BUDGET).unwrap();
    let heard = heard.lock().unwrap();
    let url = |visit: &Visit| trace.page(cut.page(visit.page.index())).url.clone();
    heard.iter().map(|visit| (visit.at.millis(), url(visit), visit.outcome.name())).collect()
}

/// The visits that the crawler made.
fn made(folder: &TempDir) -> Visited {
    let name = |outcome: &str| revisit::Outcome::from_name(outcome).unwrap().name();
    visits(folder.path()).into_iter().map(|visit| (visit.at, visit.url, name(&visit.outcome))).collect()
}

/// Crawls with a policy and replays the crawl.
async fn assert_same_visits(policy: String) {
    let demo = Demo::start().await;
    let pages = demo.lasting().len();
    let folder = demo.crawled(&policy).await;
    let live = made(&folder);
    assert!(pages > 150 && live.len() > pages, "{policy}: {} visits of {pages} pages", live.len());

    let exported = tempfile::tempdir().unwrap();
    traces::write(exported.path(), &Observations::read(folder.path()).unwrap().draw(1, 0)).unwrap();
    let lab = replayed(&traces::read(exported.path()).unwrap(), &policy, demo.begin);
    let only_live: Vec<_> = live.difference(&lab).take(3).collect();
    let only_lab: Vec<_> = lab.difference(&live).take(3).collect();
    assert!(live == lab, "{policy}: only live {only_live:?}, only in the lab {only_lab:?}");
}

/// Left out are policies that solve for the budget, which they do in every round, and while visits of a cycle come back a
/// crawl has more rounds than the lab; and those that look at links, which a collection's trace does not carry.
#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_replayed_as_a_trace_makes_the_same_visits() {
    let replayable = POLICIES.iter().filter(|entry| !entry.needs_model() && !entry.needs_truth);
    let replayable = replayable.filter(|entry| entry.spending != Spending::Solves).map(|entry| entry.name);
    let replayable = replayable.filter(|policy| build(policy).unwrap().needs() == Needs::default());
    let mut crawls = tokio::task::JoinSet::new();
    replayable.chain(["rand?seed=7"]).for_each(|policy| _ = crawls.spawn(assert_same_visits(policy.to_owned())));
    assert!(crawls.len() > 20);
    crawls.join_all().await;
}
