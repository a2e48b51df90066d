//! A store of a made-up crawl, written through its interface: a fifth of the pages a cycle, in batches, so that making it takes as
//! much memory for twenty million pages as for ten thousand.

use everfresh::pipeline::fingerprint;
use everfresh::rule::Rule;
use everfresh::store::{
    Batch, CaptureRow, CopyRow, FeaturesRow, FileRow, FoundAs, HostRow, LinksRow, OpenedCycle, PageRow, VisitRow,
    Writer,
};
use revisit::{HostId, Outcome, PageId, Span, Time, Visit};

/// Pages on a host, and in a directory of it.
const ON_A_HOST: u32 = 1000;
const SECTIONS: u32 = 20;
/// Links on a page.
const LINKS: u32 = 10;
/// The archive's file in which all captures are.
const FILE: u32 = 1;
/// Rows in a batch: as many as a crawl at full speed commits at once, about.
const TOGETHER: u64 = 2000;

/// When a cycle begins.
pub(crate) fn at(cycle: u64) -> Time {
    Time::from_secs(1_700_000_000) + Span::DAY * cycle as f64
}

/// After the last cycle, and not in the future: commands go by the clock of the machine.
pub(crate) fn today() -> Time {
    at(1_000)
}

/// Visits that a cycle may make.
pub(crate) fn budget(pages: u32) -> u64 {
    u64::from(pages / 5).max(1)
}

fn host(id: u32) -> HostRow {
    let (last_contact, blocked_until, pause) = (Time::MIN, Time::MIN, Span::ZERO);
    HostRow { id: HostId(id), name: format!("http://{id}.test"), robots: None, last_contact, blocked_until, pause }
}

/// The address of a page.
pub(crate) fn url(id: u32) -> String {
    format!("http://{}.test/section-{}/page-{id}.html", id / ON_A_HOST, id % SECTIONS)
}

fn page(id: u32) -> PageRow {
    let (url, host) = (url(id), HostId(id / ON_A_HOST));
    let (found_as, found_on, found_at) = (FoundAs::Link, None, at(0));
    let fingerprint = fingerprint(&url);
    PageRow { id: PageId(id), url, fingerprint, host, weight: 1.0, depth: 1, hops: 0, found_at, found_as, found_on }
}

/// A visit to a page, what a first one shows besides.
pub(crate) fn visit(page: u32, cycle: u64, at: Time, is_first: bool) -> VisitRow {
    let outcome = match (u64::from(page) + cycle) % (u64::from(page) % 30 + 2) {
        _ if is_first => Outcome::First,
        0 => Outcome::Changed,
        _ => Outcome::Unchanged,
    };
    let visit = Visit { page: PageId(page), at, outcome };
    let (payload, revisit, position) = (payload(page), outcome == Outcome::Unchanged, u64::from(page));
    let capture = Some(CaptureRow { payload, revisit, file: FILE, position, length: 700 });
    let (detail, answer, parts) = (None, None, Vec::new());
    VisitRow { visit, rule: Rule::SameText, detail, answer, capture, parts, requests: 1 }
}

/// What a page's bytes are, by their digest.
fn payload(page: u32) -> [u8; 20] {
    let mut payload = [0; 20];
    payload[..4].copy_from_slice(&page.to_le_bytes());
    payload
}

fn copy(page: u32, since: Time) -> CopyRow {
    let (etag, last_modified, moved_to) = (Some(format!("\"{page:x}\"")), None, None);
    let text = payload(page)[..16].to_vec();
    CopyRow {
        page: PageId(page),
        since,
        etag,
        last_modified,
        payload: payload(page),
        text,
        simhash: page.into(),
        moved_to,
    }
}

/// Links to pages of the same host.
fn links(page: u32, pages: u32) -> LinksRow {
    let first = page / ON_A_HOST * ON_A_HOST;
    let target = |link: u32| PageId((first + (page * 7 + link * link * 31) % ON_A_HOST).min(pages - 1));
    LinksRow::new(PageId(page), (0..LINKS).map(target).collect())
}

fn features(page: u32) -> FeaturesRow {
    FeaturesRow {
        page: PageId(page),
        depth: 1,
        text_bytes: 500 + page % 20_000,
        links: LINKS,
        images: page % 7,
        emails: page % 2,
        directory_level: 2,
        last_modified: page.is_multiple_of(3),
        nofollow: false,
        noindex: false,
        format: None,
        host_kind: None,
        max_age: None,
    }
}

/// Writes a crawl of so many pages and visits; says how many cycles it had.
pub(crate) fn write(store: &mut dyn Writer, pages: u32, visits: u64) -> u64 {
    for from in (0..=pages / ON_A_HOST).step_by(TOGETHER as usize) {
        let hosts = (from..=(pages / ON_A_HOST).min(from + TOGETHER as u32 - 1)).map(host).collect();
        store.commit(&Batch { hosts, collection: Some(1), ..Batch::default() }).unwrap();
    }
    for from in (0..pages).step_by(TOGETHER as usize) {
        let pages = (from..pages.min(from + TOGETHER as u32)).map(page).collect();
        store.commit(&Batch { pages, ..Batch::default() }).unwrap();
    }
    let file = FileRow { id: FILE, name: "made-000001.warc.gz".into(), length: 1 };
    store.commit(&Batch { files: vec![file], ..Batch::default() }).unwrap();
    let cycles = visits.div_ceil(budget(pages));
    for cycle in 0..cycles {
        let (after, budget) = (store.last_batch().unwrap().number, budget(pages));
        let opened = OpenedCycle { number: cycle + 1, at: at(cycle), after, budget, visits: budget };
        store.commit(&Batch { opened: vec![opened], ..Batch::default() }).unwrap();
        let end = visits.min((cycle + 1) * budget);
        for from in (cycle * budget..end).step_by(TOGETHER as usize) {
            store.commit(&batch(from..end.min(from + TOGETHER), cycle, pages)).unwrap();
        }
    }
    cycles
}

/// Visits in turn to all pages.
fn batch(numbers: std::ops::Range<u64>, cycle: u64, pages: u32) -> Batch {
    let mut batch = Batch::default();
    for number in numbers {
        let (page, is_first) = ((number % u64::from(pages)) as u32, number < u64::from(pages));
        batch.visits.push(visit(page, cycle, at(cycle) + Span::HOUR, is_first));
        if is_first {
            batch.copies.push(copy(page, at(cycle) + Span::HOUR));
            batch.links.push(links(page, pages));
            batch.features.push(features(page));
        }
    }
    batch
}
