//! Chance that a replay repeats: numbers drawn for a seed, a page and a time by a hash of the three.

use crate::{PageId, Time};

/// A number from 0 to below 1 drawn for a seed, a page and a time.
pub(crate) fn draw(seed: u64, page: PageId, at: Time) -> f64 {
    // Multiplied, neighbouring seeds and times differ in high bits, where no page has any.
    let moment = seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(at.millis() as u64);
    let drawn = mix(moment.wrapping_mul(0xaf25_1af3_b0f0_25b5) ^ u64::from(page.0));
    (drawn >> 11) as f64 / (1_u64 << 53) as f64
}

/// The finaliser of SplitMix64: every bit of the input moves every bit of the output.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}
