//! What a running crawl says of itself is what the store tells of the same moment, for every kind of policy, also after it was
//! told to add pages: state is a function of the store.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers outside of test functions too

mod support;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{Changes, LivingWeb, Page, Script, Site};
use everfresh::pipeline::{
    self, Addition, Call, Calls, Goal, Limits, Line, Memory, Overview, PageState, Reply, Turn, make_checkpoint,
};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::store;
use everfresh::units;
use revisit::{PageId, Span, Time};
use support::collection::{config_for, new_collection_of};
use tempfile::TempDir;
use url::Url;

const CYCLE: Span = Span::HOUR;
const BUDGET: usize = 30;

fn script() -> Script {
    let site = |host: &str| {
        let every = |page: i32| Changes::Every(CYCLE * f64::from(page % 5 + 1));
        Site::new(host).pages((0..25).map(|page| Page::new(&format!("/{page}")).changes(every(page))))
    };
    Script::new(3).site(site("a.living.test")).site(site("b.living.test"))
}

struct Crawled {
    web: LivingWeb,
    clock: Clock,
    start: Time,
    config: Config,
    folder: TempDir,
}

impl Crawled {
    async fn new(policy: &str) -> Crawled {
        let start = script().begins() + Span::DAY;
        let clock = Clock::stepped(start);
        let web = LivingWeb::start(script(), clock.clone()).await.unwrap();
        let mut config = config_for(&web, CYCLE * (0.3 / BUDGET as f64));
        config.schedule.policy = policy.to_owned();
        config.schedule.cycle = units::Duration(CYCLE);
        config.schedule.budget = BUDGET;
        let folder = new_collection_of(&config, &[url("http://a.living.test/")], start);
        Crawled { web, clock, start, config, folder }
    }

    fn settings(&self) -> Settings {
        Settings::resolve(self.config.clone()).unwrap()
    }

    /// Crawls for as long as somebody talks to the crawl.
    async fn run<T>(&self, talk: impl AsyncFnOnce(Line) -> T) -> T {
        let ((trigger, shutdown), (line, calls)) = (Shutdown::new(), Calls::new());
        let (collection, limits) =
            (Collection::at(self.folder.path()), Limits { goal: Goal::Forever, max_visits: None });
        let clock = self.clock.clone();
        let crawl = pipeline::run_on_call(&collection, self.settings(), clock, limits, shutdown, calls, |_| {});
        let talk = async {
            let told = talk(line).await;
            trigger.ask();
            told
        };
        let (summary, told) = tokio::join!(crawl, talk);
        summary.unwrap();
        told
    }

    async fn wait_until(&self, cycles: f64) {
        self.clock.sleep_until(self.start + CYCLE * cycles).await;
    }

