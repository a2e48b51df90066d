//! What cannot be read is no change of what could be: beside such a version nothing is said of it.

use super::Case;
use super::content::{Compared, known};
use crate::detect::Body;
use crate::meaning::Format;
use crate::rule::Rule;

/// Content that no judge can read.
pub(super) struct Unread<'a> {
    /// Its bytes, if they could be decoded.
    pub(super) body: Option<Body<'a>>,
    /// What that is, for people.
    pub(super) by: &'static str,
    /// What it should be.
    pub(super) format: Option<Format>,
    pub(super) why: String,
}

impl<'a> Unread<'a> {
    /// Content of which nothing is known but its bytes.
    pub(super) fn bytes(body: Option<Body<'a>>, format: Option<Format>, why: String) -> Unread<'a> {
        Unread { body, by: "its bytes", format, why }
    }

    /// A list that breaks off: two of them differ if what could be read of them does.
    pub(super) fn beginning(body: Body<'a>, text: &'a str) -> Unread<'a> {
        let body = Some(Body { content: text.as_bytes(), is_coded: true, ..body });
        Unread { body, by: "what could be read of it", format: None, why: "it breaks off".to_owned() }
    }

    /// What can be said of it beside the version held: nothing, if that one was judged by more than its bytes.
    pub(super) fn compared(self, case: &Case<'_>) -> Compared {
        let Unread { body, by, format, why } = self;
        let (detector, before) = (&case.context.settings.detector, case.version_held().and_then(known));
        let judgement = match body {
            Some(body) => detector.judge_unread(before.as_ref(), body),
            None => detector.judge_undecoded(before.as_ref(), case.payload().0),
        };
        let detail = match judgement.rule {
            Rule::Unjudged => format!("nothing can be said of a change, since {why}"),
            _ => format!("judged by {by}, since {why}"),
        };
        Compared { judgement, detail: Some(detail), format }
    }
}
