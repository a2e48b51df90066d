//! Writing: one transaction a batch.

use revisit::site::Trust;
use revisit::{HostId, PageId, Time};
use rusqlite::{OptionalExtension, Transaction, params};

use super::hints::{HintsRow, put_hints, put_trust};
use super::left_out::put_left_out;
use super::rows::{
    AsideRow, CopyRow, CycleRow, FeaturesRow, FileRow, HostRow, LinksRow, PageRow, TrainingRow, VisitRow,
};
use super::sources::{SourceRow, put_parts, put_source};
use super::{Store, StoreError, links};
use crate::parse::LeftOut;

/// What one transaction makes true.
#[derive(Default)]
pub struct Batch {
    /// Hosts found or changed; the last entry of a host wins.
    pub hosts: Vec<HostRow>,
    /// Pages found.
    pub pages: Vec<PageRow>,
    /// Pages that are asked in a way of their own.
    pub sources: Vec<SourceRow>,
    /// WARC files with what of them is committed now.
    pub files: Vec<FileRow>,
    /// Visits made.
    pub visits: Vec<VisitRow>,
    /// Copies replaced.
    pub copies: Vec<CopyRow>,
    /// Answers archived that are no versions.
    pub asides: Vec<AsideRow>,
    /// Features of first versions.
    pub features: Vec<FeaturesRow>,
    /// Links of pages that were read anew.
    pub links: Vec<LinksRow>,
    /// What lists said of pages.
    pub hints: Vec<HintsRow>,
    /// Links that guards left out.
    pub left_out: LeftOut,
    /// What the dates of hosts are worth.
    pub trust: Vec<(HostId, Trust)>,
    /// Known pages that become seeds, with how much they matter.
    pub adopted: Vec<(PageId, f32)>,
}

impl Batch {
    /// Whether there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty() && self.pages.is_empty() && self.visits.is_empty() && self.files.is_empty()
    }
}

impl Store {
    /// Commits a batch, all or nothing.
    pub fn commit(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let transaction = self.begin()?;
        batch.hosts.iter().try_for_each(|host| put_host(&transaction, host))?;
        batch.pages.iter().try_for_each(|page| put_page(&transaction, page))?;
        batch.sources.iter().try_for_each(|source| put_source(&transaction, source))?;
        batch.files.iter().try_for_each(|file| put_file(&transaction, file))?;
        batch.visits.iter().try_for_each(|visit| put_visit(&transaction, visit))?;
        batch.copies.iter().try_for_each(|copy| put_copy(&transaction, copy))?;
        batch.asides.iter().try_for_each(|aside| put_aside(&transaction, aside))?;
        batch.features.iter().try_for_each(|features| put_features(&transaction, features))?;
        batch.links.iter().try_for_each(|links| put_links(&transaction, links))?;
        batch.hints.iter().try_for_each(|hints| put_hints(&transaction, hints))?;
        put_left_out(&transaction, &batch.left_out)?;
        batch.trust.iter().try_for_each(|(host, trust)| put_trust(&transaction, *host, trust))?;
        batch.adopted.iter().try_for_each(|(page, weight)| adopt(&transaction, *page, *weight))?;
        Ok(transaction.commit()?)
    }

    /// Writes down what a training came to.
    pub fn put_training(&mut self, training: &TrainingRow) -> Result<(), StoreError> {
        let TrainingRow { at, model, adopted, freshness, freshness_before, pages, detail } = training;
        self.connection.execute(
            "INSERT INTO trainings (at, model, adopted, freshness, freshness_before, pages, detail)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![at, model, adopted, freshness, freshness_before, *pages as i64, detail],
        )?;
        Ok(())
    }

    /// Writes down what a cycle did.
    pub fn close_cycle(&mut self, cycle: &CycleRow) -> Result<(), StoreError> {
        let outcomes = &cycle.outcomes;
        self.connection.execute(
            "INSERT INTO cycles (opened_at, closed_at, visits, first, changed, unchanged, gone, failed, expected_freshness)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                cycle.opened_at.millis(),
                cycle.closed_at.millis(),
                outcomes.total() as i64,
                outcomes.first as i64,
                outcomes.changed as i64,
                outcomes.unchanged as i64,
                outcomes.gone as i64,
                outcomes.failed as i64,
                cycle.expected_freshness
            ],
        )?;
        Ok(())
    }

    /// A number of the collection's own, drawn when the store is first used.
    pub fn collection_number(&mut self, drawn: u64) -> Result<u64, StoreError> {
        self.connection.execute("INSERT OR IGNORE INTO meta VALUES ('collection', ?1)", [drawn.to_string()])?;
        let sql = "SELECT CAST(value AS TEXT) FROM meta WHERE key = 'collection'";
        let text: String = self.connection.query_row(sql, [], |row| row.get(0))?;
        Ok(text.parse().unwrap_or(drawn))
    }

    /// Marks the store as in use, or as left in order, and says whether it was left in order before.
    pub fn mark_running(&mut self, running: bool) -> Result<bool, StoreError> {
        let before: Option<String> = self
            .connection
            .query_row("SELECT value FROM meta WHERE key = 'running'", [], |row| row.get(0))
            .optional()?;
        self.connection.execute(
            "INSERT INTO meta VALUES ('running', ?1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [if running { "yes" } else { "no" }],
        )?;
        Ok(before.as_deref() != Some("yes"))
    }
}

