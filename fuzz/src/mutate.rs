//! A small mutator: what fuzzing tools do to an input, without their eyes. The same seed gives the same inputs.

/// The largest input made.
const MOST_BYTES: usize = 8 << 10;
/// Bytes that mean something to many parsers.
const ODD: &[u8] = b"\0\n\r\t \"'<>&;:,/\\{}[]()=%#?*$@!-_.0\x1f\x7f\x80\xc2\xe9\xff";

/// Makes inputs out of others.
pub(crate) struct Mutator {
    state: u64,
}

impl Mutator {
    pub(crate) fn new(seed: u64) -> Mutator {
        Mutator { state: seed }
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// An input like one of `seeds`, with pieces of the others and words of a dictionary in it.
    pub(crate) fn mutated(&mut self, seeds: &[Vec<u8>], words: &[Vec<u8>]) -> Vec<u8> {
        let mut input = self.pick(seeds).clone();
        for _ in 0..1 + self.below(6) {
            self.mutate(&mut input, seeds, words);
        }
        input.truncate(MOST_BYTES);
        input
    }

    fn mutate(&mut self, input: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[Vec<u8>]) {
        let at = self.below(input.len() + 1);
        let end = at + self.below((input.len() - at).min(64) + 1);
        match self.below(8) {
            0 if at < input.len() => input[at] ^= 1 << self.below(8),
            1 if at < input.len() => input[at] = *self.pick(ODD),
            2 => input.insert(at, *self.pick(ODD)),
            3 => drop(input.drain(at..end)),
            4 => {
                let piece = input[at..end].repeat(1 + self.below(40));
                input.splice(at..at, piece);
            }
            5 if !words.is_empty() => drop(input.splice(at..at, self.pick(words).clone())),
            6 => {
                let other = self.pick(seeds);
                let from = self.below(other.len() + 1);
                let until = from + self.below(other.len() - from + 1);
                input.splice(at..end, other[from..until].iter().copied());
            }
            7 => input.truncate(at),
            _ => input.push(*self.pick(ODD)),
        }
    }
}
