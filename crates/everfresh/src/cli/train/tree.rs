//! `everfresh train tree`

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use super::data::Data;
use crate::experiments::trained::tree::TreeReport;
use crate::output;
use crate::training::groups::Count;
use crate::training::tree::{Lesson, Split, learn};

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh train tree --world general --pages 20000 --picture tree.svg
  everfresh train tree --trace traces/mdn --cycle 7d --split site
  everfresh train tree --collection news
  everfresh lab compare --world general --policy historic,tree+historic:tree.toml

Groups and tree are learned from two thirds of the pages, or from the first half of the cycles with
--split time, and judged by the rest. Both sides hold equally many pages of every group.")]
pub(in crate::cli) struct Tree {
    #[command(flatten)]
    data: Data,
    /// How many groups: 2 to 6, or auto for the most distinct
    #[arg(long, default_value = "4")]
    groups: Count,
    /// What keeps learning and judging apart: page, site (no site on both sides) or time
    #[arg(long, default_value = "page")]
    split: Split,
    /// Learn from all features instead of those with which trees err least
    #[arg(long)]
    all_features: bool,
    /// Also draw the tree
    #[arg(long, value_name = "FILE.svg")]
    picture: Option<PathBuf>,
}

impl Tree {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let json = self.data.json;
        let read = self.data.read("tree.toml")?;
        let cut = read.cut()?;
        let lesson =
            Lesson { groups: self.groups, split: self.split, all_features: self.all_features, seed: read.seed };
        let learned = learn(&cut, &lesson)?;
        if let Some(file) = &self.picture {
            let picture = learned.tree.picture();
            std::fs::write(file, picture).with_context(|| format!("cannot write the picture to {}", file.display()))?;
        }
        learned.trained(&cut, read.seed).save(&read.output)?;
        let report = TreeReport::of(&cut, &learned, &read.output);
        if json {
            output::json(&report)?
        } else {
            report.print(&learned)?
        }
        Ok(ExitCode::SUCCESS)
    }
}
