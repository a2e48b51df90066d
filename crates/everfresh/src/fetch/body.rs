//! A body as it comes in.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use url::Url;

use super::{FetchError, FetchSettings};

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

    /// Reads on until so many bytes are here, or all of them.
    pub(super) async fn read_to(
        &mut self,
        bytes: usize,
        url: &Url,
        settings: &FetchSettings,
    ) -> Result<(), FetchError> {
        while !self.complete && self.len() < bytes {
            self.read_piece(url, settings).await?;
        }
        Ok(())
    }

    /// How large it will be, as far as it is known: as announced, or twice what came.
    pub(super) fn expected(&self, settings: &FetchSettings) -> usize {
        let announced = self.incoming.size_hint().exact().and_then(|rest| usize::try_from(rest).ok());
        announced.map_or(self.len() * 2, |rest| self.len() + rest).min(settings.max_body_bytes)
    }

    /// Makes room for so many bytes in all at once, which saves the copies of growing step by step.
    pub(super) fn reserve(&mut self, bytes: usize) {
        self.rest.reserve(bytes.saturating_sub(self.rest.len()));
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
