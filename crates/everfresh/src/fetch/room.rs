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
//!
//! A body that is broken off was sent in vain. So a host whose bodies usually need room is only asked where there will be some:
//! that much is set aside, which binds those alone who set something aside too.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{FetchError, FetchSettings};

/// What a body may hold without asking.
pub(super) const SMALL_BYTES: usize = 256 << 10;
/// What usually needs less is not worth waiting for.
const SMALLEST: usize = 16 << 10;
/// How long a visit waits for room.
const PATIENCE: Duration = Duration::from_secs(1);
/// A body that has been coming for longer gives way to who waits.
const LONG: Duration = Duration::from_secs(5);

/// A host is asked although there is no room if another one holds so many times what it will hold, and can give way.
const GREEDY: usize = 4;
/// Hosts of which it is known what they need.
const MOST_KNOWN: usize = 1 << 14;

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
    /// What those set aside who have asked, or will ask at once.
    set_aside: usize,
    /// What the last bodies of hosts needed, if anything.
    usual: HashMap<Arc<str>, usize>,
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
    /// What was set aside for it.
    set_aside: usize,
    /// What bodies of its host usually need, and what this one needed at most.
    usual: usize,
    needed: usize,
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
        let (holders, usual) = (BTreeMap::new(), HashMap::new());
        let state = State { free: bytes, holders, next: 0, set_aside: 0, usual, is_closed: false };
        Arc::new(Room { bytes, state: Mutex::new(state), freed: Notify::new() })
    }

    /// The space of a visit to a host.
    pub(super) fn space(self: &Arc<Room>, url: &Url) -> Space {
        let (room, host): (_, Arc<str>) = (Arc::clone(self), url.host_str().unwrap_or_default().into());
        let usual = self.state().usual.get(&host).copied().unwrap_or(0);
        Space { room, host, number: None, asked: Arc::default(), set_aside: 0, usual, needed: 0, here: 0, wanted: 0 }
    }

    /// How many bytes are left that nobody has set aside.
    pub(super) fn free(&self) -> usize {
        let state = self.state();
        state.free.saturating_sub(state.set_aside)
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
    /// Whom to ask to leave so that a host may hold so much more, of which so much is missing: of those that hold more than so many
    /// times what it will hold then, or take long. `None` if it cannot be had.
    fn leaving_for(
        &self,
        host: &Arc<str>,
        (more, mut missing): (usize, usize),
        times: usize,
        now: Instant,
    ) -> Option<Vec<(u64, Leaves)>> {
        let mut held: HashMap<&Arc<str>, usize> = HashMap::new();
        let mut staying: BTreeMap<u64, &Holder> = BTreeMap::new();
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
            let greediest = most.filter(|(_, holder)| held[&holder.host] > own * times);
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

    /// A body of a host needed so much, where so much was usual.
    fn remember(&mut self, host: &Arc<str>, needed: usize, usual: usize) {
        // One that needs nothing may be an exception, as an answer that nothing changed is.
        match needed.max(usual / 2) {
            0..SMALLEST => {
                self.usual.remove(host);
            }
            usual => {
                if self.usual.len() >= MOST_KNOWN && !self.usual.contains_key(host) {
                    self.usual.clear();
                }
                self.usual.insert(Arc::clone(host), usual);
            }
        }
    }
}

impl Space {
    /// Before a host is asked: sets aside what its bodies usually need, if there is so much or will be in a moment.
    pub async fn set_usual_aside(&mut self, url: &Url) -> Result<(), FetchError> {
        match self.usual {
            0 => Ok(()),
            usual => self.wait_for(usual, url, Space::set_aside).await,
        }
    }

    /// Takes room for so many bytes in all, if there is any or will be in a moment.
    pub async fn hold(&mut self, bytes: usize, url: &Url) -> Result<(), FetchError> {
        self.give_up_aside();
        self.needed = self.needed.max(bytes.min(self.room.bytes));
        self.wait_for(bytes, url, Space::take).await
    }

    /// Waits for a moment until so many bytes can be had.
    async fn wait_for(
        &mut self,
        bytes: usize,
        url: &Url,
        had: impl Fn(&mut Space, usize) -> Result<(), Refused>,
    ) -> Result<(), FetchError> {
        // What is larger than all there is has all there is.
        let bytes = bytes.min(self.room.bytes);
        self.wanted = bytes;
        let (room, until) = (Arc::clone(&self.room), Instant::now() + PATIENCE);
        let crowded = || Err(FetchError::Crowded { url: url.to_string() });
        loop {
            let mut freed = std::pin::pin!(room.freed.notified());
            freed.as_mut().enable();
            match had(self, bytes) {
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

    fn set_aside(&mut self, bytes: usize) -> Result<(), Refused> {
        let state = &mut *self.room.state();
        if state.is_closed {
            return Err(Refused::Closed);
        }
        let missing = (state.set_aside + bytes).saturating_sub(state.free);
        if missing > 0 {
            state.leaving_for(&self.host, (bytes, missing), GREEDY, Instant::now()).ok_or(Refused::Full)?;
        }
        state.set_aside += bytes;
        self.set_aside = bytes;
        Ok(())
    }

    /// Whoever takes room, or needs none, has nothing set aside any more.
    fn give_up_aside(&mut self) {
        let set_aside = std::mem::take(&mut self.set_aside);
        if set_aside > 0 {
            self.room.state().set_aside -= set_aside;
            self.room.freed.notify_waiters();
        }
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
            let leaving = state.leaving_for(&self.host, (more, more - state.free), 1, now).ok_or(Refused::Full)?;
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
        self.give_up_aside();
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
        self.give_up_aside();
        if self.needed > 0 || self.usual > 0 {
            self.room.state().remember(&self.host, self.needed, self.usual);
        }
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

    /// The space of a visit whose host is asked only if there will be room; `None` if there is none.
    async fn asking(room: &Arc<Room>, host: &str) -> Option<Space> {
        let mut space = room.space(&url(host));
        space.set_usual_aside(&url(host)).await.ok().map(|()| space)
    }

    #[tokio::test(start_paused = true)]
    async fn who_usually_needs_room_is_asked_where_there_will_be_some() {
        const K: usize = 1 << 10;
        let room = Room::of(100 * K);
        assert!(asking(&room, "a.test").await.is_some_and(|space| space.set_aside == 0), "nobody knows it");
        for host in ["a.test", "b.test", "c.test"] {
            drop(holding(&room, host, 40 * K).await);
        }
        let (first, second) = (asking(&room, "a.test").await.unwrap(), asking(&room, "b.test").await.unwrap());
        assert_eq!(room.free(), 20 * K);
        let begun = Instant::now();
        assert!(asking(&room, "c.test").await.is_none() && begun.elapsed() == PATIENCE);
        drop(holding(&room, "new.test", 90 * K).await);
        drop(first);
        let mut third = asking(&room, "c.test").await.unwrap();
        third.hold(40 * K, &url("c.test")).await.unwrap();
        assert_eq!(room.free(), 20 * K, "what it holds is set aside no more");
        drop((second, third));
        assert_eq!(room.free(), 100 * K);
    }

    #[tokio::test(start_paused = true)]
    async fn who_could_have_room_from_the_greedy_is_asked_too() {
        const K: usize = 1 << 10;
        let room = Room::of(100 * K);
        drop((holding(&room, "few.test", 20 * K).await, holding(&room, "more.test", 30 * K).await));
        let _greedy = holding(&room, "greedy.test", 90 * K).await;
        assert!(asking(&room, "few.test").await.is_some(), "that has more than four times as much");
        assert!(asking(&room, "more.test").await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_host_usually_needs_is_forgotten_by_halves() {
        let room = Room::of(1 << 20);
        drop(holding(&room, "a.test", 100 << 10).await);
        let usual = || room.space(&url("a.test")).usual >> 10;
        assert_eq!([usual(), usual(), usual(), usual()], [100, 50, 25, 0]);
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
