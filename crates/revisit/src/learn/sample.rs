//! Which rows train and which test: by page or by site, two thirds and one third, and every class as often as the
//! rarest.
//!
//! Rows of one site look alike and change alike. A classifier that has seen some of them knows the others too well, so
//! a split by site keeps whole sites on one side. (A split by time is two calls of [`super::example::observe`].)
//!
//! All draws come from a seed: the same rows and seed give the same sample.

use super::LearnError;
use super::dataset::Dataset;
use super::example::Example;
use crate::lab::random::Random;

/// The numbers 0 to `count` − 1 in a random order (Fisher & Yates).
pub(super) fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut random = Random::stream(seed, 0);
    random.shuffle(&mut order);
    order
}

/// The rows in a random order, but class by class: every so many-th of them is a sample with its share of every class.
pub(super) fn shuffled_by_class(data: &Dataset, seed: u64) -> Vec<usize> {
    let mut rows = shuffled(data.len(), seed);
    rows.sort_by_key(|row| data.class(*row));
    rows
}

/// Two thirds of the rows and the other third, each with its share of every class.
pub fn two_thirds(data: &Dataset, seed: u64) -> Result<(Dataset, Dataset), LearnError> {
    if data.len() < 3 {
        return Err(LearnError::TooFewRows { rows: data.len(), parts: 3 });
    }
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for (place, row) in shuffled_by_class(data, seed).into_iter().enumerate() {
        if place % 3 == 2 { test.push(row) } else { train.push(row) }
    }
    Ok((data.take(&train), data.take(&test)))
}

/// The numbers of two thirds of `count` pages, and of the other third.
pub fn by_page(count: usize, seed: u64) -> Result<(Vec<usize>, Vec<usize>), LearnError> {
    if count < 3 {
        return Err(LearnError::TooFewRows { rows: count, parts: 3 });
    }
    let mut train = shuffled(count, seed);
    let test = train.split_off(count - count / 3);
    Ok((train, test))
}

/// The numbers of about two thirds of the examples and of the others, no site on both sides.
///
/// Sites in a random order each go to the side that lacks more of its share. If one site is so large that this leaves
/// nothing to test with, the first of them tests.
pub fn by_site(examples: &[Example], seed: u64) -> Result<(Vec<usize>, Vec<usize>), LearnError> {
    let mut rows: Vec<usize> = (0..examples.len()).collect();
    rows.sort_by(|a, b| examples[*a].site.cmp(&examples[*b].site));
    let sites: Vec<&[usize]> = rows.chunk_by(|a, b| examples[*a].site == examples[*b].site).collect();
    match sites[..] {
        [] => return Err(LearnError::NoRows),
        [only] => return Err(LearnError::OneSite { site: examples[only[0]].site.clone() }),
        _ => {}
    }
    let (mut train, mut test) = (Vec::new(), Vec::new());
    let order = shuffled(sites.len(), seed);
    for &site in &order {
        let lacks_train = 2.0 / 3.0 * rows.len() as f64 - train.len() as f64;
        let lacks_test = rows.len() as f64 / 3.0 - test.len() as f64;
        let side = if lacks_train >= lacks_test { &mut train } else { &mut test };
        side.extend(sites[site]);
    }
    if test.is_empty() {
        test.extend(train.drain(..sites[order[0]].len()));
    }
    Ok((train, test))
}

/// A random sample in which every class that has rows is as large as the smallest of them.
pub fn balanced(data: &Dataset, seed: u64) -> Dataset {
    let least = data.counts().into_iter().filter(|count| *count > 0).min().unwrap_or_default();
    let mut left = vec![least; data.classes().len()];
    let mut rows = shuffled(data.len(), seed);
    rows.retain(|row| {
        let left = &mut left[data.class(*row)];
        *left > 0 && {
            *left -= 1;
            true
        }
    });
    data.take(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Features;
    use crate::{PageId, Span};
    use proptest::prelude::*;

    fn example(site: usize) -> Example {
        let features = Features::default();
        Example { page: PageId(0), site: format!("{site}.test"), features, interval: Span::DAY }
    }

    fn data(classes: &[usize]) -> Dataset {
        let mut data = Dataset::new(["number"], ["a", "b", "c"]).unwrap();
        classes.iter().enumerate().for_each(|(row, class)| data.push(&[row as f64], *class).unwrap());
        data
    }

    #[test]
    fn too_few_pages_and_a_single_site_are_told() {
        assert_eq!(by_page(2, 1), Err(LearnError::TooFewRows { rows: 2, parts: 3 }));
        assert!(two_thirds(&data(&[0, 1]), 1).is_err());
        assert_eq!(by_site(&[], 1), Err(LearnError::NoRows));
        assert_eq!(by_site(&[example(1), example(1)], 1), Err(LearnError::OneSite { site: "1.test".into() }));
    }

    #[test]
    fn a_giant_among_sites_leaves_something_to_test_with() {
        let examples: Vec<Example> = (0..100).map(|row| example(usize::from(row > 2) + usize::from(row > 5))).collect();
        for seed in 0..20 {
            let (train, test) = by_site(&examples, seed).unwrap();
            assert!(!train.is_empty() && !test.is_empty());
        }
    }

    proptest! {
        #[test]
        fn every_page_is_on_one_side(count in 3_usize..200, seed: u64) {
            let (train, test) = by_page(count, seed).unwrap();
            prop_assert_eq!(test.len(), count / 3);
            let mut all = [train, test].concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..count).collect::<Vec<_>>());
        }

        #[test]
        fn every_class_has_its_share_of_both_sides(classes in prop::collection::vec(0_usize..3, 3..100), seed: u64) {
            let data = data(&classes);
            let (train, test) = two_thirds(&data, seed).unwrap();
            prop_assert_eq!(train.len() + test.len(), data.len());
            for (all, tested) in data.counts().into_iter().zip(test.counts()) {
                prop_assert!((all as f64 / 3.0 - tested as f64).abs() < 1.0);
            }
        }

        #[test]
        fn no_site_is_on_both_sides(sites in prop::collection::vec(0_usize..12, 2..200), seed: u64) {
            prop_assume!(sites.iter().any(|site| *site != sites[0]));
            let examples: Vec<Example> = sites.iter().map(|site| example(*site)).collect();
            let (train, test) = by_site(&examples, seed).unwrap();
            prop_assert!(!train.is_empty() && !test.is_empty());
            prop_assert_eq!(train.len() + test.len(), sites.len());
            prop_assert!(train.iter().all(|row| test.iter().all(|other| sites[*row] != sites[*other])));
        }

        #[test]
        fn balanced_classes_are_as_large_as_the_smallest(
            classes in prop::collection::vec(0_usize..3, 1..100), seed: u64,
        ) {
            let data = data(&classes);
            let least = data.counts().into_iter().filter(|count| *count > 0).min().unwrap();
            let sample = balanced(&data, seed);
            prop_assert!(sample.counts().iter().zip(data.counts()).all(|(had, has)| *had == least.min(has)));
            prop_assert!(sample.rows().all(|(row, class)| classes[row[0] as usize] == class));
        }
    }
}
