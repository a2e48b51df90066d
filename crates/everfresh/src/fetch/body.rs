//! A body as it comes in.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::time::{Instant, timeout};
use url::Url;

use super::large::{SMALL_BYTES, Space};
use super::{FetchError, FetchSettings};

/// How often a large body that does not come is looked at.
const LOOK: Duration = Duration::from_secs(1);

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

    /// Reads all the rest, in the space that was made for it.
    pub(super) async fn read_large(
        &mut self,
        url: &Url,
        settings: &FetchSettings,
        space: &Space,
    ) -> Result<(), FetchError> {
        let (begun, before) = (Instant::now(), self.len());
        // What is announced is within the limit; room for it at once saves the copies of growing step by step.
        self.rest.reserve(usize::try_from(self.incoming.size_hint().lower()).unwrap_or(0));
        while !self.complete {
            if let Ok(read) = timeout(LOOK, self.read_piece(url, settings)).await {
                read?;
            }
            if space.is_to_give_way(self.len() - before, begun.elapsed()) {
                return Err(FetchError::GaveWay { url: url.to_string() });
            }
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
