//! Traces on disk: what the lab replays, read and written.
//!
//! A trace is a folder of tables, each plain, `.gz` or `.zst`:
//!
//! | file | columns |
//! |---|---|
//! | `pages.csv` | `page_id`, `url`, `first_seen`, `last_seen`, and if known `text_bytes`, `links`, `images`, `emails`, `dir_level` |
//! | `changes.csv` | `page_id`, `time`: a page's changes in the order of time; its first version is not a change |
//! | `links_last.csv` | may be missing: `page_id`, `target_page_id`: which page links to which at the trace's end |
//! | `links.csv` | may be missing: the same, as the pages' first versions had them |
//!
//! Links are read only by [`read_with_links`]. Those of the trace's end know the future, so they may say where pages stand in
//! their sites but never predict a change; who predicts is shown those of the first versions.
//!
//! Columns may come in any order, and others are ignored. Times are unix seconds, UTC, with up to three decimals; an empty
//! feature is unknown. `meta.json`, if there, names the trace. [`days`] and [`collection`] make traces of something else.

pub mod collection;
pub mod days;
mod error;
mod files;
mod read;
mod span;
mod table;
mod write;

pub use error::TraceError;
pub use read::{read, read_with_links};
pub use span::usual_span;
pub use write::write;

#[cfg(test)]
mod tests;

/// The name of the table of pages.
const PAGES: &str = "pages.csv";
/// The name of the table of changes.
const CHANGES: &str = "changes.csv";
/// The name of the table of links.
const LINKS: &str = "links_last.csv";
/// The name of the table of the links that first versions had.
const FIRST_LINKS: &str = "links.csv";
/// The name of the file that describes a trace.
const META: &str = "meta.json";

/// What `meta.json` says, as far as it is of use here.
#[derive(serde::Deserialize)]
struct Meta {
    name: Option<String>,
}
