//! The room that large bodies share, counted in bytes.
//!
//! Each body has a limit, but hundreds come in at once: without a second rule a crawl could be made to hold all of them at
//! their limit. So a body is read freely up to [`SMALL_BYTES`], which nearly every page stays below; beyond that its visit
//! needs its bytes of the room, and keeps them until whoever holds the body is done with it: read, judged and written.
//!
//! Where too little is left, somebody gives way: of the host that holds most, as long as that is more than the newcomer's host
//! will hold; else the body that has been coming for longest, if that is long. So no host keeps others out, whatever it sends
//! and however slowly. What is being judged stays, since that ends by itself. If nobody has to give way the newcomer waits for a
//! moment, and only with empty hands, so that no two wait for each other; then its visit is broken off, to be made when there
//! is room.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{FetchError, FetchSettings};

/// What a body may hold without asking.
pub(super) const SMALL_BYTES: usize = 256 << 10;
/// How long a visit waits for room.
const PATIENCE: Duration = Duration::from_secs(1);
/// A body that has been coming for longer gives way to who waits.
const LONG: Duration = Duration::from_secs(5);

/// The room of one kind of visits.
#[derive(Debug)]
pub(super) struct Room {
    bytes: usize,
    state: Mutex<State>,
    /// Somebody left.
    freed: Notify,
}

#[derive(Debug)]
struct State {
    free: usize,
    /// In the order in which they came.
    holders: BTreeMap<u64, Holder>,
    next: u64,
    is_closed: bool,
}

/// A visit that holds something large.
#[derive(Debug)]
struct Holder {
    host: Arc<str>,
    bytes: usize,
    since: Instant,
    phase: Phase,
    /// Asked to give way, and why.
    leaves: Option<Leaves>,
    asked: Arc<Notify>,
}

/// Why somebody gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaves {
    /// Its host holds most.
    HoldsMost,
    /// It takes long to come.
    TookLong,
}

/// What becomes of a large body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Coming,
    /// It is here, and not yet looked at.
    Waiting,
    Judged,
}

/// What a visit holds: small bodies freely, large ones as far as there is room. Given back when dropped, so keep it as long as
/// the bodies or what was made of them.
#[derive(Debug)]
pub struct Space {
    room: Arc<Room>,
    host: Arc<str>,
    /// Its number among those that hold something.
    number: Option<u64>,
    asked: Arc<Notify>,
    /// Bytes of the bodies that are here.
    here: usize,
    /// What it wanted to hold in all, when it last asked.
    wanted: usize,
}

/// Why there is no room for a visit.
enum Refused {
    /// Others were asked to leave for it.
    OthersLeave,
    Full,
    Closed,
}

impl Room {
    /// Room for pages: two bodies at their limit fit at least, or a single server could keep out all others.
    pub(super) fn for_pages(settings: &FetchSettings) -> Arc<Room> {
        Room::of(settings.large_bytes.max(2 * (settings.max_body_bytes + SMALL_BYTES)))
    }

    /// Room for visits of several exchanges, which may take long: apart, or they would have to give way to pages.
    pub(super) fn for_parts(settings: &FetchSettings) -> Arc<Room> {
        Room::of(2 * (settings.max_source_bytes + settings.max_body_bytes))
    }

    fn of(bytes: usize) -> Arc<Room> {
        let state = State { free: bytes, holders: BTreeMap::new(), next: 0, is_closed: false };
        Arc::new(Room { bytes, state: Mutex::new(state), freed: Notify::new() })
    }

    /// The space of a visit to a host.
    pub(super) fn space(self: &Arc<Room>, url: &Url) -> Space {
        let (room, host) = (Arc::clone(self), url.host_str().unwrap_or_default().into());
        Space { room, host, number: None, asked: Arc::default(), here: 0, wanted: 0 }
    }

    /// How many bytes are left.
    pub(super) fn free(&self) -> usize {
        self.state().free
    }

