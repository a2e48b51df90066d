//! A table whose numbers can be seen as well as read.

use std::fmt::Write;

use super::{COLOURS, escape};

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text, as it is.
    Text(String),
    /// A number as it is written, with a bar that fills this share of the cell.
    Bar(String, f64),
    /// What another cell says, and in small print how sure that is.
    Sure(Box<Cell>, String),
    /// A name with the colour it has in the plots, if it is in them.
    Name(String, Option<usize>),
}

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One entry.
    Entry,
    /// A line above several entries.
    Group,
    /// What was possible.
    Limit,
}

/// A table in the making.
#[derive(Debug, Default)]
pub struct Table {
    markup: String,
    columns: usize,
}

impl Table {
    /// A table with its header.
    pub fn new(header: &[&str]) -> Table {
        let cells: String = header.iter().map(|cell| format!("<th>{}</th>", escape(cell))).collect();
        Table { markup: format!("<div class=\"wide\"><table>\n<tr>{cells}</tr>\n"), columns: header.len() }
    }

    /// One more row.
    pub fn row(&mut self, kind: Kind, cells: &[Cell]) {
        let class = match kind {
            Kind::Entry => "entry",
            Kind::Group => "group",
            Kind::Limit => "limit",
        };
        let span = if kind == Kind::Group { format!(" colspan=\"{}\"", self.columns) } else { String::new() };
        let cells: String = cells.iter().map(|cell| format!("<td{span}>{}</td>", written(cell))).collect();
        // Writing to a string cannot fail.
        _ = writeln!(self.markup, "<tr class=\"{class}\">{cells}</tr>");
    }

    /// The table's markup.
    pub fn finish(self) -> String {
        self.markup + "</table></div>\n"
    }
}

fn written(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => escape(text),
        Cell::Bar(number, share) => {
            let share = if share.is_finite() { share.clamp(0.0, 1.0) * 100.0 } else { 0.0 };
            format!("<span class=\"bar\"><i style=\"width:{share:.1}%\"></i><b>{}</b></span>", escape(number))
        }
        Cell::Sure(cell, note) => format!("{}<small>{}</small>", written(cell), escape(note)),
        Cell::Name(name, Some(colour)) => {
            format!("<span class=\"key s{}\"></span>{}", colour % COLOURS, escape(name))
        }
        Cell::Name(name, None) => escape(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_stay_in_their_cells() {
        let mut table = Table::new(&["policy", "share"]);
        table.row(Kind::Entry, &[Cell::Name("a<b".into(), Some(13)), Cell::Bar("1.2".into(), 1.2)]);
        table.row(Kind::Group, &[Cell::Text("rest".into())]);
        let markup = table.finish();
        assert!(markup.contains("key s1\"></span>a&lt;b") && markup.contains("width:100.0%"), "{markup}");
        assert!(markup.contains("colspan=\"2\""));
        let sure = Cell::Sure(Box::new(Cell::Text("0.5".into())), "± 0.1".into());
        assert_eq!(written(&sure), "0.5<small>± 0.1</small>");
    }
}
