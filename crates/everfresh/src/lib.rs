//! everfresh keeps a replica of the part of the Web you care about as fresh as a fetch budget allows.
//!
//! # The life of a page
//!
//! A page is *found*: the user names it, another page links or redirects to it, a sitemap or feed lists it. It is *unique* if
//! nobody knew its normalised URL. It becomes *due* when the policy of the [`revisit`] crate picks it for the current cycle,
//! waits in the queue of its host until politeness and robots.txt allow, and is *fetched*. The answer is *judged*: first,
//! changed, unchanged, gone or failed, with the rule that decided. It is *archived*, then *recorded* in one transaction with
//! everything the visit found, and only then *learned* by the history and the policy, which decide when it is due again.
//!
//! # The map
//!
//! The rooms in flow order, none of which imports a later one: [`fetch`] (bytes), [`parse`] (text, links, features),
//! [`meaning`] (what data say), [`sources`] (how data is asked for), [`detect`] (changed or not), [`archive`] (WARC and CDXJ), [`store`] (SQLite). Only the [`pipeline`], the loop, sees them all; [`query`] answers what
//! people ask.
//!
//! Around them: [`config`] as typed and [`settings`] resolved, the [`collection`] folder and its lock, the [`clock`], the
//! [`shutdown`], the [`handles`] of open files, [`units`] as people write them; the [`rule`] that decided about a visit; [`versions`] read back from the archive; [`traces`] for the lab to replay, [`models`] that [`training`] makes, [`report`] for people to look
//! at, [`output`] for terminals, [`cpu`] time spent; [`experiments`] on traces, which `lab` and `train` tell of; [`cli`] with one file per command; and [`living`], a
//! scripted web on loopback that the demo and the tests crawl.

// What is printed is said, so that an error ends the command and not the program: see `output`.
#![warn(clippy::print_stdout)]

#[macro_use]
pub mod output;

pub mod archive;
pub mod cli;
pub mod clock;
pub mod collection;
pub mod config;
pub mod cpu;
pub mod detect;
pub mod experiments;
pub mod fetch;
pub mod handles;
pub mod living;
pub mod meaning;
pub mod models;
pub mod parse;
pub mod pipeline;
pub mod query;
pub(crate) mod regular;
pub mod report;
pub mod rule;
pub mod settings;
pub mod shutdown;
pub mod sources;
pub mod store;
pub mod traces;
pub mod training;
pub mod units;
pub mod versions;
