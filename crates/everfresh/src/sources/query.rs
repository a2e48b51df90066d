//! What a SPARQL query asks for, as far as asking it needs to know: its form, its order, and how to ask for a part of it.
//!
//! This is no parser of SPARQL: an endpoint is the judge of what it accepts. It is a scanner that tells words and braces
//! from strings, IRIs and comments, and looks at the words outside of braces: there stand the form and the modifiers.

use std::ops::Range;

/// What a query gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A table.
    Select,
    /// Yes or no.
    Ask,
    /// A graph, made from a template.
    Construct,
    /// A graph, as the endpoint sees fit.
    Describe,
}

impl Form {
    /// Its keyword.
    pub fn name(self) -> &'static str {
        match self {
            Form::Select => "SELECT",
            Form::Ask => "ASK",
            Form::Construct => "CONSTRUCT",
            Form::Describe => "DESCRIBE",
        }
    }

    /// The media types to ask for, best first.
    pub fn accept(self) -> &'static str {
        match self {
            Form::Select | Form::Ask => {
                "application/sparql-results+json, application/sparql-results+xml;q=0.9, text/csv;q=0.8"
            }
            Form::Construct | Form::Describe => {
                "text/turtle, application/n-triples;q=0.9, application/rdf+xml;q=0.7, application/ld+json;q=0.6"
            }
        }
    }
}

/// A query and what its words say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    text: String,
    form: Form,
    ordered: bool,
    limit: Option<u64>,
    /// Whether it says itself which part of the results it wants.
    cut: bool,
    /// Where a further modifier goes: before a last VALUES, or at the end.
    modifiers_end: usize,
    /// The most triples that one solution makes; `None` if that cannot be told.
    triples: Option<usize>,
}

/// Why a text is no query that can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadQuery {
    /// It has no keyword of a query.
    #[error("it has none of SELECT, ASK, CONSTRUCT and DESCRIBE outside of braces")]
    NoForm,
    /// It would change the data.
    #[error("it would change the data; only queries are asked")]
    Update,
    /// A brace or a string has no end.
    #[error("its braces or quotes do not match")]
    Braces,
}

/// All triples of the default graph, in an order that lets it be read part by part.
pub(super) const DUMP: &str = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } ORDER BY ?s ?p ?o";

impl Query {
    /// Looks at a query.
    pub fn read(text: &str) -> Result<Query, BadQuery> {
        let words = scan(text)?;
        let place = |name: &str| words.iter().position(|word| word.is(text, name));
        let is_update = ["INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH"];
        let forms = [Form::Select, Form::Ask, Form::Construct, Form::Describe];
        let found = forms.into_iter().filter_map(|form| Some((place(form.name())?, form)));
        let (start, form) =
            found.min_by_key(|(place, _)| *place).ok_or(if is_update.iter().any(|name| place(name).is_some()) {
                BadQuery::Update
            } else {
                BadQuery::NoForm
            })?;
        let number = |place: usize| words.get(place + 1).and_then(|word| text[word.range.clone()].parse().ok());
        let modifier = |name: &str| words[start..].iter().position(|word| word.is(text, name)).map(|at| start + at);
        let limit = modifier("LIMIT");
        Ok(Query {
            form,
            ordered: modifier("ORDER").is_some(),
            limit: limit.and_then(number),
            cut: limit.or(modifier("OFFSET")).is_some(),
            modifiers_end: modifier("VALUES").map_or(text.len(), |values| words[values].range.start),
            triples: (form == Form::Construct).then(|| template(text, &words, start)).flatten(),
            text: text.to_owned(),
        })
    }

    /// What it gives.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The query as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the order of its results is part of the answer.
    pub fn is_ordered(&self) -> bool {
        self.ordered
    }

    /// The number of results it asks for, if it does.
    pub fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Solutions that surely went into so many rows or triples of the answer: where the next part may begin without a gap.
    pub fn solutions(&self, results: u64) -> Option<u64> {
        match self.form {
            Form::Select => Some(results),
            Form::Construct => Some(results / self.triples? as u64),
            Form::Ask | Form::Describe => None,
        }
        .filter(|solutions| *solutions > 0)
    }

    /// Whether parts of its answer can be asked for and fit together: it has an order, and no LIMIT or OFFSET of its own.
    pub fn is_pageable(&self) -> bool {
        self.ordered && self.is_whole()
    }

    /// Whether it asks for all results there are.
    pub fn is_whole(&self) -> bool {
        let counted = matches!(self.form, Form::Select | Form::Construct);
        counted && !self.cut
    }

    /// The same query for a part of the answer.
    pub fn part(&self, offset: u64, limit: u64) -> String {
        let (before, after) = self.text.split_at(self.modifiers_end);
        // On a line of its own: the query may end in a comment.
        format!("{before}\nLIMIT {limit} OFFSET {offset}\n{after}")
    }
}

