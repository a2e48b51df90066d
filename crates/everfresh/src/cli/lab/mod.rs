//! `everfresh lab`: one file per command of the lab.

mod policies;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Subcommand)]
pub(super) enum Lab {
    /// List every policy with its paper and parameters
    Policies(policies::Policies),
}

impl Lab {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Lab::Policies(command) => command.run(),
        }
    }
}
