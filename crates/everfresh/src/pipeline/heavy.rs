//! Whose documents take more than may be done in the task of a visit. To find that out takes some milliseconds of a core that all
//! visits share, each time; so the next ones of such a host are judged apart from the beginning, and only now and then it is tried
//! again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use revisit::HostId;

/// Documents that are judged apart before it is tried again.
const APART: u8 = 31;
/// Hosts that are remembered.
const MOST: usize = 1 << 14;

/// Hosts, and how many of their next documents are judged apart.
#[derive(Default)]
pub(super) struct Heavy(Mutex<HashMap<HostId, u8>>);

impl Heavy {
    /// A small document of this host took too much.
    pub(super) fn took_much(&self, host: HostId) {
        let mut hosts = self.hosts();
        if hosts.len() >= MOST {
            hosts.clear();
        }
        hosts.insert(host, APART);
    }

    /// Whether the next document of a host is to be judged apart from the beginning.
    pub(super) fn is_next(&self, host: HostId) -> bool {
        let mut hosts = self.hosts();
        let Some(left) = hosts.get_mut(&host) else { return false };
        *left -= 1;
        if *left == 0 {
            hosts.remove(&host);
        }
        true
    }

    fn hosts(&self) -> MutexGuard<'_, HashMap<HostId, u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_tried_again_now_and_then() {
        let heavy = Heavy::default();
        assert!(!heavy.is_next(HostId(1)));
        heavy.took_much(HostId(1));
        let apart = (0..100).take_while(|_| heavy.is_next(HostId(1))).count();
        assert_eq!((apart, heavy.is_next(HostId(1)), heavy.is_next(HostId(2))), (APART.into(), false, false));
    }
}
