//! Other people's tools judge our archives: warcio checks the files, pywb indexes and replays them.
//!
//! The tools are installed by `scripts/python-tools.sh` into `target/python` when they are missing.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

use std::io::{Read, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use everfresh::archive::cdxj::{Entry, Index};
use everfresh::archive::{Capture, CaptureKind, Digest, Encoder, Original, Writer, WriterSettings, surt};
use revisit::Time;
use serde_json::Value;

const PAGE: &str = "http://www.a.example/page?b=2&a=1";
const OLD: &[u8] = b"<html><body>the page as it was first</body></html>";
const NEW: &[u8] = b"<html><body>the page as it is now</body></html>";
const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
const NOT_MODIFIED: &[u8] = b"HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n";

/// A body that is still encoded, as servers send most of them.
static ZIPPED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut zipped = Vec::new();
    flate2::read::GzEncoder::new(OLD, flate2::Compression::fast()).read_to_end(&mut zipped).unwrap();
    zipped
});

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of the tools' programs.
static TOOLS: LazyLock<PathBuf> = LazyLock::new(|| {
    let installed = Command::new(repository().join("scripts/python-tools.sh")).status().unwrap();
    assert!(installed.success(), "scripts/python-tools.sh failed");
    repository().join("target/python/bin").canonicalize().unwrap()
});

/// Runs a tool in `folder` with `input` and returns what it printed.
fn run(folder: &Path, program: &str, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(TOOLS.join(program))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program} {arguments:?} failed\n{out}\n{err}");
    out
}

fn judge(script: &str) -> String {
    format!("{}/tests/judges/{script}", env!("CARGO_MANIFEST_DIR"))
}

/// What pywb answers to each path. It also prints remarks of its own.
fn replay(root: &Path, paths: &[String]) -> Vec<Value> {
    let printed = run(root, "python", &[&judge("pywb_replay.py")], &paths.join("\n"));
    printed.lines().filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn second(number: i64) -> Time {
    Time::from_millis(1_794_781_800_125 + number * 1000)
}

fn response<'a>(url: &'a str, at: i64, status: u16, head: &'a [u8], body: &'a [u8]) -> Capture<'a> {
    Capture {
        url,
        at: second(at),
        address: Some(IpAddr::from([192, 0, 2, 1])),
        request_head: b"GET / HTTP/1.1\r\nHost: a.example\r\nUser-Agent: everfresh\r\n\r\n",
        request_body: b"",
        response_head: head,
        body,
        status,
        payload: Digest::of(body),
        kind: CaptureKind::Response,
        notes: &[("via", "http://www.a.example/"), ("fetchTimeMs", "12")],
    }
}

const GONE: &str = "http://a.example/gone";
const NOT_FOUND: &[u8] = b"HTTP/1.1 404 Not Found\r\n\r\n";
const NOT_FOUND_BODY: &[u8] = b"gone\r\n\r\nWARC/1.1\r\n";

/// Every kind of record, and servers that try to break out of theirs.
fn captures() -> Vec<Capture<'static>> {
    let first = Original { url: PAGE, at: second(0), payload: Digest::of(OLD) };
    let still_gone = Original { url: GONE, at: second(50), payload: Digest::of(NOT_FOUND_BODY) };
    let redirect = b"HTTP/1.1 301 Moved Permanently\r\nLocation: http://www.a.example/\r\n\r\n";
    let smuggled = b"HTTP/1.1 200 OK\r\nX: 1\n\nWARC/1.1\r\n\x0b\r\n\xa0\r\nContent-Type: Text/Plain;x\r\n\r\n";
    vec![
        response(PAGE, 0, 200, OK, OLD),
        Capture { kind: CaptureKind::NotModified(first), ..response(PAGE, 10, 304, NOT_MODIFIED, b"") },
        Capture { kind: CaptureKind::Identical(first), ..response(PAGE, 20, 200, OK, OLD) },
        response(PAGE, 30, 200, OK, NEW),
        Capture { kind: CaptureKind::Identical(first), ..response("https://mirror.example/copy", 40, 200, OK, OLD) },
        response(GONE, 50, 404, NOT_FOUND, NOT_FOUND_BODY),
        response("http://a.example/moved", 60, 301, redirect, b""),
        response("http://a.example/a b", 70, 200, smuggled, b"\n\nsmuggled"),
        response("http://[2001:db8::1]:8080/\u{e4}", 80, 200, b"", &[0, 255, 10, 13, 10]),
        response("http://a.example/zip", 90, 200, b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", &ZIPPED),
        response("http://a.example/\r\nWARC-Type: x", 100, 200, OK, NEW),
        Capture { kind: CaptureKind::Identical(still_gone), ..response(GONE, 110, 404, NOT_FOUND, NOT_FOUND_BODY) },
    ]
}

