//! Removes content codings (gzip, deflate, br, zstd) from a body, never producing more than a cap.
//!
//! A coding nobody knows is taken for none. RFC 9110 has no rule for recipients of one they did not ask for, browsers show the
//! body as it came, and what servers write there is a charset (`utf-8`) or `none` far more often than a coding.

use std::io::{self, Read};

use bytes::Bytes;
use flate2::{Decompress, FlushDecompress, Status};

/// Servers apply one coding, a careless proxy a second; more is an attack.
const MAX_CODINGS: usize = 2;
/// The largest zstd window a decoder for the Web must accept (RFC 9659): 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;
const DEFLATE_WINDOW_BITS: u8 = 15;
const BROTLI_BUFFER_BYTES: usize = 4 * 1024;
/// Every member of gzip and every frame of zstd costs a new decoder, and an empty one only some bytes of body.
const MAX_MEMBERS: usize = 1024;
/// What is set aside before the first decoded byte.
const MAX_FIRST_GUESS: usize = 256 * 1024;

/// Why a body cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub(super) enum DecodeError {
    /// The output would pass the cap; this is its beginning, as far as it is known.
    #[error("it is larger than allowed")]
    TooLarge(Bytes),
    /// Coded more often than any server does it.
    #[error("it has more than {MAX_CODINGS} codings")]
    TooManyCodings,
    /// The bytes are not what the coding says.
    #[error("{0}")]
    Corrupt(#[from] io::Error),
}

/// Decodes `body` from the codings listed in `codings`, the value of its Content-Encoding; at most `max` bytes come out.
/// Without a coding, the result shares the memory of `body`.
pub(super) fn decode(body: &Bytes, codings: &str, max: usize) -> Result<Bytes, DecodeError> {
    let codings: Vec<Coding> = codings.rsplit(',').filter_map(Coding::named).collect();
    if codings.len() > MAX_CODINGS {
        return Err(DecodeError::TooManyCodings);
    }
    let mut decoded = body.clone();
    for (place, &coding) in codings.iter().enumerate() {
        // An empty body has no coding whatever its head says: 204, and servers that label everything.
        if !decoded.is_empty() {
            let is_last = place + 1 == codings.len();
            decoded = decode_one(&decoded, coding, max).map(Bytes::from).map_err(|error| match error {
                // Half of what is coded twice is no beginning of anything.
                DecodeError::TooLarge(_) if !is_last => DecodeError::TooLarge(Bytes::new()),
                error => error,
            })?;
        }
    }
    if decoded.len() > max { Err(DecodeError::TooLarge(decoded.slice(..max))) } else { Ok(decoded) }
}

/// Whether there is a coding to remove among these.
pub(super) fn is_coded(codings: &str) -> bool {
    codings.split(',').any(|name| Coding::named(name).is_some())
}

/// What can be removed.
#[derive(Clone, Copy)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// The coding of this name; `None` for `identity` and what nobody knows.
    fn named(name: &str) -> Option<Coding> {
        match name.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Coding::Gzip),
            "deflate" => Some(Coding::Deflate),
            "br" => Some(Coding::Brotli),
            "zstd" => Some(Coding::Zstd),
            _ => None,
        }
    }
}

fn decode_one(body: &[u8], coding: Coding, max: usize) -> Result<Vec<u8>, DecodeError> {
    match coding {
        Coding::Gzip => gunzip(body, max),
        Coding::Deflate => {
            let mut decoded = Vec::new();
            inflate(&mut Decompress::new(is_zlib(body)), body, &mut decoded, max)?;
            Ok(decoded)
        }
        Coding::Brotli => {
            let mut decoded = Vec::new();
            read_capped(brotli::Decompressor::new(body, BROTLI_BUFFER_BYTES), body.len(), &mut decoded, max)?;
            Ok(decoded)
        }
        Coding::Zstd => unzstd(body, max),
    }
}

/// "deflate" means a zlib stream, but some servers send the bare one: RFC 1950 has a check in the first two bytes.
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [first, second, ..] if first & 0x0f == 8 && u16::from_be_bytes([*first, *second]).is_multiple_of(31))
}

/// A gzip body may have several members; bytes after them that are no member are ignored, as browsers do.
fn gunzip(mut body: &[u8], max: usize) -> Result<Vec<u8>, DecodeError> {
    let mut decoded = Vec::new();
    for _ in 0..MAX_MEMBERS {
        let mut member = Decompress::new_gzip(DEFLATE_WINDOW_BITS);
        let used = inflate(&mut member, body, &mut decoded, max)?;
        body = &body[used..];
        if !body.starts_with(&[0x1f, 0x8b]) {
            return Ok(decoded);
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "it has too many gzip members").into())
}

