//! Data sources in the whole flow: a real SPARQL endpoint, content negotiation, catalogues, and endpoints that are not what
//! they should be.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use revisit::Span;
use serde_json::Value;
use support::archive::assert_consistent;
use support::collection::{everfresh, refusal};
use support::judged::{Judged, tools};
use support::scripted::{Asked, Scripted, Told};

const ENDPOINT: &str = "http://data.test/sparql";

/// A collection whose one host is a server of the test's.
fn collection(address: SocketAddr) -> Judged {
    Judged::new(&[("data.test".into(), address)])
}

/// Writes a query down and adds it as a source.
fn add_query(judged: &Judged, name: &str, query: &str) {
    let file = judged.folder().join(name);
    std::fs::write(&file, query).unwrap();
    judged.printed(&["add", "--kind", "sparql", "--query", file.to_str().unwrap(), ENDPOINT]);
}

/// The visits of the last run, by page, as outcome, rule and detail.
fn run(judged: &Judged) -> Vec<Value> {
    let before = judged.exported("visits").len();
    judged.printed(&["run", "--until-idle"]);
    judged.exported("visits").split_off(before)
}

fn word<'a>(visit: &'a Value, name: &str) -> &'a str {
    visit[name].as_str().unwrap_or_default()
}

/// rdflib behind a web server, on loopback.
struct RealEndpoint {
    child: Child,
    address: SocketAddr,
}

impl RealEndpoint {
    fn start() -> RealEndpoint {
        let script = format!("{}/tests/judges/sparql_endpoint.py", env!("CARGO_MANIFEST_DIR"));
        let python = tools().join("python");
        let mut child = Command::new(python).arg(script).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        RealEndpoint { child, address: SocketAddr::from(([127, 0, 0, 1], port.trim().parse().unwrap())) }
    }

    /// Posts a form and asserts that it was taken.
    fn post(&self, path: &str, form: &str) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let length = form.len();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: data.test\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{form}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    }
}

