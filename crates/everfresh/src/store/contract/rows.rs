//! Rows to write.

use revisit::{HostId, Outcome, PageId, Span, Time, Visit};

use crate::rule::Rule;
use crate::store::{
    Answer, Batch, CaptureRow, CopyRow, FeaturesRow, FileRow, FoundAs, HostRow, LinksRow, PageRow, RobotsRow, VisitRow,
};

pub(super) fn at(second: i64) -> Time {
    Time::from_secs(second)
}

pub(super) fn host(id: u32) -> HostRow {
    HostRow {
        id: HostId(id),
        name: format!("http://{id}.test"),
        robots: Some(RobotsRow { status: 200, body: b"User-agent: *".to_vec(), at: at(1) }),
        last_contact: at(2),
        blocked_until: Time::MIN,
        pause: Span::from_secs(3),
    }
}

pub(super) fn url(page: u32) -> String {
    format!("http://0.test/{page}")
}

pub(super) fn page(id: u32) -> PageRow {
    PageRow {
        id: PageId(id),
        url: url(id),
        fingerprint: u64::MAX - u64::from(id),
        host: HostId(0),
        weight: 1.0,
        depth: id,
        hops: 0,
        found_at: at(1),
        found_as: if id == 0 { FoundAs::Seed } else { FoundAs::Link },
        found_on: (id > 0).then_some(PageId(0)),
    }
}

pub(super) fn visit(page: u32, second: i64, outcome: Outcome) -> VisitRow {
    VisitRow {
        visit: Visit { page: PageId(page), at: at(second), outcome },
        rule: Rule::TextDiffers,
        detail: Some("because".into()),
        answer: Some(Answer { status: 200, mime: Some("text/html".into()), bytes: 5, millis: 7 }),
        capture: Some(CaptureRow { payload: [9; 20], revisit: false, file: 1, position: 100, length: 50 }),
        parts: Vec::new(),
        requests: 1,
    }
}

/// A visit whose capture lies there.
pub(super) fn captured(page: u32, second: i64, outcome: Outcome, file: u32, position: u64) -> VisitRow {
    let capture = CaptureRow { payload: [page as u8; 20], revisit: false, file, position, length: 50 };
    VisitRow { capture: Some(capture), ..visit(page, second, outcome) }
}

pub(super) fn copy(page: u32) -> CopyRow {
    CopyRow {
        page: PageId(page),
        since: at(5),
        etag: Some("\"x\"".into()),
        last_modified: None,
        payload: [9; 20],
        text: vec![1, 2, 3],
        simhash: u64::MAX,
        moved_to: None,
    }
}

pub(super) fn features(page: u32) -> FeaturesRow {
    FeaturesRow {
        depth: page,
        page: PageId(page),
        text_bytes: 1,
        links: 2,
        images: 3,
        emails: 4,
        directory_level: 5,
        last_modified: true,
        nofollow: false,
        noindex: true,
        format: Some(2),
        host_kind: Some(4),
        max_age: Some(3600),
    }
}

pub(super) fn file(id: u32, length: u64) -> FileRow {
    FileRow { id, name: format!("{id}.warc.gz"), length }
}

/// Two pages of a host, one of them seen twice.
pub(super) fn batch() -> Batch {
    Batch {
        hosts: vec![host(0)],
        pages: vec![page(0), page(1)],
        files: vec![file(1, 150)],
        visits: vec![visit(0, 5, Outcome::First), visit(0, 9, Outcome::Changed)],
        copies: vec![copy(0)],
        features: vec![features(0)],
        links: vec![LinksRow { page: PageId(0), targets: vec![PageId(1), PageId(0)] }],
        ..Batch::default()
    }
}

/// A host with these pages.
pub(super) fn found(pages: impl IntoIterator<Item = u32>) -> Batch {
    Batch {
        hosts: vec![host(0)],
        pages: pages.into_iter().map(page).collect(),
        files: vec![file(1, 150)],
        ..Batch::default()
    }
}

pub(super) fn visits(visits: Vec<VisitRow>) -> Batch {
    Batch { visits, ..Batch::default() }
}
