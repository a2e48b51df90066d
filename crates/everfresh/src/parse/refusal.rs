//! Why a link is not followed: the user's rules say so, or a guard does, which may be wrong.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a URL does not belong to the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub enum Refusal {
    /// No seed opens the place where it is.
    OutOfReach,
    /// There are include patterns and it matches none.
    NotIncluded,
    /// It matches an exclude pattern.
    Excluded,
    /// It is too many links away from the seeds.
    TooDeep,
    /// It is longer than any URL that is kept.
    TooLong,
    /// Its path has too many segments.
    PathTooDeep,
    /// Its path goes round in circles.
    RepeatedSegments,
    /// Its query has too many parameters.
    TooManyParameters,
    /// It carries a date that only an endless calendar has.
    CalendarDate,
    /// Its page has more links than are read of one.
    LinkLimit,
    /// Its host has as many pages as are kept of one.
    PageLimit,
    /// Its domain has as many hosts as are followed.
    HostLimit,
}

/// All refusals that may be a mistake.
const GUARDS: [Refusal; 9] = [
    Refusal::TooDeep,
    Refusal::TooLong,
    Refusal::PathTooDeep,
    Refusal::RepeatedSegments,
    Refusal::TooManyParameters,
    Refusal::CalendarDate,
    Refusal::LinkLimit,
    Refusal::PageLimit,
    Refusal::HostLimit,
];

impl Refusal {
    /// Whether it is a guard that refuses, and not a rule by which the user says what belongs to the collection.
    pub fn is_guard(self) -> bool {
        GUARDS.contains(&self)
    }

    /// The refusal of this name, if it is a guard's.
    pub fn named(name: &str) -> Option<Refusal> {
        GUARDS.into_iter().find(|guard| guard.name() == name)
    }

    /// What a user can do about a guard that is wrong.
    pub fn remedy(self) -> &'static str {
        match self {
            Refusal::OutOfReach | Refusal::NotIncluded | Refusal::Excluded => "as the scope is set",
            Refusal::TooDeep => "raise scope.max_depth to follow it",
            Refusal::TooLong => "such URLs are not kept",
            Refusal::LinkLimit => "'everfresh add' those that are meant",
            Refusal::PathTooDeep | Refusal::RepeatedSegments | Refusal::TooManyParameters | Refusal::CalendarDate => {
                "a pattern in scope.allow lets it in"
            }
            Refusal::PageLimit => "raise scope.max_pages_per_host to keep more",
            Refusal::HostLimit => "raise scope.max_hosts_per_domain to follow more",
        }
    }

    /// The name that is stored; it never changes.
    pub fn name(self) -> &'static str {
        match self {
            Refusal::OutOfReach => "out-of-reach",
            Refusal::NotIncluded => "not-included",
            Refusal::Excluded => "excluded",
            Refusal::TooDeep => "depth",
            Refusal::TooLong => "long-url",
            Refusal::PathTooDeep => "deep-path",
            Refusal::RepeatedSegments => "repeated-path",
            Refusal::TooManyParameters => "parameters",
            Refusal::CalendarDate => "calendar",
            Refusal::LinkLimit => "links-of-page",
            Refusal::PageLimit => "pages-of-host",
            Refusal::HostLimit => "hosts-of-domain",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::OutOfReach => "outside the places the seeds open",
            Refusal::NotIncluded => "matches no include pattern",
            Refusal::Excluded => "matches an exclude pattern",
            Refusal::TooDeep => "too many links away from the seeds",
            Refusal::TooLong => "URL too long",
            Refusal::PathTooDeep => "path has too many segments",
            Refusal::RepeatedSegments => "path repeats itself",
            Refusal::TooManyParameters => "query has too many parameters",
            Refusal::CalendarDate => "date of an endless calendar",
            Refusal::LinkLimit => "more links than are read of a page",
            Refusal::PageLimit => "host has as many pages as are kept",
            Refusal::HostLimit => "domain has as many hosts as are followed",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_are_known_by_their_names() {
        assert!(GUARDS.iter().all(|guard| Refusal::named(guard.name()) == Some(*guard)));
        assert_eq!(Refusal::named(Refusal::Excluded.name()), None);
    }
}
