//! `everfresh run`

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::{Target, exit, runtime};
use crate::clock::Clock;
use crate::output;
use crate::pipeline::{self, Goal, Limits, Progress, Summary};
use crate::shutdown::Shutdown;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh run                until you press Ctrl-C: once finishes what is under way, twice stops at once
  everfresh run --once         one cycle, with its budget
  everfresh run --until-idle   every page that is due or newly found once, whatever the budget
  everfresh run --dry-run      what the next cycle would do")]
pub(super) struct Run {
    /// Stop after one cycle
    #[arg(long, conflicts_with = "until_idle")]
    once: bool,
    /// Stop when no page is left that is due or newly found; the budget does not count
    #[arg(long)]
    until_idle: bool,
    /// Stop after this many visits
    #[arg(long, value_name = "N")]
    max_visits: Option<u64>,
    /// The files of the archive are lost for good: forget what they held and fetch it again
    #[arg(long)]
    archive_lost: bool,
    /// Visit nothing; print what the next cycle would do
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    target: Target,
}

impl Run {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        if self.dry_run {
            return self.dry_run();
        }
        let settings = self.target.settings()?;
        let collection = self.target.collection();
        let _lock = collection.lock("run")?;
        let goal = match (self.once, self.until_idle) {
            (true, _) => Goal::OneCycle,
            (_, true) => Goal::Idle,
            _ => Goal::Forever,
        };
        let limits = Limits { goal, max_visits: self.max_visits };
        if self.archive_lost {
            pipeline::accept_loss(&collection)?;
        }
        let mut display = Display::new(self.target.json);
        let summary = runtime()?.block_on(async {
            let shutdown = Shutdown::on_signals(exit::INTERRUPTED_TWICE.into())?;
            // As a task the loop runs on the threads of its visits: waking it costs no switch of threads.
            let crawl = tokio::spawn(async move {
                let report = move |progress: &Progress| display.show(progress);
                pipeline::run(&collection, settings, Clock::wall(), limits, shutdown, report).await
            });
            anyhow::Ok(crawl.await??)
        })?;
        if self.target.json {
            output::json(&summary)?;
        } else {
            print(&summary, goal)?;
        }
        Ok(if summary.interrupted { ExitCode::from(exit::INTERRUPTED) } else { ExitCode::SUCCESS })
    }

    fn dry_run(self) -> anyhow::Result<ExitCode> {
        let plan = self.target.query()?.plan(Clock::wall().now())?;
        if self.target.json {
            output::json(&plan)?;
            return Ok(ExitCode::SUCCESS);
        }
        say!("The next cycle would visit {} pages (budget {}):", plan.visits.len(), plan.budget)?;
        for visit in plan.visits {
            say!("  {}  ({})", output::safe(&visit.url), visit.reason)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Progress: a living line on a terminal, a plain line now and then elsewhere.
struct Display {
    bar: ProgressBar,
    plain: bool,
    last: Instant,
}

impl Display {
    fn new(json: bool) -> Display {
        let terminal = std::io::stderr().is_terminal();
        let bar = if terminal { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        Display { bar, plain: !terminal && !json, last: Instant::now() }
    }

    fn show(&mut self, progress: &Progress) {
        let outcomes = &progress.outcomes;
        let line = format!(
            "cycle {}: {} visits ({} new, {} changed, {} unchanged, {} gone, {} failed), {} pages known, {} under way",
            progress.cycle,
            output::count(outcomes.total()),
            output::count(outcomes.first),
            output::count(outcomes.changed),
            output::count(outcomes.unchanged),
            output::count(outcomes.gone),
            output::count(outcomes.failed),
            output::count(progress.pages as u64),
            progress.in_flight,
        );
        self.bar.tick();
        self.bar.set_message(line.clone());
        if self.plain && self.last.elapsed() >= Duration::from_secs(10) {
            self.last = Instant::now();
            eprintln!("{line}");
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn print(summary: &Summary, goal: Goal) -> anyhow::Result<()> {
    let (outcomes, rooms) = (&summary.outcomes, &summary.rooms);
    say!(
        "{} visits in {:.1} s ({:.0} a second): {} new, {} changed, {} unchanged, {} gone, {} failed.",
        output::count(summary.visits),
        summary.seconds,
        summary.pages_per_second,
        output::count(outcomes.first),
        output::count(outcomes.changed),
        output::count(outcomes.unchanged),
        output::count(outcomes.gone),
        output::count(outcomes.failed),
    )?;
    say!(
        "{} pages known, {} not yet visited; {} of the copies are expected to be current.",
        output::count(summary.pages as u64),
        output::count(summary.waiting as u64),
        output::share(summary.expected_freshness),
    )?;
    say!(
        "{:.0} µs of CPU a visit (fetch {:.0}, parse {:.0}, detect {:.0}, compress {:.0}, store {:.0}), at most {} of memory.",
        summary.cpu_us_per_page,
        rooms.fetch,
        rooms.parse,
        rooms.detect,
        rooms.compress,
        rooms.store,
        output::bytes(summary.peak_memory_bytes),
    )?;
    if goal == Goal::Idle && summary.waiting > 0 && !summary.interrupted {
        say!("The pages not yet visited wait for hosts that want to be left alone; run again later.")?;
    }
    if summary.left_out > 0 {
        say!(
            "{} pages on further hosts of their domains were left out; scope.max_hosts_per_domain says how many are followed.",
            output::count(summary.left_out)
        )?;
    }
    if outcomes.failed > 0 {
        say!("What failed and why: everfresh history --failed")?;
    }
    Ok(())
}