/// A zstd body may have several frames, and some to be skipped; bytes after them that are no frame are ignored, as those of
/// the other codings are.
fn unzstd(mut body: &[u8], max: usize) -> Result<Vec<u8>, DecodeError> {
    let mut decoded = Vec::new();
    for _ in 0..MAX_MEMBERS {
        let mut frame = zstd::stream::read::Decoder::with_buffer(body)?.single_frame();
        frame.window_log_max(ZSTD_WINDOW_LOG)?;
        read_capped(&mut frame, body.len(), &mut decoded, max)?;
        body = frame.finish();
        if !matches!(body, [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]) {
            return Ok(decoded);
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "it has too many zstd frames").into())
}

/// Inflates one stream onto the end of `decoded`; returns how many bytes of `body` it took.
fn inflate(stream: &mut Decompress, body: &[u8], decoded: &mut Vec<u8>, max: usize) -> Result<usize, DecodeError> {
    loop {
        if decoded.len() > max {
            return Err(too_large(std::mem::take(decoded), max));
        }
        if decoded.len() == decoded.capacity() {
            // Text is about a quarter of its size when coded; from there on the vector doubles, but has never room for
            // more than one byte over the cap, which tells "as large as allowed" from "larger".
            let guess = body.len().saturating_mul(4).clamp(1024, MAX_FIRST_GUESS);
            decoded.reserve_exact(guess.max(decoded.len()).min(max.saturating_add(1) - decoded.len()));
        }
        let used = used_bytes(stream, body);
        let before = decoded.len();
        let status = stream
            .decompress_vec(&body[used..], decoded, FlushDecompress::None)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let now_used = used_bytes(stream, body);
        match status {
            Status::StreamEnd if decoded.len() > max => return Err(too_large(std::mem::take(decoded), max)),
            Status::StreamEnd => return Ok(now_used),
            _ if now_used == used && decoded.len() == before => return Err(truncated()),
            _ => {}
        }
    }
}

fn used_bytes(stream: &Decompress, body: &[u8]) -> usize {
    usize::try_from(stream.total_in()).map_or(body.len(), |used| used.min(body.len()))
}