/// A time, unless it stands for never.
fn ever(time: Time) -> Option<i64> {
    (time != Time::MIN).then(|| time.millis())
}

fn put_host(transaction: &Transaction<'_>, host: &HostRow) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            // Not REPLACE: that deletes the row first, and then looks through all pages for any that would lose its host.
            "INSERT INTO hosts (id, name, robots_status, robots_body, robots_at, last_contact, blocked_until, pause)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (id) DO UPDATE SET robots_status = coalesce(excluded.robots_status, robots_status),
                 robots_body = coalesce(excluded.robots_body, robots_body),
                 robots_at = coalesce(excluded.robots_at, robots_at),
                 last_contact = excluded.last_contact, blocked_until = excluded.blocked_until, pause = excluded.pause",
        )?
        .execute(params![
            host.id.0,
            host.name,
            host.robots.as_ref().map(|robots| robots.status),
            host.robots.as_ref().map(|robots| &robots.body),
            host.robots.as_ref().map(|robots| robots.at.millis()),
            ever(host.last_contact),
            ever(host.blocked_until),
            host.pause.millis()
        ])?;
    Ok(())
}

fn put_page(transaction: &Transaction<'_>, page: &PageRow) -> rusqlite::Result<()> {
    transaction.prepare_cached("INSERT INTO pages VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?.execute(
        params![
            page.id.0,
            page.url,
            page.fingerprint as i64,
            page.host.0,
            page.weight,
            page.depth,
            page.hops,
            page.found_at.millis(),
            page.found_as.name(),
            page.found_on.map(|page| page.0)
        ],
    )?;
    Ok(())
}

/// Files come before the visits of a batch, so what a new file holds has ids beyond those there are.
fn put_file(transaction: &Transaction<'_>, file: &FileRow) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO files (id, name, length, since_visit)
             VALUES (?1, ?2, ?3, (SELECT coalesce(max(id), 0) + 1 FROM visits))
             ON CONFLICT (id) DO UPDATE SET length = excluded.length",
        )?
        .execute(params![file.id, file.name, file.length as i64])?;
    Ok(())
}

fn put_visit(transaction: &Transaction<'_>, row: &VisitRow) -> rusqlite::Result<()> {
    let (answer, capture) = (row.answer.as_ref(), row.capture.as_ref());
    transaction
        .prepare_cached(
            "INSERT INTO visits (page, at, outcome, rule, detail, status, mime, bytes, millis, payload, revisit, file, position, length, further)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )?
        .execute(params![
            row.visit.page.0,
            row.visit.at.millis(),
            row.visit.outcome.name(),
            row.rule,
            row.detail,
            answer.map(|answer| answer.status),
            answer.and_then(|answer| answer.mime.as_deref()),
            answer.map(|answer| answer.bytes as i64),
            answer.map(|answer| answer.millis as i64),
            capture.map(|capture| capture.payload),
            capture.map(|capture| capture.revisit),
            capture.map(|capture| capture.file),
            capture.map(|capture| capture.position as i64),
            capture.map(|capture| capture.length as i64),
            (row.further > 0).then_some(row.further)
        ])?;
    if row.parts.is_empty() { Ok(()) } else { put_parts(transaction, &row.parts) }
}

fn put_copy(transaction: &Transaction<'_>, copy: &CopyRow) -> rusqlite::Result<()> {
    transaction.prepare_cached("INSERT OR REPLACE INTO copies VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?.execute(
        params![
            copy.page.0,
            copy.since.millis(),
            copy.etag,
            copy.last_modified,
            copy.payload,
            copy.text,
            copy.simhash as i64,
            copy.moved_to
        ],
    )?;
    Ok(())
}

fn put_aside(transaction: &Transaction<'_>, aside: &AsideRow) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO asides VALUES (?1, ?2, ?3)";
    transaction.prepare_cached(sql)?.execute(params![aside.page.0, aside.since.millis(), aside.payload])?;
    Ok(())
}

/// Makes a known page a seed that matters this much.
fn adopt(transaction: &Transaction<'_>, page: PageId, weight: f32) -> rusqlite::Result<()> {
    let sql = "UPDATE pages SET found_as = 'seed', depth = 0, weight = ?2 WHERE id = ?1";
    transaction.prepare_cached(sql)?.execute(params![page.0, weight])?;
    Ok(())
}

fn put_links(transaction: &Transaction<'_>, row: &LinksRow) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO links VALUES (?1, ?2)";
    transaction.prepare_cached(sql)?.execute(params![row.page.0, links::pack(&row.targets)])?;
    Ok(())
}

fn put_features(transaction: &Transaction<'_>, row: &FeaturesRow) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT OR IGNORE INTO features VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")?
        .execute(params![
            row.page.0,
            row.text_bytes,
            row.links,
            row.images,
            row.emails,
            row.directory_level,
            row.last_modified,
            row.nofollow,
            row.noindex,
            row.format,
            row.host_kind,
            row.max_age
        ])?;
    Ok(())
}
