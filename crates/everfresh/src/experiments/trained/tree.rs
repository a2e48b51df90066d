//! A tree that tells change-rate groups apart: what it asks for, and how often it errs on pages held out.

use std::io;
use std::path::Path;

use revisit::lab::cut::Cut;
use serde::Serialize;

use super::groups::{Shown, shown, table};
use crate::output;
use crate::training::tree::Learned;

/// The document of `train tree --json`.
#[derive(Serialize)]
pub(crate) struct TreeReport {
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

impl TreeReport {
    /// What was learned from the pages of a cut, and written to a file.
    pub(crate) fn of(cut: &Cut<'_>, learned: &Learned, model: &Path) -> TreeReport {
        let classes = learned.confusion.classes().len();
        let row = |class| (0..classes).map(|said| learned.confusion.count(class, said)).collect();
        TreeReport {
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
            model: model.display().to_string(),
        }
    }

    /// Prints the groups, the tree, and who was taken for whom.
    pub(crate) fn print(&self, learned: &Learned) -> io::Result<()> {
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
        say!("Written to {0}: use it with --policy tree+historic:{0}", self.model)
    }

    fn sets_tried(&self) -> String {
        self.tried.map_or(String::new(), |tried| format!(" (the best of {tried} sets)"))
    }
}
