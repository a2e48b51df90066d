//! Deflate for the short texts of our own that most records are.
//!
//! A library works out codes for every text it gets and clears tables that are made for large ones, which takes longer than
//! compressing half a kilobyte does. Requests, revisits and metadata look so much alike that one set of codes serves
//! all of them: what is left is to find what repeats.

use super::codes::{Code, HEAD, HEAD_BITS, OF_BYTES, OF_DISTANCES, OF_END, OF_LENGTHS};

/// The longest text: distances have codes up to this.
pub(super) const LONGEST_TEXT: usize = 2048;
/// The shortest match that is looked for.
const LEAST_MATCH: usize = 4;
const LONGEST_MATCH: usize = 258;
const TABLE_BITS: u32 = 10;

/// Appends `text` as a block; false, and nothing is appended, if it is too long or has bytes without a code.
pub(super) fn push_block(text: &[u8], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let pushed = text.len() <= LONGEST_TEXT && compress(text, out).is_some();
    if !pushed {
        out.truncate(start);
    }
    pushed
}

fn compress(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let mut bits = Bits::begin(out);
    // Where a text of four bytes with this hash was seen last, and one more: 0 is nowhere.
    let mut seen = [0_u16; 1 << TABLE_BITS];
    let mut at = 0;
    while at < text.len() {
        let length = match text[at..].first_chunk::<LEAST_MATCH>() {
            Some(next) => {
                let place = &mut seen[hash(*next)];
                let before = usize::from(std::mem::replace(place, at as u16 + 1));
                before.checked_sub(1).map_or(0, |before| bits.push_match(text, before, at))
            }
            None => 0,
        };
        if length == 0 {
            bits.push(Some(OF_BYTES[usize::from(text[at])]).filter(|code| code.length > 0)?);
        }
        at += length.max(1);
    }
    bits.push(OF_END);
    bits.end();
    Some(())
}

fn hash(bytes: [u8; LEAST_MATCH]) -> usize {
    (u32::from_le_bytes(bytes).wrapping_mul(0x9E37_79B1) >> (32 - TABLE_BITS)) as usize
}

/// Bits on their way to bytes.
struct Bits<'a> {
    out: &'a mut Vec<u8>,
    waiting: u64,
    count: u32,
}

impl Bits<'_> {
    fn begin(out: &mut Vec<u8>) -> Bits<'_> {
        let (whole, rest) = (HEAD_BITS / 8, HEAD_BITS as u32 % 8);
        out.extend_from_slice(&HEAD[..whole]);
        Bits { out, waiting: u64::from(HEAD[whole]), count: rest }
    }

    fn push(&mut self, code: Code) {
        self.waiting |= u64::from(code.bits) << self.count;
        self.count += code.length;
        if self.count >= 32 {
            self.out.extend_from_slice(&(self.waiting as u32).to_le_bytes());
            self.waiting >>= 32;
            self.count -= 32;
        }
    }

    /// Says that what is at `at` was at `before` too, and how much of it; 0 if it was not.
    fn push_match(&mut self, text: &[u8], before: usize, at: usize) -> usize {
        let most = LONGEST_MATCH.min(text.len() - at);
        let (old, new) = (&text[before..before + most], &text[at..at + most]);
        let length = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        if length < LEAST_MATCH {
            return 0;
        }
        self.push(OF_LENGTHS[length]);
        self.push(distance(at - before));
        length
    }

    fn end(self) {
        let bytes = self.count.div_ceil(8) as usize;
        self.out.extend_from_slice(&self.waiting.to_le_bytes()[..bytes]);
    }
}

/// The code of a distance: its class is told by its highest two bits, the further bits are the others.
fn distance(distance: usize) -> Code {
    let less = distance as u32 - 1;
    if less < 4 {
        return OF_DISTANCES[less as usize];
    }
    let further = less.ilog2() - 1;
    let code = OF_DISTANCES[(2 * further + (less >> further)) as usize];
    Code { bits: code.bits | (less & ((1 << further) - 1)) << code.length, length: code.length + further }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::*;

    fn unpacked(text: &[u8]) -> Option<Vec<u8>> {
        let (mut packed, mut unpacked) = (Vec::new(), Vec::new());
        if !push_block(text, &mut packed) {
            assert!(packed.is_empty());
            return None;
        }
        flate2::read::DeflateDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
        Some(unpacked)
    }

    #[test]
    fn every_length_and_distance_is_read_back() {
        let words: Vec<u8> = (0..LONGEST_TEXT).map(|at| b'!' + (at * at / 7 % 90) as u8).collect();
        for (length, distance) in
            (0..=270).flat_map(|length| [1, 4, 5, 99, 600, 1700].map(|distance| (length, distance)))
        {
            let text = [&words[..distance], &words[..length.min(distance)], b"~"].concat();
            assert_eq!(unpacked(&text), Some(text));
        }
        for length in 0..=300 {
            assert_eq!(unpacked(&vec![b'a'; length]), Some(vec![b'a'; length]));
        }
    }

    #[test]
    fn what_has_no_code_is_left_to_others() {
        assert_eq!(unpacked(b"t\xc3\xa4glich"), None);
        assert_eq!(unpacked(b"a\tb"), None);
        assert_eq!(unpacked(&[b'x'; LONGEST_TEXT + 1]), None);
        assert_eq!(unpacked(&[b'x'; LONGEST_TEXT]), Some(vec![b'x'; LONGEST_TEXT]));
    }

    proptest! {
        #[test]
        fn every_text_is_read_back(text in "([ -~\r\n]{0,40}|WARC-[A-Z]{1,9}: http://a[.]example/[a-z]{0,30}\r\n|(ab){0,200}){0,9}") {
            let text = text.into_bytes();
            prop_assert!(text.len() > LONGEST_TEXT || unpacked(&text) == Some(text));
        }
    }
}
