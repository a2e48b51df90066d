//! The limits that a process sets itself before it touches a foreign byte. They hold whatever a parser does.
//!
//! Memory is limited as data (`RLIMIT_DATA`), which on Linux counts all that is private and can be written, whether the heap
//! or a mapping; an allocation beyond it fails, and the process ends. It grows with the documents that are met. Time is
//! CPU time, so that a busy machine takes nothing from anybody; for a process that only sleeps there is a longer limit of
//! time on the wall.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit};

use crate::settings::Settings;

/// Memory of the program itself and of its store.
const BASE_BYTES: u64 = 64 << 20;
/// Memory for every byte of a document, decoded.
const BYTES_TO_A_BYTE: u64 = 7;
/// CPU time for every MiB of a document, decoded: some ten times what honest ones take.
const SECONDS_TO_A_MIB: u64 = 1;
/// Ends by itself after this exit code if it took too long by the wall.
pub(super) const LATE: i32 = 14;

/// Limits everything but memory, and binds the process to the life of the one that began it. One that ended before that is
/// no harm: nobody reads what is written then, and the other limits hold.
pub(super) fn begin(cpu_seconds: u64, wall: Duration) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    limit(Resource::Core, 0)?;
    limit(Resource::Cpu, cpu_seconds)?;
    let watch = move || {
        std::thread::sleep(wall);
        std::process::exit(LATE);
    };
    std::thread::Builder::new().name("watch".into()).stack_size(64 << 10).spawn(watch)?;
    Ok(())
}

/// What the documents met so far may take, with what they came in. Of the process, as its limits are.
static ALLOWED: AtomicU64 = AtomicU64::new(BASE_BYTES);

/// Limits memory to what unpacking a body takes; `input` bytes have been read already.
pub(super) fn limit_memory(settings: &Settings, input: usize) -> io::Result<()> {
    let allowed = ALLOWED.fetch_add(input as u64, Ordering::Relaxed) + input as u64;
    // The largest body, in a buffer that doubles.
    limit(Resource::Data, allowed + 3 * settings.fetch.max_decoded_bytes as u64)
}

/// Allows the memory and the time for a document of this many bytes more.
pub(in crate::pipeline) fn allow(bytes: usize) {
    let more = bytes as u64 * BYTES_TO_A_BYTE;
    let allowed = ALLOWED.fetch_add(more, Ordering::Relaxed) + more;
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
