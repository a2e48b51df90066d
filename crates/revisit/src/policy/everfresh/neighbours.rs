//! What a page's neighbours showed: how busy each of the last cycles was, in the whole collection, a server, a directory.
//!
//! Pages of a directory often change together. Every visit tells of the cycles since the visit before: with a change, of
//! how many there were among them; without, of none. Changes found in a cycle over changes expected of the pages watched
//! then is how busy it was, 1 on average. A directory of which little was seen is as its parent is, and so up to the
//! collection. A change seen after a long time lies where others were seen:
//! each refit spreads it over its window as busy as the cycles were found by the last one (expectation maximisation).
//!
//! Time counts in cycles from some origin. 390 bytes a group; a group has [`SMALLEST`] pages or more, and of very many
//! directories the [largest](MOST) are groups.

use std::cmp::Reverse;

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::page::PageId;
use crate::site::{DirectoryId, Structure};

/// How many cycles are remembered. Those before them were as busy as these on average.
const CYCLES: usize = 96;
/// Fewer pages than this are no group of their own.
const SMALLEST: u32 = 6;
/// Groups there are at most, so that their memory does not grow with the pages.
const MOST: usize = 1 << 14;
/// Changes as its parent that each group's cycle has in addition.
const WEIGHT: f32 = 0.3;
/// No parent, and the group of pages nobody has located.
const COLLECTION: u32 = 0;

/// What a visit told of the cycles before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched {
    /// Whose pages.
    pub(crate) group: u32,
    /// The visit before.
    pub(crate) from: f32,
    /// The visit.
    pub(crate) to: f32,
    /// How much the page was exposed between them, going by its group alone.
    pub(crate) exposure: f32,
    /// Changes a cycle expected of the page.
    pub(crate) rate: f32,
    /// Changes there were, going by what the visit saw.
    pub(crate) changes: f32,
}

/// How busy the last cycles were for each group of pages.
#[derive(Clone, Debug)]
pub(super) struct Neighbours {
    /// Each group's parent, always before it.
    parents: Vec<u32>,
    /// The group of each directory that has one.
    of_directory: Vec<u32>,
    /// The first cycle that is remembered.
    first: f32,
    /// For each group, how much came together from that cycle's begin to the end of each.
    grown: Vec<[f32; CYCLES + 1]>,
}

/// Cycles as usual.
const USUAL: [f32; CYCLES + 1] = usual();

const fn usual() -> [f32; CYCLES + 1] {
    let mut grown = [0.0; CYCLES + 1];
    let mut cycle = 0;
    while cycle <= CYCLES {
        grown[cycle] = cycle as f32;
        cycle += 1;
    }
    grown
}

impl Default for Neighbours {
    fn default() -> Neighbours {
        Neighbours { parents: vec![COLLECTION], of_directory: Vec::new(), first: 0.0, grown: vec![USUAL] }
    }
}

impl Neighbours {
    /// How much a page of the group was exposed between two times: cycles, each as busy as it was.
    pub(super) fn exposure(&self, group: u32, from: f32, to: f32) -> f32 {
        let grown = &self.grown[group as usize];
        (self.at(grown, to) - self.at(grown, from)).max(0.0)
    }

