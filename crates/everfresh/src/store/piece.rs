//! Answers with many rows come in pieces.
//!
//! Whoever asks is handed some rows and where to go on, and asks again when it is done with them, however long that takes. So
//! nobody holds up the writer, a connection is needed only while a piece is read, and nothing gathers an answer that is larger
//! than memory.
//!
//! What is read is then not the state of one moment, and nobody needs that: hosts, pages, visits and batches are only ever
//! added, with rising numbers, so whoever reads them gets all that was there at the beginning, and some of what came since. Of
//! everything else there is one row a page or host, as good now as a moment ago.

use super::StoreError;

/// Where an answer goes on. What it means is the store's own business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor(pub(super) i64, pub(super) i64);

/// Some rows of an answer.
#[derive(Clone, Debug)]
pub struct Piece<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Where to go on; `None` if these are the last.
    pub next: Option<Cursor>,
}

/// Every row of an answer, piece by piece; ends early if `take` fails.
pub fn each<T, E: From<StoreError>>(
    ask: impl Fn(Option<Cursor>) -> Result<Piece<T>, StoreError>,
    take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let (mut take, mut cursor) = (take, None);
    loop {
        let piece = ask(cursor)?;
        piece.rows.into_iter().try_for_each(&mut take)?;
        match piece.next {
            Some(next) => cursor = Some(next),
            None => return Ok(()),
        }
    }
}

/// Rows that come by rising numbers.
pub trait Numbered {
    /// The row's number, which no other row has.
    fn number(&self) -> u64;
}

/// Every row of a table, piece by piece: `ask` is given a number and tells some rows from it on, none if there are none.
pub fn each_numbered<T: Numbered, E: From<StoreError>>(
    ask: impl Fn(u64) -> Result<Vec<T>, StoreError>,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let mut walk = Walk::from(0, ask);
    while let Some(row) = walk.next_below(u64::MAX)? {
        take(row)?;
    }
    Ok(())
}

/// A walk along a table, a piece in hand.
pub(super) struct Walk<T, A> {
    ask: A,
    from: u64,
    piece: std::iter::Peekable<std::vec::IntoIter<T>>,
    ended: bool,
}

impl<T: Numbered, A: Fn(u64) -> Result<Vec<T>, StoreError>> Walk<T, A> {
    /// Begins at a number.
    pub(super) fn from(from: u64, ask: A) -> Walk<T, A> {
        Walk { ask, from, piece: Vec::new().into_iter().peekable(), ended: false }
    }

    /// The next row, unless its number is `end` or above.
    pub(super) fn next_below(&mut self, end: u64) -> Result<Option<T>, StoreError> {
        if self.from < end {
            self.fill()?;
        }
        Ok(self.piece.next_if(|row| row.number() < end))
    }

    /// The next row, if it is as wanted.
    pub(super) fn next_if(&mut self, is_wanted: impl FnOnce(&T) -> bool) -> Result<Option<T>, StoreError> {
        self.fill()?;
        Ok(self.piece.next_if(is_wanted))
    }

    /// Asks for the next piece if none is in hand.
    fn fill(&mut self) -> Result<(), StoreError> {
        if self.piece.peek().is_none() && !self.ended {
            let rows = (self.ask)(self.from)?;
            self.ended = rows.is_empty();
            self.from = rows.last().map_or(self.from, |row| row.number() + 1);
            self.piece = rows.into_iter().peekable();
        }
        Ok(())
    }
}
