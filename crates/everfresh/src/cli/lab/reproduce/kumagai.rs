//! `everfresh lab reproduce kumagai`: Tables 2 and 3 and Figures 5 to 18 of Kumagai & Yamana 2004.
//!
//! The paper compares two points in time, 2, 4, 12 or 24 weeks apart: every copy is current at the first, and at the second
//! each method visits what it thinks has changed. Here the whole of a trace is cut into such spans, each begun with current
//! copies, and the counts are added up. Readings: the pages are those there throughout and in reach of their server's top page
//! within 11 links, as the paper's are; the links are those of the trace's end, all along, as the paper knew those of its one
//! crawl; samples are of servers, or of directories if there are few servers. Figures 7 and 8 need the paper's domains, which
//! no trace here has; Figures 10 and 11 are one table.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::population::Population;
use revisit::lab::run::Run;
use revisit::lab::trace::Trace;
use revisit::lab::world;
use revisit::site::Structure;
use revisit::{Span, Time};
use serde::Serialize;

use super::super::budget::Budget;
use super::super::compare::write_page;
use super::super::runs::{Stage, parallel};
use super::kumagai_survey::{Changes, Tops};
use super::kumagai_text::Statement;
use super::{kumagai_page, kumagai_text};
use crate::cli::exit::WrongInput;
use crate::cli::output;
use crate::traces;

/// The spans, in weeks.
const SPANS: [usize; 4] = [2, 4, 12, 24];
/// The paper's thresholds of a server's ratio, and a few below them: most directories are large.
const THRESHOLDS: [f64; 12] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/// With fewer servers than this, directories are sampled.
const FEW_SERVERS: usize = 10;
/// The deepest pages in reach.
const DEEPEST: u8 = 12;
const WEEK: Span = Span::from_secs(7 * 86_400);

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh lab reproduce kumagai --trace traces/mdn --start 1693526400 --weeks 150
  everfresh lab reproduce kumagai --trace traces/nlab --start 1661990400 --weeks 150 --report kumagai.html
  everfresh lab reproduce kumagai --world 'general?days=700' --pages 5000 --json")]
pub(in crate::cli) struct Kumagai {
    /// A folder with pages.csv, changes.csv and links_last.csv (plain, .gz or .zst)
    #[arg(long, value_name = "DIR", conflicts_with = "world")]
    trace: Option<PathBuf>,
    /// A made-up world instead; 'everfresh lab world' lists them
    #[arg(long, value_name = "NAME", default_value = "general?days=700")]
    world: String,
    /// Pages of the world
    #[arg(long, default_value_t = 20_000)]
    pages: u32,
    /// Seed of the world
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// When the first span begins, in seconds since 1970; once most pages are there if absent
    #[arg(long)]
    start: Option<i64>,
    /// How many weeks; as many as most pages last if absent
    #[arg(long)]
    weeks: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Also write a page with the figures, to be opened in a browser
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

/// What came out.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) trace: String,
    pub(super) weeks: usize,
    pub(super) pages: usize,
    /// Pages there throughout that no top page leads to.
    pub(super) out_of_reach: usize,
    pub(super) servers: usize,
    /// What is sampled.
    pub(super) unit: &'static str,
    pub(super) spans: Vec<SpanReport>,
    pub(super) statements: Vec<Statement>,
}

/// What came out at one distance between two points in time.
#[derive(Serialize)]
pub(super) struct SpanReport {
    pub(super) weeks: usize,
    /// How many such spans were added up.
    pub(super) count: usize,
    pub(super) tops: Tops,
    pub(super) changes: Changes,
    pub(super) points: Vec<Point>,
}

/// What one method gave.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Point {
    pub(super) method: &'static str,
    /// The depth or the threshold that it went to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) setting: Option<f64>,
    /// Changed among collected / collected.
    pub(super) update_rate: f64,
    /// Changed among collected / all changed.
    pub(super) coverage: f64,
    /// Collected / all pages.
    pub(super) collected: f64,
}

impl SpanReport {
    /// The only point of a method.
    pub(super) fn point(&self, method: &str) -> Option<&Point> {
        self.points.iter().find(|point| point.method == method)
    }

    /// All points of a method.
    pub(super) fn curve(&self, method: &str) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(move |point| point.method == method)
    }
}

