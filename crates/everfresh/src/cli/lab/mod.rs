//! `everfresh lab`: one file per command of the lab.

mod calibrate;
mod compare;
mod import;
mod policies;
mod repeat;
mod reproduce;
pub(super) mod source;
mod world;
mod written;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use clap::Subcommand;

#[derive(Subcommand)]
pub(super) enum Lab {
    /// Say which policy would have kept the replica freshest, at what cost
    Compare(compare::Compare),
    /// Hold the freshness that policies expect against the truth
    Calibrate(calibrate::Calibrate),
    /// List every policy with its paper and parameters
    Policies(policies::Policies),
    /// Make a synthetic world, or list the worlds there are
    World(world::World),
    /// Turn day strings or a collection's own visits into a trace
    Import(import::Import),
    /// Repeat a published experiment and hold it against what was published
    #[command(subcommand)]
    Reproduce(reproduce::Reproduce),
}

impl Lab {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Lab::Compare(command) => command.run(),
            Lab::Calibrate(command) => command.run(),
            Lab::Policies(command) => command.run(),
            Lab::World(command) => command.run(),
            Lab::Import(command) => command.run(),
            Lab::Reproduce(command) => command.run(),
        }
    }
}

/// Writes a page where the user wants it.
fn write_page(file: &Path, page: &str) -> anyhow::Result<()> {
    std::fs::write(file, page).with_context(|| format!("cannot write the report to {}", file.display()))
}
