//! What a page costs: CPU time by room, measured where the work is done.

use std::sync::atomic::{AtomicU64, Ordering};

use rustix::time::{ClockId, clock_gettime};

/// Of the pieces of work on a page, one in this many is timed and stands for the others: to ask for a thread's CPU time is
/// a system call, and to time all of them took 5 % of a crawl. A prime, so that of pieces that take turns each has its share.
const PAGE_STRIDE: u64 = 17;

/// CPU time spent in the rooms that work without waiting. Fetching is what remains of the process's time.
#[derive(Debug, Default)]
pub(super) struct Meter {
    parse: Tally,
    detect: Tally,
    compress: Tally,
    store: Tally,
}

/// Pieces of work, and the time of those that were timed: the first of every stride.
#[derive(Debug, Default)]
struct Tally {
    pieces: AtomicU64,
    nanos: AtomicU64,
}

/// A room whose work is measured.
#[derive(Clone, Copy, Debug)]
pub(super) enum Room {
    Parse,
    Detect,
    Compress,
    Store,
}

impl Room {
    fn stride(self) -> u64 {
        match self {
            Room::Parse | Room::Detect | Room::Compress => PAGE_STRIDE,
            // One piece is a batch of many visits.
            Room::Store => 1,
        }
    }
}

/// Microseconds of CPU time by room.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Rooms {
    /// Network, TLS, HTTP and the scheduling around them: all that the other rooms do not account for.
    pub fetch: f64,
    /// Decoding, charset, text and links.
    pub parse: f64,
    /// Digests, filters, SimHash.
    pub detect: f64,
    /// Making and compressing WARC records.
    pub compress: f64,
    /// Appending to the archive and committing to the store.
    pub store: f64,
}

impl Meter {
    /// Does some work on behalf of a room.
    pub(super) fn measure<T>(&self, room: Room, work: impl FnOnce() -> T) -> T {
        let tally = self.tally(room);
        if !tally.pieces.fetch_add(1, Ordering::Relaxed).is_multiple_of(room.stride()) {
            return work();
        }
        // Twice, or the first question, which finds its way through cold caches, would count as work.
        thread_nanos();
        let start = thread_nanos();
        let result = work();
        tally.nanos.fetch_add(thread_nanos().saturating_sub(start), Ordering::Relaxed);
        result
    }

    /// CPU time spent in a room, as far as the pieces that were timed tell.
    fn nanos(&self, room: Room) -> f64 {
        let tally = self.tally(room);
        let pieces = tally.pieces.load(Ordering::Relaxed);
        let timed = pieces.div_ceil(room.stride()).max(1);
        tally.nanos.load(Ordering::Relaxed) as f64 * pieces as f64 / timed as f64
    }

    fn tally(&self, room: Room) -> &Tally {
        match room {
            Room::Parse => &self.parse,
            Room::Detect => &self.detect,
            Room::Compress => &self.compress,
            Room::Store => &self.store,
        }
    }

    /// CPU time by room, divided by a number of visits, given the process's whole CPU time.
    pub(super) fn rooms(&self, whole_nanos: u64, visits: u64) -> Rooms {
        let of = |room| self.nanos(room) / 1000.0 / visits.max(1) as f64;
        let (parse, detect, compress, store) = (of(Room::Parse), of(Room::Detect), of(Room::Compress), of(Room::Store));
        let whole = whole_nanos as f64 / 1000.0 / visits.max(1) as f64;
        Rooms { fetch: (whole - parse - detect - compress - store).max(0.0), parse, detect, compress, store }
    }
}

/// CPU time of this thread.
fn thread_nanos() -> u64 {
    nanos(ClockId::ThreadCPUTime)
}

/// CPU time of the whole process.
pub(super) fn process_nanos() -> u64 {
    nanos(ClockId::ProcessCPUTime)
}

fn nanos(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The most memory the process ever held, in bytes; 0 where the system does not say.
pub(super) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}
