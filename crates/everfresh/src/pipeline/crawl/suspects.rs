//! What may have killed a crawl takes turns: few pages at a time are let into the queues of their hosts, and few robots.txt are
//! fetched at once, so that any number of them takes no more than a few processes and nobody's place.
//!
//! Who has had its turn for a moment and is not done gives way to who waits, and has another one later: servers that say
//! nothing would else keep all other suspects waiting, one time-out after the other.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use revisit::{HostId, Signal, Span, Time};

use super::{Crawl, Done};
use crate::pipeline::apart::Died;
use crate::pipeline::context::Context;
use crate::pipeline::hosts::{Contact, Errand};
use crate::pipeline::under_way::Who;
use crate::pipeline::visit::Assignment;

/// Pages that have their turn at once, and robots.txt, for which all pages of their hosts wait.
const MOST: usize = 8;
/// How long a turn lasts if others wait.
const TURN: Span = Span::from_secs(2);

/// Suspects that were picked.
#[derive(Default)]
pub(super) struct Suspects {
    pages: Line<Assignment>,
    robots: Line<(Contact, Errand)>,
}

/// Suspects of one kind.
struct Line<T> {
    waiting: VecDeque<T>,
    out: HashMap<Who, Turn>,
}

impl<T> Default for Line<T> {
    fn default() -> Line<T> {
        Line { waiting: VecDeque::new(), out: HashMap::new() }
    }
}

/// The turn of a suspect.
struct Turn {
    host: HostId,
    /// Since it was called, or contacted.
    since: Time,
    /// `None` while it waits in the queue of its host.
    contact: Option<Contact>,
    /// It was asked to give way.
    leaves: bool,
}

impl<T> Line<T> {
    /// Gives a turn to who is next, if there is one.
    fn call(&mut self, most: usize) -> Option<T> {
        if self.out.len() < most { self.waiting.pop_front() } else { None }
    }

    fn leaving(&self) -> usize {
        self.out.values().filter(|turn| turn.leaves).count()
    }

    /// When the next turn is over, if somebody waits for it.
    fn ends_at(&self) -> Option<Time> {
        let turns = self.out.values().filter(|turn| !turn.leaves && self.waiting.len() > self.leaving());
        turns.map(|turn| turn.since + TURN).min()
    }

    /// Takes the turns of those who have had theirs, as far as others wait: who they are, longest first.
    fn take_turns(&mut self, now: Time) -> Vec<(Who, HostId, Option<Contact>)> {
        let leaving = self.leaving();
        let mut late: Vec<_> =
            self.out.iter_mut().filter(|(_, turn)| !turn.leaves && turn.since + TURN <= now).collect();
        late.sort_by_key(|(who, turn)| (turn.since, **who));
        late.truncate(self.waiting.len().saturating_sub(leaving));
        let ask = |(who, turn): (&Who, &mut Turn)| {
            turn.leaves = true;
            (*who, turn.host, turn.contact)
        };
        late.into_iter().map(ask).collect()
    }
}

impl Crawl {
    /// Puts a picked page into its host's queue, or among those that wait for their turn.
    pub(super) fn queue(&mut self, page: Assignment) {
        if self.under_way.suspects(Who::Page(page.page)) {
            self.suspects.pages.waiting.push_back(page);
            self.call_suspects();
        } else {
            self.memory.hosts.queue_page(page);
        }
    }

    /// Picked pages that wait for their turn.
    pub(super) fn waiting_suspects(&self) -> usize {
        self.suspects.pages.waiting.len()
    }

    fn call_suspects(&mut self) {
        let (now, most) = (self.clock.now(), MOST.min(self.context.settings.concurrency));
        while let Some(page) = self.suspects.pages.call(most) {
            let turn = Turn { host: page.host, since: now, contact: None, leaves: false };
            self.suspects.pages.out.insert(Who::Page(page.page), turn);
            self.memory.hosts.queue_page_first(page);
        }
        while let Some((contacted, errand)) = self.suspects.robots.call(most) {
            let turn = Turn { host: contacted.host, since: now, contact: Some(contacted), leaves: false };
            self.suspects.robots.out.insert(errand.who(), turn);
            self.spawn(contacted, errand);
        }
    }

