//! What all visits share: settings and tools, and the few things that change while many use them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError, RwLock};

use revisit::Time;
use url::Url;

use super::known::fingerprint;
use super::meter::Meter;
use super::visit::Found;
use crate::archive::Encoder;
use crate::clock::Clock;
use crate::fetch::Fetcher;
use crate::parse::scope::Scope;
use crate::settings::Settings;
use crate::store::FoundAs;

/// What all visits share.
pub(super) struct Context {
    pub(super) settings: Settings,
    pub(super) fetcher: Fetcher,
    pub(super) scope: RwLock<Scope>,
    pub(super) clock: Clock,
    pub(super) meter: Meter,
    pub(super) redirects: Redirects,
    pub(super) encoders: Encoders,
}

/// Where pages redirect to, as fingerprints, to see a loop before walking it.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    targets: RwLock<HashMap<u64, u64>>,
}

impl Redirects {
    /// A page redirects no more.
    pub(super) fn remove(&self, from: u64) {
        let known = self.targets.read().unwrap_or_else(PoisonError::into_inner).contains_key(&from);
        if known {
            self.targets.write().unwrap_or_else(PoisonError::into_inner).remove(&from);
        }
    }

    /// Writes down a redirect; false if following it leads back to where it began.
    pub(super) fn insert(&self, from: u64, to: u64) -> bool {
        let mut targets = self.targets.write().unwrap_or_else(PoisonError::into_inner);
        targets.insert(from, to);
        let mut place = to;
        for _ in 0..64 {
            if place == from {
                return false;
            }
            let Some(&next) = targets.get(&place) else { return true };
            place = next;
        }
        false
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
    /// A page found, if it is in scope.
    pub(super) fn admit(&self, url: Url, found_as: FoundAs, depth: u32, hops: u8, now: Time) -> Option<Found> {
        self.scope.read().unwrap_or_else(PoisonError::into_inner).admits(&url, depth, now).ok()?;
        let fingerprint = fingerprint(url.as_str());
        Some(Found { url, fingerprint, found_as, depth, hops, modified: None })
    }

    /// Where a page redirects to. A seed that only moved house (`http` to `https`, `example.org` to `www.example.org`)
    /// takes the scope along, as a seed of its own.
    pub(super) fn admit_target(&self, from: &Url, target: Url, depth: u32, hops: u8, now: Time) -> Option<Found> {
        let found = self.admit(target.clone(), FoundAs::Redirect, depth, hops, now);
        if found.is_some() || depth > 0 || !Scope::same_house(from, &target) {
            return found;
        }
        self.scope.write().unwrap_or_else(PoisonError::into_inner).open(&target);
        self.admit(target, FoundAs::Seed, depth, hops, now)
    }
}
