//! Visits of an endpoint that is played by the test: what is asked, and what the answers come to.

use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue};

use super::*;
use crate::sources::Kind;

const SELECT: &str = "SELECT ?s { ?s ?p ?o }";
const ORDERED: &str = "SELECT ?s { ?s ?p ?o } ORDER BY ?s";

fn endpoint() -> Url {
    Url::parse("http://a.test/sparql?default-graph-uri=x").unwrap()
}

fn source(query: &str) -> Source {
    Source { kind: Kind::Sparql, query: Some(query.into()), ..Source::default() }
}

fn visit(query: &str) -> Sparql {
    Sparql::new(&page_of(&endpoint(), Some(query)).unwrap(), &source(query)).unwrap()
}

fn answer(media_type: &'static str, body: String) -> Answer {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(media_type))]);
    Answer { url: endpoint(), status: 200, headers, body: body.into() }
}

/// Rows with these numbers.
fn rows(numbers: std::ops::Range<u32>) -> Answer {
    let lines: String = numbers.map(|number| format!("http://s/{number}\n")).collect();
    answer("text/csv", format!("s\n{lines}"))
}

fn triples(numbers: std::ops::Range<u32>) -> Answer {
    answer("text/turtle", numbers.map(|number| format!("_:a <http://p/> {number} .\n")).collect())
}

fn asked(step: &Step) -> String {
    let query = step.url.query_pairs().find(|(name, _)| name == "query").map(|(_, query)| query.into_owned());
    query.unwrap_or_else(|| {
        let form = step.question.form.as_deref().unwrap_or_default();
        url::form_urlencoded::parse(form.as_bytes()).next().unwrap().1.into_owned()
    })
}

#[test]
fn a_query_that_fits_is_a_url_and_a_long_one_is_posted() {
    let first = visit(SELECT).first();
    assert_eq!(first.url.as_str(), "http://a.test/sparql?default-graph-uri=x&query=SELECT+%3Fs+%7B+%3Fs+%3Fp+%3Fo+%7D");
    assert_eq!((asked(&first).as_str(), first.question.form), (SELECT, None));
    assert!(first.question.accept.unwrap().starts_with("application/sparql-results+json"));
    let long = format!("{SELECT} # {}", "x".repeat(3000));
    let posted = visit(&long).first();
    assert!(posted.url.as_str().starts_with("http://a.test/sparql?default-graph-uri=x#query-"), "{}", posted.url);
    assert_eq!(asked(&posted), long);
    assert!(page_of(&endpoint(), Some("DROP ALL")).is_err());
}

#[test]
fn a_short_answer_is_whole() {
    let mut visit = visit(SELECT);
    assert_eq!(visit.take(rows(0..7)).unwrap(), None);
    let held = Box::new(visit).finish();
    assert_eq!((held.format, held.any_order, held.body.len()), (Some(Format::Csv), true, "s\n".len() + 7 * 11));
}

#[test]
fn an_ordered_answer_is_read_part_by_part() {
    let mut visit = visit(ORDERED);
    let step = visit.take(rows(0..1000)).unwrap().unwrap();
    assert!(asked(&step).ends_with("ORDER BY ?s\nLIMIT 1000 OFFSET 1000\n"), "{}", asked(&step));
    let step = visit.take(rows(1000..2000)).unwrap().unwrap();
    assert!(asked(&step).ends_with("LIMIT 1000 OFFSET 2000\n"));
    assert_eq!(visit.take(rows(2000..2003)).unwrap(), None);
    let held = Box::new(visit).finish();
    assert!(!held.any_order);
    assert_eq!(held.body.iter().filter(|byte| **byte == b'\n').count(), 2004);
}

#[test]
fn parts_of_what_is_posted_are_told_apart() {
    let long = format!("{ORDERED} # {}", "x".repeat(3000));
    let mut visit = visit(&long);
    let first = visit.first().url;
    let second = visit.take(rows(0..1000)).unwrap().unwrap();
    let third = visit.take(rows(1000..2000)).unwrap().unwrap();
    assert!(second.question.form.is_some() && first != second.url && second.url != third.url);
    assert_eq!(second.url.as_str(), format!("{first}-2"));
}

