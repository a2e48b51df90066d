//! What of a page counts: clocks, counters and tokens are not changes.
//!
//! A user names elements to drop or to keep (CSS selectors) and patterns to ignore in the text, for the whole collection and
//! for single hosts. Selectors run on the HTML with [all ends written out](super::ends), XHTML made into such: `lol_html` tells which
//! pieces of text lie inside the named elements, those that do not count are cut out, and what is left goes through the same
//! extraction as every page. If no element to keep is on a page, all of it counts: a redesign must not make the watch blind. A
//! page whose elements cannot be matched has no text that counts, and nothing is said of it. Data is judged by what it says, and
//! has [rules](crate::meaning::Rules) of its own.

use super::{TextDigest, ends};
use crate::parse::{Kind, Parsed, collapse, decode_as, html_text, xhtml_as_html};
use lol_html::html_content::{Element, TextChunk};
use lol_html::{ElementContentHandlers, HtmlRewriter, MemorySettings, Selector, Settings, doc_text};
use regex::Regex;
use serde::Deserialize;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use thiserror::Error;

/// Changes whenever text extraction changes, so that stored digests are not taken for comparable ones.
const EXTRACTION_VERSION: u64 = 4;
/// What selectors may use for the open elements of one page; a page that needs more cannot be judged.
const MAX_SELECTOR_BYTES: usize = 64 * 1024 * 1024;

/// Filters as a user writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FilterRules {
    /// CSS selectors of elements whose text does not count.
    pub drop: Vec<String>,
    /// CSS selectors of the elements whose text alone counts; all if there are none.
    pub keep: Vec<String>,
    /// Regular expressions for pieces of text that do not count.
    pub ignore: Vec<String>,
}

/// Why filters could not be compiled.
#[derive(Debug, Error)]
pub enum FilterError {
    /// A selector is not CSS, or uses a part of CSS that cannot be matched while reading.
    #[error("the filter selector {selector:?} cannot be used: {reason}; correct or remove it")]
    Selector {
        /// The selector as written.
        selector: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A pattern is not a regular expression.
    #[error("the filter pattern {pattern:?} is not a regular expression: {source}; correct or remove it")]
    Pattern {
        /// The pattern as written.
        pattern: String,
        /// What is wrong with it.
        source: Box<regex::Error>,
    },
}

/// Which text of a page counts cannot be found out.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("its elements take more than {limit} bytes to match with the selectors of detect.drop and detect.keep")]
pub struct Unmatched {
    /// The bytes that matching may take.
    pub limit: usize,
}

/// The compiled filters of one host.
#[derive(Debug)]
pub struct Filters {
    drop: Vec<Selector>,
    keep: Vec<Selector>,
    ignore: Vec<Regex>,
    /// Of all of them, which hold for pages, and of the patterns alone, which hold for every text.
    of_pages: u64,
    of_text: u64,
}

impl Default for Filters {
    fn default() -> Filters {
        let (of_pages, of_text) = (EXTRACTION_VERSION, EXTRACTION_VERSION);
        Filters { drop: Vec::new(), keep: Vec::new(), ignore: Vec::new(), of_pages, of_text }
    }
}

impl Filters {
    /// Compiles several sets of rules into one: all of them hold.
    pub fn compile<'a>(rules: impl IntoIterator<Item = &'a FilterRules>) -> Result<Filters, FilterError> {
        let mut filters = Filters::default();
        let (mut of_pages, mut of_text) = (Fingerprint::default(), Fingerprint::default());
        for rules in rules {
            for (list, written) in [(&mut filters.drop, &rules.drop), (&mut filters.keep, &rules.keep)] {
                of_pages.add(written);
                for selector in written {
                    list.push(compile_selector(selector)?);
                }
            }
            of_pages.add(&rules.ignore);
            of_text.add(&rules.ignore);
            for pattern in &rules.ignore {
                filters.ignore.push(compile_pattern(pattern)?);
            }
        }
        (filters.of_pages, filters.of_text) = (of_pages.finish(), of_text.finish());
        Ok(filters)
    }