/// A word outside of braces, or a pair of braces.
#[derive(Clone, Debug)]
struct Word {
    range: Range<usize>,
    braces: bool,
}

impl Word {
    fn is(&self, text: &str, name: &str) -> bool {
        !self.braces && text[self.range.clone()].eq_ignore_ascii_case(name)
    }
}

/// The words outside of braces, and the braces.
fn scan(text: &str) -> Result<Vec<Word>, BadQuery> {
    let (mut words, mut open, mut depth, mut at) = (Vec::new(), 0, 0_usize, 0);
    while let Some(token) = token(text, at) {
        at = token.range.end;
        match (token.kind, depth) {
            (TokenKind::Open, 0) => (open, depth) = (token.range.start, 1),
            (TokenKind::Open, _) => depth += 1,
            (TokenKind::Close, 0) | (TokenKind::Endless, _) => return Err(BadQuery::Braces),
            (TokenKind::Close, 1) => {
                depth = 0;
                words.push(Word { range: open..token.range.end, braces: true });
            }
            (TokenKind::Close, _) => depth -= 1,
            (TokenKind::Word, 0) => words.push(Word { range: token.range, braces: false }),
            _ => {}
        }
    }
    if depth > 0 { Err(BadQuery::Braces) } else { Ok(words) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    /// A keyword or a number; a variable or a prefixed name is one too.
    Word,
    Open,
    Close,
    /// A string, an IRI, a comment.
    Opaque,
    /// A string that nothing ends.
    Endless,
    /// Any other sign.
    Sign,
}

struct Token {
    kind: TokenKind,
    range: Range<usize>,
}

/// The token at or after a place.
fn token(text: &str, from: usize) -> Option<Token> {
    let bytes = text.as_bytes();
    let start = from + bytes.get(from..)?.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let rest = &bytes[start..];
    let (kind, length) = match rest[0] {
        b'{' => (TokenKind::Open, 1),
        b'}' => (TokenKind::Close, 1),
        b'#' => (TokenKind::Opaque, rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())),
        b'"' | b'\'' => string(rest).map_or((TokenKind::Endless, rest.len()), |length| (TokenKind::Opaque, length)),
        b'<' => iri(rest).map_or((TokenKind::Sign, 1), |length| (TokenKind::Opaque, length)),
        byte if is_word(byte) => (TokenKind::Word, word(rest)),
        _ => (TokenKind::Sign, 1),
    };
    Some(Token { kind, range: start..start + length })
}

/// The length of the word that begins here; signs that are escaped are part of it.
fn word(rest: &[u8]) -> usize {
    let is_escaped = |at: usize| rest[at] == b'\\' && rest.get(at + 1).is_some_and(|sign| ESCAPED.contains(sign));
    let mut at = 0;
    while rest.get(at).is_some_and(|byte| is_word(*byte)) {
        at += if is_escaped(at) { 2 } else { 1 };
    }
    at
}

/// What a local name may hold behind a backslash.
const ESCAPED: &[u8] = b"_~.-!$&'()*+,;=/?#@%";

/// Letters, digits and the signs of variables and prefixed names; a name with a dot in it comes in pieces, which does no harm.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'?' | b'$' | b':' | b'-' | b'@' | b'\\') || byte >= 0x80
}

/// The length of the string, short or long, that begins here; `None` if nothing ends it.
fn string(rest: &[u8]) -> Option<usize> {
    let quote = rest[0];
    let long = rest.len() >= 3 && rest[1] == quote && rest[2] == quote;
    let width = if long { 3 } else { 1 };
    let mut at = width;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote && rest[at..].iter().take(width).filter(|next| **next == quote).count() == width => {
                return Some(at + width);
            }
            _ => at += 1,
        }
    }
    None
}

/// The length of the IRI that begins here; `None` if this is a sign of comparison.
fn iri(rest: &[u8]) -> Option<usize> {
    let end = rest.iter().position(|byte| *byte == b'>')?;
    let fits = |byte: &u8| *byte > b' ' && !matches!(byte, b'<' | b'"' | b'{' | b'}' | b'|' | b'^' | b'`');
    rest[1..end].iter().all(fits).then_some(end + 1)
}

