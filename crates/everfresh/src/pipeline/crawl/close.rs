//! Ending in order, and saying what was done.

use revisit::{HostId, Time};

use super::{Crawl, Tally};
use crate::pipeline::meter::{peak_memory, process_nanos};
use crate::pipeline::writer::{Entry, Order};
use crate::pipeline::{PipelineError, Summary};

impl Crawl {
    /// Ends in order: the last cycle is closed, hosts are written down, the writer finishes and says whether all went well.
    pub(in crate::pipeline) async fn close(
        mut self,
        result: Result<(), PipelineError>,
    ) -> Result<Summary, PipelineError> {
        let now = self.clock.now();
        self.close_cycle(now);
        let ids: Vec<HostId> = self.memory.hosts.ids().collect();
        for chunk in ids.chunks(1000) {
            let hosts = chunk.iter().map(|host| self.memory.hosts.row(*host)).collect();
            self.order(Order::Record(Box::new(Entry { hosts, ..Entry::default() })));
        }
        let (summary, untold, is_well) = (self.summary(now), self.memory.untold, result.is_ok());
        let (thread, keeper, context) = (self.writer.close(), self.keeper, self.context);
        // Whoever makes a checkpoint needs as much memory again; and who closes the store last leaves all of it in one file.
        drop((self.memory, self.reader));
        let end = move || {
            let written = thread.join().map_err(|_| PipelineError::WriterLost).and_then(|written| written);
            match is_well && written.is_ok() {
                true => keeper.end(&context.settings, untold, now),
                false => keeper.give_up(),
            }
            written
        };
        tokio::task::spawn_blocking(end).await.map_err(|_| PipelineError::WriterLost)??;
        result.map(|()| summary)
    }

    pub(super) fn summary(&self, now: Time) -> Summary {
        let Tally { outcomes, left_out, started, cpu_before } = self.tally;
        let (visits, seconds) = (outcomes.total(), started.elapsed().as_secs_f64());
        let cpu = process_nanos().saturating_sub(cpu_before);
        Summary {
            visits,
            outcomes,
            pages: self.memory.scheduler.pages().len(),
            waiting: self.memory.scheduler.waiting(),
            left_out,
            cycles: self.cycle.number,
            seconds,
            pages_per_second: visits as f64 / seconds.max(1e-9),
            cpu_us_per_page: cpu as f64 / 1000.0 / visits.max(1) as f64,
            rooms: self.context.meter.rooms(cpu, visits),
            peak_memory_bytes: peak_memory(),
            expected_freshness: self.memory.scheduler.expected_freshness(now),
            interrupted: self.draining,
        }
    }
}
