//! Checkpoints while a crawl is at work: made beside it, waited for at its end, and never in its way.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::path::PathBuf;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{LivingWeb, Page, Script, Site};
use everfresh::pipeline::{self, CHECKPOINT, Goal, Limits, Memory};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::store;
use everfresh::units;
use revisit::{Span, Time};
use support::collection::{config_for, everfresh, new_collection, visits};
use tempfile::TempDir;

const CYCLE: Span = Span::HOUR;
/// A start is told of so many pages in each cycle.
const PAGES: usize = 500;
/// After so many cycles a start would be told so much that a checkpoint is due.
const CYCLES: f64 = 420.5;

/// A web of which little is visited in a cycle, and a collection of it.
struct Crawled {
    _web: LivingWeb,
    clock: Clock,
    start: Time,
    config: Config,
    folder: TempDir,
}

impl Crawled {
    async fn new() -> Crawled {
        let script = Script::new(3)
            .site(Site::new("a.living.test").pages((1..PAGES).map(|page| Page::new(&format!("/{page}")))));
        let start = script.begins() + Span::DAY;
        let clock = Clock::stepped(start);
        let web = LivingWeb::start(script, clock.clone()).await.unwrap();
        let mut config = config_for(&web, Span::ZERO);
        config.schedule.cycle = units::Duration(CYCLE);
        config.schedule.budget = 2;
        let folder = new_collection(&config, &web, start);
        Crawled { _web: web, clock, start, config, folder }
    }

    fn settings(&self) -> Settings {
        Settings::resolve(self.config.clone()).unwrap()
    }

    async fn run_until(&self, cycles: f64) {
        let (trigger, shutdown) = Shutdown::new();
        let stop = async {
            self.clock.sleep_until(self.start + CYCLE * cycles).await;
            trigger.ask();
        };
        let (collection, limits) =
            (Collection::at(self.folder.path()), Limits { goal: Goal::Forever, max_visits: None });
        let crawl = pipeline::run(&collection, self.settings(), self.clock.clone(), limits, shutdown, |_| {});
        tokio::join!(crawl, stop).0.unwrap();
    }

    /// All pages at once, in a cycle of its own.
    async fn run_until_idle(&self) {
        let (_trigger, shutdown) = Shutdown::new();
        let (collection, limits) = (Collection::at(self.folder.path()), Limits { goal: Goal::Idle, max_visits: None });
        pipeline::run(&collection, self.settings(), self.clock.clone(), limits, shutdown, |_| {}).await.unwrap();
    }

    fn kept(&self) -> PathBuf {
        self.folder.path().join(CHECKPOINT)
    }

    /// What a start decides: the picks of a next cycle, and why.
    fn decisions(&self) -> Vec<(u32, String)> {
        let (folder, now) = (self.folder.path(), self.start + CYCLE * (CYCLES + 1.0));
        let store = store::reader(folder).unwrap();
        let mut scheduler = Memory::rebuild(folder, store.as_ref(), &self.settings(), now, true).unwrap().scheduler;
        scheduler.open_cycle(20, 20, now);
        let picks = scheduler.pick(now, 20).unwrap();
        picks.into_iter().map(|page| (page.0, scheduler.reason(page, now))).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_is_made_beside_a_crawl_and_at_its_end() {
    let crawled = Crawled::new().await;
    crawled.run_until_idle().await;
    crawled.run_until(20.5).await;
    assert!(!crawled.kept().exists(), "so little is told in no time");
    crawled.run_until(CYCLES).await;
    assert!(crawled.kept().exists(), "made beside the crawl, and waited for at its end");
    let with = crawled.decisions();
    std::fs::remove_file(crawled.kept()).unwrap();
    assert_eq!(crawled.decisions(), with, "deleting it loses nothing");
    // A crawl that goes on in its cycle opens none, so what is due is made when it ends.
    crawled.run_until(CYCLES + 0.1).await;
    assert!(crawled.kept().exists(), "made at the end");
    assert_eq!(crawled.decisions(), with);
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_is_full_costs_the_checkpoint_and_nothing_else() {
    let crawled = Crawled::new().await;
    crawled.run_until_idle().await;
    crawled.run_until(CYCLES).await;
    let folder = crawled.folder.path();
    let before = visits(folder).len();
    // The one that is there is too old to be of use, and stays; the file of the next is on a device that is full.
    let old = std::fs::read(crawled.kept()).unwrap();
    std::fs::write(crawled.kept(), &old[..old.len() / 2]).unwrap();
    let new = folder.join(format!("{CHECKPOINT}.new"));
    std::os::unix::fs::symlink("/dev/full", &new).unwrap();
    let mut run = everfresh(folder, &["run", "--once"]);
    let output = run.env("RUST_LOG", "warn").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("no checkpoint is written, so the next start takes longer"), "{said}");
    assert!(said.contains("No space left on device"), "{said}");
    assert_eq!(std::fs::read(crawled.kept()).unwrap(), old[..old.len() / 2], "what was there stands");
    assert!(!new.exists() && visits(folder).len() > before, "the crawl went on");
}
