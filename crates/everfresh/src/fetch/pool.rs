//! Open connections between two requests to the same host.
//!
//! A connection in use belongs to its request; only idle ones are here (an HTTP/2 connection, which many requests share,
//! stays here while used). A crawl meets thousands of hosts, so idle connections are bounded three ways: per host, in all
//! (the longest idle goes first), and in time.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::connect::Link;

/// Servers commonly close idle connections after 5 to 75 seconds; keeping ours longer would only collect dead ones.
const MAX_IDLE_TIME: Duration = Duration::from_secs(30);

/// The idle connections of all hosts.
pub(super) struct Pool {
    per_host: usize,
    in_all: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Per origin ("https://example.org:8443"), the longest idle first.
    hosts: HashMap<Arc<str>, Vec<Idle>>,
    /// Every idle connection by its turn, so that the longest idle of all is found at once.
    turns: BTreeMap<u64, Arc<str>>,
    next_turn: u64,
    is_sweeping: bool,
}

struct Idle {
    turn: u64,
    since: Instant,
    link: Link,
}

impl Pool {
    pub(super) fn new(per_host: usize, in_all: usize) -> Pool {
        Pool { per_host, in_all, state: Mutex::default() }
    }

    /// A connection to `origin` that is not known to be closed and has room for a request: the one used last, as it is the
    /// least likely to be dead.
    pub(super) fn take(&self, origin: &str) -> Option<Link> {
        let mut state = self.lock();
        for place in (0..state.hosts.get(origin)?.len()).rev() {
            let idle = &state.hosts.get(origin)?[place];
            let second = idle.link.share();
            let is_dead = idle.link.is_closed() || idle.since.elapsed() > MAX_IDLE_TIME;
            if !is_dead && idle.link.is_shared() && second.is_none() {
                continue;
            }
            let link = state.remove(origin, place)?;
            if is_dead {
                continue;
            }
            if second.is_some() {
                state.push(origin, link);
                return second;
            }
            return Some(link);
        }
        None
    }

    /// Keeps a connection for the next request to `origin`.
    pub(super) fn put(self: &Arc<Pool>, origin: &str, link: Link) {
        if link.is_closed() || self.per_host == 0 {
            return;
        }
        let mut state = self.lock();
        state.push(origin, link);
        if let Some(idle) = state.hosts.get(origin).filter(|idle| idle.len() > self.per_host) {
            let dead = idle.iter().position(|idle| idle.link.is_closed());
            state.remove(origin, dead.unwrap_or(0));
        }
        while state.turns.len() > self.in_all {
            state.remove_oldest();
        }
        if !state.is_sweeping {
            state.is_sweeping = true;
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
    }

    /// Gives up all connections that nobody uses.
    pub(super) fn clear(&self) {
        let mut state = self.lock();
        state.hosts.clear();
        state.turns.clear();
    }

    // Held for map operations only, never across an await: a std mutex is the cheaper one. A panic cannot leave the
    // state half-changed in a way that matters.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn push(&mut self, origin: &str, link: Link) {
        let key = match self.hosts.get_key_value(origin) {
            Some((key, _)) => key.clone(),
            None => Arc::from(origin),
        };
        let turn = self.next_turn;
        self.next_turn += 1;
        self.turns.insert(turn, key.clone());
        self.hosts.entry(key).or_default().push(Idle { turn, since: Instant::now(), link });
    }

    fn remove(&mut self, origin: &str, place: usize) -> Option<Link> {
        let idle = self.hosts.get_mut(origin)?.remove(place);
        self.turns.remove(&idle.turn);
        Some(idle.link)
    }

    fn remove_oldest(&mut self) {
        if let Some((_, origin)) = self.turns.pop_first()
            && let Some(links) = self.hosts.get_mut(&origin)
            && !links.is_empty()
        {
            // Within a host, too, the order of idling is the order of turns.
            links.remove(0);
            if links.is_empty() {
                self.hosts.remove(&origin);
            }
        }
    }

    /// Drops what is closed or idle for too long, and the names of hosts without connections.
    fn sweep(&mut self) {
        let turns = &mut self.turns;
        self.hosts.retain(|_, links| {
            links.retain(|idle| {
                let keep = !idle.link.is_closed() && idle.since.elapsed() <= MAX_IDLE_TIME;
                if !keep {
                    turns.remove(&idle.turn);
                }
                keep
            });
            !links.is_empty()
        });
    }
}

/// Runs while there is something to close, so that a crawl that pauses gives its sockets back.
async fn sweep(pool: Weak<Pool>) {
    loop {
        sleep(MAX_IDLE_TIME / 3).await;
        let Some(pool) = pool.upgrade() else { return };
        let mut state = pool.lock();
        state.sweep();
        if state.hosts.is_empty() {
            state.is_sweeping = false;
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;
    use url::Url;

    use super::super::FetchSettings;
    use super::super::connect::Connector;
    use super::*;

    /// Open links to a host that says nothing, and the host.
    async fn links<const COUNT: usize>() -> ([Link; COUNT], TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let settings = FetchSettings { allow_private: true, ..FetchSettings::default() };
        let connector = Connector::new(&settings).unwrap();
        let mut links = Vec::new();
        for _ in 0..COUNT {
            links.push(connector.connect(&settings, &url).await.unwrap());
        }
        (links.try_into().ok().unwrap(), listener)
    }

    #[tokio::test]
    async fn over_all_hosts_the_longest_idle_goes_first() {
        let ([a, b, c, d], _listener) = links().await;
        let pool = Arc::new(Pool::new(8, 2));
        pool.put("http://a", a);
        pool.put("http://b", b);
        let b = pool.take("http://b").unwrap();
        pool.put("http://c", c);
        pool.put("http://b", b);
        pool.put("http://d", d);
        let kept = ["http://a", "http://b", "http://c", "http://d"].map(|origin| pool.take(origin).is_some());
        assert_eq!(kept, [false, true, false, true]);
        assert!(pool.lock().turns.is_empty(), "every turn belongs to an idle connection");
    }

    #[tokio::test]
    async fn sweeping_drops_the_dead_and_forgets_their_hosts() {
        let ([a, b], listener) = links().await;
        let pool = Arc::new(Pool::new(8, 8));
        pool.put("http://a", a);
        pool.put("http://b", b);
        drop(listener);
        while pool.lock().hosts.values().flatten().any(|idle| !idle.link.is_closed()) {
            tokio::task::yield_now().await;
        }
        pool.lock().sweep();
        assert!(pool.lock().hosts.is_empty() && pool.lock().turns.is_empty());
        assert!(pool.take("http://a").is_none());
    }

    #[tokio::test]
    async fn of_one_host_the_dead_go_first() {
        let ([a, b, c], listener) = links().await;
        let (_first, _) = listener.accept().await.unwrap();
        drop(listener.accept().await.unwrap());
        let pool = Arc::new(Pool::new(2, 8));
        pool.put("http://a", a);
        pool.put("http://a", b);
        while !pool.lock().hosts["http://a"][1].link.is_closed() {
            tokio::task::yield_now().await;
        }
        pool.put("http://a", c);
        let kept = [pool.take("http://a").is_some(), pool.take("http://a").is_some()];
        assert_eq!(kept, [true, true], "both that are alive");
    }

    #[tokio::test]
    async fn nothing_is_kept_if_nothing_may_be() {
        let ([a], _listener) = links().await;
        let pool = Arc::new(Pool::new(0, 8));
        pool.put("http://a", a);
        assert!(pool.take("http://a").is_none());
    }
}
