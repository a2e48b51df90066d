//! Room 5: changed or not. What the store knows of the last version and the new body go in, a judgement goes out.
//!
//! The cheapest rule that can decide does: a 304, then identical bytes, then identical text, then (if a threshold is set) text
//! that is nearly the same. Of data it is what it says that counts, which another room reads; of what has neither, the bytes
//! without their content coding. The outcome names the rule, so that a user can see why a page counts as changed.

mod body;
mod digest;
mod filters;
mod rule;
mod simhash;

pub use body::Body;
pub use digest::{Algorithm, TextDigest};
pub use filters::{FilterBook, FilterError, FilterRules, Filters};
pub use rule::Rule;
pub use simhash::{distance, simhash};

use crate::parse::{Kind, Parsed};

/// What the store keeps of the last version of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// SHA-1 of the body as sent.
    pub payload: [u8; 20],
    /// Digest of the text that counts, of what the data says, or of the content.
    pub text: TextDigest,
    /// SimHash of the same text; 0 if there is none.
    pub simhash: u64,
}

/// What a visit showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The page changed since the last version; false for a first visit, which has nothing to compare with.
    pub changed: bool,
    /// Which rule decided.
    pub rule: Rule,
    /// What to keep for the next visit.
    pub known: Known,
}

impl Judgement {
    fn new(rule: Rule, known: Known) -> Judgement {
        Judgement { changed: rule.is_change(), rule, known }
    }
}

/// Compares versions of pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Detector {
    /// How text is digested.
    pub algorithm: Algorithm,
    /// Text that differs in at most this many of 64 SimHash bits counts as unchanged; 0 = every difference is a change.
    pub near: u32,
}

impl Detector {
    /// Judges a body against the previous version, if there is one.
    pub fn judge(&self, previous: Option<&Known>, body: Body<'_>, parsed: &Parsed, filters: &Filters) -> Judgement {
        if let Some(previous) = previous.filter(|previous| previous.payload == body.payload) {
            return Judgement::new(Rule::SameBytes, *previous);
        }
        let known = self.know(body, parsed, filters);
        match previous {
            None => Judgement::new(Rule::First, known),
            Some(previous) => self.compare(previous, known),
        }
    }

    /// Judges data by its digest; if it could not be read, by that of its content, and if even that could not be had
    /// ([`TextDigest::NONE`]), by its bytes.
    pub fn judge_data(&self, previous: Option<&Known>, payload: [u8; 20], data: TextDigest) -> Judgement {
        let known = Known { payload, text: data, simhash: 0 };
        match previous {
            None => Judgement::new(Rule::First, known),
            Some(previous) if previous.payload == payload => Judgement::new(Rule::SameBytes, known),
            Some(previous) => self.compare(previous, known),
        }
    }

    fn know(&self, body: Body<'_>, parsed: &Parsed, filters: &Filters) -> Known {
        let payload = body.payload;
        if parsed.kind == Kind::Other {
            return Known { payload, text: body.digest(), simhash: 0 };
        }
        let text = filters.text(parsed, body.content);
        let digest = TextDigest::new(&text, self.algorithm, filters.fingerprint());
        Known { payload, text: digest, simhash: simhash(&text) }
    }

    fn compare(&self, previous: &Known, known: Known) -> Judgement {
        let rule = match (previous.text, known.text) {
            (old, new) if !old.is_read() || !new.is_read() => {
                if old == new && !new.is_none() {
                    Rule::SameContent
                } else {
                    Rule::BytesDiffer
                }
            }
            // A page that became data, or ceased to be.
            (old, new) if old.is_data() != new.is_data() => Rule::DataDiffers,
            (old, new) if !old.comparable(&new) => Rule::FiltersChanged,
            (old, new) if new.is_data() => {
                if old == new {
                    Rule::SameData
                } else {
                    Rule::DataDiffers
                }
            }
            (old, new) if old == new => Rule::SameText,
            _ => match distance(previous.simhash, known.simhash) {
                distance if distance <= self.near && self.near > 0 => Rule::NearText { distance },
                _ => Rule::TextDiffers,
            },
        };
        let known = match rule {
            // The old text stays the one to compare with, or a page could drift away in steps too small to see.
            Rule::NearText { .. } => Known { payload: known.payload, ..*previous },
            _ => known,
        };
        Judgement::new(rule, known)
    }
}

#[cfg(test)]
mod tests;
