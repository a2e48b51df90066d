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

use serde_json::Value;
use support::archive::assert_consistent;
use support::judged::{Judged, tools};
use support::scripted::{Scripted, Told};

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
        let python = tools(&["rdflib-endpoint==0.6.3", "uvicorn==0.54.0"]).join("python");
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
    assert_eq!(outcome("ASK"), "changed data-differs CSV, 1 rows: 1 added, 1 removed");
    assert_eq!(outcome("#query-"), "changed data-differs CSV, 14 rows: 1 added, 0 removed");
    assert!(outcome("ORDER+BY+DESC").starts_with("unchanged same-"));
    assert!(outcome("DESCRIBE").starts_with("changed data-differs Turtle"));
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
    assert_eq!(
        records.iter().filter(|record| record["warc-type"] == "request").count(),
        responses.len() + records.iter().filter(|record| record["warc-type"] == "revisit").count()
    );
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
