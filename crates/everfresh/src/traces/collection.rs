//! A collection's own visits as a trace: what would another policy have made of this Web?
//!
//! A change seen at a visit happened at some time since the visit before, and nobody knows when. So its time is drawn,
//! uniformly within that interval and by a seed; several draws show how much a result owes to it. A page is there from its
//! first version to the collection's last visit, or to the last visit that found it if it is gone; failed visits are no
//! observations.

use std::path::Path;

use hashbrown::HashMap;
use revisit::lab::random::Random;
use revisit::lab::trace::{Trace, TracePage};
use revisit::{Outcome, PageId, Span, Time, Visit};

use super::TraceError;
use super::read::folder_name;
use crate::store::{self, FeaturesRow, Reader, StoreError, ToldVisit, each_numbered};

/// Pages whose features are asked for at once.
const FEATURES: usize = 1024;

/// What a collection's visits showed of each page that was ever seen.
pub struct Observations {
    name: String,
    pages: Vec<Observed>,
}

/// A page, and the intervals within which it changed: from a visit to the next.
struct Observed {
    page: TracePage,
    changed: Vec<(Time, Time)>,
    gone: bool,
}

impl Observations {
    /// Reads the visits of the collection in a folder.
    pub fn read(folder: &Path) -> Result<Observations, TraceError> {
        let store = store::reader(folder)?;
        let mut seen: HashMap<u32, Observed> = HashMap::new();
        let mut end = Time::MIN;
        each_numbered::<_, StoreError>(
            |from| store.visits(from),
            |ToldVisit { visit, .. }| {
                observe(&mut seen, &visit);
                end = end.max(visit.at);
                Ok(())
            },
        )?;
        let mut pages = Vec::with_capacity(seen.len());
        each_numbered::<_, StoreError>(
            |from| store.pages(from),
            |page| {
                if let Some(mut observed) = seen.remove(&page.id.0) {
                    observed.page.url = page.url;
                    if !observed.gone {
                        observed.page.last_seen = end;
                    }
                    pages.push((page.id, observed));
                }
                Ok(())
            },
        )?;
        let pages = described(store.as_ref(), pages)?;
        if pages.is_empty() {
            return Err(TraceError::Empty(folder.display().to_string()));
        }
        Ok(Observations { name: folder_name(folder), pages })
    }

    /// One trace that these visits could have seen: the draw with this number among those of a seed.
    pub fn draw(&self, seed: u64, number: u32) -> Trace {
        let page = |(place, observed): (u64, &Observed)| {
            // Streams of pages lie side by side, those of draws 2³² apart: a page's are the same whoever else is there.
            let mut random = Random::stream(seed, u64::from(number) << 32 | place);
            let changes = observed.changed.iter().map(|(after, until)| within(*after, *until, &mut random));
            (observed.page.clone(), changes.collect())
        };
        Trace::new(self.name.clone(), (0..).zip(&self.pages).map(page))
    }
}

/// Pages with what is known of their first versions.
fn described(store: &dyn Reader, mut pages: Vec<(PageId, Observed)>) -> Result<Vec<Observed>, StoreError> {
    for some in pages.chunks_mut(FEATURES) {
        let ids: Vec<PageId> = some.iter().map(|(page, _)| *page).collect();
        let mut found = store.features(&ids)?.into_iter().peekable();
        for (page, observed) in some {
            if let Some(features) = found.next_if(|features| features.page == *page) {
                take_features(&mut observed.page, &features);
            }
        }
    }
    Ok(pages.into_iter().map(|(_, observed)| observed).collect())
}

/// A time after one visit and before the next.
fn within(after: Time, until: Time, random: &mut Random) -> Time {
    let room = (until - after).millis() - 1;
    if room < 1 { until } else { after + Span::from_millis(1 + random.below(room as u64) as i64) }
}

fn observe(seen: &mut HashMap<u32, Observed>, visit: &Visit) {
    if matches!(visit.outcome, Outcome::Gone | Outcome::Failed) {
        if let (Some(observed), Outcome::Gone) = (seen.get_mut(&visit.page.0), visit.outcome) {
            observed.gone = true;
        }
        return;
    }
    let new = || Observed { page: TracePage::named("", visit.at, visit.at), changed: Vec::new(), gone: false };
    let observed = seen.entry(visit.page.0).or_insert_with(new);
    // A clock that was set back gives no interval: what was seen then counts as seen at once.
    let at = visit.at.max(observed.page.last_seen);
    if visit.outcome == Outcome::Changed {
        observed.changed.push((observed.page.last_seen, at));
    }
    observed.page.last_seen = at;
    observed.gone = false;
}

