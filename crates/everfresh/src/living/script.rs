//! What a living web is made of: sites, their pages, and how each behaves. Pure data with a fluent builder.
//!
//! ```
//! use everfresh::living::{Changes, Page, Script, Site};
//! use revisit::Span;
//!
//! let script = Script::new(7).site(
//!     Site::new("news.living.test")
//!         .robots("User-agent: *\nDisallow: /drafts/\n")
//!         .page(Page::new("/today").changes(Changes::Every(Span::HOUR)))
//!         .page(Page::new("/drafts/tomorrow")),
//! );
//! assert_eq!(script.begins().secs(), 1_767_571_200);
//! ```

use std::collections::BTreeMap;
use std::time::Duration;

use revisit::{Span, Time};

use super::changes::Changes;
use super::data::Syntax;
use super::figure::Figure;

/// A whole web: everything that follows is a function of this value and the time.
#[derive(Clone, Debug)]
pub struct Script {
    pub(super) seed: u64,
    pub(super) start: Time,
    pub(super) sites: Vec<Site>,
}

impl Script {
    /// An empty web that begins on Monday, 5 January 2026, 00:00 UTC.
    pub fn new(seed: u64) -> Script {
        Script { seed, start: Time::from_secs(1_767_571_200), sites: Vec::new() }
    }

    /// Lets the web begin at another time; nothing exists before it.
    pub fn starting(mut self, start: Time) -> Script {
        self.start = start;
        self
    }

    /// Adds a site.
    pub fn site(mut self, site: Site) -> Script {
        self.sites.push(site);
        self
    }

    /// When the web begins to live.
    pub fn begins(&self) -> Time {
        self.start
    }
}

/// The vocabulary of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flavour {
    /// Reports of the day.
    #[default]
    News,
    /// A technical manual.
    Manual,
    /// An encyclopedia.
    Wiki,
}

/// Whether a site has a sitemap, and whether its dates can be believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sitemap {
    /// None.
    #[default]
    Absent,
    /// `lastmod` is the time of the last change.
    Honest,
    /// `lastmod` is the day of the last change.
    Days,
    /// `lastmod` is always now.
    Lying,
}

/// One host name with its pages. A page "/" that lists the others is there in any case.
#[derive(Clone, Debug)]
pub struct Site {
    pub(super) host: String,
    pub(super) flavour: Flavour,
    pub(super) pages: BTreeMap<String, Page>,
    pub(super) robots: Option<String>,
    pub(super) robots_answer: Answer,
    pub(super) sitemap: Sitemap,
    pub(super) feed: bool,
    pub(super) gap: Option<Span>,
    pub(super) silent: Option<(Time, Time)>,
}

impl Site {
    /// A site with nothing but its front page.
    pub fn new(host: &str) -> Site {
        Site {
            host: host.to_ascii_lowercase(),
            flavour: Flavour::default(),
            pages: BTreeMap::from([("/".to_owned(), Page::new("/"))]),
            robots: None,
            robots_answer: Answer::Article,
            sitemap: Sitemap::Absent,
            feed: false,
            gap: None,
            silent: None,
        }
    }

    /// Sets what the pages talk about.
    pub fn flavour(mut self, flavour: Flavour) -> Site {
        self.flavour = flavour;
        self
    }

    /// Adds a page, or replaces the one of the same path. A path that ends in "/" is a directory, which lists the
    /// pages below it.
    pub fn page(mut self, page: Page) -> Site {
        self.pages.insert(page.path.clone(), page);
        self
    }

    /// Adds several pages.
    pub fn pages(self, pages: impl IntoIterator<Item = Page>) -> Site {
        pages.into_iter().fold(self, Site::page)
    }

    /// Serves this robots.txt (a `Sitemap` line is added if there is one). Each `Disallow` value must be a plain
    /// prefix meant for everybody: the truth takes the pages under it for forbidden.
    pub fn robots(mut self, text: &str) -> Site {
        self.robots = Some(text.to_owned());
        self
    }

    /// Answers requests for robots.txt with a redirect or an error. What [`Site::robots`] forbids is forbidden all the
    /// same.
    pub fn robots_answer(mut self, answer: Answer) -> Site {
        self.robots_answer = answer;
        self
    }

    /// Serves `/sitemap.xml`.
    pub fn sitemap(mut self, sitemap: Sitemap) -> Site {
        self.sitemap = sitemap;
        self
    }

    /// Serves `/feed.xml` (Atom) with the latest news of the site.
    pub fn feed(mut self) -> Site {
        self.feed = true;
        self
    }

    /// Answers 429 with `Retry-After` when the last answer is less than `gap` ago (by the clock of the living web).
    pub fn no_faster_than(mut self, gap: Span) -> Site {
        self.gap = Some(gap);
        self
    }

    /// Answers nobody from one time until another.
    pub fn silent(mut self, from: Time, until: Time) -> Site {
        self.silent = Some((from, until));
        self
    }

