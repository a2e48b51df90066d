//! The state of a crawl, and the first steps of its loop: schedule, and fetch what hosts are ready for.

mod answer;
mod answered;
mod close;
mod crowded;
mod cycle;
mod open;
mod parked;
mod picks;
mod places;
mod promise;
mod record;
mod renew;
mod suspects;
mod train;

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use revisit::{HostId, PageId, Signal, Span, Time};
use tokio::sync::mpsc;

use super::PipelineError;
use super::absence::Absence;
use super::checkpoint::Keeper;
use super::context::Context;
use super::hosts::{Contact, Errand, Next};
use super::memory::Memory;
use super::redirects::Redirects;
use super::summary::Progress;
use super::under_way::{UnderWay, Who};
use super::visit::{Assignment, BrokenOff, FetchedRobots, Finished, Found, RobotsAnswer, robots, visit};
use super::writer;
use crate::clock::Clock;
use crate::rule::Rule;
use crate::shutdown::Trigger;
use crate::store::{Outcomes, Reader};
use answer::Desk;
use crowded::Crowded;
use parked::Parked;
use picks::Picks;
use places::Places;
use promise::Promise;
use renew::Stamp;
use suspects::{Suspects, run_apart};
use train::Training;

/// When a crawl ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Never.
    Forever,
    /// After one cycle.
    OneCycle,
    /// When no page is left to visit: one cycle without a budget.
    Idle,
}

/// What bounds a crawl.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// When it ends by itself.
    pub goal: Goal,
    /// After how many visits at the latest.
    pub max_visits: Option<u64>,
}

/// After this share of a cycle, pages that nobody wanted may be due and hosts that were left alone may be ready.
const LOOK_AGAIN: f64 = 0.05;

/// Pages are picked for hosts that are not ready yet; to ask all of them again takes a while where there are many.
const SOON: Span = Span::from_millis(250);

/// Pages that robots.txt forbids cost their hosts nothing, but the loop a look at rules that may be long: after so many of them
/// it hears what else happened.
const LOOKS_A_TURN: u32 = 64;
/// Rules that have to be read again take as long as so many looks.
const LOOKS_TO_A_READING: u32 = 16;

/// What is under way when a crawl is to end may take this long; then it is broken off, to be done again.
const GRACE: Duration = Duration::from_secs(3);

/// What a task says when it is done.
pub(super) enum Done {
    Visit {
        contacted: Contact,
        finished: Box<Finished>,
    },
    Robots {
        contacted: Contact,
        asker: HostId,
        hops: u8,
        fetched: FetchedRobots,
    },
    /// The visit was broken off, and is to be made again.
    GivenBack {
        contacted: Contact,
        broken_off: BrokenOff,
    },
    /// The host has answered, and what it said is being judged apart.
    Answered {
        contacted: Contact,
        who: Who,
        signal: Signal,
        address: IpAddr,
        requests: u32,
    },
    /// It took too long to end when the crawl was to, or failed because this program stood still or had no handle left, and
    /// is to be done again.
    BrokenOff {
        contacted: Contact,
        who: Who,
    },
    /// It took long, and others waited for its place.
    GaveWay {
        contacted: Contact,
        who: Who,
    },
    /// The task panicked.
    Lost {
        contacted: Contact,
        who: Who,
    },
    /// The process in which it was tried died.
    Died {
        contacted: Contact,
        who: Who,
        reason: String,
    },
}

impl Done {
    /// Whose errand it was.
    pub(super) fn who(&self) -> Who {
        match self {
            Done::Visit { finished, .. } => Who::Page(finished.visit.visit.page),
            Done::GivenBack { broken_off, .. } => Who::Page(broken_off.page.page),
            Done::Robots { asker, .. } => Who::Robots(*asker),
            Done::Answered { who, .. }
            | Done::BrokenOff { who, .. }
            | Done::GaveWay { who, .. }
            | Done::Lost { who, .. }
            | Done::Died { who, .. } => *who,
        }
    }

    /// With whom.
    fn contacted(&self) -> Contact {
        match self {
            Done::Visit { contacted, .. }
            | Done::Robots { contacted, .. }
            | Done::GivenBack { contacted, .. }
            | Done::Answered { contacted, .. }
            | Done::BrokenOff { contacted, .. }
            | Done::GaveWay { contacted, .. }
            | Done::Lost { contacted, .. }
            | Done::Died { contacted, .. } => *contacted,
        }
    }

    /// The same errand, to be done again.
    fn broken_off(&self) -> Done {
        Done::BrokenOff { contacted: self.contacted(), who: self.who() }
    }

    /// What the pages that it found take.
    fn found_bytes(&self) -> usize {
        let Done::Visit { finished, .. } = self else { return 0 };
        finished.found.iter().map(|found| size_of::<Found>() + found.url.as_str().len()).sum()
    }

