//! The page of `lab compare --report`: the league, what happened cycle by cycle, and what more budget would have bought.

use std::ops::Range;

use revisit::lab::measure::{CycleCounts, Measures};
use revisit::lab::run::Run;
use revisit::policy::registry;

use super::comparison::{Comparison, Difference, Interval, MeasureRow, Over, PerMeasure, Repeated, Row};
use super::text::{chance, how_sure, spread, tested};
use crate::experiments::ExperimentError;
use crate::experiments::budget::Budget;
use crate::experiments::cycle_lines::{change_ratio, cycle_series, dot, freshness};
use crate::experiments::runs::{Stage, parallel};
use crate::output;
use crate::report::Page;
use crate::report::axis::Axis;
use crate::report::forest::{self, Entry};
use crate::report::plot::{Look, Plot, Rule, Series};
use crate::report::table::{Cell, Kind, Table};

/// How many policies a plot can show; and how many of them are kept for those that know no budget.
const SHOWN: usize = 12;
const SHOWN_FREE: usize = 4;
/// The budgets to try, as multiples of the one asked for.
const MULTIPLES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];

/// Makes the page. Runs the policies shown at further budgets, which takes as long as a few comparisons.
pub(super) fn make(
    comparison: &Comparison,
    stage: &Stage<'_>,
    runs: &[Run],
    budget: Budget,
) -> Result<String, ExperimentError> {
    let league = League::of(comparison);
    let mut page = Page::new(&format!("Which policy keeps {} freshest?", comparison.trace), &subtitle(comparison));
    page.section("League", &league.says(comparison), &league.table(comparison));
    if let (Some(against), Some(text)) = (&comparison.against, tested(comparison)) {
        let text = format!("{text} A whisker that reaches over the dashed line may be chance.");
        let mut shown = |name: &str, difference| {
            let heading = format!("{name}, against {}", against.policy);
            page.section(&heading, &text, &league.differences(comparison, name, difference));
        };
        shown("Freshness", |differences| differences.freshness);
        shown("Change Ratio", |differences| differences.change_ratio);
    }
    let first = first_of(comparison);
    let text = format!(
        "The share of copies that were current after each cycle's visits{first}. Moving averages; the cycles themselves are \
         faint. Point at a line to bring it out."
    );
    page.section("Freshness, cycle by cycle", &text, &league.by_cycle(comparison, runs, "freshness", freshness).svg());
    let text = format!("The share of a cycle's visits that found a change{first}: how well each policy aims.");
    page.section(
        "Change Ratio, cycle by cycle",
        &text,
        &league.by_cycle(comparison, runs, "Change Ratio", change_ratio).svg(),
    );
    let text = "Up: of the changes that happened, more were seen. Right: of the visits made, more saw one.";
    page.section("Precision against recall", text, &league.precision_recall(comparison).svg());
    let text = format!(
        "What more visits would have bought{first}. Policies without a budget are dots where they chose to be."
    );
    page.section("Budget against freshness", &text, &league.budgets(comparison, stage, runs, budget)?.svg());
    Ok(page.finish())
}

/// Which of several repetitions a plot shows.
fn first_of(comparison: &Comparison) -> String {
    match comparison.repeated {
        Some(Repeated { over: Over::Seeds, count }) => format!(", with the first of {count} seeds"),
        Some(Repeated { over: Over::Draws, count }) => format!(", in the first of {count} draws"),
        _ => String::new(),
    }
}

fn subtitle(comparison: &Comparison) -> String {
    format!(
        "{} pages, {} cycles, {} visits a cycle ({:.1} % of the pages)",
        output::count(comparison.pages as u64),
        output::count(comparison.cycles as u64),
        output::count(comparison.k as u64),
        100.0 * comparison.k as f64 / comparison.pages.max(1) as f64
    )
}

/// The places of the policies in the report: freshest first, those without a budget apart.
struct League {
    budgeted: Vec<usize>,
    free: Vec<usize>,
    /// Those in the plots, in the order of their colours.
    shown: Vec<usize>,
}

