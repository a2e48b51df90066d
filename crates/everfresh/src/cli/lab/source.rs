//! Where the changes come from that a lab command works on: a trace, or a world made up from a seed.

use std::path::PathBuf;

use clap::Args;
use revisit::Time;
use revisit::lab::cut::Window;
use revisit::lab::population::Population;
use revisit::lab::trace::Trace;
use revisit::lab::world;

use crate::cli::exit::WrongInput;
use crate::traces;
use crate::units::Duration;

/// The length of a cycle, unless told.
const CYCLE: Duration = Duration::secs(86_400);

#[derive(Args, Clone)]
pub(in crate::cli) struct Source {
    /// A folder with pages.csv and changes.csv (plain, .gz or .zst)
    #[arg(long, value_name = "DIR", conflicts_with = "world")]
    trace: Option<PathBuf>,
    /// A made-up world instead; 'everfresh lab world' lists them
    #[arg(long, value_name = "NAME")]
    world: Option<String>,
    /// Pages of the world
    #[arg(long, default_value_t = 20_000)]
    pages: u32,
    /// Seed of the world, or of what else is drawn at random
    #[arg(long, default_value_t = 1)]
    pub(in crate::cli) seed: u64,
    /// How long a cycle is [default: 1d]
    #[arg(long)]
    cycle: Option<Duration>,
    /// How many cycles; as many as most pages last if absent
    #[arg(long)]
    pub(in crate::cli) cycles: Option<usize>,
    /// When the first cycle begins, in seconds since 1970; once most pages are there if absent
    #[arg(long)]
    pub(in crate::cli) start: Option<i64>,
    /// In how many of the first cycles every page is visited
    #[arg(long, default_value_t = 2)]
    warmup: usize,
    /// Whether to read who links to whom too.
    #[arg(skip)]
    links: bool,
}

impl Source {
    /// The same, with a world to make up if neither a trace nor a world was named.
    pub(in crate::cli) fn or_world(self, name: &str) -> Source {
        let world = if self.trace.is_none() { self.world.or_else(|| Some(name.to_owned())) } else { self.world };
        Source { world, ..self }
    }

    /// The same, with cycles of this length if none was given.
    pub(in crate::cli) fn or_cycle(self, cycle: Duration) -> Source {
        Source { cycle: self.cycle.or(Some(cycle)), ..self }
    }

    /// The same with another seed.
    pub(in crate::cli) fn with_seed(self, seed: u64) -> Source {
        Source { seed, ..self }
    }

    /// The same with the links of a trace, if some policy needs them.
    pub(super) fn with_links(self, links: bool) -> Source {
        Source { links, ..self }
    }

    /// Whether there is anything to work on.
    pub(in crate::cli) fn is_named(&self) -> bool {
        self.trace.is_some() || self.world.is_some()
    }

    /// Whether the changes are made up.
    pub(in crate::cli) fn is_world(&self) -> bool {
        self.trace.is_none() && self.world.is_some()
    }

    /// The trace and the window to look at, for pages that are there throughout.
    pub(in crate::cli) fn read(&self) -> anyhow::Result<(Trace, Window)> {
        let trace = self.trace()?;
        let window = self.window(&trace, Population::Throughout)?;
        Ok((trace, window))
    }

    /// The trace.
    pub(in crate::cli) fn trace(&self) -> anyhow::Result<Trace> {
        Ok(match (&self.trace, &self.world) {
            (Some(folder), _) if self.links => traces::read_with_links(folder)?,
            (Some(folder), _) => traces::read(folder)?,
            (None, Some(name)) => {
                world::make(name, self.pages, self.seed).map_err(|error| WrongInput(error.to_string()))?
            }
            (None, None) => return Err(WrongInput("name a --trace or a --world".into()).into()),
        })
    }

    /// The window of a trace to look at.
    pub(in crate::cli) fn window(&self, trace: &Trace, population: Population) -> anyhow::Result<Window> {
        let span = traces::usual_span(trace, population);
        let (first, last) = span.ok_or_else(|| WrongInput(format!("{} has no pages", trace.name)))?;
        let start = self.start.map_or(first, Time::from_secs);
        let Duration(cycle) = self.cycle.unwrap_or(CYCLE);
        if cycle.millis() <= 0 {
            return Err(WrongInput("--cycle must be more than 0".into()).into());
        }
        let fitting = ((last - start).millis() / cycle.millis()).max(0) as usize;
        let cycles = self.cycles.unwrap_or(fitting);
        Ok(Window { start, cycle, cycles, warmup: self.warmup })
    }
}