    /// Gives no more room: who waits for it, or comes to wait, is told at once.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.freed.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whom to ask to leave so that so many bytes become free for a host; `None` if that cannot be had.
    fn leaving_for(&self, host: &Arc<str>, more: usize, now: Instant) -> Option<Vec<(u64, Leaves)>> {
        let mut held: HashMap<&Arc<str>, usize> = HashMap::new();
        let mut staying: BTreeMap<u64, &Holder> = BTreeMap::new();
        let mut missing = more.saturating_sub(self.free);
        for (number, holder) in &self.holders {
            if holder.leaves.is_some() {
                missing = missing.saturating_sub(holder.bytes);
                continue;
            }
            *held.entry(&holder.host).or_default() += holder.bytes;
            if holder.phase != Phase::Judged {
                staying.insert(*number, holder);
            }
        }
        let own = held.get(host).copied().unwrap_or(0) + more;
        let mut leaving = Vec::new();
        while missing > 0 {
            let most = staying.iter().max_by_key(|(_, holder)| (held[&holder.host], holder.bytes));
            let greediest = most.filter(|(_, holder)| held[&holder.host] > own);
            let is_late = |holder: &Holder| holder.phase == Phase::Coming && now - holder.since >= LONG;
            let late = || staying.iter().find(|(_, holder)| is_late(holder));
            let why = if greediest.is_some() { Leaves::HoldsMost } else { Leaves::TookLong };
            let (&number, &holder) = greediest.or_else(late)?;
            *held.get_mut(&holder.host)? -= holder.bytes;
            missing = missing.saturating_sub(holder.bytes);
            leaving.push((number, why));
            staying.remove(&number);
        }
        Some(leaving)
    }
}

impl Space {
    /// Takes room for so many bytes in all, if there is any or will be in a moment.
    pub async fn hold(&mut self, bytes: usize, url: &Url) -> Result<(), FetchError> {
        // What is larger than all there is has all there is.
        let bytes = bytes.min(self.room.bytes);
        self.wanted = bytes;
        let (room, until) = (Arc::clone(&self.room), Instant::now() + PATIENCE);
        let crowded = || Err(FetchError::Crowded { url: url.to_string() });
        loop {
            let mut freed = std::pin::pin!(room.freed.notified());
            freed.as_mut().enable();
            match self.take(bytes) {
                Ok(()) => return Ok(()),
                Err(Refused::OthersLeave) => {}
                Err(Refused::Full) if self.number.is_none() => {}
                Err(Refused::Full | Refused::Closed) => return crowded(),
            }
            if timeout_at(until, freed).await.is_err() {
                return crowded();
            }
        }
    }

    /// The same for what is large, or what has room already.
    pub async fn hold_large(&mut self, bytes: usize, url: &Url) -> Result<(), FetchError> {
        if bytes < SMALL_BYTES && self.number.is_none() { Ok(()) } else { self.hold(bytes, url).await }
    }

    fn take(&mut self, bytes: usize) -> Result<(), Refused> {
        let now = Instant::now();
        let state = &mut *self.room.state();
        let held = self.number.and_then(|number| state.holders.get(&number)).map_or(0, |holder| holder.bytes);
        let more = bytes.saturating_sub(held);
        if more > 0 && state.is_closed {
            return Err(Refused::Closed);
        }
        if more > state.free {
            let leaving = state.leaving_for(&self.host, more, now).ok_or(Refused::Full)?;
            for (number, why) in leaving {
                if let Some(holder) = state.holders.get_mut(&number) {
                    holder.leaves = Some(why);
                    holder.asked.notify_one();
                }
            }
            return Err(Refused::OthersLeave);
        }
        state.free -= more;
        let number = *self.number.get_or_insert_with(|| {
            state.next += 1;
            state.next
        });
        let (host, asked) = (Arc::clone(&self.host), Arc::clone(&self.asked));
        let holder = || Holder { host, bytes: 0, since: now, phase: Phase::Coming, leaves: None, asked };
        state.holders.entry(number).or_insert_with(holder).bytes += more;
        Ok(())
    }

    /// What the bodies take that are here and one more of so many bytes.
    pub(super) fn with(&self, bytes: usize) -> usize {
        self.here + bytes
    }

    /// A body is here, and takes so many bytes and no more.
    pub(super) fn arrived(&mut self, bytes: usize) {
        self.here += bytes;
        let here = self.here;
        self.change(|holder| {
            holder.phase = Phase::Waiting;
            let spare = holder.bytes.saturating_sub(here);
            holder.bytes -= spare;
            spare
        });
    }

    /// What it holds is judged, and stays from now on; or waits again.
    pub fn set_judged(&mut self, is_judged: bool) {
        self.change(|holder| {
            holder.phase = if is_judged { Phase::Judged } else { Phase::Waiting };
            holder.leaves = None;
            0
        });
    }

    /// Changes what the room knows of it; `change` says how many bytes are given back.
    fn change(&mut self, change: impl FnOnce(&mut Holder) -> usize) {
        let state = &mut *self.room.state();
        if let Some(holder) = self.number.and_then(|number| state.holders.get_mut(&number)) {
            state.free += change(holder);
        }
        self.room.freed.notify_waiters();
    }

    /// Waits until it is to give way to others.
    pub fn asked_to_leave(&self) -> impl Future<Output = ()> + Send + use<> {
        let asked = Arc::clone(&self.asked);
        async move { asked.notified().await }
    }