fn truncated() -> DecodeError {
    DecodeError::Corrupt(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends too early"))
}

/// Reads all there is onto the end of `decoded`.
fn read_capped(reader: impl Read, coded_bytes: usize, decoded: &mut Vec<u8>, max: usize) -> Result<(), DecodeError> {
    let room = max.saturating_sub(decoded.len());
    decoded.reserve(coded_bytes.saturating_mul(4).min(MAX_FIRST_GUESS).min(room));
    // One byte over the cap tells "as large as allowed" from "larger".
    reader.take((room as u64).saturating_add(1)).read_to_end(decoded)?;
    if decoded.len() > max { Err(too_large(std::mem::take(decoded), max)) } else { Ok(()) }
}

fn too_large(mut decoded: Vec<u8>, max: usize) -> DecodeError {
    decoded.truncate(max);
    DecodeError::TooLarge(decoded.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    fn encode(coding: &str, text: &[u8]) -> Bytes {
        let level = Compression::default();
        let encoded = match coding {
            "gzip" => written(GzEncoder::new(Vec::new(), level), text, |encoder| encoder.finish().unwrap()),
            "zlib" => written(ZlibEncoder::new(Vec::new(), level), text, |encoder| encoder.finish().unwrap()),
            "raw" => written(DeflateEncoder::new(Vec::new(), level), text, |encoder| encoder.finish().unwrap()),
            "br" => {
                let mut encoded = Vec::new();
                brotli::CompressorWriter::new(&mut encoded, 4096, 5, 22).write_all(text).unwrap();
                encoded
            }
            "zstd" => zstd::encode_all(text, 3).unwrap(),
            other => panic!("no encoder for {other}"),
        };
        Bytes::from(encoded)
    }

    fn written<W: Write>(mut encoder: W, text: &[u8], finish: impl FnOnce(W) -> Vec<u8>) -> Vec<u8> {
        encoder.write_all(text).unwrap();
        finish(encoder)
    }

    const CODINGS: [(&str, &str); 5] =
        [("gzip", "gzip"), ("zlib", "deflate"), ("raw", "deflate"), ("br", "br"), ("zstd", "zstd")];

    #[test]
    fn a_body_without_coding_is_not_copied() {
        let body = Bytes::from_static(b"plain");
        for codings in ["", "identity", " , identity", "utf-8", "none, compress, x-unknown"] {
            assert_eq!(decode(&body, codings, 5).unwrap().as_ptr(), body.as_ptr());
        }
        assert!(matches!(decode(&body, "", 4), Err(DecodeError::TooLarge(_))));
    }

    #[test]
    fn decodes_every_coding_and_a_stack_of_two() {
        for (encoder, coding) in CODINGS {
            assert_eq!(decode(&encode(encoder, b"hello hello"), coding, 11).unwrap(), "hello hello", "{encoder}");
        }
        let stacked = encode("gzip", &encode("br", b"twice"));
        assert_eq!(decode(&stacked, "br, X-GZip", 100).unwrap(), "twice");
        let thrice = encode("gzip", &stacked);
        assert!(matches!(decode(&thrice, "br, gzip, gzip", 100), Err(DecodeError::TooManyCodings)));
    }

    #[test]
    fn codings_nobody_knows_are_none() {
        assert_eq!(decode(&encode("gzip", b"text"), "utf-8, gzip, none", 100).unwrap(), "text");
    }

    #[test]
    fn bombs_stop_at_the_cap() {
        let zeros = vec![0; 32 << 20];
        for (encoder, coding) in CODINGS {
            let bomb = encode(encoder, &zeros);
            assert!(matches!(decode(&bomb, coding, 1 << 20), Err(DecodeError::TooLarge(_))), "{encoder}");
        }
    }

    #[test]
    fn the_cap_is_exact() {
        for (encoder, coding) in CODINGS {
            let body = encode(encoder, &[7; 5000]);
            assert_eq!(decode(&body, coding, 5000).unwrap().len(), 5000, "{encoder}");
            assert!(matches!(decode(&body, coding, 4999), Err(DecodeError::TooLarge(_))), "{encoder}");
        }
    }

    #[test]
    fn a_cut_body_is_corrupt() {
        let text: Vec<u8> = (0..9000u32).map(|n| (n * n % 251) as u8).collect();
        for (encoder, coding) in CODINGS {
            let whole = encode(encoder, &text);
            let cut = whole.slice(..whole.len() - 10);
            assert!(matches!(decode(&cut, coding, 1 << 20), Err(DecodeError::Corrupt(_))), "{encoder}");
        }
    }

    #[test]
    fn gzip_members_join_and_trailing_junk_is_ignored() {
        let joined = [&encode("gzip", b"one ")[..], &encode("gzip", b"two")[..], b"\0\0junk"].concat();
        assert_eq!(decode(&Bytes::from(joined), "gzip", 100).unwrap(), "one two");
    }

    #[test]
    fn zstd_frames_join_and_trailing_junk_is_ignored() {
        let skipped = b"\x50\x2a\x4d\x18\x04\0\0\0abcd".as_slice();
        let joined = [skipped, &encode("zstd", b"one "), skipped, &encode("zstd", b"two"), b"\0\0junk"].concat();
        assert_eq!(decode(&Bytes::from(joined.clone()), "zstd", 100).unwrap(), "one two");
        assert!(matches!(decode(&Bytes::from(joined), "zstd", 6), Err(DecodeError::TooLarge(all)) if all == "one tw"));
        let endless = encode("zstd", b"").repeat(2000);
        assert!(matches!(decode(&Bytes::from(endless), "zstd", 100), Err(DecodeError::Corrupt(_))));
        assert!(matches!(decode(&Bytes::from_static(b"junk"), "zstd", 100), Err(DecodeError::Corrupt(_))));
    }

    #[test]
    fn every_coding_ignores_what_is_behind_it() {
        for (encoder, coding) in CODINGS {
            let body = [&encode(encoder, b"some text")[..], b"\r\njunk"].concat();
            assert_eq!(decode(&Bytes::from(body), coding, 100).unwrap(), "some text", "{encoder}");
        }
    }

    #[test]
    fn an_empty_body_needs_no_decoder() {
        assert_eq!(decode(&Bytes::new(), "gzip", 100).unwrap(), "");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_or_pass_the_cap(body in prop::collection::vec(any::<u8>(), 0..400), pick in 0usize..5) {
            if let Ok(decoded) = decode(&Bytes::from(body), CODINGS[pick].1, 1000) {
                prop_assert!(decoded.len() <= 1000);
            }
        }

        #[test]
        fn what_was_encoded_comes_back(text in prop::collection::vec(any::<u8>(), 1..4000), pick in 0usize..5) {
            let body = encode(CODINGS[pick].0, &text);
            prop_assert_eq!(decode(&body, CODINGS[pick].1, text.len()).unwrap(), text);
        }
    }
}
