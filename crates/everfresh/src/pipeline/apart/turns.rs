//! Whose document is judged next, so that those which take all the time they may have keep no other one waiting.
//!
//! Two are judged at a time, each for a moment. One that takes longer steps aside, where there is a place more; if that is
//! taken and others wait, it stops, and is begun anew when it is free. Whose last document took long is judged there from
//! the beginning.
//!
//! It is the turn of the document that has waited for the largest multiple of what one of its host takes (the highest response
//! ratio), counted from the last turn of its host if that was later. So hosts that always have something to judge get equal
//! shares of time, and who needs less than its share waits for little more than it takes: a hundred hosts whose documents take a
//! second hold up one whose documents take some hundredths by a second or two.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use revisit::HostId;
use tokio::sync::oneshot;
use tokio::time::{Instant, interval_at};

/// Documents that are judged at once beside the one aside. With the limit of memory that each has, this bounds that of all.
const QUICK: usize = 2;
/// A document that takes more keeps others waiting.
const LONG: Duration = Duration::from_secs(2);
/// What a document of a host is taken to take that nobody knows: more than most do, so that hundreds of such hosts do not keep
/// out who is known to be quick.
const UNKNOWN: Duration = Duration::from_millis(100);
/// No document is taken to take less: a process alone takes more.
const LEAST: Duration = Duration::from_millis(5);
/// Hosts that are remembered.
const MAX_REMEMBERED: usize = 1 << 16;

/// The turns of all documents.
#[derive(Default)]
pub(super) struct Turns(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    quick: usize,
    is_aside_taken: bool,
    /// In the order in which they came.
    waiting: Vec<Waiting>,
    known: HashMap<HostId, Known>,
}

struct Waiting {
    host: HostId,
    since: Instant,
    /// It had its turn, and took long.
    has_stopped: bool,
    turn: oneshot::Sender<Turn>,
}

/// What is known of a host whose documents were judged.
struct Known {
    /// When it last had a turn.
    last: Instant,
    /// How long a document of it takes.
    takes: Duration,
}

/// The turn of a host, until it is dropped.
pub(super) struct Turn {
    state: Arc<Mutex<State>>,
    host: HostId,
    is_aside: bool,
}

impl Turns {
    /// Waits for the turn of a host, whose document may have had one and stopped; there is none only if nobody has turns any more.
    pub(super) async fn take(&self, host: HostId, has_stopped: bool) -> Option<Turn> {
        let (sender, receiver) = oneshot::channel();
        lock(&self.0).waiting.push(Waiting { host, since: Instant::now(), has_stopped, turn: sender });
        give(&self.0);
        receiver.await.ok()
    }
}

impl Turn {
    /// Does the work that the turn is for; `None` if it took long and had to stop for others.
    pub(super) async fn spend<T>(mut self, work: impl Future<Output = T>) -> Option<T> {
        let begun = Instant::now();
        let (mut work, mut late) = (std::pin::pin!(work), interval_at(begun + LONG, LONG));
        loop {
            tokio::select! {
                biased;
                done = &mut work => {
                    lock(&self.state).remember(self.host, begun, begun.elapsed());
                    return Some(done);
                }
                _ = late.tick() => {
                    if !self.goes_on(begun) {
                        return None;
                    }
                }
            }
        }
    }

    /// Its document takes long: steps aside if it can. Says whether it may go on, as it may where it is if nobody waits.
    fn goes_on(&mut self, begun: Instant) -> bool {
        let mut state = lock(&self.state);
        state.remember(self.host, begun, LONG);
        if self.is_aside {
            return true;
        }
        if state.is_aside_taken {
            return state.first(false).is_none();
        }
        (state.is_aside_taken, self.is_aside) = (true, true);
        state.quick -= 1;
        drop(state);
        give(&self.state);
        true
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        match self.is_aside {
            true => state.is_aside_taken = false,
            false => state.quick -= 1,
        }
        drop(state);
        give(&self.state);
    }
}

/// Gives the turns that are free to who is next. Who has ceased to wait meanwhile drops its turn, and so gives it on.
fn give(state: &Arc<Mutex<State>>) {
    loop {
        let next = lock(state).next();
        let Some((Waiting { host, turn, .. }, is_aside)) = next else { return };
        let _ = turn.send(Turn { state: Arc::clone(state), host, is_aside });
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Whether a document is to be judged aside.
    fn is_long(&self, waiting: &Waiting) -> bool {
        waiting.has_stopped || self.known.get(&waiting.host).is_some_and(|known| known.takes >= LONG)
    }

    /// How many times as long as it takes a document has waited.
    fn ratio(&self, waiting: &Waiting, now: Instant) -> f64 {
        let known = self.known.get(&waiting.host);
        let since = known.map_or(waiting.since, |known| known.last.max(waiting.since));
        let takes = known.map_or(UNKNOWN, |known| known.takes.max(LEAST));
        (now - since).as_secs_f64() / takes.as_secs_f64()
    }

    /// Where the next one waits of those that are judged aside, or of the others; of equals who came first.
    fn first(&self, is_long: bool) -> Option<usize> {
        let now = Instant::now();
        let alike = self.waiting.iter().enumerate().filter(|(_, waiting)| self.is_long(waiting) == is_long);
        let ratios = alike.map(|(place, waiting)| (place, self.ratio(waiting, now)));
        ratios.min_by(|(_, one), (_, other)| other.total_cmp(one)).map(|(place, _)| place)
    }

    /// Takes a turn that is free for who is next, and says whether it is aside.
    fn next(&mut self) -> Option<(Waiting, bool)> {
        self.waiting.retain(|waiting| !waiting.turn.is_closed());
        let quick = if self.quick < QUICK { self.first(false) } else { None };
        let aside = if self.is_aside_taken || quick.is_some() { None } else { self.first(true) };
        let next = self.waiting.remove(quick.or(aside)?);
        match quick {
            Some(_) => self.quick += 1,
            None => self.is_aside_taken = true,
        }
        if let Some(known) = self.known.get_mut(&next.host) {
            known.last = Instant::now();
        }
        Some((next, quick.is_none()))
    }

    /// A document of a host took so long: that is what the next ones take, or half of what they took before if that is more.
    fn remember(&mut self, host: HostId, begun: Instant, took: Duration) {
        if self.known.len() == MAX_REMEMBERED && !self.known.contains_key(&host) {
            self.known.clear();
        }
        let before = self.known.get(&host).map_or(Duration::ZERO, |known| known.takes);
        self.known.insert(host, Known { last: begun, takes: took.max(before / 2).min(LONG) });
    }
}

#[cfg(test)]
mod tests;