    /// Whether it is to give way because it took long to come.
    pub(super) fn took_long(&self) -> bool {
        let state = self.room.state();
        let holder = self.number.and_then(|number| state.holders.get(&number));
        holder.is_some_and(|holder| holder.leaves == Some(Leaves::TookLong))
    }

    /// How much room its visit would need that found none, or had to leave; zero if it never asked for any.
    pub fn wanted(&self) -> usize {
        self.wanted
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let state = &mut *self.room.state();
        state.free += state.holders.remove(&number).map_or(0, |holder| holder.bytes);
        self.room.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(host: &str) -> Url {
        Url::parse(&format!("http://{host}/")).unwrap()
    }

    /// The space of a visit that holds so much.
    async fn holding(room: &Arc<Room>, host: &str, bytes: usize) -> Space {
        let mut space = room.space(&url(host));
        space.hold(bytes, &url(host)).await.unwrap();
        space
    }

    /// Holds what it does until it is asked to leave.
    fn until_asked(space: Space) -> tokio::task::JoinHandle<()> {
        tokio::spawn(async move { space.asked_to_leave().await })
    }

    async fn is_refused(room: &Arc<Room>, host: &str, bytes: usize) -> bool {
        let (mut space, url) = (room.space(&url(host)), url(host));
        let refused = matches!(space.hold(bytes, &url).await, Err(FetchError::Crowded { .. }));
        refused && space.wanted() == bytes
    }

    #[tokio::test(start_paused = true)]
    async fn the_host_that_holds_most_gives_way_to_who_needs_less() {
        let room = Room::of(100);
        let (first, second) = (holding(&room, "most.test", 30).await, holding(&room, "most.test", 30).await);
        let (first, second) = (until_asked(first), until_asked(second));
        let other = until_asked(holding(&room, "other.test", 40).await);
        assert!(is_refused(&room, "new.test", 70).await, "which is more than anybody holds");
        assert!(!first.is_finished() && !second.is_finished() && !other.is_finished(), "and nobody leaves in vain");
        let begun = Instant::now();
        holding(&room, "new.test", 25).await.set_judged(true);
        assert_eq!(begun.elapsed(), Duration::ZERO);
        assert!(first.is_finished() != second.is_finished() && !other.is_finished(), "one of them is enough");
    }

    #[tokio::test(start_paused = true)]
    async fn who_holds_no_more_stays_until_it_takes_long() {
        let room = Room::of(100);
        let (mut here, coming) = (holding(&room, "a.test", 50).await, holding(&room, "b.test", 50).await);
        here.arrived(50);
        let (here, coming) = (until_asked(here), until_asked(coming));
        let begun = Instant::now();
        assert!(is_refused(&room, "new.test", 50).await);
        assert_eq!(begun.elapsed(), PATIENCE, "it waits for a moment");
        tokio::time::sleep(LONG).await;
        holding(&room, "new.test", 50).await;
        assert!(coming.is_finished() && !here.is_finished());
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_judged_stays_and_what_is_here_takes_what_it_has() {
        let room = Room::of(100);
        let mut space = holding(&room, "a.test", 1000).await;
        assert_eq!((space.wanted(), room.free()), (100, 0), "all there is");
        space.set_judged(true);
        let space = until_asked(space);
        assert!(is_refused(&room, "new.test", 1).await && !space.is_finished());
        space.abort();
        assert!(space.await.is_err());
        let mut space = holding(&room, "a.test", 100).await;
        space.arrived(10);
        assert_eq!(room.free(), 90);
        drop(space);
        assert_eq!(room.free(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_while_it_holds_something() {
        let room = Room::of(100);
        let mut first = holding(&room, "a.test", 50).await;
        let second = holding(&room, "b.test", 50).await;
        let begun = Instant::now();
        assert!(first.hold(60, &url("a.test")).await.is_err());
        assert_eq!((begun.elapsed(), room.free()), (Duration::ZERO, 0));
        drop(second);
        assert!(first.hold(60, &url("a.test")).await.is_ok());
        assert_eq!(room.free(), 40);
    }

    #[tokio::test(start_paused = true)]
    async fn a_room_that_is_closed_has_no_place() {
        let room = Room::of(100);
        let _space = holding(&room, "a.test", 100).await;
        let (waiting, begun) = (
            tokio::spawn({
                let room = Arc::clone(&room);
                async move { is_refused(&room, "b.test", 100).await }
            }),
            Instant::now(),
        );
        tokio::task::yield_now().await;
        room.close();
        assert!(waiting.await.unwrap() && begun.elapsed() == Duration::ZERO);
    }
}
