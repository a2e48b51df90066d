//! What everfresh reads from outside, fed with anything.
//!
//! A target is a function that takes any bytes and must return: no panic, no second of work, no memory out of proportion.
//! Where something cheap must hold of every answer (a normal form stays itself, links are absolute, what is equal has no
//! difference) the target checks that too. They all go through the doors the program itself uses.
//!
//! `scripts/fuzz` runs them for long under coverage; the tests here run them over the seeds and over mutations of these. An
//! input that once found a fault stays among the seeds.
//!
//! | where | what |
//! |---|---|
//! | `seeds/<target>/` | inputs written by hand, and those that found something |
//! | `dictionaries/<target>.dict` | words worth putting in |
//! | `corpus/<target>/` | what the tool found interesting; not kept |

mod archive;
mod detect;
mod fetch;
mod files;
mod input;
mod meaning;
mod parse;
mod sources;

#[cfg(test)]
mod mutate;
#[cfg(test)]
mod tests;

/// A target: any bytes in, nothing out.
pub type Target = fn(&[u8]);

/// All targets by name, in the order of the rooms they try.
pub const TARGETS: [(&str, Target); 25] = [
    ("codings", fetch::codings),
    ("robots", fetch::robots),
    ("html", parse::html),
    ("charsets", parse::charsets),
    ("lists", parse::lists),
    ("links", parse::links),
    ("rdf", meaning::rdf),
    ("rdfxml", meaning::rdfxml),
    ("jsonld", meaning::jsonld),
    ("json", meaning::json),
    ("csv", meaning::csv),
    ("xml", meaning::xml),
    ("lines", meaning::lines),
    ("query", sources::query),
    ("results", sources::results),
    ("graphs", sources::graphs),
    ("catalogue", sources::catalogue),
    ("filters", detect::filters),
    ("warc", archive::warc),
    ("records", archive::records),
    ("traces", files::traces),
    ("days", files::days),
    ("models", files::models),
    ("formula", files::formula),
    ("config", files::config),
];

/// The target of a name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().find(|(target, _)| *target == name).map(|(_, target)| *target)
}