    /// What the store tells, as of now.
    fn told(&self) -> (Overview, Vec<PageState>) {
        let (store, now) = (store::reader(self.folder.path()).unwrap(), self.clock.now());
        let read = || Memory::read(self.folder.path(), store.as_ref(), &self.settings(), now).unwrap();
        let overview = read().overview(&self.settings(), now);
        let memory = read();
        let pages: Vec<PageId> = memory.scheduler.pages().iter().map(|(page, _)| page).collect();
        let states = pages.into_iter().map(|page| memory.page_state(page, &self.settings(), now).unwrap().unwrap());
        (overview, states.collect())
    }
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

async fn overview(line: &Line) -> Overview {
    match line.call(Call::Overview).await {
        Some(Reply::Overview(overview)) => overview,
        other => panic!("{other:?}"),
    }
}

async fn page(line: &Line, page: u32) -> Option<PageState> {
    match line.call(Call::Page(PageId(page))).await {
        Some(Reply::Page(state)) => state.map(|state| *state),
        other => panic!("{other:?}"),
    }
}

async fn add(line: &Line, urls: &[&str], weight: f32) -> (usize, usize) {
    let urls = urls.iter().map(|text| url(text)).collect();
    match line.call(Call::Add(Addition { urls, source: None, weight })).await {
        Some(Reply::Added(added)) => (added.added, added.known),
        other => panic!("{other:?}"),
    }
}

/// Everything that a crawl says of itself and its pages.
async fn said(line: &Line) -> (Overview, Vec<PageState>) {
    let (overview, mut pages) = (overview(line).await, Vec::new());
    while let Some(state) = page(line, pages.len() as u32).await {
        pages.push(state);
    }
    (overview, pages)
}

#[tokio::test(start_paused = true)]
async fn what_a_crawl_says_is_what_the_store_tells() {
    let mut ranking = Vec::new();
    // Those that plan more than once a cycle have in memory when they last did.
    for policy in ["everfresh", "age", "nutch-adaptive", "grimes-ford", "lambdacrawl"] {
        let crawled = Crawled::new(policy).await;
        for (until, is_kept) in [(1.9, false), (3.95, true), (5.9, false)] {
            let live = crawled
                .run(async |line: Line| {
                    // When the budget is spent, and nothing is under way.
                    crawled.wait_until(until).await;
                    said(&line).await
                })
                .await;
            assert_eq!((live.0.picked, live.0.in_flight), (0, 0), "{policy} at {until}");
            let is_ranked = |state: &PageState| matches!(state.turn, Turn::Ranked { .. });
            ranking.extend(live.1.iter().any(is_ranked).then_some(policy));
            assert_eq!(live, crawled.told(), "{policy} at {until}");
            if is_kept {
                assert!(make_checkpoint(crawled.folder.path(), &crawled.settings(), crawled.clock.now()).unwrap());
                assert_eq!(live, crawled.told(), "{policy} from a checkpoint");
            }
        }
    }
    assert!(["everfresh", "age"].iter().all(|policy| ranking.contains(policy)), "some have an order: {ranking:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_added_counts_from_then_on_and_is_told_again() {
    for policy in ["everfresh", "age", "nutch-adaptive"] {
        let crawled = Crawled::new(policy).await;
        let live = crawled
            .run(async |line: Line| {
                crawled.wait_until(1.3).await;
                let front = "http://b.living.test/";
                assert_eq!(add(&line, &[front, front, "http://a.living.test/7"], 3.0).await, (1, 1));
                let new = page(&line, 26).await.unwrap();
                assert_eq!(new.host.name, "http://b.living.test", "it is known at once");
                assert!(matches!(new.turn, Turn::New | Turn::UnderWay), "{new:?}");
                assert_eq!(add(&line, &[front], 4.0).await, (0, 1), "again is nothing new");
                crawled.wait_until(4.9).await;
                said(&line).await
            })
            .await;
        let asked = crawled.web.log().iter().filter(|request| request.host == "b.living.test").count();
        assert!(asked > 10, "{policy}: with what is around it: {asked}");
        assert_eq!(live, crawled.told(), "{policy}");
        let weight = |page: u32| {
            let store = store::reader(crawled.folder.path()).unwrap();
            let memory = Memory::read(crawled.folder.path(), store.as_ref(), &crawled.settings(), crawled.clock.now());
            memory.unwrap().scheduler.pages().weight(PageId(page))
        };
        assert_eq!(weight(26), 4.0);
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_is_refused_and_what_is_not_there_is_told() {
    let crawled = Crawled::new("everfresh").await;
    crawled
        .run(async |line: Line| {
            assert_eq!(page(&line, 9999).await, None);
            for (text, weight) in [("http://c.test/", f32::NAN), ("http://c.test/", -1.0), ("data:x", 1.0)] {
                let addition = Addition { urls: vec![url(text)], source: None, weight };
                let reply = line.call(Call::Add(addition)).await;
                assert!(matches!(reply, Some(Reply::Refused(_))), "{text} {weight}: {reply:?}");
            }
            assert_eq!(overview(&line).await.cycle.map(|cycle| cycle.number), Some(1));
        })
        .await;
    assert_eq!(store::reader(crawled.folder.path()).unwrap().totals().unwrap().hosts, 1);
}
