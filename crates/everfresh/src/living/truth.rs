//! What is so: every page of a living web and every moment at which what it answers becomes different.
//!
//! The server renders from the truth and the report compares with it, so the two cannot disagree. Noise (clocks,
//! tokens, counters), failing and slow answers are no changes; a page that begins or ceases to exist does change
//! its directory, because the directory lists it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use revisit::Time;

use super::changes::Changes;
use super::script::{Answer, Page, Script, Site};
use super::timeline::{Timeline, whole_second};

/// Every page and its history, for any time.
pub struct Truth {
    pub(super) seed: u64,
    pub(super) sites: Vec<Site>,
    pub(super) subjects: Vec<Subject>,
    site_pages: Vec<Range<usize>>,
    by_url: HashMap<String, usize>,
}

/// One page with its place in the web.
pub(super) struct Subject {
    pub(super) url: String,
    pub(super) site: usize,
    pub(super) page: Page,
    pub(super) allowed: bool,
    /// The directory that lists this page; none for a front page.
    pub(super) parent: Option<usize>,
    /// The pages this one lists.
    pub(super) children: Vec<usize>,
    life: Range<Time>,
    timeline: Mutex<Timeline>,
}

/// One page as a judge sees it.
#[derive(Clone, Debug)]
pub struct PageTruth<'a> {
    /// Where it is.
    pub url: &'a str,
    /// How its content changes.
    pub changes: &'a Changes,
    /// What it answers.
    pub answer: &'a Answer,
    /// When it begins to exist, if not with the web.
    pub appears: Option<Time>,
    /// When it ceases to exist, if ever.
    pub vanishes: Option<Time>,
}

impl Truth {
    /// The truth of a script. Nothing is drawn yet.
    pub fn new(script: Script) -> Truth {
        let Script { seed, start, sites } = script;
        let mut truth = Truth { seed, sites, subjects: Vec::new(), site_pages: Vec::new(), by_url: HashMap::new() };
        for site in 0..truth.sites.len() {
            truth.settle(site, start);
        }
        truth
    }

    /// Which version of a page is there at a time, counted from 0; none for a page that does not exist then, is a
    /// redirect or an error, or is not of this web.
    pub fn version_at(&self, url: &str, at: Time) -> Option<u64> {
        let subject = self.article(url)?;
        subject.timeline().version_at(at)
    }

    /// The moments after `from`, up to and including `to`, at which what an article answers becomes different: its
    /// changes, and its appearing and vanishing.
    pub fn changes(&self, url: &str, from: Time, to: Time) -> Vec<Time> {
        let Some(subject) = self.article(url) else { return Vec::new() };
        let within = |at: Option<Time>| at.filter(|at| *at > from && *at <= to);
        let mut moments: Vec<Time> = within(subject.page.appears).into_iter().collect();
        moments.extend_from_slice(subject.timeline().changes(from, to));
        moments.extend(within(subject.page.vanishes));
        moments
    }

    /// Whether a URL is an article of this web, at whatever time.
    pub fn is_article(&self, url: &str) -> bool {
        self.article(url).is_some()
    }

    /// The pages that a crawler which obeys robots.txt can come to know, in order of site and path.
    pub fn pages(&self) -> impl Iterator<Item = PageTruth<'_>> {
        self.subjects.iter().filter(|subject| subject.allowed).map(|subject| PageTruth {
            url: &subject.url,
            changes: &subject.page.changes,
            answer: &subject.page.answer,
            appears: subject.page.appears,
            vanishes: subject.page.vanishes,
        })
    }

    /// The pages that robots.txt forbids. They are linked all the same.
    pub fn forbidden(&self) -> impl Iterator<Item = &str> {
        self.subjects.iter().filter(|subject| !subject.allowed).map(|subject| subject.url.as_str())
    }

    pub(super) fn find(&self, url: &str) -> Option<usize> {
        self.by_url.get(url).copied()
    }

    pub(super) fn subjects_of(&self, site: usize) -> Range<usize> {
        self.site_pages[site].clone()
    }

    /// The version of the page number `index`, and when it began.
    pub(super) fn current(&self, index: usize, at: Time) -> Option<(u64, Time)> {
        let mut timeline = self.subjects[index].timeline();
        let version = timeline.version_at(at)?;
        Some((version, timeline.began(version)))
    }

    fn article(&self, url: &str) -> Option<&Subject> {
        let subject = &self.subjects[self.find(url)?];
        (subject.page.answer == Answer::Article).then_some(subject)
    }

    /// Gives the pages of a site their places and timelines.
    fn settle(&mut self, site: usize, start: Time) {
        let first = self.subjects.len();
        let owner = &mut self.sites[site];
        let pages: Vec<Page> = std::mem::take(&mut owner.pages).into_values().collect();
        let host = owner.host.clone();
        let numbers: HashMap<&str, usize> =
            (first..).zip(&pages).map(|(number, page)| (page.path.as_str(), number)).collect();
        let parents: Vec<Option<usize>> = pages.iter().map(|page| parent(&page.path, &numbers)).collect();
        let children = children(&parents, first);
        let listings: Vec<Vec<Time>> =
            children.iter().map(|listed| events(listed.iter().map(|child| &pages[child - first]))).collect();
        for (((mut page, parent), children), listing) in pages.into_iter().zip(parents).zip(children).zip(listings) {
            page.appears = page.appears.map(whole_second).filter(|at| *at > start);
            page.vanishes = page.vanishes.map(whole_second);
            let life = page.appears.unwrap_or(start)..page.vanishes.unwrap_or(Time::MAX);
            let moments = page.changes.moments(self.seed, &host, &page.path, start);
            let timeline = Mutex::new(Timeline::new(start, life.clone(), moments, listing));
            let url = format!("http://{host}{}", page.path);
            let allowed = !self.sites[site].forbids(&page.path);
            self.by_url.insert(url.clone(), self.subjects.len());
            self.subjects.push(Subject { url, site, page, allowed, parent, children, life, timeline });
        }
        self.site_pages.push(first..self.subjects.len());
    }
}

