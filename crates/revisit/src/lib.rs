//! When to visit which page again: histories, policies and schedules, free of I/O.
//!
//! A crawler or a simulation adds pages to a [`Scheduler`], opens a cycle with a budget, asks it which pages to visit and
//! tells it what each [`Visit`] showed. Which pages those are is up to a [`Policy`]; [`policy::registry`] lists them all.
//!
//! The rooms, in the order in which data flows; none knows a later one:
//!
//! | room | what it is about |
//! |---|---|
//! | [`time`], [`features`], [`page`], [`visit`] | points in time; what a first version shows; numbers for pages and hosts; one visit and what it showed |
//! | [`history`] | all that is known of one page's visits, in a few bytes |
//! | [`site`] | how pages link, how deep they lie, which belong together, how far a site's own dates can be believed |
//! | [`estimate`] | change rates from histories |
//! | [`model`] | what was learned beforehand: formulas, groups, trees |
//! | [`policy`] | what a visit is worth: the trait, the [registry](policy::registry) of policies, one folder a family |
//! | [`schedule`] | from scores to visits: which pages next, and how soon a host may be asked again |
//! | `lab` (feature `lab`) | policies on what is known to have happened, or on a made-up world |
//! | `learn` (feature `learn`) | models from pages that were watched |
//!
//! Nothing here reads a clock, a file, a socket or random numbers, and nothing starts a thread: times, seeds and workers come in
//! as arguments, so everything can be replayed. The `examples` folder has a crawler's loop, a simulation and a policy of one's own.
//!
//! ```
//! use revisit::{Floors, HostId, Outcome, PageId, Scheduler, Span, Time, Visit, policy::registry};
//!
//! let mut scheduler = Scheduler::new(registry::build("age").unwrap(), Span::HOUR, Floors::default());
//! let page = scheduler.add(PageId(0), HostId(0), 1.0);
//! let now = Time::from_secs(0);
//! scheduler.open_cycle(10, 10, now);
//! assert_eq!(scheduler.pick(now, 10).unwrap(), [page]);
//! scheduler.record(&Visit { page, at: now, outcome: Outcome::First });
//! ```

pub mod checkpoint;
mod column;
pub mod estimate;
pub mod features;
pub mod history;
#[cfg(feature = "lab")]
pub mod lab;
#[cfg(feature = "learn")]
pub mod learn;
pub mod model;
pub mod page;
pub mod policy;
pub mod schedule;
pub mod site;
pub mod time;
pub mod visit;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use features::{Feature, Features};
pub use history::History;
pub use page::{HostId, PageId, Pages};
pub use policy::{Budget, Needs, Policy};
pub use schedule::{
    BadScore, Floors, Held, ListKind, Manners, PageOrder, Politeness, Rank, Ranking, Scheduler, Signal,
};
pub use time::{Span, Time};
pub use visit::{Outcome, Visit};

/// Its example is tested with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
