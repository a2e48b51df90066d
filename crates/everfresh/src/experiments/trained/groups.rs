//! Change-rate groups: how distinct they are for every number of them, and which were chosen.

use std::io;
use std::path::Path;

use revisit::lab::cut::Cut;
use revisit::learn::groups;
use serde::Serialize;

use crate::output;
use crate::training::groups::Found;

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

/// The document of `train groups --json`.
#[derive(Serialize)]
pub(crate) struct GroupsReport {
    trace: String,
    pages: usize,
    cycles: usize,
    choices: Vec<Shown>,
    chosen: usize,
    model: String,
}

impl GroupsReport {
    /// What was found in the pages of a cut, and written to a file.
    pub(crate) fn of(cut: &Cut<'_>, found: &Found, model: &Path) -> GroupsReport {
        GroupsReport {
            trace: cut.trace().name.clone(),
            pages: cut.len(),
            cycles: cut.window().cycles,
            choices: found.choices.iter().map(shown).collect(),
            chosen: found.groups().clusters().len(),
            model: model.display().to_string(),
        }
    }

    /// Prints the table.
    pub(crate) fn print(&self, found: &Found) -> io::Result<()> {
        say!("{}: {} pages, {} cycles\n", self.trace, output::count(self.pages as u64), self.cycles)?;
        say!("{}", table(found))?;
        say!("\nWritten to {0}, {1} groups: use it with --policy historic:{0}", self.model, self.chosen)
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
