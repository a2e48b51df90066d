//! Change-rate groups: pages that change about equally often, found by k-means on their mean change intervals.
//!
//! Barbosa et al. 2005 (section 3.2) cut the pages into k = 2..6 groups and chose 4 by eye. Reading: k-means runs on
//! the logarithm of the interval, for a day is to two days as a month is to two months; a centre is then the geometric
//! mean. The groups go from the fastest to the slowest, as in [`crate::model::groups`], whose table they fill: the
//! interval is the centre, window and thresholds are those of the nearest group of the paper's Table 4.
//!
//! To choose k by a number instead of by eye, [`most_distinct`] takes the greatest mean silhouette (Rousseeuw 1987): (b
//! − a) / max(a, b) of a page, with a its mean distance to its own group and b to the nearest other, 1 if groups are
//! tight and far apart. No model of how intervals are spread within a group is needed, which many equal intervals would
//! upset.

mod means;

use std::ops::RangeInclusive;

use crate::model::groups::{Group, TABLE_4};
use crate::time::Span;
use means::Line;

/// The numbers of groups that the paper tries.
pub const COUNTS: RangeInclusive<usize> = 2..=6;

/// The number of groups that the paper chooses.
pub const USUAL_COUNT: usize = 4;

/// A group: its centre, and how many pages it was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The geometric mean of its pages' intervals.
    pub centre: Span,
    /// How many pages it has.
    pub size: usize,
}

/// Groups, fastest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    clusters: Vec<Cluster>,
    /// Up to which logarithm of the interval each group but the last reaches.
    bounds: Vec<f64>,
    silhouette: f64,
}

/// Why there are no such groups.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroupsError {
    /// Fewer different intervals than groups.
    #[error("{distinct} different mean change intervals do not make {groups} groups: use more pages or fewer groups")]
    TooFewIntervals {
        /// How many different intervals there are.
        distinct: usize,
        /// How many groups were asked for.
        groups: usize,
    },
    /// None, or more than a number has room for.
    #[error("{groups} groups were asked for: use 1 to 256")]
    Count {
        /// How many groups were asked for.
        groups: usize,
    },
    /// Centres that do not grow from group to group.
    #[error("group {group} is not slower than the one before it: list groups from the fastest to the slowest")]
    Order {
        /// The first group that is out of order.
        group: usize,
    },
}

impl Groups {
    /// Finds `count` groups in the mean change intervals of pages.
    ///
    /// ```
    /// use revisit::{Span, learn::groups::Groups};
    /// let intervals = [1.0, 1.0, 2.0, 50.0, 100.0].map(|days| Span::DAY * days);
    /// let groups = Groups::fit(&intervals, 2, 1).unwrap();
    /// assert_eq!(groups.clusters().iter().map(|cluster| cluster.size).collect::<Vec<_>>(), [3, 2]);
    /// assert_eq!(groups.of(Span::DAY * 10.0), 1, "its logarithm is nearer to that of 71 than of 1.3");
    /// ```
    pub fn fit(intervals: &[Span], count: usize, seed: u64) -> Result<Groups, GroupsError> {
        if !(1..=256).contains(&count) {
            return Err(GroupsError::Count { groups: count });
        }
        let line = Line::new(intervals.iter().map(|interval| log(*interval)).collect());
        let distinct = line.distinct();
        if distinct < count {
            return Err(GroupsError::TooFewIntervals { distinct, groups: count });
        }
        let centres = line.means(count, seed);
        let clusters = centres.iter().map(|centre| Cluster { centre: span(*centre), size: 0 }).collect();
        let mut groups = Groups::new(clusters)?;
        let ends = line.ends(&groups.bounds);
        for (cluster, (from, to)) in groups.clusters.iter_mut().zip(ends.iter().zip(&ends[1..])) {
            cluster.size = to - from;
        }
        groups.silhouette = line.silhouette(&ends);
        Ok(groups)
    }

    /// Groups that were found before, as a model file has them. Their silhouette is not known and 0.
    pub fn new(clusters: Vec<Cluster>) -> Result<Groups, GroupsError> {
        if !(1..=256).contains(&clusters.len()) {
            return Err(GroupsError::Count { groups: clusters.len() });
        }
        if let Some(before) = clusters.windows(2).position(|pair| pair[0].centre >= pair[1].centre) {
            return Err(GroupsError::Order { group: before + 1 });
        }
        let bound = |pair: &[Cluster]| f64::midpoint(log(pair[0].centre), log(pair[1].centre));
        let bounds = clusters.windows(2).map(bound).collect();
        Ok(Groups { clusters, bounds, silhouette: 0.0 })
    }

    /// The groups.
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// How distinct the groups are: the mean silhouette of their pages, −1 to 1.
    pub fn silhouette(&self) -> f64 {
        self.silhouette
    }

