//! `everfresh train tree`

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use revisit::lab::cut::Cut;
use serde::Serialize;

use super::data::Data;
use super::groups::{Shown, shown, table};
use crate::cli::output;
use crate::training::groups::Count;
use crate::training::tree::{Learned, Lesson, Split, learn};

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

#[derive(Serialize)]
struct Report {
    trace: String,
    pages: usize,
    cycles: usize,
    /// The groups the tree tells apart.
    groups: Shown,
    /// Features the tree may ask for.
    features: Vec<String>,
    /// Features known of no page, or the same for all.
    useless: Vec<String>,
    /// Sets of features that were tried; absent if none was.
    tried: Option<usize>,
    /// Pages learned from, after balancing.
    train: usize,
    test: Judged,
    leaves: usize,
    tree: String,
    model: String,
}

/// What held-out pages showed.
#[derive(Serialize)]
struct Judged {
    pages: usize,
    error: f64,
    /// By true group, then by the group the tree said.
    confusion: Vec<Vec<usize>>,
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
        let report = Report::of(&cut, &learned, read.output.display().to_string());
        if json {
            output::json(&report)?
        } else {
            report.print(&learned)?
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Report {
    fn of(cut: &Cut<'_>, learned: &Learned, model: String) -> Report {
        let classes = learned.confusion.classes().len();
        let row = |class| (0..classes).map(|said| learned.confusion.count(class, said)).collect();
        Report {
            trace: cut.trace().name.clone(),
            pages: cut.len(),
            cycles: cut.window().cycles,
            groups: shown(learned.found.groups()),
            features: learned.tree.features().to_vec(),
            useless: learned.useless.clone(),
            tried: learned.selection.as_ref().map(|selection| selection.tried),
            train: learned.rows,
            test: Judged {
                pages: learned.confusion.total(),
                error: learned.confusion.error_rate(),
                confusion: (0..classes).map(row).collect(),
            },
            leaves: learned.tree.leaves(),
            tree: learned.tree.to_string(),
            model,
        }
    }

    fn print(&self, learned: &Learned) -> anyhow::Result<()> {
        say!("{}: {} pages, {} cycles\n", self.trace, output::count(self.pages as u64), self.cycles)?;
        say!("{}\n", table(&learned.found))?;
        say!("Features: {}{}", self.features.join(", "), self.sets_tried())?;
        if !self.useless.is_empty() {
            say!("Known of no page or the same for all: {}", self.useless.join(", "))?;
        }
        say!("\n{}", self.tree)?;
        if self.leaves == 1 {
            say!(
                "The tree has one leaf: these features do not tell the groups apart, and it calls every page the same.\n"
            )?;
        }
        let [train, test] = [self.train, self.test.pages].map(|pages| output::count(pages as u64));
        let chance = 1.0 - 1.0 / self.groups.count as f64;
        say!(
            "Learned from {train} pages; of {test} others it got {} wrong, by chance it would be {}:",
            output::share(self.test.error),
            output::share(chance)
        )?;
        say!("{}", learned.confusion)?;
        say!("Written to {0}: use it with --policy tree+historic:{0}", self.model)?;
        Ok(())
    }

    fn sets_tried(&self) -> String {
        self.tried.map_or(String::new(), |tried| format!(" (the best of {tried} sets)"))
    }
}
