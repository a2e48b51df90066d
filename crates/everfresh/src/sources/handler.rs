//! What a kind of source must be able to do, and what it is given and gives.

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use url::Url;

use super::catalogue::Listed;
use crate::fetch::{self, Question};
use crate::meaning::{self, Format};
use crate::rule::Rule;

/// One request of a visit.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Step {
    /// Whom to ask. A fragment, which is not sent, tells apart what is posted to one URL.
    pub url: Url,
    /// What to ask.
    pub question: Question,
}

/// One answer of success, as received or as archived.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was asked.
    pub url: Url,
    /// The status code.
    pub status: u16,
    /// The fields of its head.
    pub headers: HeaderMap,
    /// Its body without content codings.
    pub body: Bytes,
}

impl Answer {
    /// The Content-Type as given.
    pub fn content_type(&self) -> Option<&str> {
        self.headers.get(CONTENT_TYPE).map(fetch::text)
    }

    /// The media type in lower case and without parameters; empty if none is given.
    pub fn media_type(&self) -> String {
        let essence = self.content_type().unwrap_or_default().split(';').next().unwrap_or_default();
        essence.trim().to_ascii_lowercase()
    }

    /// The format of its body, if it is data.
    pub fn format(&self) -> Option<Format> {
        Format::of(self.content_type(), self.url.path(), &self.body)
    }

    /// Its body as data of a format, in UTF-8 if its type claims another charset.
    pub fn data(&self, format: Format) -> Bytes {
        meaning::in_utf8(self.body.clone(), self.content_type(), format)
    }

    /// Whether it is a page for people.
    pub fn is_web_page(&self) -> bool {
        let start = self.body.trim_ascii_start();
        let start = &start[..start.len().min(14)];
        let claims = ["text/html", "application/xhtml+xml"].contains(&self.media_type().as_str());
        claims
            || start.eq_ignore_ascii_case(b"<!doctype html")
            || start.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<html"))
    }
}

/// What a visit's answers hold, to be judged.
#[derive(Clone, Debug)]
pub struct Held {
    /// The format of the data; `None` if it is a page for people or nothing known, which is judged by its text or bytes.
    pub format: Option<Format>,
    /// The data: the body of the one answer, or the union of all.
    pub body: Bytes,
    /// Whether its order does not count, whatever the source's own rules say.
    pub any_order: bool,
    /// Whether it has the values of terms without what kind of term they are: it can be compared with nothing else.
    pub only_values: bool,
    /// The entries of a catalogue.
    pub listed: Vec<Listed>,
}

/// Why the answers of a visit are no version of the source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The stored query cannot be asked.
    #[error("its query cannot be asked: {0}; add the source again with another one")]
    BadQuery(#[from] super::BadQuery),
    /// A page for people where data was asked for.
    #[error("{url} answered with a web page and not with {wanted}; check that it is the address of the {whose} itself")]
    WebPage {
        /// What was asked.
        url: String,
        /// What would have been right.
        wanted: &'static str,
        /// Of what.
        whose: &'static str,
    },
    /// The endpoint cut its answer short, and the rest cannot be asked for.
    #[error("the endpoint gave {results} results and has more; {advice}")]
    Truncated {
        /// Results given.
        results: u64,
        /// What to do.
        advice: &'static str,
    },
    /// The endpoint gives the same part again and again.
    #[error(
        "the endpoint gave the same {results} results for the next part too: it does not heed OFFSET; ask for less"
    )]
    Repeats {
        /// Results of a part.
        results: u64,
    },
    /// More parts than a source may have.
    #[error("its answer has more than {limit} parts; ask for less")]
    TooManyParts {
        /// The limit that was passed.
        limit: usize,
    },
    /// More bytes than all parts of a source may have together.
    #[error("its {parts} parts are larger than {limit} bytes; ask for less, or raise fetch.max_source_bytes")]
    TooLarge {
        /// The limit that was passed.
        limit: usize,
        /// Parts read.
        parts: usize,
    },
    /// An answer that does not follow its format.
    #[error("its results cannot be read: {0}")]
    Unreadable(String),
}

impl Refusal {
    /// Whether there is more of it than a source may have.
    pub fn is_limit(&self) -> bool {
        matches!(self, Refusal::TooLarge { .. } | Refusal::TooManyParts { .. })
    }

    /// How a visit that ended so is recorded.
    pub fn rule(&self) -> Rule {
        match self {
            Refusal::BadQuery(_) => Rule::BadQuery,
            Refusal::WebPage { .. } => Rule::NoData,
            Refusal::Truncated { .. } => Rule::Truncated,
            Refusal::Repeats { .. } => Rule::Repeats,
            Refusal::TooManyParts { .. } | Refusal::TooLarge { .. } => Rule::SourceTooLarge,
            Refusal::Unreadable(_) => Rule::Unreadable,
        }
    }
}

/// One visit of a source: what to ask, until the answers are whole, and what they hold.
pub trait Handler: Send {
    /// Its name, for people.
    fn name(&self) -> &'static str;

    /// The first request.
    fn first(&self) -> Step;

    /// Takes in an answer of success and says what must be asked besides; `None` if the answers are whole.
    fn take(&mut self, answer: Answer) -> Result<Option<Step>, Refusal>;

    /// What the answers hold, once they are whole.
    fn finish(self: Box<Self>) -> Held;
}