impl Kumagai {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let report = measure(&self.read()?, self.start.map(Time::from_secs), self.weeks)?;
        if self.json {
            output::json(&report)?;
        } else {
            kumagai_text::print(&report)?;
        }
        if let Some(file) = &self.report {
            write_page(file, &kumagai_page::make(&report))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn read(&self) -> anyhow::Result<Trace> {
        let trace = match &self.trace {
            Some(folder) => traces::read_with_links(folder)?,
            None => world::make(&self.world, self.pages, self.seed).map_err(|error| WrongInput(error.to_string()))?,
        };
        if trace.links().is_none() {
            return Err(
                WrongInput(format!("{} does not say who links to whom: use a trace with links", trace.name)).into()
            );
        }
        Ok(trace)
    }
}

/// Runs every method at every distance that fits.
pub(super) fn measure(trace: &Trace, start: Option<Time>, weeks: Option<usize>) -> anyhow::Result<Report> {
    let span = traces::usual_span(trace, Population::Throughout);
    let (first, last) = span.ok_or_else(|| WrongInput(format!("{} has no pages", trace.name)))?;
    let start = start.unwrap_or(first);
    let weeks = weeks.unwrap_or(((last - start).millis() / WEEK.millis()).max(0) as usize);
    let window = |span: usize| Window { start, cycle: WEEK * span as f64, cycles: weeks / span, warmup: 1 };
    let whole = Cut::new(trace, Window { cycles: weeks, ..window(1) })?;
    let there = trace.part(&(0..whole.len()).map(|index| whole.page(index)).collect::<Vec<_>>());
    let depths = arranged(&there).depths();
    let pages = there.part(&there.ids().filter(|page| depths.get(*page).is_some()).collect::<Vec<_>>());
    let subject = Subject::new(&pages);
    let fitting = SPANS.into_iter().filter(|span| weeks / span >= 2);
    let spans = fitting.map(|span| subject.measure(span, window(span))).collect::<anyhow::Result<Vec<_>>>()?;
    if spans.is_empty() {
        return Err(WrongInput(format!("{weeks} weeks are too few: use at least 4")).into());
    }
    let statements = spans.iter().flat_map(kumagai_text::of).collect();
    let (unit, servers, out_of_reach) = (subject.unit, subject.servers, there.len() - pages.len());
    Ok(Report { trace: trace.name.clone(), weeks, pages: pages.len(), out_of_reach, servers, unit, spans, statements })
}

/// How the pages of a trace are arranged.
fn arranged(trace: &Trace) -> Structure {
    let mut structure = Structure::default();
    for page in trace.ids() {
        structure.locate(page, &trace.page(page).url);
    }
    for page in trace.ids() {
        let targets = trace.links().map_or(&[][..], |links| links.of(page));
        structure.link(page, targets.iter().copied(), trace.len());
    }
    structure
}

/// The pages to work on.
struct Subject<'a> {
    trace: &'a Trace,
    structure: Structure,
    /// How many pages there are down to each depth, from 1 on.
    down_to: Vec<usize>,
    servers: usize,
    unit: &'static str,
}

impl<'a> Subject<'a> {
    fn new(trace: &'a Trace) -> Subject<'a> {
        let structure = arranged(trace);
        let depths = structure.depths();
        let mut down_to = vec![0; usize::from(DEEPEST)];
        for depth in trace.ids().filter_map(|page| depths.get(page)) {
            down_to[usize::from(depth).clamp(1, usize::from(DEEPEST)) - 1] += 1;
        }
        (1..down_to.len()).for_each(|depth| down_to[depth] += down_to[depth - 1]);
        let mut servers: Vec<_> = trace.ids().filter_map(|page| structure.directories().server(page)).collect();
        servers.sort_unstable();
        servers.dedup();
        let unit = if servers.len() < FEW_SERVERS { "directory" } else { "server" };
        Subject { trace, structure, down_to, servers: servers.len(), unit }
    }

    fn measure(&self, weeks: usize, window: Window) -> anyhow::Result<SpanReport> {
        let cut = Cut::new(self.trace, window)?;
        let stage = Stage::new(&cut);
        let jobs = self.jobs();
        let runs = parallel(&jobs, |job| stage.run_afresh(&job.policy, Budget::Visits(job.visits)))?;
        let tops = Tops::count(&cut, &self.structure);
        let mut points = vec![tops.all_pages()];
        points.extend(jobs.iter().zip(&runs).map(|(job, run)| job.point(run)));
        Ok(SpanReport { weeks, count: window.cycles - 1, tops, changes: Changes::count(&cut, WEEK), points })
    }

    /// Everything to run.
    fn jobs(&self) -> Vec<Job> {
        let all = self.trace.len();
        let site = |(method, policy): (&'static str, &str)| Job {
            method,
            setting: None,
            policy: format!("{policy}?rounds=2"),
            visits: all,
        };
        let depth = |(visits, depth): (&usize, u32)| Job {
            method: "breadth-first",
            setting: Some(f64::from(depth)),
            policy: "breadth-first".into(),
            visits: *visits,
        };
        let sites = [("A", "site-a"), ("B", "site-b"), ("C", "site-c")];
        let mut jobs: Vec<Job> = sites.into_iter().map(site).collect();
        jobs.extend(self.down_to.iter().zip(1..).map(depth));
        for (method, policy, ratios) in SAMPLED {
            let threshold = |threshold: f64| Job {
                method,
                setting: Some(threshold),
                policy: self.sampling(policy, ratios, threshold),
                visits: all,
            };
            jobs.extend(THRESHOLDS.into_iter().map(threshold));
        }
        jobs
    }

    fn sampling(&self, policy: &str, ratios: &str, threshold: f64) -> String {
        let unit = self.unit;
        let threshold = format!("mode=threshold&threshold={threshold}");
        format!("{policy}?unit={unit}&{threshold}&ratios={ratios}&share=0.05&memory=0&rounds=2")
    }
}

/// The methods that go by ratios: their names, policies, and whether the ratios are true.
const SAMPLED: [(&str, &str, &str); 5] = [
    ("sampling, true ratios", "sampling", "true"),
    ("sampling, 5 % sampled", "sampling", "sampled"),
    ("sampling + A", "sampling+a", "true"),
    ("sampling + B", "sampling+b", "true"),
    ("sampling + C", "sampling+c", "true"),
];

/// One method to run.
struct Job {
    method: &'static str,
    setting: Option<f64>,
    policy: String,
    visits: usize,
}

impl Job {
    fn point(&self, run: &Run) -> Point {
        let measures = run.measures();
        let collected = measures.downloads as f64 / (run.pages * run.cycles.len()).max(1) as f64;
        let (method, setting) = (self.method, self.setting);
        Point { method, setting, update_rate: measures.precision, coverage: measures.recall, collected }
    }
}