    /// Whether nobody answered.
    fn is_unanswered(&self) -> bool {
        match self {
            Done::Visit { finished, .. } => finished.visit.answer.is_none(),
            Done::Robots { fetched, .. } => matches!(fetched.answer, RobotsAnswer::OutOfReach { .. }),
            Done::GaveWay { .. } => true,
            _ => false,
        }
    }

    /// Whose turn it is if several are done at once: hosts first, then pages, each by number.
    pub(super) fn turn(&self) -> (bool, u32) {
        match self.who() {
            Who::Robots(host) => (false, host.0),
            Who::Page(page) => (true, page.0),
        }
    }
}

/// Does an errand, as promised.
async fn run(context: &Arc<Context>, promise: &Promise, errand: Errand) -> Done {
    let contacted = promise.contacted();
    match errand {
        Errand::Page(page) => {
            match visit(context, page, &|signal, address, requests| promise.answered(signal, address, requests)).await {
                Ok(finished) => Done::Visit { contacted, finished: Box::new(finished) },
                Err(broken_off) => Done::GivenBack { contacted, broken_off },
            }
        }
        Errand::Robots { asker, url, hops } => match robots(context, url).await {
            Some(fetched) => Done::Robots { contacted, asker, hops, fetched },
            None => Done::BrokenOff { contacted, who: Who::Robots(asker) },
        },
    }
}

/// Waits until the crawl is to end, and as long again as what is under way then may take.
async fn out_of_patience(context: &Context) {
    context.stopping.clone().asked().await;
    tokio::time::sleep(GRACE).await;
}

/// A crawl under way.
pub(super) struct Crawl {
    writer: writer::Handle,
    finish: mpsc::UnboundedSender<Done>,
    context: Arc<Context>,
    clock: Clock,
    memory: Memory,
    keeper: Keeper,
    redirects: Redirects,
    reader: Box<dyn Reader>,
    under_way: UnderWay,
    suspects: Suspects,
    absence: Absence,
    goal: Goal,
    picks: Picks,
    /// Those of them that are not yet recorded, and robots.txt, that are being fetched.
    places: Places,
    /// Errands whose hosts have answered, and wait for nothing.
    answered: HashSet<Who>,
    crowded: Crowded,
    parked: Parked,
    desk: Desk,
    draining: bool,
    /// Tells visits of many steps to end.
    stop: Trigger,
    cycle: Cycle,
    /// The policy's model file as it was when it was last looked at.
    model: Stamp,
    training: Training,
    tally: Tally,
}

/// What this crawl did so far.
#[derive(Clone, Copy)]
struct Tally {
    outcomes: Outcomes,
    /// Pages that were not taken in because their domain has enough hosts.
    left_out: u64,
    started: Instant,
    cpu_before: u64,
}

/// The cycle under way.
struct Cycle {
    /// Its number in the store.
    id: u64,
    /// Its number among those of this crawl.
    number: u32,
    opened_at: Time,
    outcomes: Outcomes,
}

impl Crawl {
    /// Takes note that the system's clock was set: hosts are owed their delays in time that passed.
    pub(super) fn follow_clock(&mut self) {
        let ahead = self.clock.follow();
        if ahead > Span::ZERO {
            tracing::warn!("the system's clock was set forward by {ahead}; hosts are left alone as before");
            self.memory.hosts.postpone(ahead);
            self.memory.respect_hosts(self.clock.now());
        }
    }

    /// Schedule: picks pages and puts them into their hosts' queues, if these run low.
    pub(super) fn schedule(&mut self) -> Result<(), PipelineError> {
        let now = self.clock.now();
        if self.pick_at(now).is_none_or(|pick_at| now < pick_at) {
            return Ok(());
        }
        let room = self.picks.within(self.room() - self.taken());
        let picks = self.memory.scheduler.pick(now, room)?;
        let pause_ends = self.memory.scheduler.pause_ends().unwrap_or(Time::MAX);
        let ask_again = pause_ends.min(now + self.context.settings.cycle * LOOK_AGAIN);
        self.picks.take(picks.len(), room, now, ask_again);
        let loaded = self.reader.load(&picks)?;
        if loaded.len() < picks.len() {
            return Err(PipelineError::PagesGone(picks.len() - loaded.len()));
        }
        for loaded in loaded {
            let page = loaded.page;
            match Assignment::new(loaded) {
                Some(assignment) => self.queue(assignment),
                None => self.release(page),
            }
        }
        Ok(())
    }

    /// How many pages may be picked and not yet recorded: enough for every connection and some for every host.
    fn room(&self) -> usize {
        self.context.settings.concurrency * 2 + self.memory.hosts.len() * 4
    }

    /// How many of them there are; those that wait for their turn, for room or to be judged take nobody's place.
    fn taken(&self) -> usize {
        self.picks.outstanding() - self.waiting_suspects() - self.crowded.len() - self.answered.len()
    }

