//! Naive Bayes: every feature on its own says how well it fits each class, and all of them are taken at their word.
//!
//! Within a class a feature is taken to be normally distributed, as Weka's NaiveBayes does by default: the score of a
//! class is ln(share of its rows) + Σ ln φ((x − mean) / deviation) over the features that are known. A deviation is at
//! least a sixth of the mean gap between the values that occur (Weka's precision), so that a class whose rows agree
//! does not rule out what is next to them. A feature of which a class shows no value fits it as it fits all rows; a
//! constant one says nothing.

use super::dataset::Dataset;
use super::{Classifier, LearnError, check, likeliest, value};

/// Normal distributions by class and feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Bayes {
    /// ln(share of the rows) by class; −∞ for classes without rows.
    priors: Vec<f64>,
    /// By class, then by feature.
    bells: Vec<Bell>,
    features: usize,
}

/// A normal distribution, ready to be asked.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bell {
    mean: f64,
    /// 1 / (2 · variance); 0 if the feature says nothing.
    steepness: f64,
    /// −ln(deviation).
    height: f64,
}

impl Bayes {
    /// Learns the distributions.
    ///
    /// ```
    /// use revisit::learn::{Classifier, bayes::Bayes, dataset::Dataset};
    /// let mut data = Dataset::new(["links"], ["slow", "fast"]).unwrap();
    /// (0..20).for_each(|links| data.push(&[links.into()], usize::from(links > 7)).unwrap());
    /// let bayes = Bayes::learn(&data).unwrap();
    /// assert_eq!((bayes.classify(&[2.0]), bayes.classify(&[13.0]), bayes.classify(&[f64::NAN])), (0, 1, 1));
    /// ```
    pub fn learn(data: &Dataset) -> Result<Bayes, LearnError> {
        check(data)?;
        let (classes, features) = (data.classes().len(), data.features().len());
        let share = |count: usize| (count as f64 / data.len() as f64).ln();
        let priors = data.counts().into_iter().map(share).collect();
        let mut bells = vec![Bell { mean: 0.0, steepness: 0.0, height: 0.0 }; classes * features];
        let mut columns = vec![Vec::new(); classes];
        for feature in 0..features {
            columns.iter_mut().for_each(Vec::clear);
            for (row, class) in data.rows().filter(|(row, _)| !row[feature].is_nan()) {
                columns[class].push(row[feature]);
            }
            let all = columns.concat();
            let Some(least) = least_deviation(all.clone()) else { continue };
            for (class, column) in columns.iter().enumerate() {
                let shown = if column.is_empty() { &all } else { column };
                bells[class * features + feature] = Bell::around(shown, least);
            }
        }
        Ok(Bayes { priors, bells, features })
    }
}

impl Classifier for Bayes {
    fn classify(&self, values: &[f64]) -> usize {
        let score = |(class, prior): (usize, &f64)| {
            let bells = &self.bells[class * self.features..(class + 1) * self.features];
            let fits = bells.iter().enumerate().map(|(feature, bell)| bell.fit(value(values, feature)));
            prior + fits.sum::<f64>()
        };
        likeliest(self.priors.iter().enumerate().map(score)).unwrap_or_default()
    }
}

impl Bell {
    fn around(values: &[f64], least: f64) -> Bell {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        let deviation = variance.sqrt().max(least);
        Bell { mean, steepness: 0.5 / (deviation * deviation), height: -deviation.ln() }
    }

    /// The logarithm of the density but for a constant; 0 for a missing value.
    #[inline]
    fn fit(&self, value: f64) -> f64 {
        if value.is_nan() {
            return 0.0;
        }
        // Whatever is this far away fits no class; without the bound it would be infinitely bad for all alike.
        self.height - ((value - self.mean).powi(2) * self.steepness).min(1e200)
    }
}

/// A sixth of the mean gap between different values; `None` if there are no two.
fn least_deviation(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    let (first, last) = (values.first()?, values.last()?);
    (values.len() > 1).then(|| (last - first) / (values.len() - 1) as f64 / 6.0).filter(|gap| gap.is_normal())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scores_are_those_worked_by_hand() {
        // Class a: 0 and 2, mean 1, deviation 1; class b: 4, 8, 12, mean 8, deviation 3.266.
        let mut data = Dataset::new(["x"], ["a", "b"]).unwrap();
        for (x, class) in [(0.0, 0), (2.0, 0), (4.0, 1), (8.0, 1), (12.0, 1)] {
            data.push(&[x], class).unwrap();
        }
        let bayes = Bayes::learn(&data).unwrap();
        // ln 0.4 − (x − 1)²/2 = ln 0.6 − ln 3.266 − (x − 8)²/21.33 at x = 2.980.
        assert_eq!((bayes.classify(&[2.97]), bayes.classify(&[2.99])), (0, 1));
        assert_eq!((bayes.classify(&[-1e300]), bayes.classify(&[1e300])), (0, 0), "it fits neither");
    }

    #[test]
    fn what_is_missing_or_constant_says_nothing() {
        let mut data = Dataset::new(["constant", "missing", "rare", "x"], ["a", "b", "nobody"]).unwrap();
        for n in 0..10 {
            let rare = if n < 5 { f64::NAN } else { f64::from(n % 2) };
            data.push(&[7.0, f64::NAN, rare, f64::from(n)], usize::from(n >= 5)).unwrap();
        }
        let bayes = Bayes::learn(&data).unwrap();
        assert_eq!((bayes.classify(&[0.0, 3.0, f64::NAN, 1.0]), bayes.classify(&[7.0, 3.0, 1.0, 9.0])), (0, 1));
        assert_eq!(bayes.classify(&[]), 0);
        assert_eq!(bayes.classify(&[7.0, 0.0, 0.5, 0.0]), 0, "class a never showed the rare feature, but may have it");
    }
}
