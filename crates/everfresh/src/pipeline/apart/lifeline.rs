//! Ends a process whose result nobody waits for any more.

use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// Held by the thread that begins a process.
#[derive(Default)]
pub(super) struct Lifeline(Arc<Mutex<State>>);

/// Held by the one who waits for the result; without it the process ends.
pub(super) struct End(Arc<Mutex<State>>);

#[derive(Default)]
enum State {
    #[default]
    NotBegun,
    Running(OwnedFd),
    Cut,
}

impl Lifeline {
    /// The other end.
    pub(super) fn end(&self) -> End {
        End(Arc::clone(&self.0))
    }

    /// Whether nobody waits any more.
    pub(super) fn is_cut(&self) -> bool {
        matches!(*lock(&self.0), State::Cut)
    }

    /// The process is there; it ends at once if nobody waits for it already.
    pub(super) fn hold(&self, child: &Child) {
        // Named by a handle and not by its number, which may be another's by the time it is used.
        let Ok(process) = pidfd_open(Pid::from_child(child), PidfdFlags::empty()) else { return };
        let mut state = lock(&self.0);
        if let State::Cut = *state {
            kill(&process);
        }
        *state = State::Running(process);
    }
}

impl Drop for End {
    fn drop(&mut self) {
        if let State::Running(process) = std::mem::replace(&mut *lock(&self.0), State::Cut) {
            kill(&process);
        }
    }
}

fn kill(process: &OwnedFd) {
    // It may have ended by itself.
    let _ = pidfd_send_signal(process, Signal::KILL);
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_ends_when_nobody_waits_for_it() {
        for is_begun_first in [true, false] {
            let lifeline = Lifeline::default();
            let end = lifeline.end();
            let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
            if is_begun_first {
                lifeline.hold(&child);
                drop(end);
            } else {
                drop(end);
                lifeline.hold(&child);
            }
            assert_eq!(child.wait().unwrap().signal(), Some(Signal::KILL.as_raw()));
        }
    }
}
