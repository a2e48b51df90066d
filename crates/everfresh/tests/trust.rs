//! The dates of an honest sitemap save fetches; those of a lying one are soon ignored. Every cycle is a crawl of its own, so
//! what was told and how far it can be believed survives the end of each.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::living::{Changes, LivingWeb, Page, Script, Site, Sitemap};
use everfresh::pipeline::{self, Goal, Limits};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::units::Duration;
use revisit::{Span, Time};
use support::collection::{config_for, json, new_collection, printed, visits};
use tempfile::TempDir;

const HOST: &str = "dated.living.test";
const PAGES: u32 = 60;
/// The first days show what the dates are worth; the others are judged.
const LEARNING: usize = 8;
const JUDGED: usize = 12;

/// Sixty pages that change every ten days or so, on a host with some kind of sitemap.
fn script(sitemap: Sitemap) -> Script {
    let changes = Changes::Poisson { mean: Span::DAY * 10.0 };
    let pages = (1..=PAGES).map(|number| Page::new(&format!("/{number}")).changes(changes.clone()));
    Script::new(5).site(Site::new(HOST).sitemap(sitemap).pages(pages))
}

/// A visit to one of the sixty pages, or to anything else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    path: String,
    changed: bool,
}

/// A crawl that goes on for twenty days, a cycle a day.
struct Crawled {
    folder: TempDir,
    days: Vec<Vec<Seen>>,
}

impl Crawled {
    async fn of(sitemap: Sitemap, policy: &str, budget: usize, goal: Goal) -> Crawled {
        let begin = script(sitemap).begins() + Span::DAY;
        let now = Arc::new(AtomicI64::new(begin.millis()));
        let told = now.clone();
        let web = LivingWeb::start_told(script(sitemap), move || Time::from_millis(told.load(Ordering::SeqCst)))
            .await
            .unwrap();
        let mut config = config_for(&web, Span::ZERO);
        config.schedule.cycle = Duration(Span::DAY);
        config.schedule.policy = policy.into();
        config.schedule.budget = budget;
        let folder = new_collection(&config, &web, begin);
        let mut crawled = Crawled { folder, days: Vec::new() };
        for day in 0..=LEARNING + JUDGED {
            let at = begin + Span::DAY * day as f64;
            now.store(at.millis(), Ordering::SeqCst);
            let goal = if day == 0 { Goal::Idle } else { goal };
            let limits = Limits { goal, max_visits: None };
            let (_trigger, shutdown) = Shutdown::new();
            let settings = Settings::resolve(config.clone()).unwrap();
            let collection = Collection::at(crawled.folder.path());
            pipeline::run(&collection, settings, Clock::standing(at), limits, shutdown, |_| {}).await.unwrap();
            crawled.take_day();
        }
        crawled
    }

    fn take_day(&mut self) {
        let known = self.days.iter().map(Vec::len).sum();
        let day = visits(self.folder.path()).split_off(known).into_iter();
        let path = |url: String| url.split_once(HOST).unwrap().1.to_owned();
        self.days.push(day.map(|visit| Seen { changed: visit.outcome == "changed", path: path(visit.url) }).collect());
    }

    fn judged(&self) -> impl Iterator<Item = &Seen> {
        self.days[LEARNING + 1..].iter().flatten()
    }

