//! What can go wrong in one exchange, each with a short code for the visit's record and a sentence for a person.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use rustix::io::Errno;

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
    #[error("no TLS connection to {host}: {source}")]
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
    /// The body is large, and for too long others kept all the room there is for large ones.
    #[error("found no room for the large body of {url} within {limit:?}, since others took it; it is visited again")]
    Crowded {
        /// The URL.
        url: String,
        /// The limit that was passed.
        limit: Duration,
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
    #[error("the answer of {url} is not valid HTTP: {source}")]
    BadHttp {
        /// The URL.
        url: String,
        /// What the protocol layer said.
        source: hyper::Error,
    },
    /// The connection ended before the answer did.
    #[error("the connection broke before the answer of {url} was complete: {source}")]
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
    /// A short code that never changes, for records, counts and filters.
    pub fn reason(&self) -> &'static str {
        match self {
            FetchError::BadSetting { .. } => "bad-setting",
            FetchError::BadUrl { .. } => "bad-url",
            FetchError::BadRedirect { .. } => "bad-redirect",
            FetchError::RefusedAddress { .. } => "refused-address",
            FetchError::Dns { .. } => "dns",
            FetchError::DnsTimeout { .. } => "dns-timeout",
            FetchError::NoHandle { .. } => "no-handle",
            FetchError::Connect { .. } => "connect",
            FetchError::ConnectTimeout { .. } => "connect-timeout",
            FetchError::Tls { .. } => "tls",
            FetchError::FirstByteTimeout { .. } => "first-byte-timeout",
            FetchError::TotalTimeout { .. } => "total-timeout",
            FetchError::Crowded { .. } => "crowded",
            FetchError::HeadersTooLarge { .. } => "headers-too-large",
            FetchError::BodyTooLarge { .. } => "body-too-large",
            FetchError::BadHttp { .. } => "bad-http",
            FetchError::Reset { .. } => "reset",
            FetchError::Decode { .. } => "decode",
            FetchError::DecodedTooLarge { .. } => "decoded-too-large",
        }
    }

    /// Whether this program had no room or no handle: nobody else is to blame, and it may be tried again.
    pub fn is_ours(&self) -> bool {
        matches!(self, FetchError::Crowded { .. } | FetchError::NoHandle { .. })
    }

    /// Whether the other end said that it has not looked at the request and will not: somebody else may.
    pub(super) fn is_refused(&self) -> bool {
        let (FetchError::BadHttp { source, .. } | FetchError::Reset { source, .. }) = self else { return false };
        let mut cause = std::error::Error::source(source);
        while let Some(current) = cause {
            if let Some(error) = current.downcast_ref::<h2::Error>() {
                let goes_away = error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR);
                return error.is_remote() && (goes_away || error.reason() == Some(h2::Reason::REFUSED_STREAM));
            }
            cause = current.source();
        }
        false
    }

    /// Sorts an error of the protocol layer by what it means for the page.
    pub(super) fn from_hyper(url: &url::Url, max_header_bytes: usize, source: hyper::Error) -> FetchError {
        let url = url.to_string();
        if source.is_parse_too_large() {
            FetchError::HeadersTooLarge { url, limit: max_header_bytes }
        } else if is_broken_connection(&source) {
            FetchError::Reset { url, source }
        } else {
            FetchError::BadHttp { url, source }
        }
    }
}

/// Whether the system has no handle left for this process, or for any.
pub(super) fn is_no_handle(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(errno, Some(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM))
}

/// Whether the bytes stopped, in contrast to being wrong. A chunk size that is no number also comes as an I/O error.
fn is_broken_connection(error: &hyper::Error) -> bool {
    if error.is_incomplete_message() || error.is_canceled() || error.is_closed() || error.is_timeout() {
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