impl League {
    fn of(comparison: &Comparison) -> League {
        let mut order: Vec<usize> = (0..comparison.policies.len()).collect();
        let freshness = |index: usize| comparison.policies[index].measures.freshness;
        order.sort_by(|left, right| freshness(*right).total_cmp(&freshness(*left)));
        let has_budget =
            |index: &usize| registry::find(&comparison.policies[*index].name).is_ok_and(registry::Entry::budgeted);
        let (budgeted, free): (Vec<usize>, Vec<usize>) = order.into_iter().partition(has_budget);
        let room = SHOWN - free.len().min(SHOWN_FREE);
        let first = budgeted.len().min(room);
        let shown = budgeted.iter().take(first).chain(free.iter().take(SHOWN - first)).copied().collect();
        League { budgeted, free, shown }
    }

    fn colour(&self, index: usize) -> Option<usize> {
        self.shown.iter().position(|shown| *shown == index)
    }

    fn says(&self, comparison: &Comparison) -> String {
        let Some(best) = self.budgeted.first().map(|index| &comparison.policies[*index]) else {
            return "None of these policies is held to the budget: each makes as many visits as it wants.".into();
        };
        let limit = comparison.limits.freshness;
        let left_out = comparison.policies.len().saturating_sub(self.shown.len());
        let note = match left_out {
            0 => String::new(),
            more => format!(" The plots show the best {}; {more} more are in the table only.", self.shown.len()),
        };
        let (freshness, sure) = (best.measures.freshness, how_sure(comparison));
        format!(
            "Within the budget {} kept {:.1} % of the copies current, {:.0} % of what was possible.{note}{}",
            best.name,
            100.0 * freshness,
            100.0 * freshness / limit.max(f64::MIN_POSITIVE),
            sure.map(|line| format!(" {line}")).unwrap_or_default()
        )
    }

    fn table(&self, comparison: &Comparison) -> String {
        let header = [
            "policy",
            "freshness",
            "of limit",
            "Change Ratio",
            "of limit",
            "precision",
            "recall",
            "age (days)",
            "downloads",
        ];
        let mut table = Table::new(&header);
        let groups =
            [(&self.budgeted, "held to the budget"), (&self.free, "without a budget: as many visits as they want")];
        for (members, heading) in groups.into_iter().filter(|(members, _)| !members.is_empty()) {
            table.row(Kind::Group, &[Cell::Text(heading.into())]);
            // What was possible was possible within the budget.
            let limited = std::ptr::eq(members, &self.budgeted);
            members.iter().for_each(|index| table.row(Kind::Entry, &self.cells(comparison, *index, limited)));
        }
        let limits = &comparison.limits;
        let number = |number: f64| Cell::Text(format!("{number:.4}"));
        let none = || Cell::Text(String::new());
        let limit = [
            Cell::Name("possible".into(), None),
            number(limits.freshness),
            none(),
            number(limits.change_ratio),
            none(),
        ];
        table.row(Kind::Limit, &[&limit[..], &[none(), number(limits.recall), none(), none()]].concat());
        table.finish()
    }

    fn cells(&self, comparison: &Comparison, index: usize, limited: bool) -> Vec<Cell> {
        let Row { name, measures, intervals, .. } = &comparison.policies[index];
        let MeasureRow { change_ratio, precision, recall, freshness, age_days, downloads } = measures;
        let sure = |cell: Cell, interval: fn(&PerMeasure<Interval>) -> &Interval, decimals| {
            let Some((repeated, all)) = comparison.repeated.zip(intervals.as_ref()) else { return cell };
            Cell::Sure(Box::new(cell), spread(repeated.over, interval(all), decimals))
        };
        let bar = |share: &f64, interval| sure(Cell::Bar(format!("{share:.4}"), *share), interval, 4);
        let of = |value: f64, limit: f64| {
            let share = 100.0 * value / limit;
            Cell::Text(if limited && share.is_finite() { format!("{share:.0} %") } else { "–".into() })
        };
        vec![
            Cell::Name(name.clone(), self.colour(index)),
            bar(freshness, |all| &all.freshness),
            of(*freshness, comparison.limits.freshness),
            bar(change_ratio, |all| &all.change_ratio),
            of(*change_ratio, comparison.limits.change_ratio),
            bar(precision, |all| &all.precision),
            bar(recall, |all| &all.recall),
            sure(Cell::Text(format!("{age_days:.2}")), |all| &all.age_days, 2),
            Cell::Text(output::count(*downloads as u64)),
        ]
    }

