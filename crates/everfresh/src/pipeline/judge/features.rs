//! What the first version of a page shows of how it may change.

use url::Url;

use crate::fetch::Exchange;
use crate::meaning::Format;
use crate::parse::{Directives, Features, Kind, Parsed};
use crate::pipeline::visit::Assignment;
use crate::store::FeaturesRow;

/// The features of a first version.
pub(super) fn features_row(
    page: &Assignment,
    parsed: &Parsed,
    format: Option<Format>,
    exchange: &Exchange,
) -> FeaturesRow {
    let Features { text_bytes, links, images, emails, directory_level } = parsed.features;
    let Directives { nofollow, noindex } = parsed.directives;
    FeaturesRow {
        page: page.page,
        depth: page.depth,
        text_bytes,
        links,
        images,
        emails,
        directory_level,
        last_modified: exchange.headers.contains_key(http::header::LAST_MODIFIED),
        nofollow,
        noindex,
        format: Some(family(parsed.kind, format)),
        host_kind: Some(host_kind(&page.url)),
        max_age: exchange.max_age(),
    }
}

/// The family of a format: what is written alike changes alike. The numbers are stored and never change their meaning.
fn family(kind: Kind, format: Option<Format>) -> u8 {
    match (format, kind) {
        (Some(Format::Json | Format::JsonLines), _) => 4,
        (Some(Format::Csv | Format::Tsv), _) => 5,
        (Some(Format::Xml), _) => 6,
        (Some(Format::Text), _) | (None, Kind::Text) => 1,
        (Some(Format::Binary), _) | (None, Kind::Other) => 7,
        // All that is left is RDF.
        (Some(_), _) => 3,
        (None, Kind::Html) => 0,
        (None, Kind::Feed | Kind::Sitemap) => 2,
    }
}

/// Whose host it is, by the public suffix of its name: 0 anybody's, 1 a company's, 2 an organisation's, 3 a school's, 4 a
/// government's. The numbers are stored and never change their meaning.
fn host_kind(url: &Url) -> u8 {
    let host = url.host_str().unwrap_or_default();
    if host == "europa.eu" || host.ends_with(".europa.eu") {
        return 4;
    }
    let suffix = psl::suffix_str(host).unwrap_or_default();
    match suffix.split('.').next().unwrap_or_default() {
        "com" | "co" | "net" | "biz" => 1,
        "org" | "or" => 2,
        "edu" | "ac" => 3,
        "gov" | "gouv" | "gob" | "gub" | "go" | "mil" | "int" => 4,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_by_their_suffix() {
        let kind = |host: &str| host_kind(&Url::parse(&format!("http://{host}/")).unwrap());
        assert_eq!([kind("www.example.com"), kind("example.co.uk")], [1, 1]);
        assert_eq!([kind("data.example.org"), kind("www.ox.ac.uk"), kind("mit.edu")], [2, 3, 3]);
        assert_eq!([kind("data.gov"), kind("www.gov.uk"), kind("data.gouv.fr"), kind("data.europa.eu")], [4; 4]);
        assert_eq!([kind("example.de"), kind("127.0.0.1"), kind("localhost")], [0; 3]);
    }
}
