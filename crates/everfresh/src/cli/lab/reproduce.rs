//! `everfresh lab reproduce`: the published experiments again, beside what was published.

mod barbosa;
mod kumagai;
mod santos;
mod umbrich;

use std::process::ExitCode;

use clap::Subcommand;

/// One experiment a command.
#[derive(Subcommand)]
pub(in crate::cli) enum Reproduce {
    /// Barbosa et al. 2005: groups of pages (Figure 2), classifiers (Table 1) and their composition (Tables 3 and 5)
    Barbosa(barbosa::Barbosa),
    /// Kumagai & Yamana 2004: what top pages and samples tell of the pages around them (Tables 2 and 3, Figures 5 to 18)
    Kumagai(kumagai::Kumagai),
    /// Santos 2013: the mean Change Ratio of seven scores (Table 4.3), and cycle by cycle (Figure 4.2); --gp breeds its formulas
    Santos(santos::Santos),
    /// Umbrich, Mrzelj & Polleres 2015: recall and precision by how often pages change (Figures 4 to 6)
    Umbrich(umbrich::Umbrich),
}

impl Reproduce {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Reproduce::Barbosa(command) => command.run(),
            Reproduce::Kumagai(command) => command.run(),
            Reproduce::Santos(command) => command.run(),
            Reproduce::Umbrich(command) => command.run(),
        }
    }
}
