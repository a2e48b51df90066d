//! The guard that keeps large bodies from adding up.
//!
//! Each body has a limit, but hundreds come in at once: without a second rule a crawl could be made to hold all of them at
//! their limit. So a body is read freely up to [`SMALL_BYTES`], which nearly every page stays below; to go on its visit
//! needs one of the few permits of [`LargeBodies`], and keeps it until whoever holds the bytes is done with them. Until
//! then nothing more is read, and the server waits too.
//!
//! A visit has one permit for all its exchanges and waits for it with empty hands, so that no two visits can wait for each
//! other; and it does not wait for ever. Whose body only drips gives its permit up if somebody waits for one.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use url::Url;

use super::{FetchError, FetchSettings};

/// What a body may hold without a permit.
pub(super) const SMALL_BYTES: usize = 256 << 10;
/// What all large bodies may hold together, as sent and decoded.
const LARGE_BYTES: usize = 256 << 20;
/// With one permit a single dripping server could hold up all large bodies of all others.
const LEAST_PERMITS: usize = 2;
/// Permits for visits of several exchanges, which may keep theirs for long: apart, or pages would wait for them.
const PERMITS_FOR_PARTS: usize = 2;
/// How long a visit waits for its permit before it is given up: longer than any single exchange keeps one.
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// How long a visit waits before another one that drips is to give up its permit.
const PATIENCE: Duration = Duration::from_secs(2);
/// Below so many bytes a second a body drips, once it has had some time.
const LEAST_RATE: usize = 64 << 10;
const GRACE: Duration = Duration::from_secs(5);

/// The permits of one kind of visit.
#[derive(Debug)]
struct Permits {
    free: Arc<Semaphore>,
    /// How many wait and want somebody to give way.
    wanted: AtomicUsize,
}

impl Permits {
    fn new(number: usize) -> Arc<Permits> {
        Arc::new(Permits { free: Arc::new(Semaphore::new(number)), wanted: AtomicUsize::new(0) })
    }

    /// Waits for a permit, first come first served; `None` if there will be none.
    async fn acquire(&self) -> Option<OwnedSemaphorePermit> {
        let mut acquired = pin!(self.free.clone().acquire_owned());
        tokio::select! {
            biased;
            permit = &mut acquired => return permit.ok(),
            () = sleep(PATIENCE) => {}
        }
        let _wish = Wish::new(&self.wanted);
        acquired.await.ok()
    }
}

/// The wish that somebody gives way; taken back when it is fulfilled or its owner goes.
struct Wish<'a> {
    wanted: &'a AtomicUsize,
}

impl<'a> Wish<'a> {
    fn new(wanted: &'a AtomicUsize) -> Wish<'a> {
        wanted.fetch_add(1, Ordering::Relaxed);
        Wish { wanted }
    }
}

impl Drop for Wish<'_> {
    fn drop(&mut self) {
        self.wanted.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The permits to hold something large.
pub(super) struct LargeBodies {
    for_pages: Arc<Permits>,
    for_parts: Arc<Permits>,
}

/// What a visit may hold: small bodies until it has its permit, which then is good for all its exchanges.
#[derive(Debug)]
pub struct Space {
    permits: Arc<Permits>,
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
        let for_pages = Permits::new((LARGE_BYTES / each).max(LEAST_PERMITS));
        LargeBodies { for_pages, for_parts: Permits::new(PERMITS_FOR_PARTS) }
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
        self.for_pages.free.close();
        self.for_parts.free.close();
    }
}

impl Space {
    /// Waits for the visit's permit, first come first served, if so many bytes need one and the visit does not have it yet.
    pub async fn hold(&mut self, bytes: usize, url: &Url) -> Result<(), FetchError> {
        if bytes >= SMALL_BYTES && self.permit.is_none() {
            let permit = timeout(LONGEST_WAIT, self.permits.acquire()).await.ok().flatten();
            let permit = permit.ok_or_else(|| FetchError::Crowded { url: url.to_string(), limit: LONGEST_WAIT })?;
            self.permit = Some(LargeBody { _permit: permit });
        }
        Ok(())
    }

    /// Whether a body that brought so many bytes in this time, while it had its permit, is to be let go: it drips, and
    /// somebody waits.
    pub(super) fn is_to_give_way(&self, bytes: usize, took: Duration) -> bool {
        let drips = took > GRACE && (bytes as f64) < took.as_secs_f64() * LEAST_RATE as f64;
        drips && self.permits.wanted.load(Ordering::Relaxed) > 0
    }

    /// The permit, if the visit came to need it.
    pub fn into_permit(self) -> Option<LargeBody> {
        self.permit
    }
}
