//! everfresh keeps a replica of the part of the Web you care about as fresh as a fetch budget allows.

pub mod archive;
pub mod cli;
pub mod clock;
pub mod collection;
pub mod config;
pub mod detect;
pub mod fetch;
pub mod living;
pub mod parse;
pub mod pipeline;
pub mod settings;
pub mod shutdown;
pub mod store;
pub mod units;
