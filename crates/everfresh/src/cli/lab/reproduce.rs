//! `everfresh lab reproduce`: the published experiments again, beside what was published.

mod kumagai;
mod kumagai_page;
mod kumagai_survey;
mod kumagai_text;
mod santos;
mod statements;
mod umbrich;
mod umbrich_page;

use std::process::ExitCode;

use clap::Subcommand;

/// One experiment a command.
#[derive(Subcommand)]
pub(in crate::cli) enum Reproduce {
    /// Kumagai & Yamana 2004: what top pages and samples tell of the pages around them (Tables 2 and 3, Figures 5 to 18)
    Kumagai(kumagai::Kumagai),
    /// Santos 2013: the mean Change Ratio of seven scores (Table 4.3), and cycle by cycle (Figure 4.2)
    Santos(santos::Santos),
    /// Umbrich, Mrzelj & Polleres 2015: recall and precision by how often pages change (Figures 4 to 6)
    Umbrich(umbrich::Umbrich),
}

impl Reproduce {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Reproduce::Kumagai(command) => command.run(),
            Reproduce::Santos(command) => command.run(),
            Reproduce::Umbrich(command) => command.run(),
        }
    }
}