impl Subject {
    pub(super) fn exists(&self, at: Time) -> bool {
        self.life.contains(&at)
    }

    /// Whether the page is an allowed article that neither appears late nor vanishes: one that other pages may
    /// point to for ever.
    pub(super) fn lasting(&self) -> bool {
        let constant = self.page.appears.is_none() && self.page.vanishes.is_none();
        constant && self.allowed && self.page.answer == Answer::Article
    }

    // A panic of another thread cannot leave a timeline half drawn: each push stands on its own.
    fn timeline(&self) -> MutexGuard<'_, Timeline> {
        self.timeline.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The nearest directory above a path that is a page itself.
fn parent(path: &str, numbers: &HashMap<&str, usize>) -> Option<usize> {
    let inner = path.strip_suffix('/').unwrap_or(path);
    let mut directories = inner.rmatch_indices('/').map(|(slash, _)| &path[..=slash]);
    directories.find_map(|directory| numbers.get(directory).copied().filter(|_| directory != path))
}

/// The pages below each page, where `parents` begins with that of page number `first`.
fn children(parents: &[Option<usize>], first: usize) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); parents.len()];
    for (number, parent) in (first..).zip(parents) {
        if let Some(parent) = parent {
            children[parent - first].push(number);
        }
    }
    children
}

/// When the list of these pages becomes different.
fn events<'a>(pages: impl Iterator<Item = &'a Page>) -> Vec<Time> {
    pages.flat_map(|page| [page.appears, page.vanishes]).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use revisit::Span;

    fn truth() -> (Truth, Time) {
        let script = Script::new(5);
        let start = script.begins();
        let site = Site::new("a.test")
            .robots("User-agent: *\nDisallow: /private/\n")
            .page(Page::new("/docs/"))
            .page(Page::new("/docs/one").changes(Changes::At(vec![start + Span::HOUR, start + Span::DAY])))
            .page(Page::new("/docs/new").appears(start + Span::HOUR * 2.0).vanishes(start + Span::HOUR * 4.0))
            .page(Page::new("/private/x"))
            .page(Page::new("/old").redirects(301, "/docs/one"));
        (Truth::new(script.site(site)), start)
    }

    #[test]
    fn versions_follow_the_script() {
        let (truth, start) = truth();
        let version = |span| truth.version_at("http://a.test/docs/one", start + span);
        assert_eq!(version(Span::ZERO), Some(0));
        assert_eq!(version(Span::HOUR), Some(1));
        assert_eq!(version(Span::DAY * 9.0), Some(2));
        assert_eq!(truth.version_at("http://a.test/old", start), None);
        assert_eq!(truth.version_at("http://b.test/", start), None);
    }

    #[test]
    fn a_directory_changes_when_its_list_does() {
        let (truth, start) = truth();
        let hours = [2.0, 4.0].map(|hours| start + Span::HOUR * hours);
        assert_eq!(truth.changes("http://a.test/docs/", start, start + Span::DAY), hours);
        assert_eq!(truth.changes("http://a.test/docs/new", start, start + Span::DAY), hours);
        assert!(truth.changes("http://a.test/", start, start + Span::DAY).is_empty());
    }

    #[test]
    fn forbidden_pages_are_apart() {
        let (truth, _) = truth();
        assert_eq!(truth.forbidden().collect::<Vec<_>>(), ["http://a.test/private/x"]);
        assert_eq!(truth.pages().count(), 5);
    }

    #[test]
    fn every_page_has_a_directory() {
        let (truth, _) = truth();
        let place = |path: &str| truth.find(&format!("http://a.test{path}")).unwrap();
        let parent = |path| truth.subjects[place(path)].parent;
        assert_eq!(parent("/"), None);
        assert_eq!(parent("/docs/one"), Some(place("/docs/")));
        assert_eq!(parent("/docs/"), Some(place("/")));
        assert_eq!(parent("/private/x"), Some(place("/")));
    }
}
