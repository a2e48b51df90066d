//! Where the changes come from that an experiment works on: a trace, or a world made up from a seed.

use std::path::PathBuf;

use revisit::Time;
use revisit::lab::cut::Window;
use revisit::lab::population::Population;
use revisit::lab::trace::Trace;
use revisit::lab::world;

use super::ExperimentError;
use crate::traces;
use crate::units::Duration;

/// The length of a cycle, unless told.
const CYCLE: Duration = Duration::secs(86_400);

/// A trace or a world, and what of it to look at.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// A folder with a trace.
    pub(crate) trace: Option<PathBuf>,
    /// A made-up world instead.
    pub(crate) world: Option<String>,
    /// Pages of the world.
    pub(crate) pages: u32,
    /// Seed of the world, or of what else is drawn at random.
    pub(crate) seed: u64,
    /// How long a cycle is; a day if absent.
    pub(crate) cycle: Option<Duration>,
    /// How many cycles; as many as most pages last if absent.
    pub(crate) cycles: Option<usize>,
    /// When the first cycle begins, in seconds since 1970; once most pages are there if absent.
    pub(crate) start: Option<i64>,
    /// In how many of the first cycles every page is visited.
    pub(crate) warmup: usize,
    /// Whether to read who links to whom too.
    pub(crate) links: bool,
}

impl Default for Source {
    fn default() -> Source {
        let (trace, world, cycle, cycles, start) = (None, None, None, None, None);
        Source { trace, world, pages: 20_000, seed: 1, cycle, cycles, start, warmup: 2, links: false }
    }
}

impl Source {
    /// The same, with a world to make up if neither a trace nor a world was named.
    pub(crate) fn or_world(self, name: &str) -> Source {
        let world = if self.trace.is_none() { self.world.or_else(|| Some(name.to_owned())) } else { self.world };
        Source { world, ..self }
    }

    /// The same, with cycles of this length if none was given.
    pub(crate) fn or_cycle(self, cycle: Duration) -> Source {
        Source { cycle: self.cycle.or(Some(cycle)), ..self }
    }

    /// The same with another seed.
    pub(crate) fn with_seed(self, seed: u64) -> Source {
        Source { seed, ..self }
    }

    /// So many seeds, from this one on.
    pub(super) fn seeds(&self, count: u64) -> Result<Vec<u64>, ExperimentError> {
        let end = self.seed.checked_add(count);
        let end = end.ok_or_else(|| ExperimentError::wrong("--seed is too large for so many seeds"))?;
        Ok((self.seed..end).collect())
    }

    /// The same with the links of a trace, if some policy needs them.
    pub(crate) fn with_links(self, links: bool) -> Source {
        Source { links, ..self }
    }

    /// Whether there is anything to work on.
    pub(crate) fn is_named(&self) -> bool {
        self.trace.is_some() || self.world.is_some()
    }

    /// Whether the changes are made up.
    pub(crate) fn is_world(&self) -> bool {
        self.trace.is_none() && self.world.is_some()
    }

    /// The trace and the window to look at, for pages that are there throughout.
    pub(crate) fn read(&self) -> Result<(Trace, Window), ExperimentError> {
        let trace = self.trace()?;
        let window = self.window(&trace, Population::Throughout)?;
        Ok((trace, window))
    }

    /// The trace.
    pub(crate) fn trace(&self) -> Result<Trace, ExperimentError> {
        Ok(match (&self.trace, &self.world) {
            (Some(folder), _) if self.links => traces::read_with_links(folder)?,
            (Some(folder), _) => traces::read(folder)?,
            (None, Some(name)) => world::make(name, self.pages, self.seed).map_err(ExperimentError::wrong)?,
            (None, None) => return Err(ExperimentError::wrong("name a --trace or a --world")),
        })
    }

    /// The window of a trace to look at.
    pub(crate) fn window(&self, trace: &Trace, population: Population) -> Result<Window, ExperimentError> {
        let span = traces::usual_span(trace, population);
        let (first, last) = span.ok_or_else(|| ExperimentError::Wrong(format!("{} has no pages", trace.name)))?;
        let start = self.start.map_or(first, Time::from_secs);
        let Duration(cycle) = self.cycle.unwrap_or(CYCLE);
        if cycle.millis() <= 0 {
            return Err(ExperimentError::wrong("--cycle must be more than 0"));
        }
        let fitting = ((last - start).millis() / cycle.millis()).max(0) as usize;
        let cycles = self.cycles.unwrap_or(fitting);
        Ok(Window { start, cycle, cycles, warmup: self.warmup })
    }
}
