//! One gzip member for each record, so that a reader can start at any of them.
//!
//! The library and its level were chosen by measurement: `docs/decisions/0003-gzip.md`. What was compressed before (bodies
//! with a content coding, pictures, archives) is stored as it is: compressing it again takes as long as compressing a page
//! and gains nothing. Short texts, which most records are, are compressed here ([`short`]).

mod codes;
mod short;

use libdeflater::{CompressionLvl, Compressor};

/// Nearly as dense as the default of other tools, at a third of their time.
const LEVEL: i32 = 1;
/// Blocks that are stored, not compressed.
const STORED: i32 = 0;
/// Shorter records are always compressed: their header, which is text, is too large a part of them.
const LEAST_STORED: usize = 8 << 10;
/// Bytes that are looked at to tell noise from text.
const SAMPLE_BYTES: usize = 1024;
/// The head of a member whose time, name and system nobody tells, compressed fast.
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];

/// Compression state that is reused from record to record.
pub(crate) struct Gzip {
    compressing: Compressor,
    storing: Compressor,
}

impl Gzip {
    pub(crate) fn new() -> Gzip {
        let of = |level| Compressor::new(CompressionLvl::new(level).unwrap_or_default());
        Gzip { compressing: of(LEVEL), storing: of(STORED) }
    }

    /// Appends `record` to `out` as a member and returns the member's length.
    pub(crate) fn push_member(&mut self, record: &[u8], out: &mut Vec<u8>) -> usize {
        let start = out.len();
        if push_short(record, out) {
            return out.len() - start;
        }
        let compressor = if is_compressed(record) { &mut self.storing } else { &mut self.compressing };
        out.resize(start + compressor.gzip_compress_bound(record.len()), 0);
        let length = compressor.gzip_compress(record, &mut out[start..]).expect("the buffer has the bound's length");
        out.truncate(start + length);
        length
    }
}

/// Appends `record` as a member if it is a short text.
fn push_short(record: &[u8], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    out.extend_from_slice(&HEAD);
    if !short::push_block(record, out) {
        out.truncate(start);
        return false;
    }
    out.extend_from_slice(&libdeflater::crc32(record).to_le_bytes());
    out.extend_from_slice(&(record.len() as u32).to_le_bytes());
    true
}

/// Whether most of a record is as good as noise, judged by a sample from its middle and one from its end.
fn is_compressed(record: &[u8]) -> bool {
    let sample = |start: usize| &record[start..start + SAMPLE_BYTES];
    record.len() >= LEAST_STORED
        && is_noise(sample(record.len() / 2))
        && is_noise(sample(record.len() - 2 * SAMPLE_BYTES))
}

/// Whether bytes are spread over all values: as many pairs of equal ones as chance makes, and at most half as many again. Text
/// has ten times as many, and what has half as many more still shrinks by less than a tenth.
fn is_noise(sample: &[u8]) -> bool {
    let mut counts = [0_usize; 256];
    sample.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let pairs: usize = counts.iter().map(|count| count * count.saturating_sub(1)).sum();
    let by_chance = sample.len() * sample.len() / 256;
    pairs <= by_chance + by_chance / 2
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// The member of a record with this body, which must unpack to the record.
    fn member(body: &[u8]) -> usize {
        let record = [b"WARC/1.1\r\nWARC-Type: response\r\n\r\n", body].concat();
        let (mut out, mut unpacked) = (Vec::new(), Vec::new());
        let length = Gzip::new().push_member(&record, &mut out);
        flate2::read::GzDecoder::new(&out[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!((unpacked, out.len()), (record, length));
        length
    }

    /// Text that compresses about as well as pages do: words in no order.
    fn text(bytes: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let words = std::iter::repeat_with(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            format!("<p>word-{} ", state >> 52)
        });
        words.flat_map(String::into_bytes).take(bytes).collect()
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut packed = Vec::new();
        Gzip::new().push_member(bytes, &mut packed);
        packed
    }

    #[test]
    fn what_was_compressed_is_stored_and_what_was_not_is_compressed() {
        let page = text(100_000);
        assert!(member(&page) < page.len() / 2);
        let coded = packed(&page);
        assert!(coded.len() > LEAST_STORED, "{}", coded.len());
        assert!((coded.len()..coded.len() + 80).contains(&member(&coded)), "{} {}", coded.len(), member(&coded));
        assert!(is_compressed(&coded) && !is_compressed(&page));
    }

    #[test]
    fn a_stored_piece_of_a_page_is_compressed() {
        let mixed = [text(20_000), packed(&text(40_000))].concat();
        assert!(!is_compressed(&[&mixed[..], &text(30_000)].concat()), "it ends in text");
        assert!(!is_compressed(&packed(&text(1_000))), "it is short");
        assert!(!is_compressed(&data_encoding::BASE64.encode(&packed(&text(100_000))).into_bytes()));
        assert!(!is_compressed(b"") && member(b"") < 100);
    }
}
