//! `everfresh demo --trace`: the whole crawler, sockets and store included, on what really happened, beside the lab on the same.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use revisit::Span;
use revisit::lab::cut::{Cut, Window};
use revisit::policy::registry;
use serde::Serialize;

use super::beside::{Agreement, Beside, Told};
use super::crawl::{Crawl, GRAIN};
use super::stages::stages;
use super::{Run, Scratch};
use crate::cli::exit::{self, WrongInput};
use crate::clock::Clock;
use crate::collection::Collection;
use crate::cpu;
use crate::experiments::ExperimentError;
use crate::experiments::budget::Budget;
use crate::experiments::source::Source;
use crate::handles;
use crate::living::Played;
use crate::output;

/// What to play, and to whom.
pub(super) struct Play {
    pub(super) source: Source,
    pub(super) budget: Budget,
    pub(super) policy: String,
    pub(super) keep: Option<PathBuf>,
    pub(super) json: bool,
}

#[derive(Serialize)]
struct Report {
    trace: String,
    policy: String,
    pages: usize,
    cycles: usize,
    warmup: usize,
    visits_a_cycle: usize,
    #[serde(flatten)]
    beside: Beside,
    run: Run,
}

impl Play {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (begun, scratch) = (Instant::now(), Scratch::new());
        let source = self.source.with_links(true);
        let (trace, window) = source.read()?;
        let cut = Cut::new(&trace, window).map_err(ExperimentError::from)?;
        check_length(window)?;
        let budgeted = registry::find(&self.policy).map_err(ExperimentError::from)?.budgeted();
        let visits = if budgeted { self.budget.visits(cut.len()) } else { cut.len() };
        let played = Played::of(&cut, source.seed);
        // Every page, and every robots.txt.
        let all = cut.len() + played.hosts();
        let crawl = Crawl {
            cut: &cut,
            played,
            policy: self.policy,
            collection: Collection::at(self.keep.as_ref().unwrap_or(&scratch.0)),
            stages: stages(window, all, visits),
            visits,
            quiet: self.json,
        };
        handles::take_all();
        let Some(beside) = Clock::stepped_runtime()?.block_on(crawl.run())? else {
            return Ok(ExitCode::from(exit::INTERRUPTED));
        };
        let report = Report {
            trace: trace.name.clone(),
            policy: crawl.policy,
            pages: cut.len(),
            cycles: window.cycles,
            warmup: window.warmup,
            visits_a_cycle: visits,
            beside,
            run: Run { seconds: begun.elapsed().as_secs_f64(), cpu_seconds: cpu::process_seconds() },
        };
        if self.json {
            output::json(&report)?
        } else {
            report.print()?
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The living web knows no parts of seconds, and nothing of what comes after many years.
fn check_length(window: Window) -> Result<(), WrongInput> {
    let length = Span::from_millis(window.cycle.millis().saturating_mul(window.cycles as i64));
    if window.cycle.millis() % GRAIN.millis() == 0 && length <= Played::LONGEST {
        return Ok(());
    }
    let most = Played::LONGEST;
    Err(WrongInput(format!("a trace is played in cycles of whole seconds, and for {most} at most")))
}

impl Report {
    fn print(&self) -> std::io::Result<()> {
        let Beside { live, lab, lab_as_shown, agreement, agreement_as_shown } = &self.beside;
        let row = |name: &str, measure: fn(&Told) -> f64| {
            let told = [live, lab_as_shown, lab].map(|told| format!("{:.4}", measure(told)));
            [vec![name.to_owned()], told.to_vec()].concat()
        };
        let rows = [
            row("Change Ratio", |told| told.change_ratio),
            row("freshness", |told| told.freshness),
            row("age in days", |told| told.age_days),
            row("precision", |told| told.precision),
            row("recall", |told| told.recall),
            vec!["the same visits".to_owned(), String::new(), same(agreement_as_shown), same(agreement)],
        ];
        say!("\n{}", output::table(&[&self.policy, "live", "lab as shown", "lab"], &rows))
    }
}

/// How many visits of the lab were made live too.
fn same(agreement: &Agreement) -> String {
    let [both, all] = [agreement.made_by_both, agreement.visits].map(|count| output::count(count as u64));
    if agreement.is_full() { format!("all {all}") } else { format!("{both} of {all}") }
}