    pub(super) fn forbids(&self, path: &str) -> bool {
        let lines = self.robots.as_deref().unwrap_or_default().lines();
        let mut prefixes = lines.filter_map(|line| line.strip_prefix("Disallow:")).map(str::trim);
        prefixes.any(|prefix| !prefix.is_empty() && path.starts_with(prefix))
    }
}

/// What a page answers while it exists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Answer {
    /// An HTML page, or a document of data.
    #[default]
    Article,
    /// A redirect.
    Redirect {
        /// 301, 302, 307 or 308.
        status: u16,
        /// A path of the same site or a whole URL.
        to: String,
    },
    /// An error, always.
    Error {
        /// 404, 410, 500 and the like.
        status: u16,
    },
}

/// The validators a page sends and honours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validators {
    /// `ETag` and `Last-Modified`.
    #[default]
    Both,
    /// `ETag` only.
    EntityTag,
    /// `Last-Modified` only.
    LastModified,
    /// None: every answer is a full one.
    Absent,
}

/// Parts of a page that differ in every answer and are no change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// The time of the answer, in an element of class `clock`.
    pub clock: bool,
    /// A forgery token in a hidden field of class `token`.
    pub token: bool,
    /// A count of visitors, in an element of class `counter`.
    pub counter: bool,
}

/// One page. Unless told otherwise: an unchanging article in UTF-8 with both validators that is always there.
#[derive(Clone, Debug)]
pub struct Page {
    pub(super) path: String,
    pub(super) changes: Changes,
    pub(super) answer: Answer,
    pub(super) validators: Validators,
    pub(super) noise: Noise,
    pub(super) gzip: bool,
    pub(super) latin1: bool,
    pub(super) data: Option<Syntax>,
    pub(super) figure: Option<Figure>,
    pub(super) slow: Duration,
    pub(super) failing: f64,
    pub(super) appears: Option<Time>,
    pub(super) vanishes: Option<Time>,
}

impl Page {
    /// A page at a path, which may have a query.
    pub fn new(path: &str) -> Page {
        Page {
            path: path.to_owned(),
            changes: Changes::Never,
            answer: Answer::Article,
            validators: Validators::Both,
            noise: Noise::default(),
            gzip: false,
            latin1: false,
            data: None,
            figure: None,
            slow: Duration::ZERO,
            failing: 0.0,
            appears: None,
            vanishes: None,
        }
    }

    /// Sets how the page changes.
    pub fn changes(mut self, changes: Changes) -> Page {
        self.changes = changes;
        self
    }

    /// Sets the validators.
    pub fn validators(mut self, validators: Validators) -> Page {
        self.validators = validators;
        self
    }

    /// Adds noise.
    pub fn noise(mut self, noise: Noise) -> Page {
        self.noise = noise;
        self
    }

    /// Compresses the page for clients that accept gzip.
    pub fn gzip(mut self) -> Page {
        self.gzip = true;
        self
    }

    /// Sends the page in ISO 8859-1 and does not say so.
    pub fn latin1(mut self) -> Page {
        self.latin1 = true;
        self
    }

    /// Makes the page a document of data, which has no validators and is written otherwise in every answer.
    pub fn data(mut self, syntax: Syntax) -> Page {
        self.data = Some(syntax);
        self
    }

    /// Lets the page look like one of a trace.
    pub(super) fn figure(mut self, figure: Figure) -> Page {
        self.figure = Some(figure);
        self
    }

    /// Makes each answer wait this long.
    pub fn slow(mut self, wait: Duration) -> Page {
        self.slow = wait;
        self
    }

    /// Answers 500 to this share of requests.
    pub fn failing(mut self, share: f64) -> Page {
        self.failing = share;
        self
    }

    /// Lets the page exist from this time on only; its directory lists it from then.
    pub fn appears(mut self, at: Time) -> Page {
        self.appears = Some(at);
        self
    }

    /// Lets the page answer 404 from this time on; its directory lists it no more.
    pub fn vanishes(mut self, at: Time) -> Page {
        self.vanishes = Some(at);
        self
    }

    /// Makes the page a redirect to a path or URL.
    pub fn redirects(mut self, status: u16, to: &str) -> Page {
        self.answer = Answer::Redirect { status, to: to.to_owned() };
        self
    }

    /// Makes the page an error.
    pub fn fails(mut self, status: u16) -> Page {
        self.answer = Answer::Error { status };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_a_front_page_that_can_be_replaced() {
        let site = Site::new("A.test").page(Page::new("/").gzip()).page(Page::new("/b"));
        assert_eq!(site.host, "a.test");
        assert_eq!(site.pages.keys().collect::<Vec<_>>(), ["/", "/b"]);
        assert!(site.pages["/"].gzip);
    }

    #[test]
    fn robots_forbid_by_prefix() {
        let site = Site::new("a.test").robots("User-agent: *\nDisallow: /private/\nDisallow:\nCrawl-delay: 2\n");
        assert!(site.forbids("/private/x"));
        assert!(!site.forbids("/privately"));
        assert!(!Site::new("b.test").forbids("/private/x"));
    }
}
