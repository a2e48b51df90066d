//! A web on loopback that lives: scripted and seeded, so that every change of it is known.
//!
//! `everfresh demo` crawls it in fast time and then compares the replica with the truth; the tests do the same.
//!
//! - [`Script`], [`Site`], [`Page`], [`Changes`]: what there is and how it changes;
//! - [`Truth`]: which version of which page is there at which time;
//! - [`LivingWeb`]: serves it over HTTP, with the habits and the bad days of real sites;
//! - [`compare`]: how well a list of visits kept up with the truth;
//! - [`Played`]: the web of a trace, which changes when its pages really did; [`cycle_counts`] counts what visits made of it, as the lab
//!   counts;
//! - [`Hostile`]: a server apart, which tries to break whoever comes.
//!
//! The content of a version is a function of the seed, the page and the version alone: same seed, same web, same
//! bytes.

mod answer;
mod changes;
mod copies;
mod data;
mod demo;
mod feeds;
mod figure;
mod hostile;
mod listener;
mod played;
mod random;
mod render;
mod report;
mod script;
mod server;
mod small_traps;
mod tally;
mod timeline;
mod traps;
mod truth;
mod words;

pub use changes::Changes;
pub use data::Syntax;
pub use hostile::{Hostile, Trap};
pub use played::Played;
pub use report::{Comparison, Judgement, Observation, aligned, compare, freshness_at};
pub use script::{Answer, Flavour, Noise, Page, Script, Site, Sitemap, Validators};
pub use server::{LivingWeb, Request};
pub use tally::cycle_counts;
pub use truth::{PageTruth, Truth};

#[cfg(test)]
mod tests;