impl Drop for RealEndpoint {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const QUERIES: [(&str, &str); 5] = [
    ("select.rq", "PREFIX ex: <http://example.org/> SELECT * { ?city ex:mayor ?mayor . ?mayor ex:name ?name }"),
    ("ordered.rq", "PREFIX ex: <http://example.org/> SELECT ?c ?n { ?c ex:population ?n } ORDER BY DESC(?n)"),
    ("ask.rq", "PREFIX ex: <http://example.org/> ASK { ex:rome ex:mayor [] }"),
    ("construct.rq", "CONSTRUCT WHERE { ?s ?p ?o }"),
    ("describe.rq", "DESCRIBE <http://example.org/rome>"),
];

#[test]
fn a_real_endpoint_is_archived_revisited_and_judged_by_what_it_says() {
    let endpoint = RealEndpoint::start();
    let judged = collection(endpoint.address);
    QUERIES.iter().for_each(|(name, query)| add_query(&judged, name, query));
    add_query(&judged, "long.rq", &format!("SELECT * {{ ?s ?p ?o }} # {}", "long ".repeat(500)));
    judged.printed(&["add", "--kind", "sparql", ENDPOINT]);
    let first = run(&judged);
    assert_eq!(first.len(), 7, "{first:?}");
    assert!(first.iter().all(|visit| visit["outcome"] == "first"), "{first:?}");

    endpoint.post("/reload", "");
    let reloaded = run(&judged);
    assert_eq!(reloaded.len(), 7);
    assert!(reloaded.iter().all(|visit| visit["outcome"] == "unchanged"), "{reloaded:?}");
    assert!(reloaded.iter().any(|visit| visit["rule"] == "same-data"), "nothing was written otherwise: {reloaded:?}");

    let update = "update=INSERT+DATA+%7B+%3Chttp://example.org/rome%3E+%3Chttp://example.org/mayor%3E+%3Chttp://example.org/m%3E+%7D";
    endpoint.post("/sparql", update);
    let inserted = run(&judged);
    let outcome = |mark: &str| {
        let visit = inserted.iter().find(|visit| word(visit, "url").contains(mark)).unwrap();
        format!("{} {} {}", word(visit, "outcome"), word(visit, "rule"), word(visit, "detail"))
    };
    assert_eq!(outcome("CONSTRUCT+WHERE"), "changed data-differs Turtle, 14 triples: 1 added, 0 removed");
    assert_eq!(outcome("ASK"), "changed data-differs CSV, 2 rows: 1 added, 1 removed");
    assert_eq!(outcome("#query-"), "changed data-differs CSV, 15 rows: 1 added, 0 removed");
    assert!(outcome("ORDER+BY+DESC").starts_with("unchanged same-"));
    assert_eq!(outcome("DESCRIBE"), "changed data-differs RDF/XML, 3 triples: 1 added, 0 removed");
    assert_archived(&judged, &inserted);
    assert_explained(&judged, &inserted);
}

/// The judges find standard records: pairs of request and response, what was posted in the request.
fn assert_archived(judged: &Judged, visits: &[Value]) {
    judged.assert_warcio_agrees();
    assert_consistent(&judged.folder());
    let records = judged.records("warc-type,warc-target-uri,http:status,http:content-type");
    let responses: Vec<&Value> = records.iter().filter(|record| record["warc-type"] == "response").collect();
    assert!(responses.iter().all(|record| record["http:status"] == "200"));
    let of = |url: &str| responses.iter().filter(|record| record["warc-target-uri"] == url).count();
    assert!(of(ENDPOINT) >= 2, "what was posted is kept under the endpoint's address");
    let asked = visits.iter().find(|visit| word(visit, "url").contains("CONSTRUCT+WHERE")).unwrap();
    assert!(of(word(asked, "url")) >= 2);
    assert_eq!(records.iter().filter(|record| record["warc-type"] == "request").count(), responses.len());
}

fn assert_explained(judged: &Judged, visits: &[Value]) {
    let url = visits.iter().map(|visit| word(visit, "url")).find(|url| url.contains("CONSTRUCT+WHERE")).unwrap();
    let diff = judged.json(&["diff", url]);
    assert_eq!((&diff["added"], &diff["removed"], &diff["unit"]), (&1.into(), &0.into(), &"triples".into()), "{diff}");
    let expected = "+ <http://example.org/rome> <http://example.org/mayor> <http://example.org/m>";
    assert!(diff["lines"][0].as_str().unwrap().starts_with(expected), "{diff}");
    let said = judged.printed(&["explain", url]);
    assert!(said.contains("by rule 'data-differs', fetched by handler 'sparql'"), "{said}");
    assert!(said.contains("query     CONSTRUCT WHERE { ?s ?p ?o }"), "{said}");
}

/// Rows with these numbers, as results in CSV.
fn rows(numbers: std::ops::Range<usize>) -> Told {
    let lines: String = numbers.map(|number| format!("http://s/{number:06}\n")).collect();
    Told::new("text/csv", format!("s\n{lines}"))
}

/// The LIMIT and OFFSET of a query.
fn window(query: &str, most: usize) -> std::ops::Range<usize> {
    let number = |name: &str| query.split(name).nth(1)?.split_whitespace().next()?.parse::<usize>().ok();
    let offset = number("OFFSET").unwrap_or(0);
    offset..offset + number("LIMIT").unwrap_or(most).min(most)
}

/// An endpoint with so many rows that gives at most 1,000 of them at once.
fn capped(rows_there_are: Arc<AtomicUsize>) -> Scripted {
    Scripted::start(move |asked| {
        let there_are = rows_there_are.load(Ordering::SeqCst);
        let window = window(&asked.parameter("query").unwrap(), 1000);
        rows(window.start.min(there_are)..window.end.min(there_are))
    })
}

/// Asserts that each request came so long after the answer to the one before.
fn assert_apart(log: &[Asked], least: Span) {
    for pair in log.windows(2) {
        let gap = pair[1].at - pair[0].answered;
        assert!(gap >= least, "{} was asked {gap} after {}", pair[1].url, pair[0].url);
    }
}

#[test]
fn what_an_endpoint_cuts_is_read_part_by_part_under_its_politeness() {
    let there_are = Arc::new(AtomicUsize::new(2500));
    let endpoint = capped(Arc::clone(&there_are));
    let judged = collection(endpoint.address).with(&["fetch.delay=200ms"]);
    add_query(&judged, "all.rq", "SELECT ?s { ?s ?p ?o } ORDER BY ?s");
    let first = run(&judged);
    assert_eq!(word(&first[0], "detail"), "CSV, 2501 rows");
    assert_eq!(endpoint.log().len(), 3);
    assert_apart(&endpoint.log(), Span::from_millis(200));
    assert_eq!(word(&run(&judged)[0], "rule"), "same-bytes");
    there_are.fetch_add(1, Ordering::SeqCst);
    assert_eq!(word(&run(&judged)[0], "detail"), "CSV, 2502 rows: 1 added, 0 removed");
    let diff = judged.json(&["diff", ENDPOINT]);
    assert!(diff["lines"][0].as_str().unwrap().contains("http://s/002500"), "{diff}");
    judged.assert_warcio_agrees();
    // Every part is a capture: three whole ones, three that refer to them, three whole ones.
    assert_eq!(assert_consistent(&judged.folder()), 9);
    let records = judged.records("warc-type");
    let count = |kind: &str| records.iter().filter(|record| record["warc-type"] == kind).count();
    assert_eq!([count("response"), count("revisit"), count("request")], [6, 3, 6]);
}

/// The outcome, the rule and the detail of one visit of a source at an endpoint.
fn judged_once(endpoint: &Scripted, query: &str, sets: &[&str]) -> (String, String, String) {
    let judged = collection(endpoint.address).with(sets);
    add_query(&judged, "query.rq", query);
    let visit = run(&judged).remove(0);
    (word(&visit, "outcome").into(), word(&visit, "rule").into(), word(&visit, "detail").into())
}

#[test]
fn bad_endpoints_are_failures_with_a_reason() {
    let select = "SELECT ?s { ?s ?p ?o }";
    let page = Scripted::start(|_| Told::new("text/html", "<!DOCTYPE html><title>Welcome</title>"));
    let (outcome, rule, detail) = judged_once(&page, select, &[]);
    assert_eq!((outcome.as_str(), rule.as_str()), ("failed", "no-data"));
    assert!(detail.contains("answered with a web page and not with results"), "{detail}");

    let cut = Scripted::start(|asked| rows(window(&asked.parameter("query").unwrap(), 10_000)));
    let (outcome, rule, detail) = judged_once(&cut, select, &[]);
    assert_eq!((outcome.as_str(), rule.as_str()), ("failed", "truncated"));
    assert!(detail.contains("gave 10000 results and has more; add ORDER BY"), "{detail}");

    let deaf = Scripted::start(|_| rows(0..10_000));
    let (outcome, rule, _) = judged_once(&deaf, "SELECT ?s { ?s ?p ?o } ORDER BY ?s", &[]);
    assert_eq!((outcome.as_str(), rule.as_str()), ("failed", "repeats"));

    let broken = Scripted::start(|_| Told::new("application/sparql-results+json", "{\"head\": {\"vars\": ["));
    let (outcome, rule, _) = judged_once(&broken, select, &[]);
    assert_eq!((outcome.as_str(), rule.as_str()), ("failed", "unreadable"));

    let refuses = Scripted::start(|_| Told::new("text/plain", "Query timeout").status(500));
    let (outcome, rule, _) = judged_once(&refuses, select, &[]);
    assert_eq!((outcome.as_str(), rule.as_str()), ("failed", "status"));
}

#[test]
fn an_endpoint_that_thinks_too_long_is_a_failure_with_a_reason() {
    let asked = AtomicUsize::new(0);
    let late = Scripted::start(move |_| match asked.fetch_add(1, Ordering::SeqCst) {
        0 => rows(0..3),
        _ => rows(0..3).after(Duration::from_secs(3600)),
    });
    let judged = collection(late.address);
    add_query(&judged, "query.rq", "SELECT ?s { ?s ?p ?o }");
    assert_eq!(word(&run(&judged)[0], "outcome"), "first");
    // Its robots.txt is known by now: nothing meets the limit but the query.
    let again = run(&judged.with(&["fetch.first_byte_timeout=300ms"]));
    assert_eq!((word(&again[0], "outcome"), word(&again[0], "rule")), ("failed", "first-byte-timeout"));
}

/// A server of Linked Data: a thing redirects to a document in the form that was asked for.
fn linked_data() -> Scripted {
    Scripted::start(|asked| {
        let rdf = asked.prefers("text/turtle");
        match asked.url.path() {
            "/resource/rome" => {
                let document = if rdf { "/data/rome" } else { "/page/rome" };
                Told::new("text/plain", "").status(303).field("Location", document).field("Vary", "Accept")
            }
            "/data/rome" if rdf => Told::new("text/turtle", "<rome> <http://p/> 1 .")
                .field("Vary", "Accept")
                .field("Link", "</data/rome.csv>; rel=\"alternate\"; type=\"text/csv\", </licence>; rel=\"license\""),
            "/data/rome.csv" => Told::new("text/csv", "p\n1\n"),
            "/page/rome" => Told::new("text/html", "<title>Rome</title>"),
            _ => Told::new("text/html", "<h1>not found</h1>").status(404),
        }
    })
}

#[test]
fn linked_data_is_asked_for_as_data_through_redirects_and_link_fields() {
    let server = linked_data();
    let judged = collection(server.address);
    judged.printed(&["add", "--accept", "text/turtle", "http://data.test/resource/rome"]);
    let visits = run(&judged);
    let found: Vec<(&str, &str, &str)> =
        visits.iter().map(|visit| (word(visit, "url"), word(visit, "rule"), word(visit, "detail"))).collect();
    assert_eq!(
        found,
        [
            ("http://data.test/resource/rome", "redirect", "redirects to http://data.test/data/rome"),
            ("http://data.test/data/rome", "first", "Turtle, 1 triples"),
            ("http://data.test/data/rome.csv", "first", "CSV, 2 rows"),
        ]
    );
    assert!(server.log().iter().all(|asked| asked.headers["accept"] == "text/turtle"), "{:?}", server.log());
    judged.assert_warcio_agrees();
    let heads = judged.records("warc-type,http:vary,http:location,http:link");
    let has = |name: &str, value: &str| {
        heads.iter().any(|head| head[name].as_str().is_some_and(|found| found.contains(value)))
    };
    assert!(has("http:vary", "Accept") && has("http:location", "/data/rome") && has("http:link", "rome.csv"));
    // By its kind alone the same source is asked for RDF first; without either, for a page.
    let by_kind = collection(server.address);
    by_kind.printed(&["add", "--kind", "linked-data", "http://data.test/resource/rome"]);
    assert_eq!(word(&run(&by_kind)[1], "detail"), "Turtle, 1 triples");
    let plain = collection(server.address);
    plain.printed(&["add", "http://data.test/resource/rome"]);
    assert_eq!(word(&run(&plain)[1], "url"), "http://data.test/page/rome");
}

#[test]
fn another_way_of_asking_makes_another_first_version() {
    let server = Scripted::start(|asked| match asked.prefers("text/turtle") {
        true => Told::new("text/turtle", "<a> <http://p/> 1 .").field("ETag", "\"1\""),
        false => Told::new("text/html", "<p>a").field("ETag", "\"1\""),
    });
    let judged = collection(server.address);
    judged.printed(&["add", "http://data.test/a"]);
    assert_eq!(word(&run(&judged)[0], "rule"), "first");
    judged.printed(&["add", "--accept", "text/turtle", "http://data.test/a"]);
    assert_eq!(word(&run(&judged)[0], "rule"), "first");
    judged.printed(&["add", "--accept", "text/turtle", "http://data.test/a"]);
    assert_eq!(word(&run(&judged)[0], "rule"), "same-bytes");
}

#[test]
fn rules_of_a_source_decide_what_counts() {
    let visits = Arc::new(AtomicUsize::new(0));
    let server = Scripted::start(move |asked| {
        let number = visits.fetch_add(1, Ordering::SeqCst);
        match asked.url.path() {
            "/a.json" => Told::new("application/json", format!("{{\"at\": {number}, \"value\": 1}}")),
            "/prices.csv" => Told::new("text/csv", format!("id,price\n{}\n", ["1,5\n2,6", "2,6\n1,5"][number / 2 % 2])),
            _ => Told::new("text/csv", format!("id,price\n7,{number}\n")),
        }
    });
    let judged = collection(server.address);
    judged.printed(&["add", "--ignore", "$.at", "http://data.test/a.json"]);
    judged.printed(&["add", "--any-order", "http://data.test/prices.csv"]);
    judged.printed(&["add", "--key", "id", "http://data.test/keyed.csv"]);
    run(&judged);
    let again = run(&judged);
    let outcome = |mark: &str| word(again.iter().find(|visit| word(visit, "url").ends_with(mark)).unwrap(), "outcome");
    assert_eq!(outcome("/a.json"), "unchanged");
    assert_eq!(outcome("/prices.csv"), "unchanged");
    assert_eq!(outcome("/keyed.csv"), "changed");
    let diff = judged.json(&["diff", "http://data.test/keyed.csv"]);
    assert_eq!(diff["changed"], 1, "{diff}");
    assert!(diff["lines"][0].as_str().unwrap().contains("price"), "{diff}");
    let mut wrong = everfresh(&judged.folder(), &["add", "--ignore", "no path", "http://data.test/x"]);
    let (code, line) = refusal(&wrong.output().unwrap());
    assert_eq!(code, Some(4), "{line}");
}

/// A catalogue of so many distributions, and the distributions themselves.
fn portal(distributions: usize) -> Scripted {
    Scripted::start(move |asked| match asked.url.path() {
        "/catalog.ttl" => {
            let entries: String = (0..distributions)
                .map(|number| {
                    format!(
                        "<d{number}> dcat:distribution [ dcat:downloadURL </files/{number}.csv> ; dcat:mediaType \"text/csv\" ] ; \
                         dct:modified \"2025-01-01T00:00:00Z\" .\n"
                    )
                })
                .collect();
            let prefixes = "@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .\n<> a dcat:Catalog .\n";
            Told::new("text/turtle", format!("{prefixes}{entries}"))
        }
        path if path.starts_with("/files/") => Told::new("text/csv", format!("a,b\n{},2\n", path.len())),
        _ => Told::new("text/html", "").status(404),
    })
}

#[test]
fn a_catalogue_of_a_thousand_distributions_is_added_with_one_command() {
    let portal = portal(1000);
    let judged = collection(portal.address).with(&["fetch.delay=1ms"]);
    judged.printed(&["add", "--catalog", "http://data.test/catalog.ttl"]);
    let visits = run(&judged);
    assert_eq!(visits.len(), 1001);
    assert!(visits.iter().all(|visit| visit["outcome"] == "first"));
    assert_eq!(visits[1..].iter().filter(|visit| word(visit, "detail") == "CSV, 2 rows").count(), 1000);
    let log = portal.log();
    assert!(log[1..].iter().all(|asked| asked.prefers("text/csv, */*")));
    // One after the other, none sooner than the delay after the one before.
    assert_apart(&log, Span::from_millis(1));
    let page = judged.json(&["explain", "http://data.test/files/7.csv"]);
    assert_eq!(page["page"]["found_as"], "catalogue");
    assert!(word(&page["list"], "told_by").ends_with("/catalog.ttl"), "{page}");
    assert_eq!(word(&page["source"], "accept"), "text/csv, */*;q=0.1");
}

#[test]
fn a_portal_is_asked_as_robots_allow() {
    let portal = |robots: &'static str| {
        Scripted::start_with_robots(robots, |asked| match asked.url.path() {
            "/" => Told::new("text/html", "<p>a portal"),
            _ => Told::new("application/json", "{\"result\": {\"count\": 0, \"results\": []}}"),
        })
    };
    let ask = |portal: &Scripted| {
        let judged = collection(portal.address);
        judged.printed(&["add", "--catalog", "http://data.test/"]);
        word(&run(&judged)[0], "rule").to_owned()
    };
    let open = portal("User-agent: *\nDisallow: /private/\n");
    assert_eq!(ask(&open), "first");
    assert_eq!(open.log().last().unwrap().url.path(), "/api/3/action/package_search");
    let closed = portal("User-agent: *\nDisallow: /api/\n");
    assert_eq!(ask(&closed), "robots");
    assert_eq!(closed.log().len(), 1, "what robots.txt forbids is not asked");
}

