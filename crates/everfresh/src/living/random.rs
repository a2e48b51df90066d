//! The living web's own randomness: a seeded stream per purpose, so that drawing more for one page moves no other
//! page.
//!
//! The generator is SplitMix64 (Steele, Lea and Flood, 2014). It is a dozen lines, has no state beyond one number,
//! and its streams will not change under us with a dependency: the same seed must give the same web for ever.

use revisit::Span;

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of numbers fixed by what it is for.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// The stream of `seed` for one purpose, named by a label and a number.
    pub(super) fn new(seed: u64, label: &str, number: u64) -> Random {
        let named = label.bytes().fold(mix(seed), |state, byte| mix(state ^ u64::from(byte)));
        Random(mix(named ^ number.wrapping_mul(GOLDEN)))
    }

    /// The next 64 bits.
    pub(super) fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// A number below `limit`; 0 if there is none.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.draw()) * limit as u128) >> 64) as usize
    }

    /// A number from 0 up to, but not including, 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.draw() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True in this share of draws.
    pub(super) fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// One of the words.
    pub(super) fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words.get(self.below(words.len())).copied().unwrap_or_default()
    }

    /// A waiting time of a memoryless process with this mean.
    pub(super) fn exponential(&mut self, mean: Span) -> Span {
        mean * -(1.0 - self.unit()).ln()
    }
}

fn mix(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_fixed_by_its_purpose() {
        let first = |seed, label, number| Random::new(seed, label, number).draw();
        assert_eq!(first(7, "/a", 1), first(7, "/a", 1));
        assert_ne!(first(7, "/a", 1), first(8, "/a", 1));
        assert_ne!(first(7, "/a", 1), first(7, "/b", 1));
        assert_ne!(first(7, "/a", 1), first(7, "/a", 2));
    }

    #[test]
    fn waiting_times_have_their_mean() {
        let mut random = Random::new(1, "wait", 0);
        let total: f64 = (0..20_000).map(|_| random.exponential(Span::HOUR).as_secs()).sum();
        let mean = total / 20_000.0;
        assert!((3_500.0..3_700.0).contains(&mean), "mean of {mean} s");
    }

    #[test]
    fn below_stays_below() {
        let mut random = Random::new(1, "below", 0);
        assert!((0..1_000).all(|_| random.below(7) < 7));
        assert_eq!(random.below(0), 0);
    }
}
