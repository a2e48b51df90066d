//! The answer to a SELECT or ASK as a table, whatever format it came in.
//!
//! The formats (SPARQL 1.1 results in JSON, XML, CSV and TSV) are spellings of the same rows, so a table is what is compared:
//! a server that answers in another format next time changed nothing. Cells are terms as N-Triples write them, except from
//! CSV, which drops what kind of term a cell is.
//!
//! Labels of blank nodes hold for one answer only. They are replaced by names that follow from the rows a node stands in,
//! refined a few times by the names of its neighbours. Two nodes that this does not tell apart share a name.

mod xml;

use std::collections::HashMap;
use std::fmt::Write;

use serde::Deserialize;
use serde_json::Value;

/// How often names of blank nodes are refined by those of their neighbours.
const REFINEMENTS: usize = 4;

/// The rows of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Cell {
    /// Not bound.
    Empty,
    /// An IRI or a literal.
    Term(String),
    /// A blank node, by its label in this answer.
    Blank(String),
}

/// Why an answer is no table.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadResults {
    /// Not one of the formats of results.
    #[error("{0} is no format of results")]
    Format(String),
    /// It does not follow its format, or breaks off.
    #[error("they are not well-formed or break off: {0}")]
    Malformed(String),
}

impl Table {
    /// Reads an answer of this media type.
    pub(super) fn read(media_type: &str, body: &[u8]) -> Result<Table, BadResults> {
        match media_type {
            "application/sparql-results+json" | "application/json" => from_json(body),
            "application/sparql-results+xml" | "application/xml" | "text/xml" => xml::read(body),
            "text/csv" => from_csv(body, b','),
            "text/tab-separated-values" => from_tsv(body),
            other => Err(BadResults::Format(other.to_owned())),
        }
    }

