//! What a page costs: CPU time by room, measured where the work is done.

use std::sync::atomic::{AtomicU64, Ordering};

use rustix::time::{ClockId, clock_gettime};

/// CPU time spent in the rooms that work without waiting. Fetching is what remains of the process's time.
#[derive(Debug, Default)]
pub(super) struct Meter {
    parse: AtomicU64,
    detect: AtomicU64,
    compress: AtomicU64,
    store: AtomicU64,
}

/// A room whose work is measured.
#[derive(Clone, Copy, Debug)]
pub(super) enum Room {
    Parse,
    Detect,
    Compress,
    Store,
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
        let start = thread_nanos();
        let result = work();
        self.room(room).fetch_add(thread_nanos().saturating_sub(start), Ordering::Relaxed);
        result
    }

    fn room(&self, room: Room) -> &AtomicU64 {
        match room {
            Room::Parse => &self.parse,
            Room::Detect => &self.detect,
            Room::Compress => &self.compress,
            Room::Store => &self.store,
        }
    }

    /// CPU time by room, divided by a number of visits, given the process's whole CPU time.
    pub(super) fn rooms(&self, whole_nanos: u64, visits: u64) -> Rooms {
        let of = |room| self.room(room).load(Ordering::Relaxed) as f64 / 1000.0 / visits.max(1) as f64;
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
