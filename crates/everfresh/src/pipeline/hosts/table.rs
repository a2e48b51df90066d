//! The hosts by their numbers, which they keep: numbers that nobody has take a few bytes and nothing else.

use std::ops::{Index, IndexMut};

use revisit::HostId;

use super::Host;

/// Where a number leads that no host has.
const NOWHERE: u32 = u32::MAX;

/// All hosts.
#[derive(Default)]
pub(super) struct Table {
    /// Above every number that a host ever had.
    next: u32,
    /// By number: the place of the host.
    places: Vec<u32>,
    hosts: Vec<Host>,
}

impl Table {
    /// Numbers below this one were given before.
    pub(super) fn begin_at(&mut self, next: u32) {
        self.next = self.next.max(next);
    }

    /// The number of the next host that nobody knew.
    pub(super) fn next(&self) -> HostId {
        HostId(self.next)
    }

    /// Takes in a host under the number it has.
    pub(super) fn add(&mut self, host: Host) {
        let id = host.id;
        self.begin_at(id.0.saturating_add(1));
        if self.places.len() <= id.index() {
            self.places.resize(id.index() + 1, NOWHERE);
        }
        self.places[id.index()] = self.hosts.len() as u32;
        self.hosts.push(host);
    }

    pub(super) fn contains(&self, id: HostId) -> bool {
        self.places.get(id.index()).is_some_and(|place| *place != NOWHERE)
    }

    pub(super) fn len(&self) -> usize {
        self.hosts.len()
    }

    /// Every number that a host has.
    pub(super) fn ids(&self) -> Vec<HostId> {
        self.hosts.iter().map(|host| host.id).collect()
    }
}

impl Index<HostId> for Table {
    type Output = Host;

    fn index(&self, id: HostId) -> &Host {
        &self.hosts[self.places[id.index()] as usize]
    }
}

impl IndexMut<HostId> for Table {
    fn index_mut(&mut self, id: HostId) -> &mut Host {
        &mut self.hosts[self.places[id.index()] as usize]
    }
}
