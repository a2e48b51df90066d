//! Which rows of two tables differ, and in which columns.

use hashbrown::HashMap;

use super::super::align;
use super::super::delta::{Delta, short};
use super::Table;
use super::records::Records;

/// The fields of a row.
type Row = Vec<Vec<u8>>;

/// Says which rows differ.
pub(crate) fn compare(old: &Table<'_>, new: &Table<'_>, delta: &mut Delta) {
    if old.key.is_empty() != new.key.is_empty() || old.any_order != new.any_order {
        everything(old, new, delta);
    } else if !new.key.is_empty() {
        by_key(old, new, delta);
    } else if new.any_order {
        let (removed, added) = align::unshared(&old.hashes, &new.hashes);
        removed.into_iter().for_each(|row| delta.remove(|| old.shown(row)));
        added.into_iter().for_each(|row| delta.add(|| new.shown(row)));
    } else {
        in_order(old, new, delta);
    }
}

/// Tables that were read under rules of another kind share no rows.
fn everything(old: &Table<'_>, new: &Table<'_>, delta: &mut Delta) {
    (0..old.hashes.len()).for_each(|row| delta.remove(|| old.shown(row)));
    (0..new.hashes.len()).for_each(|row| delta.add(|| new.shown(row)));
}

/// Rows with the same key are the same row; of several with one key, the first goes with the first.
fn by_key(old: &Table<'_>, new: &Table<'_>, delta: &mut Delta) {
    if old.names != new.names {
        delta.change(|| format!("header: {} → {}", short(&old.names.join(", ")), short(&new.names.join(", "))));
    }
    let (removed, added) = align::unshared(&old.hashes, &new.hashes);
    let mut by_key: HashMap<Row, Vec<usize>> = HashMap::new();
    for row in added.into_iter().rev() {
        by_key.entry(new.key_of(&new.row(row))).or_default().push(row);
    }
    for row in removed {
        let before = old.row(row);
        match by_key.get_mut(&old.key_of(&before)).and_then(Vec::pop) {
            Some(partner) => change(new, delta, || new.key_shown(&before), &before, &new.row(partner)),
            None => delta.remove(|| old.shown(row)),
        }
    }
    let mut rest: Vec<usize> = by_key.into_values().flatten().collect();
    rest.sort_unstable();
    rest.into_iter().for_each(|row| delta.add(|| new.shown(row)));
}

/// Rows in the same place that share a field are the same row.
fn in_order(old: &Table<'_>, new: &Table<'_>, delta: &mut Delta) {
    for gap in align::gaps(&old.hashes, &new.hashes) {
        let (mut left, mut right) = (gap.old, gap.new);
        while !left.is_empty() && !right.is_empty() {
            let (Some(left), Some(right)) = (left.next(), right.next()) else { break };
            let (before, after) = (old.row(left), new.row(right));
            if before.len() == after.len() && before.iter().zip(&after).any(|(before, after)| before == after) {
                change(new, delta, || (right + 1).to_string(), &before, &after);
            } else {
                delta.remove(|| old.shown(left));
                delta.add(|| new.shown(right));
            }
        }
        left.for_each(|row| delta.remove(|| old.shown(row)));
        right.for_each(|row| delta.add(|| new.shown(row)));
    }
}

fn change(table: &Table<'_>, delta: &mut Delta, name: impl FnOnce() -> String, before: &Row, after: &Row) {
    delta.change(|| {
        let text = |field: Option<&Vec<u8>>| field.map_or("nothing".to_owned(), |field| shown(field));
        let columns = (0..before.len().max(after.len())).filter(|column| before.get(*column) != after.get(*column));
        let changes = columns.map(|column| {
            let name = table.names.get(column).map_or_else(|| format!("column {}", column + 1), |name| short(name));
            format!("{name} {} → {}", text(before.get(column)), text(after.get(column)))
        });
        format!("row {}: {}", name(), changes.collect::<Vec<_>>().join(", "))
    });
}

impl Table<'_> {
    /// Reads a row again.
    fn row(&self, row: usize) -> Row {
        // The limit held when the row was read first.
        let mut records = Records::new(&self.body[self.places[row] as usize..], self.delimiter, usize::MAX);
        match records.next() {
            Ok(Some(_)) => records.fields().map(<[u8]>::to_vec).collect(),
            _ => Row::new(),
        }
    }

    fn key_of(&self, row: &Row) -> Row {
        self.key.iter().map(|column| row.get(*column).cloned().unwrap_or_default()).collect()
    }

    fn key_shown(&self, row: &Row) -> String {
        let parts = self.key.iter().zip(self.key_of(row));
        let parts = parts.map(|(column, value)| format!("{}={}", self.names[*column].trim(), shown(&value)));
        parts.collect::<Vec<_>>().join(" ")
    }

    /// A row as a line.
    fn shown(&self, row: usize) -> String {
        let fields = self.row(row);
        let name = if self.key.is_empty() { (row + 1).to_string() } else { self.key_shown(&fields) };
        let text = fields.iter().map(|field| String::from_utf8_lossy(field)).collect::<Vec<_>>().join(", ");
        format!("row {name}: {}", short(&text))
    }
}

fn shown(field: &[u8]) -> String {
    short(&String::from_utf8_lossy(field))
}
