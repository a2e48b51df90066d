//! Ten thousand documents of mixed formats on the living web, written otherwise in every answer: what is said decides, and
//! every decision is right.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::living::{Changes, LivingWeb, Page, Script, Site, Syntax};
use everfresh::pipeline::{self, Goal, Limits};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::store::VisitEntry;
use revisit::{Span, Time};
use support::collection::{config_for, new_collection, visits};

const HOSTS: usize = 20;
const DOCUMENTS: usize = 500;

/// A host with documents of all syntaxes in turn; a third of them changes after a day, half of those again after two.
fn site(number: usize, start: Time) -> Site {
    let page = |document: usize| {
        let syntax = Syntax::ALL[document % Syntax::ALL.len()];
        let days: &[f64] = match document / Syntax::ALL.len() % 6 {
            0 => &[1.0, 2.0],
            3 => &[1.0],
            _ => &[],
        };
        let changes = days.iter().map(|days| start + Span::DAY * *days).collect();
        Page::new(&format!("/{document}.{}", syntax.ending())).data(syntax).changes(Changes::At(changes))
    };
    Site::new(&format!("data{number}.living.test")).pages((0..DOCUMENTS).map(page))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ten_thousand_documents_say_is_judged_rightly() {
    let script = Script::new(7);
    let start = script.begins();
    let script = (0..HOSTS).map(|number| site(number, start)).fold(script, Script::site);
    let now = Arc::new(AtomicI64::new(start.millis()));
    let told = Arc::clone(&now);
    let web = LivingWeb::start_told(script, move || Time::from_millis(told.load(Ordering::SeqCst))).await.unwrap();
    let config = config_for(&web, Span::ZERO);
    let folder = new_collection(&config, &web, start);
    // First seen, seen again without a change, seen after one change or two.
    let mut before: BTreeMap<String, u64> = BTreeMap::new();
    for (round, days) in [0.0, 0.5, 2.5].into_iter().enumerate() {
        let at = start + Span::DAY * days;
        now.store(at.millis(), Ordering::SeqCst);
        let seen = visits(folder.path()).len();
        let (_trigger, shutdown) = Shutdown::new();
        let (collection, limits) = (Collection::at(folder.path()), Limits { goal: Goal::Idle, max_visits: None });
        let settings = Settings::resolve(config.clone()).unwrap();
        pipeline::run(&collection, settings, Clock::standing(at), limits, shutdown, |_| {}).await.unwrap();
        let round_visits = visits(folder.path()).split_off(seen);
        assert_eq!(round_visits.len(), HOSTS * (DOCUMENTS + 1), "round {round}");
        for visit in &round_visits {
            let version = web.truth().version_at(&visit.url, at).unwrap();
            let expected = match before.insert(visit.url.clone(), version) {
                None => "first",
                Some(last) if last == version => "unchanged",
                Some(_) => "changed",
            };
            assert_eq!(visit.outcome, expected, "round {round}: {visit:?}");
            assert_told(visit);
        }
        let by_rule = |rule: &str| round_visits.iter().filter(|visit| visit.rule == rule).count();
        match round {
            0 => assert_eq!(by_rule("first"), round_visits.len()),
            1 => assert!(by_rule("same-data") > HOSTS * DOCUMENTS * 9 / 10, "few were written otherwise"),
            _ => assert!(by_rule("data-differs") > HOSTS * DOCUMENTS / 4, "few changed"),
        }
    }
}

/// A change is told in numbers; and no document had to be judged by its bytes.
fn assert_told(visit: &VisitEntry) {
    let detail = visit.detail.as_deref().unwrap_or_default();
    assert!(!detail.contains("judged by its bytes"), "{visit:?}");
    if visit.outcome == "changed" {
        assert_eq!(visit.rule, "data-differs", "{visit:?}");
        assert!(detail.contains(" added, ") || detail.contains(" changed"), "{visit:?}");
    }
}
