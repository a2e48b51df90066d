//! A page with its score as whole numbers, so that choosing the best of many compares numbers and nothing else. Thirteen bytes:
//! there is one for every page that a cycle wants.

use serde::{Deserialize, Serialize};

use crate::page::PageId;

/// A page that could be visited. The least is the one to visit first: the higher score, ties to the lower id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[repr(Rust, packed)]
pub(super) struct Candidate {
    is_usual: bool,
    /// The score as a number that falls as scores rise.
    place: u64,
    page: u32,
}

const SIGN: u64 = 1 << 63;

impl Candidate {
    /// Who is ahead goes before all who are not, whatever the scores. Scores are finite, so their order is that of numbers.
    pub(super) fn new(score: f64, page: PageId, ahead: bool) -> Candidate {
        // As bits, numbers below zero come after all others, the lowest last; flipped, they come in order.
        let bits = score.to_bits();
        let rising = if bits & SIGN == 0 { bits | SIGN } else { !bits };
        Candidate { is_usual: !ahead, place: !rising, page: page.0 }
    }

    pub(super) fn page(self) -> PageId {
        PageId(self.page)
    }

    pub(super) fn score(self) -> f64 {
        let rising = !self.place;
        f64::from_bits(if rising & SIGN == 0 { !rising } else { rising & !SIGN })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_higher_score_then_the_lower_id_is_less(
            (one, other) in (-1e9..1e9, -1e9..1e9),
            (first, second) in any::<(u32, u32)>(),
        ) {
            let of = |score, page| Candidate::new(score, PageId(page), false);
            prop_assert_eq!(of(one, first) < of(other, second), one > other || (one == other && first < second));
            prop_assert_eq!(of(one, first) < of(one, second), first < second);
            prop_assert_eq!((of(one, first).score(), of(one, first).page()), (one, PageId(first)));
        }
    }

    #[test]
    fn who_is_ahead_goes_first_in_the_order_of_scores() {
        let of = |score, ahead| Candidate::new(score, PageId(1), ahead);
        assert!(of(-5.0, true) < of(5.0, false) && of(1.0, true) < of(0.0, true));
        assert_eq!((of(-5.0, true).score(), of(2.0, true).page()), (-5.0, PageId(1)));
    }

    #[test]
    fn order_holds_at_the_edges() {
        let scores = [f64::MAX, 1.0, f64::MIN_POSITIVE, 0.0, -f64::MIN_POSITIVE, -1.0, f64::MIN];
        let candidates = scores.map(|score| Candidate::new(score, PageId(u32::MAX), false));
        assert!(candidates.is_sorted());
        assert_eq!(candidates.map(Candidate::score), scores);
        assert_eq!(size_of::<Candidate>(), 13);
    }
}
