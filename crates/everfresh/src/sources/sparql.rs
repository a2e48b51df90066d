//! SPARQL endpoints: a stored query is put to them, by GET if it fits into a URL and by POST if not.
//!
//! Endpoints cut long answers short without a word. So an answer of a round number of results is suspected, and one that says
//! itself that it was cut is believed. The rest of an answer with an order is asked for part by part (LIMIT and OFFSET), and
//! the union of all parts is the version. Of a table without an order one more row is asked for; if there is one, the visit
//! fails and says so: some rows of an unknown order are no version of anything.

use std::collections::HashSet;

use bytes::Bytes;
use url::Url;
use url::form_urlencoded::Serializer;

use super::handler::{Answer, Handler, Held, Refusal, Step};
use super::query::{BadQuery, DUMP, Form, Query};
use super::results::Table;
use super::{Source, graph};
use crate::fetch::Question;
use crate::meaning::Format;
use crate::parse::normalise;

/// An answer has at most so many parts.
const MAX_PARTS: usize = 1000;
/// What endpoints cut their answers to are multiples of this.
const ROUND: u64 = 100;

/// The page that a query to an endpoint is: the URL that asks it or, if that is too long, the endpoint's with a fragment that
/// names the query.
pub fn page_of(endpoint: &Url, query: Option<&str>) -> Result<Url, BadQuery> {
    let query = query.unwrap_or(DUMP);
    Query::read(query)?;
    Ok(asking(endpoint, query).unwrap_or_else(|| {
        let mut page = endpoint.clone();
        page.set_fragment(Some(&format!("query-{}", &blake3::hash(query.as_bytes()).to_hex()[..16])));
        page
    }))
}

/// The URL that asks a query, if it is not too long.
fn asking(endpoint: &Url, query: &str) -> Option<Url> {
    let mut url = endpoint.clone();
    url.query_pairs_mut().append_pair("query", query);
    normalise::normalise(url).ok()
}

/// One visit of a SPARQL source.
pub(super) struct Sparql {
    page: Url,
    /// The endpoint's own address.
    endpoint: Url,
    query: Query,
    accept: String,
    state: State,
    union: Union,
    parts: usize,
    /// Digests of the parts so far.
    seen: HashSet<blake3::Hash>,
}

/// What the next answer is.
enum State {
    /// That to the query as it is.
    Whole,
    /// A part of so many solutions, from this one on.
    Part { offset: u64, size: u64 },
    /// Whether there is one more row than these.
    Probe { results: u64 },
}

/// What the answers gave so far.
enum Union {
    Nothing,
    Table(Table),
    /// The one answer, as it came.
    Graph(Format, Answer),
    /// Several answers, as N-Triples.
    Lines(String),
}

impl Sparql {
    pub(super) fn new(page: &Url, source: &Source) -> Result<Sparql, Refusal> {
        let query = Query::read(source.query.as_deref().unwrap_or(DUMP))?;
        let accept = source.accept.clone().unwrap_or_else(|| query.form().accept().to_owned());
        let endpoint = endpoint_of(page);
        let (state, union) = (State::Whole, Union::Nothing);
        Ok(Sparql { page: page.clone(), endpoint, query, accept, state, union, parts: 0, seen: HashSet::new() })
    }

    /// A request for a query.
    fn step(&self, query: &str) -> Step {
        let accept = Some(self.accept.clone());
        match asking(&self.endpoint, query).filter(|_| self.page.fragment().is_none()) {
            Some(url) => Step { url, question: Question { accept, form: None } },
            None => {
                let form = Serializer::new(String::new()).append_pair("query", query).finish();
                let mut url = self.page.clone();
                if self.parts > 0 {
                    url.set_fragment(Some(&format!("{}-{}", self.page.fragment().unwrap_or("query"), self.parts + 1)));
                }
                Step { url, question: Question { accept, form: Some(form) } }
            }
        }
    }

    /// The request for a part, from now on.
    fn part(&mut self, offset: u64, size: u64) -> Option<Step> {
        self.state = State::Part { offset, size };
        Some(self.step(&self.query.part(offset, size)))
    }

    /// What an answer gives, and how many results that is.
    fn read(&self, answer: Answer) -> Result<(Union, u64), Refusal> {
        let bad = |error: String| Refusal::Unreadable(error);
        if matches!(self.query.form(), Form::Select | Form::Ask) {
            let table = Table::read(&answer).map_err(|error| bad(error.to_string()))?;
            let rows = table.len() as u64;
            return Ok((Union::Table(table), rows));
        }
        let format = answer.format().ok_or_else(|| bad(format!("{} holds no triples", answer.media_type())))?;
        let mut triples = 0;
        let answer = Answer { body: answer.data(format), ..answer };
        graph::each_triple(format, &answer.body, &answer.url, |_| triples += 1).map_err(bad)?;
        Ok((Union::Graph(format, answer), triples))
    }