#[test]
fn an_answer_without_order_that_is_cut_is_refused() {
    let mut cut = visit(SELECT);
    let step = cut.take(rows(0..10_000)).unwrap().unwrap();
    assert!(asked(&step).ends_with("LIMIT 1 OFFSET 10000\n"));
    let refusal = cut.take(rows(10_000..10_001)).unwrap_err();
    assert_eq!(refusal.rule().name(), "truncated");
    assert!(refusal.to_string().contains("10000 results and has more; add ORDER BY"), "{refusal}");
    let mut whole = visit(SELECT);
    whole.take(rows(0..10_000)).unwrap().unwrap();
    assert_eq!(whole.take(rows(0..0)).unwrap(), None);
    assert_eq!(Box::new(whole).finish().body.iter().filter(|byte| **byte == b'\n').count(), 10_001);
}

#[test]
fn an_answer_that_says_it_is_cut_is_believed() {
    let cut = || {
        let mut answer = rows(0..77);
        answer.headers.insert(HeaderName::from_static("x-sparql-maxrows"), HeaderValue::from_static("77"));
        answer
    };
    assert_eq!(visit(SELECT).take(cut()).unwrap_err().rule().name(), "truncated");
    assert!(visit(ORDERED).take(cut()).unwrap().is_some());
    let partial = Answer { status: 206, ..rows(0..77) };
    assert_eq!(visit(SELECT).take(partial).unwrap_err().rule().name(), "truncated");
    assert_eq!(visit("SELECT ?s { ?s ?p ?o } LIMIT 77").take(cut()).unwrap(), None, "that is all it asked for");
}

#[test]
fn an_endpoint_that_does_not_heed_offset_is_found_out() {
    let mut visit = visit(ORDERED);
    visit.take(rows(0..1000)).unwrap();
    assert_eq!(visit.take(rows(0..1000)).unwrap_err().rule().name(), "repeats");
}

#[test]
fn graphs_are_united_with_their_blank_nodes_apart() {
    let mut visit = visit("CONSTRUCT { ?s <http://p/> ?o } WHERE { ?s ?p ?o } ORDER BY ?s ?o");
    assert!(visit.take(triples(0..1000)).unwrap().is_some());
    assert!(visit.take(triples(1000..1500)).unwrap().is_some(), "a short part of a graph may not be the last");
    assert_eq!(visit.take(triples(0..0)).unwrap(), None);
    let held = Box::new(visit).finish();
    let text = str::from_utf8(&held.body).unwrap();
    assert_eq!((held.format, text.lines().count()), (Some(Format::NTriples), 1500));
    let nodes: std::collections::BTreeSet<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(nodes.len(), 2);
}

#[test]
fn a_single_graph_stays_as_it_came() {
    let mut visit = visit("DESCRIBE <http://s/1>");
    assert_eq!(visit.take(triples(0..100)).unwrap(), None);
    assert_eq!(Box::new(visit).finish().format, Some(Format::Turtle));
}

#[test]
fn what_is_no_result_is_refused_with_a_reason() {
    let reason =
        |media_type, body: &str| visit(SELECT).take(answer(media_type, body.into())).unwrap_err().rule().name();
    assert_eq!(reason("text/html", "<p>welcome"), "no-data");
    assert_eq!(reason("application/sparql-results+json", "<!DOCTYPE html><p>error"), "no-data");
    assert_eq!(reason("application/sparql-results+json", "{\"head\": {\"vars\": [\"s\"]}, \"results\""), "unreadable");
    assert_eq!(reason("image/png", "x"), "unreadable");
    let graph = visit("CONSTRUCT WHERE { ?s ?p ?o }").take(answer("text/turtle", "<a> <b".into()));
    assert_eq!(graph.unwrap_err().rule().name(), "unreadable");
}
