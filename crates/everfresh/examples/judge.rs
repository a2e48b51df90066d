//! Answers questions about documents, one JSON object a line, so that the suites of others can be put to everfresh.
//!
//! ```sh
//! echo '{"ask": "date", "text": "2024-05-01"}' | cargo run --example judge
//! ```
//!
//! [`Question`] lists what can be asked. Bodies are Base64. An answer is an object; what cannot be read has an `error` in it,
//! in words. `scripts/suites` asks.

use std::io::{BufRead, Write, stdin, stdout};

use bytes::Bytes;
use data_encoding::BASE64;
use everfresh::archive::surt;
use everfresh::fetch::Robots;
use everfresh::meaning::{self, Format, Limits, Rules};
use everfresh::parse::{self, normalise};
use everfresh::sources::{self, Kind, Source};
use http::header::{CONTENT_TYPE, HeaderMap};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use url::Url;

/// What can be asked.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
enum Question {
    /// What a document of data says; two of the same digest say the same.
    Data {
        #[serde(deserialize_with = "base64")]
        body: Vec<u8>,
        media_type: String,
        base: String,
        #[serde(default)]
        any_order: bool,
    },
    /// What the answer of an endpoint to a query says.
    Results {
        #[serde(deserialize_with = "base64")]
        body: Vec<u8>,
        media_type: String,
        query: String,
    },
    /// What is on a page, in a feed or in a sitemap.
    Page {
        #[serde(deserialize_with = "base64")]
        body: Vec<u8>,
        content_type: Option<String>,
        url: String,
    },
    /// Whether a robots.txt lets an agent fetch a page.
    Robots {
        #[serde(deserialize_with = "base64")]
        body: Vec<u8>,
        agent: String,
        url: String,
    },
    /// The normal form of a reference on a page, or of an absolute URL.
    Url { reference: String, base: Option<String> },
    /// The key of a URL in the index.
    Key { url: String },
    /// A date as seconds since 1970.
    Date { text: String },
}

fn base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    BASE64.decode(text.as_bytes()).map_err(serde::de::Error::custom)
}

fn main() -> anyhow::Result<()> {
    // Line by line, so that answers outlive a question that ends the process.
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let answer =
            answer(serde_json::from_str(&line?)?).unwrap_or_else(|error| json!({ "error": error.to_string() }));
        writeln!(out, "{answer}")?;
    }
    Ok(())
}

fn answer(question: Question) -> anyhow::Result<Value> {
    match question {
        Question::Data { body, media_type, base, any_order } => {
            let format = Format::claimed(Some(&media_type), "");
            said(format, &body, &base, any_order)
        }
        Question::Results { body, media_type, query } => results(body, &media_type, query),
        Question::Page { body, content_type, url } => {
            Ok(page(&parse::parse(&body, content_type.as_deref(), &Url::parse(&url)?)))
        }
        Question::Robots { body, agent, url } => {
            Ok(json!({ "allows": Robots::from_response(200, &body, &agent).allows(&Url::parse(&url)?) }))
        }
        Question::Url { reference, base: Some(base) } => {
            Ok(json!({ "url": normalise::resolve(&Url::parse(&base)?, &reference)? }))
        }
        Question::Url { reference, base: None } => Ok(json!({ "url": normalise::absolute(&reference)? })),
        Question::Key { url } => Ok(json!({ "key": surt::key(&url) })),
        Question::Date { text } => match parse::date(&text) {
            Some(time) => Ok(json!({ "seconds": time.secs() })),
            None => anyhow::bail!("no date"),
        },
    }
}

fn said(format: Option<Format>, body: &[u8], base: &str, any_order: bool) -> anyhow::Result<Value> {
    let Some(format) = format else { anyhow::bail!("no format of data") };
    let rules = Rules { any_order, ..Rules::default() };
    let content = meaning::read(format, body, base, &rules, &Limits::default())?;
    let digest = data_encoding::HEXLOWER.encode(&content.digest());
    Ok(json!({ "format": format.name(), "digest": digest, "statements": content.statements() }))
}

/// Puts the body before the handler of a source, as the one answer to its query.
fn results(body: Vec<u8>, media_type: &str, query: String) -> anyhow::Result<Value> {
    let url = Url::parse("http://endpoint.example/sparql")?;
    let source = Source { kind: Kind::Sparql, query: Some(query), ..Source::default() };
    let mut handler = source.handler(&url)?;
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, media_type.parse()?)]);
    let answer = sources::Answer { url: handler.first().url, status: 200, headers, body: Bytes::from(body) };
    handler.take(answer)?;
    let held = handler.finish();
    said(held.format, &held.body, url.as_str(), held.any_order)
}

fn page(parsed: &parse::Parsed) -> Value {
    let links: Vec<Value> = parsed
        .links
        .iter()
        .map(|link| json!({ "url": link.url, "modified": link.last_modified.map(|time| time.secs()) }))
        .collect();
    json!({ "kind": format!("{:?}", parsed.kind), "charset": parsed.charset, "text": parsed.text, "links": links })
}
