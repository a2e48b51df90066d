//! Writing: one transaction a batch.

use revisit::{ListKind, PageId, PageOrder, Time};
use rusqlite::{Transaction, TransactionBehavior, params};

use super::{Sqlite, counts, learn, lost, visits};
use crate::parse::LeftOut;
use crate::sources::Source;
use crate::store::{
    AsideRow, Batch, BatchRow, ClosedCycle, Commit, Committed, CopyRow, FeaturesRow, FileRow, HintsRow, HostRow,
    IndexRow, Learned, LinksRow, OpenedCycle, PageRow, SourceRow, StoreError, TrainingRow, varint,
};

impl Commit for Sqlite {
    fn commit(&mut self, batch: &Batch) -> Result<Committed, StoreError> {
        self.mind_log()?;
        // It takes the lock at once: a transaction that has read first could not wait for it.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let committed = put(&transaction, batch)?;
        transaction.commit()?;
        self.waiter.over();
        if batch.running == Some(false) {
            // All is in one file then, which people copy. Who still reads may hold it up, and whoever opens it next goes on.
            let _ = self.begin_log_anew()?;
        }
        Ok(committed)
    }
}

fn put(transaction: &Transaction<'_>, batch: &Batch) -> Result<Committed, StoreError> {
    let before = learn::last(transaction)?;
    let mut row = numbered(before, batch)?;
    batch.hosts.iter().try_for_each(|host| put_host(transaction, host))?;
    batch.pages.iter().try_for_each(|page| put_page(transaction, page))?;
    batch.sources.iter().try_for_each(|source| put_source(transaction, source))?;
    batch.files.iter().try_for_each(|file| put_file(transaction, file, &before, &row))?;
    visits::put(transaction, before.next_visit, &batch.visits)?;
    batch.copies.iter().try_for_each(|copy| put_copy(transaction, copy))?;
    batch.asides.iter().try_for_each(|aside| put_aside(transaction, aside))?;
    let mut described = Vec::new();
    for features in &batch.features {
        described.extend(put_features(transaction, features)?.then_some(features.page));
    }
    batch.links.iter().try_for_each(|links| put_links(transaction, links))?;
    batch.hints.iter().try_for_each(|hints| put_hints(transaction, hints))?;
    put_left_out(transaction, &batch.left_out)?;
    batch.adopted.iter().try_for_each(|(page, weight)| adopt(transaction, *page, *weight))?;
    batch.orders.iter().try_for_each(|(page, order)| put_order(transaction, *page, *order))?;
    batch.opened.iter().try_for_each(|cycle| open_cycle(transaction, cycle))?;
    batch.closed.iter().try_for_each(|cycle| close_cycle(transaction, cycle))?;
    batch.trainings.iter().try_for_each(|training| put_training(transaction, training))?;
    batch.indexes.iter().try_for_each(|index| put_index(transaction, index))?;
    let lost = lost::forget(transaction, &batch.lost)?;
    put_facts(transaction, batch)?;
    counts::add(transaction, batch)?;
    learn::put_batch(transaction, &mut row, &Learned::of(batch, described.clone()))?;
    learn::mark_batch(transaction, &row)?;
    Ok(Committed { batch: row.number, described, lost })
}

/// Where a batch ends, given where the one before did.
fn numbered(before: BatchRow, batch: &Batch) -> Result<BatchRow, StoreError> {
    let next = |number: u32| {
        number.checked_add(1).ok_or_else(|| StoreError::Failed("there are no numbers left for pages or hosts".into()))
    };
    let mut row = BatchRow { number: before.number + 1, mark: batch.mark(before.mark), ..before };
    for host in &batch.hosts {
        row.next_host = row.next_host.max(next(host.id.0)?);
    }
    for page in &batch.pages {
        if page.id.0 < row.next_page {
            return Err(StoreError::Failed(format!("page {} was to be found a second time", page.id.0)));
        }
        row.next_page = next(page.id.0)?;
    }
    row.next_visit += batch.visits.len() as u64;
    Ok(row)
}