/// A page whose body is the next of these at every visit.
fn versions(media_type: &'static str, bodies: Vec<String>) -> (Scripted, Judged) {
    let visits = AtomicUsize::new(0);
    let server = Scripted::start(move |_| {
        let number = visits.fetch_add(1, Ordering::SeqCst);
        Told::new(media_type, bodies[number.min(bodies.len() - 1)].clone())
    });
    let judged = collection(server.address).with(&["scope.mode=list"]);
    judged.printed(&["add", "http://data.test/x"]);
    (server, judged)
}

#[test]
fn documents_that_cannot_be_read_are_judged_by_their_bytes_and_say_so() {
    let laughs: String =
        (1..9).map(|level| format!("<!ENTITY l{level} \"{}\">", format!("&l{};", level - 1).repeat(10))).collect();
    let laughs = format!("<!DOCTYPE x [<!ENTITY l0 \"ha\">{laughs}]><x>&l8;</x>");
    let documents = [
        ("text/turtle", "<a> <http://p/> 1 . <b> <http://p".to_owned()),
        ("application/xml", laughs.replace("<x>", "<x><unclosed>")),
        ("application/json", "[".repeat(10_000)),
        ("application/ld+json", "{\"@context\": \"http://data.test/context\", \"a\": 1}".to_owned()),
        ("text/csv", "a,b\n1\n".to_owned() + &"x".repeat(20 << 20)),
    ];
    for (media_type, document) in documents {
        let (_server, judged) = versions(media_type, vec![document.clone(), document.clone(), document + " "]);
        let judged = judged.with(&["fetch.max_body_bytes=64MiB", "fetch.max_decoded_bytes=64MiB"]);
        let rounds: Vec<Value> = (0..3).map(|_| run(&judged).remove(0)).collect();
        let detail = word(&rounds[0], "detail");
        assert!(detail.starts_with("judged by its bytes, since it cannot be read as"), "{media_type}: {detail}");
        let outcomes: Vec<&str> = rounds.iter().map(|visit| word(visit, "outcome")).collect();
        assert_eq!(outcomes, ["first", "unchanged", "changed"], "{media_type}");
        assert_eq!(word(&rounds[2], "rule"), "bytes-differ");
    }
}

