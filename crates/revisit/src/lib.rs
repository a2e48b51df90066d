//! When to visit which page again: histories, policies and schedules, free of I/O.
//!
//! A crawler or a simulation adds pages to a [`Scheduler`], opens a cycle with a budget, asks it which pages to visit and
//! tells it what each [`Visit`] showed. Which pages those are is up to a [`Policy`]; [`policy::registry`] lists them all.
//!
//! The rooms, in the order in which data flows: [`time`] and [`page`] name things, [`features`] are what a page's
//! first version shows, a [`visit`] is what happens, a page's
//! visits add up to a [`history`], [`estimate`] reads change rates off it, a [`policy`] turns it into a score, and the
//! [`schedule`] turns scores into the next visits. The [`lab`] runs policies on what is known to have happened, and
//! [`learn`] turns that into models. Nothing here reads a clock, a file, a socket or random numbers: times
//! and seeds come in as arguments, so everything can be replayed.
//!
//! ```
//! use revisit::{HostId, Outcome, PageId, Scheduler, Span, Time, Visit, policy::registry};
//!
//! let mut scheduler = Scheduler::new(registry::build("age").unwrap(), Span::HOUR, 0.2);
//! let page = scheduler.add(PageId(0), HostId(0), 1.0);
//! let now = Time::from_secs(0);
//! scheduler.open_cycle(10, 10, now);
//! assert_eq!(scheduler.pick(now, 10).unwrap(), [page]);
//! scheduler.record(&Visit { page, at: now, outcome: Outcome::First });
//! ```

mod column;
pub mod estimate;
pub mod features;
pub mod history;
pub mod lab;
pub mod learn;
pub mod model;
pub mod page;
pub mod policy;
pub mod schedule;
pub mod site;
pub mod time;
pub mod visit;

pub use features::{Feature, Features};
pub use history::History;
pub use page::{HostId, PageId, Pages};
pub use policy::{Budget, Needs, Policy};
pub use schedule::{BadScore, ListKind, Manners, Politeness, Rank, Scheduler, Signal};
pub use time::{Span, Time};
pub use visit::{Outcome, Visit};
