//! Pages with the same n, X and last visit, kept together: each bucket is a segment of one array of page numbers.
//!
//! A bucket is filled in one cycle, the last visit of its pages, and only shrinks from then on. Its pages are in no order,
//! but for the buckets that the warm-up fills, whose pages stand in the order of their ids.

use super::program::State;
use super::scores::Scores;

/// What the pages of a bucket have in common, and where they stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    pub(super) visits: u32,
    pub(super) changes: u32,
    pub(super) last: u32,
    pub(super) start: u32,
    pub(super) length: u32,
}

impl Bucket {
    /// The state of its pages in a cycle.
    pub(super) fn state(&self, cycle: u32) -> State {
        State { visits: self.visits, changes: self.changes, waited: cycle - self.last }
    }

    /// Its first pages, taken away.
    fn split(&mut self, length: u32) -> Bucket {
        let taken = Bucket { length, ..*self };
        self.start += length;
        self.length -= length;
        taken
    }
}

/// All buckets. Places whose buckets are empty are used again.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    /// Where to find each bucket's scores: apart from the rest, since every cycle reads all of them.
    pub(super) bases: Vec<u32>,
    pub(super) buckets: Vec<Bucket>,
    free: Vec<u32>,
    /// The pages of all buckets, and in the end room for more.
    pages: Vec<u32>,
    used: usize,
    spare: Vec<u32>,
    level: Vec<u32>,
}

impl Buckets {
    /// Begins anew with buckets over these pages, all visited last in the same cycle, and room for so many visits a cycle.
    pub(super) fn begin(&mut self, start: &[Bucket], pages: &[u32], visits: usize, scores: &mut Scores) {
        self.bases.clear();
        self.buckets.clear();
        self.free.clear();
        self.used = pages.len();
        let room = 2 * pages.len() + visits;
        self.pages.resize(room, 0);
        self.spare.resize(room, 0);
        self.pages[..pages.len()].copy_from_slice(pages);
        start.iter().for_each(|bucket| self.add(*bucket, scores));
    }

    pub(super) fn add(&mut self, bucket: Bucket, scores: &mut Scores) {
        let base = scores.base(bucket.visits, bucket.changes, bucket.last);
        if let Some(place) = self.free.pop() {
            (self.bases[place as usize], self.buckets[place as usize]) = (base, bucket);
        } else {
            self.bases.push(base);
            self.buckets.push(bucket);
        }
    }

    /// Finds the scores of all buckets anew.
    pub(super) fn rebase(&mut self, scores: &mut Scores) {
        for (base, bucket) in self.bases.iter_mut().zip(&self.buckets).filter(|(_, bucket)| bucket.length > 0) {
            *base = scores.base(bucket.visits, bucket.changes, bucket.last);
        }
    }

    /// The pages of a bucket.
    pub(super) fn pages(&self, bucket: &Bucket) -> &[u32] {
        &self.pages[bucket.start as usize..][..bucket.length as usize]
    }

    /// Takes a whole bucket away.
    pub(super) fn take(&mut self, place: u32) -> Bucket {
        let length = self.buckets[place as usize].length;
        self.take_first(place, length)
    }

    fn take_first(&mut self, place: u32, length: u32) -> Bucket {
        let taken = self.buckets[place as usize].split(length);
        if self.buckets[place as usize].length == 0 {
            self.bases[place as usize] = Scores::NOBODY;
            self.free.push(place);
        }
        taken
    }

    /// Takes the lowest `count` page ids out of several buckets and hands out what came from each.
    ///
    /// `ordered` is the cycle in which the buckets were filled whose pages stand in order.
    pub(super) fn take_lowest(
        &mut self,
        places: impl Iterator<Item = u32> + Clone,
        count: usize,
        ordered: u32,
        mut taken: impl FnMut(Bucket),
    ) {
        let mut level = std::mem::take(&mut self.level);
        level.clear();
        for place in places.clone() {
            let bucket = &self.buckets[place as usize];
            let pages = self.pages(bucket);
            let possible = if bucket.last == ordered { pages.len().min(count + 1) } else { pages.len() };
            level.extend_from_slice(&pages[..possible]);
        }
        let highest = if count < level.len() { *level.select_nth_unstable(count).1 } else { u32::MAX };
        self.level = level;
        for place in places {
            let bucket = self.buckets[place as usize];
            let pages = &mut self.pages[bucket.start as usize..][..bucket.length as usize];
            let lower = if bucket.last == ordered {
                pages.partition_point(|page| *page < highest)
            } else {
                lower_first(pages, highest)
            };
            if lower > 0 {
                taken(self.take_first(place, lower as u32));
            }
        }
    }

    /// Makes room for so many pages after the last ones.
    pub(super) fn make_room(&mut self, pages: usize) {
        if self.used + pages <= self.pages.len() {
            return;
        }
        self.used = 0;
        for bucket in self.buckets.iter_mut().filter(|bucket| bucket.length > 0) {
            let (start, length) = (bucket.start as usize, bucket.length as usize);
            self.spare[self.used..self.used + length].copy_from_slice(&self.pages[start..start + length]);
            bucket.start = self.used as u32;
            self.used += length;
        }
        std::mem::swap(&mut self.pages, &mut self.spare);
    }

    /// Where the pages of the next bucket will stand.
    pub(super) fn end(&self) -> u32 {
        self.used as u32
    }

    /// Appends pages after the last ones.
    pub(super) fn append(&mut self, pages: &[u32]) {
        self.pages[self.used..self.used + pages.len()].copy_from_slice(pages);
        self.used += pages.len();
    }

    /// Appends the visited pages that did not change after the last ones and writes the others to `changed`, which has room.
    ///
    /// Returns how many changed.
    pub(super) fn visit(&mut self, visited: &Bucket, changed: &mut [u32], test: impl Fn(u32) -> bool) -> usize {
        let (start, length) = (visited.start as usize, visited.length as usize);
        let (before, after) = self.pages.split_at_mut(self.used);
        let (mut same, mut other) = (0, 0);
        for &page in &before[start..start + length] {
            // Writing to both and advancing one leaves nothing for the processor to guess.
            let is_changed = test(page);
            after[same] = page;
            changed[other] = page;
            same += usize::from(!is_changed);
            other += usize::from(is_changed);
        }
        self.used += same;
        other
    }
}

/// Moves the pages below a number to the front; says how many they are.
fn lower_first(pages: &mut [u32], highest: u32) -> usize {
    let mut lower = 0;
    for place in 0..pages.len() {
        let page = pages[place];
        pages.swap(place, lower);
        lower += usize::from(page < highest);
    }
    lower
}
