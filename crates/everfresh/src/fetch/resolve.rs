//! From host names to the addresses that may be contacted.
//!
//! What the system's resolver says is believed for some minutes: a host is asked every second, its name need not be. Look-ups
//! cannot be broken off, and those of a dead name server take long, so only so many are under way at once, one for a name.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as Turn, Semaphore};
use tokio::time::{Instant, timeout};
use url::{Host, Url};

use super::error::is_no_handle;
use super::{FetchError, FetchSettings, guard};

/// How long an answer is believed. The system does not say for how long it may be.
const BELIEVED: Duration = Duration::from_secs(300);
/// Look-ups under way at once: each takes a thread, and some files while it lasts.
pub(super) const LOOKUPS: usize = 32;
/// Names remembered; when there are more, those that are not in use are forgotten.
const NAMES: usize = 10_000;

/// Knows where hosts are.
pub(super) struct Resolver {
    names: Mutex<HashMap<String, Arc<Turn<Option<Answer>>>>>,
    lookups: Arc<Semaphore>,
}

/// What the system said of a name.
struct Answer {
    addresses: Vec<IpAddr>,
    at: Instant,
}

impl Resolver {
    pub(super) fn new() -> Resolver {
        Resolver { names: Mutex::default(), lookups: Arc::new(Semaphore::new(LOOKUPS)) }
    }

    /// The addresses of a URL's host that may be contacted, the best first. What is checked here is what is used.
    pub(super) async fn allowed(&self, settings: &FetchSettings, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
        let host = || url.host_str().unwrap_or_default().to_owned();
        let mut addresses = self.resolve(settings, url).await?;
        let first = addresses.first().map(SocketAddr::ip);
        addresses.retain(|address| settings.allow_private || guard::is_public(address.ip()));
        match first {
            Some(address) if addresses.is_empty() => Err(FetchError::RefusedAddress { host: host(), address }),
            Some(_) => Ok(addresses),
            None => Err(FetchError::Dns { host: host(), source: io::Error::other("it has no address") }),
        }
    }

    /// A connection to this address came about: it is the first to be tried next time.
    pub(super) fn prefer(&self, url: &Url, address: IpAddr) {
        let names = self.names();
        let Some(entry) = url.domain().and_then(|name| names.get(name)) else { return };
        // Whoever is asking the system will hear something newer.
        if let Ok(mut known) = entry.try_lock()
            && let Some(Answer { addresses, .. }) = &mut *known
            && let Some(place) = addresses.iter().position(|known| *known == address)
        {
            addresses[..=place].rotate_right(1);
        }
    }

    async fn resolve(&self, settings: &FetchSettings, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
        if let Some(address) = url.host_str().and_then(|host| settings.resolve.get(host)) {
            return Ok(vec![*address]);
        }
        let port = url.port_or_known_default().unwrap_or(80);
        let addresses = match url.host() {
            Some(Host::Ipv4(address)) => vec![address.into()],
            Some(Host::Ipv6(address)) => vec![address.into()],
            Some(Host::Domain(name)) => {
                let limit = settings.connect_timeout;
                let late = |_| FetchError::DnsTimeout { host: name.to_owned(), limit };
                let found = timeout(limit, self.look_up(name)).await.map_err(late)?;
                found.map_err(|source| match is_no_handle(&source) {
                    true => FetchError::NoHandle { host: name.to_owned(), source },
                    false => FetchError::Dns { host: name.to_owned(), source },
                })?
            }
            None => return Err(FetchError::BadUrl { url: url.to_string(), problem: "it has no host" }),
        };
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }

    async fn look_up(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let entry = Arc::clone(self.names().entry(name.to_owned()).or_default());
        let mut known = entry.lock_owned().await;
        // Where many names keep the system busy, a host that is known does not wait for them.
        let is_busy = self.lookups.available_permits() == 0;
        if let Some(answer) = known.as_ref().filter(|answer| is_busy || answer.at.elapsed() < BELIEVED) {
            return Ok(answer.addresses.clone());
        }
        self.forget();
        let (name, lookups) = (name.to_owned(), Arc::clone(&self.lookups));
        // A task of its own: whether or not anybody still waits, nobody else asks for the name until the system has answered,
        // and the answer is kept.
        let asked = tokio::spawn(async move {
            let addresses = ask_system(name, lookups).await?;
            *known = Some(Answer { addresses: addresses.clone(), at: Instant::now() });
            Ok(addresses)
        });
        asked.await.map_err(io::Error::other)?
    }

