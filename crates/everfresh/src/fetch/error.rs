//! What can go wrong in one exchange, each with a rule for the visit's record and a sentence for a person.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use rustix::io::Errno;
use tokio_rustls::rustls;

use super::again::{http2_error, is_of_connection};
use crate::rule::Rule;

/// Why an exchange gave no usable answer.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// A setting cannot be used at all; nothing was fetched.
    #[error("cannot fetch with the setting {setting}: {problem}")]
    BadSetting {
        /// The name of the setting.
        setting: &'static str,
        /// What is wrong with its value.
        problem: String,
    },
    /// The URL cannot be asked for over HTTP.
    #[error("cannot fetch {url}: {problem}")]
    BadUrl {
        /// The URL.
        url: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A redirect leads nowhere.
    #[error("{url} redirects to {location:?}, which is no http or https URL")]
    BadRedirect {
        /// The page that redirects.
        url: String,
        /// What its Location header says.
        location: String,
    },
    /// Every address of the host is one that a crawler of the public Web must not contact.
    #[error("refused to contact {host}: {address} is not a public address; set fetch.allow_private if it is meant")]
    RefusedAddress {
        /// The host of the URL.
        host: String,
        /// One of the refused addresses.
        address: IpAddr,
    },
    /// The host name has no address.
    #[error("cannot resolve {host}: {source}")]
    Dns {
        /// The host name.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// Nobody said whether the host name has an address.
    #[error("cannot resolve {host}: no answer within {limit:?}; check the name server")]
    DnsTimeout {
        /// The host name.
        host: String,
        /// The limit that was passed.
        limit: Duration,
    },
    /// This process has as many files open as it may have.
    #[error("cannot connect to {host}: {source}; raise the limit of open files (ulimit -n) or lower fetch.concurrency")]
    NoHandle {
        /// The host of the URL.
        host: String,
        /// What the system said.
        source: io::Error,
    },
    /// The host did not accept a connection.
    #[error("cannot connect to {host} at {address}: {source}")]
    Connect {
        /// The host of the URL.
        host: String,
        /// The address that was tried last.
        address: SocketAddr,
        /// What the network said.
        source: io::Error,
    },
    /// Resolving, connecting and the TLS handshake took too long.
    #[error("{host} accepted no connection within {limit:?}; raise fetch.connect_timeout if it is known to be slow")]
    ConnectTimeout {
        /// The host of the URL.
        host: String,
        /// The limit that was passed.
        limit: Duration,
    },
    /// No trustworthy TLS connection came about.
    #[error("no TLS connection to {host}: {source}{}", advice(.source))]
    Tls {
        /// The host of the URL.
        host: String,
        /// What the handshake said.
        source: io::Error,
    },
    /// The request was sent, but no complete response head came in time.
    #[error("{url} sent no response head within {limit:?}; raise fetch.first_byte_timeout if it is known to be slow")]
    FirstByteTimeout {
        /// The URL.
        url: String,
        /// The limit that was passed.
        limit: Duration,
    },
    /// The whole exchange took too long, for instance because the server drips its answer.
    #[error("{url} was not complete within {limit:?}; raise fetch.total_timeout if it is known to be slow")]
    TotalTimeout {
        /// The URL.
        url: String,
        /// The limit that was passed.
        limit: Duration,
    },
    /// The body is large, and others had all the room there is for large ones, or needed what it had.
    #[error("found no room for the large body of {url}, since others took it; it is visited again when there is some")]
    Crowded {
        /// The URL.
        url: String,
    },
    /// The body is large and takes long to come, and others waited to send theirs.
    #[error("the large body of {url} took so long to come that it had to give way to others; it is visited again")]
    GaveWay {
        /// The URL.
        url: String,
    },
    /// The response head is too large, in bytes or in the number of its fields.
    #[error("the response head of {url} is larger than {limit} bytes; raise fetch.max_header_bytes to accept it")]
    HeadersTooLarge {
        /// The URL.
        url: String,
        /// The limit that was passed.
        limit: usize,
    },
    /// The body is too large, as announced or as received.
    #[error("the body of {url} is larger than {limit} bytes; raise fetch.max_body_bytes to accept it")]
    BodyTooLarge {
        /// The URL.
        url: String,
        /// The limit that was passed.
        limit: usize,
    },
    /// The answer is not HTTP.
    #[error("the answer of {url} is not valid HTTP: {}", told(.source))]
    BadHttp {
        /// The URL.
        url: String,
        /// What the protocol layer said.
        source: hyper::Error,
    },
    /// The connection ended before the answer did.
    #[error("the connection broke before the answer of {url} was complete: {}", told(.source))]
    Reset {
        /// The URL.
        url: String,
        /// What the protocol layer said.
        source: hyper::Error,
    },
    /// The body is not what its Content-Encoding says.
    #[error("cannot decode the body of {url} as {coding:?}: {problem}")]
    Decode {
        /// The URL.
        url: String,
        /// The Content-Encoding.
        coding: String,
        /// What the decoder said.
        problem: String,
    },
    /// The decoded body is too large.
    #[error("the decoded body of {url} is larger than {limit} bytes; raise fetch.max_decoded_bytes to accept it")]
    DecodedTooLarge {
        /// The URL.
        url: String,
        /// The limit that was passed.
        limit: usize,
    },
}

impl FetchError {
    /// How a visit that ended so is recorded.
    pub fn rule(&self) -> Rule {
        match self {
            FetchError::BadSetting { .. } => Rule::BadSetting,
            FetchError::BadUrl { .. } => Rule::BadUrl,
            FetchError::BadRedirect { .. } => Rule::BadRedirect,
            FetchError::RefusedAddress { .. } => Rule::RefusedAddress,
            FetchError::Dns { .. } => Rule::Dns,
            FetchError::DnsTimeout { .. } => Rule::DnsTimeout,
            FetchError::NoHandle { .. } => Rule::NoHandle,
            FetchError::Connect { .. } => Rule::Connect,
            FetchError::ConnectTimeout { .. } => Rule::ConnectTimeout,
            FetchError::Tls { .. } => Rule::Tls,
            FetchError::FirstByteTimeout { .. } => Rule::FirstByteTimeout,
            FetchError::TotalTimeout { .. } => Rule::TotalTimeout,
            FetchError::Crowded { .. } => Rule::Crowded,
            FetchError::GaveWay { .. } => Rule::GaveWay,
            FetchError::HeadersTooLarge { .. } => Rule::HeadersTooLarge,
            FetchError::BodyTooLarge { .. } => Rule::BodyTooLarge,
            FetchError::BadHttp { .. } => Rule::BadHttp,
            FetchError::Reset { .. } => Rule::Reset,
            FetchError::Decode { .. } => Rule::Decode,
            FetchError::DecodedTooLarge { .. } => Rule::DecodedTooLarge,
        }
    }

    /// Whether this program had no room or no handle: nobody else is to blame, and it may be tried again.
    pub fn is_ours(&self) -> bool {
        matches!(self, FetchError::Crowded { .. } | FetchError::NoHandle { .. })
    }

    /// Whether an HTTP/2 connection was ended because somebody on it broke the rules, perhaps in another answer.
    pub(super) fn is_of_connection(&self) -> bool {
        matches!(self, FetchError::BadHttp { source, .. } if http2_error(source).is_some_and(is_of_connection))
    }

    /// Sorts an error of the protocol layer before the response head by what it means for the page.
    pub(super) fn from_hyper(url: &url::Url, max_header_bytes: usize, source: hyper::Error) -> FetchError {
        if source.is_parse_too_large() || http2_error(&source).is_some_and(is_head_without_end) {
            FetchError::HeadersTooLarge { url: url.to_string(), limit: max_header_bytes }
        } else {
            FetchError::broken_off(url, source)
        }
    }

    /// Sorts an error of the protocol layer by whether the answer stopped or was wrong.
    pub(super) fn broken_off(url: &url::Url, source: hyper::Error) -> FetchError {
        let url = url.to_string();
        if is_broken_connection(&source) || http2_error(&source).is_some_and(h2::Error::is_remote) {
            FetchError::Reset { url, source }
        } else {
            FetchError::BadHttp { url, source }
        }
    }
}

/// Whether an HTTP/2 connection was ended because of a head so large that it could not even be skipped.
fn is_head_without_end(error: &h2::Error) -> bool {
    let is_field_without_end = error.reason() == Some(h2::Reason::COMPRESSION_ERROR);
    let said = error.to_string();
    let is_named = ["too_many_continuations", "header_list_way_too_large"].iter().any(|cause| said.contains(cause));
    is_of_connection(error) && (is_field_without_end || is_named)
}

/// What to do about a handshake that failed like this.
fn advice(error: &io::Error) -> &'static str {
    match error.get_ref().and_then(|cause| cause.downcast_ref()) {
        Some(rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer)) => {
            "; if its authority is to be trusted, as that of an inner site, set fetch.ca_file to the authority's certificate"
        }
        _ => "",
    }
}

/// Whether the system has no handle left for this process, or for any.
pub fn is_no_handle(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(errno, Some(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM))
}

/// What the protocol layer said, with the frame that made it say so.
fn told(error: &hyper::Error) -> String {
    match http2_error(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Whether the bytes stopped, in contrast to being wrong. A chunk size that is no number also comes as an I/O error.
fn is_broken_connection(error: &hyper::Error) -> bool {
    let ended = error.is_incomplete_message() || error.is_canceled() || error.is_closed() || error.is_timeout();
    // What we ask is in order, so it is the task of the connection that is gone.
    if ended || error.is_user() {
        return true;
    }
    let mut cause = std::error::Error::source(error);
    while let Some(current) = cause {
        if let Some(io) = current.downcast_ref::<io::Error>() {
            return !matches!(io.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData);
        }
        if let Some(inner) = current.downcast_ref::<hyper::Error>()
            && is_broken_connection(inner)
        {
            return true;
        }
        cause = current.source();
    }
    false
}
