//! Numbers in groups of seven bits, and lists of page numbers as the differences from one to the next. Two bytes a page are
//! usual, since pages that belong together were found together.

use revisit::PageId;

/// Appends a number.
pub(super) fn push(bytes: &mut Vec<u8>, number: u64) {
    let mut rest = number;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// Appends a number that may be negative; small ones of either sign are short.
pub(super) fn push_signed(bytes: &mut Vec<u8>, number: i64) {
    push(bytes, (number << 1 ^ number >> 63) as u64);
}

/// Takes a number off the front; `None` if there is none.
pub(super) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0_u64, 0_u32);
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let group = u64::from(byte & 0x7f);
        // What does not fit is no number of ours.
        if shift > 63 || (shift == 63 && group > 1) {
            return None;
        }
        number |= group << shift;
        shift += 7;
        if *byte < 0x80 {
            return Some(number);
        }
    }
}

/// Takes a number that may be negative off the front.
pub(super) fn take_signed(bytes: &mut &[u8]) -> Option<i64> {
    take(bytes).map(|number| (number >> 1) as i64 ^ -((number & 1) as i64))
}

/// Pages as bytes, in rising order and each once.
pub(super) fn pack(pages: &[PageId]) -> Vec<u8> {
    let mut sorted: Vec<u32> = pages.iter().map(|page| page.0).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let (mut bytes, mut last) = (Vec::with_capacity(sorted.len() * 2), 0);
    for page in sorted {
        push(&mut bytes, u64::from(page - last));
        last = page;
    }
    bytes
}

/// The pages in bytes; what is damaged ends them.
pub(super) fn unpack(bytes: &[u8]) -> impl Iterator<Item = PageId> + '_ {
    let (mut bytes, mut last) = (bytes, 0_u32);
    std::iter::from_fn(move || {
        last = last.checked_add(u32::try_from(take(&mut bytes)?).ok()?)?;
        Some(PageId(last))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(mut targets in prop::collection::vec(any::<u32>(), 0..50)) {
            let packed = pack(&targets.iter().copied().map(PageId).collect::<Vec<_>>());
            targets.sort_unstable();
            targets.dedup();
            prop_assert_eq!(unpack(&packed).map(|page| page.0).collect::<Vec<_>>(), targets);
        }

        #[test]
        fn damaged_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..50)) {
            prop_assert!(unpack(&bytes).count() <= bytes.len());
        }

        #[test]
        fn numbers_of_either_sign_come_back(number in any::<i64>()) {
            let mut bytes = Vec::new();
            push_signed(&mut bytes, number);
            push(&mut bytes, number as u64);
            let mut rest = bytes.as_slice();
            prop_assert_eq!((take_signed(&mut rest), take(&mut rest)), (Some(number), Some(number as u64)));
            prop_assert_eq!(take(&mut rest), None);
        }
    }
}
