//! What judging data by meaning costs: CPU time and memory, by format.
//!
//! ```sh
//! cargo bench --bench meaning
//! ```

#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::hint::black_box;

use everfresh::meaning::{Format, Limits, Rules, delta, read};
use rustix::time::{ClockId, clock_gettime};

/// Times each document is read; the fastest counts.
const ROUNDS: usize = 5;
const TRIPLES: usize = 100_000;
const RECORDS: usize = 300_000;
const ROWS: usize = 1_000_000;

/// What is measured: a name, a format, a document, rules.
type Case = (&'static str, Format, fn() -> String, Rules);

fn cases() -> Vec<Case> {
    let plain = Rules::default;
    let any_order = || Rules { any_order: true, ..plain() };
    let keyed = Rules { key: vec!["id".to_owned()], ..plain() };
    let ignoring = Rules { ignore: vec!["$..updated".to_owned(), "$.meta.at".to_owned()], ..plain() };
    vec![
        ("N-Triples, 10 % blank", Format::NTriples, || graph("\n"), plain()),
        ("Turtle, 10 % blank", Format::Turtle, || graph(" "), plain()),
        ("N-Triples, nested blank", Format::NTriples, nested, plain()),
        ("JSON-LD, 10 % blank", Format::JsonLd, json_ld, plain()),
        ("JSON", Format::Json, json, plain()),
        ("JSON, ignoring paths", Format::Json, json, ignoring),
        ("JSON, any order", Format::Json, json, any_order()),
        ("CSV", Format::Csv, csv, plain()),
        ("CSV, any order", Format::Csv, csv, any_order()),
        ("CSV, by key", Format::Csv, csv, keyed),
        ("XML", Format::Xml, xml, plain()),
        ("text", Format::Text, csv, plain()),
    ]
}

/// Each case runs in a process of its own: memory that one leaves behind would hide what the next one takes.
fn main() {
    let cases = cases();
    if let Some(case) = std::env::args().skip(1).find_map(|argument| argument.parse::<usize>().ok()) {
        let (name, format, text, rules) = &cases[case];
        return measure(name, *format, &text(), rules);
    }
    println!(
        "{:28} {:>8} {:>11} {:>9} {:>7} {:>14} {:>9} {:>9}",
        "document", "MB", "statements", "CPU ms", "MB/s", "ns a statement", "memory ×", "delta ms"
    );
    for case in 0..cases.len() {
        let this = std::env::current_exe().unwrap();
        assert!(std::process::Command::new(this).arg(case.to_string()).status().unwrap().success());
    }
}

/// Reads a document several times and compares it with one whose middle differs in a digit.
fn measure(name: &str, format: Format, text: &str, rules: &Rules) {
    let limits = Limits::default();
    let body = text.as_bytes();
    let other = changed(text);
    let before = memory("VmRSS:");
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    drop(black_box(read(format, body, "http://a.example/", rules, &limits).unwrap()));
    let peak = memory("VmHWM:").saturating_sub(before) as f64 / body.len() as f64;
    let mut seconds = f64::MAX;
    for _ in 0..ROUNDS {
        let begun = cpu_seconds();
        black_box(read(format, body, "http://a.example/", rules, &limits).unwrap());
        seconds = seconds.min(cpu_seconds() - begun);
    }
    let old = read(format, body, "http://a.example/", rules, &limits).unwrap();
    let new = read(format, other.as_bytes(), "http://a.example/", rules, &limits).unwrap();
    let begun = cpu_seconds();
    let found = delta(&old, &new);
    let compared = 1e3 * (cpu_seconds() - begun);
    assert!(found.added.max(found.removed).max(found.changed) == 1, "{name}: {found}");
    let (megabytes, statements) = (body.len() as f64 / 1e6, old.statements() as f64);
    println!(
        "{name:28} {megabytes:>8.1} {statements:>11} {:>9.1} {:>7.0} {:>14.0} {:>9.2} {compared:>9.1}",
        1e3 * seconds,
        megabytes / seconds,
        1e9 * seconds / statements,
        1.0 + peak
    );
}

/// The text with the first 7 after its middle made an 8.
fn changed(text: &str) -> String {
    let middle = (text.len() / 2..).find(|at| text.is_char_boundary(*at)).unwrap();
    let at = middle + text[middle..].find("value 7").unwrap() + 6;
    format!("{}8{}", &text[..at], &text[at + 1..])
}

/// A graph of things with five properties each; every tenth thing is a blank node.
fn graph(end: &str) -> String {
    let mut text = String::new();
    for thing in 0..TRIPLES / 5 {
        let subject =
            if thing % 10 == 0 { format!("_:b{thing}") } else { format!("<http://data.example/thing/{thing}>") };
        for property in 0..4 {
            let value = thing * 7 % 1000;
            write!(text, "{subject} <http://vocabulary.example/p{property}> \"value {value} of {thing}\" .{end}")
                .unwrap();
        }
        write!(text, "{subject} <http://vocabulary.example/next> <http://data.example/thing/{}> .{end}", thing + 1)
            .unwrap();
    }
    text
}

/// The same graph as a list of things.
fn json_ld() -> String {
    let mut text = String::from("{\"@context\": {\"v\": \"http://vocabulary.example/\"}, \"@graph\": [\n");
    for thing in 0..TRIPLES / 5 {
        let end = if thing + 1 == TRIPLES / 5 { "" } else { "," };
        let id = if thing % 10 == 0 { format!("_:b{thing}") } else { format!("http://data.example/thing/{thing}") };
        write!(text, "{{\"@id\": \"{id}\", \"v:next\": {{\"@id\": \"http://data.example/thing/{}\"}}", thing + 1)
            .unwrap();
        for property in 0..4 {
            write!(text, ", \"v:p{property}\": \"value {} of {thing}\"", thing * 7 % 1000).unwrap();
        }
        writeln!(text, "}}{end}").unwrap();
    }
    text + "]}"
}

/// Things with an address that is a blank node with a place that is one: every first hash of a place is shared by many.
fn nested() -> String {
    let mut text = String::new();
    for thing in 0..TRIPLES / 5 {
        writeln!(text, "<http://data.example/thing/{thing}> <http://vocabulary.example/address> _:a{thing} .").unwrap();
        writeln!(text, "_:a{thing} <http://vocabulary.example/street> \"value {}\" .", thing % 1000).unwrap();
        writeln!(text, "_:a{thing} <http://vocabulary.example/place> _:p{thing} .").unwrap();
        writeln!(text, "_:p{thing} <http://vocabulary.example/name> \"place {}\" .", thing % 100).unwrap();
        writeln!(text, "_:p{thing} <http://vocabulary.example/kind> <http://vocabulary.example/Place> .").unwrap();
    }
    text
}

fn json() -> String {
    let mut text = String::from("{\"meta\": {\"at\": 1}, \"records\": [\n");
    for record in 0..RECORDS {
        let end = if record + 1 == RECORDS { "" } else { "," };
        let value = record * 7 % 1000;
        writeln!(
            text,
            "  {{\"id\": {record}, \"name\": \"value {value} of a record\", \"price\": {}.50, \"tags\": [\"a\", \"b\\n\"], \
             \"open\": true, \"updated\": \"2026-01-01\"}}{end}",
            record % 97
        )
        .unwrap();
    }
    text + "]}"
}

fn csv() -> String {
    let mut text = String::from("id,name,price,place,note\n");
    for row in 0..ROWS {
        writeln!(text, "{row},value {} of a row,{}.50,\"Town, Country\",some more text", row * 7 % 1000, row % 97)
            .unwrap();
    }
    text
}

fn xml() -> String {
    let mut text = String::from("<r:records xmlns:r=\"http://a.example/\">\n");
    for record in 0..RECORDS {
        let value = record * 7 % 1000;
        writeln!(
            text,
            "  <r:record id=\"{record}\" kind='x'><name>value {value} &amp; more</name><r:open/></r:record>"
        )
        .unwrap();
    }
    text + "</r:records>"
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// A line of the process's status, in bytes.
fn memory(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let value = status.lines().find_map(|text| text.strip_prefix(line)).unwrap();
    value.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
