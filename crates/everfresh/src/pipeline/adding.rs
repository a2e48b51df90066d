//! Adding pages to a collection, whether a crawl runs on it or not.

use std::time::{Duration, Instant};

use revisit::Time;

use super::PipelineError;
use super::calls::{Call, Reply, Unanswered, call};
use super::seeds::{Added, Addition, add_now};
use crate::collection::{Collection, CollectionError, Lock};
use crate::store::{self, Opening};

/// How long a crawl may take to confirm an order: it may wait for another program at the store.
const TO_CONFIRM: Duration = Duration::from_secs(30);
/// How long to wait for who holds the lock and cannot be called: a crawl that begins or ends, or another command like this.
const TO_LOCK: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(20);
/// A call has so many URLs, and so many bytes of them, at most.
const URLS: usize = 1000;
const BYTES: usize = 256 << 10;

/// Makes pages seeds: by the crawl that runs, or right away. Each addition becomes true as a whole, but for long lists that a
/// crawl is told of, which it is told piece by piece. To add the same again changes nothing.
pub fn add(collection: &Collection, additions: &[Addition], now: Time) -> Result<Added, PipelineError> {
    let mut all = Added::default();
    for addition in additions {
        all = all.and(add_one(collection, addition, now)?);
    }
    Ok(all)
}

fn add_one(collection: &Collection, addition: &Addition, now: Time) -> Result<Added, PipelineError> {
    let (mut all, mut left) = (Added::default(), &addition.urls[..]);
    while !left.is_empty() {
        let (some, rest) = left.split_at(piece(left));
        let told = Addition { urls: some.to_vec(), ..addition.clone() };
        let added = match lock_or_tell(collection, &told)? {
            Done::Told(added) => added,
            Done::Locked(_lock) => {
                let mut store = store::open(collection.folder(), Opening::default())?;
                let added = add_now(store.as_mut(), &Addition { urls: left.to_vec(), ..told }, now)?;
                return Ok(all.and(added));
            }
        };
        (all, left) = (all.and(added), rest);
    }
    Ok(all)
}

/// How many of these URLs fit into a call.
fn piece(urls: &[url::Url]) -> usize {
    let mut bytes = 0;
    let fits = |url: &&url::Url| {
        bytes += url.as_str().len() + 3;
        bytes <= BYTES
    };
    urls.iter().take(URLS).take_while(fits).count().max(1)
}

/// Who adds.
enum Done {
    /// The crawl has.
    Told(Added),
    /// Nobody else writes: the caller may.
    Locked(Lock),
}

fn lock_or_tell(collection: &Collection, addition: &Addition) -> Result<Done, PipelineError> {
    let mut alone_since = None;
    loop {
        let locked = match collection.lock("add") {
            Ok(lock) => return Ok(Done::Locked(lock)),
            Err(error @ CollectionError::Locked { .. }) => error,
            Err(error) => return Err(error.into()),
        };
        match call(collection, &Call::Add(addition.clone()), TO_CONFIRM) {
            Ok(Reply::Added(added)) => return Ok(Done::Told(added)),
            Ok(Reply::Refused(why)) => return Err(PipelineError::Refused(why)),
            Ok(other) => return Err(PipelineError::Refused(format!("it answered something else: {other:?}"))),
            Err(Unanswered::Silent(why)) => return Err(PipelineError::Unconfirmed(why)),
            // It may have ended since the lock was looked at.
            Err(Unanswered::NoCrawl) if alone_since.get_or_insert_with(Instant::now).elapsed() < TO_LOCK => {
                std::thread::sleep(LOOK);
            }
            Err(Unanswered::NoCrawl) => return Err(locked.into()),
        }
    }
}
