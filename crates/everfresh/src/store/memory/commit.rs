//! Writing: what a batch changes is changed in a copy, which takes the place of the original when all of it is.

use revisit::PageOrder;

use super::{Hint, Memory, State};
use crate::store::{
    Batch, BatchRow, Commit, Committed, CycleEntry, HintsRow, HostRow, IndexRow, Learned, LeftOutEntry, LinksRow,
    StoreError,
};

impl Commit for Memory {
    fn commit(&mut self, batch: &Batch) -> Result<Committed, StoreError> {
        let mut state = self.state();
        let mut changed = state.clone();
        let committed = changed.put(batch)?;
        *state = changed;
        Ok(committed)
    }
}

impl State {
    fn put(&mut self, batch: &Batch) -> Result<Committed, StoreError> {
        let before = self.batches.last().copied().unwrap_or_default();
        let mut row = BatchRow { number: before.number + 1, mark: batch.mark(before.mark), ..before };
        for host in &batch.hosts {
            row.next_host = row.next_host.max(host.id.0 + 1);
            self.put_host(host);
        }
        for page in &batch.pages {
            if page.id.0 < row.next_page || !self.hosts.contains_key(&page.host.0) {
                return Err(StoreError::Failed(format!("page {} was there, or its host is not", page.id.0)));
            }
            row.next_page = page.id.0 + 1;
            self.pages.insert(page.id.0, page.clone());
        }
        for source in &batch.sources {
            if self.sources.insert(source.page.0, source.source.clone()).as_ref() != Some(&source.source) {
                self.copies.remove(&source.page.0);
            }
        }
        for file in &batch.files {
            let known = self.files.entry(file.id);
            known.or_insert(IndexRow { file: file.clone(), indexed: 0, length: 0 }).file.length = file.length;
        }
        for visit in &batch.visits {
            if !self.pages.contains_key(&visit.visit.page.0) {
                return Err(StoreError::Failed(format!("page {} is not there", visit.visit.page.0)));
            }
            self.visits.insert(row.next_visit, visit.clone());
            row.next_visit += 1;
        }
        self.copies.extend(batch.copies.iter().map(|copy| (copy.page.0, copy.clone())));
        self.asides.extend(batch.asides.iter().map(|aside| (aside.page.0, aside.clone())));
        let new = batch.features.iter().filter(|row| self.features.try_insert_new(row.page.0, **row));
        let described: Vec<_> = new.map(|row| row.page).collect();
        for links in &batch.links {
            let LinksRow { page, targets } = LinksRow::new(links.page, links.targets.clone());
            self.links.insert(page.0, targets);
        }
        batch.hints.iter().for_each(|hints| self.put_hints(hints));
        self.put_rest(batch);
        let lost = batch.lost.iter().fold(Default::default(), |sum, file| self.forget(sum, file));
        let learned = Learned::of(batch, described.clone());
        if !learned.is_empty() {
            self.journal.insert(row.next_change, learned);
            row.next_change += 1;
        }
        self.batches.push(row);
        Ok(Committed { batch: row.number, described, lost })
    }

    fn put_host(&mut self, host: &HostRow) {
        let known = self.hosts.get(&host.id.0);
        let robots = host.robots.clone().or_else(|| known.and_then(|known| known.robots.clone()));
        self.hosts.insert(host.id.0, HostRow { robots, ..host.clone() });
    }

    fn put_hints(&mut self, row: &HintsRow) {
        for (page, modified) in &row.entries {
            let told = Hint { modified: *modified, told_at: row.at, told_by: row.list };
            let kept = self.hints.entry(page.0).or_insert(told);
            if told.modified > kept.modified {
                *kept = told;
            }
        }
    }

    fn weigh(&mut self, page: u32, weight: f32) {
        if let Some(row) = self.pages.get_mut(&page) {
            self.first_weights.entry(page).or_insert(row.weight);
            row.weight = weight;
        }
    }

    /// What is not about hosts, pages and visits.
    fn put_rest(&mut self, batch: &Batch) {
        for row in batch.left_out.rows() {
            let new = LeftOutEntry { reason: row.reason.name().to_owned(), links: 0, example: String::new() };
            let entry = self.left_out.entry(new.reason.clone()).or_insert(new);
            entry.links += row.links;
            entry.example.clone_from(&row.example);
        }
        for (page, weight) in &batch.adopted {
            if let Some(page) = self.pages.get_mut(&page.0) {
                (page.found_as, page.depth) = (crate::store::FoundAs::Seed, 0);
            }
            self.weigh(page.0, *weight);
        }
        for (page, order) in &batch.orders {
            if let PageOrder::Weigh(weight) = order {
                self.weigh(page.0, *weight);
            }
        }
        for opened in &batch.opened {
            let (number, opened_at) = (opened.number, opened.at);
            let cycle = CycleEntry { number, opened_at, opened: Some(opened.clone()), closed: None };
            self.cycles.insert(number, cycle);
        }
        for closed in &batch.closed {
            if let Some(cycle) = self.cycles.get_mut(&closed.number) {
                cycle.closed = Some(closed.clone());
            }
        }
        self.trainings.extend(batch.trainings.iter().cloned());
        for index in &batch.indexes {
            if let Some(known) = self.files.get_mut(&index.file.id) {
                (known.indexed, known.length) = (index.indexed, index.length);
            }
        }
        self.running = batch.running.unwrap_or(self.running);
        self.collection = self.collection.or(batch.collection);
    }
}

/// Putting where nothing is.
trait InsertNew<K, V> {
    /// Whether nothing was there.
    fn try_insert_new(&mut self, key: K, value: V) -> bool;
}

impl<K: Ord, V> InsertNew<K, V> for std::collections::BTreeMap<K, V> {
    fn try_insert_new(&mut self, key: K, value: V) -> bool {
        let is_new = !self.contains_key(&key);
        if is_new {
            self.insert(key, value);
        }
        is_new
    }
}
