//! Whether a request that got no answer is sent again, and over which connection.
//!
//! Only what cannot be seen as a second visit is. A kept connection may have ended while nobody used it, perhaps with a 408 that
//! is about the wait and not about the request, which may be repeated then (RFC 9110, 15.5.9). An HTTP/2 server may
//! refuse a stream, or go away, and say that it has not looked at it. And where many exchanges share a connection, one that
//! breaks the rules of the protocol ends all of them: each is sent again alone, and then it is seen which it was.

use std::error::Error;
use std::time::Duration;

use http::{Response, StatusCode};

use super::connect::Link;

/// How often a request is sent at most: where many share a connection that goes away, they may meet on the next that does.
pub(super) const TIMES: usize = 5;

/// How long between two of these times, but for the first repetition: who refuses again and again is not pressed.
pub(super) const BETWEEN_TIMES: Duration = Duration::from_secs(1);

/// Over which connection a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// One that was kept, or a new one.
    Any,
    /// A new one, which is kept.
    New,
    /// A new one, which nobody else may use.
    Alone,
}

/// How to send a request again that failed like this before anything of its answer came; `None` if it is not.
pub(super) fn again(link: &Link, was_kept: bool, failure: &hyper::Error) -> Option<Over> {
    let Some(error) = http2_error(failure) else {
        // The second where the connection ended before it took the request up.
        let was_never_sent = (link.is_shared() || was_kept) && (failure.is_canceled() || failure.is_user());
        return (was_never_sent || was_kept && link.is_unanswered()).then_some(Over::New);
    };
    let reason = error.reason();
    if is_of_connection(error) {
        Some(Over::Alone)
    } else if error.is_go_away() {
        (was_kept || reason == Some(h2::Reason::NO_ERROR)).then_some(Over::New)
    } else {
        // The connection is as good as before: a new one would only be one more.
        (error.is_remote() && reason == Some(h2::Reason::REFUSED_STREAM)).then_some(Over::Any)
    }
}

/// Whether what came over a kept connection is no answer, but says that nothing was asked for too long.
pub(super) fn is_of_idle_connection<B>(link: &Link, response: &Response<B>) -> bool {
    !link.is_shared() && response.status() == StatusCode::REQUEST_TIMEOUT
}

/// Whether a connection was ended because somebody on it broke the rules.
pub(super) fn is_of_connection(error: &h2::Error) -> bool {
    error.is_go_away() && error.is_library()
}

/// What was wrong with the frames of an HTTP/2 connection, if that is what failed.
pub(super) fn http2_error(error: &hyper::Error) -> Option<&h2::Error> {
    let mut cause = error.source();
    while let Some(current) = cause {
        if let Some(found) = current.downcast_ref() {
            return Some(found);
        }
        cause = current.source();
    }
    None
}
