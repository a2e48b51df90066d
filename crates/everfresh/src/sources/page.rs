//! A source that is asked as any page is: one GET, perhaps for media types of its own.

use bytes::Bytes;
use url::Url;

use super::handler::{Answer, Handler, Held, Refusal, Step};
use crate::fetch::Question;
use crate::meaning::Format;

/// One visit of such a source.
pub(super) struct Page {
    url: Url,
    accept: Option<String>,
    format: Option<Format>,
    body: Bytes,
}

impl Page {
    pub(super) fn new(url: &Url, accept: Option<String>) -> Page {
        Page { url: url.clone(), accept, format: None, body: Bytes::new() }
    }
}

impl Handler for Page {
    fn name(&self) -> &'static str {
        "http"
    }

    fn first(&self) -> Step {
        Step { url: self.url.clone(), question: Question { accept: self.accept.clone(), form: None } }
    }

    fn take(&mut self, answer: Answer) -> Result<Option<Step>, Refusal> {
        self.format = answer.format();
        self.body = self.format.map_or_else(|| answer.body.clone(), |format| answer.data(format));
        Ok(None)
    }

    fn finish(self: Box<Self>) -> Held {
        Held { format: self.format, body: self.body, any_order: false, only_values: false, listed: Vec::new() }
    }
}
