//! Room 5: changed or not. What the store knows of the last version and the new body go in, a judgement goes out.
//!
//! The cheapest rule that can decide does: a 304, then identical bytes, then identical text, then (if a threshold is set) text
//! that is nearly the same. Of data it is what it says that counts, which another room reads; of what has neither, the bytes
//! without their content coding. The outcome names the rule, so that a user can see why a page counts as changed.
//!
//! A version that cannot be read is no change: beside one that could be read nothing is said. Two that cannot be read are
//! compared by their bytes.

mod body;
mod digest;
mod ends;
mod filters;
mod simhash;

pub use body::Body;
pub use digest::{Algorithm, TextDigest};
pub use filters::{FilterBook, FilterError, FilterRules, Filters, Unmatched};
pub use simhash::{distance, simhash};

use crate::parse::{Kind, Parsed};
use crate::rule::Rule;

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

impl Known {
    /// Whether a body as sent is the one of that version, to the byte: then nothing else has to be looked at.
    pub fn is_sent_as(&self, payload: [u8; 20]) -> bool {
        self.payload == payload
    }
}

/// What a visit showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The page changed since the last version; false for a first visit, which has nothing to compare with.
    pub changed: bool,
    /// Which rule decided.
    pub rule: Rule,
    /// SimHash bits in which the text differs from the one it is nearly the same as.
    pub bits: Option<u32>,
    /// What to keep for the next visit.
    pub known: Known,
}

impl Judgement {
    fn new(rule: Rule, known: Known) -> Judgement {
        Judgement { changed: rule.is_change(), rule, bits: None, known }
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
    pub fn judge(
        &self,
        previous: Option<&Known>,
        body: Body<'_>,
        parsed: &Parsed,
        filters: &Filters,
    ) -> Result<Judgement, Unmatched> {
        Ok(self.judge_known(previous, self.know(body, parsed, filters)?, |_| false))
    }

    /// Judges data by its digest.
    pub fn judge_data(
        &self,
        previous: Option<&Known>,
        payload: [u8; 20],
        data: TextDigest,
        filters: &Filters,
    ) -> Judgement {
        let known = Known { payload, text: data, simhash: 0 };
        self.judge_known(previous, known, |old| !old.is_data() && !filters.made(old))
    }

    /// Judges content that should say something but cannot be read, by its decoded bytes.
    pub fn judge_unread(&self, previous: Option<&Known>, body: Body<'_>) -> Judgement {
        self.judge_known(previous, Known { payload: body.payload, text: body.unread(), simhash: 0 }, |_| false)
    }

    /// Judges content that cannot even be decoded, by its bytes as sent.
    pub fn judge_undecoded(&self, previous: Option<&Known>, payload: [u8; 20]) -> Judgement {
        self.judge_known(previous, Known { payload, text: TextDigest::NONE, simhash: 0 }, |_| false)
    }

    /// Compares with the previous version; `refiltered` says whether it was judged in another way because filters were others.
    fn judge_known(
        &self,
        previous: Option<&Known>,
        known: Known,
        refiltered: impl FnOnce(&TextDigest) -> bool,
    ) -> Judgement {
        let Some(previous) = previous else { return Judgement::new(Rule::First, known) };
        let bits = distance(previous.simhash, known.simhash);
        let rule = match (previous.text, known.text) {
            // They may have been read otherwise before, which is no change; what cannot be read any more stays as it was read.
            (_, new) if previous.is_sent_as(known.payload) => {
                return Judgement::new(Rule::SameBytes, if new.is_unread() { *previous } else { known });
            }
            (old, new) if old.is_bytes() || new.is_bytes() => by_bytes(&old, &new),
            (old, _) if refiltered(&old) => Rule::FiltersChanged,
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
            _ if self.near > 0 && bits <= self.near => Rule::NearText,
            _ => Rule::TextDiffers,
        };
        let known = match rule {
            // The old text stays the one to compare with, or a page could drift away in steps too small to see.
            Rule::NearText => Known { payload: known.payload, ..*previous },
            // The old version does, or a page could be broken for a day and another the next.
            Rule::Unjudged => *previous,
            _ => known,
        };
        Judgement { bits: (rule == Rule::NearText).then_some(bits), ..Judgement::new(rule, known) }
    }

    fn know(&self, body: Body<'_>, parsed: &Parsed, filters: &Filters) -> Result<Known, Unmatched> {
        let payload = body.payload;
        if parsed.kind == Kind::Other {
            return Ok(Known { payload, text: body.digest(), simhash: 0 });
        }
        let text = filters.text(parsed, body.content)?;
        let digest = TextDigest::new(&text, self.algorithm, filters.fingerprint(parsed.kind));
        Ok(Known { payload, text: digest, simhash: simhash(&text) })
    }
}

/// What two versions come to of which one at least is known by its bytes alone.
fn by_bytes(old: &TextDigest, new: &TextDigest) -> Rule {
    match (old.is_unread(), new.is_unread()) {
        (false, true) => Rule::Unjudged,
        (true, false) => Rule::JudgedAnew,
        // What could be decoded says nothing of what cannot be.
        _ if *new == TextDigest::NONE && *old != *new => Rule::Unjudged,
        _ if old == new && *new != TextDigest::NONE => Rule::SameContent,
        _ => Rule::BytesDiffer,
    }
}

#[cfg(test)]
mod tests;
