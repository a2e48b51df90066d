//! Why a document cannot be judged by its meaning.

use thiserror::Error;

use super::delta::short;

/// The reason, in words for people; the caller judges the bytes instead and says so.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Unreadable {
    /// It breaks the rules of its format.
    #[error("it is no valid {format}: {problem}")]
    Malformed {
        /// The name of the format.
        format: &'static str,
        /// What is wrong, and where.
        problem: String,
    },
    /// It is not in an encoding that its format allows.
    #[error("it is no valid {0}: its bytes are neither UTF-8 nor in an encoding that it declares")]
    Encoding(&'static str),
    /// It is larger than was allowed.
    #[error("it has more than {limit} {what}; raise the limit to judge it by its meaning")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much is allowed.
        limit: usize,
    },
    /// Reading takes too long. It is work that is counted, not time: a slow machine refuses nothing that a fast one takes.
    #[error("reading it takes more than {0} steps")]
    Steps(u64),
    /// JSON-LD whose terms are defined elsewhere.
    #[error("its JSON-LD context {0} is remote, and remote contexts are not loaded; judge it as JSON instead")]
    RemoteContext(String),
    /// Blank nodes that no bounded effort can tell apart.
    #[error("its blank nodes are so much alike that telling them apart would take too long")]
    AlikeBlankNodes,
    /// A rule names a path that is none.
    #[error(
        "the path '{0}' to ignore is not understood; write it like $.meta.generated, $..timestamp or $.items[*].seen"
    )]
    Path(String),
    /// A rule names a key column that the table does not have.
    #[error("the table has no column '{0}' to be its key; correct the rule")]
    KeyColumn(String),
}

impl Unreadable {
    /// Whether it is a limit that was met: under higher ones the document may say something.
    pub fn is_limit(&self) -> bool {
        matches!(self, Unreadable::TooLarge { .. } | Unreadable::Steps(_) | Unreadable::AlikeBlankNodes)
    }

    /// A document that breaks the rules of its format.
    pub(super) fn malformed(format: &'static str, problem: impl ToString) -> Unreadable {
        // Parsers quote what they stumble over, however long it is.
        Unreadable::Malformed { format, problem: short(&problem.to_string()) }
    }
}
