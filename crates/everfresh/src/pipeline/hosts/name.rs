//! Names of hosts: scheme, name and port, and what of them is the server, the domain or the name alone.

use url::{Position, Url};

use crate::parse::scope;

/// Scheme, host and port: what a robots.txt speaks for.
pub(super) fn origin(url: &Url) -> &str {
    &url[..Position::BeforePath]
}

/// Name and port in an origin.
pub(super) fn authority(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, authority)| authority)
}

/// The registrable domain of an origin.
pub(super) fn domain_of(origin: &str) -> String {
    Url::parse(origin).map_or_else(|_| origin.to_owned(), |url| scope::domain(&url).to_owned())
}

/// The host's name in an origin.
pub(super) fn host_name(origin: &str) -> &str {
    let authority = authority(origin);
    match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => authority,
    }
}
