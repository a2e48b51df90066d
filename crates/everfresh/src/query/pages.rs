//! Pages, as people name them.

use revisit::PageId;

use super::{Query, QueryError};
use crate::parse::normalise;
use crate::pipeline::fingerprint;
use crate::sources::Source;
use crate::store::{PageSummary, StoreError, each_numbered};

impl Query {
    /// The page a person means.
    pub fn find(&self, url: &str) -> Result<PageSummary, QueryError> {
        let normal = normalise::absolute(url).map_err(|problem| {
            QueryError::Malformed(format!("'{url}' is no page: {problem}; write it as https://host/path"))
        })?;
        if let Some(page) = self.store.find(normal.as_str(), fingerprint(normal.as_str()))? {
            return Ok(page);
        }
        // A query to an endpoint is a page of its own, which people name by the endpoint.
        let mut sources = self.store.sources_at(normal.as_str())?;
        sources.retain(|source| !url.contains('#') || source.url == url);
        match sources.len() {
            0 => Err(QueryError::NotFound(format!(
                "{normal} is not in this collection; add it with 'everfresh add {normal}'"
            ))),
            1 => Ok(sources.swap_remove(0)),
            _ => {
                let urls: Vec<String> = sources.into_iter().map(|source| source.url).collect();
                Err(QueryError::Malformed(format!("{normal} is asked several queries; name one of {}", urls.join(" "))))
            }
        }
    }

    /// Every page, one after the other.
    pub fn each_page<E: From<StoreError>>(&self, take: impl FnMut(PageSummary) -> Result<(), E>) -> Result<(), E> {
        each_numbered(|from| self.store.summaries(from), take)
    }

    /// How a page is asked, if that is not as for all pages.
    pub(super) fn source(&self, page: PageId) -> Result<Option<Source>, StoreError> {
        Ok(self.store.load(&[page])?.pop().and_then(|loaded| loaded.source))
    }
}
