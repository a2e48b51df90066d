//! What `explain` promises of a page, held against what then happened: the chance that its copy is current, and the cycle of its next
//! visit.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use everfresh::collection::Collection;
use everfresh::living::{Changes, Page, Request, Script, Site};
use everfresh::pipeline::Turn;
use everfresh::query::Query;
use everfresh::settings::Settings;
use revisit::{Span, Time};
use support::stepped::{CYCLE, Stepped};

const HOST: &str = "a.living.test";
const PAGES: usize = 100;
const BUDGET: usize = 20;
/// The cycles in which questions are asked, every other one, of as many pages each time.
const FIRST: usize = 40;
const LAST: usize = 80;
const ASKED: usize = 20;
/// Of one world of a hundred pages so many answers are too much alike to tell a bias from luck.
const WORLDS: u64 = 4;

/// Pages that change at random, some often and some never.
fn script(seed: u64) -> Script {
    let page = |number: usize| {
        let every = [0.0, 3.0, 8.0, 20.0, 60.0][number % 5];
        let page = Page::new(&format!("/{number}"));
        if every == 0.0 { page } else { page.changes(Changes::Poisson { mean: CYCLE * every }) }
    };
    Script::new(seed).site(Site::new(HOST).pages((1..PAGES).map(page)))
}

/// What was said of a page at a time.
struct Promise {
    path: String,
    at: Time,
    chance: f64,
    /// In how many cycles it would be visited.
    cycles: f64,
}

fn ask(crawled: &Stepped, path: String) -> Option<Promise> {
    let settings = Settings::resolve(crawled.config.clone()).unwrap();
    let query = Query::open(Collection::at(crawled.folder.path()), settings).unwrap();
    let at = crawled.clock.now();
    let said = query.explain(&format!("http://{HOST}{path}"), at).unwrap();
    let Turn::Ranked { position, .. } = said.turn else { return None };
    let cycles = position as f64 / BUDGET as f64;
    Some(Promise { path, at, chance: said.evidence.chance_current?, cycles })
}

/// The mean difference between chance and frequency over ten parts of the chances, weighed by how many are in each.
fn calibration_error(said: &[(f64, bool)]) -> f64 {
    let part = |number: usize| said.iter().filter(move |(chance, _)| ((chance * 10.0) as usize).min(9) == number);
    let error = |number: usize| {
        let (chances, current): (f64, f64) = part(number)
            .fold((0.0, 0.0), |(sum, hits), (chance, hit)| (sum + chance, hits + f64::from(u8::from(*hit))));
        (chances - current).abs()
    };
    (0..10).map(error).sum::<f64>() / said.len() as f64
}

/// Whether copies were current of which a chance was said, and by how many cycles visits came later than said, in one world.
async fn come_true(seed: u64) -> (Vec<(f64, bool)>, Vec<f64>) {
    let crawled = Stepped::new(script(seed), Span::from_millis(100), BUDGET, |_| {}).await;
    let mut promises = Vec::new();
    for cycle in (FIRST..LAST).step_by(2) {
        crawled.run_until(cycle as f64 + 0.9).await;
        let pages = (0..ASKED).map(|number| format!("/{}", 1 + (number * 37 + cycle * 13) % (PAGES - 1)));
        promises.extend(pages.filter_map(|path| ask(&crawled, path)));
    }
    crawled.run_until(LAST as f64 + 60.0).await;
    let log = crawled.web.log();
    let visits = |path: &str| log.iter().filter(move |request| request.path == path).collect::<Vec<&Request>>();
    let truth = crawled.web.truth();
    let (mut said, mut late) = (Vec::new(), Vec::new());
    for Promise { path, at, chance, cycles } in &promises {
        let of_page = visits(path);
        let copy = of_page.iter().rfind(|request| request.at <= *at).and_then(|request| request.version);
        said.push((*chance, copy == truth.version_at(&format!("http://{HOST}{path}"), *at)));
        if let Some(next) = of_page.iter().find(|request| request.at > *at) {
            late.push((next.at - *at).ratio(CYCLE).ceil() - cycles.ceil());
        }
    }
    (said, late)
}

#[tokio::test(start_paused = true)]
async fn what_explain_says_comes_true() {
    let (mut said, mut late) = (Vec::new(), Vec::new());
    for seed in 0..WORLDS {
        let (more_said, more_late) = come_true(11 + seed).await;
        println!("{} answers, calibration error {:.3}", more_said.len(), calibration_error(&more_said));
        said.extend(more_said);
        late.extend(more_late);
    }
    late.sort_by(f64::total_cmp);
    let (error, median) = (calibration_error(&said), late[late.len() / 2]);
    println!("{} answers, calibration error {error:.3}, visits later by {median} cycles at the median", said.len());
    assert!(said.len() >= 1500, "{}", said.len());
    assert!(error <= 0.03, "{error}");
    assert_eq!(median, 0.0);
}
