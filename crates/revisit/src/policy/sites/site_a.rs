//! `site-a`: a directory is a site and its shallowest pages are its tops (Kumagai & Yamana 2004, method A).
//!
//! The split is in [`by_directory`](crate::site::by_directory), what is visited when in `by_site`.

use super::by_site::{BySite, Method, REST, ROUNDS};
use crate::policy::registry::{Build, Entry, Spending};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "site-a",
    paper: "Kumagai & Yamana 2004 (method A)",
    summary: "the tops of sites, and the others of a site when a top changed; split by directories, with the shallowest pages as tops",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[REST, ROUNDS],
    build: Build::Plain(|values| Box::new(BySite::new(Method::Directories, values))),
};
