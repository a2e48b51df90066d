//! The files that the system lets this process have open at once, connections among them.
//!
//! Who opens connections until there is no handle left cannot write to its archive either. So connections get what is left of
//! the limit beside a reserve for everything else.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// For everything that is no connection to a host: stores, archive and indexes some 20, processes that judge apart 50, look-ups
/// of names 100. Where there are few, three quarters of them.
const RESERVE: u64 = 200;
/// The most connections that are kept while nobody uses them.
const MOST_IDLE: usize = 512;

/// For each exchange that may be under way there may be so many that take long.
const ASIDE: usize = 3;

/// How many connections there may be at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    /// With an exchange under way.
    pub quick: usize,
    /// With one that takes long, besides.
    pub aside: usize,
    /// Kept for the next one.
    pub idle: usize,
}

/// Takes as many handles as this process may have without asking anybody. Shells commonly give fewer than are allowed.
pub fn take_all() {
    let limit = getrlimit(Resource::Nofile);
    // Who may not raise it keeps what it has.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// How many handles this process may have.
pub fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

impl Connections {
    /// Those of `wanted` exchanges at once, as far as this many handles allow.
    pub fn within(handles: u64, wanted: usize) -> Connections {
        let all = usize::try_from(handles - RESERVE.min(handles - handles / 4)).unwrap_or(usize::MAX);
        // A third at least is for those that take long and those that are kept: without these each page would cost a connection.
        let quick = wanted.min(all / 3 * 2).max(1);
        let rest = all.saturating_sub(quick);
        let aside = (rest / 2).min(quick.saturating_mul(ASIDE));
        Connections { quick, aside, idle: (rest - aside).min(MOST_IDLE) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_a_reserve() {
        let within = |handles, wanted| {
            let Connections { quick, aside, idle } = Connections::within(handles, wanted);
            (quick, aside, idle)
        };
        assert_eq!(within(u64::MAX, 512), (512, 1536, 512));
        assert_eq!(within(1024, 512), (512, 156, 156));
        assert_eq!(within(1024, 10_000), (548, 138, 138));
        assert_eq!(within(256, 512), (42, 11, 11), "a quarter of few");
        assert_eq!(within(0, 512), (1, 0, 0));
    }
}