    /// Tells the filters that hold for content of this kind apart from others; stored with every digest they took part in.
    pub fn fingerprint(&self, kind: Kind) -> u64 {
        if kind == Kind::Html { self.of_pages } else { self.of_text }
    }

    /// Whether the digest of a text was made with these filters.
    pub(super) fn made(&self, digest: &TextDigest) -> bool {
        digest.is_made_with(self.of_pages) || digest.is_made_with(self.of_text)
    }

    /// The text of a page that counts. Without filters that is the text it was parsed to.
    pub fn text<'a>(&self, parsed: &'a Parsed, content: &[u8]) -> Result<Cow<'a, str>, Unmatched> {
        let has_selectors = !(self.drop.is_empty() && self.keep.is_empty());
        let mut text = Cow::Borrowed(parsed.text.as_str());
        if has_selectors && parsed.kind == Kind::Html {
            let markup = decode_as(content, parsed.charset);
            let html = if parsed.is_xml { xhtml_as_html(&markup) } else { ends::written_out(&markup, reading()) };
            let counted = html.and_then(|html| self.cut(&html)).ok_or(Unmatched { limit: MAX_SELECTOR_BYTES })?;
            text = Cow::Owned(html_text(&counted));
        }
        if !self.ignore.is_empty() {
            // Layout would tell where something was ignored.
            text = Cow::Owned(collapse(&text));
        }
        for pattern in &self.ignore {
            // A space, not nothing: the words around what is ignored must not grow together.
            if let Cow::Owned(rest) = pattern.replace_all(&text, " ") {
                text = Cow::Owned(collapse(&rest));
            }
        }
        Ok(text)
    }

    /// The page without the text that does not count; None if the page cannot be matched within the memory limit.
    fn cut(&self, html: &str) -> Option<String> {
        let (all, dropped, kept) = (Pieces::default(), Pieces::default(), Pieces::default());
        let settings = reading().append_document_content_handler(doc_text!(|piece| {
            note(&all, piece);
            Ok(())
        }));
        let (is_dropping, is_keeping) = (Cell::new(false), Cell::new(false));
        let settings = collect(settings, &self.drop, &dropped, &is_dropping);
        let settings = collect(settings, &self.keep, &kept, &is_keeping);
        let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
        rewriter.write(html.as_bytes()).ok()?;
        rewriter.end().ok()?;
        // An element to keep may be there and have no text.
        let kept = if is_keeping.get() { &kept } else { &all };
        Some(without(html, &all.borrow(), &dropped.borrow(), &kept.borrow()))
    }
}

/// How far a page is read to match its elements.
fn reading<'h>() -> Settings<'h, 'h> {
    let memory = MemorySettings::new().with_max_allowed_memory_usage(MAX_SELECTOR_BYTES);
    Settings::new().with_strict(false).with_memory_settings(memory)
}

/// Where pieces of text begin and end. Four bytes each: a hostile page has millions of pieces, none has 4 GB.
type Pieces = RefCell<Vec<(u32, u32)>>;

/// Notes where a piece of text lies; once, although text inside two matching elements is told twice in a row.
fn note(pieces: &Pieces, piece: &TextChunk<'_>) {
    let range = piece.source_location().bytes();
    let found = (u32::try_from(range.start).unwrap_or(u32::MAX), u32::try_from(range.end).unwrap_or(u32::MAX));
    let mut pieces = pieces.borrow_mut();
    if !range.is_empty() && pieces.last() != Some(&found) {
        pieces.push(found);
    }
}

/// Notes the text inside elements that match, and whether any does.
fn collect<'h>(
    mut settings: Settings<'h, 'h>,
    selectors: &'h [Selector],
    pieces: &'h Pieces,
    is_found: &'h Cell<bool>,
) -> Settings<'h, 'h> {
    for selector in selectors {
        let handlers = ElementContentHandlers::default()
            .element(|_: &mut Element<'_, '_>| {
                is_found.set(true);
                Ok(())
            })
            .text(|piece: &mut TextChunk<'_>| {
                note(pieces, piece);
                Ok(())
            });
        settings = settings.append_element_content_handler((Cow::Borrowed(selector), handlers));
    }
    settings
}

