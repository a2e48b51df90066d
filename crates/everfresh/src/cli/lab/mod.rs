//! `everfresh lab`: one file per command of the lab.

mod import;
mod policies;
mod world;
mod written;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Subcommand)]
pub(super) enum Lab {
    /// List every policy with its paper and parameters
    Policies(policies::Policies),
    /// Make a synthetic world, or list the worlds there are
    World(world::World),
    /// Turn day strings or a collection's own visits into a trace
    Import(import::Import),
}

impl Lab {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Lab::Policies(command) => command.run(),
            Lab::World(command) => command.run(),
            Lab::Import(command) => command.run(),
        }
    }
}
