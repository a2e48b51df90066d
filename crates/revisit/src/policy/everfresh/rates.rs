//! The change rates a page may have, in changes a cycle: one that means never, and others from one change in 2,000 cycles to
//! four in one, each half as much again as the one before.
//!
//! A grid instead of a formula: any prior fits it, visits of any length are one product, and every objective is one sum.

/// How many rates there are.
pub(super) const RATES: usize = 24;

/// How much higher each rate is than the one before.
const RATIO: f32 = 1.5;

/// ln 1.5: how far apart the logarithms of rates are.
pub(super) const STEP: f32 = 0.405_465_1;

/// The rates; the first stands for a page that never changes.
pub(super) const GRID: [f32; RATES] = grid();

const fn grid() -> [f32; RATES] {
    let mut rates = [1e-6; RATES];
    let (mut place, mut rate) = (1, 0.000_5);
    while place < RATES {
        rates[place] = rate;
        rate *= RATIO;
        place += 1;
    }
    rates
}

/// e^(−x) for x ≥ 0, right to about 4 in a million; 0 from 80 on.
///
/// Made of whole-number arithmetic and one short polynomial, so that the compiler computes several at once: a score takes
/// two of these for each rate.
pub(super) fn decay(x: f32) -> f32 {
    let power = x.clamp(0.0, 87.0) * -std::f32::consts::LOG2_E;
    let whole = (power - 0.5) as i32;
    let rest = (power - whole as f32) * std::f32::consts::LN_2;
    let fraction = 1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest * (1.0 / 120.0)))));
    f32::from_bits(((whole + 127) << 23) as u32) * fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rates_reach_from_rare_to_several_a_cycle() {
        assert!(GRID.is_sorted() && GRID[1] == 0.000_5 && (3.0..5.0).contains(&GRID[RATES - 1]));
        assert!((RATIO.ln() - STEP).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn decay_is_the_exponential(x in 0.0_f32..80.0) {
            let exact = (-f64::from(x)).exp();
            prop_assert!((f64::from(decay(x)) / exact - 1.0).abs() < 1e-5, "{x}");
        }
    }

    #[test]
    fn decay_holds_at_the_edges() {
        assert_eq!(decay(0.0), 1.0);
        assert!(decay(1e9) < 1e-30 && decay(1e9) >= 0.0);
        assert!((decay(1e-6) - 1.0).abs() < 2e-6);
    }
}