/// The most triples that one solution makes by the template of a CONSTRUCT. Lists make triples that nobody wrote down.
fn template(text: &str, words: &[Word], start: usize) -> Option<usize> {
    let braces = words[start..].iter().find(|word| word.braces)?;
    let inner = braces.range.start + 1..braces.range.end - 1;
    let (mut triples, mut at) = (1, inner.start);
    while let Some(token) = token(&text[..inner.end], at) {
        at = token.range.end;
        match (token.kind, &text[token.range]) {
            (TokenKind::Sign, "(") => return None,
            (TokenKind::Sign, "." | ";" | "," | "[") => triples += 1,
            _ => {}
        }
    }
    Some(triples)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Query {
        Query::read(text).unwrap()
    }

    #[test]
    fn the_form_stands_outside_of_braces_strings_and_comments() {
        let prologue = "# SELECT nothing\nBASE <http://a/CONSTRUCT> PREFIX ask: <http://b/#ask>\n";
        for (query, form) in [
            ("SELECT * { ?s ?p 'DESCRIBE' }", Form::Select),
            ("ask { { SELECT ?s { ?s ?p ?o } } }", Form::Ask),
            ("CONSTRUCT WHERE { ?s ?p ?o }", Form::Construct),
            ("Describe <http://a/SELECT>", Form::Describe),
        ] {
            assert_eq!(read(&format!("{prologue}{query}")).form(), form, "{query}");
        }
    }

    #[test]
    fn what_is_no_query_is_told_why() {
        assert_eq!(Query::read("INSERT DATA { <a:a> <a:b> 1 }"), Err(BadQuery::Update));
        assert_eq!(Query::read("hello"), Err(BadQuery::NoForm));
        assert_eq!(Query::read(""), Err(BadQuery::NoForm));
        assert_eq!(Query::read("SELECT * { ?s ?p ?o"), Err(BadQuery::Braces));
        assert_eq!(Query::read("SELECT * } {"), Err(BadQuery::Braces));
        assert_eq!(Query::read("SELECT ?s { ?s ?p ?o } '''"), Err(BadQuery::Braces));
        assert_eq!(Query::read("SELECT ?s { ?s ex:p 'o }"), Err(BadQuery::Braces));
        assert_eq!(read("SELECT ?s { ?s ?p ex:o\\'brien }").form(), Form::Select);
    }

    #[test]
    fn only_the_order_of_the_outermost_query_counts() {
        assert!(
            !read("SELECT * { { SELECT ?s { ?s ?p ?o } ORDER BY ?s LIMIT 3 } FILTER (?s < 3 && 3 > ?s) }").is_ordered()
        );
        let query = read("SELECT * { ?s ?p ?o } order by DESC(?s) limit 20 # OFFSET 3");
        assert!(query.is_ordered() && !query.is_pageable());
        assert_eq!(query.limit(), Some(20));
        assert!(read("SELECT * { ?s ?p ?o } ORDER BY ?s").is_pageable());
        assert!(!read("SELECT * { ?s ?p ?o } ORDER BY ?s OFFSET 5").is_pageable());
        assert!(!read("ASK { ?s ?p ?o } ORDER BY ?s").is_pageable());
    }

    #[test]
    fn a_part_is_asked_for_where_modifiers_stand() {
        let ends_in_a_comment = read("SELECT * { ?s ?p ?o } ORDER BY ?s # all of it").part(20, 10);
        assert!(ends_in_a_comment.ends_with("# all of it\nLIMIT 10 OFFSET 20\n"), "{ends_in_a_comment}");
        let with_values = read("SELECT * { ?s ?p ?o } ORDER BY ?s VALUES ?p { <a:p> }").part(0, 5);
        assert!(with_values.contains("ORDER BY ?s \nLIMIT 5 OFFSET 0\nVALUES ?p"), "{with_values}");
        assert_eq!(read(&with_values).limit(), Some(5));
    }

    #[test]
    fn triples_of_a_template_are_counted_from_above() {
        let solutions =
            |template: &str| read(&format!("CONSTRUCT {{ {template} }} WHERE {{ ?s ?p ?o }}")).solutions(1000);
        assert_eq!(solutions("?s ?p ?o"), Some(1000));
        assert_eq!(solutions("?s ?p ?o ; <a:b> 'x . y' , ?o . ?o <a:c.d> ?s"), Some(250));
        assert_eq!(solutions("?s ?p [ <a:b> ?o ]"), Some(500));
        assert_eq!(solutions("?s ?p ( 1 2 3 )"), None);
        assert_eq!(read("SELECT * { ?s ?p ?o }").solutions(7), Some(7));
        assert_eq!(read("ASK { }").solutions(7), None);
    }

    #[test]
    fn the_dump_can_be_read_in_parts() {
        let dump = read(DUMP);
        assert!(dump.is_pageable() && dump.solutions(10) == Some(10));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,80}", soup in "[{}<>'\"#\\\\. a-zA-Z?]{0,60}") {
            let _ = Query::read(&text);
            let _ = Query::read(&format!("SELECT {soup}"));
        }

        #[test]
        fn a_part_of_a_query_is_a_query_with_a_limit(filter in "[a-z<>= ]{0,20}", offset: u32, limit in 1..9999_u64) {
            let query = read(&format!("SELECT ?s {{ ?s ?p ?o FILTER ('{filter}' != ?o) }} ORDER BY ?s"));
            prop_assert_eq!(read(&query.part(offset.into(), limit)).limit(), Some(limit));
        }
    }
}
