//! Catalogues: documents that list other sources. Their entries become sources of the collection.
//!
//! A catalogue in DCAT or VoID is read from any syntax of RDF; CKAN and DCAT-US (`data.json`) from their JSON. Catalogues come
//! in parts, which name the next one. An address that answers with a page for people is asked once more as a CKAN portal.
//! What is judged is the list itself: an entry more, another date.

mod dcat;
mod json;

use std::collections::HashSet;

use revisit::Time;
use url::Url;

use super::handler::{Answer, Handler, Held, Refusal, Step};
use super::sheet::Sheet;
use super::{Kind, Source};
use crate::fetch::Question;
use crate::meaning::Format;
use crate::parse::normalise;

/// A catalogue lists at most so many sources; further ones are left out.
const MAX_LISTED: usize = 200_000;
/// A catalogue has at most so many parts.
const MAX_PARTS: usize = 2000;
/// A source is asked for in at most so many formats.
const MAX_ASKED: usize = 8;
/// Where a CKAN portal answers to programs, with as many packages as fit into a usual limit of size.
const CKAN: &str = "/api/3/action/package_search?rows=300&start=0";
const ACCEPT: &str = "text/turtle, application/rdf+xml;q=0.9, application/ld+json;q=0.9, application/n-triples;q=0.8, \
     application/json;q=0.7, text/html;q=0.2, */*;q=0.1";

/// An entry of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Where it is, in normal form.
    pub url: Url,
    /// Its media types or the names of its formats, as the catalogue has them, in the order of the alphabet.
    pub formats: Vec<String>,
    /// When the catalogue says it last changed: evidence, not truth.
    pub modified: Option<Time>,
}

impl Listed {
    /// The source that an entry is: asked for in the formats in which the catalogue promises it.
    pub fn source(&self) -> Source {
        let mut media_types: Vec<&str> = self.formats.iter().map(String::as_str).filter(|f| is_media_type(f)).collect();
        let kind = if self.formats.iter().any(|format| is_rdf(format)) { Kind::LinkedData } else { Kind::Page };
        media_types.truncate(MAX_ASKED);
        let accept = (!media_types.is_empty()).then(|| format!("{}, */*;q=0.1", media_types.join(", ")));
        Source { kind, accept, ..Source::default() }
    }

    /// One entry of two with one URL.
    fn join(&mut self, other: Listed) {
        self.formats.extend(other.formats);
        self.formats.sort_unstable();
        self.formats.dedup();
        self.modified = self.modified.max(other.modified);
    }
}

fn is_media_type(format: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+' | b'.' | b'-' | b'_');
    format.len() < 100 && format.split('/').count() == 2 && format.bytes().all(fits)
}

fn is_rdf(format: &str) -> bool {
    const NAMES: [&str; 11] = [
        "text/turtle",
        "application/n-triples",
        "application/n-quads",
        "application/trig",
        "application/rdf+xml",
        "application/ld+json",
        "turtle",
        "rdf",
        "ttl",
        "json-ld",
        "n-triples",
    ];
    NAMES.iter().any(|name| format.eq_ignore_ascii_case(name))
}

/// What one part of a catalogue says.
#[derive(Debug, Default)]
struct Part {
    listed: Vec<Raw>,
    next: Option<String>,
}

/// An entry as written.
#[derive(Debug, Default)]
struct Raw {
    url: String,
    formats: Vec<String>,
    modified: Option<Time>,
}

/// One visit of a catalogue.
pub(super) struct Catalogue {
    url: Url,
    accept: Option<String>,
    listed: Vec<Listed>,
    parts: usize,
    /// Where parts were read: a link back to one of them leads round in circles.
    read: HashSet<Url>,
    tried_ckan: bool,
}

impl Catalogue {
    pub(super) fn new(url: &Url, accept: Option<String>) -> Catalogue {
        let (listed, read) = (Vec::new(), HashSet::new());
        Catalogue { url: url.clone(), accept, listed, parts: 0, read, tried_ckan: false }
    }

    fn step(&self, url: Url) -> Step {
        let accept = Some(self.accept.as_deref().unwrap_or(ACCEPT).to_owned());
        Step { url, question: Question { accept, form: None } }
    }

    /// The address of a CKAN portal's interface for programs, the first time it is asked for.
    fn as_ckan(&mut self) -> Option<Url> {
        let first = self.parts == 1 && !std::mem::replace(&mut self.tried_ckan, true);
        first.then(|| self.url.join(CKAN).ok()).flatten()
    }

