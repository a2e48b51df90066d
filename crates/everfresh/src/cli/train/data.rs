//! What to learn from: a trace, a made-up world, or a collection's own visits.

use std::path::{Path, PathBuf};

use clap::Args;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::population::Population;
use revisit::lab::trace::Trace;

use crate::cli::environment;
use crate::cli::exit::WrongInput;
use crate::cli::lab::source::SourceArguments;
use crate::config::{self, Config};
use crate::experiments::source::Source;
use crate::traces::collection::Observations;
use crate::training::TrainError;

#[derive(Args)]
pub(super) struct Data {
    #[command(flatten)]
    source: SourceArguments,
    /// The folder of a collection to learn from its own visits; this folder if it is one and nothing else is named.
    /// Cycle and budget are then the collection's unless given
    #[arg(short = 'C', long, value_name = "DIR", conflicts_with_all = ["trace", "world"])]
    collection: Option<PathBuf>,
    /// The model file to write [default: named after the command, here or in the collection's folder of models]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

/// What was read.
pub(super) struct Read {
    pub(super) trace: Trace,
    pub(super) window: Window,
    /// Where the model goes.
    pub(super) output: PathBuf,
    /// The fetches a cycle of the collection may make.
    pub(super) budget: Option<usize>,
    /// The seed of everything random.
    pub(super) seed: u64,
}

impl Data {
    /// Reads what to learn from, to write a model of this name.
    pub(super) fn read(self, name: &str) -> anyhow::Result<Read> {
        let source = Source::from(self.source);
        let here = Path::new(config::FILE).exists().then(|| PathBuf::from("."));
        let collection = if source.is_named() { None } else { self.collection.or(here) };
        let seed = source.seed;
        let Some(folder) = collection else {
            if !source.is_named() {
                return Err(WrongInput("name a --trace, a --world or a --collection".into()).into());
            }
            let (trace, window) = source.read()?;
            return Ok(Read { trace, window, output: self.output.unwrap_or(name.into()), budget: None, seed });
        };
        let schedule = Config::load(&folder, environment(), &[])?.schedule;
        // When a page changed between two visits is drawn at random; one draw is as good as another to learn from.
        let trace = Observations::read(&folder)?.draw(seed, 0);
        let window = source.or_cycle(schedule.cycle).window(&trace, Population::Throughout)?;
        // As the collection's configuration would name it, if this is its folder.
        let models = folder.strip_prefix(".").unwrap_or(&folder).join("models");
        let output = self.output.unwrap_or_else(|| models.join(name));
        Ok(Read { trace, window, output, budget: Some(schedule.budget), seed })
    }
}

impl Read {
    /// The pages there throughout the window.
    pub(super) fn cut(&self) -> Result<Cut<'_>, TrainError> {
        Ok(Cut::new(&self.trace, self.window)?)
    }
}
