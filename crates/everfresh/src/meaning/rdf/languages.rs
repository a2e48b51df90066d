//! `xml:lang=""` says that what is within has no language (XML 1.0, section 2.12). The parser of RDF/XML knows no such, and refuses
//! the document; so it is given the name of a language that nobody speaks, which is taken away from what it read.

use std::borrow::Cow;

use memchr::memmem;
use oxrdf::vocab::rdf;
use oxrdf::{Literal, Term, Triple};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, Writer};

use super::super::Unreadable;

const NAME: &str = "xml:lang";
/// For private use, as BCP 47 has it.
const NOBODYS: &str = "x-no-language";

/// A [plain](super::super::xml::plain) document in which every language has a name.
pub(super) fn named(text: &str) -> Result<Cow<'_, str>, Unreadable> {
    if memmem::find_iter(text.as_bytes(), NAME).all(|at| !is_empty(&text[at + NAME.len()..])) {
        return Ok(Cow::Borrowed(text));
    }
    let malformed = |problem: String| Unreadable::malformed("RDF/XML", problem);
    let (mut reader, mut writer) = (Reader::from_str(text), Writer::new(Vec::with_capacity(text.len())));
    loop {
        let event = match reader.read_event().map_err(|error| malformed(error.to_string()))? {
            Event::Eof => break,
            Event::Start(element) => Event::Start(with_name(&element)),
            Event::Empty(element) => Event::Empty(with_name(&element)),
            other => other,
        };
        writer.write_event(event).map_err(|error| malformed(error.to_string()))?;
    }
    String::from_utf8(writer.into_inner()).map(Cow::Owned).map_err(|error| malformed(error.to_string()))
}

/// Whether what follows the name may say that there is none.
fn is_empty(text: &str) -> bool {
    let value = text.trim_start().strip_prefix('=').map(str::trim_start);
    value.is_some_and(|value| value.starts_with("\"\"") || value.starts_with("''"))
}

fn with_name(element: &BytesStart<'_>) -> BytesStart<'static> {
    let mut named = BytesStart::new(element.name().as_ref().to_owned());
    for attribute in element.attributes().with_checks(false).flatten() {
        match attribute.key.as_ref() {
            NAME if attribute.value.is_empty() => named.push_attribute((NAME, NOBODYS)),
            _ => named.push_attribute(attribute),
        }
    }
    named
}

/// A triple as it was meant.
pub(super) fn without_name(mut triple: Triple) -> Triple {
    if let Term::Literal(literal) = &triple.object {
        if literal.language() == Some(NOBODYS) {
            triple.object = Literal::new_simple_literal(literal.value()).into();
        } else if literal.datatype() == rdf::XML_LITERAL && literal.value().contains(NOBODYS) {
            triple.object = Literal::new_typed_literal(literal.value().replace(NOBODYS, ""), rdf::XML_LITERAL).into();
        }
    }
    triple
}