fn take_features(page: &mut TracePage, features: &FeaturesRow) {
    page.text_bytes = Some(features.text_bytes as f32);
    page.links = Some(features.links as f32);
    page.images = Some(features.images as f32);
    page.emails = Some(features.emails as f32);
    page.directory_level = Some(f32::from(features.directory_level));
    page.format = features.format.map(f32::from);
    page.host_kind = features.host_kind.map(f32::from);
    page.max_age = features.max_age.map(|seconds| seconds as f32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Rule;
    use crate::store::{Batch, FoundAs, HostRow, Opening, PageRow, VisitRow};
    use revisit::HostId;

    fn at(second: i64) -> Time {
        Time::from_secs(second)
    }

    fn visit(page: u32, second: i64, outcome: Outcome) -> VisitRow {
        let visit = Visit { page: PageId(page), at: at(second), outcome };
        VisitRow {
            visit,
            rule: Rule::TextDiffers,
            detail: None,
            answer: None,
            capture: None,
            parts: Vec::new(),
            requests: 1,
        }
    }

    fn page(id: u32) -> PageRow {
        PageRow {
            id: PageId(id),
            url: format!("http://a.test/{id}"),
            fingerprint: id.into(),
            host: HostId(0),
            weight: 1.0,
            depth: 0,
            hops: 0,
            found_at: at(0),
            found_as: FoundAs::Seed,
            found_on: None,
        }
    }

    fn collection_of(visits: Vec<VisitRow>) -> tempfile::TempDir {
        let host = HostRow {
            id: HostId(0),
            name: "http://a.test".into(),
            robots: None,
            last_contact: Time::MIN,
            blocked_until: Time::MIN,
            pause: Span::ZERO,
        };
        let features = FeaturesRow {
            depth: 0,
            page: PageId(1),
            text_bytes: 100,
            links: 2,
            images: 3,
            emails: 4,
            directory_level: 5,
            last_modified: true,
            nofollow: false,
            noindex: false,
            format: Some(3),
            host_kind: None,
            max_age: None,
        };
        let pages = (0..3).map(page).collect();
        let batch = Batch { hosts: vec![host], pages, visits, features: vec![features], ..Batch::default() };
        let folder = tempfile::tempdir().unwrap();
        store::open(folder.path(), Opening::default()).unwrap().commit(&batch).unwrap();
        folder
    }

    fn lived() -> tempfile::TempDir {
        collection_of(vec![
            visit(0, 5, Outcome::Failed),
            visit(1, 10, Outcome::First),
            visit(2, 11, Outcome::First),
            visit(1, 20, Outcome::Unchanged),
            visit(1, 25, Outcome::Failed),
            visit(1, 30, Outcome::Changed),
            visit(1, 40, Outcome::Changed),
            visit(1, 50, Outcome::Gone),
        ])
    }

    #[test]
    fn changes_fall_between_the_visits_around_them() {
        let folder = lived();
        let observations = Observations::read(folder.path()).unwrap();
        for draw in 0..100 {
            let trace = observations.draw(1, draw);
            let changes = trace.changes(PageId(0));
            assert_eq!(changes.len(), 2);
            assert!(at(20) < changes[0] && changes[0] < at(30), "{changes:?}");
            assert!(at(30) < changes[1] && changes[1] < at(40), "{changes:?}");
        }
    }

    #[test]
    fn pages_are_those_ever_seen_with_what_is_known_of_them() {
        let folder = lived();
        let trace = Observations::read(folder.path()).unwrap().draw(1, 0);
        assert_eq!(trace.len(), 2, "a page that never answered is none");
        let page = trace.page(PageId(0));
        assert_eq!((page.url.as_str(), page.first_seen, page.last_seen), ("http://a.test/1", at(10), at(40)));
        assert_eq!((page.text_bytes, page.directory_level), (Some(100.0), Some(5.0)));
        // It was not found gone, so it is taken to be there until the collection's last visit.
        let other = TracePage::named("http://a.test/2", at(11), at(50));
        assert_eq!((trace.page(PageId(1)), trace.changes(PageId(1))), (&other, &[][..]));
    }

    #[test]
    fn draws_differ_and_repeat() {
        let folder = lived();
        let observations = Observations::read(folder.path()).unwrap();
        assert_eq!(observations.draw(1, 0), observations.draw(1, 0));
        assert_ne!(observations.draw(1, 0), observations.draw(1, 1));
        assert_ne!(observations.draw(1, 0), observations.draw(2, 0));
    }

    #[test]
    fn draws_spread_over_the_whole_interval() {
        let mut random = Random::stream(1, 1);
        let mean = (0..10_000).map(|_| within(at(0), at(100), &mut random).millis()).sum::<i64>() / 10_000;
        assert!((mean - 50_000).abs() < 1_000, "{mean}");
        let millis = Time::from_millis;
        assert_eq!(within(millis(0), millis(2), &mut random), millis(1));
        assert_eq!(within(millis(0), millis(1), &mut random), millis(1));
        assert_eq!(within(millis(5), millis(5), &mut random), millis(5));
    }

    #[test]
    fn a_collection_without_visits_is_no_trace() {
        let folder = collection_of(Vec::new());
        let said = Observations::read(folder.path()).err().unwrap().to_string();
        assert!(said.ends_with("has no page: there is nothing to replay"), "{said}");
    }

    #[test]
    fn a_clock_set_back_disturbs_nothing() {
        let folder = collection_of(vec![visit(1, 100, Outcome::First), visit(1, 50, Outcome::Changed)]);
        let trace = Observations::read(folder.path()).unwrap().draw(1, 0);
        assert_eq!(trace.changes(PageId(0)), [at(100)]);
    }
}
