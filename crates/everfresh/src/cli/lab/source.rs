//! Where the changes come from that a command works on: a trace, or a world made up from a seed.

use std::path::PathBuf;

use clap::Args;

use crate::experiments::source::Source;
use crate::units::Duration;

#[derive(Args, Clone)]
pub(in crate::cli) struct SourceArguments {
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
    seed: u64,
    /// How long a cycle is [default: 1d]
    #[arg(long)]
    cycle: Option<Duration>,
    /// How many cycles; as many as most pages last if absent
    #[arg(long)]
    cycles: Option<usize>,
    /// When the first cycle begins, in seconds since 1970; once most pages are there if absent
    #[arg(long)]
    start: Option<i64>,
    /// In how many of the first cycles every page is visited
    #[arg(long, default_value_t = 2)]
    warmup: usize,
}

impl From<SourceArguments> for Source {
    fn from(arguments: SourceArguments) -> Source {
        let SourceArguments { trace, world, pages, seed, cycle, cycles, start, warmup } = arguments;
        Source { trace, world, pages, seed, cycle, cycles, start, warmup, links: false }
    }
}