    /// Checks that rows of so many columns, which JSON and XML need not write out, are no more than the bytes of the answer
    /// account for: a name of a column and an empty row are a few bytes each, but their product is not.
    fn check_size(columns: usize, rows: usize, bytes: usize) -> Result<(), BadResults> {
        match columns.saturating_mul(rows) {
            cells if cells <= bytes => Ok(()),
            cells => Err(BadResults::Malformed(format!("{cells} cells in {bytes} bytes"))),
        }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds the rows of a further part, which may have its columns in another order. Blank nodes of two parts are different
    /// nodes.
    pub(super) fn append(&mut self, part: Table) -> Result<(), BadResults> {
        let mut places: Vec<usize> = (0..part.columns.len()).collect();
        places.sort_by_key(|place| &part.columns[*place]);
        let mut own: Vec<usize> = (0..self.columns.len()).collect();
        own.sort_by_key(|place| &self.columns[*place]);
        let named = |(own, place): (&usize, &usize)| self.columns[*own] == part.columns[*place];
        if own.len() != places.len() || !own.iter().zip(&places).all(named) {
            return Err(BadResults::Malformed("a further part has other columns".into()));
        }
        let number = self.rows.len();
        let apart = |cell: &mut Cell| match std::mem::replace(cell, Cell::Empty) {
            Cell::Blank(label) => Cell::Blank(format!("{number} {label}")),
            other => other,
        };
        self.rows.extend(part.rows.into_iter().map(|mut row| {
            let mut cells = vec![Cell::Empty; row.len()];
            own.iter().zip(&places).for_each(|(own, place)| cells[*own] = apart(&mut row[*place]));
            cells
        }));
        Ok(())
    }

    /// The table as CSV, with columns in the order of their names, which no server promises to keep, and with names for blank
    /// nodes that hold in every answer.
    pub(super) fn to_csv(&self) -> Vec<u8> {
        let names = self.names();
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by_key(|column| &self.columns[*column]);
        let mut csv = csv::Writer::from_writer(Vec::new());
        // Writing to a vector cannot fail, and every row has a cell for each column.
        let _ = csv.write_record(order.iter().map(|column| &self.columns[*column]));
        for row in &self.rows {
            let cells = order.iter().map(|column| match &row[*column] {
                Cell::Empty => "",
                Cell::Term(term) => term,
                Cell::Blank(label) => names.get(label.as_str()).map_or("", String::as_str),
            });
            let _ = csv.write_record(cells);
        }
        csv.into_inner().unwrap_or_default()
    }

    /// A name for every blank node: colours, refined by the rows in which it stands.
    fn names(&self) -> HashMap<&str, String> {
        let mut colours: HashMap<&str, u64> = HashMap::new();
        for _ in 0..REFINEMENTS {
            let mut next: HashMap<&str, u64> = HashMap::new();
            for row in self.rows.iter().filter(|row| row.iter().any(|cell| matches!(cell, Cell::Blank(_)))) {
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
}

/// What a row says of each of its blank nodes: what all of its cells are, and in which of them the node stands. In time linear
/// in the row, of which an answer may have one with as many nodes as it has room for.
fn colours_of<'a>(row: &'a [Cell], colours: &HashMap<&str, u64>) -> HashMap<&'a str, u64> {
    let mut all = blake3::Hasher::new();
    let mut places: HashMap<&str, blake3::Hasher> = HashMap::new();
    for (place, cell) in (0_u64..).zip(row) {
        match cell {
            Cell::Empty => all.update(b"\0"),
            Cell::Term(term) => all.update(b"\x01").update(&(term.len() as u64).to_le_bytes()).update(term.as_bytes()),
            Cell::Blank(label) => {
                places.entry(label).or_default().update(&place.to_le_bytes());
                let colour = colours.get(label.as_str()).copied().unwrap_or_default();
                all.update(b"\x02").update(&colour.to_le_bytes())
            }
        };
    }
    let all = all.finalize();
    let colour = |mut own: blake3::Hasher| {
        let mut head = [0; 8];
        head.copy_from_slice(&own.update(all.as_bytes()).finalize().as_bytes()[..8]);
        u64::from_le_bytes(head)
    };
    places.into_iter().map(|(label, own)| (label, colour(own))).collect()
}

#[derive(Deserialize)]
struct JsonDocument {
    #[serde(default)]
    head: JsonHead,
    results: Option<JsonRows>,
    boolean: Option<bool>,
}

#[derive(Default, Deserialize)]
struct JsonHead {
    #[serde(default)]
    vars: Vec<String>,
}

#[derive(Deserialize)]
struct JsonRows {
    bindings: Vec<HashMap<String, JsonTerm>>,
}

#[derive(Deserialize)]
struct JsonTerm {
    #[serde(rename = "type")]
    kind: String,
    value: Value,
    #[serde(rename = "xml:lang", default)]
    language: Option<String>,
    #[serde(default)]
    datatype: Option<String>,
}

impl JsonTerm {
    fn cell(self) -> Cell {
        let value = match self.value {
            Value::String(text) => text,
            // Triples as terms, which few endpoints have.
            other => other.to_string(),
        };
        term(&self.kind, value, self.language, self.datatype)
    }
}

fn from_json(body: &[u8]) -> Result<Table, BadResults> {
    let document: JsonDocument =
        serde_json::from_slice(body).map_err(|error| BadResults::Malformed(error.to_string()))?;
    let columns = document.head.vars;
    match (document.results, document.boolean) {
        (Some(results), _) => {
            Table::check_size(columns.len(), results.bindings.len(), body.len())?;
            let cell = |row: &mut HashMap<String, JsonTerm>, column: &String| {
                row.remove(column).map_or(Cell::Empty, JsonTerm::cell)
            };
            let rows = results.bindings.into_iter();
            let rows = rows.map(|mut row| columns.iter().map(|column| cell(&mut row, column)).collect()).collect();
            Ok(Table { columns, rows })
        }
        (None, Some(answer)) => Ok(boolean(answer)),
        (None, None) => Err(BadResults::Malformed("there are neither results nor an answer to ASK".into())),
    }
}

fn boolean(answer: bool) -> Table {
    Table { columns: vec!["boolean".into()], rows: vec![vec![Cell::Term(answer.to_string())]] }
}

/// A term as N-Triples write it.
fn term(kind: &str, value: String, language: Option<String>, datatype: Option<String>) -> Cell {
    match kind {
        "uri" => Cell::Term(format!("<{value}>")),
        "bnode" => Cell::Blank(value),
        _ => {
            let mut text = literal(&value);
            match (language, datatype.as_deref()) {
                // Languages are the same in any case (RDF 1.1, section 3.3).
                (Some(language), _) => _ = write!(text, "@{}", language.to_ascii_lowercase()),
                (None, None | Some("http://www.w3.org/2001/XMLSchema#string")) => {}
                (None, Some(datatype)) => _ = write!(text, "^^<{datatype}>"),
            }
            Cell::Term(text)
        }
    }
}

fn literal(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('"');
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            other => text.push(other),
        }
    }
    text.push('"');
    text
}

