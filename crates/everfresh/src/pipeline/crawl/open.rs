//! Opening a collection: the archive is mended, memory rebuilt, the writer started.

use std::sync::{Arc, RwLock};
use std::time::Instant;

use revisit::Time;
use tokio::sync::{Semaphore, mpsc};
use url::Url;

use super::renew::stamp;
use super::train::Training;
use super::{Crawl, Cycle, Limits};
use crate::archive::{CommittedFile, Writer, WriterSettings};
use crate::clock::Clock;
use crate::collection::Collection;
use crate::fetch::Fetcher;
use crate::parse::scope::Scope;
use crate::pipeline::context::{Context, Encoders, MANY_PARTS, Past, Redirects};
use crate::pipeline::inbox::Inbox;
use crate::pipeline::known::fingerprint;
use crate::pipeline::memory::Memory;
use crate::pipeline::meter::{Meter, process_nanos};
use crate::pipeline::{PipelineError, index, writer};
use crate::settings::Settings;
use crate::store::{Outcomes, Store};

impl Crawl {
    /// Opens the collection: mends the archive, rebuilds memory, starts the writer. What comes of the crawl's tasks and of the
    /// writer comes in by the inbox.
    pub(in crate::pipeline) fn open(
        collection: &Collection,
        settings: Settings,
        clock: Clock,
        limits: Limits,
    ) -> Result<(Crawl, Inbox), PipelineError> {
        let (started, cpu_before, now) = (Instant::now(), process_nanos(), clock.now());
        let mut store = Store::open(collection.folder())?;
        let clean = store.mark_running(true)?;
        let number = store.collection_number(draw(collection, now))?;
        let archive = open_archive(collection, &settings, &store, number)?;
        if !clean {
            index::mend(&store, collection)?;
        }
        let model = stamp(settings.model_file().as_deref());
        let mut memory = Memory::rebuild(&store, &settings, now, clean)?;
        memory.respect_hosts(now);
        let seeds: Vec<Url> = store.seeds()?.iter().filter_map(|seed| Url::parse(seed).ok()).collect();
        let reader = Store::open_reader(collection.folder())?;
        let training = Training::new(&reader, now)?;
        let context = Arc::new(Context {
            fetcher: Fetcher::new(settings.fetch.clone(), clock.clone())?,
            scope: RwLock::new(Scope::new(&settings.scope, &seeds)?),
            clock: clock.clone(),
            meter: Meter::default(),
            redirects: Redirects::default(),
            encoders: Encoders::new(number),
            past: Past::new(collection, &settings)?,
            many_parts: Semaphore::new(MANY_PARTS),
            settings,
        });
        let writer = writer::start(store, archive, collection.indexes(), context.clone());
        let (writer, acknowledged) = writer.map_err(PipelineError::Thread)?;
        let (finish, finished) = mpsc::unbounded_channel();
        let inbox = Inbox::new(finished, acknowledged, clock.clone());
        let mut crawl = Crawl {
            writer,
            finish,
            context,
            clock,
            memory,
            reader,
            limits,
            outstanding: 0,
            in_flight: 0,
            picked: 0,
            draining: false,
            exhausted: false,
            look_again: now,
            next_pick: now,
            cycle: Cycle { number: 0, opened_at: now, outcomes: Outcomes::default() },
            model,
            training,
            outcomes: Outcomes::default(),
            started,
            cpu_before,
        };
        crawl.open_first_cycle(now);
        Ok((crawl, inbox))
    }
}

/// A number nobody else has: from the place and the moment in which the collection was first used.
fn draw(collection: &Collection, now: Time) -> u64 {
    let place = collection.folder().display();
    fingerprint(&format!("{place} {} {}", now.millis(), std::process::id()))
}

/// Opens the archive and cuts off what no transaction knows.
fn open_archive(
    collection: &Collection,
    settings: &Settings,
    store: &Store,
    number: u64,
) -> Result<Writer, PipelineError> {
    let files = store.files()?.into_iter();
    let committed: Vec<CommittedFile> =
        files.map(|file| CommittedFile { name: file.name, length: file.length }).collect();
    let info = [("http-header-user-agent", settings.fetch.user_agent.as_str()), ("robots", "obey")];
    let settings = WriterSettings {
        roll_bytes: settings.roll_bytes,
        prefix: "everfresh".into(),
        collection: number,
        info: info.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
    };
    let (writer, recovery) = Writer::open(&collection.archive(), settings, &committed)?;
    for (file, bytes) in &recovery.cut {
        tracing::info!("archive/{file}: cut {bytes} bytes that no visit was acknowledged for");
    }
    for file in recovery.set_aside.iter().chain(&recovery.damaged) {
        tracing::warn!("archive/{file} is not as the store knows it; new records go to another file");
    }
    Ok(writer)
}