    /// Keeps the number of names within bounds.
    fn forget(&self) {
        let mut names = self.names();
        if names.len() > NAMES {
            names.retain(|_, entry| Arc::strong_count(entry) > 1);
        }
    }

    // Held for map operations only, never across an await.
    fn names(&self) -> MutexGuard<'_, HashMap<String, Arc<Turn<Option<Answer>>>>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks the system, when it is this look-up's turn.
async fn ask_system(name: String, lookups: Arc<Semaphore>) -> io::Result<Vec<IpAddr>> {
    let _permit = lookups.acquire().await.map_err(io::Error::other)?;
    let asked = tokio::task::spawn_blocking(move || {
        let found = (name, 0).to_socket_addrs();
        found.map(|found| found.map(|address| address.ip()).collect())
    });
    asked.await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> FetchSettings {
        FetchSettings { allow_private: true, ..FetchSettings::default() }
    }

    /// A resolver that has heard this of a name.
    async fn that_knows(name: &str, addresses: &[&str]) -> Resolver {
        let resolver = Resolver::new();
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        let entry = Arc::clone(resolver.names().entry(name.to_owned()).or_default());
        *entry.lock().await = Some(Answer { addresses, at: Instant::now() });
        resolver
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_believed_for_a_while() {
        let resolver = that_knows("nobody.invalid", &["127.0.0.1", "127.0.0.2"]).await;
        let url = Url::parse("http://nobody.invalid:81/").unwrap();
        let found = resolver.allowed(&settings(), &url).await.unwrap();
        assert_eq!(found, ["127.0.0.1:81", "127.0.0.2:81"].map(|address| address.parse().unwrap()));
        resolver.prefer(&url, "127.0.0.2".parse().unwrap());
        let found = resolver.allowed(&settings(), &url).await.unwrap();
        assert_eq!(found[0], "127.0.0.2:81".parse().unwrap(), "who answered is asked first");
        tokio::time::advance(BELIEVED).await;
        assert!(matches!(resolver.allowed(&settings(), &url).await, Err(FetchError::Dns { .. })), "it is asked again");
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_is_known_does_not_wait_for_look_ups_that_hang() {
        let resolver = that_knows("nobody.invalid", &["127.0.0.1"]).await;
        let url = Url::parse("http://nobody.invalid/").unwrap();
        let hung = Arc::clone(&resolver.lookups).acquire_many_owned(LOOKUPS as u32).await.unwrap();
        tokio::time::advance(BELIEVED).await;
        assert_eq!(resolver.allowed(&settings(), &url).await.unwrap(), ["127.0.0.1:80".parse().unwrap()]);
        drop(hung);
        assert!(matches!(resolver.allowed(&settings(), &url).await, Err(FetchError::Dns { .. })), "it is asked again");
    }

    #[tokio::test(start_paused = true)]
    async fn a_look_up_that_hangs_is_named() {
        let resolver = Resolver::new();
        let _hung = Arc::clone(&resolver.lookups).acquire_many_owned(LOOKUPS as u32).await.unwrap();
        let url = Url::parse("http://localhost/").unwrap();
        let late = resolver.allowed(&settings(), &url).await.unwrap_err();
        assert_eq!(late.rule().name(), "dns-timeout", "{late}");
    }

    #[tokio::test(start_paused = true)]
    async fn one_look_up_for_a_name_is_under_way_and_its_late_answer_is_not_lost() {
        let resolver = Resolver::new();
        let hung = Arc::clone(&resolver.lookups).acquire_many_owned(LOOKUPS as u32).await.unwrap();
        let url = Url::parse("http://localhost/").unwrap();
        for _ in 0..3 {
            assert_eq!(resolver.allowed(&settings(), &url).await.unwrap_err().rule().name(), "dns-timeout");
            resolver.prefer(&url, "127.0.0.1".parse().unwrap());
        }
        drop(hung);
        // Time passes only when the system has answered.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let entry = Arc::clone(&resolver.names()["localhost"]);
        assert!(entry.lock().await.is_some() && resolver.lookups.available_permits() == LOOKUPS);
    }

    #[tokio::test]
    async fn addresses_that_are_not_public_are_left_out() {
        let resolver = that_knows("a.test", &["10.0.0.1", "93.184.216.34"]).await;
        let public = FetchSettings::default();
        let url = Url::parse("http://a.test/").unwrap();
        assert_eq!(resolver.allowed(&public, &url).await.unwrap(), ["93.184.216.34:80".parse().unwrap()]);
        let inner = Url::parse("http://10.0.0.1/").unwrap();
        assert!(matches!(resolver.allowed(&public, &inner).await, Err(FetchError::RefusedAddress { .. })));
    }
}