    fn at(&self, grown: &[f32; CYCLES + 1], time: f32) -> f32 {
        let into = time - self.first;
        if into <= 0.0 {
            return into * grown[CYCLES] / CYCLES as f32;
        }
        if into >= CYCLES as f32 {
            return grown[CYCLES] + into - CYCLES as f32;
        }
        let (cycle, share) = apart(into);
        grown[cycle] + share * (grown[cycle + 1] - grown[cycle])
    }

    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.first)?;
        checkpoint.keep_rows(&mut self.parents)?;
        checkpoint.keep_rows(&mut self.of_directory)?;
        self.grown.resize(self.parents.len(), USUAL);
        self.grown.iter_mut().try_for_each(|grown| checkpoint.keep_array(grown))
    }

    /// Groups pages by the directories they are in; calls back with each page's group and how many share its directory.
    pub(super) fn regroup(&mut self, structure: &Structure, mut group_of: impl FnMut(PageId, u32, u32)) {
        let directories = structure.directories();
        let (mut within, mut company) = (vec![0_u32; directories.len()], vec![0_u32; directories.len()]);
        for page in (0..directories.pages() as u32).map(PageId) {
            let mut next = directories.of(page);
            if let Some(own) = next {
                company[own.0 as usize] += 1;
            }
            while let Some(directory) = next {
                within[directory.0 as usize] += 1;
                next = directories.parent(directory);
            }
        }
        let is_group = largest(&within);
        let old = std::mem::replace(&mut self.of_directory, vec![COLLECTION; directories.len()]);
        let before = std::mem::take(&mut self.grown);
        self.parents = vec![COLLECTION];
        self.grown.push(before[COLLECTION as usize]);
        for directory in (0..directories.len() as u32).map(DirectoryId) {
            let parent =
                directories.parent(directory).map_or(COLLECTION, |parent| self.of_directory[parent.0 as usize]);
            let place = directory.0 as usize;
            if !is_group[place] {
                self.of_directory[place] = parent;
                continue;
            }
            self.of_directory[place] = self.parents.len() as u32;
            self.parents.push(parent);
            let known = old.get(place).copied().unwrap_or(COLLECTION);
            self.grown.push(before[known as usize]);
        }
        for page in (0..directories.pages() as u32).map(PageId) {
            let Some(own) = directories.of(page) else { continue };
            group_of(page, self.of_directory[own.0 as usize], company[own.0 as usize]);
        }
    }

    /// Counts what was found and expected in each of the cycles before `now`, for each group and all within it.
    pub(super) fn count(&self, now: f32, watched: impl Iterator<Item = Watched>) -> Vec<Counts> {
        let mut counts = vec![Counts::default(); self.parents.len()];
        let first = first_before(now);
        for window in watched {
            let counts = &mut counts[window.group as usize];
            let (from, to) = (window.from - first, window.to - first);
            counts.expected.spread(from, to, window.rate);
            if window.changes > 0.0 && window.exposure > 0.0 {
                counts.found.spread(from, to, window.changes / window.exposure);
            }
        }
        for (group, counts) in counts.iter_mut().enumerate() {
            counts.expected.gather();
            counts.found.gather();
            let busy = |cycle: usize| self.exposure(group as u32, first + cycle as f32, first + cycle as f32 + 1.0);
            counts.found.0.iter_mut().enumerate().for_each(|(cycle, found)| *found *= busy(cycle));
        }
        for group in (1..counts.len()).rev() {
            let own = counts[group].clone();
            counts[self.parents[group] as usize].add(&own);
        }
        counts
    }

    /// Learns from the counts how busy the cycles before `now` were.
    pub(super) fn settle(&mut self, now: f32, counts: &[Counts]) {
        self.first = first_before(now);
        for (group, counts) in counts.iter().enumerate() {
            let parent = self.grown[self.parents[group] as usize];
            let mut grown = [0.0; CYCLES + 1];
            for cycle in 0..CYCLES {
                let above = if group == 0 { 1.0 } else { parent[cycle + 1] - parent[cycle] };
                let (found, expected) = (counts.found.0[cycle], counts.expected.0[cycle].max(0.0));
                grown[cycle + 1] = grown[cycle] + (found + WEIGHT * above) / (expected + WEIGHT);
            }
            self.grown[group] = grown;
        }
    }
}

/// Which directories are groups, by how many pages are within each. A directory has no more than what holds it and comes after it,
/// so nobody is a group whose parent is none.
fn largest(within: &[u32]) -> Vec<bool> {
    let mut large: Vec<usize> = (0..within.len()).filter(|place| within[*place] >= SMALLEST).collect();
    if large.len() > MOST {
        large.select_nth_unstable_by_key(MOST, |place| (Reverse(within[*place]), *place));
        large.truncate(MOST);
    }
    let mut is_group = vec![false; within.len()];
    large.into_iter().for_each(|place| is_group[place] = true);
    is_group
}

/// The cycle that a time after the first lies in, and how far into it. (`fract` would be a call.)
fn apart(time: f32) -> (usize, f32) {
    let cycle = time as u32;
    (cycle as usize, time - cycle as f32)
}

/// The first of the cycles that are remembered.
fn first_before(now: f32) -> f32 {
    now.floor() - CYCLES as f32
}

/// A number for each cycle, first as differences from the cycle before.
#[derive(Clone, Debug)]
struct Cycles([f32; CYCLES]);

/// Changes found and expected in each cycle.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    found: Cycles,
    expected: Cycles,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts { found: Cycles([0.0; CYCLES]), expected: Cycles([0.0; CYCLES]) }
    }
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        for (own, other) in [(&mut self.found, &other.found), (&mut self.expected, &other.expected)] {
            own.0.iter_mut().zip(other.0).for_each(|(own, other)| *own += other);
        }
    }
}

impl Cycles {
    /// Adds an amount to every cycle between two times, and its share to those of which only a part is.
    fn spread(&mut self, from: f32, to: f32, amount: f32) {
        let (from, to) = (from.clamp(0.0, CYCLES as f32), to.clamp(0.0, CYCLES as f32));
        self.step(from, amount);
        self.step(to, -amount);
    }

    /// From a time on there is so much more in every cycle.
    fn step(&mut self, time: f32, amount: f32) {
        let (cycle, share) = apart(time);
        if cycle < CYCLES {
            self.0[cycle] += amount * (1.0 - share);
        }
        if cycle + 1 < CYCLES {
            self.0[cycle + 1] += amount * share;
        }
    }

