//! The machines that servers run on. Many names may lead to one of them; however many do, it is asked as if they were a few
//! hosts: so many exchanges at once, and so many beginnings in the time of one delay.
//!
//! A machine is known by its address. A server that has not answered yet is taken to be where others of its registrable domain
//! are, so that a domain of a thousand names is not met with a thousand requests before anybody knows that all are one.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

use revisit::{HostId, Politeness, Span, Time};

/// What a machine is known by.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Place {
    Domain(String),
    Address(IpAddr),
}

/// The number of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MachineId(u32);

#[derive(Default)]
struct Machine {
    /// Where the servers of a domain turned out to be, once one of them answered.
    is: Option<MachineId>,
    by_domain: bool,
    open: u32,
    last_begin: Option<Time>,
    /// Hosts that are ready and wait for their machine.
    waiting: VecDeque<HostId>,
    in_heap: bool,
}

/// All machines.
pub(super) struct Machines {
    machines: Vec<Machine>,
    by_place: HashMap<Place, MachineId>,
    /// As how many hosts a machine is asked at most.
    hosts: u32,
}

impl Machines {
    pub(super) fn new(hosts: u32) -> Machines {
        Machines { machines: Vec::new(), by_place: HashMap::new(), hosts }
    }

    /// The machine of a registrable domain, for servers whose address is not known.
    pub(super) fn of_domain(&mut self, domain: &str) -> MachineId {
        self.at(Place::Domain(domain.to_owned()))
    }

    /// The machine at an address. Whoever has one address of IPv6 has the 2^64 around it.
    pub(super) fn of_address(&mut self, address: IpAddr) -> MachineId {
        self.at(Place::Address(match address {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
        }))
    }

    fn at(&mut self, place: Place) -> MachineId {
        let (next, by_domain) = (MachineId(self.machines.len() as u32), matches!(place, Place::Domain(_)));
        let id = *self.by_place.entry(place).or_insert(next);
        if id == next {
            self.machines.push(Machine { by_domain, ..Machine::default() });
        }
        id
    }

    /// The machine that another one turned out to be.
    pub(super) fn real(&self, id: MachineId) -> MachineId {
        self.machines[id.0 as usize].is.unwrap_or(id)
    }

    /// When a server on this machine may be asked as far as the machine is concerned; `None` while enough is open.
    pub(super) fn ready_at(&self, id: MachineId, server: &Politeness) -> Option<Time> {
        let machine = &self.machines[self.real(id).0 as usize];
        let gap = server.delay() / f64::from(self.hosts);
        let room = self.hosts.saturating_mul(server.connections());
        (machine.open < room).then(|| machine.last_begin.map_or(Time::MIN, |begin| begin + gap))
    }

    pub(super) fn begin(&mut self, id: MachineId, now: Time) {
        let machine = self.get(id);
        machine.open += 1;
        machine.last_begin = machine.last_begin.max(Some(now));
    }

    pub(super) fn end(&mut self, id: MachineId) {
        let machine = self.get(id);
        machine.open = machine.open.saturating_sub(1);
    }

    /// A server with so many open exchanges answered from an address: gives its machine. If it was known by its domain alone,
    /// all others that are known by it are taken to be there too.
    pub(super) fn settle(&mut self, id: MachineId, address: IpAddr, open: u32) -> MachineId {
        let (from, to) = (self.real(id), self.of_address(address));
        if from == to {
            return to;
        }
        let machine = self.get(from);
        let (mut open, mut waiting) = (open, VecDeque::new());
        if machine.by_domain {
            (open, waiting) = (machine.open, std::mem::take(&mut machine.waiting));
        }
        machine.open = machine.open.saturating_sub(open);
        let (by_domain, last_begin) = (machine.by_domain, machine.last_begin);
        machine.is = by_domain.then_some(to);
        let machine = self.get(to);
        machine.open += open;
        machine.last_begin = machine.last_begin.max(last_begin);
        machine.waiting.append(&mut waiting);
        to
    }

    /// A host waits for its machine.
    pub(super) fn wait(&mut self, id: MachineId, host: HostId) {
        self.get(id).waiting.push_back(host);
    }

    /// The clock was set forward by so much.
    pub(super) fn postpone(&mut self, by: Span) {
        for begin in self.machines.iter_mut().filter_map(|machine| machine.last_begin.as_mut()) {
            *begin = *begin + by;
        }
    }

    /// The host that waits longest, when it is the machine's turn.
    pub(super) fn take_turn(&mut self, id: MachineId) -> Option<HostId> {
        // Not of the one it turned out to be, which has turns of its own.
        let machine = &mut self.machines[id.0 as usize];
        machine.in_heap = false;
        machine.waiting.pop_front()
    }

    /// The host for which the machine must be given a turn, unless it has one coming.
    pub(super) fn first_waiting(&self, id: MachineId) -> Option<HostId> {
        let machine = &self.machines[self.real(id).0 as usize];
        machine.waiting.front().copied().filter(|_| !machine.in_heap)
    }

    pub(super) fn set_in_heap(&mut self, id: MachineId) {
        self.get(id).in_heap = true;
    }

    fn get(&mut self, id: MachineId) -> &mut Machine {
        let id = self.real(id);
        &mut self.machines[id.0 as usize]
    }
}
