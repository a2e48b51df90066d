//! Where two sequences differ: rows, lines, members of arrays, children of elements.
//!
//! What both begin and end with is cut off; the rest is held together at elements that are unique on both sides and come in
//! the same order on both (the longest such row of anchors), and the same is done again between the anchors. Sequences that
//! differ in one element therefore differ in exactly one gap of one element, and time stays within n log n, whatever the
//! elements are. A difference in many places may come out larger than the smallest one, but never wrong.

use std::hash::Hash;
use std::ops::Range;

use hashbrown::HashMap;

/// How often a gap is cut at anchors again.
const LEVELS: usize = 6;

/// Elements of the old sequence in whose place those of the new one stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// The gaps between two sequences, in order; what lies between them is equal.
pub(super) fn gaps<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<Gap> {
    let mut found = Vec::new();
    let mut open = vec![(Gap { old: 0..old.len(), new: 0..new.len() }, 0)];
    while let Some((gap, level)) = open.pop() {
        let gap = trim(old, new, gap);
        if gap.old.is_empty() && gap.new.is_empty() {
            continue;
        }
        let is_final = gap.old.is_empty() || gap.new.is_empty() || level == LEVELS;
        let anchors = if is_final { Vec::new() } else { anchors(old, new, &gap) };
        if anchors.is_empty() {
            found.push(gap);
        } else {
            open.extend(between(&gap, &anchors).map(|gap| (gap, level + 1)));
        }
    }
    found.sort_unstable_by_key(|gap| (gap.old.start, gap.new.start));
    found
}

/// The gap without the elements that both sides begin and end with.
fn trim<T: Eq>(old: &[T], new: &[T], Gap { old: o, new: n }: Gap) -> Gap {
    let begin = old[o.clone()].iter().zip(&new[n.clone()]).take_while(|(old, new)| old == new).count();
    let (o, n) = (o.start + begin..o.end, n.start + begin..n.end);
    let end = old[o.clone()].iter().rev().zip(new[n.clone()].iter().rev()).take_while(|(old, new)| old == new).count();
    Gap { old: o.start..o.end - end, new: n.start..n.end - end }
}

/// Pairs of places of elements that are unique on both sides, ascending on both.
fn anchors<T: Eq + Hash>(old: &[T], new: &[T], gap: &Gap) -> Vec<(usize, usize)> {
    let mut seen: HashMap<&T, (u8, u8, usize)> = HashMap::new();
    for element in &old[gap.old.clone()] {
        let count = &mut seen.entry(element).or_default().0;
        *count = count.saturating_add(1);
    }
    for (place, element) in gap.new.clone().zip(&new[gap.new.clone()]) {
        if let Some((_, count, last)) = seen.get_mut(element) {
            (*count, *last) = (count.saturating_add(1), place);
        }
    }
    let unique = gap.old.clone().filter_map(|place| match seen.get(&old[place]) {
        Some((1, 1, partner)) => Some((place, *partner)),
        _ => None,
    });
    longest_ascent(&unique.collect::<Vec<_>>())
}

/// The longest subsequence of pairs, ascending in their first places, that ascends in the second ones too.
fn longest_ascent(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // tails[n]: the pair that ends the ascent of n + 1 pairs with the lowest second place.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (_, second)) in pairs.iter().enumerate() {
        let length = tails.partition_point(|tail| pairs[*tail].1 < *second);
        before.push(length.checked_sub(1).map(|shorter| tails[shorter]));
        if length == tails.len() { tails.push(at) } else { tails[length] = at }
    }
    let mut ascent: Vec<(usize, usize)> =
        std::iter::successors(tails.last().copied(), |at| before[*at]).map(|at| pairs[at]).collect();
    ascent.reverse();
    ascent
}

/// What lies between anchors.
fn between(gap: &Gap, anchors: &[(usize, usize)]) -> impl Iterator<Item = Gap> {
    let begins = std::iter::once((gap.old.start, gap.new.start)).chain(anchors.iter().map(|(o, n)| (o + 1, n + 1)));
    let ends = anchors.iter().copied().chain(std::iter::once((gap.old.end, gap.new.end)));
    let gaps = begins.zip(ends).map(|(begin, end)| Gap { old: begin.0..end.0, new: begin.1..end.1 });
    gaps.collect::<Vec<_>>().into_iter()
}

/// The places of elements that one side has more often than the other, the last ones of equal elements; the order of elements
/// does not count.
pub(super) fn unshared<T: Eq + Hash>(old: &[T], new: &[T]) -> (Vec<usize>, Vec<usize>) {
    let mut more: HashMap<&T, isize> = HashMap::with_capacity(old.len());
    old.iter().for_each(|element| *more.entry(element).or_default() -= 1);
    new.iter().for_each(|element| *more.entry(element).or_default() += 1);
    (surplus(old, &mut more, -1), surplus(new, &mut more, 1))
}

fn surplus<'e, T: Eq + Hash>(elements: &'e [T], more: &mut HashMap<&'e T, isize>, sign: isize) -> Vec<usize> {
    let mut places = Vec::new();
    for (place, element) in elements.iter().enumerate().rev() {
        if let Some(count) = more.get_mut(element).filter(|count| **count * sign > 0) {
            *count -= sign;
            places.push(place);
        }
    }
    places.reverse();
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(old: &str, new: &str) -> Vec<(Range<usize>, Range<usize>)> {
        gaps(old.as_bytes(), new.as_bytes()).into_iter().map(|gap| (gap.old, gap.new)).collect()
    }

    #[test]
    fn edits_in_several_places_are_told_apart() {
        assert_eq!(found("abc", "abc"), []);
        assert_eq!(found("abcdef", "xabdeyf"), [(0..0, 0..1), (2..3, 3..3), (5..5, 5..6)]);
        assert_eq!(found("aaaa", "aaa"), [(3..4, 3..3)]);
        assert_eq!(found("abc", "xyz"), [(0..3, 0..3)]);
    }

    #[test]
    fn bags_differ_in_what_one_side_has_more_often() {
        assert_eq!(unshared(b"abca", b"cab"), (vec![3], vec![]));
        assert_eq!(unshared(b"abc", b"cdba"), (vec![], vec![1]));
    }

    proptest! {
        #[test]
        fn what_lies_between_gaps_is_equal(old in "[a-e]{0,40}", new in "[a-e]{0,40}") {
            let (mut o, mut n, old, new) = (0, 0, old.as_bytes(), new.as_bytes());
            for gap in gaps(old, new).into_iter().chain([Gap { old: old.len()..0, new: new.len()..0 }]) {
                prop_assert_eq!(&old[o..gap.old.start], &new[n..gap.new.start]);
                (o, n) = (gap.old.end, gap.new.end);
            }
        }

        #[test]
        fn one_element_more_is_one_gap_of_one(old in "[a-c]{0,40}", at in 0..41usize) {
            let at = at.min(old.len());
            let new = format!("{}b{}", &old[..at], &old[at..]);
            let found = found(&old, &new);
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!((found[0].0.len(), found[0].1.len()), (0, 1));
        }
    }
}
