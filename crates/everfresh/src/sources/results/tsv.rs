//! Results in TSV (SPARQL 1.1 Query Results CSV and TSV Formats): terms as Turtle writes them, with tabs escaped.
//!
//! Turtle has several spellings for a term; those of N-Triples are what a cell is made of. A cell that is no term, as some
//! endpoints send them, stays as it is.

use std::borrow::Cow;

use super::cell::XSD;
use super::{BadResults, Cell, Table, malformed};

/// Reads an answer in TSV.
pub(super) fn read(text: &str) -> Result<Table, BadResults> {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let columns: Vec<String> = header.split('\t').map(|name| name.trim_start_matches(['?', '$']).to_owned()).collect();
    let rows: Vec<Vec<Cell>> = lines.map(|line| line.split('\t').map(cell).collect()).collect();
    if breaks_off(text) {
        return Err(malformed("the last cell has no end"));
    }
    Table::of_rows(columns, rows, false)
}

/// Whether the last line has no end, nor the quotes or brackets of its last cell.
fn breaks_off(text: &str) -> bool {
    let last = text.rsplit(['\t', '\r', '\n']).next().unwrap_or_default();
    last.trim_start().starts_with(['"', '\'', '<']) && pieces(last).is_none()
}

fn cell(text: &str) -> Cell {
    let Some(pieces) = pieces(text) else { return Cell::Term(text.to_owned()) };
    let is_triple = pieces.first() == Some(&Cell::open()) && pieces.last() == Some(&Cell::close());
    if pieces.len() > 1 && !is_triple { Cell::Term(text.to_owned()) } else { Cell::of(pieces) }
}

/// The terms and brackets of a cell; `None` if it has anything else.
fn pieces(text: &str) -> Option<Vec<Cell>> {
    let (mut pieces, mut rest) = (Vec::new(), text.trim());
    while !rest.is_empty() {
        let (piece, behind) = piece(rest)?;
        pieces.push(piece);
        rest = behind.trim_start();
    }
    Some(pieces)
}

/// The term or bracket that a text begins with, and what is behind it.
fn piece(text: &str) -> Option<(Cell, &str)> {
    for open in ["<<(", "<<"] {
        if let Some(behind) = text.strip_prefix(open) {
            return Some((Cell::open(), behind));
        }
    }
    for close in [")>>", ">>"] {
        if let Some(behind) = text.strip_prefix(close) {
            return Some((Cell::close(), behind));
        }
    }
    if let Some(rest) = text.strip_prefix('<') {
        let (iri, behind) = rest.split_once('>')?;
        return Some((Cell::iri(&unescaped(iri)?), behind));
    }
    if text.starts_with(['"', '\'']) {
        return literal(text);
    }
    let end = text.find([' ', ')', '>']).unwrap_or(text.len());
    let (word, behind) = text.split_at(end);
    let cell = match word {
        _ if word.starts_with("_:") => Cell::Blank(word.to_owned()),
        _ => Cell::literal(word, None, Some(&format!("{XSD}{}", bare_type(word)?))),
    };
    Some((cell, behind))
}

/// The datatype of a literal that is written without quotes.
fn bare_type(word: &str) -> Option<&'static str> {
    if matches!(word, "true" | "false") {
        return Some("boolean");
    }
    let number = unsigned(word);
    let (mantissa, exponent) =
        number.split_once(['e', 'E']).map_or((number, None), |(left, right)| (left, Some(right)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(left, right)| (left, Some(right)));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fraction_digits = fraction.unwrap_or_default();
    let has_digits = !(whole.is_empty() && fraction_digits.is_empty());
    if !has_digits || !are_digits(whole) || !are_digits(fraction_digits) {
        return None;
    }
    match (exponent.map(unsigned), fraction) {
        (Some(exponent), _) => (!exponent.is_empty() && are_digits(exponent)).then_some("double"),
        (None, Some(fraction)) => (!fraction.is_empty()).then_some("decimal"),
        (None, None) => Some("integer"),
    }
}

fn unsigned(number: &str) -> &str {
    number.strip_prefix(['+', '-']).unwrap_or(number)
}

/// The literal in quotes that a text begins with, and what is behind it.
fn literal(text: &str) -> Option<(Cell, &str)> {
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| text.starts_with(quote))?;
    let rest = &text[quote.len()..];
    let end = closing(rest, quote)?;
    let (value, rest) = (unescaped(&rest[..end])?, &rest[end + quote.len()..]);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    let word = |rest: &str| rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    if let Some(tagged) = rest.strip_prefix('@') {
        let (language, behind) = tagged.split_at(word(tagged));
        return Some((Cell::literal(&value, Some(language), None), behind));
    }
    let Some(typed) = rest.strip_prefix("^^") else { return Some((Cell::literal(&value, None, None), rest)) };
    if let Some(iri) = typed.strip_prefix('<') {
        let (iri, behind) = iri.split_once('>')?;
        return Some((Cell::literal(&value, None, Some(&unescaped(iri)?)), behind));
    }
    // No prefix is declared anywhere, but everybody knows this one.
    let (name, behind) = typed.split_at(word(typed));
    let datatype = format!("{XSD}{}", name.strip_prefix("xsd:")?);
    Some((Cell::literal(&value, None, Some(&datatype)), behind))
}

/// Where a quote closes that is not escaped.
fn closing(text: &str, quote: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().enumerate().find_map(|(at, byte)| {
        let ends = !is_escaped && text.as_bytes()[at..].starts_with(quote.as_bytes());
        is_escaped = !is_escaped && byte == b'\\';
        ends.then_some(at)
    })
}

/// A text without escapes; `None` if one is not understood.
fn unescaped(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        out.push(match characters.next()? {
            't' => '\t',
            'b' => '\u{8}',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{c}',
            kept @ ('"' | '\'' | '\\') => kept,
            'u' => numbered(&mut characters, 4)?,
            'U' => numbered(&mut characters, 8)?,
            _ => return None,
        });
    }
    Some(Cow::Owned(out))
}

fn numbered(characters: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let number = (0..digits).try_fold(0, |number, _| Some(number << 4 | characters.next()?.to_digit(16)?))?;
    char::from_u32(number)
}
