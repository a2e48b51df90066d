//! Memory as it is rebuilt from the store: from the checkpoint, if there is one, and all that came after it.

use std::collections::HashSet;
use std::path::Path;

use revisit::Time;

use super::retold::{Future, Retold};
use super::{Memory, last_cycle};
use crate::pipeline::PipelineError;
use crate::pipeline::checkpoint::Base;
use crate::pipeline::hosts::Hosts;
use crate::settings::Settings;
use crate::store::{Event, Reader, Span, replay};

/// For what memory is rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To be asked: nobody will look pages up by their addresses.
    Questions,
    /// To crawl. If the last crawl did not end in order, hosts may have been contacted at any time until now.
    Crawl { clean: bool },
}

/// What memory is rebuilt from.
#[derive(Clone, Copy)]
pub(super) struct Rebuilding<'a> {
    pub(super) folder: &'a Path,
    pub(super) store: &'a dyn Reader,
    pub(super) settings: &'a Settings,
    pub(super) now: Time,
    pub(super) purpose: Purpose,
}

impl Rebuilding<'_> {
    pub(super) fn memory(self) -> Result<Memory, PipelineError> {
        let mut future = Future::none(self.now);
        let memory = self.replay(self.base()?, &mut future)?;
        // What came after tells when that was over, which is known when all is read.
        if future.is_misplaced() { self.replay(self.base()?, &mut future) } else { Ok(memory) }
    }

    fn base(self) -> Result<Base, PipelineError> {
        Base::load(self.folder, self.store, self.settings, self.now, self.looks_up())
    }

    fn looks_up(self) -> bool {
        self.purpose != Purpose::Questions
    }

    fn replay(self, base: Base, future: &mut Future) -> Result<Memory, PipelineError> {
        let Rebuilding { store, settings, now, .. } = self;
        let contacted = if self.purpose == (Purpose::Crawl { clean: false }) { now } else { Time::MIN };
        let mut hosts = Hosts::new(settings, contacted, now);
        let Base { scheduler, cycle, mut addresses, batch, first_cycle } = base;
        let end_of_base = scheduler.pages().end();
        let mut retold = Retold::new(scheduler, cycle, last_cycle(store)?, future);
        let mut sources = HashSet::new();
        let span = Span { after: batch, first_cycle, ..Span::ALL };
        let last = replay(store, span, &mut |event| match event {
            Event::Host(row) => hosts.restore(row, settings),
            // Without its host, a page is out of reach.
            Event::Page(page) if !hosts.contains(page.host) => {}
            Event::Page(page) => {
                hosts.admit_page(page.host, u32::MAX);
                if self.looks_up() {
                    addresses.add(page.id, page.fingerprint);
                }
                retold.hear(&event);
            }
            Event::Source(page) => _ = sources.insert(page),
            other => retold.hear(&other),
        })?;
        addresses.begin_at(last.next_page);
        hosts.begin_at(last.next_host);
        let Retold { mut scheduler, cycle, cost: untold, future, .. } = retold;
        let in_base = scheduler.pages().ids().take_while(|page| page.index() < end_of_base);
        for host in in_base.map(|page| scheduler.pages().host(page)) {
            if !hosts.contains(host) {
                // Somebody deleted it, which a checkpoint does not know.
                return self.replay(Base::nothing(settings)?, future);
            }
            hosts.admit_page(host, u32::MAX);
        }
        scheduler.end_replay();
        Ok(Memory { scheduler, cycle, batch: last.number, untold, hosts, addresses, sources })
    }
}
