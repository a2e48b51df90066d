//! The other pages that a visit found, in scope, with what is said of them.

use revisit::{ListKind, Time};
use url::{Position, Url};

use super::{Case, Shown};
use crate::fetch::reference;
use crate::parse::{Kind, LeftOut, Parsed};
use crate::pipeline::meter::Room;
use crate::pipeline::visit::Found;
use crate::sources::{self, Listed, Source};
use crate::store::FoundAs;

/// When the first web page went up: 6 August 1991.
const FIRST_PAGE: Time = Time::from_secs(681_436_800);

/// The pages in scope that a visit found; those that a guard refused are counted.
pub(super) fn found(case: &Case<'_>, shown: Shown, left_out: &mut LeftOut) -> Vec<Found> {
    match shown {
        Shown::Nothing => described(case, Vec::new(), left_out),
        Shown::MovedTo(target) => target_of(case, target, left_out).into_iter().collect(),
        Shown::Version { parsed, listed, .. } => {
            let mut found = described(case, listed, left_out);
            if let Some(parsed) = parsed.filter(|parsed| !parsed.directives.nofollow) {
                read(case, parsed, left_out, &mut found);
            }
            found
        }
    }
}

/// Where a redirect leads.
fn target_of(case: &Case<'_>, target: Url, left_out: &mut LeftOut) -> Option<Found> {
    let Case { context, page, at, .. } = *case;
    match &page.source {
        Some(source) => redirected_source(case, source, target, left_out),
        None => context.admit_target(&page.url, target, page.depth, page.hops + 1, at, left_out),
    }
}

/// What a source lists, and what its head says is beside it.
fn described(case: &Case<'_>, entries: Vec<Listed>, left_out: &mut LeftOut) -> Vec<Found> {
    let Some(source) = &case.page.source else { return Vec::new() };
    let mut found = listed(case, entries, left_out);
    found.extend(linked(case, source, left_out));
    found
}

/// What the content links to, or lists.
fn read(case: &Case<'_>, parsed: Parsed, left_out: &mut LeftOut, found: &mut Vec<Found>) {
    let Case { context, page, at, .. } = *case;
    left_out.join(parsed.left_out);
    let found_as = match parsed.kind {
        Kind::Sitemap => FoundAs::Sitemap,
        Kind::Feed => FoundAs::Feed,
        Kind::Html | Kind::Text | Kind::Other => FoundAs::Link,
    };
    found.reserve(parsed.links.len());
    let links = parsed.links.into_iter().filter(|link| !link.nofollow);
    let links = links.map(|link| (link.last_modified, link.url)).chain(parsed.canonical.map(|url| (None, url)));
    let admitted = links.filter_map(|(modified, url)| {
        let modified = modified.filter(|modified| is_credible(*modified, at) && is_same_host(&url, &page.url));
        context.admit(url, found_as, page.depth + 1, 0, at, left_out).map(|found| Found { modified, ..found })
    });
    context.meter.measure(Room::Parse, || found.extend(admitted));
}

/// Where a source redirects to, which is asked in the same way: who asks for a thing by its name gets a document about it.
fn redirected_source(case: &Case<'_>, source: &Source, mut target: Url, left_out: &mut LeftOut) -> Option<Found> {
    let page = case.page;
    target.set_fragment(page.url.fragment());
    let found = case.context.admit_source(target, FoundAs::Redirect, source.clone(), page.depth, left_out)?;
    Some(Found { hops: page.hops + 1, ..found })
}

/// The entries of a catalogue, with its dates as far as it speaks for its own host.
fn listed(case: &Case<'_>, listed: Vec<Listed>, left_out: &mut LeftOut) -> Vec<Found> {
    let page = case.page;
    let admitted = listed.into_iter().filter_map(|entry| {
        let own = |modified: &Time| is_credible(*modified, case.at) && is_same_host(&entry.url, &page.url);
        let (modified, source) = (entry.modified.filter(own), entry.source());
        let found = case.context.admit_source(entry.url, FoundAs::Catalogue, source, page.depth + 1, left_out)?;
        Some(Found { modified, ..found })
    });
    admitted.collect()
}

/// The documents that the Link fields of a source name as other forms of it, as what describes it and as what comes next.
fn linked(case: &Case<'_>, source: &Source, left_out: &mut LeftOut) -> Vec<Found> {
    if matches!(source.kind, sources::Kind::Sparql | sources::Kind::Catalogue) {
        return Vec::new();
    }
    let (context, page, head) = (case.context, case.page, &case.exchange().headers);
    let fields = head.get_all(http::header::LINK).into_iter().map(|value| reference::in_header(value.as_bytes()));
    let links = fields.flat_map(|field| sources::links(&field, &page.url));
    let own = links.filter(|url| is_same_host(url, &page.url) && *url != page.url);
    let admit = |url| context.admit_source(url, FoundAs::Link, source.clone(), page.depth + 1, left_out);
    own.filter_map(admit).collect()
}

/// The kind of list that a page is. A catalogue is one that lists all it speaks for, as a sitemap does.
pub(super) fn list_kind(shown: &Shown) -> Option<ListKind> {
    let Shown::Version { parsed, listed, .. } = shown else { return None };
    match parsed.as_ref().map(|parsed| parsed.kind) {
        _ if !listed.is_empty() => Some(ListKind::Sitemap),
        Some(Kind::Sitemap) => Some(ListKind::Sitemap),
        Some(Kind::Feed) => Some(ListKind::Feed),
        Some(Kind::Html | Kind::Text | Kind::Other) | None => None,
    }
}

/// Whether a page can have changed then: not before there were pages, and not in the future.
fn is_credible(modified: Time, now: Time) -> bool {
    (FIRST_PAGE..=now).contains(&modified)
}

fn is_same_host(one: &Url, other: &Url) -> bool {
    one[..Position::BeforePath] == other[..Position::BeforePath]
}
