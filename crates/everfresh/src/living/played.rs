//! A trace as a living web: its pages at their addresses, each of which changes when the trace says that it did.
//!
//! So the whole crawler, sockets and store included, can be held against the lab on what really happened. What policies look
//! at stays: the words and directories of addresses, what first versions showed, and which pages they linked to. All is spoken
//! by plain HTTP; a fragment, which no server hears of, becomes a part of the query; an address that another page has too gets a
//! mark without a word in it; who has no address gets one on a host of its own making.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use revisit::lab::cut::Cut;
use revisit::lab::links::Links;
use revisit::lab::trace::{Trace, TracePage};
use revisit::{PageId, Span, Time};
use url::Url;

use super::changes::Changes;
use super::figure::Figure;
use super::script::{Page, Script, Site, Validators};

/// Where pages are that a trace names without an address.
const NAMELESS: &str = "http://trace.living.test/";
/// The web is there so long before the window begins, for whoever wants copies of what was there then.
const BEFORE: Span = Span::DAY;

/// A web that plays the part of a trace that was cut out.
pub struct Played {
    /// The web.
    pub script: Script,
    /// Where each page of the cut is, in their order.
    pub addresses: Vec<Url>,
    /// The trace as a crawler of this web sees it: its pages at their addresses here, showing what they show here.
    pub shown: Trace,
}

impl Played {
    /// How long a window can be: nothing is known of what comes later.
    pub const LONGEST: Span = Span::from_secs(3650 * 86_400);

    /// How many hosts it has.
    pub fn hosts(&self) -> usize {
        self.addresses.iter().filter_map(Url::host_str).collect::<BTreeSet<_>>().len()
    }

    /// The web of the pages of a cut. Nothing changes before the window begins or after its end.
    pub fn of(cut: &Cut<'_>, seed: u64) -> Played {
        let pages = (0..cut.len()).map(|index| cut.trace().page(cut.page(index)));
        let addresses = addresses(pages.map(|page| page.url.as_str()));
        let mut sites: BTreeMap<&str, Site> = BTreeMap::new();
        let figures = Figures::of(cut, &addresses);
        let figures: Vec<Figure> = (0..cut.len()).map(|index| figures.figure(index)).collect();
        let shown = shown(cut, &addresses, &figures);
        for ((index, address), figure) in addresses.iter().enumerate().zip(figures) {
            let host = address.host_str().unwrap_or_default();
            let site = sites.remove(host).unwrap_or_else(|| Site::new(host));
            let page = Page::new(&address[url::Position::BeforePath..])
                .validators(Validators::EntityTag)
                .changes(Changes::At(changes(cut, index)))
                .figure(figure);
            sites.insert(host, site.page(page));
        }
        let script = Script::new(seed).starting(cut.window().start - BEFORE);
        let script = sites.into_values().fold(script, Script::site);
        Played { script, addresses, shown }
    }
}

/// When a page changes within the window.
fn changes(cut: &Cut<'_>, index: usize) -> Vec<Time> {
    let window = cut.window();
    let (start, end) = (window.start, window.begin(window.cycles));
    let all = cut.trace().changes(cut.page(index)).iter();
    all.copied().filter(|change| (start..end).contains(change)).collect()
}

/// The pages of a cut as they are seen: what a trace does not know of a page is none of it.
fn shown(cut: &Cut<'_>, addresses: &[Url], figures: &[Figure]) -> Trace {
    let ids: Vec<PageId> = (0..cut.len()).map(|index| cut.page(index)).collect();
    let part = cut.trace().part(&ids);
    let rows = part.ids().zip(addresses).zip(figures).map(|((page, address), figure)| {
        let level = address.path().matches('/').count();
        let shown = TracePage {
            url: address.to_string(),
            text_bytes: Some(figure.text_bytes.max(1) as f32),
            links: Some(figure.links.max(figure.targets.len()) as f32),
            images: Some(figure.images as f32),
            emails: Some(figure.emails as f32),
            directory_level: Some(level as f32),
            ..part.page(page).clone()
        };
        (shown, part.changes(page).to_vec())
    });
    let trace = Trace::new(part.name.clone(), rows);
    trace.with_links(part.links().cloned()).with_first_links(part.first_links().cloned())
}

/// What the pages of a cut show.
struct Figures<'a> {
    cut: &'a Cut<'a>,
    addresses: &'a [Url],
    links: Option<&'a Links>,
    /// The place in the cut of each page of the trace, if it has one.
    places: Vec<Option<usize>>,
}

