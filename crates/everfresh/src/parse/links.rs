//! The links of one page: resolved, in normal form, each kept once, and only so many.

use super::left_out::LeftOut;
use super::normalise::{self, Unfit};
use super::scope::Refusal;
use encoding_rs::{Encoding, UTF_8};
use hashbrown::{DefaultHashBuilder, HashTable};
use revisit::Time;
use std::hash::BuildHasher;
use url::Url;

/// Bytes of URLs for each link that may be kept: a long base makes every link long.
const BYTES_TO_A_LINK: usize = 200;
/// Room made at once for a page that has links at all.
const USUAL_LINKS: usize = 32;

/// A link found on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it leads, in normal form.
    pub url: Url,
    /// Every occurrence on the page is marked `rel=nofollow`.
    pub nofollow: bool,
    /// When a sitemap or feed says its target last changed: evidence, not truth.
    pub last_modified: Option<Time>,
}

/// Collects links; the second occurrence of a URL only adds what it knows more.
#[derive(Debug)]
pub(super) struct Links {
    base: Url,
    encoding: &'static Encoding,
    limit: usize,
    kept: Vec<Link>,
    /// Indices into `kept`, hashed by URL, so that no URL is stored twice.
    seen: HashTable<usize>,
    hasher: DefaultHashBuilder,
    found: u32,
    /// Of all URLs kept.
    bytes: usize,
    left_out: LeftOut,
}

impl Links {
    pub(super) fn new(base: Url, limit: usize) -> Links {
        Links {
            base,
            encoding: UTF_8,
            limit,
            kept: Vec::new(),
            seen: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            found: 0,
            bytes: 0,
            left_out: LeftOut::default(),
        }
    }

    /// Links of a page in this encoding, as [`charset::decode`](super::charset::decode) names it.
    pub(super) fn in_charset(self, charset: &str) -> Links {
        let other = Some(charset).filter(|charset| *charset != UTF_8.name());
        let encoding = other.and_then(|charset| Encoding::for_label(charset.as_bytes())).unwrap_or(UTF_8);
        Links { encoding, ..self }
    }

    /// Resolves what follows against another base.
    pub(super) fn set_base(&mut self, base: Url) {
        self.base = base;
    }

    pub(super) fn base(&self) -> &Url {
        &self.base
    }

    /// Where a reference leads, in normal form, if it leads to a page.
    pub(super) fn resolve(&self, reference: &str) -> Option<Url> {
        normalise::resolve_in(self.encoding, &self.base, reference).ok()
    }

    /// Takes a link as written. A link within the page or of another scheme is counted, but leads nowhere.
    pub(super) fn add(&mut self, reference: &str, nofollow: bool, last_modified: Option<Time>) {
        self.found = self.found.saturating_add(1);
        if reference.starts_with('#') {
            return;
        }
        if self.is_over() {
            return self.left_out.count(Refusal::LinkLimit, reference);
        }
        match normalise::resolve_in(self.encoding, &self.base, reference) {
            Ok(url) => self.keep(Link { url, nofollow, last_modified }),
            Err(Unfit::TooLong) => self.left_out.count(Refusal::TooLong, reference),
            Err(Unfit::Malformed | Unfit::Scheme) => {}
        }
    }

    /// Takes a link that was resolved elsewhere.
    pub(super) fn add_resolved(&mut self, link: Link) {
        self.found = self.found.saturating_add(1);
        self.keep(link);
    }

    fn keep(&mut self, link: Link) {
        let hash = self.hasher.hash_one(link.url.as_str());
        if let Some(&index) = self.seen.find(hash, |&index| self.kept[index].url == link.url) {
            let known = &mut self.kept[index];
            known.nofollow &= link.nofollow;
            known.last_modified = known.last_modified.max(link.last_modified);
            return;
        }
        if self.is_full() {
            return self.left_out.count(Refusal::LinkLimit, link.url.as_str());
        }
        let (kept, hasher) = (&mut self.kept, &self.hasher);
        if kept.is_empty() {
            kept.reserve(USUAL_LINKS);
            self.seen.reserve(USUAL_LINKS, |_| 0);
        }
        self.seen.insert_unique(hash, kept.len(), |&index| hasher.hash_one(kept[index].url.as_str()));
        self.bytes += link.url.as_str().len();
        kept.push(link);
    }

    /// Links as seen, before any was dropped.
    pub(super) fn found(&self) -> u32 {
        self.found
    }

    fn is_full(&self) -> bool {
        self.kept.len() >= self.limit || self.bytes >= self.limit.saturating_mul(BYTES_TO_A_LINK)
    }

    /// Whether there were more than are kept: who reads a list may stop.
    pub(super) fn is_over(&self) -> bool {
        self.left_out.has(Refusal::LinkLimit)
    }

    /// The links, and those left out.
    pub(super) fn finish(self) -> (Vec<Link>, LeftOut) {
        (self.kept, self.left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_url_is_kept_once_with_all_that_is_known() {
        let mut links = Links::new(Url::parse("http://a.org/d/").unwrap(), 10);
        links.add("x", true, None);
        links.add("/d/x#part", false, Some(Time::from_secs(5)));
        links.add("#top", false, None);
        links.add("mailto:a@b.org", false, None);
        assert_eq!(links.found(), 4);
        let url = Url::parse("http://a.org/d/x").unwrap();
        assert_eq!(links.finish().0, [Link { url, nofollow: false, last_modified: Some(Time::from_secs(5)) }]);
    }

    #[test]
    fn no_more_than_the_limit_is_kept_and_whether_there_was_more_is_known() {
        let mut links = Links::new(Url::parse("http://a.org/").unwrap(), 3);
        (0..3).chain(0..3).for_each(|number| links.add(&number.to_string(), false, None));
        links.add("mailto:a@b.org", false, None);
        assert!(!links.is_over());
        (0..100).for_each(|number| links.add(&number.to_string(), false, None));
        links.add(&format!("/{}", "x".repeat(3000)), false, None);
        assert!(links.is_over());
        let (found, (kept, left_out)) = (links.found(), links.finish());
        assert_eq!((found, kept.len()), (108, 3));
        let counted: Vec<(Refusal, u64, &str)> =
            left_out.rows().iter().map(|row| (row.reason, row.links, &*row.example)).collect();
        assert_eq!(counted, [(Refusal::LinkLimit, 98, "http://a.org/3")]);
    }

    #[test]
    fn links_too_long_are_counted_and_pictures_in_links_are_none() {
        let mut links = Links::new(Url::parse("http://a.org/").unwrap(), 3);
        links.add(&"x".repeat(3000), false, None);
        links.add(&"x".repeat(100_000), false, None);
        links.add(&format!("Data:image/png;base64,{}", "x".repeat(100_000)), false, None);
        let (kept, left_out) = links.finish();
        let counted: Vec<(Refusal, u64)> = left_out.rows().iter().map(|row| (row.reason, row.links)).collect();
        assert_eq!((kept.len(), counted), (0, vec![(Refusal::TooLong, 2)]));
    }
}
