//! Figures 4 to 6 of Umbrich, Mrzelj & Polleres 2015.
//!
//! Three years in cycles of a day, the shortest interval of the strategies; pages grouped by their true mean change
//! interval. All pages are crawled together, as the archiver would, because `state-1` and `state-2` learn over all of them;
//! only the counts are kept apart. Readings: the last three years of the trace unless told otherwise; pages that never
//! changed in them have no mean interval and are left out, as the paper's corpus has none; pages that change faster than
//! every two days are in "all" only.

pub(crate) mod page;
mod statements;
pub(crate) mod text;

use std::collections::BTreeSet;

use revisit::Time;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::measure::{CycleCounts, Measures};
use revisit::lab::run::Run;
use revisit::lab::trace::Trace;
use revisit::policy::registry;
use serde::Serialize;

use crate::experiments::ExperimentError;
use crate::experiments::budget::Budget;
use crate::experiments::runs::{Stage, parallel};
use crate::experiments::source::Source;

/// The strategies of the paper.
const STRATEGIES: [&str; 7] = ["fix", "dyn", "window", "state-1", "state-2", "gold", "week"];
/// The groups: their names and the days up to which their mean change interval goes. The first is too fast for the paper.
const GROUPS: [(&str, f64); 8] = [
    ("faster than 2 days", 2.0),
    ("2–7 days", 7.0),
    ("7–14 days", 14.0),
    ("14 days–1 month", 30.0),
    ("1–2 months", 60.0),
    ("2–4 months", 120.0),
    ("4–6 months", 180.0),
    ("over 6 months", f64::INFINITY),
];
/// Three years of days.
const DAYS: usize = 1095;

/// What came out.
#[derive(Serialize)]
pub(crate) struct UmbrichResults {
    trace: String,
    pages: usize,
    cycles: usize,
    /// Pages left out because they never changed.
    never_changed: usize,
    /// Strategies of the paper that this version does not have.
    missing: Vec<&'static str>,
    groups: Vec<Group>,
    /// What held of the paper's statements and what did not.
    text: String,
}

/// What came out for some of the pages.
#[derive(Serialize)]
struct Group {
    name: &'static str,
    pages: usize,
    strategies: Vec<Strategy>,
}

/// What one strategy did on them.
#[derive(Serialize)]
struct Strategy {
    name: &'static str,
    recall: f64,
    precision: f64,
    downloads: usize,
    /// Precision in the first and the last third of the time.
    precision_first: f64,
    precision_last: f64,
    #[serde(skip)]
    cycles: Vec<CycleCounts>,
}

/// Makes the experiment on the last three years of a source, or on the window that was asked for.
pub(crate) fn reproduce(source: &Source) -> Result<UmbrichResults, ExperimentError> {
    let (trace, window) = source.read()?;
    let asked = source.start.is_some() || source.cycles.is_some();
    measure(&trace, if asked { window } else { last_years(&trace, window) })
}

/// As much of the last three years as the trace has.
fn last_years(trace: &Trace, window: Window) -> Window {
    let (first, last) = trace.span().unwrap_or_default();
    let cycle = window.cycle.millis().max(1);
    let fitting = ((last - first).millis() / cycle).max(0) as usize;
    let wanted = (DAYS as i64 * 86_400_000 / cycle) as usize;
    let cycles = fitting.min(wanted);
    Window { start: Time::from_millis(last.millis() - cycle * cycles as i64), cycles, ..window }
}

/// Runs every strategy of the paper that there is.
fn measure(trace: &Trace, window: Window) -> Result<UmbrichResults, ExperimentError> {
    let whole = Cut::new(trace, window)?;
    let changed = changed_pages(trace, &whole);
    let cut =
        Cut::new(&changed, window).map_err(|_| ExperimentError::Wrong(format!("no page of {} changed", trace.name)))?;
    let stage = Stage::new(&cut);
    let group_of: Vec<usize> = stage.mean_intervals.iter().map(|interval| group(interval.as_days())).collect();
    let (known, missing): (Vec<&str>, Vec<&str>) =
        STRATEGIES.into_iter().partition(|name| registry::find(name).is_ok());
    let runs = parallel(&known, |name| stage.run_by_group(name, Budget::All, GROUPS.len(), |index| group_of[index]))?;
    let mut groups = vec![Group::of("all pages", &known, runs.iter().map(|runs| together(runs)))];
    for (place, (name, _)) in GROUPS.iter().enumerate().skip(1) {
        groups.push(Group::of(name, &known, runs.iter().map(|runs| runs[place].clone())));
    }
    let text = statements::of(&groups);
    let (pages, never_changed) = (cut.len(), whole.len() - cut.len());
    Ok(UmbrichResults { trace: trace.name.clone(), pages, cycles: window.cycles, never_changed, missing, groups, text })
}

