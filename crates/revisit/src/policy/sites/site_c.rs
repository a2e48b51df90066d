//! `site-c`: method B, and a lower site is looked at only if its upper site changed (Kumagai & Yamana 2004, method C).
//!
//! The split is in [`by_hierarchy`](crate::site::by_hierarchy), what is visited when in `by_site`.

use super::by_site::{BySite, Method, REST, ROUNDS};
use crate::policy::registry::{Build, Entry, Spending};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "site-c",
    paper: "Kumagai & Yamana 2004 (method C)",
    summary: "the tops of sites, and the others of a site when a top changed; split like site-b, and lower sites only if the upper one changed",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[REST, ROUNDS],
    build: Build::Plain(|values| Box::new(BySite::new(Method::Hierarchy, values))),
};
