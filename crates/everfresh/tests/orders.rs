//! Orders to a crawl that runs: who is paused or removed is visited no more, who is to be visited now is, and what was confirmed
//! holds after a restart, with a checkpoint and without.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers outside of test functions too

mod support;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{LivingWeb, Page, Script, Site};
use everfresh::pipeline::{self, Addition, Call, Calls, Goal, Limits, Line, PageState, Reply, Turn, make_checkpoint};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::store;
use everfresh::units;
use revisit::{Held, PageId, PageOrder, Span, Time};
use support::collection::{config_for, new_collection_of, visits};
use tempfile::TempDir;
use url::Url;

const CYCLE: Span = Span::HOUR;
const PAGES: u32 = 9;

struct Crawled {
    clock: Clock,
    start: Time,
    config: Config,
    folder: TempDir,
    _web: LivingWeb,
}

fn url(page: u32) -> Url {
    Url::parse(&format!("http://a.living.test/{page}")).unwrap()
}

impl Crawled {
    /// A collection whose pages all have a visit in every cycle.
    async fn new() -> Crawled {
        let script = || {
            Script::new(4).site(Site::new("a.living.test").pages((0..PAGES).map(|page| Page::new(&format!("/{page}")))))
        };
        let start = script().begins() + Span::DAY;
        let clock = Clock::stepped(start);
        let web = LivingWeb::start(script(), clock.clone()).await.unwrap();
        let mut config = config_for(&web, Span::from_secs(1));
        config.schedule.policy = "age".to_owned();
        config.schedule.cycle = units::Duration(CYCLE);
        config.schedule.budget = PAGES as usize + 1; // and robots.txt
        config.scope.max_depth = 0;
        let seeds: Vec<Url> = (0..PAGES).map(url).collect();
        let folder = new_collection_of(&config, &seeds, start);
        Crawled { clock, start, config, folder, _web: web }
    }

    fn settings(&self) -> Settings {
        Settings::resolve(self.config.clone()).unwrap()
    }

    /// Crawls for as long as somebody talks to the crawl.
    async fn run(&self, talk: impl AsyncFnOnce(Line)) {
        let ((trigger, shutdown), (line, calls)) = (Shutdown::new(), Calls::new());
        let collection = Collection::at(self.folder.path());
        let limits = Limits { goal: Goal::Forever, max_visits: None };
        let clock = self.clock.clone();
        let crawl = pipeline::run_on_call(&collection, self.settings(), clock, limits, shutdown, calls, |_| {});
        let talk = async {
            talk(line).await;
            trigger.ask();
        };
        tokio::join!(crawl, talk).0.unwrap();
    }

    async fn wait_until(&self, cycles: f64) {
        self.clock.sleep_until(self.start + CYCLE * cycles).await;
    }

    fn page(&self, number: u32) -> PageId {
        let (store, url) = (store::reader(self.folder.path()).unwrap(), url(number));
        PageId(store.find(url.as_str(), pipeline::fingerprint(url.as_str())).unwrap().unwrap().id)
    }

    /// How often each page was visited within some cycles.
    fn visited(&self, cycles: std::ops::Range<f64>) -> Vec<usize> {
        let within = |at: i64| at >= self.time(cycles.start) && at < self.time(cycles.end);
        let visits: Vec<_> = visits(self.folder.path()).into_iter().filter(|visit| within(visit.at)).collect();
        (0..PAGES).map(|page| visits.iter().filter(|visit| visit.url == url(page).as_str()).count()).collect()
    }

    fn time(&self, cycles: f64) -> i64 {
        (self.start + CYCLE * cycles).millis()
    }
}

async fn order(line: &Line, page: PageId, order: PageOrder) -> Reply {
    line.call(Call::Order(vec![page], order)).await.unwrap()
}

async fn state(line: &Line, page: PageId) -> PageState {
    match line.call(Call::Page(page)).await {
        Some(Reply::Page(Some(state))) => *state,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn orders_are_obeyed_at_once_and_after_every_restart() {
    for keeps in [false, true] {
        let crawled = Crawled::new().await;
        let [paused, removed, called] = [2, 5, 7].map(|page| crawled.page(page));
        crawled
            .run(async |line| {
                crawled.wait_until(1.5).await;
                assert_eq!(order(&line, paused, PageOrder::Pause).await, Reply::Ordered);
                assert_eq!(order(&line, removed, PageOrder::Remove).await, Reply::Ordered);
                assert_eq!(state(&line, paused).await.turn, Turn::LeftAlone(Held::Paused));
                assert_eq!(order(&line, called, PageOrder::Visit).await, Reply::Ordered);
                let nowhere = order(&line, PageId(999), PageOrder::Pause).await;
                assert_eq!(nowhere, Reply::Refused("page 999 is not there".into()));
                let weightless = order(&line, called, PageOrder::Weigh(f32::NAN)).await;
                assert!(matches!(weightless, Reply::Refused(_)), "{weightless:?}");
                crawled.wait_until(3.0).await;
            })
            .await;
        assert_eq!(crawled.visited(0.0..1.4), [2; PAGES as usize], "{keeps}");
        assert_eq!(
            crawled.visited(1.5..2.0),
            [0, 0, 0, 0, 0, 0, 0, 1, 0],
            "{keeps}: visited now, although all had been"
        );
        assert_eq!(crawled.visited(2.0..3.0)[2], 0);
        if keeps {
            assert!(make_checkpoint(crawled.folder.path(), &crawled.settings(), crawled.clock.now()).unwrap());
        }
        crawled
            .run(async |line| {
                crawled.wait_until(5.5).await;
                assert_eq!(state(&line, removed).await.turn, Turn::LeftAlone(Held::Removed));
                assert_eq!(order(&line, paused, PageOrder::Resume).await, Reply::Ordered);
                // Who names a page again wants it again.
                let again = Addition { urls: vec![url(5)], source: None, weight: 1.0 };
                assert!(matches!(line.call(Call::Add(again)).await, Some(Reply::Added(_))));
                crawled.wait_until(7.0).await;
            })
            .await;
        let [left_alone, resumed] = [3.0..5.5, 6.0..7.0].map(|cycles| crawled.visited(cycles));
        assert_eq!((left_alone[2], left_alone[5], left_alone[1] > 1), (0, 0, true), "{keeps}: {left_alone:?}");
        assert_eq!(resumed, [1; PAGES as usize], "{keeps}");
    }
}