impl<'a> Figures<'a> {
    /// Links are those of first versions, if they are known.
    fn of(cut: &'a Cut<'a>, addresses: &'a [Url]) -> Figures<'a> {
        let trace = cut.trace();
        let mut places = vec![None; trace.len()];
        (0..cut.len()).for_each(|index| places[cut.page(index).index()] = Some(index));
        Figures { cut, addresses, links: trace.first_links().or(trace.links()), places }
    }

    fn figure(&self, index: usize) -> Figure {
        let page = self.cut.page(index);
        let TracePage { text_bytes, links, images, emails, .. } = self.cut.trace().page(page);
        let count = |feature: &Option<f32>| feature.unwrap_or(0.0).max(0.0) as usize;
        let (text_bytes, links, images, emails) = (count(text_bytes), count(links), count(images), count(emails));
        Figure { text_bytes, targets: self.targets(page), links, images, emails }
    }

    fn targets(&self, page: PageId) -> Vec<String> {
        let targets = self.links.map(|links| links.of(page)).unwrap_or_default().iter();
        let places = targets.filter_map(|target| self.places[target.index()]);
        places.map(|place| self.addresses[place].to_string()).collect()
    }
}

/// An address for each name, no two of them alike.
fn addresses<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Url> {
    let mut taken = HashSet::new();
    let mut own = |name: &str| {
        let mut address = address(name);
        while !taken.insert(address.to_string()) {
            mark(&mut address);
        }
        address
    };
    names.map(&mut own).collect()
}

/// Where a page of this name is, in the form in which crawlers know it.
fn address(name: &str) -> Url {
    let named = Url::parse(name).ok().filter(|url| url.domain().is_some());
    let whole = named.unwrap_or_else(|| nameless(name));
    let host = whole.host_str().unwrap_or_default();
    let path = whole[url::Position::BeforePath..url::Position::AfterPath].to_owned();
    let asked = [whole.query(), whole.fragment()].into_iter().flatten().filter(|part| !part.is_empty());
    let asked = asked.collect::<Vec<_>>().join("&");
    let mark = if asked.is_empty() { "" } else { "?" };
    Url::parse(&format!("http://{host}{path}{mark}{asked}")).unwrap_or_else(|_| nameless(name))
}

fn nameless(name: &str) -> Url {
    // It parses: no path is refused, and a segment may hold anything.
    let mut url = Url::parse(NAMELESS).unwrap_or_else(|_| unreachable!("{NAMELESS} is a URL"));
    url.set_path(name);
    url
}

/// Makes an address another one, with the same words.
fn mark(address: &mut Url) {
    let query = address.query().map_or_else(|| "-".to_owned(), |query| format!("{query}&-"));
    address.set_query(Some(&query));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::living::Truth;
    use revisit::lab::cut::Window;
    use revisit::lab::trace::{FIRST_DAY, Trace};

    #[test]
    fn addresses_keep_their_words_and_are_all_different() {
        let names =
            ["https://a.org/b/c.html", "http://a.org/b/c.html", "https://A.org/b?c=1#/d", "https://a.org:81", "e f"];
        let found: Vec<String> = addresses(names.into_iter()).into_iter().map(String::from).collect();
        let expected = [
            "http://a.org/b/c.html",
            "http://a.org/b/c.html?-",
            "http://a.org/b?c=1&/d",
            "http://a.org/",
            "http://trace.living.test/e%20f",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn pages_change_when_the_trace_says_so_and_only_within_the_window() {
        let trace = Trace::daily("made", 9, [("http://a.org/x", vec![0, 3, 7]), ("http://b.org/", vec![4])]);
        let window = Window { start: FIRST_DAY + Span::DAY, cycle: Span::DAY, cycles: 5, warmup: 1 };
        let cut = Cut::new(&trace, window).unwrap();
        let Played { script, addresses, shown } = Played::of(&cut, 1);
        assert_eq!((shown.len(), shown.change_count(), shown.page(PageId(0)).directory_level), (2, 4, Some(1.0)));
        let truth = Truth::new(script);
        let changes = |index: usize| truth.changes(addresses[index].as_str(), FIRST_DAY, FIRST_DAY + Span::DAY * 9.0);
        assert_eq!(changes(0), [FIRST_DAY + Span::DAY * 3.5]);
        assert_eq!(changes(1), [FIRST_DAY + Span::DAY * 4.5]);
        assert_eq!(truth.version_at(addresses[0].as_str(), FIRST_DAY + Span::HOUR), Some(0));
    }
}
