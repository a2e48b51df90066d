//! The limits that a process sets itself before it touches a foreign byte. They hold whatever a parser does.
//!
//! Memory is limited as data (`RLIMIT_DATA`), which on Linux counts all that is private and can be written, whether the heap
//! or a mapping; an allocation beyond it fails, and the process ends. It grows with the documents that are met. Time is
//! CPU time, so that a busy machine takes nothing from anybody; for a process that only sleeps there is a longer limit of
//! time on the wall.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, Signal, getppid, getrlimit, nice, set_parent_process_death_signal, setrlimit};

use tokio::signal::unix::{SignalKind, signal};

use crate::settings::Settings;

/// Memory of the program itself and of its store.
const BASE_BYTES: u64 = 64 << 20;
/// Memory for every byte of documents, decoded: more for the first ones, since a document of some MiB may be all structure.
const BYTES_TO_A_FIRST_BYTE: u64 = 24;
const FIRST_BYTES: u64 = 8 << 20;
const BYTES_TO_A_BYTE: u64 = 7;
/// Memory in all, for every byte that a body may have.
const MOST_BYTES_TO_A_BYTE: u64 = 10;
/// CPU time for every MiB of a document, decoded: some ten times what honest ones take.
const SECONDS_TO_A_MIB: u64 = 1;
/// Ends by itself after this exit code if it took too long by the wall.
pub(super) const LATE: i32 = 14;

/// Whoever asks a crawl to end may ask all its processes at once. The crawl then ends in order, and waits for this one.
fn outlive_signals() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let _within = runtime.enter();
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        // Once somebody has listened, the signal ends nobody.
        drop(signal(kind)?);
    }
    Ok(())
}

/// How far the process stands back.
const NICENESS: i32 = 5;

/// Limits everything but memory, and binds the process to the life of its parent alone.
pub(super) fn begin(parent: u32, cpu_seconds: u64, wall: Duration) -> io::Result<()> {
    outlive_signals()?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid().is_none_or(|current| current.as_raw_nonzero().get() as u32 != parent) {
        // It ended before it could be asked to take us along, and somebody else may be at its work by now.
        std::process::exit(LATE);
    }
    // Who crawls goes first; what is judged here can wait. Where that cannot be had, it is as urgent as all else.
    let _ = nice(NICENESS);
    limit(Resource::Core, 0)?;
    limit(Resource::Cpu, cpu_seconds)?;
    let watch = move || {
        std::thread::sleep(wall);
        std::process::exit(LATE);
    };
    std::thread::Builder::new().name("watch".into()).stack_size(64 << 10).spawn(watch)?;
    Ok(())
}

/// The memory of this process: its limits are its own, and so is what they follow from.
static MEMORY: OnceLock<Memory> = OnceLock::new();

struct Memory {
    /// What was there before any document.
    base: u64,
    most: u64,
    /// Bytes of the documents met so far, decoded.
    met: AtomicU64,
}

impl Memory {
    /// What the documents met so far and this one may take.
    fn meet(&self, bytes: u64) -> u64 {
        let met = self.met.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let (first, rest) = (met.min(FIRST_BYTES), met.saturating_sub(FIRST_BYTES));
        (self.base + first * BYTES_TO_A_FIRST_BYTE + rest * BYTES_TO_A_BYTE).min(self.most)
    }
}

/// Limits memory to what unpacking a body takes; `input` bytes have been read already.
pub(super) fn limit_memory(settings: &Settings, input: usize) -> io::Result<()> {
    let (base, decoded) = (BASE_BYTES + input as u64, settings.fetch.max_decoded_bytes as u64);
    MEMORY.get_or_init(|| Memory { base, most: base + decoded * MOST_BYTES_TO_A_BYTE, met: AtomicU64::new(0) });
    // The largest body, in a buffer that doubles.
    limit(Resource::Data, base + 3 * decoded)
}

/// Allows the memory and the time for a document of this many bytes more.
pub(in crate::pipeline) fn allow(bytes: usize) {
    let Some(memory) = MEMORY.get() else { return };
    let allowed = memory.meet(bytes as u64);
    raise(Resource::Data, |current| current.max(allowed));
    raise(Resource::Cpu, |current| current + (bytes as u64).div_ceil(1 << 20) * SECONDS_TO_A_MIB);
}

/// What cannot be raised stays as it is, and may end the process earlier.
fn raise(resource: Resource, to: impl FnOnce(u64) -> u64) {
    if let Some(current) = getrlimit(resource).current {
        let _ = limit(resource, to(current));
    }
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let maximum = getrlimit(resource).maximum;
    let current = Some(maximum.map_or(most, |maximum| most.min(maximum)));
    Ok(setrlimit(resource, Rlimit { current, maximum })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_grows_with_the_documents_and_ends() {
        const MIB: u64 = 1 << 20;
        let memory = Memory { base: 64 * MIB, most: 384 * MIB, met: AtomicU64::new(0) };
        assert_eq!(memory.meet(MIB), (64 + 24) * MIB);
        assert_eq!(memory.meet(9 * MIB), (64 + 8 * 24 + 2 * 7) * MIB);
        assert_eq!(memory.meet(90 * MIB), 384 * MIB);
    }
}
