//! A page's links as the store keeps them: page numbers in rising order, each as the difference to the one before it, in
//! groups of seven bits. Two bytes a link are usual, since pages that link to each other were found together.

use revisit::PageId;

/// Links as bytes.
pub(super) fn pack(targets: &[PageId]) -> Vec<u8> {
    let mut sorted: Vec<u32> = targets.iter().map(|page| page.0).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let (mut bytes, mut last) = (Vec::with_capacity(sorted.len() * 2), 0);
    for target in sorted {
        let mut rest = target - last;
        last = target;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes
}

/// The links in bytes; what is damaged ends them.
pub(super) fn unpack(bytes: &[u8]) -> impl Iterator<Item = PageId> + '_ {
    let (mut bytes, mut last) = (bytes.iter(), 0_u32);
    std::iter::from_fn(move || {
        let (mut difference, mut shift) = (0_u32, 0);
        loop {
            let byte = *bytes.next()?;
            difference |= u32::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        last = last.checked_add(difference)?;
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
    }
}