    fn keep(&mut self, base: &Url, raw: Raw) {
        if self.listed.len() >= MAX_LISTED {
            return;
        }
        let Ok(url) = normalise::resolve(base, raw.url.trim()) else { return };
        let formats = raw.formats.iter().map(|format| format.trim()).filter(|format| !format.is_empty());
        let (mut formats, modified): (Vec<String>, _) = (formats.map(str::to_owned).collect(), raw.modified);
        formats.sort_unstable();
        formats.dedup();
        self.listed.push(Listed { url, formats, modified });
    }
}

impl Handler for Catalogue {
    fn name(&self) -> &'static str {
        "catalogue"
    }

    fn first(&self) -> Step {
        self.step(self.url.clone())
    }

    fn take(&mut self, answer: Answer) -> Result<Option<Step>, Refusal> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(Refusal::TooManyParts { limit: MAX_PARTS });
        }
        let part = match answer.format() {
            Some(Format::Json) => json::read(&answer),
            Some(Format::JsonLd) => json::read(&answer).or_else(|_| dcat::read(&answer)),
            Some(_) => dcat::read(&answer),
            None => match self.as_ckan() {
                Some(ckan) => return Ok(Some(self.step(ckan))),
                None => {
                    let url = self.url.to_string();
                    return Err(Refusal::WebPage { url, wanted: "a list of data", whose: "catalogue" });
                }
            },
        };
        let part = part.map_err(Refusal::Unreadable)?;
        part.listed.into_iter().for_each(|raw| self.keep(&answer.url, raw));
        let next = part.next.and_then(|next| normalise::resolve(&answer.url, &next).ok());
        self.read.insert(answer.url);
        let next = next.filter(|next| !self.read.contains(next) && self.listed.len() < MAX_LISTED);
        Ok(next.map(|next| self.step(next)))
    }

    fn finish(self: Box<Self>) -> Held {
        let listed = joined(self.listed);
        let body = table(&listed).into();
        Held { format: Some(Format::Csv), body, any_order: true, only_values: false, listed }
    }
}

/// The entries in the order of their URLs, each once, whatever the order in which the catalogue has them.
fn joined(mut listed: Vec<Listed>) -> Vec<Listed> {
    listed.sort_by(|one, other| one.url.cmp(&other.url));
    let mut joined: Vec<Listed> = Vec::with_capacity(listed.len());
    for entry in listed {
        match joined.last_mut() {
            Some(last) if last.url == entry.url => last.join(entry),
            _ => joined.push(entry),
        }
    }
    joined
}

