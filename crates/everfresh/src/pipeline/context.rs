//! What all visits share: settings and tools, and the few things that change while many use them.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, RwLock};

use revisit::Time;
use url::Url;

use super::PipelineError;
use super::addresses::fingerprint;
use super::apart::Apart;
use super::heavy::Heavy;
use super::meter::Meter;
use super::visit::{Assignment, Finished, Found};
use crate::archive::Encoder;
use crate::clock::Clock;
use crate::collection::Collection;
use crate::fetch::Fetcher;
use crate::parse::LeftOut;
use crate::parse::scope::Scope;
use crate::settings::Settings;
use crate::shutdown::Shutdown;
use crate::sources::{Held, Source};
use crate::store::{self, FoundAs, Reader, StoreError, each};
use crate::versions;

/// What all visits share.
pub(super) struct Context {
    /// The collection's folder.
    pub(super) folder: PathBuf,
    pub(super) settings: Settings,
    /// Where large documents are judged; `None` where that is.
    pub(super) apart: Option<Apart>,
    pub(super) heavy: Heavy,
    pub(super) fetcher: Fetcher,
    pub(super) scope: RwLock<Scope>,
    pub(super) clock: Clock,
    pub(super) meter: Meter,
    pub(super) encoders: Encoders,
    pub(super) past: Past,
    /// Whether the crawl is to end: what has many steps begins no further one.
    pub(super) stopping: Shutdown,
}

/// What pages were, read back from store and archive.
pub(super) struct Past {
    store: Mutex<Box<dyn Reader>>,
    archive: PathBuf,
}

impl Past {
    /// What a page held at the time its version was archived; `None` if it cannot be read any more or is larger.
    pub(super) fn version(&self, page: &Assignment, at: Time, max_decoded: usize) -> Option<Held> {
        let archived = self.store.lock().unwrap_or_else(PoisonError::into_inner).archived(page.page, at).ok()?;
        let source = page.source.as_deref();
        let version = versions::read(&self.archive, &archived, &page.url, source, max_decoded);
        version.ok().map(|version| version.held)
    }
}

/// Encoders are large and reusable: as many are made as are ever used at once.
pub(super) struct Encoders {
    collection: u64,
    idle: Mutex<Vec<Encoder>>,
}

impl Encoders {
    pub(super) fn new(collection: u64) -> Encoders {
        Encoders { collection, idle: Mutex::default() }
    }

    /// The collection's number.
    pub(super) fn collection(&self) -> u64 {
        self.collection
    }

    /// Does some work with an encoder that nobody else uses meanwhile.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Encoder) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut encoder = taken.unwrap_or_else(|| Encoder::new(self.collection));
        let result = work(&mut encoder);
        idle().push(encoder);
        result
    }
}

impl Context {
    /// The context of visits to a collection, whose number it is.
    pub(super) fn open(
        collection: &Collection,
        settings: Settings,
        clock: Clock,
        number: u64,
        apart: Option<Apart>,
        stopping: Shutdown,
    ) -> Result<Context, PipelineError> {
        let (store, mut seeds) = (store::reader(collection.folder())?, Vec::new());
        each::<_, StoreError>(
            |cursor| store.seeds(cursor),
            |seed| {
                seeds.extend(Url::parse(&seed).ok());
                Ok(())
            },
        )?;
        Ok(Context {
            folder: collection.folder().to_owned(),
            fetcher: Fetcher::new(settings.fetch.clone(), clock.clone())?,
            scope: RwLock::new(Scope::new(&settings.scope, &seeds)?),
            clock,
            meter: Meter::default(),
            encoders: Encoders::new(number),
            past: Past { store: Mutex::new(store), archive: collection.archive() },
            stopping,
            apart,
            heavy: Heavy::default(),
            settings,
        })
    }

    /// Takes up what a visit that was made apart changed in a context of its own.
    pub(super) fn take_up(&self, finished: &Finished) {
        let house = finished.found.iter().filter(|found| found.found_as == FoundAs::Seed);
        house.for_each(|seed| self.scope.write().unwrap_or_else(PoisonError::into_inner).open(&seed.url));
    }

    /// A page found, if it is in scope; what a guard refuses is counted.
    pub(super) fn admit(
        &self,
        url: Url,
        found_as: FoundAs,
        depth: u32,
        hops: u8,
        now: Time,
        left_out: &mut LeftOut,
    ) -> Option<Found> {
        let admitted = self.scope.read().unwrap_or_else(PoisonError::into_inner).admits(&url, depth, now);
        admitted.inspect_err(|refusal| left_out.count(*refusal, url.as_str())).ok()?;
        let fingerprint = fingerprint(url.as_str());
        Some(Found { url, fingerprint, found_as, depth, hops, modified: None, source: None })
    }

    /// A source found, wherever it is, unless the user excluded it.
    pub(super) fn admit_source(
        &self,
        url: Url,
        found_as: FoundAs,
        source: Source,
        depth: u32,
        left_out: &mut LeftOut,
    ) -> Option<Found> {
        let admitted = self.scope.read().unwrap_or_else(PoisonError::into_inner).admits_source(&url, depth);
        admitted.inspect_err(|refusal| left_out.count(*refusal, url.as_str())).ok()?;
        let (fingerprint, source) = (fingerprint(url.as_str()), Some(Box::new(source)));
        Some(Found { url, fingerprint, found_as, depth, hops: 0, modified: None, source })
    }

    /// Where a page redirects to. A seed that only moved house (`http` to `https`, `example.org` to `www.example.org`)
    /// takes the scope along, as a seed of its own.
    pub(super) fn admit_target(
        &self,
        from: &Url,
        target: Url,
        depth: u32,
        hops: u8,
        now: Time,
        left_out: &mut LeftOut,
    ) -> Option<Found> {
        let found = self.admit(target.clone(), FoundAs::Redirect, depth, hops, now, left_out);
        if found.is_some() || depth > 0 || !Scope::same_house(from, &target) {
            return found;
        }
        self.scope.write().unwrap_or_else(PoisonError::into_inner).open(&target);
        self.admit(target, FoundAs::Seed, depth, hops, now, left_out)
    }
}