    /// After the answer to the query as it is: complete, or how to go on.
    fn go_on(&mut self, results: u64, certain: bool) -> Result<Option<Step>, Refusal> {
        let suspected = certain || (results > 0 && results.is_multiple_of(ROUND));
        if !suspected || self.query.limit().is_some_and(|limit| results >= limit) {
            return Ok(None);
        }
        match self.query.solutions(results) {
            Some(size) if self.query.is_pageable() => Ok(self.part(size, size)),
            _ if certain => Err(truncated(results, &self.query)),
            _ if self.query.is_whole() && self.query.form() == Form::Select => {
                self.state = State::Probe { results };
                Ok(Some(self.step(&self.query.part(results, 1))))
            }
            _ => Ok(None),
        }
    }

    fn count_part(&mut self) -> Result<(), Refusal> {
        self.parts += 1;
        if self.parts > MAX_PARTS { Err(Refusal::TooManyParts { limit: MAX_PARTS }) } else { Ok(()) }
    }
}

impl Handler for Sparql {
    fn name(&self) -> &'static str {
        "sparql"
    }

    fn first(&self) -> Step {
        let mut step = self.step(self.query.text());
        // The page's own address, also where an endpoint redirected it to another spelling.
        step.url = self.page.clone();
        step
    }

    fn take(&mut self, answer: Answer) -> Result<Option<Step>, Refusal> {
        if answer.is_web_page() {
            let url = self.endpoint.to_string();
            return Err(Refusal::WebPage { url, wanted: "results", whose: "endpoint" });
        }
        self.count_part()?;
        let (certain, digest) = (says_it_is_cut(&answer), blake3::hash(&answer.body));
        let (found, results) = self.read(answer)?;
        let repeated = !self.seen.insert(digest);
        match self.state {
            State::Whole => {
                self.union = found;
                self.go_on(results, certain)
            }
            State::Probe { .. } if results == 0 => Ok(None),
            State::Probe { results: given } => Err(truncated(given, &self.query)),
            State::Part { .. } if repeated && results > 0 => Err(Refusal::Repeats { results }),
            State::Part { offset, size } => {
                let more = match self.query.form() {
                    Form::Select => results >= size,
                    _ => results > 0,
                };
                self.union = std::mem::replace(&mut self.union, Union::Nothing).with(found)?;
                Ok(if more { self.part(offset + size, size) } else { None })
            }
        }
    }

    fn finish(self: Box<Self>) -> Held {
        let any_order = !self.query.is_ordered();
        let held = |format, body, only_values| Held { format, body, any_order, only_values, listed: Vec::new() };
        match self.union {
            Union::Nothing => held(None, Bytes::new(), false),
            Union::Table(table) => held(Some(Format::Csv), table.to_csv().into(), table.has_only_values()),
            Union::Graph(format, answer) => held(Some(format), answer.body, false),
            Union::Lines(lines) => held(Some(Format::NTriples), lines.into(), false),
        }
    }
}

impl Union {
    /// This and a further part.
    fn with(self, part: Union) -> Result<Union, Refusal> {
        match (self, part) {
            (Union::Table(mut table), Union::Table(part)) => {
                table.append(part).map_err(|error| Refusal::Unreadable(error.to_string()))?;
                Ok(Union::Table(table))
            }
            (Union::Graph(format, answer), part) => {
                let mut lines = String::new();
                push(format, &answer, &mut lines)?;
                Union::Lines(lines).with(part)
            }
            (Union::Lines(mut lines), Union::Graph(format, answer)) => {
                push(format, &answer, &mut lines)?;
                Ok(Union::Lines(lines))
            }
            (_, part) => Ok(part),
        }
    }
}

fn push(format: Format, answer: &Answer, lines: &mut String) -> Result<(), Refusal> {
    let part = lines.len();
    graph::each_triple(format, &answer.body, &answer.url, |triple| graph::push_line(&triple, part, lines))
        .map_err(Refusal::Unreadable)
}

fn truncated(results: u64, query: &Query) -> Refusal {
    let advice = match query.form() {
        _ if query.is_pageable() => "ask for one triple a solution, so that it can be read part by part",
        Form::Select | Form::Construct if query.limit().is_some() => "ask for fewer",
        Form::Select | Form::Construct => "add ORDER BY, so that it can be read part by part",
        Form::Ask | Form::Describe => "ask for less",
    };
    Refusal::Truncated { results, advice }
}

/// Whether an answer says itself that it is not all: by status 206, or by the header of the most used endpoint.
fn says_it_is_cut(answer: &Answer) -> bool {
    answer.status == 206 || answer.headers.contains_key("x-sparql-maxrows")
}

/// A page's address without the query in it.
fn endpoint_of(page: &Url) -> Url {
    let mut endpoint = page.clone();
    endpoint.set_fragment(None);
    let others: Vec<(String, String)> = page
        .query_pairs()
        .filter(|(name, _)| name != "query")
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    if others.is_empty() {
        endpoint.set_query(None);
    } else {
        endpoint.query_pairs_mut().clear().extend_pairs(others);
    }
    endpoint
}

#[cfg(test)]
mod tests;
