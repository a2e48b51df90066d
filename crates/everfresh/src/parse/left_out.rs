//! Links that a guard leaves out, counted by reason. What the user's own rules leave out (another host, an exclude pattern) is
//! as it was meant to be and is not counted; of a guard a user has to know, since it may be wrong.

use serde::{Deserialize, Serialize};

use super::scope::Refusal;

/// How much of an example is kept.
const EXAMPLE_BYTES: usize = 300;

/// Links left out, each time one was met.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct LeftOut {
    /// A row for each reason there was.
    rows: Vec<LeftOutRow>,
}

/// Links left out for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct LeftOutRow {
    /// The reason.
    pub reason: Refusal,
    /// How many.
    pub links: u64,
    /// One of them; its beginning if it is long.
    pub example: String,
}

impl LeftOut {
    /// Counts a link, if it was a guard that refused it.
    pub fn count(&mut self, reason: Refusal, url: &str) {
        if !reason.is_guard() {
            return;
        }
        match self.rows.iter_mut().find(|row| row.reason == reason) {
            Some(row) => row.links += 1,
            None => self.rows.push(LeftOutRow { reason, links: 1, example: beginning(url).to_owned() }),
        }
    }

    /// Takes in what was counted later; the later example stays, since rules may have changed meanwhile.
    pub fn join(&mut self, later: LeftOut) {
        for theirs in later.rows {
            match self.rows.iter_mut().find(|row| row.reason == theirs.reason) {
                Some(row) => *row = LeftOutRow { links: row.links + theirs.links, ..theirs },
                None => self.rows.push(theirs),
            }
        }
    }

    /// Whether a link was left out for this reason.
    pub(super) fn has(&self, reason: Refusal) -> bool {
        self.rows.iter().any(|row| row.reason == reason)
    }

    /// A row for each reason there was.
    pub fn rows(&self) -> &[LeftOutRow] {
        &self.rows
    }
}

fn beginning(url: &str) -> &str {
    let most = EXAMPLE_BYTES.min(url.len());
    let end = (0..=most).rev().find(|end| url.is_char_boundary(*end));
    &url[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_counted_by_reason_with_an_example() {
        let (mut one, mut other) = (LeftOut::default(), LeftOut::default());
        one.count(Refusal::CalendarDate, "http://a.org/1901/01");
        one.count(Refusal::CalendarDate, "http://a.org/1901/02");
        one.count(Refusal::OutOfReach, "http://b.org/");
        other.count(Refusal::TooLong, &"é".repeat(1000));
        other.count(Refusal::CalendarDate, "http://a.org/1901/03");
        one.join(other);
        assert_eq!(one.rows()[0].example, "http://a.org/1901/03");
        let rows: Vec<(Refusal, u64, usize)> =
            one.rows().iter().map(|row| (row.reason, row.links, row.example.len())).collect();
        assert_eq!(rows, [(Refusal::CalendarDate, 3, 20), (Refusal::TooLong, 1, 300)]);
    }
}