/// Copies `html` but for the pieces of text that are dropped or not kept. All lists are in document order.
fn without(html: &str, all: &[(u32, u32)], dropped: &[(u32, u32)], kept: &[(u32, u32)]) -> String {
    let mut out = String::with_capacity(html.len());
    let (mut dropped, mut kept) = (dropped.iter().peekable(), kept.iter().peekable());
    let mut copied = 0;
    for piece in all {
        let is_dropped = dropped.next_if_eq(&piece).is_some();
        let is_kept = kept.next_if_eq(&piece).is_some();
        if is_dropped || !is_kept {
            out.push_str(html.get(copied..piece.0 as usize).unwrap_or_default());
            copied = piece.1 as usize;
        }
    }
    out.push_str(html.get(copied..).unwrap_or_default());
    out
}

/// What selects no element, written as in all versions of CSS.
const PSEUDO_ELEMENTS: [&str; 5] = ["::", ":before", ":after", ":first-line", ":first-letter"];

/// Whether a selector names a pseudo-element, where no string says so and nothing is escaped. None can be matched, and within
/// `:not()` the library holds that there is none.
fn names_pseudo_element(selector: &str) -> bool {
    let (mut plain, mut quote, mut characters) = (String::new(), None, selector.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => _ = characters.next(),
            '"' | '\'' if quote.is_none() => quote = Some(character),
            _ if quote == Some(character) => quote = None,
            _ if quote.is_none() => plain.push(character.to_ascii_lowercase()),
            _ => {}
        }
    }
    PSEUDO_ELEMENTS.iter().any(|element| plain.contains(element))
}

fn compile_selector(selector: &str) -> Result<Selector, FilterError> {
    if names_pseudo_element(selector) {
        let reason = "a pseudo-element is no element of a page".to_owned();
        return Err(FilterError::Selector { selector: selector.into(), reason });
    }
    selector.parse().map_err(|error: lol_html::errors::SelectorError| FilterError::Selector {
        selector: selector.into(),
        reason: error.to_string(),
    })
}

fn compile_pattern(pattern: &str) -> Result<Regex, FilterError> {
    Regex::new(pattern).map_err(|error| FilterError::Pattern { pattern: pattern.into(), source: Box::new(error) })
}

/// Hashes lists of rules such that no two different sets of lists look alike.
#[derive(Default)]
struct Fingerprint {
    hasher: blake3::Hasher,
    has_rules: bool,
}

impl Fingerprint {
    fn add(&mut self, rules: &[String]) {
        self.has_rules |= !rules.is_empty();
        self.hasher.update(&rules.len().to_le_bytes());
        for rule in rules {
            self.hasher.update(&rule.len().to_le_bytes());
            self.hasher.update(rule.as_bytes());
        }
    }

    fn finish(&self) -> u64 {
        let digest = self.hasher.finalize();
        let mut first = [0; 8];
        first.copy_from_slice(&digest.as_bytes()[..8]);
        if self.has_rules { u64::from_be_bytes(first) ^ EXTRACTION_VERSION } else { EXTRACTION_VERSION }
    }
}

/// The filters of a collection: those of all pages, and for some hosts more.
#[derive(Debug, Default)]
pub struct FilterBook {
    common: Filters,
    hosts: HashMap<String, Filters>,
}

impl FilterBook {
    /// Compiles the rules of the collection and those that single hosts have besides.
    pub fn compile(common: &FilterRules, hosts: &HashMap<String, FilterRules>) -> Result<FilterBook, FilterError> {
        let compiled =
            hosts.iter().map(|(host, rules)| Ok((host.to_ascii_lowercase(), Filters::compile([common, rules])?)));
        Ok(FilterBook { common: Filters::compile([common])?, hosts: compiled.collect::<Result<_, FilterError>>()? })
    }

    /// The filters for pages of this host.
    pub fn of(&self, host: &str) -> &Filters {
        self.hosts.get(host).unwrap_or(&self.common)
    }
}
