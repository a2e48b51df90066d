//! The system's clock may be wrong for a while. What was recorded meanwhile harms nothing that comes later.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::living::{Changes, LivingWeb, Page, Script, Site};
use everfresh::pipeline::{self, Goal, Limits, Summary};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use revisit::Span;
use support::collection::{config_for, new_collection};
use tempfile::TempDir;

/// Visits what is due.
async fn crawl_once(folder: &TempDir, web: &LivingWeb, clock: Clock) -> Summary {
    let settings = Settings::resolve(config_for(web, Span::from_secs(1))).unwrap();
    let (_trigger, shutdown) = Shutdown::new();
    let limits = Limits { goal: Goal::Idle, max_visits: None };
    pipeline::run(&Collection::at(folder.path()), settings, clock, limits, shutdown, |_| {}).await.unwrap()
}

/// A page that changed between two visits of which the second has the earlier time, as after a clock was set right.
#[tokio::test(start_paused = true)]
async fn a_clock_that_was_ahead_harms_no_later_crawl() {
    let page = |path: &str| Page::new(path).changes(Changes::Every(Span::HOUR));
    let down = page("/down").fails(503);
    let script =
        Script::new(9).site(Site::new("a.test").page(page("/1")).page(page("/2"))).site(Site::new("b.test").page(down));
    let right = script.begins() + Span::DAY;
    let folder = {
        let clock = Clock::stepped(right + Span::DAY * 365.0);
        let web = LivingWeb::start(script.clone(), clock.clone()).await.unwrap();
        let folder = new_collection(&config_for(&web, Span::from_secs(1)), &web, clock.now());
        crawl_once(&folder, &web, clock).await;
        folder
    };
    let clock = Clock::stepped(right);
    let web = LivingWeb::start(script, clock.clone()).await.unwrap();
    for _ in 0..3 {
        let summary = crawl_once(&folder, &web, clock.clone()).await;
        assert!(summary.expected_freshness.is_finite());
        clock.sleep_until(clock.now() + Span::HOUR * 12.0).await;
    }
    let asked =
        |host: &str| web.log().iter().filter(|request| request.host == host && request.path != "/robots.txt").count();
    assert!(asked("a.test") >= 6 && asked("b.test") >= 2, "what failed rests no longer than it would have");
    assert!(web.log().iter().any(|request| request.path == "/robots.txt"), "rules of the future are as good as old");
}
