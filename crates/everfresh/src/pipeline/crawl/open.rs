//! Opening a collection: the archive is mended, memory rebuilt, the writer started.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use revisit::Time;
use tokio::sync::mpsc;

use super::answer::Desk;
use super::crowded::Crowded;
use super::parked::Parked;
use super::picks::Picks;
use super::places::Places;
use super::renew::stamp;
use super::suspects::Suspects;
use super::train::Training;
use super::{Crawl, Cycle, GRACE, Limits, Tally};
use crate::archive::{CommittedFile, Writer, WriterSettings};
use crate::clock::Clock;
use crate::collection::Collection;
use crate::handles::{self, Connections};
use crate::pipeline::absence::Absence;
use crate::pipeline::addresses::fingerprint;
use crate::pipeline::apart::Apart;
use crate::pipeline::checkpoint::Keeper;
use crate::pipeline::context::Context;
use crate::pipeline::inbox::Inbox;
use crate::pipeline::lost::forget_lost;
use crate::pipeline::memory::Memory;
use crate::pipeline::meter::process_nanos;
use crate::pipeline::patience::Patience;
use crate::pipeline::redirects::Redirects;
use crate::pipeline::under_way::{self, UnderWay, Who};
use crate::pipeline::{PipelineError, index, writer};
use crate::settings::Settings;
use crate::shutdown::Shutdown;
use crate::store::{self, Batch, Opening, Outcomes, Reader};

impl Crawl {
    /// Opens the collection: mends the archive, rebuilds memory, starts the writer. What comes of the crawl's tasks and of the
    /// writer comes in by the inbox.
    pub(in crate::pipeline) fn open(
        collection: &Collection,
        settings: Settings,
        clock: Clock,
        limits: Limits,
        shutdown: Shutdown,
    ) -> Result<(Crawl, Inbox), PipelineError> {
        let (started, cpu_before, now) = (Instant::now(), process_nanos(), clock.now());
        let (settings, places) = within_handles(settings);
        let is_stepped = clock.is_stepped();
        let patience = Patience::new(shutdown, GRACE);
        let waiter = Arc::new(patience.clone());
        let opening = Opening { durable: settings.durable, max_log: settings.max_log, waiter };
        let mut store = store::open(collection.folder(), opening)?;
        let clean = !store.is_running()?;
        let drawn = Some(draw(collection, now));
        store.commit(&Batch { running: Some(true), collection: drawn, ..Batch::default() })?;
        let number = store.collection()?.unwrap_or_default();
        forget_lost(store.as_mut(), collection)?;
        let archive = open_archive(collection, &settings, store.as_ref(), number)?;
        index::mend(store.as_mut(), &collection.indexes())?;
        let model = stamp(settings.model_file().as_deref());
        let mut memory = Memory::rebuild(collection.folder(), store.as_ref(), &settings, now, clean)?;
        memory.respect_hosts(now);
        let reader = store::reader(collection.folder())?;
        let training = Training::new(reader.as_ref(), now)?;
        let last_cycle = reader.cycles(1)?.first().map_or(0, |cycle| cycle.number);
        let (stop, stopping) = Shutdown::new();
        let under_way = open_under_way(collection, number, &memory)?;
        let apart = Some(Apart::new(settings.program.clone()));
        let context = Arc::new(Context::open(collection, settings, clock.clone(), number, apart, stopping)?);
        let (writer, acknowledged) = writer::start(store, archive, collection, context.clone(), patience)?;
        let (finish, finished) = mpsc::unbounded_channel();
        let inbox = Inbox::new(finished, acknowledged, clock.clone());
        let crawl = Crawl {
            writer,
            finish,
            context,
            clock,
            memory,
            keeper: Keeper::new(collection.folder()),
            redirects: Redirects::default(),
            reader,
            under_way,
            suspects: Suspects::default(),
            absence: Absence::watch(is_stepped),
            goal: limits.goal,
            picks: Picks::new(limits.max_visits),
            places,
            answered: HashSet::new(),
            crowded: Crowded::default(),
            parked: Parked::default(),
            desk: Desk::default(),
            draining: false,
            stop,
            cycle: Cycle { id: last_cycle, number: 0, opened_at: now, outcomes: Outcomes::default() },
            model,
            training,
            tally: Tally { outcomes: Outcomes::default(), left_out: 0, started, cpu_before },
        };
        Ok((crawl, inbox))
    }
}

/// Limits connections to what the system allows.
fn within_handles(mut settings: Settings) -> (Settings, Places) {
    let (handles, wanted) = (handles::limit(), settings.concurrency);
    let Connections { quick, aside, idle } = Connections::within(handles, wanted);
    if quick < wanted {
        tracing::warn!(
            "{quick} pages are fetched at once and not {wanted} (fetch.concurrency): the system allows {handles} open files; \
             raise that limit (ulimit -n) for more"
        );
    }
    (settings.concurrency, settings.fetch.idle_connections) = (quick, idle);
    (settings, Places::new(quick, aside))
}

/// Who was under way when the crawl before ended, if it was killed.
fn open_under_way(collection: &Collection, number: u64, memory: &Memory) -> Result<UnderWay, PipelineError> {
    let exists = |who| match who {
        Who::Page(page) => memory.scheduler.pages().contains(page),
        Who::Robots(host) => memory.hosts.contains(host),
    };
    let under_way = UnderWay::open(collection.folder(), number, exists).map_err(|error| {
        let path = collection.folder().join(under_way::FILE).display().to_string();
        PipelineError::UnderWay { path, error }
    })?;
    if under_way.suspected() > 0 {
        let suspected = under_way.suspected();
        tracing::info!(
            "{suspected} errands were under way when a crawl was killed: each is done in a process of its own"
        );
    }
    Ok(under_way)
}

/// A number nobody else has: from the place and the moment in which the collection was first used.
fn draw(collection: &Collection, now: Time) -> u64 {
    let place = collection.folder().display();
    fingerprint(&format!("{place} {} {}", now.millis(), std::process::id()))
}

/// Opens the archive and sets aside what no transaction knows.
fn open_archive(
    collection: &Collection,
    settings: &Settings,
    store: &dyn Reader,
    number: u64,
) -> Result<Writer, PipelineError> {
    let files = store.files()?.into_iter();
    let committed: Vec<CommittedFile> =
        files.map(|row| CommittedFile { name: row.file.name, length: row.file.length }).collect();
    let info = [("http-header-user-agent", settings.fetch.user_agent.as_str()), ("robots", "obey")];
    let settings = WriterSettings {
        roll_bytes: settings.roll_bytes,
        durable: settings.durable,
        prefix: "everfresh".into(),
        collection: number,
        info: info.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
    };
    let (writer, recovery) = Writer::open(&collection.archive(), settings, &committed)?;
    for (file, bytes) in &recovery.cut {
        tracing::info!("archive/{file}: cut {bytes} bytes that the store does not know");
    }
    if let Some(first) = recovery.of_others.first() {
        let number = recovery.of_others.len();
        tracing::warn!(
            "archive: {number} files are of another collection, archive/{first} the first, or of a store that was lost: they are left alone"
        );
    }
    if let Some(first) = recovery.set_aside.first() {
        let number = recovery.set_aside.len();
        tracing::warn!(
            "archive: {number} files of records that the store does not know are set aside, archive/{first} the first; a kill \
             leaves some, a file that was cut the end of it, a store restored from a backup all since then"
        );
    }
    Ok(writer)
}
