//! Tables 2 and 3 and Figures 5 to 18 of Kumagai & Yamana 2004.
//!
//! The paper compares two points in time, 2, 4, 12 or 24 weeks apart: every copy is current at the first, and at the second
//! each method visits what it thinks has changed. Here the whole of a trace is cut into such spans, each begun with current
//! copies, and the counts are added up. Readings: the pages are those there throughout and in reach of their server's top page
//! within 11 links, as the paper's are; the links are those of the trace's end, all along, as the paper knew those of its one
//! crawl; samples are of servers, or of directories if there are few servers. Figures 7 and 8 need the paper's domains, which
//! no trace here has; Figures 10 and 11 are one table.

pub(crate) mod page;
mod statements;
mod survey;
pub(crate) mod text;

use std::path::PathBuf;

use revisit::lab::cut::{Cut, Window};
use revisit::lab::population::Population;
use revisit::lab::run::Run;
use revisit::lab::trace::Trace;
use revisit::lab::world;
use revisit::site::Structure;
use revisit::{Span, Time};
use serde::Serialize;

use crate::experiments::ExperimentError;
use crate::experiments::budget::Budget;
use crate::experiments::runs::{Stage, parallel};
use crate::traces;
use statements::Statement;
use survey::{Changes, Tops};

/// The spans, in weeks.
const SPANS: [usize; 4] = [2, 4, 12, 24];
/// The paper's thresholds of a server's ratio, and a few below them: most directories are large.
const THRESHOLDS: [f64; 12] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/// With fewer servers than this, directories are sampled.
const FEW_SERVERS: usize = 10;
/// The deepest pages in reach.
const DEEPEST: u8 = 12;
const WEEK: Span = Span::from_secs(7 * 86_400);

/// What to make the experiment on.
pub(crate) struct Question {
    /// A folder with a trace and its links.
    pub(crate) trace: Option<PathBuf>,
    /// A made-up world, if there is no trace.
    pub(crate) world: String,
    /// Pages of the world.
    pub(crate) pages: u32,
    /// Seed of the world.
    pub(crate) seed: u64,
    /// When the first span begins; once most pages are there if absent.
    pub(crate) start: Option<Time>,
    /// How many weeks; as many as most pages last if absent.
    pub(crate) weeks: Option<usize>,
}

/// What came out.
#[derive(Serialize)]
pub(crate) struct KumagaiResults {
    trace: String,
    weeks: usize,
    pages: usize,
    /// Pages there throughout that no top page leads to.
    out_of_reach: usize,
    servers: usize,
    /// What is sampled.
    unit: &'static str,
    spans: Vec<SpanResults>,
    statements: Vec<Statement>,
}

/// What came out at one distance between two points in time.
#[derive(Serialize)]
struct SpanResults {
    weeks: usize,
    /// How many such spans were added up.
    count: usize,
    tops: Tops,
    changes: Changes,
    points: Vec<Point>,
}

/// What one method gave.
#[derive(Clone, Debug, Serialize)]
struct Point {
    method: &'static str,
    /// The depth or the threshold that it went to.
    #[serde(skip_serializing_if = "Option::is_none")]
    setting: Option<f64>,
    /// Changed among collected / collected.
    update_rate: f64,
    /// Changed among collected / all changed.
    coverage: f64,
    /// Collected / all pages.
    collected: f64,
}

impl SpanResults {
    /// The only point of a method.
    fn point(&self, method: &str) -> Option<&Point> {
        self.points.iter().find(|point| point.method == method)
    }

    /// All points of a method.
    fn curve(&self, method: &str) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(move |point| point.method == method)
    }
}

impl Question {
    /// Makes the experiment.
    pub(crate) fn reproduce(&self) -> Result<KumagaiResults, ExperimentError> {
        measure(&self.read()?, self.start, self.weeks)
    }

    fn read(&self) -> Result<Trace, ExperimentError> {
        let trace = match &self.trace {
            Some(folder) => traces::read_with_links(folder)?,
            None => world::make(&self.world, self.pages, self.seed).map_err(ExperimentError::wrong)?,
        };
        if trace.links().is_none() {
            let said = format!("{} does not say who links to whom: use a trace with links", trace.name);
            return Err(ExperimentError::Wrong(said));
        }
        Ok(trace)
    }
}

/// Runs every method at every distance that fits.
fn measure(trace: &Trace, start: Option<Time>, weeks: Option<usize>) -> Result<KumagaiResults, ExperimentError> {
    let span = traces::usual_span(trace, Population::Throughout);
    let (first, last) = span.ok_or_else(|| ExperimentError::Wrong(format!("{} has no pages", trace.name)))?;
    let start = start.unwrap_or(first);
    let weeks = weeks.unwrap_or(((last - start).millis() / WEEK.millis()).max(0) as usize);
    let window = |span: usize| Window { start, cycle: WEEK * span as f64, cycles: weeks / span, warmup: 1 };
    let whole = Cut::new(trace, Window { cycles: weeks, ..window(1) })?;
    let there = trace.part(&(0..whole.len()).map(|index| whole.page(index)).collect::<Vec<_>>());
    let depths = arranged(&there).depths();
    let pages = there.part(&there.ids().filter(|page| depths.get(*page).is_some()).collect::<Vec<_>>());
    let subject = Subject::new(&pages);
    let fitting = SPANS.into_iter().filter(|span| weeks / span >= 2);
    let spans = fitting.map(|span| subject.measure(span, window(span))).collect::<Result<Vec<_>, _>>()?;
    if spans.is_empty() {
        return Err(ExperimentError::Wrong(format!("{weeks} weeks are too few: use at least 4")));
    }
    let statements = spans.iter().flat_map(statements::of).collect();
    let (unit, servers, out_of_reach) = (subject.unit, subject.servers, there.len() - pages.len());
    Ok(KumagaiResults {
        trace: trace.name.clone(),
        weeks,
        pages: pages.len(),
        out_of_reach,
        servers,
        unit,
        spans,
        statements,
    })
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

    fn measure(&self, weeks: usize, window: Window) -> Result<SpanResults, ExperimentError> {
        let cut = Cut::new(self.trace, window)?;
        let stage = Stage::new(&cut);
        let jobs = self.jobs();
        let runs = parallel(&jobs, |job| stage.run_afresh(&job.policy, Budget::Visits(job.visits)))?;
        let tops = Tops::count(&cut, &self.structure);
        let mut points = vec![tops.all_pages()];
        points.extend(jobs.iter().zip(&runs).map(|(job, run)| job.point(run)));
        Ok(SpanResults { weeks, count: window.cycles - 1, tops, changes: Changes::count(&cut, WEEK), points })
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
