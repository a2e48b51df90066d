//! How often a classifier errs, and on what: confusion matrices and cross-validation.
//!
//! How long it takes is for the caller to measure, since nothing here reads a clock.

use std::fmt;

use super::dataset::Dataset;
use super::sample::shuffled_by_class;
use super::{Classifier, LearnError};

/// Which class was taken for which, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    classes: Vec<String>,
    /// By true class, then by class said.
    counts: Vec<usize>,
}

/// Classifies every row and compares.
///
/// ```
/// use revisit::learn::{chance::Chance, dataset::Dataset, judge::judge};
/// let mut data = Dataset::new(["links"], ["slow", "fast"]).unwrap();
/// (0..1000).for_each(|links| data.push(&[links.into()], usize::from(links > 7)).unwrap());
/// assert!((judge(&Chance::new(2, 1), &data).error_rate() - 0.5).abs() < 0.05);
/// ```
pub fn judge(classifier: &impl Classifier, data: &Dataset) -> Confusion {
    let mut confusion = Confusion::new(data.classes().to_vec());
    data.rows().for_each(|(row, class)| confusion.add(class, classifier.classify(row)));
    confusion
}

impl Confusion {
    /// Nothing was classified yet.
    pub fn new(classes: Vec<String>) -> Confusion {
        Confusion { counts: vec![0; classes.len() * classes.len()], classes }
    }

    /// Counts one answer. A class that is not there counts as the last.
    pub fn add(&mut self, class: usize, said: usize) {
        let last = self.classes.len().saturating_sub(1);
        if let Some(count) = self.counts.get_mut(class.min(last) * self.classes.len() + said.min(last)) {
            *count += 1;
        }
    }

    /// How often a class was taken for another, or for itself; 0 for classes that are not there.
    pub fn count(&self, class: usize, said: usize) -> usize {
        let mut of_class = self.counts.chunks_exact(self.classes.len().max(1));
        of_class.nth(class).and_then(|counts| counts.get(said)).copied().unwrap_or_default()
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// How many answers were counted.
    pub fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// How many of them were wrong.
    pub fn errors(&self) -> usize {
        self.total() - (0..self.classes.len()).map(|class| self.count(class, class)).sum::<usize>()
    }

    /// The share of wrong answers; 0 if there was none at all.
    pub fn error_rate(&self) -> f64 {
        self.errors() as f64 / self.total().max(1) as f64
    }
}

/// A line for each true class, a column for each class said.
impl fmt::Display for Confusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.classes.iter().map(|name| name.chars().count());
        let width = names.chain([self.total().to_string().len()]).max().unwrap_or_default();
        let lead = width.max("is \\ said".len());
        write!(f, "{:lead$}", "is \\ said")?;
        self.classes.iter().try_for_each(|name| write!(f, "  {name:>width$}"))?;
        writeln!(f)?;
        for (class, name) in self.classes.iter().enumerate() {
            write!(f, "{name:lead$}")?;
            (0..self.classes.len()).try_for_each(|said| write!(f, "  {:>width$}", self.count(class, said)))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

/// The fold of each row: every fold is tested once, with what was learned from all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    /// By row.
    folds: Vec<usize>,
    count: usize,
}

impl Folds {
    /// Random folds of equal size in which every class has its share.
    pub fn stratified(data: &Dataset, count: usize, seed: u64) -> Result<Folds, LearnError> {
        if count < 2 || data.len() < count {
            return Err(LearnError::TooFewRows { rows: data.len(), parts: count });
        }
        let mut folds = vec![0; data.len()];
        shuffled_by_class(data, seed).into_iter().enumerate().for_each(|(place, row)| folds[row] = place % count);
        Ok(Folds { folds, count })
    }

