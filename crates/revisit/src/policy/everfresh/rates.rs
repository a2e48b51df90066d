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

/// Added to this, a small number is rounded to a whole one, which then stands in the lowest bits.
const ROUNDED: f32 = 12_582_912.0;

/// e^(−x) for x ≥ 0, right to about 4 in a million; next to 0 from 80 on.
///
/// Made of additions, products and one shift, so that the compiler computes several at once: a score takes two of these for
/// each rate. A cast to a whole number would look at each for itself.
#[inline]
pub(super) fn decay(x: f32) -> f32 {
    let power = x.clamp(0.0, 87.0) * -std::f32::consts::LOG2_E;
    let whole = power + ROUNDED;
    let rest = (power - (whole - ROUNDED)) * std::f32::consts::LN_2;
    let fraction = 1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest * (1.0 / 120.0)))));
    // The whole powers of two are added to the exponent.
    f32::from_bits(fraction.to_bits().wrapping_add(whole.to_bits() << 23))
}

/// The mean over rates of something that depends on the rate.
#[inline]
pub(super) fn mean(chances: &[f32; RATES], value: impl Fn(f32) -> f32) -> f32 {
    mean_with(chances, &GRID, |rate, _| value(rate))
}

/// The chance of no change after so much exposure, for each rate.
#[inline]
pub(super) fn unchanged(exposure: f32) -> [f32; RATES] {
    let mut chances = GRID;
    chances.iter_mut().for_each(|rate| *rate = decay(*rate * exposure));
    chances
}

/// The mean over rates of something that depends on the rate and on another number for each.
#[inline]
pub(super) fn mean_with(chances: &[f32; RATES], numbers: &[f32; RATES], value: impl Fn(f32, f32) -> f32) -> f32 {
    let mut parts = *chances;
    for ((part, number), rate) in parts.iter_mut().zip(numbers).zip(GRID) {
        *part *= value(rate, *number);
    }
    sum(&parts)
}

/// The sum.
#[inline]
pub(super) fn sum(parts: &[f32; RATES]) -> f32 {
    joined(parts, |one, other| one + other)
}

/// The largest.
#[inline]
pub(super) fn largest(parts: &[f32; RATES]) -> f32 {
    joined(parts, |one, other| if one > other { one } else { other })
}

/// All of them joined, first in eight columns: they do not wait for one another.
#[inline]
fn joined(parts: &[f32; RATES], join: impl Fn(f32, f32) -> f32) -> f32 {
    let (rows, _) = parts.as_chunks::<8>();
    let mut columns = rows[0];
    for row in &rows[1..] {
        columns.iter_mut().zip(row).for_each(|(column, part)| *column = join(*column, *part));
    }
    columns.into_iter().reduce(join).unwrap_or_default()
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