    /// When pages are to be picked again, if there is room for some: at once where half of it is free, and else soon, or a host
    /// whose pages are found just after the others took all of it would be silent for as long as half of theirs take.
    fn pick_at(&self, now: Time) -> Option<Time> {
        let (room, taken) = (self.room(), self.taken());
        if self.draining || taken > room - room / 8 {
            return None;
        }
        let due = self.picks.due_at(now);
        Some(if taken > room / 2 { due.max(self.picks.asked_at() + SOON) } else { due })
    }

    fn release(&mut self, page: PageId) {
        self.memory.scheduler.release(page);
        self.desk.end_visit(page);
        self.picks.give_back();
        self.end_call(page);
        self.end_turn(Who::Page(page));
    }

    /// Fetch, parse, detect: starts what hosts are ready for, in tasks of their own.
    pub(super) fn contact_hosts(&mut self) {
        let mut looks = LOOKS_A_TURN;
        self.set_slow_aside(self.clock.now());
        self.change_suspects();
        self.call_crowded();
        self.take_parked();
        while looks > 0 && self.writer.has_room() {
            let now = self.clock.now();
            let is_wanted = self.memory.hosts.next_ready().is_some_and(|ready| ready <= now);
            if !is_wanted || !self.places.has_room(now) {
                break;
            }
            match self.memory.hosts.next(now) {
                Some(Next::Contact(contact, errand)) => self.do_errand(contact, errand),
                Some(Next::Forbidden(page)) => {
                    looks -= 1;
                    self.refuse(*page, Rule::Robots, "robots.txt forbids this page to us".to_owned());
                }
                // What cannot be read is asked for again.
                Some(Next::Rules(host)) => {
                    looks = looks.saturating_sub(LOOKS_TO_A_READING);
                    self.memory.hosts.bring_rules(host, self.reader.robots(host).ok().flatten());
                }
                None => break,
            }
        }
    }

    fn spawn(&mut self, contacted: Contact, errand: Errand) {
        let (context, who) = (self.context.clone(), errand.who());
        if let Who::Robots(asker) = who {
            self.speak_for_robots(asker);
        }
        let promise = Promise::new(self.finish.clone(), contacted, who);
        let is_suspect = self.under_way.begin(who);
        let (absence, begun) = (self.absence.clone(), self.absence.now());
        let give_way = self.places.begin(contacted, who);
        tokio::spawn(async move {
            let doing = async {
                if is_suspect {
                    run_apart(&context, contacted, errand).await
                } else {
                    run(&context, &promise, errand).await
                }
            };
            let done = tokio::select! {
                biased;
                done = doing => done,
                () = out_of_patience(&context) => Done::BrokenOff { contacted, who },
                Ok(()) = give_way => Done::GaveWay { contacted, who },
            };
            let is_ours = done.is_unanswered() && absence.was_since(begun);
            promise.keep(if is_ours { Done::BrokenOff { contacted, who } } else { done });
        });
    }

    /// Begins nothing new and gives back what has not begun, or waits for something.
    pub(super) fn drain(&mut self) {
        self.draining = true;
        self.stop.ask();
        self.context.fetcher.stop_waiting();
        self.dismiss_suspects();
        self.dismiss_crowded();
        self.dismiss_parked();
        self.give_back_unbegun();
    }

    pub(super) fn is_draining(&self) -> bool {
        self.draining
    }

    /// Whether nothing is left to do.
    pub(super) fn is_done(&self) -> bool {
        let ends = self.draining || self.picks.are_spent() || self.goal != Goal::Forever;
        let is_idle = self.picks.outstanding() == 0 && self.places.taken() == 0 && self.desk.is_done();
        ends && (self.draining || self.picks.are_exhausted()) && is_idle
    }

    /// When to look again if nothing happens until then.
    pub(super) fn wake_at(&self) -> tokio::time::Instant {
        let now = self.clock.now();
        // When something was written, that wakes the loop.
        let ready = self.memory.hosts.next_ready().filter(|_| self.writer.has_room());
        let ready = ready.map(|ready| ready.max(self.places.room_at(now)));
        let mut wake = ready.unwrap_or(Time::MAX).min(self.cycle_end());
        wake = wake.min(self.suspects_change_at().unwrap_or(Time::MAX));
        wake = wake.min(self.pick_at(now).unwrap_or(Time::MAX));
        if self.desk.is_busy() {
            wake = now;
        }
        self.clock.instant(wake)
    }

    pub(super) fn progress(&self) -> Progress {
        Progress {
            outcomes: self.tally.outcomes,
            pages: self.memory.scheduler.pages().len(),
            waiting: self.memory.scheduler.waiting(),
            in_flight: self.places.taken(),
            cycle: self.cycle.number,
        }
    }
}
