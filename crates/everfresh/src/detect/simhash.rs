//! SimHash (Charikar 2002): 64 bits such that texts which share most of their word triples differ in few bits.
//!
//! Every triple of neighbouring words is hashed; bit i of the result is what the majority of the hashes have there. The votes
//! are counted in "vertical" counters: plane k holds bit k of all 64 counters, so adding a hash is a few word operations
//! instead of 64 additions. Values are stored with every page, so the hash of a word must never change.

/// Words hashed together; single words would not see a changed order.
const SHINGLE: usize = 3;
/// Longer words without spaces (Chinese, Japanese, Thai) are split into characters, or they would hide small edits.
const LONG_WORD_BYTES: usize = 32;
/// Counters of 32 bits: enough for every text that fits a fetch.
const PLANES: usize = 32;
/// Nearly every vote reaches this many planes and few reach more: only beyond is it worth asking whether to go on.
const BUSY_PLANES: usize = 8;

/// The SimHash of a text; 0 for an empty one.
pub fn simhash(text: &str) -> u64 {
    let mut votes = Votes::default();
    let mut shingle = [0; SHINGLE];
    let mut words = 0;
    for_each_word(text, |word| {
        shingle.rotate_left(1);
        shingle[SHINGLE - 1] = hash_word(word);
        words += 1;
        if words >= SHINGLE {
            votes.add(hash_shingle(shingle));
        }
    });
    if (1..SHINGLE).contains(&words) {
        votes.add(hash_shingle(shingle));
    }
    votes.majority()
}

/// In how many bits two values differ: 0 for texts that are alike, about 32 for unrelated ones.
pub fn distance(one: u64, other: u64) -> u32 {
    (one ^ other).count_ones()
}

#[derive(Default)]
struct Votes {
    planes: [u64; PLANES],
    count: u32,
}

impl Votes {
    fn add(&mut self, hash: u64) {
        let (busy, quiet) = self.planes.split_at_mut(BUSY_PLANES);
        let mut carry = busy.iter_mut().fold(hash, |carry, plane| add_bits(plane, carry));
        for plane in quiet {
            if carry == 0 {
                break;
            }
            carry = add_bits(plane, carry);
        }
        self.count = self.count.saturating_add(1);
    }

    /// Bits that more than half of the votes have: all counters are compared with that number at once, highest bits first.
    fn majority(&self) -> u64 {
        let half = self.count / 2;
        let (mut more, mut equal) = (0, u64::MAX);
        for (k, plane) in self.planes.iter().enumerate().rev() {
            let half = if (half >> k) & 1 == 1 { u64::MAX } else { 0 };
            more |= equal & plane & !half;
            equal &= !(plane ^ half);
        }
        more
    }
}

/// Adds a bit to each bit of a plane and returns those that are carried to the next.
fn add_bits(plane: &mut u64, bits: u64) -> u64 {
    let carry = *plane & bits;
    *plane ^= bits;
    carry
}

fn for_each_word(text: &str, mut tell: impl FnMut(&[u8])) {
    for word in text.as_bytes().split(|byte| *byte == b' ').filter(|word| !word.is_empty()) {
        if word.len() > LONG_WORD_BYTES && !word.is_ascii() {
            word.chunk_by(|_, next| next & 0xc0 == 0x80).for_each(&mut tell);
        } else {
            tell(word);
        }
    }
}

fn hash_word(word: &[u8]) -> u64 {
    let (chunks, rest) = word.as_chunks::<8>();
    let tail = rest.iter().rev().fold(0, |tail, byte| tail << 8 | u64::from(*byte));
    let hash = chunks.iter().fold(word.len() as u64, |hash, chunk| mix(hash ^ u64::from_le_bytes(*chunk)));
    mix(hash ^ tail)
}

/// The words are mixed already; rotation keeps their order apart.
fn hash_shingle([first, second, third]: [u64; SHINGLE]) -> u64 {
    mix(first.rotate_left(42) ^ second.rotate_left(21) ^ third)
}

/// The finalizer of SplitMix64: every input bit reaches every output bit.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(seed: u64, count: u64) -> Vec<String> {
        (0..count).map(|index| format!("{:x}", mix(seed ^ mix(index)) % 5000)).collect()
    }

    #[test]
    fn near_texts_are_near_and_others_are_far() {
        let text = words(1, 400);
        let mut edited = text.clone();
        edited[200] = "edited".into();
        let (one, near, far) =
            (simhash(&text.join(" ")), simhash(&edited.join(" ")), simhash(&words(2, 400).join(" ")));
        assert!(distance(one, near) <= 6, "{}", distance(one, near));
        assert!(distance(one, far) >= 16, "{}", distance(one, far));
    }

    #[test]
    fn text_without_spaces_is_not_one_word() {
        let text: String = (0..300_u32).filter_map(|n| char::from_u32(0x4e00 + (n * 7919) % 5000)).collect();
        let edited = text.replacen(&text[300..303], "新", 1);
        assert_ne!(text, edited);
        assert!(distance(simhash(&text), simhash(&edited)) <= 8);
    }

    #[test]
    fn values_are_stable() {
        assert_eq!(simhash(""), 0);
        assert_eq!(simhash("one two three"), 531_018_530_409_539_186, "stored values depend on this");
    }

    proptest! {
        #[test]
        fn counters_agree_with_plain_counting(hashes in proptest::collection::vec(any::<u64>(), 1..600)) {
            let mut votes = Votes::default();
            hashes.iter().for_each(|hash| votes.add(*hash));
            for bit in 0..64 {
                let ones = hashes.iter().filter(|hash| **hash >> bit & 1 == 1).count();
                prop_assert_eq!(votes.majority() >> bit & 1 == 1, ones > hashes.len() / 2);
            }
        }

        #[test]
        fn one_edited_word_in_a_long_text_is_near(seed in any::<u64>(), at in 0usize..300) {
            let mut text = words(seed, 300);
            let one = simhash(&text.join(" "));
            text[at] = "edited".into();
            prop_assert!(distance(one, simhash(&text.join(" "))) <= 12);
        }

        #[test]
        fn any_text_has_a_value(text in "\\PC{0,200}") {
            prop_assert_eq!(simhash(&text), simhash(&text));
        }
    }
}
