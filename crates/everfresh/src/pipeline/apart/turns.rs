//! Whose document is judged next, so that those which take all the time they may have keep no other one waiting.
//!
//! Two are judged at a time, each for a moment. One that takes longer steps aside, where there is a place more; if that is
//! taken and others wait, it stops, and is begun anew when it is free. Whose last document took long is judged there from
//! the beginning. Of the others every second turn is for a host that nobody knows yet, or hundreds of those would keep out who
//! is known to be quick. Among equals it is the turn of the host that had its last one longest ago.

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
    /// Turns so far.
    number: u64,
    is_turn_of_new: bool,
}

struct Waiting {
    host: HostId,
    /// It had its turn, and took long.
    has_stopped: bool,
    turn: oneshot::Sender<Turn>,
}

/// What is known of a host whose documents were judged.
struct Known {
    /// The number of its last turn.
    last: u64,
    took_long: bool,
}

/// How long the documents of a host take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Habit {
    Quick,
    New,
    Long,
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
        lock(&self.0).waiting.push(Waiting { host, has_stopped, turn: sender });
        give(&self.0);
        receiver.await.ok()
    }
}

impl Turn {
    /// Does the work that the turn is for; `None` if it took long and had to stop for others.
    pub(super) async fn spend<T>(mut self, work: impl Future<Output = T>) -> Option<T> {
        let (mut work, mut late) = (std::pin::pin!(work), interval_at(Instant::now() + LONG, LONG));
        let mut took_long = false;
        loop {
            tokio::select! {
                biased;
                done = &mut work => {
                    lock(&self.state).remember(self.host, took_long);
                    return Some(done);
                }
                _ = late.tick() => {
                    took_long = true;
                    if !self.goes_on() {
                        return None;
                    }
                }
            }
        }
    }

    /// Its document takes long: steps aside if it can. Says whether it may go on, as it may where it is if nobody waits.
    fn goes_on(&mut self) -> bool {
        let mut state = lock(&self.state);
        state.remember(self.host, true);
        if self.is_aside {
            return true;
        }
        if state.is_aside_taken {
            return state.first(Habit::Quick).or(state.first(Habit::New)).is_none();
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
    fn habit(&self, waiting: &Waiting) -> Habit {
        match self.known.get(&waiting.host) {
            _ if waiting.has_stopped => Habit::Long,
            None => Habit::New,
            Some(known) if known.took_long => Habit::Long,
            Some(_) => Habit::Quick,
        }
    }

    /// Where the first of a habit waits.
    fn first(&self, habit: Habit) -> Option<usize> {
        let alike = self.waiting.iter().enumerate().filter(|(_, waiting)| self.habit(waiting) == habit);
        let last = |host: &HostId| self.known.get(host).map_or(0, |known| known.last);
        alike.min_by_key(|(_, waiting)| last(&waiting.host)).map(|(place, _)| place)
    }

    /// Takes a turn that is free for who is next, and says whether it is aside.
    fn next(&mut self) -> Option<(Waiting, bool)> {
        self.waiting.retain(|waiting| !waiting.turn.is_closed());
        let aside = if self.is_aside_taken { None } else { self.first(Habit::Long) };
        let quick = if self.quick < QUICK { self.first_quick() } else { None };
        let next = self.waiting.remove(quick.or(aside)?);
        if quick.is_some() {
            self.quick += 1;
            self.is_turn_of_new = self.habit(&next) != Habit::New;
        } else {
            self.is_aside_taken = true;
        }
        self.number += 1;
        if let Some(known) = self.known.get_mut(&next.host) {
            known.last = self.number;
        }
        Some((next, quick.is_none()))
    }

    fn first_quick(&self) -> Option<usize> {
        let (quick, new) = (self.first(Habit::Quick), self.first(Habit::New));
        if self.is_turn_of_new { new.or(quick) } else { quick.or(new) }
    }

    fn remember(&mut self, host: HostId, took_long: bool) {
        if self.known.len() == MAX_REMEMBERED && !self.known.contains_key(&host) {
            self.known.clear();
        }
        self.known.insert(host, Known { last: self.number, took_long });
    }
}

#[cfg(test)]
mod tests;
