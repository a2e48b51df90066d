//! Traps that are small on the wire and large for whoever reads them: documents whose every parser has a worst case.

use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;

/// A document: its media type, and its bytes as gzip.
pub(super) struct Small {
    pub(super) media_type: &'static str,
    pub(super) gzip: Vec<u8>,
}

/// The document at a path; `None` if there is none. Each is made once, when it is first asked for.
pub(super) fn document(path: &str) -> Option<&'static Small> {
    let document = match path {
        "/many-attributes" => &MANY_ATTRIBUTES,
        "/numbers.jsonld" => &NUMBERS,
        "/contexts.jsonld" => &CONTEXTS,
        "/blanks.ttl" => &BLANKS,
        "/alike.ttl" => &ALIKE,
        "/rows.csv" if EVEN_ROWS.fetch_not(Ordering::Relaxed) => &ROWS,
        "/rows.csv" => &OTHER_ROWS,
        "/deep.json" => &DEEP_JSON,
        "/deep.xml" => &DEEP_XML,
        "/laughs.xml" => &LAUGHS,
        "/entries.atom" => &ENTRIES,
        _ => return None,
    };
    Some(document)
}

type Made = LazyLock<Small>;

static MANY_ATTRIBUTES: Made =
    LazyLock::new(|| small("text/html", &["<p ", &"a=\"1\" ".repeat(6_835), ">deep</p>"].concat()));
static NUMBERS: Made = LazyLock::new(|| {
    let numbers = "0,".repeat(15_000_000);
    small("application/ld+json", &["{\"@context\":{\"@vocab\":\"http://a.test/\"},\"n\":[", &numbers, "0]}"].concat())
});
static CONTEXTS: Made = LazyLock::new(|| {
    let terms: String = (0..50_000).map(|n| format!("\"t{n}\":{{\"@id\":\"x:{n}\",\"@context\":{{}}}},")).collect();
    small("application/ld+json", &["{\"@context\":{", &terms, "\"z\":\"x:z\"},\"z\":1}"].concat())
});
static BLANKS: Made = LazyLock::new(|| {
    small("text/turtle", &["<http://a.test/> <http://b.test/> ", &"[],".repeat(700_000), "[] ."].concat())
});
static ALIKE: Made = LazyLock::new(|| {
    // Every node is linked with every other: no name tells them apart.
    let edges = (0..120).flat_map(|from| (0..120).filter(move |to| *to != from).map(move |to| (from, to)));
    small("text/turtle", &edges.map(|(from, to)| format!("_:n{from} <http://p.test/> _:n{to} .\n")).collect::<String>())
});
/// Which of the two tables comes next.
static EVEN_ROWS: AtomicBool = AtomicBool::new(true);
static ROWS: Made = LazyLock::new(|| small("text/csv", &"1,2\n".repeat(1_000_000)));
static OTHER_ROWS: Made = LazyLock::new(|| small("text/csv", &"2,1\n".repeat(1_000_000)));
static DEEP_JSON: Made = LazyLock::new(|| small("application/json", &"[".repeat(4_000_000)));
static DEEP_XML: Made = LazyLock::new(|| small("application/xml", &"<a>".repeat(4_000_000)));
static LAUGHS: Made = LazyLock::new(|| {
    let entity = |n: u32| format!("<!ENTITY l{} \"{}\">", n + 1, format!("&l{n};").repeat(10));
    let entities: String = (0..30).map(entity).collect();
    small("application/xml", &["<!DOCTYPE l [<!ENTITY l0 \"ha\">", &entities, "]><l>&l30;</l>"].concat())
});
static ENTRIES: Made = LazyLock::new(|| {
    let entries = "<entry><link href=\"/e\"/><updated>2026-01-01T00:00:00Z</updated></entry>".repeat(200_000);
    small("application/atom+xml", &["<feed xmlns=\"http://www.w3.org/2005/Atom\">", &entries, "</feed>"].concat())
});

fn small(media_type: &'static str, text: &str) -> Small {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail; should it, the document is empty and no trap.
    let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    Small { media_type, gzip: written.unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_small_on_the_wire() {
        for path in ["/many-attributes", "/numbers.jsonld", "/blanks.ttl", "/rows.csv", "/rows.csv", "/laughs.xml"] {
            let size = document(path).unwrap().gzip.len();
            assert!((80..40_000).contains(&size), "{path}: {size} bytes");
        }
        assert!(document("/nothing").is_none());
    }
}
