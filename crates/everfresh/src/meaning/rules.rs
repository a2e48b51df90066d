//! What a user may say of a source, and how far reading it may go.

use serde::{Deserialize, Serialize};

use super::json::Path;
use super::{Format, Unreadable};

/// What does not count in a source, as a user writes it. The default: everything counts.
///
/// A digest made under other rules may differ, even if the document is the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Paths of JSON values that do not count, like `$.meta.generated`, `$..timestamp` or `$.items[*].seen`; in a table, where each
    /// row is a record, `$.seen` is the column of that name. Other formats have no such paths.
    pub ignore: Vec<String>,
    /// The columns of a table that name a row: rows then have no order, and a row with the same key is the same row.
    pub key: Vec<String>,
    /// The order of rows of a table, of members of JSON arrays and of children of XML elements does not count.
    pub any_order: bool,
}

impl Rules {
    /// Those that act on documents of this format: another rule does not make their digests others.
    pub(crate) fn of(&self, format: Format) -> Rules {
        let is_table = matches!(format, Format::Csv | Format::Tsv);
        let has_paths = is_table || matches!(format, Format::Json | Format::JsonLines);
        let unless = |is_heeded: bool, rules: &[String]| if is_heeded { rules.to_vec() } else { Vec::new() };
        Rules {
            ignore: unless(has_paths, &self.ignore),
            key: unless(is_table, &self.key),
            any_order: self.any_order && !format.is_graph(),
        }
    }

    /// Says which rule is not understood, if one is not.
    pub fn check(&self) -> Result<(), Unreadable> {
        self.ignore.iter().try_for_each(|path| Path::parse(path).map(|_| ()))
    }
}

/// How far reading a document may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the document; no more than 1 GiB whatever is set here.
    pub bytes: usize,
    /// Statements in it.
    pub statements: usize,
    /// Blank nodes in a graph.
    pub blank_nodes: usize,
    /// Levels of nesting.
    pub depth: usize,
    /// Bytes of a field of a table.
    pub field: usize,
    /// Bytes of JSON-LD, whose parser cannot be interrupted, and keeps the whole document as events.
    pub json_ld: usize,
    /// The same where contexts are in contexts or in values: it copies them for each.
    pub scoped_json_ld: usize,
    /// Steps of work: some hundred nanoseconds each.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            bytes: 256 << 20,
            statements: 10_000_000,
            blank_nodes: 1_000_000,
            depth: 20_000,
            field: 16 << 20,
            json_ld: 32 << 20,
            scoped_json_ld: 32 << 20,
            steps: 100_000_000,
        }
    }
}
