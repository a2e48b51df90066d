//! `everfresh train groups`

use std::process::ExitCode;

use clap::Args;
use revisit::learn::example::{intervals, observe};
use revisit::learn::groups;
use serde::Serialize;

use super::data::Data;
use crate::cli::output;
use crate::training::groups::{Count, Found, find};

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

/// Groups as reports show them.
#[derive(Serialize)]
pub(super) struct Shown {
    pub(super) count: usize,
    pub(super) silhouette: f64,
    pub(super) groups: Vec<Group>,
}

#[derive(Serialize)]
pub(super) struct Group {
    pub(super) centre_days: f64,
    pub(super) pages: usize,
}

#[derive(Serialize)]
struct Report {
    trace: String,
    pages: usize,
    cycles: usize,
    choices: Vec<Shown>,
    chosen: usize,
    model: String,
}

impl Groups {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let json = self.data.json;
        let read = self.data.read("groups.toml")?;
        let cut = read.cut()?;
        let found = find(&intervals(&observe(&cut, 0..read.window.cycles)), self.groups, read.seed)?;
        found.trained(&cut, read.seed)?.save(&read.output)?;
        let report = Report {
            trace: read.trace.name.clone(),
            pages: cut.len(),
            cycles: read.window.cycles,
            choices: found.choices.iter().map(shown).collect(),
            chosen: found.groups().clusters().len(),
            model: read.output.display().to_string(),
        };
        if json {
            output::json(&report)?
        } else {
            report.print(&found)?
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Report {
    fn print(&self, found: &Found) -> anyhow::Result<()> {
        say!("{}: {} pages, {} cycles\n", self.trace, output::count(self.pages as u64), self.cycles)?;
        say!("{}", table(found))?;
        say!("\nWritten to {0}, {1} groups: use it with --policy historic:{0}", self.model, self.chosen)?;
        Ok(())
    }
}

/// Groups as reports show them.
pub(super) fn shown(groups: &groups::Groups) -> Shown {
    let group = |cluster: &groups::Cluster| Group { centre_days: cluster.centre.as_days(), pages: cluster.size };
    let groups_shown = groups.clusters().iter().map(group).collect();
    Shown { count: groups.clusters().len(), silhouette: groups.silhouette(), groups: groups_shown }
}

/// A line for each number of groups: how distinct they are, and each group's centre and pages.
pub(super) fn table(found: &Found) -> String {
    let row = |(place, groups): (usize, &groups::Groups)| {
        let mark = if place == found.chosen { "*" } else { "" };
        let group =
            |(name, cluster): (String, &groups::Cluster)| format!("{name} × {}", output::count(cluster.size as u64));
        let described: Vec<String> = groups.names().into_iter().zip(groups.clusters()).map(group).collect();
        let count = format!("{}{mark}", groups.clusters().len());
        vec![count, format!("{:.3}", groups.silhouette()), described.join(", ")]
    };
    let rows: Vec<Vec<String>> = found.choices.iter().enumerate().map(row).collect();
    output::table(&["groups", "silhouette", "mean change interval × pages, fastest first"], &rows)
}