fn from_csv(body: &[u8], delimiter: u8) -> Result<Table, BadResults> {
    let malformed = |error: csv::Error| BadResults::Malformed(error.to_string());
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(body);
    let columns = reader.headers().map_err(malformed)?.iter().map(String::from).collect();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(malformed)?;
        rows.push(record.iter().map(csv_cell).collect());
    }
    Ok(Table { columns, rows })
}

fn csv_cell(cell: &str) -> Cell {
    match cell {
        "" => Cell::Empty,
        _ if cell.starts_with("_:") => Cell::Blank(cell.to_owned()),
        _ => Cell::Term(cell.to_owned()),
    }
}

/// TSV has terms as Turtle writes them, with tabs escaped and nothing quoted.
fn from_tsv(body: &[u8]) -> Result<Table, BadResults> {
    let text = str::from_utf8(body).map_err(|error| BadResults::Malformed(error.to_string()))?;
    let mut lines = text.lines();
    let columns: Vec<String> =
        lines.next().unwrap_or_default().split('\t').map(|name| name.trim_start_matches('?').to_owned()).collect();
    let rows: Vec<Vec<Cell>> = lines.map(|line| line.split('\t').map(csv_cell).collect()).collect();
    match rows.iter().find(|row| row.len() != columns.len()) {
        Some(row) => Err(BadResults::Malformed(format!("a row has {} cells, the header {}", row.len(), columns.len()))),
        None => Ok(Table { columns, rows }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = r#"{"head": {"vars": ["s", "o"]}, "results": {"bindings": [
        {"s": {"type": "uri", "value": "http://a/1"}, "o": {"type": "literal", "value": "a \"b\"\n", "xml:lang": "EN"}},
        {"o": {"type": "literal", "value": "4", "datatype": "http://www.w3.org/2001/XMLSchema#integer"}}]}}"#;
    const XML: &str = r#"<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#">
        <head><variable name="s"/><variable name="o"/></head><results>
        <result><binding name="o"><literal xml:lang="en">a &quot;b&quot;
