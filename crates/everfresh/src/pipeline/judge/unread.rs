//! What cannot be read is no change of what could be: beside such a version nothing is said of it.

use super::{Compared, known, version_held};
use crate::archive::Digest;
use crate::detect::Rule;
use crate::meaning::Format;
use crate::pipeline::context::Context;
use crate::pipeline::visit::Assignment;

/// Content that no judge can read.
pub(super) struct Unread<'a> {
    /// Its decoded bytes, if there are any.
    pub(super) content: Option<&'a [u8]>,
    /// What it should be.
    pub(super) format: Option<Format>,
    pub(super) why: String,
}

impl Unread<'_> {
    /// What can be said of it beside the version held: nothing, if that one was judged by more than its bytes.
    pub(super) fn compared(self, context: &Context, page: &Assignment, payload: Digest) -> Compared {
        let Unread { content, format, why } = self;
        let before = version_held(page).and_then(known);
        let judgement = context.settings.detector.judge_unread(before.as_ref(), payload.0, content);
        let detail = match judgement.rule {
            Rule::Unjudged => format!("nothing can be said of a change, since {why}"),
            _ => format!("judged by its bytes, since {why}"),
        };
        Compared { judgement, detail: Some(detail), format }
    }
}
