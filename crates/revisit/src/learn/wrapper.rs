//! Wrapper feature selection (Kohavi & John 1997): the best set of features is the one the learner itself errs least
//! with.
//!
//! Up to 10 features every set is tried, 127 of Barbosa's seven; with more, one feature at a time is added as long as
//! that helps. A set's score is the error of cross-validation with the same folds for all. Equal scores go to the
//! smaller set, then to the one with the earlier features.

use super::dataset::Dataset;
use super::judge::{Folds, cross_validate};
use super::{Classifier, LearnError};

/// Up to how many features every set is tried.
const EXHAUSTIVE: usize = 10;

/// A set of features and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The places of the features, in ascending order; for [`Dataset::only`].
    pub features: Vec<usize>,
    /// The error rate of cross-validation with them.
    pub error_rate: f64,
    /// How many sets were tried.
    pub tried: usize,
}

/// Finds the features with which a way of learning errs least.
pub fn select<C: Classifier>(
    data: &Dataset,
    folds: &Folds,
    learn: impl Fn(&Dataset) -> Result<C, LearnError>,
) -> Result<Selection, LearnError> {
    let score =
        |features: &[usize]| cross_validate(&data.only(features), folds, &learn).map(|judged| judged.error_rate());
    if data.features().len() <= EXHAUSTIVE {
        exhaustive(data.features().len(), score)
    } else {
        greedy(data.features().len(), score)
    }
}

type Score = Result<f64, LearnError>;

fn exhaustive(features: usize, score: impl Fn(&[usize]) -> Score) -> Result<Selection, LearnError> {
    let mut sets: Vec<Vec<usize>> = (1..1_usize << features)
        .map(|bits| (0..features).filter(|feature| bits >> feature & 1 == 1).collect())
        .collect();
    sets.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let mut best = Selection { features: Vec::new(), error_rate: f64::INFINITY, tried: sets.len() };
    for set in sets {
        let error_rate = score(&set)?;
        if error_rate < best.error_rate {
            best = Selection { features: set, error_rate, ..best };
        }
    }
    Ok(best)
}

fn greedy(features: usize, score: impl Fn(&[usize]) -> Score) -> Result<Selection, LearnError> {
    let mut best = Selection { features: Vec::new(), error_rate: f64::INFINITY, tried: 0 };
    loop {
        let mut better = None;
        for feature in (0..features).filter(|feature| !best.features.contains(feature)) {
            let mut set = best.features.clone();
            set.insert(set.partition_point(|other| *other < feature), feature);
            best.tried += 1;
            let error_rate = score(&set)?;
            if error_rate < best.error_rate {
                best.error_rate = error_rate;
                better = Some(set);
            }
        }
        let Some(set) = better else { return Ok(best) };
        best.features = set;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::random::Random;
    use crate::learn::tree::{Pruning, Tree};

    /// Features 1 and 3 decide the class, the others are noise or nothing.
    fn data(features: usize) -> Dataset {
        let mut data = Dataset::new((0..features).map(|n| format!("f{n}")), ["a", "b"]).unwrap();
        let mut random = Random::stream(3, 0);
        for _ in 0..300 {
            let mut row: Vec<f64> = (0..features).map(|_| random.unit()).collect();
            row[0] = 1.0;
            row[2] = f64::NAN;
            data.push(&row, usize::from(row[1] > 0.5 || row[3] > 0.7)).unwrap();
        }
        data
    }

    #[test]
    fn the_features_that_matter_are_found() {
        for features in [5, EXHAUSTIVE + 2] {
            let data = data(features);
            let folds = Folds::stratified(&data, 5, 1).unwrap();
            let selection = select(&data, &folds, |train| Tree::learn(train, Pruning::Pruned)).unwrap();
            assert_eq!(selection.features, [1, 3], "{selection:?}");
            assert!(selection.error_rate < 0.05);
            assert_eq!(selection.tried, if features == 5 { 31 } else { 12 + 11 + 10 });
        }
    }
}
