//! A trace: which pages there were, and when each of them really changed.

use super::links::Links;
use crate::features::{Feature, Features};
use crate::page::PageId;
use crate::time::{Span, Time};

/// The first day of traces that know days but no date: a Monday, 1 October 2012, 0:00 UTC.
pub const FIRST_DAY: Time = Time::from_secs(1_349_049_600);

/// A page of a trace, with what its first version showed. `None` is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct TracePage {
    /// Its URL, or a name made up for it.
    pub url: String,
    /// When it appeared.
    pub first_seen: Time,
    /// When it was last known to be there.
    pub last_seen: Time,
    /// Bytes of text without markup.
    pub text_bytes: Option<f32>,
    /// Links.
    pub links: Option<f32>,
    /// Images.
    pub images: Option<f32>,
    /// E-mail addresses.
    pub emails: Option<f32>,
    /// Directory level of the URL.
    pub directory_level: Option<f32>,
    /// The family of its format.
    pub format: Option<f32>,
    /// Whose host it is on.
    pub host_kind: Option<f32>,
    /// For how many seconds the server says a copy may be used.
    pub max_age: Option<f32>,
}

impl TracePage {
    /// A page of which nothing is known but its name and when it was there.
    pub fn named(url: impl Into<String>, first_seen: Time, last_seen: Time) -> TracePage {
        TracePage {
            url: url.into(),
            first_seen,
            last_seen,
            text_bytes: None,
            links: None,
            images: None,
            emails: None,
            directory_level: None,
            format: None,
            host_kind: None,
            max_age: None,
        }
    }

    /// Its features. The depth is not among them: traces know it only from their end.
    pub fn features(&self) -> Features {
        let known = [
            (Feature::Links, self.links),
            (Feature::Emails, self.emails),
            (Feature::TextBytes, self.text_bytes),
            (Feature::Images, self.images),
            (Feature::DirectoryLevel, self.directory_level),
            (Feature::Format, self.format),
            (Feature::HostKind, self.host_kind),
            (Feature::MaxAge, self.max_age),
        ];
        known.into_iter().fold(Features::default(), |features, (feature, value)| match value {
            Some(value) => features.with(feature, value),
            None => features,
        })
    }
}

/// Pages and their changes, in the order of time within a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// What the trace is called.
    pub name: String,
    pages: Vec<TracePage>,
    /// Where each page's changes begin in `times`, and one more for the end.
    starts: Vec<usize>,
    times: Vec<Time>,
    links: Option<Links>,
    first_links: Option<Links>,
}

impl Trace {
    /// A trace of pages, each with its changes in any order; equal times count once.
    pub fn new(name: impl Into<String>, pages: impl IntoIterator<Item = (TracePage, Vec<Time>)>) -> Trace {
        let mut trace = Trace { name: name.into(), starts: vec![0], ..Trace::default() };
        for (page, mut changes) in pages {
            changes.sort_unstable();
            changes.dedup();
            trace.pages.push(page);
            trace.times.extend(changes);
            trace.starts.push(trace.times.len());
        }
        trace
    }

    /// A trace of pages that are there for `days` days from [`FIRST_DAY`] and of whose changes only the days are known,
    /// counted from 0: each happens at noon.
    ///
    /// ```
    /// use revisit::{PageId, Span, lab::trace::{FIRST_DAY, Trace}};
    /// let trace = Trace::daily("two pages", 7, [("calm", vec![]), ("lively", vec![0, 3])]);
    /// assert_eq!(trace.changes(PageId(1))[1] - FIRST_DAY, Span::DAY * 3.5);
    /// ```
    pub fn daily<U: Into<String>>(
        name: impl Into<String>,
        days: u32,
        pages: impl IntoIterator<Item = (U, Vec<u32>)>,
    ) -> Trace {
        let end = FIRST_DAY + Span::DAY * f64::from(days);
        let noon = |day: u32| FIRST_DAY + Span::DAY * (f64::from(day) + 0.5);
        let page = |(url, changed): (U, Vec<u32>)| {
            (TracePage::named(url, FIRST_DAY, end), changed.into_iter().map(noon).collect())
        };
        Trace::new(name, pages.into_iter().map(page))
    }

    /// The same with links between its pages; `None` if they are not known.
    pub fn with_links(self, links: Option<Links>) -> Trace {
        Trace { links, ..self }
    }

    /// Which page links to which, if that is known; it may be known from the trace's end, so no predictor must see it.
    pub fn links(&self) -> Option<&Links> {
        self.links.as_ref()
    }

    /// The same with the links that the pages' first versions had; `None` if they are not known.
    pub fn with_first_links(self, first_links: Option<Links>) -> Trace {
        Trace { first_links, ..self }
    }

    /// Which page linked to which in its first version, if that is known.
    pub fn first_links(&self) -> Option<&Links> {
        self.first_links.as_ref()
    }

    /// The same with these pages only, in this order, and the links between them.
    pub fn part(&self, pages: &[PageId]) -> Trace {
        let mut places = vec![None; self.len()];
        pages.iter().zip(0..).for_each(|(page, place)| places[page.index()] = Some(PageId(place)));
        let kept = |(from, to): (PageId, PageId)| Some((places[from.index()]?, places[to.index()]?));
        // There are no more links than before, so they can be numbered.
        let between = |links: &Links| Links::new(pages.len(), links.iter().filter_map(kept).collect()).ok();
        let rows = pages.iter().map(|page| (self.page(*page).clone(), self.changes(*page).to_vec()));
        Trace::new(self.name.clone(), rows)
            .with_links(self.links().and_then(between))
            .with_first_links(self.first_links().and_then(between))
    }

    /// How many pages there are.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is no page.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// How many changes there are.
    pub fn change_count(&self) -> usize {
        self.times.len()
    }

    /// A page.
    pub fn page(&self, page: PageId) -> &TracePage {
        &self.pages[page.index()]
    }

    /// When a page changed, oldest first.
    pub fn changes(&self, page: PageId) -> &[Time] {
        let (from, to) = (self.starts[page.index()], self.starts[page.index() + 1]);
        &self.times[from..to]
    }

    /// Every page in the order of the ids.
    pub fn ids(&self) -> impl Iterator<Item = PageId> + use<> {
        (0..self.pages.len() as u32).map(PageId)
    }

    /// From the first appearance to the last time any page was there; `None` if there is no page.
    pub fn span(&self) -> Option<(Time, Time)> {
        let first = self.pages.iter().map(|page| page.first_seen).min()?;
        let last = self.pages.iter().map(|page| page.last_seen).max()?;
        Some((first, last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_keeps_what_is_between_its_pages() {
        let links = Links::new(3, vec![(PageId(0), PageId(2)), (PageId(2), PageId(0)), (PageId(1), PageId(0))]).ok();
        let whole = Trace::daily("made", 9, [("a", vec![1]), ("b", vec![2]), ("c", vec![3, 4])]).with_links(links);
        let part = whole.part(&[PageId(2), PageId(0)]);
        assert_eq!((part.page(PageId(0)).url.as_str(), part.changes(PageId(0)).len(), part.len()), ("c", 2, 2));
        assert_eq!(part.links().unwrap().iter().collect::<Vec<_>>(), [(PageId(0), PageId(1)), (PageId(1), PageId(0))]);
    }
}
