//! A body as it comes in, and the guard that keeps large ones from adding up.
//!
//! Each body has a limit, but hundreds come in at once: without a second rule a crawl could be made to hold all of them at
//! their limit. So a body is read freely up to [`SMALL_BYTES`], which nearly every page stays below; to go on its visit
//! needs one of the few permits of [`LargeBodies`], and keeps it until whoever holds the bytes is done with them. Until
//! then nothing more is read, and the server waits too.
//!
//! A visit has one permit for all its exchanges and waits for it with empty hands, so that no two visits can wait for each
//! other; and it does not wait for ever.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use url::Url;

use super::{FetchError, FetchSettings};

/// What a body may hold without a permit.
const SMALL_BYTES: usize = 256 << 10;
/// What all large bodies may hold together, as sent and decoded.
const LARGE_BYTES: usize = 256 << 20;
/// With one permit a single dripping server could hold up all large bodies of all others.
const LEAST_PERMITS: usize = 2;
/// Permits for visits of several exchanges, which may keep theirs for long: apart, or pages would wait for them.
const PERMITS_FOR_PARTS: usize = 2;
/// How long a visit waits for its permit before it is given up: longer than any single exchange keeps one.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// The permits to hold something large.
pub(super) struct LargeBodies {
    for_pages: Arc<Semaphore>,
    for_parts: Arc<Semaphore>,
}

/// What a visit may hold: small bodies until it has its permit, which then is good for all its exchanges.
#[derive(Debug)]
pub struct Space {
    permits: Arc<Semaphore>,
    permit: Option<LargeBody>,
}

/// A permit to hold a large body, given back when dropped: keep it as long as the body or what was made of it is held.
#[derive(Debug)]
pub struct LargeBody {
    _permit: OwnedSemaphorePermit,
}

impl LargeBodies {
    /// As many permits for pages as bodies at their limits fit into the memory for large bodies.
    pub(super) fn new(settings: &FetchSettings) -> LargeBodies {
        let each = settings.max_body_bytes.saturating_add(settings.max_decoded_bytes).max(SMALL_BYTES);
        let permits = |number| Arc::new(Semaphore::new(number));
        let for_pages = permits((LARGE_BYTES / each).max(LEAST_PERMITS));
        LargeBodies { for_pages, for_parts: permits(PERMITS_FOR_PARTS) }
    }

    /// The space of a visit of one exchange.
    pub(super) fn for_page(&self) -> Space {
        Space { permits: self.for_pages.clone(), permit: None }
    }

    /// The space of a visit of several exchanges.
    pub(super) fn for_parts(&self) -> Space {
        Space { permits: self.for_parts.clone(), permit: None }
    }

    /// Gives no more permits: who waits for one, or comes to wait, is told at once.
    pub(super) fn close(&self) {
        self.for_pages.close();
        self.for_parts.close();
    }
}

impl Space {
    /// Waits for the visit's permit, first come first served, if so many bytes need one and the visit does not have it yet.
    pub async fn hold(&mut self, bytes: usize, url: &Url) -> Result<(), FetchError> {
        if bytes >= SMALL_BYTES && self.permit.is_none() {
            let waited = timeout(LONGEST_WAIT, self.permits.clone().acquire_owned()).await;
            let permit = waited.ok().and_then(Result::ok);
            let permit = permit.ok_or_else(|| FetchError::Crowded { url: url.to_string(), limit: LONGEST_WAIT })?;
            self.permit = Some(LargeBody { _permit: permit });
        }
        Ok(())
    }

    /// The permit, if the visit came to need it.
    pub fn into_permit(self) -> Option<LargeBody> {
        self.permit
    }
}

/// A body of which some has been read.
pub(super) struct Arriving {
    incoming: Incoming,
    /// Most pages come in one piece, which is then passed on without a copy.
    first: Bytes,
    rest: BytesMut,
    complete: bool,
}

impl Arriving {
    /// Nothing read yet; refuses a body that is announced to be larger than allowed.
    pub(super) fn new(incoming: Incoming, url: &Url, settings: &FetchSettings) -> Result<Arriving, FetchError> {
        let limit = settings.max_body_bytes;
        if incoming.size_hint().lower() > limit as u64 {
            return Err(FetchError::BodyTooLarge { url: url.to_string(), limit });
        }
        Ok(Arriving { incoming, first: Bytes::new(), rest: BytesMut::new(), complete: false })
    }

    /// Reads what is small; the body is then complete or needs a permit.
    pub(super) async fn read_small(&mut self, url: &Url, settings: &FetchSettings) -> Result<(), FetchError> {
        while !self.complete && self.len() < SMALL_BYTES {
            self.read_piece(url, settings).await?;
        }
        Ok(())
    }

    /// Reads all the rest.
    pub(super) async fn read_large(&mut self, url: &Url, settings: &FetchSettings) -> Result<(), FetchError> {
        // What is announced is within the limit; room for it at once saves the copies of growing step by step.
        self.rest.reserve(usize::try_from(self.incoming.size_hint().lower()).unwrap_or(0));
        while !self.complete {
            self.read_piece(url, settings).await?;
        }
        Ok(())
    }

    async fn read_piece(&mut self, url: &Url, settings: &FetchSettings) -> Result<(), FetchError> {
        let Some(frame) = self.incoming.frame().await else {
            self.complete = true;
            return Ok(());
        };
        let frame = frame.map_err(|source| FetchError::broken_off(url, source))?;
        let Ok(data) = frame.into_data() else { return Ok(()) };
        if self.len() + data.len() > settings.max_body_bytes {
            return Err(FetchError::BodyTooLarge { url: url.to_string(), limit: settings.max_body_bytes });
        }
        if self.len() == 0 {
            self.first = data;
            return Ok(());
        }
        self.rest.extend_from_slice(&std::mem::take(&mut self.first));
        self.rest.extend_from_slice(&data);
        Ok(())
    }

    /// Bytes read so far.
    pub(super) fn len(&self) -> usize {
        self.first.len() + self.rest.len()
    }

    /// Whether all of it is here.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// The bytes read.
    pub(super) fn into_bytes(self) -> Bytes {
        if self.rest.is_empty() { self.first } else { self.rest.freeze() }
    }
}
