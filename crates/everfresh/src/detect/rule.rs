//! The rules that decide whether a page changed. Their names are stored with every visit.

use std::fmt;

/// Which rule decided about a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// There is no earlier version.
    First,
    /// The server says so (304).
    NotModified,
    /// The bytes are identical, as sent or decoded.
    SameBytes,
    /// The bytes differ, the text that counts does not.
    SameText,
    /// The text differs by no more than the threshold.
    NearText {
        /// SimHash bits that differ.
        distance: u32,
    },
    /// The text differs.
    TextDiffers,
    /// The bytes differ, what the data says does not.
    SameData,
    /// The data says something else.
    DataDiffers,
    /// The bytes as sent differ, decoded they do not.
    SameContent,
    /// The bytes differ and there is no text to compare on both sides.
    BytesDiffer,
    /// Filters, digest or text extraction are not those of the last visit: nothing can be said, this version is the new base.
    FiltersChanged,
    /// The version before could not be read, this one can be: nothing can be said, this version is the new base.
    JudgedAnew,
    /// This version cannot be read, the one before could be: nothing can be said, that one stays the base.
    Unjudged,
}

impl Rule {
    /// Whether this rule means that the page changed.
    pub fn is_change(self) -> bool {
        matches!(self, Rule::TextDiffers | Rule::DataDiffers | Rule::BytesDiffer)
    }

    /// The name that is stored; it never changes. The distance of [`Rule::NearText`] is not part of it.
    pub fn name(self) -> &'static str {
        match self {
            Rule::First => "first",
            Rule::NotModified => "not-modified",
            Rule::SameBytes => "same-bytes",
            Rule::SameText => "same-text",
            Rule::NearText { .. } => "near-text",
            Rule::TextDiffers => "text-differs",
            Rule::SameData => "same-data",
            Rule::DataDiffers => "data-differs",
            Rule::SameContent => "same-content",
            Rule::BytesDiffer => "bytes-differ",
            Rule::FiltersChanged => "filters-changed",
            Rule::JudgedAnew => "judged-anew",
            Rule::Unjudged => "unjudged",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::First => f.write_str("first version seen"),
            Rule::NotModified => f.write_str("server says not modified"),
            Rule::SameBytes => f.write_str("same bytes"),
            Rule::SameText => f.write_str("same text"),
            Rule::NearText { distance } => write!(f, "nearly the same text ({distance} of 64 bits differ)"),
            Rule::TextDiffers => f.write_str("text differs"),
            Rule::SameData => f.write_str("same data, written otherwise"),
            Rule::DataDiffers => f.write_str("data differs"),
            Rule::SameContent => f.write_str("same content, packed otherwise"),
            Rule::BytesDiffer => f.write_str("bytes differ"),
            Rule::FiltersChanged => f.write_str("filters or digest changed since the last visit; compared from now on"),
            Rule::JudgedAnew => f.write_str("the last version could not be read; compared from now on"),
            Rule::Unjudged => f.write_str("it cannot be read"),
        }
    }
}
