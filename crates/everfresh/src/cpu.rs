//! CPU time, for commands that say what their work cost.

use rustix::time::{ClockId, clock_gettime};

/// Seconds of CPU time that this process has used.
pub(crate) fn process_seconds() -> f64 {
    seconds(ClockId::ProcessCPUTime)
}

/// Seconds of CPU time that this thread has used.
pub(crate) fn thread_seconds() -> f64 {
    seconds(ClockId::ThreadCPUTime)
}

fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
