//! Which pages are picked: how many wait to be recorded, how many more a crawl may pick, and when it is worth asking for more.

use revisit::Time;

/// Pages picked by this crawl.
#[derive(Debug)]
pub(super) struct Picks {
    /// Those not yet recorded.
    outstanding: usize,
    /// All of them, those given back left out.
    made: u64,
    /// How many there may be.
    most: u64,
    /// When it was last asked for more.
    asked_at: Time,
    /// When to ask again; `None` if there was more to pick than was asked for.
    ask_again: Option<Time>,
}

impl Picks {
    /// None yet, and at most so many.
    pub(super) fn new(most: Option<u64>) -> Picks {
        Picks { outstanding: 0, made: 0, most: most.unwrap_or(u64::MAX), asked_at: Time::MIN, ask_again: None }
    }

    /// Pages picked and not yet recorded.
    pub(super) fn outstanding(&self) -> usize {
        self.outstanding
    }

    /// How many may still be picked.
    fn left(&self) -> u64 {
        self.most.saturating_sub(self.made)
    }

    /// How many of those that there is room for may be picked.
    pub(super) fn within(&self, room: usize) -> usize {
        usize::try_from(self.left()).map_or(room, |left| room.min(left))
    }

    /// So many were picked now where there was room for so many; if that was all there are, time may bring more.
    pub(super) fn take(&mut self, picked: usize, room: usize, now: Time, ask_again: Time) {
        self.asked_at = now;
        self.outstanding += picked;
        self.made += picked as u64;
        self.ask_again = (picked < room || self.left() == 0).then_some(ask_again);
    }

    /// One was given back unvisited.
    pub(super) fn give_back(&mut self) {
        self.outstanding -= 1;
        self.made -= 1;
    }

    /// One was recorded.
    pub(super) fn record(&mut self) {
        self.outstanding -= 1;
    }

    /// Something happened that may have made room, or pages to pick.
    pub(super) fn look_again(&mut self) {
        self.ask_again = None;
    }

    /// When it was last asked for more.
    pub(super) fn asked_at(&self) -> Time {
        self.asked_at
    }

    /// Whether there was nothing more to pick when it was last asked.
    pub(super) fn are_exhausted(&self) -> bool {
        self.ask_again.is_some()
    }

    /// Whether all were made that may be.
    pub(super) fn are_spent(&self) -> bool {
        self.left() == 0
    }

    /// When to ask for more.
    pub(super) fn due_at(&self, now: Time) -> Time {
        self.ask_again.map_or(now, |again| again.max(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_in_vain_is_asked_again_later_or_when_something_happened() {
        let (now, later) = (Time::from_secs(10), Time::from_secs(20));
        let mut picks = Picks::new(Some(5));
        assert_eq!((picks.within(9), picks.due_at(now), picks.are_exhausted()), (5, now, false));
        picks.take(3, 3, now, later);
        assert_eq!((picks.outstanding(), picks.within(9), picks.due_at(now)), (3, 2, now), "there may be more");
        picks.take(1, 2, now, later);
        assert_eq!((picks.due_at(now), picks.due_at(Time::from_secs(30))), (later, Time::from_secs(30)));
        picks.record();
        picks.give_back();
        picks.look_again();
        assert_eq!((picks.outstanding(), picks.within(9), picks.due_at(now)), (2, 2, now));
        picks.take(2, 2, now, later);
        assert!(picks.are_spent() && picks.are_exhausted());
    }
}
