//! Reads markup where markup can begin.
//!
//! Many who write feeds do not escape the `<` in "1 < 2". It is text unless a name follows, or what begins an end tag, a comment,
//! a section of character data, a document type or an instruction. Each is looked at once, from where it stands, so that a
//! document of nothing else still takes linear time.

use quick_xml::Reader;
use quick_xml::events::{BytesText, Event};

/// A document, as far as it is not read.
pub(super) struct Markup<'t>(Reader<&'t [u8]>);

impl<'t> Markup<'t> {
    pub(super) fn new(document: &'t str) -> Markup<'t> {
        Markup(lenient(document.as_bytes()))
    }

    /// What comes next.
    pub(super) fn event(&mut self) -> quick_xml::Result<Event<'t>> {
        match *self.0.get_ref() {
            [b'<', behind @ ..] if !begins_markup(behind) => {
                self.0 = lenient(behind);
                Ok(Event::Text(BytesText::from_escaped("<")))
            }
            _ => self.0.read_event(),
        }
    }
}

/// A reader for which elements need not end where they should.
fn lenient(document: &[u8]) -> Reader<&[u8]> {
    let mut reader = Reader::from_reader(document);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    reader
}

/// Whether what stands behind a `<` makes it one of markup. What breaks off is no text: it might have become markup.
fn begins_markup(behind: &[u8]) -> bool {
    match behind {
        [b'/' | b'?', name @ ..] => begins_name(name),
        [b'!', declaration @ ..] => {
            let begins = |mark: &[u8]| mark.iter().zip(declaration).all(|(one, other)| one == other);
            let is_type = b"DOCTYPE".iter().zip(declaration).all(|(one, other)| one.eq_ignore_ascii_case(other));
            begins(b"--") || begins(b"[CDATA[") || is_type
        }
        name => begins_name(name),
    }
}

fn begins_name(text: &[u8]) -> bool {
    let first = text[..text.len().min(4)].utf8_chunks().next();
    let first = first.and_then(|chunk| chunk.valid().chars().next());
    first.is_none_or(|first| first.is_alphabetic() || matches!(first, '_' | ':'))
}
