//! Whose document is judged next: one at a time, and whoever took long the last time lets others go first.
//!
//! Documents that take all the time they may have, one from each of hundreds of hosts, would else keep every other large
//! document of their kind waiting as often as they come. They are not kept waiting for ever either: after some turns of
//! others one of them has its own. Who is first among those that nobody knows is who came first.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use revisit::HostId;
use tokio::sync::oneshot;

/// A document that takes more keeps others waiting.
const LONG: Duration = Duration::from_secs(2);
/// Turns of others while a host waits whose last document took long.
const TURNS_OF_OTHERS: usize = 8;
/// Hosts that are remembered to have taken long, of four bytes each.
const MAX_REMEMBERED: usize = 1 << 16;

/// The turns of one kind of documents.
#[derive(Default)]
pub(super) struct Turns(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    is_taken: bool,
    /// In the order in which they came.
    waiting: VecDeque<Waiting>,
    waiting_aside: VecDeque<Waiting>,
    /// Turns that those aside have waited for one of theirs.
    turns_of_others: usize,
    /// Whose last document took long.
    took_long: HashSet<HostId>,
}

struct Waiting {
    host: HostId,
    turn: oneshot::Sender<Turn>,
}

/// The turn of a host, until it is dropped.
pub(super) struct Turn {
    state: Arc<Mutex<State>>,
    host: HostId,
}

impl Turns {
    /// Waits for the turn of a host; there is none only if nobody has turns any more.
    pub(super) async fn take(&self, host: HostId) -> Option<Turn> {
        let (sender, receiver) = oneshot::channel();
        lock(&self.0).queue(Waiting { host, turn: sender });
        give_next(&self.0);
        receiver.await.ok()
    }
}

impl Turn {
    /// Ends the turn with how long its document took.
    pub(super) fn end_after(self, taken: Duration) {
        lock(&self.state).remember(self.host, taken >= LONG);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        lock(&self.state).is_taken = false;
        give_next(&self.state);
    }
}

/// Gives the turn to who is next, if it is free. Who has ceased to wait meanwhile drops it, and so gives it on.
fn give_next(state: &Arc<Mutex<State>>) {
    let next = lock(state).next();
    if let Some(Waiting { host, turn }) = next {
        let _ = turn.send(Turn { state: Arc::clone(state), host });
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn queue(&mut self, waiting: Waiting) {
        let is_aside = self.took_long.contains(&waiting.host);
        let queue = if is_aside { &mut self.waiting_aside } else { &mut self.waiting };
        queue.push_back(waiting);
    }

    /// Takes the turn for who is next; `None` if it is taken or nobody waits.
    fn next(&mut self) -> Option<Waiting> {
        if self.is_taken {
            return None;
        }
        for queue in [&mut self.waiting, &mut self.waiting_aside] {
            queue.retain(|waiting| !waiting.turn.is_closed());
        }
        let is_due = self.waiting.is_empty() || self.turns_of_others >= TURNS_OF_OTHERS;
        let aside = if is_due { self.waiting_aside.pop_front() } else { None };
        let keeps_waiting = aside.is_none() && !self.waiting_aside.is_empty();
        self.turns_of_others = if keeps_waiting { self.turns_of_others + 1 } else { 0 };
        let next = aside.or_else(|| self.waiting.pop_front());
        self.is_taken = next.is_some();
        next
    }

    fn remember(&mut self, host: HostId, took_long: bool) {
        if !took_long {
            self.took_long.remove(&host);
            return;
        }
        if self.took_long.len() == MAX_REMEMBERED {
            self.took_long.clear();
        }
        self.took_long.insert(host);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    type Queued<'a> = (u32, Pin<Box<dyn Future<Output = Option<Turn>> + 'a>>);

    /// Those who wait, in the order in which they came.
    fn queued(turns: &Turns, hosts: impl IntoIterator<Item = u32>) -> Vec<Queued<'_>> {
        let mut queued: Vec<Queued<'_>> = Vec::new();
        for host in hosts {
            queued.push((host, Box::pin(turns.take(HostId(host)))));
            assert!(has_turn(queued.last_mut().unwrap()).is_none(), "somebody has the turn");
        }
        queued
    }

    fn has_turn((_, queued): &mut Queued<'_>) -> Option<Turn> {
        match queued.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(turn) => turn,
            Poll::Pending => None,
        }
    }

    /// Who has a turn after whom; each takes no time.
    fn order(turns: &Turns, first: Turn, hosts: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut queued = queued(turns, hosts);
        drop(first);
        let mut order = Vec::new();
        while !queued.is_empty() {
            let (at, turn) = (0..queued.len())
                .find_map(|at| Some((at, has_turn(&mut queued[at])?)))
                .expect("the turn is somebody's");
            order.push(queued.remove(at).0);
            assert!(queued.iter_mut().all(|other| has_turn(other).is_none()), "one at a time");
            turn.end_after(Duration::ZERO);
        }
        order
    }

    async fn took(turns: &Turns, host: u32, taken: Duration) {
        turns.take(HostId(host)).await.unwrap().end_after(taken);
    }

    #[tokio::test]
    async fn who_took_long_lets_others_go_first() {
        let turns = Turns::default();
        let first = turns.take(HostId(9)).await.unwrap();
        assert_eq!(order(&turns, first, [1, 2, 3]), [1, 2, 3], "as they come");
        took(&turns, 1, LONG * 10).await;
        took(&turns, 2, LONG).await;
        let first = turns.take(HostId(9)).await.unwrap();
        assert_eq!(order(&turns, first, [1, 2, 3, 4]), [3, 4, 1, 2]);
        let first = turns.take(HostId(9)).await.unwrap();
        assert_eq!(order(&turns, first, [1, 2, 3]), [1, 2, 3], "what counts is the last one");
    }

    #[tokio::test]
    async fn who_took_long_has_a_turn_among_any_number_of_others() {
        let turns = Turns::default();
        took(&turns, 1, LONG).await;
        took(&turns, 2, LONG).await;
        let first = turns.take(HostId(9)).await.unwrap();
        let order = order(&turns, first, [1, 2].into_iter().chain(100..200));
        let places: Vec<usize> = [1, 2].map(|host| order.iter().position(|other| *other == host).unwrap()).into();
        assert!(places[0] <= TURNS_OF_OTHERS && places[1] == places[0] + TURNS_OF_OTHERS + 1, "{places:?}");
    }

    #[tokio::test]
    async fn a_turn_of_somebody_who_ceased_to_wait_is_given_on() {
        let turns = Turns::default();
        let first = turns.take(HostId(9)).await.unwrap();
        let mut queued = queued(&turns, [1, 2, 3]);
        drop(queued.remove(0));
        drop(first);
        // The turn is this one's already, but it never looked.
        drop(queued.remove(0));
        assert!(has_turn(&mut queued[0]).is_some());
        drop(queued);
        assert!(!lock(&turns.0).is_taken);
    }

    #[test]
    fn no_more_hosts_are_remembered_than_there_is_room_for() {
        let mut state = State::default();
        (0..200_000).for_each(|host| state.remember(HostId(host), true));
        assert!(state.took_long.len() <= MAX_REMEMBERED && state.took_long.contains(&HostId(199_999)));
    }
}
