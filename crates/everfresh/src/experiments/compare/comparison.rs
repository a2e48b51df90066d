//! What `lab compare` found: the numbers of each policy, how sure they are, and how they differ from a baseline's.
//!
//! A comparison that was repeated (over seeds, folds of the pages, or draws) has an interval for each measure, and pairs of
//! repetitions for a paired t-test. One that ran once is cut into blocks of cycles that follow one another, and the test is
//! over the pairs of blocks (batch means): single cycles are no sample, because a copy that is old in one is old in the
//! next, but what happens in blocks much longer than a copy lasts hardly hangs together. p-values are of one difference
//! each; who looks at many should expect one in twenty below 0.05 by chance.

use revisit::lab::confidence::{Paired, Spread, mean};
use revisit::lab::limit::Limits;
use revisit::lab::measure::Measures;
use revisit::lab::run::Run;
use serde::Serialize;

/// Into how many blocks a single run is cut, if each has two cycles at least: as many as batch means are advised to have.
const BLOCKS: usize = 10;
/// How many cycles a paired test over blocks needs.
pub(super) const FEWEST_CYCLES: usize = 4;

/// The document of `lab compare --json`.
#[derive(Serialize)]
pub(crate) struct Comparison {
    pub(super) trace: String,
    pub(super) pages: usize,
    pub(super) cycles: usize,
    pub(super) k: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repeated: Option<Repeated>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) against: Option<Against>,
    pub(super) policies: Vec<Row>,
    pub(super) limits: LimitRow,
}

/// One policy.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) measures: MeasureRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) intervals: Option<PerMeasure<Interval>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) differences: Option<PerMeasure<Difference>>,
}

/// The measures as programs read them.
#[derive(Serialize)]
pub(super) struct MeasureRow {
    pub(super) change_ratio: f64,
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) freshness: f64,
    pub(super) age_days: f64,
    pub(super) downloads: usize,
}

/// What was possible.
#[derive(Serialize)]
pub(super) struct LimitRow {
    pub(super) change_ratio: f64,
    pub(super) recall: f64,
    pub(super) freshness: f64,
}

/// What was repeated, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Repeated {
    pub(crate) over: Over,
    pub(crate) count: usize,
}

/// What differs between repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Over {
    Seeds,
    Folds,
    Draws,
    Blocks,
}

impl Over {
    pub(super) fn name(self) -> &'static str {
        match self {
            Over::Seeds => "seeds",
            Over::Folds => "folds of the pages",
            Over::Draws => "draws",
            Over::Blocks => "blocks of cycles",
        }
    }
}

/// The baseline, and the pairs by which others are compared with it.
#[derive(Serialize)]
pub(super) struct Against {
    pub(super) policy: String,
    pub(crate) over: Over,
    pub(super) pairs: usize,
}

/// A mean over repetitions with its 95 % interval, and the least and greatest value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Interval {
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

/// A mean difference from the baseline with its 95 % interval, and how often chance alone makes one as large.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Difference {
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) p: f64,
}

/// Something for each measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct PerMeasure<T> {
    pub(super) change_ratio: T,
    pub(super) precision: T,
    pub(super) recall: T,
    pub(super) freshness: T,
    pub(super) age_days: T,
    pub(super) downloads: T,
}

impl<T> PerMeasure<T> {
    /// Makes it from what reads a measure; `None` if it cannot be made for one.
    fn of(make: impl Fn(fn(&Measures) -> f64) -> Option<T>) -> Option<PerMeasure<T>> {
        Some(PerMeasure {
            change_ratio: make(|measures| measures.change_ratio)?,
            precision: make(|measures| measures.precision)?,
            recall: make(|measures| measures.recall)?,
            freshness: make(|measures| measures.freshness)?,
            age_days: make(|measures| measures.age_days)?,
            downloads: make(|measures| measures.downloads as f64)?,
        })
    }

    /// In the order of the columns of a table.
    pub(super) fn each(&self) -> [&T; 6] {
        [&self.change_ratio, &self.precision, &self.recall, &self.freshness, &self.age_days, &self.downloads]
    }
}

/// The names of the measures, in the same order.
pub(super) const MEASURES: [&str; 6] = ["change_ratio", "precision", "recall", "freshness", "age_days", "downloads"];

