//! The loop: schedule → fetch → parse → detect → archive → record → learn.
//!
//! One task owns all state and never waits for a page: it hands pages to hosts, visits to tasks and results to the writer,
//! and takes back what each of them says. [`run`] is the loop; what each call means is in the file named after it.

mod absence;
mod adding;
mod addresses;
mod apart;
mod calls;
mod checkpoint;
mod context;
mod crawl;
mod error;
mod gather;
mod heavy;
mod hosts;
mod inbox;
mod index;
mod judge;
mod lost;
mod memory;
mod meter;
mod patience;
mod reading;
mod redirects;
mod seeds;
mod state;
mod summary;
mod under_way;
mod visit;
mod writer;

pub use adding::add;
pub use addresses::fingerprint;
pub use apart::work as work_apart;
pub use calls::{Call, Calls, Line, Reply, Unanswered, call};
pub use checkpoint::{FILE as CHECKPOINT, make_checkpoint};
pub use crawl::{Goal, Limits};
pub use error::PipelineError;
pub use index::index_of;
pub use lost::accept_loss;
pub use memory::Memory;
pub use meter::Rooms;
pub use seeds::{Added, Addition, add_seeds};
pub use state::{Claimed, CycleState, Dates, Evidence, HostState, Overview, PageState, Turn};
pub use summary::{Progress, Summary};

use crate::clock::Clock;
use crate::collection::Collection;
use crate::settings::Settings;
use crate::shutdown::Shutdown;
use crawl::Crawl;

/// Crawls a collection until `limits` are reached or a stop is asked for. `report` is told every second how it goes; on the
/// stepped clock, every cycle. Other commands can call it meanwhile.
///
/// The caller holds the collection's lock.
pub async fn run(
    collection: &Collection,
    settings: Settings,
    clock: Clock,
    limits: Limits,
    shutdown: Shutdown,
    report: impl FnMut(&Progress) + Send,
) -> Result<Summary, PipelineError> {
    let calls = Calls::from_outside(collection);
    run_on_call(collection, settings, clock, limits, shutdown, calls, report).await
}

/// The same for who calls the crawl from this process.
pub async fn run_on_call(
    collection: &Collection,
    settings: Settings,
    clock: Clock,
    limits: Limits,
    mut shutdown: Shutdown,
    mut calls: Calls,
    mut report: impl FnMut(&Progress) + Send,
) -> Result<Summary, PipelineError> {
    let stepped = clock.is_stepped();
    let (mut crawl, mut inbox) = Crawl::open(collection, settings, clock, limits, shutdown.clone())?;
    crawl.open_first_cycle();
    let mut ticks = tokio::time::interval(std::time::Duration::from_secs(1));
    let result = loop {
        crawl.follow_clock();
        if shutdown.is_asked() && !crawl.is_draining() {
            crawl.drain();
        }
        // Nobody watches stepped time by the second.
        match crawl.turn_cycle() {
            Ok(true) if stepped => report(&crawl.progress()),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
        if let Err(error) = crawl.schedule() {
            break Err(error);
        }
        crawl.contact_hosts();
        // In every turn, whatever else there is to do.
        crawl.answer(&mut calls);
        if crawl.is_done() {
            break Ok(());
        }
        let (wake_at, draining) = (crawl.wake_at(), crawl.is_draining());
        // In this order, so that what is due at one instant is done in one order.
        tokio::select! {
            biased;
            news = inbox.news() => {
                if news.writer_ended {
                    break Ok(());
                }
                crawl.take_in_all(news);
            }
            () = calls.wait() => {}
            () = shutdown.asked(), if !draining => {}
            () = tokio::time::sleep_until(wake_at) => {}
            _ = ticks.tick(), if !stepped => report(&crawl.progress()),
        }
    };
    calls.close().await;
    crawl.close(result).await
}
