//! `site-b`: a top page and the pages of its directory it links to (Kumagai & Yamana 2004, method B).
//!
//! The split is in [`by_links`](crate::site::by_links), what is visited when in `by_site`.

use super::by_site::{BySite, Method, REST, ROUNDS};
use crate::policy::registry::{Build, Entry, Spending};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "site-b",
    paper: "Kumagai & Yamana 2004 (method B)",
    summary: "the tops of sites, and the others of a site when a top changed; split by links, with pages linked from other directories as tops",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[REST, ROUNDS],
    build: Build::Plain(|values| Box::new(BySite::new(Method::Links, values))),
};