    /// Suspects that have had their turn give way to others.
    pub(super) fn change_suspects(&mut self) {
        let now = self.clock.now();
        let late = [self.suspects.pages.take_turns(now), self.suspects.robots.take_turns(now)].concat();
        for (who, host, contact) in late {
            match (contact, who) {
                (Some(contact), _) => self.places.ask(contact, who),
                // Its host is not ready for it.
                (None, Who::Page(page)) => {
                    self.suspects.pages.out.remove(&who);
                    self.suspects.pages.waiting.extend(self.memory.hosts.take_back(host, page));
                    self.call_suspects();
                }
                (None, Who::Robots(_)) => {}
            }
        }
    }

    /// When a suspect is to give way next.
    pub(super) fn suspects_change_at(&self) -> Option<Time> {
        self.suspects.pages.ends_at().into_iter().chain(self.suspects.robots.ends_at()).min()
    }

    /// An errand was done or given back; if it was a suspect's, the next one has its turn.
    pub(super) fn end_turn(&mut self, who: Who) {
        let had_turn = match who {
            Who::Page(_) => self.suspects.pages.out.remove(&who).is_some(),
            Who::Robots(_) => self.suspects.robots.out.remove(&who).is_some(),
        };
        if had_turn {
            self.call_suspects();
        }
    }

    /// Begins an errand that its host is ready for, or lets it wait for its turn.
    pub(super) fn do_errand(&mut self, contacted: Contact, errand: Errand) {
        match errand.who() {
            who @ Who::Robots(_) if self.under_way.suspects(who) => {
                self.suspects.robots.waiting.push_back((contacted, errand));
                self.call_suspects();
            }
            who => {
                if let Some(turn) = self.suspects.pages.out.get_mut(&who) {
                    (turn.since, turn.contact) = (contacted.begun, Some(contacted));
                }
                self.spawn(contacted, errand);
            }
        }
    }

    /// Gives back what waits for its turn.
    pub(super) fn dismiss_suspects(&mut self) {
        for page in std::mem::take(&mut self.suspects.pages.waiting) {
            self.release(page.page);
        }
        let now = self.clock.now();
        for (contacted, errand) in std::mem::take(&mut self.suspects.robots.waiting) {
            if let Who::Robots(asker) = errand.who() {
                self.memory.hosts.forget_robots(asker);
            }
            self.memory.hosts.end(contacted, now, Signal::Fine, None);
        }
    }
}

/// Does an errand in a process of its own.
pub(super) async fn run_apart(context: &Arc<Context>, contacted: Contact, errand: Errand) -> Done {
    let (who, at) = (errand.who(), context.clock.now());
    let Some(apart) = &context.apart else {
        return Done::Died { contacted, who, reason: "there is nowhere to try it".into() };
    };
    let done = match errand {
        Errand::Page(page) => {
            let visited = apart.visit(context, &page, at).await;
            visited.map(|finished| Done::Visit { contacted, finished: Box::new(finished) })
        }
        Errand::Robots { asker, url, hops } => {
            apart.robots(context, url, at).await.map(|fetched| Done::Robots { contacted, asker, hops, fetched })
        }
    };
    done.unwrap_or_else(|Died(reason)| Done::Died { contacted, who, reason })
}

#[cfg(test)]
mod tests {
    use revisit::PageId;

    use super::*;

    fn at(seconds: i64) -> Time {
        Time::from_secs(1000 + seconds)
    }

    fn page(number: u32) -> Who {
        Who::Page(PageId(number))
    }

    #[test]
    fn who_had_its_turn_gives_way_to_who_waits_and_to_nobody_else() {
        let mut line = Line::default();
        for (number, since) in [(1, 1), (2, 0), (3, 5)] {
            let (host, since) = (HostId(number), at(since));
            line.out.insert(page(number), Turn { host, since, contact: None, leaves: false });
        }
        assert_eq!((line.ends_at(), line.take_turns(at(60)).len()), (None, 0), "nobody waits");
        line.waiting.push_back(());
        assert_eq!(line.ends_at(), Some(at(2)));
        assert_eq!(line.take_turns(at(1)).len(), 0, "not before its time");
        let left: Vec<Who> = line.take_turns(at(4)).into_iter().map(|(who, ..)| who).collect();
        assert_eq!(left, [page(2)], "one for one, the longest first");
        assert_eq!(line.take_turns(at(60)).len(), 0, "one leaves already");
        line.waiting.extend([(), ()]);
        assert_eq!(line.take_turns(at(4)).len(), 1, "the third has its turn still");
        assert_eq!(line.ends_at(), Some(at(7)));
    }
}
