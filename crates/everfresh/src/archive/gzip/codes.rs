//! The codes that short texts are written with, worked out beforehand.
//!
//! They are Huffman codes for headers of records as LZ77 leaves them: requests, revisits and metadata of addresses of many
//! kinds. Neighbours have codes of one length wherever that costs less than saying in the block's head that they do not.
//! Bytes that are not printable ASCII or a line end have none.

/// A code, lowest bit first as it is written, with further bits behind it where it stands for a length.
#[derive(Clone, Copy)]
pub(super) struct Code {
    pub(super) bits: u32,
    pub(super) length: u32,
}

const NONE: Code = Code { bits: 0, length: 0 };
/// The symbol behind the last one of a block.
const END: usize = 256;
/// The symbol of the shortest match.
const FIRST_LENGTH: usize = 257;
const SHORTEST: usize = 3;
const LONGEST: usize = 258;

/// The head of a block that is the last one and says the lengths of all codes below; the last byte holds three of its bits.
pub(super) const HEAD: [u8; 48] = [
    237, 117, 213, 150, 228, 72, 150, 237, 187, 214, 210, 63, 88, 87, 115, 119, 152, 24, 173, 42, 33, 152, 156, 217,
    125, 208, 80, 82, 135, 40, 13, 130, 238, 204, 124, 123, 94, 15, 30, 102, 30, 241, 225, 179, 247, 246, 204, 0,
];
pub(super) const HEAD_BITS: usize = 379;

/// How long the code of each byte of ASCII is, a hexadecimal digit each; 0 if it has none.
const BYTES: &[u8; 128] = b"\
    00000000006006000000000000000000\
    5babbbbbbbbb856666666666665aa999\
    988888888888777777777777777ccccc\
    c555555666b8666669555588888dccc0";
/// Those of the end of a block and of the classes of lengths.
const LENGTHS: &[u8; 30] = b"9d78888888cccccccccccccccccccc";
/// Those of the classes of distances, up to 2,048.
const DISTANCES: &[u8; 22] = b"6666666444444443337998";

/// Codes of bytes.
pub(super) static OF_BYTES: [Code; 256] = of_bytes();
/// Codes of matches of so many bytes.
pub(super) static OF_LENGTHS: [Code; LONGEST + 1] = of_lengths();
/// Codes of classes of distances.
pub(super) static OF_DISTANCES: [Code; 22] = canonical(lengths(DISTANCES));
/// The code of the end.
pub(super) static OF_END: Code = SYMBOLS[END];

const SYMBOLS: [Code; 286] = canonical(symbols());

/// The lengths of the codes of all symbols for bytes, the end and lengths.
const fn symbols() -> [u32; 286] {
    let (bytes, rest) = (lengths(BYTES), lengths(LENGTHS));
    let mut all = [0; 286];
    let mut symbol = 0;
    while symbol < all.len() {
        all[symbol] = match symbol {
            0..128 => bytes[symbol],
            128..END => 0,
            _ => rest[symbol - END],
        };
        symbol += 1;
    }
    all
}

/// The values of hexadecimal digits.
const fn lengths<const N: usize>(digits: &[u8; N]) -> [u32; N] {
    let mut lengths = [0; N];
    let mut at = 0;
    while at < N {
        let digit = digits[at];
        lengths[at] = if digit.is_ascii_digit() { digit - b'0' } else { digit - b'a' + 10 } as u32;
        at += 1;
    }
    lengths
}

/// The codes that deflate makes of their lengths (RFC 1951, 3.2.2).
const fn canonical<const N: usize>(lengths: [u32; N]) -> [Code; N] {
    let mut codes = [NONE; N];
    let (mut next, mut length) = (0_u32, 1);
    while length < 16 {
        let mut symbol = 0;
        while symbol < N {
            if lengths[symbol] == length {
                codes[symbol] = Code { bits: next.reverse_bits() >> (32 - length), length };
                next += 1;
            }
            symbol += 1;
        }
        next <<= 1;
        length += 1;
    }
    codes
}

const fn of_bytes() -> [Code; 256] {
    let mut codes = [NONE; 256];
    let mut byte = 0;
    while byte < 256 {
        codes[byte] = SYMBOLS[byte];
        byte += 1;
    }
    codes
}

/// Each class of lengths twice as wide as the one four classes before it, from the ninth on; the longest is a class of its own.
const fn of_lengths() -> [Code; LONGEST + 1] {
    let mut codes = [NONE; LONGEST + 1];
    let (mut length, mut class) = (SHORTEST, 0);
    while length < LONGEST {
        let further = if class < 8 { 0 } else { class as u32 / 4 - 1 };
        let code = SYMBOLS[FIRST_LENGTH + class];
        let mut within = 0;
        while within < 1 << further && length < LONGEST {
            codes[length] = Code { bits: code.bits | within << code.length, length: code.length + further };
            within += 1;
            length += 1;
        }
        class += 1;
    }
    codes[LONGEST] = SYMBOLS[FIRST_LENGTH + 28];
    codes
}
