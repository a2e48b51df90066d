//! `everfresh train gp`

use std::process::ExitCode;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use revisit::learn::gp::{Choice, Objective, Progress, Selection, Settings};
use revisit::model::formula::Variable;

use super::data::{Data, Read};
use crate::cli::exit::WrongInput;
use crate::cpu::process_seconds;
use crate::experiments::budget::Budget;
use crate::experiments::trained::formula::FormulaReport;
use crate::output;
use crate::training::Checkpoint;
use crate::training::formula::{Breeding, breed};

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh train gp --world brdc12-like --pages 20000 --seed 111 --fold 0 --json
  everfresh train gp --trace traces/mdn --cycle 7d --budget 2% --terminals n,X,t,links --output mdn.toml
  everfresh train gp --collection news --objective freshness
  everfresh lab compare --trace traces/mdn --cycle 7d --policy age,gp:mdn.toml

The pages are dealt into five folds: one tests, two train, two validate. --seed seeds the world, the
dealing, the drawing and the breeding; the same seed gives the same formula on any number of threads.
Killed, the run goes on from its checkpoint when the same command is given again.")]
pub(in crate::cli) struct Gp {
    #[command(flatten)]
    data: Data,
    /// Visits a cycle: a number, or a share of the pages [default: 5%, or a collection's own]
    #[arg(long)]
    budget: Option<String>,
    /// Which fold of the pages tests, 0 to 4
    #[arg(long, default_value_t = 0)]
    fold: usize,
    /// Seed of the breeding alone [default: --seed]
    #[arg(long)]
    gp_seed: Option<u64>,
    /// What the formula shall be good at: change-ratio, recall or freshness
    #[arg(long, default_value = "change-ratio", value_parser = objective)]
    objective: Objective,
    /// What formulas may know of a page, separated by commas
    #[arg(long, default_value = "n,X,t", value_delimiter = ',', value_parser = terminal)]
    terminals: Vec<Variable>,
    /// Formulas in a generation
    #[arg(long, default_value_t = 300)]
    population: usize,
    /// Generations
    #[arg(long, default_value_t = 50)]
    generations: usize,
    /// How parents are chosen: thesis (the better of 2), tournament (the best of 7) or tournament:N
    #[arg(long, default_value = "thesis", value_parser = selection)]
    selection: Selection,
    /// How the result is chosen among the best: best (in training), sum or average (of training and validation, less σ)
    #[arg(long, default_value = "best", value_parser = choice)]
    choose: Choice,
    /// What each part of a formula costs of its fitness
    #[arg(long, default_value_t = 0.0)]
    parsimony: f64,
    /// How many threads evaluate [default: one a core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Throw away the checkpoint of another run
    #[arg(long)]
    restart: bool,
}

impl Gp {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let settings = self.settings();
        let (asked, json) = (self.budget.clone(), self.data.json);
        let read = self.data.read("gp.toml")?;
        let cut = read.cut()?;
        let breeding = Breeding {
            settings: Settings { seed: self.gp_seed.unwrap_or(read.seed), ..settings },
            objective: self.objective,
            budget: share(asked.as_deref(), &read, cut.len())?,
            dealt: read.seed,
            fold: self.fold,
            threads: self.threads.map_or_else(cores, usize::from),
        };
        let checkpoint = Checkpoint::of_model(&read.output, self.restart);
        let (bar, before) = (bar(breeding.settings.generations), process_seconds());
        let bred = breed(&cut, &breeding, Some(&checkpoint), |progress| follow(&bar, progress))?;
        let seconds = process_seconds() - before;
        bar.finish_and_clear();
        let report = FormulaReport::of(&cut, &breeding, &bred, &read.output, seconds)?;
        bred.trained(&cut, &breeding).save(&read.output)?;
        checkpoint.remove()?;
        if json {
            output::json(&report)?
        } else {
            report.print()?
        }
        Ok(ExitCode::SUCCESS)
    }

    fn settings(&self) -> Settings {
        Settings {
            population: self.population,
            generations: self.generations,
            selection: self.selection,
            choice: self.choose,
            parsimony: self.parsimony,
            variables: self.terminals.clone(),
            ..Settings::default()
        }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The share of the pages that a cycle visits.
fn share(asked: Option<&str>, read: &Read, pages: usize) -> Result<f64, WrongInput> {
    let budget = match (asked, read.budget) {
        (Some(asked), _) => asked.parse().map_err(WrongInput)?,
        (None, Some(visits)) => Budget::Visits(visits),
        (None, None) => Budget::Share(0.05),
    };
    Ok(match budget {
        Budget::Share(share) => share,
        budget => budget.visits(pages) as f64 / pages as f64,
    })
}

fn objective(name: &str) -> Result<Objective, String> {
    // Pages of a trace are all equally important.
    let offered = Objective::from_name(name).filter(|objective| *objective != Objective::WeightedFreshness);
    offered.ok_or_else(|| "write change-ratio, recall or freshness".to_owned())
}

fn terminal(name: &str) -> Result<Variable, String> {
    let known = || Variable::ALL.map(Variable::name).join(", ");
    Variable::from_name(name).ok_or_else(|| format!("formulas may know {}", known()))
}

fn selection(name: &str) -> Result<Selection, String> {
    Selection::from_name(name).ok_or_else(|| "write thesis, tournament or tournament:N".to_owned())
}

fn choice(name: &str) -> Result<Choice, String> {
    Choice::from_name(name).ok_or_else(|| "write best, sum or average".to_owned())
}

/// Seen on a terminal only.
fn bar(generations: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:20} generation {pos} of {len}, {eta} left  {wide_msg}");
    ProgressBar::new(generations as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn follow(bar: &ProgressBar, progress: &Progress) {
    bar.set_position(progress.generation as u64);
    bar.set_message(format!("{:.4}  {}", progress.value, progress.best));
}
