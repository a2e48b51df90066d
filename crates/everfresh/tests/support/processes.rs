//! The processes of a crawl, as the system sees them.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// The processes that a process began and that have not ended. One that does not yet run its own program is still a
/// part of its parent: it shares the parent's memory, handlers and process group.
pub(crate) fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let all = lists.flat_map(|list| list.split_whitespace().map(|child| child.parse().unwrap()).collect::<Vec<u32>>());
    let parent = command_line(process);
    all.filter(|child| command_line(*child) != parent).collect()
}

fn command_line(process: u32) -> Vec<u8> {
    fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default()
}

/// Whether a process has said what to do on a signal: it does not simply end.
pub(crate) fn handles(process: u32, signal: Signal) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let handled = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0").trim();
    u64::from_str_radix(handled, 16).unwrap_or(0) & 1 << (signal.as_raw() - 1) != 0
}

/// Waits for something to happen.
pub(crate) fn wait_for<T>(mut happened: impl FnMut() -> Option<T>) -> T {
    loop {
        match happened() {
            Some(event) => return event,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Sends a signal to a process, which may have ended by now.
pub(crate) fn signal(process: u32, signal: Signal) {
    let _ = kill_process(Pid::from_raw(process as i32).unwrap(), signal);
}

/// Looks again and again at the memory of a process and of all that it began, until it is asked for the most it saw.
pub(crate) struct Watch {
    over: Arc<AtomicBool>,
    most: Arc<AtomicU64>,
    thread: JoinHandle<()>,
}

impl Watch {
    pub(crate) fn over(process: u32) -> Watch {
        let (over, most) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (stop, seen) = (Arc::clone(&over), Arc::clone(&most));
        let thread = std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                seen.fetch_max(memory(process), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        Watch { over, most, thread }
    }

    /// The most bytes that were held at once, as far as was seen.
    pub(crate) fn most(self) -> u64 {
        self.over.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
        self.most.load(Ordering::Relaxed)
    }
}

fn memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes: u64 = line.map_or(0, |line| line.trim().trim_end_matches(" kB").parse().unwrap());
    kibibytes * 1024 + children(process).into_iter().map(memory).sum::<u64>()
}