/// What each of these versions comes to.
fn rules(media_type: &'static str, bodies: &[&str], settings: &[&str]) -> Vec<String> {
    let (_server, judged) = versions(media_type, bodies.iter().map(ToString::to_string).collect());
    // So that what failed has rested before the next crawl begins.
    let judged = judged.with(&["schedule.cycle=1ms"]).with(settings);
    let told = |visit: Value| format!("{} {}", word(&visit, "outcome"), word(&visit, "rule"));
    let rules = bodies.iter().map(|_| told(run(&judged).remove(0))).collect();
    assert_consistent(&judged.folder());
    rules
}

#[test]
fn data_that_breaks_for_a_day_has_not_changed() {
    let bodies =
        [r#"{"a": 1, "b": 2}"#, r#"{"a": 1,"#, r#"{"a": 1,"#, r#"{"b": 2, "a": 1}"#, "{", r#"{"a": 1, "b": 3}"#];
    let expected = [
        "first first",
        "failed unjudged",
        "failed unjudged",
        "unchanged same-data",
        "failed unjudged",
        "changed data-differs",
    ];
    assert_eq!(rules("application/json", &bodies, &[]), expected);
    let mended = rules("application/json", &["{", r#"{"a": 1}"#, r#"{ "a": 1 }"#], &[]);
    assert_eq!(mended, ["first first", "first judged-anew", "unchanged same-data"]);
}

#[test]
fn an_answer_of_values_is_no_change_of_one_of_terms() {
    let visits = AtomicUsize::new(0);
    let server = Scripted::start(move |_| match visits.fetch_add(1, Ordering::SeqCst) {
        0 => Told::new("text/tab-separated-values", "?x\n4\n"),
        1 => Told::new("text/csv", "x\r\n4\r\n"),
        2 => Told::new("text/csv", "\"x\"\n4\n"),
        _ => Told::new("text/csv", "x\n5\n"),
    });
    let judged = collection(server.address);
    add_query(&judged, "values.rq", "SELECT ?x { ?s ?p ?x }");
    let rules: Vec<Value> = (0..4).map(|_| run(&judged).remove(0)["rule"].take()).collect();
    assert_eq!(rules, ["first", "filters-changed", "same-data", "data-differs"]);
}

#[test]
fn a_page_whose_elements_cannot_be_matched_is_unjudged() {
    let deep = format!("<p>a</p>{}", "<div>".repeat(1_000_000));
    let settings = ["detect.drop=[\".clock\"]", "fetch.max_body_bytes=64MiB", "fetch.max_decoded_bytes=64MiB"];
    let found = rules("text/html", &["<p>a</p>", &deep, "<p>a</p><i class=clock>1</i>"], &settings);
    assert_eq!(found, ["first first", "failed unjudged", "unchanged same-text"]);
}

#[test]
fn xml_is_judged_as_xml_whatever_its_root_is_called() {
    let bodies =
        ["<table><a b='1' c='2'/></table>", "<table><a c='2' b='1'/></table>", "<table><a b='2' c='2'/></table>"];
    let found = rules("text/xml", &bodies, &[]);
    assert_eq!(found, ["first first", "unchanged same-data", "changed data-differs"]);
}

#[test]
fn a_page_for_people_is_compared_by_its_sentences() {
    let page = |middle: &str| format!("<html><body><p>It begins. {middle} It ends.</p></body></html>");
    let bodies = vec![page("Rome has a mayor."), page("Rome has a new mayor."), page("Rome has none.")];
    let (_server, judged) = versions("text/html", bodies);
    (0..3).for_each(|_| _ = run(&judged));
    let last = judged.json(&["diff", "http://data.test/x"]);
    assert_eq!(last["lines"], serde_json::json!(["- 2: Rome has a new mayor.", "+ 2: Rome has none."]), "{last}");
    let visits = judged.exported("visits");
    let time = |visit: &Value| jiff::Timestamp::from_millisecond(visit["at"].as_i64().unwrap()).unwrap().to_string();
    let whole = judged.printed(&["diff", "http://data.test/x", "--from", &time(&visits[0]), "--to", &time(&visits[1])]);
    assert!(whole.contains("- 2: Rome has a mayor.\n+ 2: Rome has a new mayor."), "{whole}");
    let mut early = everfresh(&judged.folder(), &["diff", "http://data.test/x", "--from", "2020-01-01"]);
    let (code, line) = refusal(&early.output().unwrap());
    assert!(code == Some(4) && line.contains("no version from before 2020-01-01"), "{line}");
}