    /// How the policies differ from the baseline, the best first.
    fn differences(
        &self,
        comparison: &Comparison,
        label: &str,
        of: fn(&PerMeasure<Difference>) -> Difference,
    ) -> String {
        let entry = |(index, row): (usize, &Row)| {
            let difference = of(row.differences.as_ref()?);
            let note = format!("p {}", chance(difference.p)).replace("p <", "p < ");
            let interval = (difference.low, difference.high);
            Some(Entry { name: row.name.clone(), colour: self.colour(index), value: difference.mean, interval, note })
        };
        let mut entries: Vec<Entry> = comparison.policies.iter().enumerate().filter_map(entry).collect();
        entries.sort_by(|one, other| other.value.total_cmp(&one.value));
        forest::svg(&format!("difference in {label}"), &entries)
    }

    /// What was shown, each with its colour.
    fn series<'a>(&'a self, comparison: &'a Comparison) -> impl Iterator<Item = (usize, usize, &'a Row)> {
        self.shown.iter().enumerate().map(|(colour, index)| (colour, *index, &comparison.policies[*index]))
    }

    fn by_cycle(&self, comparison: &Comparison, runs: &[Run], label: &str, value: fn(&CycleCounts) -> f64) -> Plot {
        let width = (comparison.cycles / 12).max(3);
        let series: Vec<Series> = self
            .series(comparison)
            .map(|(colour, index, row)| {
                let values: Vec<f64> = runs[index].cycles.iter().map(value).collect();
                let first = comparison.cycles - values.len();
                cycle_series(&row.name, colour, &values, first, width)
            })
            .collect();
        // The smoothed lines fill the plot; what is faint may be cut off.
        let shown = series.iter().flat_map(|series| series.points.iter().map(|(_, value)| *value));
        let y = Axis::around(label, shown);
        Plot { x: Axis::over("cycle", 1.0, comparison.cycles as f64), y, series, rules: vec![] }
    }

    fn precision_recall(&self, comparison: &Comparison) -> Plot {
        let dot = |(colour, _, row): (usize, usize, &Row)| {
            dot(&row.name, colour, (row.measures.precision, row.measures.recall))
        };
        let series: Vec<Series> = self.series(comparison).map(dot).collect();
        let limits = &comparison.limits;
        let xs = series.iter().flat_map(|series| &series.points).map(|(x, _)| *x).chain([limits.change_ratio]);
        let ys = series.iter().flat_map(|series| &series.points).map(|(_, y)| *y).chain([limits.recall]);
        let rules = vec![
            Rule::Across(limits.recall, "most recall possible within the budget".into()),
            Rule::Down(limits.change_ratio, "most precision if it is all spent".into()),
        ];
        Plot { x: Axis::around("precision", xs), y: Axis::around("recall", ys), series, rules }
    }

    fn budgets(
        &self,
        comparison: &Comparison,
        stage: &Stage<'_>,
        runs: &[Run],
        budget: Budget,
    ) -> Result<Plot, ExperimentError> {
        let budgets = budgets(budget, stage);
        let shown: Vec<usize> = self.shown.iter().copied().filter(|index| self.budgeted.contains(index)).collect();
        let jobs: Vec<(usize, Budget)> =
            shown.iter().flat_map(|index| budgets.iter().map(|(budget, _)| (*index, *budget))).collect();
        let fresh =
            parallel(&jobs, |(index, budget)| Ok(stage.run(&comparison.policies[*index].name, *budget)?.measures()))?;
        let limits = parallel(&budgets, |(budget, _)| Ok(stage.limits(*budget).freshness))?;
        let points = |values: Vec<f64>| budgets.iter().map(|(_, k)| *k as f64).zip(values).collect();
        let mut series = vec![Series {
            name: "possible".into(),
            colour: None,
            look: Look::Dashed,
            points: points(limits),
            raw: vec![],
        }];
        for (colour, index, row) in self.series(comparison) {
            let Some(place) = shown.iter().position(|shown| *shown == index) else {
                let Measures { downloads, freshness, .. } = runs[index].measures();
                let visits = downloads as f64 / runs[index].cycles.len().max(1) as f64;
                series.push(dot(&row.name, colour, (visits, freshness)));
                continue;
            };
            let range: Range<usize> = place * budgets.len()..(place + 1) * budgets.len();
            let values = fresh[range].iter().map(|measures: &Measures| measures.freshness).collect();
            let (name, colour) = (row.name.clone(), Some(colour));
            series.push(Series { name, colour, look: Look::LineAndDots, points: points(values), raw: vec![] });
        }
        let all = || series.iter().flat_map(|series| series.points.iter().copied());
        let x = Axis::logarithmic("visits a cycle", all().map(|(x, _)| x));
        let y = Axis::around("freshness", all().map(|(_, y)| y));
        Ok(Plot { x, y, series, rules: vec![Rule::Down(comparison.k as f64, "this comparison".into())] })
    }
}

