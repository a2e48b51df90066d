//! Seeded random numbers for worlds and draws: SplitMix64, small, fast, and the same on every machine.
//!
//! Each page draws from a stream of its own, so a page is the same whatever the number of pages or threads.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream with this number among those of a seed.
    pub fn stream(seed: u64, number: u64) -> Random {
        Random { state: scramble(scramble(seed).wrapping_add(number)) }
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scramble(self.state)
    }

    /// A number from 0 up to, but not including, 1.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether something of this probability happens.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of the numbers 0 to `bound` − 1, each as likely up to `bound`/2⁶⁴; 0 if there is none.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// Puts values into a random order, each order as likely as any other.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// A number between two positive ones whose logarithm is uniform.
    pub fn log_uniform(&mut self, least: f64, most: f64) -> f64 {
        least * (most / least).powf(self.unit())
    }

    /// The wait for an event that comes once in `mean` on average, without memory.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }

    /// A number of the standard normal distribution (Box & Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// The place of one of several weights, each as likely as its share of their sum.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.unit() * weights.iter().sum::<f64>();
        let fits = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        // Rounding may leave a crumb after the last weight: it belongs to the last one that has a share.
        fits.or(weights.iter().rposition(|weight| *weight > 0.0)).unwrap_or_default()
    }
}

/// The finaliser of SplitMix64: every bit of the input moves every bit of the output.
const fn scramble(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 100_000;

    fn mean(draw: impl Fn(&mut Random) -> f64) -> f64 {
        let mut random = Random::stream(7, 0);
        (0..DRAWS).map(|_| draw(&mut random)).sum::<f64>() / DRAWS as f64
    }

    #[test]
    fn the_first_bits_are_those_of_splitmix64() {
        let mut random = Random { state: 1_234_567 };
        assert_eq!([random.bits(), random.bits()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn distributions_have_their_means() {
        assert!((mean(Random::unit) - 0.5).abs() < 0.01);
        assert!((mean(|random| random.exponential(3.0)) - 3.0).abs() < 0.05);
        assert!(mean(Random::normal).abs() < 0.02);
        assert!((mean(|random| random.normal().powi(2)) - 1.0).abs() < 0.03);
        assert!((mean(|random| random.log_uniform(0.01, 1.0).ln()) - 0.1_f64.ln()).abs() < 0.02);
        assert!((mean(|random| random.below(10) as f64) - 4.5).abs() < 0.05);
        assert!((mean(|random| random.weighted(&[1.0, 0.0, 3.0]) as f64) - 1.5).abs() < 0.02);
    }

    #[test]
    fn streams_differ_and_repeat() {
        let first = |seed, number| Random::stream(seed, number).bits();
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(1, 3));
        assert_ne!(first(1, 2), first(2, 1));
    }

    #[test]
    fn nothing_to_choose_from_is_no_panic() {
        let mut random = Random::stream(0, 0);
        assert_eq!((random.below(0), random.weighted(&[])), (0, 0));
    }
}
