//! `gp`: pages by a formula that was bred beforehand (Santos 2013, GP4C).
//!
//! The formula comes from a model file and gives a page's score from its history and, if it asks for them, from what its
//! first version showed. Only those features are kept.

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::column::Column;
use crate::features::Features;
use crate::model::formula::{Formula, UNKNOWN, Variable};
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Policy};
use crate::{History, PageId, Pages, Span, Time};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "gp",
    paper: "Santos 2013 (GP4C)",
    summary: "pages by a formula bred from other pages' histories; needs a model",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[],
    build: Build::Formula(|formula| Box::new(Gp::new(formula.clone()))),
};

/// The highest value of a formula first.
#[derive(Debug)]
pub(crate) struct Gp {
    formula: Formula,
    cycle: Span,
    /// What the formula asks about content, by page.
    content: Vec<(Variable, Column<f32>)>,
}

impl Gp {
    /// Scores by a formula.
    pub(crate) fn new(formula: Formula) -> Gp {
        let speaks_of_content = |variable: &Variable| variable.of_features(&Features::default()).is_some();
        let asked =
            Variable::ALL.into_iter().filter(|variable| formula.knows(*variable) && speaks_of_content(variable));
        let content = asked.map(|variable| (variable, Column::new(UNKNOWN as f32))).collect();
        Gp { formula, cycle: Span::HOUR, content }
    }

    fn value(&self, variable: Variable, page: PageId, history: &History, now: Time) -> f64 {
        variable.of_history(history, self.cycle, now).unwrap_or_else(|| {
            let column = self.content.iter().find(|(asked, _)| *asked == variable);
            column.map_or(UNKNOWN, |(_, column)| f64::from(column.get(page.index())))
        })
    }
}

impl Policy for Gp {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        Some(self.formula.evaluate(|variable| self.value(variable, page, history, now)))
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        self.formula.explain(|variable| self.value(variable, page, history, now))
    }

    fn describe(&mut self, page: PageId, features: &Features) {
        for (variable, column) in &mut self.content {
            column.set(page.index(), variable.of_features(features).unwrap_or(UNKNOWN) as f32);
        }
    }

    fn plan(&mut self, _pages: &Pages, budget: Budget, _now: Time) {
        self.cycle = budget.cycle;
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.content.iter_mut().try_for_each(|(_, column)| column.keep(checkpoint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Feature, Outcome, Visit};

    #[test]
    fn a_formula_scores_by_history_and_content() {
        let mut policy = Gp::new("t * X + links".parse().unwrap());
        let page = PageId(3);
        policy.describe(page, &Features::default().with(Feature::Links, 7.0).with(Feature::Images, 2.0));
        let mut history = History::default();
        history.record(&Visit { page, at: Time::from_secs(0), outcome: Outcome::Changed });
        let now = Time::from_secs(2 * 3600);
        assert_eq!(policy.score(page, &history, now), Some(9.0));
        assert_eq!(policy.score(PageId(0), &history, now), Some(2.0), "what is not known counts as zero");
        assert_eq!(policy.reason(page, &history, now), "t * X + links = 2 * 1 + 7 = 9");
    }
}