/// The list as a table, which is what is judged.
fn table(listed: &[Listed]) -> Vec<u8> {
    let mut sheet = Sheet::new(["url", "format", "modified"]);
    for Listed { url, formats, modified } in listed {
        let modified = modified.and_then(|time| jiff::Timestamp::from_millisecond(time.millis()).ok());
        let modified = modified.map_or(String::new(), |time| time.to_string());
        sheet.push([url.as_str(), &formats.join(" "), &modified]);
    }
    sheet.into_bytes()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::header::CONTENT_TYPE;
    use http::{HeaderMap, HeaderValue};

    use super::*;

    fn answer(url: &str, media_type: &'static str, body: &str) -> Answer {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(media_type))]);
        Answer { url: Url::parse(url).unwrap(), status: 200, headers, body: Bytes::copy_from_slice(body.as_bytes()) }
    }

    fn catalogue() -> Catalogue {
        Catalogue::new(&Url::parse("http://a.test/catalogue").unwrap(), None)
    }

    const TURTLE: &str = r#"
        @prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
        <> a dcat:Catalog ; dcat:dataset <d1>, <d2> .
        <d1> dct:modified "2024-03-01" ; dcat:distribution _:a , [ dcat:accessURL <page> ; dct:modified "2024-04-01" ] .
        _:a dcat:downloadURL </d1.csv> ; dcat:accessURL <nowhere> ; dcat:mediaType "text/csv" .
        <d2> dcat:distribution <x> . <x> dcat:downloadURL <http://b.test/d2.ttl> ;
             dcat:mediaType <https://www.iana.org/assignments/media-types/text/turtle> ."#;

    #[test]
    fn distributions_are_listed_with_formats_and_dates() {
        let mut catalogue = catalogue();
        let next = catalogue.take(answer("http://a.test/catalogue", "text/turtle", TURTLE)).unwrap();
        assert_eq!(next, None);
        let listed = Box::new(catalogue).finish().listed;
        let day = |day| crate::parse::date(day);
        let expected = [
            ("http://a.test/d1.csv", Some("text/csv"), day("2024-03-01")),
            ("http://a.test/page", None, day("2024-04-01")),
            ("http://b.test/d2.ttl", Some("text/turtle"), None),
        ];
        let found: Vec<_> = listed
            .iter()
            .map(|entry| (entry.url.as_str(), entry.formats.first().map(String::as_str), entry.modified))
            .collect();
        assert_eq!(found, expected);
        let source = listed[2].source();
        assert_eq!((source.kind, source.accept.as_deref()), (Kind::LinkedData, Some("text/turtle, */*;q=0.1")));
        assert_eq!(listed[1].source(), Source::default());
    }

    #[test]
    fn the_list_is_what_is_judged() {
        let read = |text: &str| {
            let mut catalogue = catalogue();
            catalogue.take(answer("http://a.test/catalogue", "text/turtle", text)).unwrap();
            Box::new(catalogue).finish().body
        };
        let body = read(TURTLE);
        assert_eq!(body, read(&format!("# again\n{}", TURTLE.replace("_:a", "_:b"))));
        assert_ne!(body, read(&TURTLE.replace("2024-03-01", "2024-03-02")));
        assert!(body.starts_with(b"url,format,modified\nhttp://a.test/d1.csv,text/csv,2024-03-01T00:00:00Z\n"));
    }

    /// The list that a catalogue of this type comes to.
    fn listed(media_type: &'static str, text: &str) -> Vec<(String, String, Option<Time>)> {
        let mut catalogue = catalogue();
        catalogue.take(answer("http://a.test/catalogue", media_type, text)).unwrap();
        let row = |entry: Listed| (entry.url.path().to_owned(), entry.formats.join(" "), entry.modified);
        Box::new(catalogue).finish().listed.into_iter().map(row).collect()
    }

    fn entry(path: &str, formats: &str, day: &str) -> (String, String, Option<Time>) {
        (path.into(), formats.into(), crate::parse::date(day))
    }

    const PREFIXES: &str = "@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> . \
                            @prefix void: <http://rdfs.org/ns/void#> .";

    #[test]
    fn the_order_of_triples_does_not_count() {
        let mut triples = [
            "<d1> dcat:distribution <x>, <y> ; dct:modified '2024-01-01' .",
            "<d2> dcat:distribution <x> ; dct:modified '2024-03-01' ; void:dataDump </dump>, </m2.csv> .",
            "<x> dcat:accessURL </page> ; dct:format 'XLSX' .",
            "<y> dcat:accessURL </page> ; dct:format 'CSV' .",
            "<z> dcat:downloadURL </m1.csv> . <z> dcat:accessURL </no> .",
            "<z> dcat:downloadURL </m2.csv> .",
            "<z> dct:format 'CSV' .",
            "<z> dcat:mediaType 'text/plain' .",
            "<z> dcat:mediaType 'text/csv' .",
            "<z> dct:modified 'Fri, 01 Mar 2024 00:00:00 GMT', '2024-02-01' .",
        ];
        let expected = [
            entry("/dump", "", "2024-03-01"),
            entry("/m1.csv", "text/csv text/plain", "2024-03-01"),
            entry("/m2.csv", "text/csv text/plain", "2024-03-01"),
            entry("/page", "CSV XLSX", "2024-03-01"),
        ];
        for _ in 0..triples.len() {
            triples.rotate_left(3);
            assert_eq!(listed("text/turtle", &format!("{PREFIXES}{}", triples.join("\n"))), expected);
        }
    }

    #[test]
    fn the_order_of_resources_does_not_count() {
        let resource = |format: &str| format!(r#"{{"url": "/x", "format": "{format}"}}"#);
        let package = |one: &str, other: &str| {
            let resources = format!("{},{}", resource(one), resource(other));
            format!(r#"{{"result": {{"count": 1, "results": [{{"resources": [{resources}]}}]}}}}"#)
        };
        let read = |text: String| listed("application/json", &text);
        assert_eq!(read(package("CSV", "XLSX")), read(package("XLSX", "CSV")));
        assert_eq!(read(package("CSV", "XLSX"))[0].1, "CSV XLSX");
    }

    #[test]
    fn what_is_null_empty_or_of_another_type_is_not_there() {
        let packages = r#"{"success": true, "result": {"count": 3, "results": [
            {"metadata_modified": "2024-03-01", "resources": null},
            {"metadata_modified": "2024-03-01", "resources":
                [{"url": "/a", "mimetype": "", "format": "CSV", "last_modified": ""}, {"url": "", "format": 7}]},
            {"metadata_modified": 7, "resources": [{"url": "/b", "format": null}]}]}}"#;
        assert_eq!(listed("application/json", packages), [entry("/a", "CSV", "2024-03-01"), entry("/b", "", "")]);
        let datasets = r#"{"dataset": [{"modified": "2024-03-01", "distribution": null}, {"distribution":
            [{"downloadURL": "", "accessURL": "/c", "mediaType": " ", "format": "CSV"}, {"downloadURL": ["/no"]}]}]}"#;
        assert_eq!(listed("application/json", datasets), [entry("/c", "CSV", "")]);
    }

    #[test]
    fn a_catalogue_that_cannot_be_read_says_why() {
        let refused = catalogue().take(answer("http://a.test/c", "application/json", r#"{"dataset": 7}"#)).unwrap_err();
        assert!(refused.to_string().contains("expected a sequence"), "{refused}");
    }

    #[test]
    fn a_portal_is_asked_part_by_part() {
        let mut portal = catalogue();
        let step = portal.take(answer("http://a.test/catalogue", "text/html", "<html>")).unwrap().unwrap();
        assert_eq!(step.url.as_str(), "http://a.test/api/3/action/package_search?rows=300&start=0");
        let packages = |from: usize, to: usize| {
            let package = |number| {
                format!(
                    r#"{{"metadata_modified": "2024-03-01T12:00:00.000000", "resources": [{{"url": "http://b.test/{number}.csv", "format": "CSV", "last_modified": null}}]}}"#
                )
            };
            let packages: Vec<String> = (from..to).map(package).collect();
            format!(r#"{{"success": true, "result": {{"count": 450, "results": [{}]}}}}"#, packages.join(","))
        };
        let answered = answer(step.url.as_str(), "application/json;charset=utf-8", &packages(0, 300));
        let step = portal.take(answered).unwrap().unwrap();
        assert_eq!(step.url.as_str(), "http://a.test/api/3/action/package_search?rows=300&start=300");
        let answered = answer(step.url.as_str(), "application/json", &packages(300, 450));
        assert_eq!(portal.take(answered).unwrap(), None);
        let listed = Box::new(portal).finish().listed;
        assert_eq!(listed.len(), 450);
        assert!(listed.iter().all(|entry| entry.modified == crate::parse::date("2024-03-01T12:00:00Z")));
    }

    #[test]
    fn parts_that_lead_round_in_circles_are_read_once() {
        let mut catalogue = catalogue();
        let part = |number: usize, next: &str| {
            let text = format!(
                "@prefix hydra: <http://www.w3.org/ns/hydra/core#> . @prefix dcat: <http://www.w3.org/ns/dcat#> .
                 <> hydra:next <{next}> . <d{number}> dcat:distribution [ dcat:downloadURL </{number}.csv> ] ."
            );
            answer(&format!("http://a.test/{number}"), "text/turtle", &text)
        };
        for (number, next) in [(1, "/2"), (2, "/3")] {
            let step = catalogue.take(part(number, next)).unwrap().unwrap();
            assert_eq!(step.url.path(), next);
        }
        assert_eq!(catalogue.take(part(3, "/1")).unwrap(), None, "all three were read");
        assert_eq!(Box::new(catalogue).finish().listed.len(), 3);
    }

    #[test]
    fn a_page_for_people_is_no_catalogue() {
        let mut portal = catalogue();
        portal.take(answer("http://a.test/catalogue", "text/html", "<html>")).unwrap();
        let refusal = portal.take(answer("http://a.test/api", "text/html", "<html>")).unwrap_err();
        assert_eq!(refusal.rule().name(), "no-data");
        assert!(catalogue().take(answer("http://a.test/c", "application/json", "{\"a\": 1}")).is_err());
        assert!(catalogue().take(answer("http://a.test/c", "text/turtle", "<a> <b>")).is_err());
    }

    #[test]
    fn data_json_is_a_catalogue_too() {
        let text = r#"{"@context": "https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld", "dataset": [
            {"modified": "2024-03-01", "distribution": [{"downloadURL": "/a.csv", "mediaType": "text/csv"}, {"title": "no address"}]},
            {"modified": "R/P1D"}]}"#;
        let mut catalogue = catalogue();
        let marked = format!("\u{feff}{text}");
        catalogue.take(answer("http://a.test/data.json", "application/json", &marked)).unwrap();
        let listed = Box::new(catalogue).finish().listed;
        assert_eq!((listed.len(), listed[0].url.as_str()), (1, "http://a.test/a.csv"));
    }
}
