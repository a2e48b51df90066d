//! `everfresh train`: one file per kind of model.

mod data;
mod gp;
mod groups;
mod tree;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Subcommand)]
pub(super) enum Train {
    /// Find change-rate groups, for the policies historic and bayesian
    Groups(groups::Groups),
    /// Learn a tree that says of a new page to which group it belongs, for the policies tree+historic and tree+bayesian
    Tree(tree::Tree),
    /// Breed a formula that scores pages by their history, for the policy gp
    Gp(gp::Gp),
}

impl Train {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Train::Groups(command) => command.run(),
            Train::Tree(command) => command.run(),
            Train::Gp(command) => command.run(),
        }
    }
}
