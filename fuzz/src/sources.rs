//! What endpoints and catalogues answer.

use bytes::Bytes;
use everfresh::meaning::{Format, Limits, Rules, read};
use everfresh::parse::normalise::normalise;
use everfresh::sources::{Answer, Kind, Query, Source, page_of};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use url::Url;

use crate::input;

const SELECT: &str = "SELECT ?a ?b WHERE { ?a ?p ?b } ORDER BY ?a";
const CONSTRUCT: &str = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } ORDER BY ?s";

/// A query of a user.
pub(crate) fn query(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let endpoint = Url::parse("http://a.example/sparql").expect("a URL");
    let page = page_of(&endpoint, Some(&text));
    let Ok(query) = Query::read(&text) else {
        return assert!(page.is_err());
    };
    let page = page.expect("what can be read can be asked");
    let part = Query::read(&query.part(300, 100)).expect("a part of a query is a query");
    assert_eq!(part.form(), query.form());
    assert!(!query.is_whole() || part.limit() == Some(100), "{}", part.text());
    let source = Source { kind: Kind::Sparql, query: Some(text.into_owned()), ..Source::default() };
    let step = source.handler(&page).expect("what can be read can be asked").first();
    assert_eq!(step.url, page);
}

/// Answers to a SELECT, in the format that the first line names.
pub(crate) fn results(input: &[u8]) {
    let (media_type, documents) = input::line(input);
    asked(Kind::Sparql, Some(SELECT), &media_type, documents);
}

/// Answers to a CONSTRUCT, in the syntax that the first line names.
pub(crate) fn graphs(input: &[u8]) {
    let (media_type, documents) = input::line(input);
    asked(Kind::Sparql, Some(CONSTRUCT), &media_type, documents);
}

/// Parts of a catalogue, in the syntax that the first line names.
pub(crate) fn catalogue(input: &[u8]) {
    let (media_type, documents) = input::line(input);
    asked(Kind::Catalogue, None, &media_type, documents);
}

/// Puts the documents of an input before the handler as answers, as long as it asks for more, the last ones cut short.
fn asked(kind: Kind, query: Option<&str>, media_type: &str, documents: &[u8]) {
    let Ok(content_type) = HeaderValue::from_str(media_type) else { return };
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, content_type)]);
    let source = Source { kind, query: query.map(str::to_owned), ..Source::default() };
    let page = Url::parse("http://a.example/data").expect("a URL");
    let mut handler = source.handler(&page).expect("the query can be asked");
    let mut step = Some(handler.first());
    for document in input::documents::<3>(documents) {
        let Some(asked) = step else { break };
        let body = Bytes::copy_from_slice(document);
        let answer = Answer { url: asked.url, status: 206, headers: headers.clone(), body };
        match handler.take(answer) {
            Ok(next) => step = next,
            Err(refusal) => return assert!(!refusal.to_string().is_empty()),
        }
    }
    let held = handler.finish();
    for listed in &held.listed {
        assert_eq!(normalise(listed.url.clone()).as_ref(), Ok(&listed.url));
        listed.source();
    }
    // What is made here must be something that can be judged.
    if held.format == Some(Format::Csv) {
        let rules = Rules { any_order: held.any_order, ..Rules::default() };
        let read = read(Format::Csv, &held.body, page.as_str(), &rules, &Limits::default());
        let rows = read.expect("a table of ours can be read").statements();
        assert!(kind != Kind::Catalogue || rows == held.listed.len() + 1, "{rows} rows");
    }
}
