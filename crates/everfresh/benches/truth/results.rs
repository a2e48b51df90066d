//! Answers of SPARQL endpoints: a table, whose formats, order of rows and columns, and labels of blank nodes do not count.

use crate::content::Content;
use crate::data::{object, string};
use crate::draw::Draw;
use crate::markup::escaped;

const DECIMAL: &str = "http://www.w3.org/2001/XMLSchema#decimal";

enum Cell {
    Iri(String),
    Blank(String),
    Text(String),
    Price(String),
}

type Row = Vec<(&'static str, Cell)>;

fn rows(content: &Content, draw: &mut Draw) -> Vec<Row> {
    let label = draw.number();
    let rows = content.items.iter().map(|item| {
        let row = vec![
            ("goods", Cell::Iri(format!("http://e.example/goods/{}", item.id))),
            ("maker", Cell::Blank(format!("b{:x}", item.id.wrapping_mul(label | 1)))),
            ("name", Cell::Text(format!("{} {}", content.title, item.name))),
            ("note", Cell::Text(item.note.clone())),
            ("price", Cell::Price(item.price())),
        ];
        row
    });
    let rows = rows.collect();
    draw.shuffled(rows)
}

fn columns(draw: &mut Draw) -> Vec<&'static str> {
    draw.shuffled(vec!["goods", "maker", "name", "note", "price"])
}

/// The answer in any of the formats that tell kinds of terms, and its media type.
pub(crate) fn any(content: &Content, draw: &mut Draw) -> (String, &'static str) {
    match draw.below(3) {
        0 => (json(content, draw), "application/sparql-results+json"),
        1 => (xml(content, draw), "application/sparql-results+xml"),
        _ => (tsv(content, draw), "text/tab-separated-values"),
    }
}

fn json(content: &Content, draw: &mut Draw) -> String {
    let rows = rows(content, draw).into_iter().map(|row| {
        let cells = row.into_iter().map(|(name, cell)| {
            let (kind, value) = match &cell {
                Cell::Iri(value) => ("uri", value),
                Cell::Blank(value) => ("bnode", value),
                Cell::Text(value) | Cell::Price(value) => ("literal", value),
            };
            let mut members = vec![("type", string(kind, draw)), ("value", string(value, draw))];
            if matches!(cell, Cell::Price(_)) {
                members.push(("datatype", string(DECIMAL, draw)));
            }
            (name, object(members, draw))
        });
        let cells = cells.collect();
        object(cells, draw)
    });
    let bindings = format!("{{\"bindings\": [{}]}}", rows.collect::<Vec<_>>().join(","));
    let names: Vec<String> = columns(draw).into_iter().map(|name| format!("\"{name}\"")).collect();
    object(vec![("head", format!("{{\"vars\": [{}]}}", names.join(", "))), ("results", bindings)], draw)
}

fn xml(content: &Content, draw: &mut Draw) -> String {
    let names: String = columns(draw).iter().map(|name| format!("<variable name='{name}'/>")).collect();
    let mut out = format!(
        "<?xml version=\"1.0\"?><sparql xmlns=\"http://www.w3.org/2005/sparql-results#\"><head>{names}</head><results>"
    );
    for row in rows(content, draw) {
        out += &format!("<result>{}", draw.space());
        for (name, cell) in row {
            let cell = match &cell {
                Cell::Iri(value) => format!("<uri>{}</uri>", escaped(value, draw)),
                Cell::Blank(value) => format!("<bnode>{value}</bnode>"),
                Cell::Text(value) => format!("<literal>{}</literal>", escaped(value, draw)),
                Cell::Price(value) => format!("<literal datatype='{DECIMAL}'>{value}</literal>"),
            };
            out += &format!("<binding name=\"{name}\">{cell}</binding>{}", draw.space());
        }
        out += "</result>";
    }
    out + "</results></sparql>"
}

fn tsv(content: &Content, draw: &mut Draw) -> String {
    let columns = columns(draw);
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = columns.iter().map(|name| format!("?{name}")).collect::<Vec<_>>().join("\t") + "\n";
    for row in rows(content, draw) {
        let cells =
            columns.iter().filter_map(|column| row.iter().find(|(name, _)| name == column)).map(
                |(_, cell)| match cell {
                    Cell::Iri(value) => format!("<{value}>"),
                    Cell::Blank(value) => format!("_:{value}"),
                    Cell::Text(value) => quoted(value),
                    Cell::Price(value) if draw.once_in(2) => value.clone(),
                    Cell::Price(value) => format!("\"{value}\"^^<{DECIMAL}>"),
                },
            );
        out += &(cells.collect::<Vec<_>>().join("\t") + "\n");
    }
    out
}

/// The answer as CSV, which stays CSV: it does not tell kinds of terms.
pub(crate) fn csv(content: &Content, draw: &mut Draw) -> String {
    let columns = columns(draw);
    let mut out = columns.join(",") + "\r\n";
    for row in rows(content, draw) {
        let cells =
            columns.iter().filter_map(|column| row.iter().find(|(name, _)| name == column)).map(
                |(_, cell)| match cell {
                    Cell::Blank(value) => format!("_:{value}"),
                    Cell::Text(value) if value.contains(['"', ',']) || draw.once_in(2) => {
                        format!("\"{}\"", value.replace('"', "\"\""))
                    }
                    Cell::Iri(value) | Cell::Text(value) | Cell::Price(value) => value.clone(),
                },
            );
        out += &(cells.collect::<Vec<_>>().join(",") + "\r\n");
    }
    out
}