/// A folder with `collections/demo/{archive,indexes}` as pywb expects it, and the names of its archive files.
fn collection() -> (tempfile::TempDir, Vec<String>) {
    let root = tempfile::tempdir().unwrap();
    let demo = root.path().join("collections/demo");
    let info = vec![("operator".to_string(), "tests".to_string())];
    let settings = WriterSettings { roll_bytes: 4000, durable: true, prefix: "demo".into(), collection: 7, info };
    let (mut writer, _) = Writer::open(&demo.join("archive"), settings, &[]).unwrap();
    let mut encoder = Encoder::new(7);
    let mut entries = Vec::new();
    for capture in captures() {
        let encoded = encoder.encode(&capture);
        let position = writer.append(&encoded.bytes, capture.at).unwrap();
        entries.push((capture, position, encoded.main_length, writer.file_name(position.file)));
    }
    let files: Vec<String> = writer.sync().unwrap().into_iter().map(|file| file.name).collect();
    for file in &files {
        let of_file = entries.iter().filter(|(.., name)| name == file);
        let lines = of_file.map(|(capture, position, length, name)| Entry {
            url: capture.url,
            at: capture.at,
            status: capture.status,
            content_type: content_type(capture.response_head),
            payload: capture.kind.original().map_or(capture.payload, |original| original.payload),
            revisit: capture.kind.original().is_some(),
            file: name,
            offset: position.offset,
            length: *length,
        });
        let mut index = Index::default();
        lines.for_each(|line| index.push(&line));
        index.write(&demo.join("indexes").join(format!("{file}.cdxj"))).unwrap();
    }
    (root, files)
}

fn content_type(head: &[u8]) -> Option<&str> {
    head.split(|byte| *byte == b'\n').find_map(|line| str::from_utf8(line.strip_prefix(b"Content-Type: ")?).ok())
}

#[test]
fn warcio_finds_every_record_whole() {
    let (root, files) = collection();
    let archive = root.path().join("collections/demo/archive");
    assert!(files.len() > 1, "the files were to roll");
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let checked = run(&archive, "warcio", &[&["check", "-v"], &names[..]].concat(), "");
    assert_eq!(checked.matches("digest pass").count(), 8 + 9 + 12 + files.len(), "{checked}");
    let index = run(&archive, "warcio", &[&["index", "-f", "warc-type,http:status"], &names[..]].concat(), "");
    let count = |kind: &str| index.matches(&format!("\"{kind}\"")).count();
    let counts = ["warcinfo", "response", "revisit", "request", "metadata"].map(count);
    assert_eq!(counts, [files.len(), 8, 4, 9, 12], "{index}");
    assert!(
        index.starts_with("{\"warc-type\": \"warcinfo\"}\n{\"warc-type\": \"response\", \"http:status\": \"200\"}")
    );
}