    /// The group of a page with this mean change interval.
    pub fn of(&self, interval: Span) -> usize {
        let log = log(interval);
        self.bounds.partition_point(|bound| *bound < log)
    }

    /// The names of the groups: their centres.
    pub fn names(&self) -> Vec<String> {
        self.clusters.iter().map(|cluster| cluster.centre.to_string()).collect()
    }

    /// The table by which `historic` and `bayesian` visit.
    pub fn table(&self) -> Vec<Group> {
        self.clusters.iter().map(|cluster| Group { interval: cluster.centre, ..nearest(cluster.centre) }).collect()
    }
}

/// The groups for each of [`COUNTS`], as far as there are enough different intervals.
pub fn choices(intervals: &[Span], seed: u64) -> Result<Vec<Groups>, GroupsError> {
    let mut choices = vec![Groups::fit(intervals, *COUNTS.start(), seed)?];
    choices.extend(COUNTS.skip(1).map_while(|count| Groups::fit(intervals, count, seed).ok()));
    Ok(choices)
}

/// The choice with the greatest silhouette; of several, the one with the fewest groups.
pub fn most_distinct(choices: &[Groups]) -> Option<&Groups> {
    choices.iter().rev().max_by(|a, b| a.silhouette.total_cmp(&b.silhouette))
}

/// The group of the paper's Table 4 whose interval is nearest by ratio.
fn nearest(interval: Span) -> Group {
    let distance = |group: &Group| (log(group.interval) - log(interval)).abs();
    let [first, rest @ ..] = TABLE_4;
    rest.into_iter().fold(first, |best, group| if distance(&group) < distance(&best) { group } else { best })
}

/// The logarithm of an interval in milliseconds; no interval is shorter than one.
fn log(interval: Span) -> f64 {
    (interval.millis().max(1) as f64).ln()
}

fn span(log: f64) -> Span {
    Span::from_millis(log.exp().round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn days(days: &[f64]) -> Vec<Span> {
        days.iter().map(|days| Span::DAY * *days).collect()
    }

    /// Four heaps, as in the paper.
    fn heaps() -> Vec<Span> {
        let around = |centre: f64, size: usize| (0..size).map(move |n| centre * (0.9 + 0.2 * n as f64 / size as f64));
        days(
            &[around(1.0, 50), around(3.0, 40), around(31.0, 30), around(96.0, 100)]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn heaps_are_found_and_counted() {
        let groups = Groups::fit(&heaps(), 4, 1).unwrap();
        assert_eq!(groups.clusters().iter().map(|cluster| cluster.size).collect::<Vec<_>>(), [50, 40, 30, 100]);
        assert!((groups.clusters()[2].centre.as_days() - 31.0).abs() < 0.5);
        assert_eq!(groups.table().iter().map(|group| group.window).collect::<Vec<_>>(), [3, 2, 2, 1]);
        assert_eq!(groups.names()[3], "95.7d");
    }

    #[test]
    fn the_most_distinct_choice_is_that_of_the_heaps() {
        let choices = choices(&heaps(), 1).unwrap();
        assert_eq!(choices.iter().map(|groups| groups.clusters().len()).collect::<Vec<_>>(), [2, 3, 4, 5, 6]);
        assert_eq!(most_distinct(&choices).unwrap().clusters().len(), 4);
    }

    #[test]
    fn too_few_intervals_are_told() {
        let three = days(&[1.0, 2.0, 2.0, 3.0]);
        assert_eq!(Groups::fit(&three, 4, 1), Err(GroupsError::TooFewIntervals { distinct: 3, groups: 4 }));
        assert_eq!(choices(&three, 1).unwrap().len(), 2);
        assert!(choices(&days(&[5.0, 5.0]), 1).is_err());
        assert_eq!(Groups::fit(&three, 0, 1), Err(GroupsError::Count { groups: 0 }));
        let cluster = |days| Cluster { centre: Span::DAY * days, size: 1 };
        assert_eq!(Groups::new(vec![cluster(2.0), cluster(2.0)]), Err(GroupsError::Order { group: 1 }));
    }

    proptest! {
        #[test]
        fn every_group_has_the_pages_it_says(
            millis in prop::collection::vec(0_i64..1_000_000_000, 1..80), count in 1_usize..7, seed: u64,
        ) {
            let intervals: Vec<Span> = millis.into_iter().map(Span::from_millis).collect();
            let Ok(groups) = Groups::fit(&intervals, count, seed) else { return Ok(()) };
            let mut sizes = vec![0; count];
            intervals.iter().for_each(|interval| sizes[groups.of(*interval)] += 1);
            prop_assert_eq!(sizes, groups.clusters().iter().map(|cluster| cluster.size).collect::<Vec<_>>());
            prop_assert!((-1.0..=1.0).contains(&groups.silhouette()));
            prop_assert_eq!(&groups, &Groups::fit(&intervals, count, seed).unwrap());
        }
    }
}