    /// From differences to the numbers themselves.
    fn gather(&mut self) {
        (1..CYCLES).for_each(|cycle| self.0[cycle] += self.0[cycle - 1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server of three directories, of twenty pages, twenty, and two.
    fn structure() -> Structure {
        let mut structure = Structure::default();
        let names = (0..42).map(|page| match page {
            0..20 => format!("http://x.org/guide/{page}"),
            20..40 => format!("http://x.org/news/{page}"),
            _ => format!("http://x.org/small/{page}"),
        });
        names.enumerate().for_each(|(page, name)| structure.locate(PageId(page as u32), &name));
        structure
    }

    fn grouped() -> (Neighbours, Vec<(u32, u32)>) {
        let mut neighbours = Neighbours::default();
        let mut groups = Vec::new();
        neighbours.regroup(&structure(), |_, group, company| groups.push((group, company)));
        (neighbours, groups)
    }

    #[test]
    fn small_directories_are_part_of_what_holds_them() {
        let (neighbours, groups) = grouped();
        assert_eq!((groups[0].1, groups[20].1, groups[40].1), (20, 20, 2));
        assert_eq!(groups[40].0, neighbours.parents[groups[0].0 as usize], "of the server, as the others are");
        assert_ne!(groups[0].0, groups[20].0);
    }

    #[test]
    fn of_very_many_directories_the_largest_are_groups() {
        // A server, directories of six to nine pages in it, and too small ones.
        let directories: Vec<u32> = (0..50_000).map(|place| 6 + place % 4).chain([5, 5]).collect();
        let within: Vec<u32> = [directories.iter().sum()].into_iter().chain(directories).collect();
        let is_group = largest(&within);
        assert_eq!(is_group.iter().filter(|is_group| **is_group).count(), MOST);
        let is_right = |place: usize| if is_group[place] { within[place] >= 8 } else { within[place] <= 8 };
        assert!(is_group[0] && (1..within.len()).all(is_right), "the largest");
        let small = largest(&[12, 7, 5]);
        assert_eq!(small, [true, true, false]);
    }

    #[test]
    fn a_busy_cycle_of_a_directory_is_found_and_others_stay_as_usual() {
        let (mut neighbours, groups) = grouped();
        // Every page was seen in each of 30 cycles; in cycle 20 (from 20 to 21) all of the news changed.
        let watched = |neighbours: &Neighbours, page: usize, cycle: u32| {
            let changed = page % 20 == (cycle % 20) as usize || (cycle == 20 && (20..40).contains(&page));
            let (from, to) = (cycle as f32, cycle as f32 + 1.0);
            let (group, changes) = (groups[page].0, f32::from(u8::from(changed)));
            Watched { group, from, to, exposure: neighbours.exposure(group, from, to), rate: 0.05, changes }
        };
        for _ in 0..3 {
            let all = (0..42).flat_map(|page| (0..30).map(move |cycle| (page, cycle)));
            let counts = neighbours.count(30.0, all.map(|(page, cycle)| watched(&neighbours, page, cycle)));
            neighbours.settle(30.0, &counts);
        }
        let busy = |page: usize, cycle: f32| neighbours.exposure(groups[page].0, cycle, cycle + 1.0);
        assert!(busy(30, 20.0) > 10.0 && (0.5..1.6).contains(&busy(30, 10.0)), "{}", busy(30, 20.0));
        assert!(busy(5, 20.0) < busy(30, 20.0) / 4.0, "{}", busy(5, 20.0));
        let long_ago = neighbours.exposure(groups[30].0, -200.0, -100.0);
        let mean = neighbours.exposure(groups[30].0, 30.0 - CYCLES as f32, 30.0) / CYCLES as f32;
        assert!((long_ago / 100.0 / mean - 1.0).abs() < 1e-3, "long ago it was as busy as since, on average");
        assert_eq!(neighbours.exposure(groups[30].0, 100.0, 103.0), 3.0, "and what comes is");
    }

    #[test]
    fn long_windows_point_at_the_cycle_they_share() {
        let (mut neighbours, groups) = grouped();
        // News pages were seen once, at different times; those seen after cycle 20 had changed.
        let watched = |neighbours: &Neighbours, page: usize| {
            let to = 2.0 * (page - 20) as f32 + 1.0;
            let changes = f32::from(u8::from(to > 20.0));
            let group = groups[page].0;
            Watched { group, from: 0.0, to, exposure: neighbours.exposure(group, 0.0, to), rate: 0.02, changes }
        };
        for _ in 0..30 {
            let counts = neighbours.count(40.0, (20..40).map(|page| watched(&neighbours, page)));
            neighbours.settle(40.0, &counts);
        }
        let exposure = |from, to| neighbours.exposure(groups[20].0, from, to);
        assert!(exposure(19.0, 22.0) > 5.0 * exposure(5.0, 8.0), "{} {}", exposure(19.0, 22.0), exposure(5.0, 8.0));
    }

    #[test]
    fn parts_of_cycles_count_by_their_share() {
        let mut cycles = Cycles([0.0; CYCLES]);
        cycles.spread(1.25, 3.5, 2.0);
        cycles.gather();
        assert_eq!(cycles.0[..5], [0.0, 1.5, 2.0, 1.0, 0.0]);
        cycles.spread(-9.0, 900.0, 1.0);
    }
}
