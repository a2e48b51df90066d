//! Names for the blank nodes of a table that do not depend on their labels, nor on the order of rows.

use std::collections::HashMap;

use super::Cell;

/// How often names of blank nodes are refined by those of their neighbours.
const REFINEMENTS: usize = 4;

/// A name for every blank node: colours, refined by the rows in which it stands.
pub(super) fn of(rows: &[Vec<Cell>]) -> HashMap<&str, String> {
    let has_blank = |row: &&Vec<Cell>| row.iter().flat_map(Cell::pieces).any(|piece| matches!(piece, Cell::Blank(_)));
    let rows: Vec<&Vec<Cell>> = rows.iter().filter(has_blank).collect();
    let mut colours: HashMap<&str, u64> = HashMap::new();
    for _ in 0..REFINEMENTS {
        let mut next: HashMap<&str, u64> = HashMap::new();
        for row in &rows {
            for (label, colour) in colours_of(row, &colours) {
                // A sum, so that the order of rows does not count.
                let sum = next.entry(label).or_default();
                *sum = sum.wrapping_add(colour);
            }
        }
        colours = next;
    }
    colours.into_iter().map(|(label, colour)| (label, format!("_:{colour:016x}"))).collect()
}

/// What a row says of each of its blank nodes: what all of its cells are, and in which of them the node stands. In time linear
/// in the row, of which an answer may have one with as many nodes as it has room for.
fn colours_of<'a>(row: &'a [Cell], colours: &HashMap<&str, u64>) -> HashMap<&'a str, u64> {
    let mut all = blake3::Hasher::new();
    let mut places: HashMap<&str, blake3::Hasher> = HashMap::new();
    let mut place = 0_u64;
    for cell in row {
        all.update(b"\0");
        for piece in cell.pieces() {
            place += 1;
            match piece {
                Cell::Blank(label) => {
                    places.entry(label).or_default().update(&place.to_le_bytes());
                    let colour = colours.get(label.as_str()).copied().unwrap_or_default();
                    all.update(b"\x02").update(&colour.to_le_bytes());
                }
                Cell::Term(term) => {
                    all.update(b"\x01").update(&(term.len() as u64).to_le_bytes()).update(term.as_bytes());
                }
                Cell::Empty | Cell::Triple(_) => {}
            }
        }
    }
    let all = all.finalize();
    let colour = |mut own: blake3::Hasher| {
        let mut head = [0; 8];
        head.copy_from_slice(&own.update(all.as_bytes()).finalize().as_bytes()[..8]);
        u64::from_le_bytes(head)
    };
    places.into_iter().map(|(label, own)| (label, colour(own))).collect()
}
