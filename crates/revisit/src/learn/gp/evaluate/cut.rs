//! Where the visits of a cycle end in the order of the scores: a weighted quick-select over groups of pages.
//!
//! Groups above the cut are visited whole; of those at the cut the lowest page ids are. Nothing is ever sorted whole. The
//! cut moves little from one cycle to the next, so each search leaves a floor behind, a score somewhat below the cut, and
//! the next one looks only at the groups above it.

/// A group of pages with one score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) score: f64,
    pub(super) bucket: u32,
    pub(super) pages: u32,
}

/// The candidates at the cut.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cut {
    /// How many candidates, from the first, lie above the cut.
    pub(super) above: usize,
    /// How many more, after those, are level with it.
    pub(super) level: usize,
    /// How many pages of the level ones are visited.
    pub(super) visits: usize,
    /// A score below the cut with enough pages above it to search among next time; −∞ if none is known.
    pub(super) floor: f64,
}

/// Beyond this many candidates a pivot is drawn; fewer are put in order.
const FEW: usize = 12;

/// Moves the best candidates to the front until they have `visits` pages, which all of them together have.
pub(super) fn find(candidates: &mut [Candidate], visits: usize) -> Cut {
    // Aim at a quarter more than needed: the floor then holds for many cycles.
    let enough = visits + visits / 4;
    let (mut low, mut high, mut left) = (0, candidates.len(), visits);
    let mut floor = f64::NEG_INFINITY;
    let mut draw = candidates.len() as u64;
    while high - low > FEW {
        let pivot = pivot(&candidates[low..high], &mut draw);
        let (count, pages) = partition(&mut candidates[low..high], |score| score > pivot);
        if pages >= left {
            high = low + count;
            if visits - left + pages >= enough {
                floor = floor.max(pivot);
            }
            continue;
        }
        (low, left) = (low + count, left - pages);
        let (count, pages) = partition(&mut candidates[low..high], |score| score == pivot);
        if pages >= left {
            return Cut { above: low, level: count, visits: left, floor };
        }
        (low, left) = (low + count, left - pages);
    }
    among_few(&mut candidates[low..high], low, left, floor)
}

/// The cut among a few candidates, by putting them in order.
fn among_few(candidates: &mut [Candidate], before: usize, visits: usize, floor: f64) -> Cut {
    candidates.sort_unstable_by(|one, other| other.score.total_cmp(&one.score));
    let (mut above, mut left) = (0, visits);
    loop {
        let score = candidates.get(above).map_or(0.0, |candidate| candidate.score);
        let level = candidates[above..].iter().take_while(|candidate| candidate.score == score).count();
        let pages: usize = candidates[above..above + level].iter().map(|candidate| candidate.pages as usize).sum();
        if pages >= left || above + level >= candidates.len() {
            return Cut { above: before + above, level, visits: left.min(pages), floor };
        }
        (above, left) = (above + level, left - pages);
    }
}

/// The middle one of three candidates drawn at random, so that no order of them is a bad one.
fn pivot(candidates: &[Candidate], draw: &mut u64) -> f64 {
    let mut score = || {
        *draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        candidates[(((*draw >> 32) * candidates.len() as u64) >> 32) as usize].score
    };
    let (a, b, c) = (score(), score(), score());
    a.min(b).max(a.max(b).min(c))
}

/// Moves the candidates whose score is wanted to the front; says how many they are and how many pages they have.
fn partition(candidates: &mut [Candidate], wanted: impl Fn(f64) -> bool) -> (usize, usize) {
    let (mut count, mut pages) = (0, 0);
    for place in 0..candidates.len() {
        // Swapping always and counting only sometimes leaves nothing for the processor to guess.
        let candidate = candidates[place];
        let keep = wanted(candidate.score);
        candidates.swap(place, count);
        pages += if keep { candidate.pages as usize } else { 0 };
        count += usize::from(keep);
    }
    (count, pages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_cut_is_where_a_sort_puts_it(
            groups in prop::collection::vec((0_i32..40, 1_u32..9), 1..300),
            share in 0.0_f64..1.0,
        ) {
            let candidate = |(bucket, &(score, pages)): (usize, &(i32, u32))| {
                Candidate { score: f64::from(score), bucket: bucket as u32, pages }
            };
            let mut candidates: Vec<Candidate> = groups.iter().enumerate().map(candidate).collect();
            let all: usize = candidates.iter().map(|candidate| candidate.pages as usize).sum();
            let visits = ((all as f64 * share) as usize).max(1);
            let mut scores: Vec<f64> =
                candidates.iter().flat_map(|group| std::iter::repeat_n(group.score, group.pages as usize)).collect();
            scores.sort_unstable_by(|one, other| other.total_cmp(one));
            let last = scores[visits - 1];
            let cut = find(&mut candidates, visits);
            prop_assert!(candidates[..cut.above].iter().all(|group| group.score > last));
            let level = cut.above..cut.above + cut.level;
            prop_assert!(candidates[level.clone()].iter().all(|group| group.score == last));
            prop_assert!(candidates[level.end..].iter().all(|group| group.score < last));
            let above: usize = candidates[..cut.above].iter().map(|group| group.pages as usize).sum();
            prop_assert_eq!(above + cut.visits, visits);
            prop_assert!(cut.floor < last || cut.floor == f64::NEG_INFINITY);
            let over_floor = scores.iter().filter(|score| **score > cut.floor).count();
            prop_assert!(cut.floor == f64::NEG_INFINITY || over_floor >= visits + visits / 4);
        }
    }
}