/// The budgets to try with their visits a cycle, each once.
fn budgets(budget: Budget, stage: &Stage<'_>) -> Vec<(Budget, usize)> {
    let tried = MULTIPLES.iter().map(|multiple| budget.times(*multiple));
    let mut budgets: Vec<(Budget, usize)> = tried.map(|budget| (budget, stage.visits(budget))).collect();
    budgets.dedup_by_key(|(_, visits)| *visits);
    budgets
}

#[cfg(test)]
mod tests {
    use super::super::comparison::{Against, blocks, differences, intervals, mean_limits, mean_row};
    use super::*;
    use crate::report::text_of;
    use revisit::lab::cut::{Cut, Window};
    use revisit::lab::world;
    use revisit::policy::registry::POLICIES;
    use revisit::{Span, lab::trace::FIRST_DAY};

    #[test]
    fn the_page_says_what_the_numbers_say() {
        let trace = world::make("brdc12-like", 200, 1).unwrap();
        let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 57, warmup: 2 };
        let cut = Cut::new(&trace, window).unwrap();
        let stage = Stage::new(&cut);
        let names: Vec<String> =
            POLICIES.iter().filter(|entry| !entry.needs_model()).map(|entry| entry.name.to_owned()).collect();
        let budget = Budget::Visits(10);
        let runs = parallel(&names, |name| stage.run(name, budget)).unwrap();
        let baseline = blocks(&runs[0]);
        let row = |(name, run): (String, &Run)| Row {
            name,
            measures: mean_row(&[run.measures()]),
            intervals: intervals(&blocks(run)),
            differences: differences(&blocks(run), &baseline),
        };
        let comparison = Comparison {
            trace: trace.name.clone(),
            pages: cut.len(),
            cycles: 57,
            k: 10,
            repeated: Some(Repeated { over: Over::Folds, count: 10 }),
            against: Some(Against { policy: names[0].clone(), over: Over::Folds, pairs: 10 }),
            policies: names.into_iter().zip(&runs).map(row).collect(),
            limits: mean_limits(&[stage.limits(budget)]),
        };
        let text = text_of(&make(&comparison, &stage, &runs, budget).unwrap());
        for row in &comparison.policies {
            assert!(text.contains(&row.name), "{}", row.name);
            let (freshness, differences) = (row.intervals.unwrap().freshness, row.differences.unwrap());
            assert!(text.contains(&spread(Over::Folds, &freshness, 4)), "{}", row.name);
            assert!(text.contains(&chance(differences.freshness.p).replace('<', "")), "{}", row.name);
            let MeasureRow { change_ratio, precision, recall, freshness, .. } = row.measures;
            for number in [change_ratio, precision, recall, freshness] {
                assert!(text.contains(&format!("{number:.4}")), "{} {number}", row.name);
            }
        }
        assert!(text.contains("200 pages, 57 cycles, 10 visits a cycle (5.0 % of the pages)"));
        assert_eq!(League::of(&comparison).shown.len(), SHOWN.min(comparison.policies.len()));
    }

    #[test]
    fn budgets_lie_around_the_one_asked_for() {
        let visits = |budget, pages| {
            let trace = world::make("brdc12-like", pages, 1).unwrap();
            let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 57, warmup: 2 };
            let cut = Cut::new(&trace, window).unwrap();
            budgets(budget, &Stage::new(&cut)).into_iter().map(|(_, visits)| visits).collect::<Vec<_>>()
        };
        assert_eq!(visits(Budget::Share(0.02), 1000), [5, 10, 20, 40, 80]);
        assert_eq!(visits(Budget::Visits(1), 3), [1, 2, 3], "a quarter and a half of a visit are one");
    }
}
