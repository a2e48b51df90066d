//! Visits, one after the other: there may be more than memory holds.

use revisit::PageId;
use serde::ser::{Error, SerializeSeq};
use serde::{Serialize, Serializer};

use super::{Query, QueryError};
use crate::store::{Order, PageSummary, Reader, StoreError, VisitEntry, each};

/// The visits of one page, or of all.
#[derive(Serialize)]
pub struct History<'a> {
    /// The page, if it is one.
    pub url: Option<String>,
    /// Its visits, oldest first.
    pub visits: Visits<'a>,
}

/// Visits, read when they are asked for.
pub struct Visits<'a> {
    store: &'a dyn Reader,
    of: Option<PageId>,
    /// Only those that told nothing.
    failed: bool,
}

impl Query {
    /// The visits of the page that a person means, or of all pages; all of them, or those that told nothing.
    pub fn history(&self, url: Option<&str>, failed: bool) -> Result<History<'_>, QueryError> {
        let page = url.map(|url| self.find(url)).transpose()?;
        let of = page.as_ref().map(|page| PageId(page.id));
        let visits = Visits { store: self.store.as_ref(), of, failed };
        Ok(History { url: page.map(|PageSummary { url, .. }| url), visits })
    }

    /// A page's last visit.
    pub(super) fn last_visit(&self, page: PageId) -> Result<Option<VisitEntry>, StoreError> {
        Ok(self.store.history(Some(page), Order::NewestFirst, None)?.rows.into_iter().next())
    }
}

impl Visits<'_> {
    /// Hands them over; ends early if `take` fails.
    pub fn each<E: From<StoreError>>(&self, mut take: impl FnMut(VisitEntry) -> Result<(), E>) -> Result<(), E> {
        let visits = |cursor| self.store.history(self.of, Order::OldestFirst, cursor);
        each(visits, |visit| if !self.failed || visit.outcome == "failed" { take(visit) } else { Ok(()) })
    }
}

/// What ends the writing of a list.
enum Ended<E> {
    Store(StoreError),
    Out(E),
}

impl<E> From<StoreError> for Ended<E> {
    fn from(error: StoreError) -> Ended<E> {
        Ended::Store(error)
    }
}

impl Serialize for Visits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        match self.each(|visit| list.serialize_element(&visit).map_err(Ended::Out)) {
            Ok(()) => list.end(),
            Err(Ended::Out(error)) => Err(error),
            Err(Ended::Store(error)) => Err(S::Error::custom(error)),
        }
    }
}
