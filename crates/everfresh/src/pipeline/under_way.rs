//! What is under way, in a file, so that the next start knows it if this one is killed: no page may kill twice.
//!
//! Every errand has a slot of the file from its begin until its result was taken in. Nothing is synced: what was written
//! survives the end of the process, however it ends, and only a loss of power forgets it. At the next start those found in
//! it are suspects, since one of them may have been the reason. They are contacted [apart](super::apart) until they
//! survive that; who kills the process there too has failed and stays a suspect.
//!
//! A slot is 16 bytes: whose errand it is, and a check, so that a file that was cut, mixed up or written by another
//! collection accuses nobody.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use revisit::{HostId, PageId};

use super::addresses::fingerprint;
use crate::regular;

/// The name of the file in a collection's folder.
pub(super) const FILE: &str = "under-way";
const SLOT_BYTES: usize = 16;
const FREE: [u8; SLOT_BYTES] = [0; SLOT_BYTES];
/// A file that claims more was not written by us.
const MAX_SLOTS: u64 = 1 << 20;

/// Whose errand it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Who {
    /// A page that is visited.
    Page(PageId),
    /// A host whose robots.txt is fetched.
    Robots(HostId),
}

/// The errands under way, and those that are suspected.
pub(super) struct UnderWay {
    file: File,
    collection: u64,
    slots: HashMap<Who, u32>,
    free: Vec<u32>,
    /// Those that were under way when the crawl before was killed, or that killed a process since.
    suspects: HashMap<Who, u32>,
}

impl UnderWay {
    /// Opens the file in a collection's folder. Whoever is found in it is a suspect from now on, unless there is no such.
    pub(super) fn open(folder: &Path, collection: u64, exists: impl Fn(Who) -> bool) -> io::Result<UnderWay> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = regular::open_own(&folder.join(FILE), &mut options)?;
        let mut bytes = Vec::new();
        (&file).take(MAX_SLOTS * SLOT_BYTES as u64).read_to_end(&mut bytes)?;
        let (slots, _) = bytes.as_chunks::<SLOT_BYTES>();
        let found = slots.iter().filter_map(|slot| read(slot, collection)).filter(|who| exists(*who));
        let mut under_way =
            UnderWay { file, collection, slots: HashMap::new(), free: Vec::new(), suspects: HashMap::new() };
        for who in found {
            let slot = under_way.suspects.len() as u32;
            // Each moves forward or stays, in the order of the file, which is cut last: a kill in between forgets nobody.
            if let Entry::Vacant(place) = under_way.suspects.entry(who) {
                place.insert(slot);
                under_way.write(slot, &written(who, collection));
            }
        }
        under_way.file.set_len((under_way.suspects.len() * SLOT_BYTES) as u64)?;
        Ok(under_way)
    }

    /// An errand begins; says whether it is a suspect's.
    pub(super) fn begin(&mut self, who: Who) -> bool {
        if self.suspects.contains_key(&who) {
            return true;
        }
        let next = (self.slots.len() + self.suspects.len() + self.free.len()) as u32;
        let slot = self.free.pop().unwrap_or(next);
        self.write(slot, &written(who, self.collection));
        self.slots.insert(who, slot);
        false
    }

    /// An errand was survived.
    pub(super) fn end(&mut self, who: Who) {
        if let Some(slot) = self.slots.remove(&who).or_else(|| self.suspects.remove(&who)) {
            self.write(slot, &FREE);
            self.free.push(slot);
        }
    }

    /// Whether it was under way when a crawl was killed, and has not been survived since.
    pub(super) fn suspects(&self, who: Who) -> bool {
        self.suspects.contains_key(&who)
    }

    /// How many are suspected.
    pub(super) fn suspected(&self) -> usize {
        self.suspects.len()
    }

    fn write(&self, slot: u32, bytes: &[u8; SLOT_BYTES]) {
        // Where this fails, as on a full disk, a kill only leaves it unknown who is to be suspected.
        let _ = self.file.write_all_at(bytes, u64::from(slot) * SLOT_BYTES as u64);
    }
}

