//! Which rows of two tables differ, and in which columns.

use hashbrown::HashMap;

use super::super::align;
use super::super::delta::{Delta, short};
use super::records::Records;
use super::{Table, lines};

/// The fields of a row.
type Row = Vec<Vec<u8>>;

/// Says which rows differ.
pub(crate) fn compare(old: &Table<'_>, new: &Table<'_>, delta: &mut Delta) {
    let (mut before, mut after) = (Rows::of(old), Rows::of(new));
    if old.header != new.header {
        delta.change(|| format!("header: {} → {}", old.header_shown(), new.header_shown()));
    }
    if old.key.is_empty() != new.key.is_empty() || old.any_order != new.any_order {
        // Tables that were read under rules of another kind share no rows.
        before.remove(0..old.hashes.len(), delta);
        after.add(0..new.hashes.len(), delta);
    } else if !new.key.is_empty() {
        by_key(&mut before, &mut after, delta);
    } else if new.any_order {
        let (removed, added) = align::unshared(&old.hashes, &new.hashes);
        before.remove(removed, delta);
        after.add(added, delta);
    } else {
        in_order(&mut before, &mut after, delta);
    }
}

/// Rows with the same key are the same row; of several with one key, the first goes with the first.
fn by_key(old: &mut Rows<'_>, new: &mut Rows<'_>, delta: &mut Delta) {
    let (removed, added) = align::unshared(&old.table.hashes, &new.table.hashes);
    let mut by_key: HashMap<u64, Vec<usize>> = HashMap::new();
    for row in added.into_iter().rev() {
        by_key.entry(new.key_hash(row)).or_default().push(row);
    }
    for row in removed {
        match by_key.get_mut(&old.key_hash(row)).and_then(Vec::pop) {
            Some(partner) => delta.change(|| {
                let (before, after) = (old.row(row), new.row(partner));
                changes(new.table, &new.table.key_shown(&before), &before, &after)
            }),
            None => delta.remove(|| old.shown(row)),
        }
    }
    let mut rest: Vec<usize> = by_key.into_values().flatten().collect();
    rest.sort_unstable();
    new.add(rest, delta);
}

/// Rows in the same place that share a field are the same row.
fn in_order(old: &mut Rows<'_>, new: &mut Rows<'_>, delta: &mut Delta) {
    for gap in align::gaps(&old.table.hashes, &new.table.hashes) {
        let (mut left, mut right) = (gap.old, gap.new);
        while !left.is_empty() && !right.is_empty() {
            let (Some(left), Some(right)) = (left.next(), right.next()) else { break };
            if old.is_like(left, new, right) {
                delta.change(|| changes(new.table, &(right + 1).to_string(), &old.row(left), &new.row(right)));
            } else {
                delta.remove(|| old.shown(left));
                delta.add(|| new.shown(right));
            }
        }
        old.remove(left, delta);
        new.add(right, delta);
    }
}

/// In which columns a row differs.
fn changes(table: &Table<'_>, name: &str, before: &Row, after: &Row) -> String {
    let text = |field: Option<&Vec<u8>>| field.map_or("nothing".to_owned(), |field| shown(field));
    let columns = (0..before.len().max(after.len())).filter(|column| before.get(*column) != after.get(*column));
    let changes = columns.map(|column| {
        let name = table.names.get(column).map_or_else(|| format!("column {}", column + 1), |name| short(name));
        format!("{name} {} → {}", text(before.get(column)), text(after.get(column)))
    });
    format!("row {name}: {}", changes.collect::<Vec<_>>().join(", "))
}

/// The rows of a table, read again where they are looked at. To make a reader costs more than to read a row with it.
struct Rows<'t> {
    table: &'t Table<'t>,
    records: Records<'t>,
    key: Vec<u8>,
}

impl<'t> Rows<'t> {
    fn of(table: &'t Table<'_>) -> Rows<'t> {
        // The limit held when the rows were read first.
        let mut records = Records::new(&table.body, table.delimiter, usize::MAX);
        records.leave_out(table.ignored.clone());
        Rows { table, records, key: Vec::new() }
    }

    /// The fields of a row.
    fn fields(&mut self, row: usize) -> impl Iterator<Item = &[u8]> {
        self.records.read_at(self.table.places[row] as usize);
        self.records.fields()
    }

    fn row(&mut self, row: usize) -> Row {
        self.fields(row).map(<[u8]>::to_vec).collect()
    }

    /// A hash of the fields of the key columns.
    fn key_hash(&mut self, row: usize) -> u64 {
        self.records.read_at(self.table.places[row] as usize);
        self.key.clear();
        for column in &self.table.key {
            let field = self.records.fields().nth(*column).unwrap_or_default();
            self.key.extend_from_slice(&(field.len() as u64).to_le_bytes());
            self.key.extend_from_slice(field);
        }
        lines::hash(&self.key)
    }

    /// Whether a row has as many fields as one of another table, and one of them in the same place.
    fn is_like(&mut self, row: usize, other: &mut Rows<'_>, other_row: usize) -> bool {
        self.records.read_at(self.table.places[row] as usize);
        other.records.read_at(other.table.places[other_row] as usize);
        let (own, others) = (&self.records, &other.records);
        own.len() == others.len() && own.fields().zip(others.fields()).any(|(own, other)| own == other)
    }

    fn add(&mut self, rows: impl IntoIterator<Item = usize>, delta: &mut Delta) {
        rows.into_iter().for_each(|row| delta.add(|| self.shown(row)));
    }

    fn remove(&mut self, rows: impl IntoIterator<Item = usize>, delta: &mut Delta) {
        rows.into_iter().for_each(|row| delta.remove(|| self.shown(row)));
    }

    /// A row as a line.
    fn shown(&mut self, row: usize) -> String {
        let fields = self.row(row);
        let name = if self.table.key.is_empty() { (row + 1).to_string() } else { self.table.key_shown(&fields) };
        let text = fields.iter().map(|field| String::from_utf8_lossy(field)).collect::<Vec<_>>().join(", ");
        format!("row {name}: {}", short(&text))
    }
}

impl Table<'_> {
    fn header_shown(&self) -> String {
        if self.header == 0 { "nothing".to_owned() } else { short(&self.names.join(", ")) }
    }

    fn key_shown(&self, row: &Row) -> String {
        let value = |column: &usize| row.get(*column).map_or_else(String::new, |field| shown(field));
        let parts = self.key.iter().map(|column| format!("{}={}", self.names[*column].trim(), value(column)));
        parts.collect::<Vec<_>>().join(" ")
    }
}

fn shown(field: &[u8]) -> String {
    short(&String::from_utf8_lossy(field))
}
