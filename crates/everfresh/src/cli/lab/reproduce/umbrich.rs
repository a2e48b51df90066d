//! `everfresh lab reproduce umbrich`: Figures 4 to 6 of Umbrich, Mrzelj & Polleres 2015.
//!
//! Three years in cycles of a day, the shortest interval of the strategies; pages grouped by their true mean change
//! interval. All pages are crawled together, as the archiver would, because `state-1` and `state-2` learn over all of them;
//! only the counts are kept apart. Readings: the last three years of the trace unless told otherwise; pages that never
//! changed in them have no mean interval and are left out, as the paper's corpus has none; pages that change faster than
//! every two days are in "all" only.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use revisit::Time;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::measure::{CycleCounts, Measures};
use revisit::lab::run::Run;
use revisit::lab::trace::Trace;
use revisit::policy::registry;
use serde::Serialize;

use super::super::budget::Budget;
use super::super::compare::write_page;
use super::super::runs::{Stage, parallel};
use super::super::source::Source;
use super::{statements, umbrich_page};
use crate::cli::exit::WrongInput;
use crate::cli::output;

/// The strategies of the paper.
pub(super) const STRATEGIES: [&str; 7] = ["fix", "dyn", "window", "state-1", "state-2", "gold", "week"];
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

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh lab reproduce umbrich --trace traces/nlab
  everfresh lab reproduce umbrich --trace traces/nlab --report umbrich.html
  everfresh lab reproduce umbrich --world general --pages 2000 --json")]
pub(in crate::cli) struct Umbrich {
    #[command(flatten)]
    source: Source,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Also write a page with Figures 4 to 6, to be opened in a browser
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

/// What came out.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) trace: String,
    pub(super) pages: usize,
    pub(super) cycles: usize,
    /// Pages left out because they never changed.
    pub(super) never_changed: usize,
    /// Strategies of the paper that this version does not have.
    pub(super) missing: Vec<&'static str>,
    pub(super) groups: Vec<Group>,
    /// What held of the paper's statements and what did not.
    pub(super) text: String,
}

/// What came out for some of the pages.
#[derive(Serialize)]
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) pages: usize,
    pub(super) strategies: Vec<Strategy>,
}

/// What one strategy did on them.
#[derive(Serialize)]
pub(super) struct Strategy {
    pub(super) name: &'static str,
    pub(super) recall: f64,
    pub(super) precision: f64,
    pub(super) downloads: usize,
    /// Precision in the first and the last third of the time.
    pub(super) precision_first: f64,
    pub(super) precision_last: f64,
    #[serde(skip)]
    pub(super) cycles: Vec<CycleCounts>,
}

impl Umbrich {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (trace, window) = self.source.read()?;
        let window = if self.source.start.is_none() && self.source.cycles.is_none() {
            last_years(&trace, window)
        } else {
            window
        };
        let report = measure(&trace, window)?;
        if self.json {
            output::json(&report)?;
        } else {
            print_tables(&report)?;
        }
        if let Some(file) = &self.report {
            write_page(file, &umbrich_page::make(&report))?;
        }
        Ok(ExitCode::SUCCESS)
    }
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
pub(super) fn measure(trace: &Trace, window: Window) -> anyhow::Result<Report> {
    let whole = Cut::new(trace, window)?;
    let changed = changed_pages(trace, &whole);
    let cut = Cut::new(&changed, window).map_err(|_| WrongInput(format!("no page of {} changed", trace.name)))?;
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
    Ok(Report { trace: trace.name.clone(), pages, cycles: window.cycles, never_changed, missing, groups, text })
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
    pub(super) fn strategy(&self, name: &str) -> Option<&Strategy> {
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

/// How many pages a group has, to be read.
pub(super) fn pages(group: &Group) -> String {
    match group.pages {
        1 => "1 page".into(),
        pages => format!("{} pages", output::count(pages as u64)),
    }
}

/// What was looked at, in a line.
pub(super) fn says(report: &Report) -> String {
    let note = match report.missing.as_slice() {
        [] => String::new(),
        missing => format!("; not registered: {}", missing.join(", ")),
    };
    format!(
        "{}: {} pages that changed ({} never did and are left out), {} cycles{note}",
        report.trace,
        output::count(report.pages as u64),
        output::count(report.never_changed as u64),
        output::count(report.cycles as u64)
    )
}

fn print_tables(report: &Report) -> anyhow::Result<()> {
    say!("{}", says(report))?;
    for group in &report.groups {
        say!("\n{}: {}", group.name, pages(group))?;
        let row = |strategy: &Strategy| {
            let Strategy { name, recall, precision, downloads, .. } = strategy;
            vec![
                (*name).to_owned(),
                format!("{recall:.4}"),
                format!("{precision:.4}"),
                output::count(*downloads as u64),
            ]
        };
        let rows: Vec<Vec<String>> = group.strategies.iter().map(row).collect();
        say!("{}", output::table(&["strategy", "recall", "precision", "downloads"], &rows))?;
    }
    say!("\n{}", report.text)?;
    Ok(())
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
        let report = measure(&made(), window).unwrap();
        assert_eq!((report.pages, report.never_changed), (8, 1));
        assert_eq!(report.groups[0].pages, 8);
        assert_eq!(report.groups[1..].iter().map(|group| group.pages).collect::<Vec<_>>(), [2, 1, 1, 1, 1, 1, 1]);
        let text = text_of(&umbrich_page::make(&report));
        for strategy in report.groups.iter().flat_map(|group| &group.strategies) {
            assert!(text.contains(&format!("{:.4}", strategy.recall)), "{}", strategy.name);
        }
        assert!(report.text.starts_with("Too few pages to judge: all pages (8 pages)"), "{}", report.text);
    }

    #[test]
    fn the_last_years_end_with_the_trace() {
        let window = Window { start: FIRST_DAY, cycle: Span::DAY * 7.0, cycles: 1, warmup: 2 };
        let last = last_years(&made(), window);
        assert_eq!((last.cycles, last.begin(last.cycles)), (57, made().span().unwrap().1));
    }
}