fn written(who: Who, collection: u64) -> [u8; SLOT_BYTES] {
    let number = match who {
        Who::Page(page) => 1 << 32 | u64::from(page.0),
        Who::Robots(host) => 2 << 32 | u64::from(host.0),
    };
    let mut slot = FREE;
    slot[..8].copy_from_slice(&number.to_le_bytes());
    slot[8..].copy_from_slice(&check(number, collection).to_le_bytes());
    slot
}

fn read(slot: &[u8; SLOT_BYTES], collection: u64) -> Option<Who> {
    let number = u64::from_le_bytes(*slot.first_chunk()?);
    let id = number as u32;
    let who = match number >> 32 {
        1 => Who::Page(PageId(id)),
        2 => Who::Robots(HostId(id)),
        _ => return None,
    };
    (slot[8..] == check(number, collection).to_le_bytes()).then_some(who)
}

fn check(number: u64, collection: u64) -> u64 {
    fingerprint(&format!("{collection} {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Who = Who::Page(PageId(7));
    const ROBOTS: Who = Who::Robots(HostId(7));

    /// The slots of a file with these errands, some of them free.
    fn slots(numbers: &[u32]) -> Vec<u8> {
        let slot = |number: &u32| if *number == 0 { FREE } else { written(Who::Page(PageId(*number)), 5) };
        numbers.iter().flat_map(slot).collect()
    }

    #[test]
    fn at_no_moment_of_a_start_is_anybody_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let old = [0, 1, 2, 0, 4, 5, 0, 7, 8, 0, 10, 11];
        std::fs::write(&path, slots(&old)).unwrap();
        open(folder.path());
        let new = std::fs::read(&path).unwrap();
        assert_eq!(
            new,
            slots(&[1, 2, 4, 5, 7, 8, 10, 11]),
            "in the order of the file, each of them moved forward or not at all"
        );
    }

    fn open(folder: &Path) -> UnderWay {
        UnderWay::open(folder, 5, |_| true).unwrap()
    }

    #[test]
    fn who_was_under_way_at_the_end_is_suspected_until_it_is_survived() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = open(folder.path());
        assert!(!first.begin(PAGE) && !first.begin(ROBOTS) && !first.begin(Who::Page(PageId(8))));
        first.end(Who::Page(PageId(8)));
        assert!(!first.begin(Who::Page(PageId(9))));
        drop(first);
        let mut second = open(folder.path());
        assert_eq!(second.suspected(), 3);
        assert!(second.begin(PAGE) && second.begin(ROBOTS) && !second.begin(Who::Page(PageId(8))));
        second.end(PAGE);
        assert!(!second.suspects(PAGE) && second.suspects(ROBOTS));
        drop(second);
        let third = open(folder.path());
        assert!(!third.suspects(PAGE) && third.suspects(ROBOTS) && third.suspects(Who::Page(PageId(8))));
    }

    #[test]
    fn whatever_the_file_holds_nobody_is_accused_wrongly() {
        let folder = tempfile::tempdir().unwrap();
        open(folder.path()).begin(PAGE);
        let other = |collection, exists: fn(Who) -> bool| {
            let copy = tempfile::tempdir().unwrap();
            std::fs::copy(folder.path().join(FILE), copy.path().join(FILE)).unwrap();
            UnderWay::open(copy.path(), collection, exists).unwrap().suspected()
        };
        assert_eq!((other(5, |_| true), other(5, |_| false), other(6, |_| true)), (1, 0, 0));
        for garbage in [vec![0xff; 1000], vec![0; 33], b"text".to_vec(), vec![1; SLOT_BYTES]] {
            std::fs::write(folder.path().join(FILE), garbage).unwrap();
            assert_eq!(open(folder.path()).suspected(), 0);
        }
    }
}
