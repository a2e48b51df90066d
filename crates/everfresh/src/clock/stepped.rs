//! Stepped time: tokio's paused time, which jumps to the next timer when no task can run, and what it must wait for besides.
//!
//! Tokio sees its tasks and the threads it lends out. It does not see bytes on their way through a socket, nor threads of our
//! own. Whoever has such work under way holds time still: [`Hold`] for threads, [`Asking`] for exchanges. An exchange with a
//! scripted server that takes its time is [`Waiting`], and then time may pass.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use revisit::{Span, Time};
use tokio::runtime::Handle;
use tokio::time::Instant;

/// A clock of stepped time; clones are the same clock.
#[derive(Clone, Debug)]
pub(super) struct Stepped {
    start: Time,
    /// What it shows are whole multiples of this since the start.
    grain: Span,
    started: Instant,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    runtime: Handle,
    state: Mutex<State>,
    released: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// What holds time still: holds, and exchanges that do not wait.
    holding: usize,
    /// Whether a thread of tokio's keeps time still for them: time does not jump while one is lent out.
    kept: bool,
    exchanges: Vec<Exchange>,
    next: u64,
}

#[derive(Debug)]
struct Exchange {
    number: u64,
    address: String,
    waits: bool,
}

impl Stepped {
    pub(super) fn new(start: Time, grain: Span) -> Stepped {
        let shared = Shared { runtime: Handle::current(), state: Mutex::default(), released: Condvar::new() };
        Stepped { start, grain, started: Instant::now(), shared: Arc::new(shared) }
    }

    pub(super) fn now(&self) -> Time {
        let passed = self.passed();
        self.start + Span::from_millis(passed - passed % self.grain.millis())
    }

    /// How long it takes until it shows a time.
    pub(super) fn until(&self, time: Time) -> Span {
        let (grain, passed) = (self.grain.millis(), self.passed());
        let shown = (time - self.start).millis().saturating_add(grain - 1) / grain * grain;
        Span::from_millis(shown - passed).max(Span::ZERO)
    }

    fn passed(&self) -> i64 {
        self.started.elapsed().as_millis() as i64
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that could panic is done while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One thing more holds time still.
    fn hold(self: &Arc<Shared>, state: &mut State) {
        state.holding += 1;
        if !state.kept {
            state.kept = true;
            let shared = Arc::clone(self);
            self.runtime.spawn_blocking(move || shared.keep());
        }
    }

    /// One thing less holds time still.
    fn release(&self, state: &mut State) {
        state.holding -= 1;
        if state.holding == 0 {
            self.released.notify_all();
        }
    }

    /// Lasts as long as anything holds time still.
    fn keep(&self) {
        let state = self.released.wait_while(self.state(), |state| state.holding > 0);
        state.unwrap_or_else(PoisonError::into_inner).kept = false;
    }
}

/// Keeps stepped time still as long as it lives.
#[derive(Debug, Default)]
pub struct Hold {
    shared: Option<Arc<Shared>>,
}

impl Hold {
    pub(super) fn of(stepped: Option<&Stepped>) -> Hold {
        let shared = stepped.map(|stepped| Arc::clone(&stepped.shared));
        if let Some(shared) = &shared {
            shared.hold(&mut shared.state());
        }
        Hold { shared }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            shared.release(&mut shared.state());
        }
    }
}

/// An exchange under way, from the request to the last byte of the answer.
#[derive(Debug)]
pub struct Asking {
    exchange: Option<(Arc<Shared>, u64)>,
}

impl Asking {
    pub(super) fn of(stepped: Option<&Stepped>, address: impl FnOnce() -> String) -> Asking {
        let exchange = stepped.map(|Stepped { shared, .. }| {
            let mut state = shared.state();
            let number = state.next;
            state.next += 1;
            state.exchanges.push(Exchange { number, address: address(), waits: false });
            shared.hold(&mut state);
            drop(state);
            (Arc::clone(shared), number)
        });
        Asking { exchange }
    }

    /// The exchange waits for something here, which tokio sees: time may pass as long as it lives.
    pub fn waits_here(&self) -> Waiting {
        let waiting = self.exchange.as_ref().and_then(|(shared, number)| {
            let number = *number;
            Waiting::begin(shared, |exchange| exchange.number == number)
        });
        Waiting { exchange: waiting }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        let Some((shared, number)) = &self.exchange else { return };
        let mut state = shared.state();
        let place = state.exchanges.iter().position(|exchange| exchange.number == *number);
        let ended = place.map(|place| state.exchanges.swap_remove(place));
        if ended.is_some_and(|ended| !ended.waits) {
            shared.release(&mut state);
        }
    }
}

/// An exchange in which nothing is on its way: somebody takes their time.
#[derive(Debug)]
pub struct Waiting {
    exchange: Option<(Arc<Shared>, u64)>,
}

impl Waiting {
    pub(super) fn of(stepped: Option<&Stepped>, address: &str) -> Waiting {
        let begin = |Stepped { shared, .. }: &Stepped| Waiting::begin(shared, |exchange| exchange.address == address);
        Waiting { exchange: stepped.and_then(begin) }
    }

    /// Whether somebody asked.
    #[cfg(test)]
    pub(super) fn is_real(&self) -> bool {
        self.exchange.is_some()
    }

    fn begin(shared: &Arc<Shared>, is_meant: impl Fn(&Exchange) -> bool) -> Option<(Arc<Shared>, u64)> {
        let mut state = shared.state();
        let exchange = state.exchanges.iter_mut().find(|exchange| is_meant(exchange) && !exchange.waits)?;
        exchange.waits = true;
        let number = exchange.number;
        shared.release(&mut state);
        drop(state);
        Some((Arc::clone(shared), number))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some((shared, number)) = &self.exchange else { return };
        let mut state = shared.state();
        let exchange = state.exchanges.iter_mut().find(|exchange| exchange.number == *number);
        // Who asked may have given up meanwhile.
        if let Some(exchange) = exchange {
            exchange.waits = false;
            shared.hold(&mut state);
        }
    }
}
