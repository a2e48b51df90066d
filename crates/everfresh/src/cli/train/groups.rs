//! `everfresh train groups`

use std::process::ExitCode;

use clap::Args;
use revisit::learn::example::{intervals, observe};

use super::data::Data;
use crate::experiments::trained::groups::GroupsReport;
use crate::output;
use crate::training::groups::{Count, find};

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh train groups --trace traces/mdn --cycle 7d
  everfresh train groups --collection news --groups auto
  everfresh lab compare --world general --policy historic,historic:groups.toml")]
pub(in crate::cli) struct Groups {
    #[command(flatten)]
    data: Data,
    /// How many groups the model has: 2 to 6, or auto for the most distinct
    #[arg(long, default_value = "4")]
    groups: Count,
}

impl Groups {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let json = self.data.json;
        let read = self.data.read("groups.toml")?;
        let cut = read.cut()?;
        let found = find(&intervals(&observe(&cut, 0..read.window.cycles)), self.groups, read.seed)?;
        found.trained(&cut, read.seed)?.save(&read.output)?;
        let report = GroupsReport::of(&cut, &found, &read.output);
        if json {
            output::json(&report)?
        } else {
            report.print(&found)?
        }
        Ok(ExitCode::SUCCESS)
    }
}
