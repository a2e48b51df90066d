//! Plain text by its lines: white space at their ends, and empty lines at the end, do not count.

use std::borrow::Cow;

use super::align;
use super::budget::Budget;
use super::delta::{Delta, short};
use super::{Body, Content, Unreadable};

/// The lines of a text: a hash of each, and where it begins.
pub(super) struct Lines<'a> {
    body: Cow<'a, [u8]>,
    hashes: Vec<u64>,
    places: Vec<u32>,
}

/// Reads a text.
pub(super) fn read<'a>(body: Cow<'a, [u8]>, budget: &mut Budget) -> Result<Content<'a>, Unreadable> {
    let (mut hashes, mut places, mut place) = (Vec::new(), Vec::new(), 0);
    for line in body.trim_ascii_end().split_inclusive(|byte| *byte == b'\n') {
        budget.statement()?;
        hashes.push(hash(line.trim_ascii_end()));
        places.push(place);
        place += line.len() as u32;
    }
    let mut digest = blake3::Hasher::new();
    digest.update(b"lines");
    hashes.iter().for_each(|hash| _ = digest.update(&hash.to_le_bytes()));
    let (digest, statements) = (*digest.finalize().as_bytes(), hashes.len());
    Ok(Content { digest, statements, unit: "lines", body: Body::Lines(Lines { body, hashes, places }) })
}

/// A hash of 64 bits that stays the same from release to release.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let hash = blake3::hash(bytes);
    hash.as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

impl Lines<'_> {
    fn line(&self, number: usize) -> String {
        let end = self.places.get(number + 1).map_or(self.body.len(), |place| *place as usize);
        let line = &self.body[self.places[number] as usize..end];
        format!("{}: {}", number + 1, short(&String::from_utf8_lossy(line.trim_ascii_end())))
    }
}

/// Says which lines differ.
pub(super) fn compare(old: &Lines<'_>, new: &Lines<'_>, delta: &mut Delta) {
    for gap in align::gaps(&old.hashes, &new.hashes) {
        gap.old.for_each(|line| delta.remove(|| old.line(line)));
        gap.new.for_each(|line| delta.add(|| new.line(line)));
    }
}

#[cfg(test)]
mod tests {
    use crate::meaning::{Format, Limits, Rules, delta, read};

    #[test]
    fn ends_of_lines_do_not_count_and_a_line_more_is_one() {
        let [old, same, more] = ["a\nb\nc", "a  \r\nb\r\nc\n\n", "a\nx\nb\nc\n"]
            .map(|text| read(Format::Text, text.as_bytes(), "", &Rules::default(), &Limits::default()).unwrap());
        assert_eq!(old.digest(), same.digest());
        assert_eq!((old.statements(), old.unit()), (3, "lines"));
        assert_eq!(delta(&same, &more).to_string(), "lines: 1 added, 0 removed\n+ 2: x");
    }
}
