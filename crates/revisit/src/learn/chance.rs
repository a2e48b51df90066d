//! The classifier that knows nothing: every class is as likely (the random classifier of Barbosa et al. 2005, Table 3).
//!
//! With 4 classes of equal size it errs three times in four; the paper measured 75.22 %. The draw depends on the seed
//! and the values only, so the same page gets the same class whenever it is asked for.

use super::Classifier;
use crate::lab::random::Random;

/// A class drawn at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    classes: usize,
    seed: u64,
}

impl Chance {
    /// Draws from classes numbered 0 to `classes` − 1.
    pub fn new(classes: usize, seed: u64) -> Chance {
        Chance { classes, seed }
    }
}

impl Classifier for Chance {
    fn classify(&self, values: &[f64]) -> usize {
        let mix = |seed, value: &f64| Random::stream(seed, value.to_bits()).bits();
        Random::stream(values.iter().fold(self.seed, mix), 0).below(self.classes as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_as_likely_and_the_same_values_get_the_same() {
        let chance = Chance::new(4, 1);
        let mut counts = [0; 4];
        (0..40_000).for_each(|page| counts[chance.classify(&[f64::from(page), 3.0])] += 1);
        assert!(counts.iter().all(|count| (9_700..10_300).contains(count)), "{counts:?}");
        assert_eq!(chance.classify(&[5.0]), chance.classify(&[5.0]));
        assert_eq!(Chance::new(0, 1).classify(&[5.0]), 0);
    }
}