#[test]
fn pywb_makes_the_same_index() {
    let (root, files) = collection();
    let demo = root.path().join("collections/demo");
    for file in files {
        let path = format!("archive/{file}");
        let theirs = run(&demo, "cdx-indexer", &["--cdxj", "--sort", &path], "");
        let ours = std::fs::read_to_string(demo.join("indexes").join(format!("{file}.cdxj"))).unwrap();
        let parsed = |text: &str| -> Vec<(String, Value)> {
            let parts = text.lines().map(|line| line.split_once('{').unwrap());
            parts.map(|(key, json)| (key.into(), serde_json::from_str(&format!("{{{json}")).unwrap())).collect()
        };
        assert_eq!(parsed(&ours), parsed(&theirs));
    }
}

#[test]
fn pywb_replays_pages_and_both_kinds_of_revisit() {
    let (root, _) = collection();
    let expected = [
        ("20261115223000id_/http://www.a.example/page?b=2&a=1", 200, OLD),
        ("20261115223010id_/http://www.a.example/page?b=2&a=1", 200, OLD),
        ("20261115223020id_/http://www.a.example/page?b=2&a=1", 200, OLD),
        ("20261115223030id_/http://www.a.example/page?b=2&a=1", 200, NEW),
        ("20261115223040id_/https://mirror.example/copy", 200, OLD),
        ("20261115223050id_/http://a.example/gone", 404, NOT_FOUND_BODY),
        ("20261115223150id_/http://a.example/gone", 404, NOT_FOUND_BODY),
        ("20261115223110id_/http://a.example/a%20b", 200, b"\n\nsmuggled"),
        ("20261115223120id_/http://[2001:db8::1]:8080/%C3%A4", 200, &[0, 255, 10, 13, 10]),
        ("20261115223130id_/http://a.example/zip", 200, OLD),
    ];
    let paths: Vec<String> = expected.iter().map(|(path, ..)| format!("/demo/{path}")).collect();
    let answers = replay(root.path(), &paths);
    assert_eq!(answers.len(), expected.len());
    for (answer, (path, status, body)) in answers.iter().zip(expected) {
        let body: String = body.iter().copied().map(char::from).collect();
        assert_eq!((&answer["status"], &answer["body"]), (&status.into(), &body.into()), "{path}");
    }
}

#[test]
fn pywb_answers_queries_from_our_index() {
    let (root, _) = collection();
    let queries = [
        "/demo/cdx?url=http://a.example/page?a=1%26b=2&output=json",
        "/demo/cdx?url=a.example/&matchType=prefix&output=json",
        "/demo/cdx?url=mirror.example/copy&output=json&filter==mime:warc/revisit",
    ];
    let answers = replay(root.path(), &queries.map(String::from));
    let counts: Vec<usize> = answers.iter().map(|answer| answer["body"].as_str().unwrap().lines().count()).collect();
    assert_eq!(counts, [4, 10, 1], "{answers:?}");
}

#[test]
fn keys_are_those_of_pywb() {
    let session = "0123456789abcdefABCDEF0123456789";
    let mut urls: Vec<String> = include_str!("judges/urls.txt").lines().map(String::from).collect();
    urls.extend(
        ["jsessionid", "PHPSESSID", "sid", "xsid"].map(|name| format!("http://a.example/?a=1&{name}={session}&b=2")),
    );
    urls.push(format!("http://a.example/?b=1&sid={session}"));
    // Keys are made of URLs as the crawler has them: normalised.
    let urls: Vec<String> = urls.iter().map(|url| url::Url::parse(url).unwrap().into()).collect();
    let theirs = run(&repository(), "python", &[&judge("pywb_keys.py")], &urls.join("\n"));
    let ours: Vec<String> = urls.iter().map(|url| surt::key(url)).collect();
    for ((url, ours), theirs) in urls.iter().zip(&ours).zip(theirs.lines()) {
        assert_eq!(ours, theirs, "{url}");
    }
    assert_eq!(theirs.lines().count(), urls.len());
}