    /// Fetches of the days that are judged, the sitemap's too, and changes of the sixty pages seen in them.
    fn counts(&self) -> (usize, usize) {
        (self.judged().count(), self.judged().filter(|seen| seen.changed && seen.path != "/sitemap.xml").count())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_honest_sitemap_saves_fetches_and_loses_no_change() {
    let crawl = |sitemap| Crawled::of(sitemap, "age", 1000, Goal::Idle);
    let (with, without) = tokio::join!(crawl(Sitemap::Honest), crawl(Sitemap::Absent));
    let ((fetches, caught), (all, changes)) = (with.counts(), without.counts());
    let said = format!("{fetches} fetches caught {caught} changes; without the sitemap {all} fetches caught {changes}");
    println!("{said}");
    assert!(fetches * 2 < all, "{said}");
    assert!(caught * 20 >= changes * 19, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_honest_sitemap_finds_more_within_the_same_budget() {
    for policy in ["age", "nutch-adaptive", "site-b"] {
        let crawl = |sitemap| Crawled::of(sitemap, policy, 15, Goal::OneCycle);
        let (with, without) = tokio::join!(crawl(Sitemap::Honest), crawl(Sitemap::Absent));
        let ((fetches, caught), (all, changes)) = (with.counts(), without.counts());
        let said = format!(
            "{policy}: {fetches} fetches caught {caught} changes; without the sitemap {all} fetches caught {changes}"
        );
        println!("{said}");
        assert!(caught > changes && caught * all > changes * fetches, "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn days_without_a_time_of_day_save_fetches_too_and_lose_no_change() {
    let crawl = |sitemap| Crawled::of(sitemap, "age", 1000, Goal::Idle);
    let (days, honest, without) = tokio::join!(crawl(Sitemap::Days), crawl(Sitemap::Honest), crawl(Sitemap::Absent));
    let [(fetches, caught), (least, _), (all, changes)] = [&days, &honest, &without].map(|crawled| crawled.counts());
    let said = format!(
        "{fetches} fetches caught {caught} changes; with times of day {least}; without the sitemap {all} fetches caught {changes}"
    );
    println!("{said}");
    assert!(fetches * 2 < all, "{said}");
    assert!(caught * 20 >= changes * 19, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lying_sitemap_is_ignored_within_a_few_cycles() {
    let crawl = |sitemap, budget, goal| Crawled::of(sitemap, "age", budget, goal);
    let (lied_to, without) =
        tokio::join!(crawl(Sitemap::Lying, 1000, Goal::Idle), crawl(Sitemap::Absent, 1000, Goal::Idle));
    let pages =
        |day: &[Seen]| -> BTreeSet<Seen> { day.iter().filter(|seen| seen.path != "/sitemap.xml").cloned().collect() };
    for (day, (one, other)) in lied_to.days.iter().zip(&without.days).enumerate().skip(1) {
        assert_eq!(pages(one), pages(other), "day {day}");
    }
    let (lied_to, without) =
        tokio::join!(crawl(Sitemap::Lying, 15, Goal::OneCycle), crawl(Sitemap::Absent, 15, Goal::OneCycle));
    let readings = lied_to.judged().filter(|seen| seen.path == "/sitemap.xml").count();
    let ((fetches, caught), (all, changes)) = (lied_to.counts(), without.counts());
    let said = format!(
        "{fetches} fetches, {readings} of the sitemap, caught {caught}; without it {all} fetches caught {changes}"
    );
    println!("{said}");
    assert!(readings <= JUDGED / 3, "read as any other page: {said}");
    assert!(caught.abs_diff(changes) * 5 <= changes, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_tell_of_sites_and_of_what_their_lists_said() {
    let crawled = Crawled::of(Sitemap::Honest, "age", 1000, Goal::Idle).await;
    let (folder, top) = (crawled.folder.path(), format!("http://{HOST}/"));
    let page = json(folder, &["explain", &format!("{top}7")]);
    assert_eq!(page["site"]["top"], top, "{page:#}");
    assert_eq!(page["site"]["top_last_visit"]["url"], top, "{page:#}");
    assert_eq!(page["list"]["told_by"], format!("{top}sitemap.xml"), "{page:#}");
    let said = printed(folder, &["explain", &format!("{top}7")]);
    assert!(said.contains("sitemap.xml says it changed") && said.contains(&format!("that of {top}")), "{said}");
    let status = json(folder, &["status", "--sites"]);
    let site = &status["sites"][0];
    assert_eq!((&site["top"], site["pages"].as_u64()), (&top.clone().into(), Some(u64::from(PAGES) + 1)), "{site:#}");
    let right = |key: &str| site["dates"][key].as_f64().unwrap();
    assert!(right("changed_right") > 0.9 && right("unchanged_right") > 0.9, "{site:#}");
    assert!(right("urgency") > 0.5 && right("need") < 0.2, "{site:#}");
    assert!(json(folder, &["status"]).get("sites").is_none(), "only if asked for");
    let table = printed(folder, &["status", "--sites"]);
    println!("{table}\n{said}");
    assert!(table.contains("changed of late"), "{table}");
}
