//! Captures whose records are gone, because an archive file was cut or deleted.

use rusqlite::{Transaction, params};

use crate::store::{Lost, LostFile};

/// Forgets the captures of files that were cut or are gone.
pub(super) fn forget(transaction: &Transaction<'_>, files: &[LostFile]) -> rusqlite::Result<Lost> {
    let mut sum = Lost::default();
    for file in files {
        let Lost { visits, copies } = forget_captures(transaction, file)?;
        sum = Lost { visits: sum.visits + visits, copies: sum.copies + copies };
    }
    Ok(sum)
}

/// The file counts up to the first capture that is not whole; with length 0 it is one that is gone.
fn forget_captures(transaction: &Transaction<'_>, lost: &LostFile) -> rusqlite::Result<Lost> {
    let LostFile { file, length } = *lost;
    // Where the last capture begins that may be cut: what lies before it is whole.
    let end: Option<i64> = transaction.query_row(
        "SELECT max(position) FROM visits
         WHERE id >= (SELECT since_visit FROM files WHERE id = ?1) AND file = ?1 AND position <= ?2",
        params![file, length as i64],
        |row| row.get(0),
    )?;
    let end = end.unwrap_or(0);
    transaction.execute_batch("CREATE TEMP TABLE lost (id INTEGER PRIMARY KEY, page INTEGER, at INTEGER)")?;
    transaction.execute(
        "INSERT INTO lost SELECT id, page, at FROM visits
         WHERE id >= (SELECT since_visit FROM files WHERE id = ?1) AND file = ?1 AND position >= ?2",
        params![file, end],
    )?;
    // A visit that refers to another has that one's payload, and refers to the last such one before it.
    transaction.execute(
        "INSERT OR IGNORE INTO lost SELECT id, page, at FROM visits AS later
         WHERE revisit = 1 AND page IN (SELECT page FROM lost)
             AND (SELECT max(id) FROM visits AS original WHERE original.page = later.page AND original.revisit = 0
                      AND original.payload = later.payload AND original.id < later.id) IN (SELECT id FROM lost)",
        [],
    )?;
    let copies = transaction.execute(
        "DELETE FROM copies WHERE EXISTS (SELECT 1 FROM lost WHERE lost.page = copies.page AND lost.at = copies.since)",
        [],
    )?;
    transaction.execute(
        "DELETE FROM asides WHERE EXISTS (SELECT 1 FROM lost WHERE lost.page = asides.page AND lost.at = asides.since)",
        [],
    )?;
    transaction.execute("DELETE FROM parts WHERE visit IN (SELECT id FROM lost)", [])?;
    let visits = transaction.execute(
        "UPDATE visits SET payload = NULL, revisit = NULL, file = NULL, position = NULL, length = NULL
         WHERE id IN (SELECT id FROM lost)",
        [],
    )?;
    transaction.execute("UPDATE files SET length = ?2 WHERE id = ?1", params![file, end])?;
    // Visits in any file may have referred to what is lost, and their indexes list them.
    transaction.execute("UPDATE files SET indexed = 0", [])?;
    transaction.execute_batch("DROP TABLE lost")?;
    Ok(Lost { visits, copies })
}