</literal></binding><binding name="s"><uri>http://a/1</uri></binding></result>
        <result><binding name="o"><literal datatype="http://www.w3.org/2001/XMLSchema#integer">4</literal></binding></result>
        </results></sparql>"#;
    const TSV: &str =
        "?s\t?o\n<http://a/1>\t\"a \\\"b\\\"\\n\"@en\n\t\"4\"^^<http://www.w3.org/2001/XMLSchema#integer>\n";

    fn read(media_type: &str, body: &str) -> Table {
        Table::read(media_type, body.as_bytes()).unwrap()
    }

    #[test]
    fn formats_are_spellings_of_one_table() {
        let table = read("application/sparql-results+json", JSON);
        assert_eq!(table.len(), 2);
        assert_eq!(table, read("application/sparql-results+xml", XML));
        assert_eq!(table, read("text/tab-separated-values", TSV));
        let csv = String::from_utf8(table.to_csv()).unwrap();
        assert!(csv.starts_with("o,s\n\"\"\"a \\\"\"b\\\"\"\\n\"\"@en\",<http://a/1>\n"), "{csv}");
    }

    #[test]
    fn csv_cells_are_kept_as_they_are() {
        let table = read("text/csv", "s,o\r\nhttp://a/1,\"a, b\"\r\n,4\r\n");
        assert_eq!(String::from_utf8(table.to_csv()).unwrap(), "o,s\n\"a, b\",http://a/1\n4,\n");
    }

    #[test]
    fn yes_and_no_are_tables_too() {
        let yes = read("application/sparql-results+json", r#"{"head": {}, "boolean": true}"#);
        assert_eq!(yes, read("application/sparql-results+xml", "<sparql><head/><boolean>true</boolean></sparql>"));
        assert_ne!(yes, read("application/sparql-results+json", r#"{"head": {}, "boolean": false}"#));
    }

    #[test]
    fn what_breaks_off_is_refused() {
        for (media_type, body) in [
            ("application/sparql-results+json", &JSON[..JSON.len() - 5]),
            ("application/sparql-results+xml", &XML[..XML.len() - 40]),
            ("text/tab-separated-values", &TSV[..18]),
            ("text/csv", "a,b\n1"),
            ("application/sparql-results+json", "{}"),
            ("text/html", "<p>results</p>"),
        ] {
            assert!(Table::read(media_type, body.as_bytes()).is_err(), "{media_type}: {body}");
        }
    }

    #[test]
    fn labels_of_blank_nodes_do_not_count() {
        let rows = |labels: [&str; 3]| {
            let [a, b, c] = labels;
            read("text/csv", &format!("s,o\n_:{a},x\n_:{b},_:{a}\n_:{c},_:{b}\n_:{c},y\n")).to_csv()
        };
        assert_eq!(rows(["a", "b", "c"]), rows(["n3", "n1", "n2"]));
        assert_ne!(rows(["a", "b", "c"]), rows(["a", "b", "b"]));
    }

    #[test]
    fn blank_nodes_of_two_parts_are_two_nodes() {
        let part = || read("text/csv", "s,o\n_:a,x\n_:a,y\n");
        let mut union = part();
        union.append(part()).unwrap();
        let once = read("text/csv", "s,o\n_:a,x\n_:a,y\n_:a,x\n_:a,y\n");
        assert_ne!(union.to_csv(), once.to_csv());
        assert_eq!(union.len(), 4);
    }

    #[test]
    fn a_part_may_have_its_columns_in_another_order_but_no_others() {
        let mut union = read("text/csv", "s,o\n1,x\n");
        union.append(read("text/csv", "o,s\ny,2\n")).unwrap();
        assert_eq!(union, read("text/csv", "s,o\n1,x\n2,y\n"));
        for other in ["s\n2\n", "s,p\n2,y\n", "s,o,p\n2,y,z\n", "s,s\n2,y\n"] {
            assert!(union.append(read("text/csv", other)).is_err(), "{other}");
        }
    }

    #[test]
    fn columns_that_are_named_late_are_in_no_row_before() {
        let late = "<sparql><results><result/><variable name='a'/><result/></results></sparql>";
        assert!(Table::read("application/sparql-results+xml", late.as_bytes()).is_err());
    }

    #[test]
    fn empty_rows_of_many_columns_are_refused_before_they_are_made() {
        let json = format!(
            "{{\"head\":{{\"vars\":[{}\"\"]}},\"results\":{{\"bindings\":[{}{{}}]}}}}",
            "\"\",".repeat(99_999),
            "{},".repeat(99_999)
        );
        let xml = format!(
            "<variable name='a'/>{}<results>{}</results>",
            "<variable name='b'/>".repeat(99_999),
            "<result/>".repeat(99_999)
        );
        for (media_type, body) in [("application/sparql-results+json", json), ("application/sparql-results+xml", xml)] {
            let refused = Table::read(media_type, body.as_bytes()).unwrap_err().to_string();
            assert!(refused.contains("cells in"), "{refused}");
        }
    }

    #[test]
    fn a_row_of_many_blank_nodes_is_read_in_time() {
        let labels: Vec<String> = (0..200_000).map(|number| format!("_:b{number}")).collect();
        let columns: Vec<String> = (0..200_000).map(|number| format!("?c{number}")).collect();
        let body = format!("{}\n{}\n", columns.join("\t"), labels.join("\t"));
        assert_eq!(read("text/tab-separated-values", &body).names().len(), 200_000);
    }
}
