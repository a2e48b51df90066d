//! Models in use: what was trained on one half of a crawl decides the other half, a new model is taken up while a crawl goes
//! on, and a crawl trains itself.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::BTreeSet;
use std::path::Path;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{Changes, LivingWeb, Page, Script, Site};
use everfresh::models::{Provenance, Trained};
use everfresh::pipeline::{self, Goal, Limits};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::store;
use everfresh::units::Duration;
use revisit::model::Model;
use revisit::{Span, Time};
use support::collection::{config_for, json, new_collection, printed, visits};
use tempfile::TempDir;

/// The demo's web in stepped time, and a collection of it.
struct Crawled {
    _web: LivingWeb,
    clock: Clock,
    folder: TempDir,
    config: Config,
}

impl Crawled {
    async fn new(script: Script) -> Crawled {
        let clock = Clock::stepped(script.begins() + Span::DAY);
        let web = LivingWeb::start(script, clock.clone()).await.unwrap();
        let mut config = config_for(&web, Span::from_secs(5));
        config.fetch.max_delay = Duration::secs(5);
        config.detect.drop = [".clock", ".token", ".counter"].map(String::from).to_vec();
        config.schedule.cycle = Duration::secs(6 * 3600);
        config.schedule.budget = 60;
        let folder = new_collection(&config, &web, clock.now());
        config.folder = folder.path().to_owned();
        Crawled { _web: web, clock, folder, config }
    }

    /// Goes on until so many visits more were made.
    async fn crawl(&self, visits: u64) {
        let (_trigger, shutdown) = Shutdown::new();
        self.crawl_until(Limits { goal: Goal::Forever, max_visits: Some(visits) }, shutdown).await;
    }

    async fn crawl_until(&self, limits: Limits, shutdown: Shutdown) {
        let settings = Settings::resolve(self.config.clone()).unwrap();
        let collection = Collection::at(self.folder.path());
        pipeline::run(&collection, settings, self.clock.clone(), limits, shutdown, |_| {}).await.unwrap();
    }

    /// Goes on for so many days.
    async fn crawl_for(&self, days: f64) {
        let (trigger, shutdown) = Shutdown::new();
        let end = self.clock.now() + Span::DAY * days;
        let ending = async {
            self.clock.sleep_until(end).await;
            trigger.ask();
        };
        tokio::join!(self.crawl_until(Limits { goal: Goal::Forever, max_visits: None }, shutdown), ending);
    }

    /// Writes the configuration down, for the program to read.
    fn write_config(&self) {
        let path = self.folder.path().join(everfresh::config::FILE);
        std::fs::write(path, toml::to_string(&self.config).unwrap()).unwrap();
    }

    fn use_policy(&mut self, policy: &str) {
        policy.clone_into(&mut self.config.schedule.policy);
        self.write_config();
    }
}

/// A formula as a model file.
fn save(formula: &str, path: &Path) {
    let model = Model::Formula(formula.parse().unwrap());
    Trained { model, provenance: Provenance::default() }.save(path).unwrap();
}

#[tokio::test(start_paused = true)]
async fn models_trained_on_one_half_of_a_crawl_decide_the_other() {
    let mut crawled = Crawled::new(Script::demo(1)).await;
    crawled.crawl(3000).await;
    let folder = crawled.folder.path().to_owned();
    let train = |arguments: &[&str]| -> serde_json::Value {
        let source = ["--cycle", "6h", "--json", "--collection", folder.to_str().unwrap()];
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_everfresh"))
            .args([arguments, &source].concat())
            .env("RUST_LOG", "off")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let bred = train(&["train", "gp", "--population", "60", "--generations", "8"]);
    let formula = bred["formula"].as_str().unwrap().to_owned();
    train(&["train", "tree", "--groups", "3"]);

    let article = "http://news.living.test/politics/1";
    let mut before = visits(&folder).len();
    for (policy, words) in
        [("gp:models/gp.toml", formula.as_str()), ("tree+historic:models/tree.toml", "its content spoke for")]
    {
        crawled.use_policy(policy);
        crawled.crawl(600).await;
        let now = visits(&folder);
        assert!(now.len() >= before + 600, "{policy}");
        assert!(now[before..].iter().any(|visit| visit.outcome == "changed"), "{policy} saw no change");
        before = now.len();
        let explained = json(&folder, &["explain", article]);
        assert!(explained["reason"].as_str().unwrap().contains(words), "{explained}");
        let status = json(&folder, &["status"]);
        assert!(status["model"]["pages"].as_u64().unwrap() > 50, "{status}");
    }
    crawled.use_policy("gp:models/gp.toml");
    let reason = printed(&folder, &["explain", article]);
    assert!(reason.contains(&format!("{formula} = ")), "the formula with the page's numbers in it: {reason}");
}

/// Ten pages that change faster than they are visited.
fn restless() -> Script {
    let page = |number: u32| Page::new(&format!("/{number}")).changes(Changes::Every(Span::MINUTE * 10.0));
    Script::new(4).site(Site::new("restless.test").pages((1..=9).map(page)))
}

/// How many pages the last six visits went to.
fn pages_of_late(folder: &Path) -> usize {
    visits(folder).into_iter().rev().take(6).map(|visit| visit.url).collect::<BTreeSet<String>>().len()
}

#[tokio::test(start_paused = true)]
async fn a_new_model_is_taken_up_with_the_next_cycle() {
    let mut crawled = Crawled::new(restless()).await;
    let model = crawled.folder.path().join("models/gp.toml");
    save("0 - X", &model);
    crawled.config.schedule.cycle = Duration::secs(3600);
    crawled.config.schedule.budget = 3;
    crawled.use_policy("gp:models/gp.toml");
    crawled.crawl(60).await;
    assert!(pages_of_late(crawled.folder.path()) > 4, "pages with the fewest changes first: all in turn");
    let replace = async {
        crawled.clock.sleep_until(crawled.clock.now() + Span::HOUR * 10.0).await;
        save("X", &model);
    };
    tokio::join!(crawled.crawl(90), replace);
    assert_eq!(pages_of_late(crawled.folder.path()), 3, "pages with the most changes first: the same in every cycle");
}

#[tokio::test(start_paused = true)]
async fn a_crawl_trains_its_model_again_and_says_so() {
    let mut crawled = Crawled::new(Script::demo(2)).await;
    save("0 - t", &crawled.folder.path().join("models/gp.toml"));
    crawled.config.train.every = Some(Duration(Span::DAY * 3.0));
    crawled.use_policy("gp:models/gp.toml");
    crawled.crawl_for(12.0).await;
    let trainings = store::reader(crawled.folder.path()).unwrap().trainings(10).unwrap();
    assert!(trainings.len() >= 2, "every three days: {trainings:?}");
    assert!(
        trainings.iter().any(|training| training.adopted),
        "whatever is bred beats the newest first: {trainings:?}"
    );
    let trained = Trained::load(&crawled.folder.path().join("models/gp.toml")).unwrap();
    assert!(trained.provenance.pages > 0);
    let status = printed(crawled.folder.path(), &["status"]);
    assert!(status.contains("a new model was adopted") && status.contains("held-out pages fresh"), "{status}");
    assert!(Time::from_millis(trainings[0].at) < crawled.clock.now());
}