/// The intervals of one policy's repetitions; `None` of a single one.
pub(super) fn intervals(repetitions: &[Measures]) -> Option<PerMeasure<Interval>> {
    PerMeasure::of(|measure| {
        let Spread { mean, low, high, least, most } = Spread::of(&values(repetitions, measure))?;
        Some(Interval { mean, low, high, min: least, max: most })
    })
}

/// How one policy's repetitions differ from the baseline's, pair by pair; `None` with fewer than two pairs.
pub(super) fn differences(repetitions: &[Measures], baseline: &[Measures]) -> Option<PerMeasure<Difference>> {
    PerMeasure::of(|measure| {
        let pairs = repetitions.iter().zip(baseline);
        let differences: Vec<f64> = pairs.map(|(one, other)| measure(one) - measure(other)).collect();
        let Paired { mean, low, high, p } = Paired::of(&differences)?;
        Some(Difference { mean, low, high, p })
    })
}

/// The measures of a run's blocks of cycles: each as long as the next, give or take one.
pub(super) fn blocks(run: &Run) -> Vec<Measures> {
    let cycles = run.cycles.len();
    let count = (cycles / 2).min(BLOCKS);
    let border = |block: usize| block * cycles / count;
    (0..count).map(|block| Measures::of(&run.cycles[border(block)..border(block + 1)])).collect()
}

/// The mean of several repetitions, measure by measure.
pub(super) fn mean_row(repetitions: &[Measures]) -> MeasureRow {
    let mean = |measure: fn(&Measures) -> f64| mean(&values(repetitions, measure));
    MeasureRow {
        change_ratio: mean(|measures| measures.change_ratio),
        precision: mean(|measures| measures.precision),
        recall: mean(|measures| measures.recall),
        freshness: mean(|measures| measures.freshness),
        age_days: mean(|measures| measures.age_days),
        downloads: mean(|measures| measures.downloads as f64).round() as usize,
    }
}

/// The mean of several limits.
pub(super) fn mean_limits(limits: &[Limits]) -> LimitRow {
    let mean = |limit: fn(&Limits) -> f64| mean(&limits.iter().map(limit).collect::<Vec<_>>());
    LimitRow {
        change_ratio: mean(|limits| limits.change_ratio),
        recall: mean(|limits| limits.recall),
        freshness: mean(|limits| limits.freshness),
    }
}

fn values(repetitions: &[Measures], measure: fn(&Measures) -> f64) -> Vec<f64> {
    repetitions.iter().map(measure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use revisit::lab::measure::CycleCounts;

    fn run(changed: &[usize]) -> Run {
        let cycle = |&changed: &usize| CycleCounts {
            pages: 10,
            visits: 4,
            changed_visits: changed,
            changed_pages: 4,
            current: 6,
            age_days: 4.0,
        };
        Run { pages: 10, cycles: changed.iter().map(cycle).collect() }
    }

    #[test]
    fn blocks_are_even_and_lose_nothing() {
        let run = run(&(0..148).map(|cycle| cycle % 5).collect::<Vec<_>>());
        let blocks = blocks(&run);
        let downloads: Vec<usize> = blocks.iter().map(|block| block.downloads / 4).collect();
        assert_eq!(downloads, [14, 15, 15, 15, 15, 14, 15, 15, 15, 15]);
        assert_eq!(super::blocks(&super::tests::run(&[1, 2, 3])).len(), 1);
        assert!(super::blocks(&super::tests::run(&[])).is_empty());
    }

    #[test]
    fn differences_are_paired() {
        // The worlds differ a lot, the policies by 0.25 in each.
        let (easy, hard) = (run(&[4, 4]).measures(), run(&[1, 1]).measures());
        let (less_easy, harder) = (run(&[3, 3]).measures(), run(&[0, 0]).measures());
        let difference = differences(&[easy, hard], &[less_easy, harder]).unwrap().change_ratio;
        assert_eq!((difference.mean, difference.low, difference.p), (0.25, 0.25, 0.0));
        let interval = intervals(&[easy, hard]).unwrap().change_ratio;
        assert_eq!((interval.mean, interval.min, interval.max), (0.625, 0.25, 1.0));
        assert!(interval.low < 0.0 && intervals(&[easy]).is_none() && differences(&[easy], &[hard]).is_none());
    }
}