/// The pages that are there throughout and changed at least once.
fn changed_pages(trace: &Trace, cut: &Cut<'_>) -> Trace {
    let changes = (0..cut.window().cycles).flat_map(|cycle| cut.changed_in(cycle));
    let changed: BTreeSet<u32> = changes.map(|change| change.index).collect();
    let ids = changed.into_iter().map(|index| cut.page(index as usize));
    Trace::new(trace.name.clone(), ids.map(|id| (trace.page(id).clone(), trace.changes(id).to_vec())))
}

fn group(days: f64) -> usize {
    GROUPS.iter().position(|(_, most)| days <= *most).unwrap_or(GROUPS.len() - 1)
}

/// The counts of all groups, added up.
fn together(runs: &[Run]) -> Run {
    let mut sum =
        Run { pages: 0, cycles: vec![CycleCounts::default(); runs.first().map_or(0, |run| run.cycles.len())] };
    for run in runs {
        sum.pages += run.pages;
        for (sum, counts) in sum.cycles.iter_mut().zip(&run.cycles) {
            sum.pages += counts.pages;
            sum.visits += counts.visits;
            sum.changed_visits += counts.changed_visits;
            sum.changed_pages += counts.changed_pages;
            sum.current += counts.current;
            sum.age_days += counts.age_days;
        }
    }
    sum
}

impl Group {
    fn of(name: &'static str, known: &[&'static str], runs: impl Iterator<Item = Run>) -> Group {
        let mut pages = 0;
        let strategies = known.iter().zip(runs).map(|(name, run)| {
            pages = run.pages;
            Strategy::of(name, run)
        });
        let strategies = strategies.collect();
        Group { name, pages, strategies }
    }

    /// What a strategy did here.
    fn strategy(&self, name: &str) -> Option<&Strategy> {
        self.strategies.iter().find(|strategy| strategy.name == name)
    }
}

impl Strategy {
    fn of(name: &'static str, run: Run) -> Strategy {
        let Measures { recall, precision, downloads, .. } = run.measures();
        let third = run.cycles.len() / 3;
        let precision_of = |cycles: &[CycleCounts]| Measures::of(cycles).precision;
        let precision_first = precision_of(&run.cycles[..third]);
        let precision_last = precision_of(&run.cycles[run.cycles.len() - third..]);
        Strategy { name, recall, precision, downloads, precision_first, precision_last, cycles: run.cycles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text_of;
    use revisit::Span;
    use revisit::lab::trace::FIRST_DAY;

    fn made() -> Trace {
        let steps = [3, 5, 10, 20, 45, 90, 150, 390];
        let page = |(place, step): (usize, usize)| (format!("p{place}"), (place as u32..400).step_by(step).collect());
        Trace::daily("made", 400, steps.into_iter().enumerate().map(page).chain([("still".into(), vec![])]))
    }

    #[test]
    fn the_page_says_what_the_numbers_say() {
        let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 400, warmup: 2 };
        let results = measure(&made(), window).unwrap();
        assert_eq!((results.pages, results.never_changed), (8, 1));
        assert_eq!(results.groups[0].pages, 8);
        assert_eq!(results.groups[1..].iter().map(|group| group.pages).collect::<Vec<_>>(), [2, 1, 1, 1, 1, 1, 1]);
        let text = text_of(&page::make(&results));
        for strategy in results.groups.iter().flat_map(|group| &group.strategies) {
            assert!(text.contains(&format!("{:.4}", strategy.recall)), "{}", strategy.name);
        }
        assert!(results.text.starts_with("Too few pages to judge: all pages (8 pages)"), "{}", results.text);
    }

    #[test]
    fn the_last_years_end_with_the_trace() {
        let window = Window { start: FIRST_DAY, cycle: Span::DAY * 7.0, cycles: 1, warmup: 2 };
        let last = last_years(&made(), window);
        assert_eq!((last.cycles, last.begin(last.cycles)), (57, made().span().unwrap().1));
    }
}