fn put_training(transaction: &Transaction<'_>, training: &TrainingRow) -> rusqlite::Result<()> {
    let TrainingRow { at, model, adopted, freshness, freshness_before, pages, detail } = training;
    let sql = "INSERT INTO trainings (at, model, adopted, freshness, freshness_before, pages, detail)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    transaction.execute(sql, params![at, model, adopted, freshness, freshness_before, *pages as i64, detail])?;
    Ok(())
}

fn open_cycle(transaction: &Transaction<'_>, cycle: &OpenedCycle) -> rusqlite::Result<()> {
    let OpenedCycle { number, at, after, budget, visits } = cycle;
    let long = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    transaction.execute(
        "INSERT INTO cycles (id, opened_at, after_batch, budget, allowed) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![long(*number), at.millis(), long(*after), long(*budget), long(*visits)],
    )?;
    Ok(())
}

fn close_cycle(transaction: &Transaction<'_>, cycle: &ClosedCycle) -> rusqlite::Result<()> {
    let outcomes = &cycle.outcomes;
    transaction.execute(
        "UPDATE cycles SET closed_at = ?2, visits = ?3, first = ?4, changed = ?5, unchanged = ?6, gone = ?7, failed = ?8,
             expected_freshness = ?9 WHERE id = ?1",
        params![
            cycle.number as i64,
            cycle.at.millis(),
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

fn put_index(transaction: &Transaction<'_>, index: &IndexRow) -> rusqlite::Result<()> {
    transaction.execute(
        "UPDATE files SET indexed = ?2, index_length = ?3 WHERE id = ?1",
        params![index.file.id, index.indexed as i64, index.length as i64],
    )?;
    Ok(())
}

/// Facts of the collection as a whole.
fn put_facts(transaction: &Transaction<'_>, batch: &Batch) -> rusqlite::Result<()> {
    if let Some(drawn) = batch.collection {
        transaction.execute("INSERT OR IGNORE INTO meta VALUES ('collection', ?1)", [drawn.to_string()])?;
    }
    if let Some(running) = batch.running {
        let sql = "INSERT INTO meta VALUES ('running', ?1) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        transaction.execute(sql, [if running { "yes" } else { "no" }])?;
    }
    Ok(())
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
    transaction
        .prepare_cached(
            "INSERT INTO pages (id, url, fingerprint, host, weight, depth, hops, found_at, found_as, found_on)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
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
        ])?;
    Ok(())
}

/// A file that grows with a batch holds visits of that batch and of none after it, until it grows again.
fn put_file(
    transaction: &Transaction<'_>,
    file: &FileRow,
    before: &BatchRow,
    batch: &BatchRow,
) -> rusqlite::Result<()> {
    let FileRow { id, name, length } = file;
    transaction
        .prepare_cached(
            "INSERT INTO files (id, name, length, since_visit, until_visit) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (id) DO UPDATE SET length = excluded.length, until_visit = excluded.until_visit",
        )?
        .execute(params![id, name, *length as i64, before.next_visit as i64, batch.next_visit as i64])?;
    Ok(())
}

fn put_copy(transaction: &Transaction<'_>, copy: &CopyRow) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            // Not REPLACE: a copy that takes the place of another is none more.
            "INSERT INTO copies VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (page) DO UPDATE SET
                 since = excluded.since, etag = excluded.etag, last_modified = excluded.last_modified,
                 payload = excluded.payload, text = excluded.text, simhash = excluded.simhash, moved_to = excluded.moved_to",
        )?
        .execute(params![
            copy.page.0,
            copy.since.millis(),
            copy.etag,
            copy.last_modified,
            copy.payload,
            copy.text,
            copy.simhash as i64,
            copy.moved_to
        ])?;
    Ok(())
}

fn put_aside(transaction: &Transaction<'_>, aside: &AsideRow) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO asides VALUES (?1, ?2, ?3)";
    transaction.prepare_cached(sql)?.execute(params![aside.page.0, aside.since.millis(), aside.payload])?;
    Ok(())
}

/// Makes a known page a seed that matters this much.
fn adopt(transaction: &Transaction<'_>, page: PageId, weight: f32) -> rusqlite::Result<()> {
    let sql = "UPDATE pages SET found_as = 'seed', depth = 0 WHERE id = ?1";
    transaction.prepare_cached(sql)?.execute([page.0])?;
    weigh(transaction, page, weight)
}

/// The journal says when a page began to matter so much, and the page how much it did before all that.
fn weigh(transaction: &Transaction<'_>, page: PageId, weight: f32) -> rusqlite::Result<()> {
    let sql = "UPDATE pages SET first_weight = coalesce(first_weight, weight), weight = ?2 WHERE id = ?1";
    transaction.prepare_cached(sql)?.execute(params![page.0, weight])?;
    Ok(())
}

/// The journal has all orders; a page's weight is also where people look for it.
fn put_order(transaction: &Transaction<'_>, page: PageId, order: PageOrder) -> rusqlite::Result<()> {
    if let PageOrder::Weigh(weight) = order { weigh(transaction, page, weight) } else { Ok(()) }
}

fn put_links(transaction: &Transaction<'_>, row: &LinksRow) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO links VALUES (?1, ?2)";
    transaction.prepare_cached(sql)?.execute(params![row.page.0, varint::pack(&row.targets)])?;
    Ok(())
}

/// Whether nobody knew them before.
fn put_features(transaction: &Transaction<'_>, row: &FeaturesRow) -> rusqlite::Result<bool> {
    let added = transaction
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
    Ok(added > 0)
}

/// A date that is not later than the one kept changes nothing, and most are not.
const PUT: &str = "INSERT INTO hints VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (page) DO UPDATE SET
        told_at = iif(excluded.modified > modified, excluded.told_at, told_at),
        told_by = iif(excluded.modified > modified, excluded.told_by, told_by),
        sitemap = coalesce(excluded.sitemap, sitemap),
        modified = max(modified, excluded.modified)
    WHERE excluded.modified > modified OR coalesce(excluded.sitemap, sitemap) IS NOT sitemap";

fn put_hints(transaction: &Transaction<'_>, row: &HintsRow) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(PUT)?;
    let sitemap = (row.kind == ListKind::Sitemap).then_some(row.list.0);
    for (page, modified) in &row.entries {
        statement.execute(params![page.0, modified.millis(), row.at.millis(), row.list.0, sitemap])?;
    }
    Ok(())
}

/// A page that is asked in another way than before has no version to compare with.
fn put_source(transaction: &Transaction<'_>, row: &SourceRow) -> rusqlite::Result<()> {
    let Source { kind, accept, query, rules } = &row.source;
    let rules = serde_json::to_string(rules).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    let changed = transaction
        .prepare_cached(
            "INSERT INTO sources VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (page) DO UPDATE SET
                 kind = excluded.kind, accept = excluded.accept, query = excluded.query, rules = excluded.rules
             WHERE (kind, accept, query, rules) IS NOT (excluded.kind, excluded.accept, excluded.query, excluded.rules)",
        )?
        .execute(params![row.page.0, kind.name(), accept, query, rules])?;
    if changed > 0 {
        transaction.prepare_cached("DELETE FROM copies WHERE page = ?1")?.execute([row.page.0])?;
    }
    Ok(())
}

/// Adds to what was counted before.
fn put_left_out(transaction: &Transaction<'_>, left_out: &LeftOut) -> rusqlite::Result<()> {
    for row in left_out.rows() {
        let sql = "INSERT INTO left_out VALUES (?1, ?2, ?3)
             ON CONFLICT (reason) DO UPDATE SET links = links + excluded.links, example = excluded.example";
        let mut statement = transaction.prepare_cached(sql)?;
        statement.execute(params![row.reason.name(), row.links as i64, row.example])?;
    }
    Ok(())
}