    /// Folds made elsewhere, numbered from 0, by row.
    pub fn given(folds: Vec<usize>) -> Folds {
        // No more folds than rows: an unused number costs nothing, a wild one would cost all the time there is.
        let mut used = folds.clone();
        used.sort_unstable();
        used.dedup();
        let folds = folds.into_iter().map(|fold| used.partition_point(|other| *other < fold)).collect();
        Folds { folds, count: used.len() }
    }
}

/// What a way of learning gets wrong on rows it has not seen: learns from all folds but one, tests that one, in turn.
///
/// Where all rows to learn from are of one class, that class is the answer.
pub fn cross_validate<C: Classifier>(
    data: &Dataset,
    folds: &Folds,
    learn: impl Fn(&Dataset) -> Result<C, LearnError>,
) -> Result<Confusion, LearnError> {
    if folds.folds.len() != data.len() || folds.count < 2 {
        return Err(LearnError::WrongFolds { rows: data.len(), folded: folds.folds.len(), parts: folds.count });
    }
    let mut confusion = Confusion::new(data.classes().to_vec());
    for fold in 0..folds.count {
        let (test, train): (Vec<usize>, Vec<usize>) = (0..data.len()).partition(|row| folds.folds[*row] == fold);
        let train = data.take(&train);
        let learned = match learn(&train) {
            Err(LearnError::OneClass { .. }) => None,
            learned => Some(learned?),
        };
        for row in test {
            let said = learned.as_ref().map_or_else(|| train.class(0), |learned| learned.classify(data.row(row)));
            confusion.add(data.class(row), said);
        }
    }
    Ok(confusion)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::tree::{Pruning, Tree};
    use proptest::prelude::*;

    fn halves(rows: u32) -> Dataset {
        let mut data = Dataset::new(["x"], ["low", "high"]).unwrap();
        (0..rows).for_each(|x| data.push(&[f64::from(x)], usize::from(x >= rows / 2)).unwrap());
        data
    }

    fn tree(data: &Dataset) -> Result<Tree, LearnError> {
        Tree::learn(data, Pruning::Unpruned)
    }

    #[test]
    fn errors_are_counted_by_class() {
        let mut confusion = Confusion::new(vec!["slow".into(), "fast".into()]);
        [(0, 0), (0, 1), (1, 1), (1, 1)].into_iter().for_each(|(class, said)| confusion.add(class, said));
        assert_eq!((confusion.errors(), confusion.error_rate(), confusion.count(0, 1)), (1, 0.25, 1));
        assert_eq!(confusion.to_string(), "is \\ said  slow  fast\nslow          1     1\nfast          0     2\n");
        assert_eq!(Confusion::new(vec![]).error_rate(), 0.0);
    }

    #[test]
    fn unseen_rows_are_judged() {
        let data = halves(100);
        let folds = Folds::stratified(&data, 10, 1).unwrap();
        let confusion = cross_validate(&data, &folds, tree).unwrap();
        assert_eq!(confusion.total(), 100);
        assert!(confusion.errors() <= 2, "only rows beside the threshold can be wrong: {confusion}");
    }

    #[test]
    fn folds_that_do_not_fit_are_told() {
        let data = halves(5);
        assert_eq!(Folds::stratified(&data, 6, 1), Err(LearnError::TooFewRows { rows: 5, parts: 6 }));
        assert_eq!(Folds::stratified(&data, 1, 1), Err(LearnError::TooFewRows { rows: 5, parts: 1 }));
        for folds in [vec![0; 5], vec![0, 1]] {
            let error = cross_validate(&data, &Folds::given(folds), tree).unwrap_err();
            assert!(matches!(error, LearnError::WrongFolds { rows: 5, .. }), "{error}");
        }
    }

    #[test]
    fn a_class_with_one_row_is_a_miss_and_no_failure() {
        let mut data = Dataset::new(["x"], ["many", "one"]).unwrap();
        (0..9).for_each(|x| data.push(&[f64::from(x)], usize::from(x == 0)).unwrap());
        let folds = Folds::given((0..9).map(|row| if row == 0 { usize::MAX } else { row % 2 }).collect());
        assert_eq!(cross_validate(&data, &folds, tree).unwrap().count(1, 0), 1);
    }

    proptest! {
        #[test]
        fn every_fold_has_its_share_of_every_class(
            classes in prop::collection::vec(0_usize..3, 4..90), count in 2_usize..5, seed: u64,
        ) {
            let mut data = Dataset::new(["x"], ["a", "b", "c"]).unwrap();
            classes.iter().for_each(|class| data.push(&[0.0], *class).unwrap());
            let folds = Folds::stratified(&data, count, seed).unwrap();
            for class in 0..3 {
                let rows = || (0..classes.len()).filter(|row| classes[*row] == class);
                let of = |fold| rows().filter(|row| folds.folds[*row] == fold).count();
                let sizes: Vec<usize> = (0..count).map(of).collect();
                prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            }
        }
    }
}
