//! Visits: what each showed, and where it is archived.

use revisit::{Outcome, Visit};
use serde::{Deserialize, Serialize};

use crate::rule::Rule;
use crate::store::piece::Numbered;

/// A visit, complete.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct VisitRow {
    /// Page, time and outcome: what flows to the policy.
    pub visit: Visit,
    /// The rule that decided the outcome.
    pub rule: Rule,
    /// What there is to say beyond the rule.
    pub detail: Option<String>,
    /// The server's answer, if there was one.
    pub answer: Option<Answer>,
    /// Where the archive keeps it.
    pub capture: Option<CaptureRow>,
    /// The exchanges after the first that the archive keeps, if it took several.
    pub parts: Vec<PartRow>,
    /// Requests made, those that failed too; none if the page was refused before anybody was contacted.
    pub requests: u32,
}

/// A visit as a start needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToldVisit {
    /// Its number, which no other has.
    pub number: u64,
    /// Page, time and outcome.
    pub visit: Visit,
    /// Requests made.
    pub requests: u32,
    /// Whether it failed because its host did not answer.
    pub missed: bool,
}

impl VisitRow {
    /// The visit as a start needs it, under its number.
    pub fn told(&self, number: u64) -> ToldVisit {
        let status = self.answer.as_ref().map(|answer| answer.status);
        let missed = self.visit.outcome == Outcome::Failed && self.rule.misses_host(status);
        ToldVisit { number, visit: self.visit, requests: self.requests, missed }
    }
}

impl Numbered for ToldVisit {
    fn number(&self) -> u64 {
        self.number
    }
}

/// What the server answered.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Media type without parameters.
    pub mime: Option<String>,
    /// Bytes of body as sent.
    pub bytes: u64,
    /// How long the exchange took, in wall time.
    pub millis: u64,
}

/// Where the archive keeps a visit: the index entry.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct CaptureRow {
    /// SHA-1 of the payload, or of the version it refers to.
    pub payload: [u8; 20],
    /// Whether the record refers to an earlier one instead of holding the body.
    pub revisit: bool,
    /// The file's number; the writer fills it in.
    pub file: u32,
    /// Where the record begins in the file; the writer fills it in.
    pub position: u64,
    /// How long the record is.
    pub length: u64,
}

/// A further exchange of a visit, which the archive keeps beside the first.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct PartRow {
    /// What was asked.
    pub url: String,
    /// HTTP status.
    pub status: u16,
    /// Media type without parameters.
    pub mime: Option<String>,
    /// Where the archive keeps it; its position counts from that of the first exchange until the writer fills it in.
    pub capture: CaptureRow,
}

/// Visits counted by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Outcomes {
    /// Seen for the first time.
    pub first: u64,
    /// Seen changed.
    pub changed: u64,
    /// Seen unchanged.
    pub unchanged: u64,
    /// Not there any more.
    pub gone: u64,
    /// Told nothing.
    pub failed: u64,
}

impl Outcomes {
    /// Counts one more visit.
    pub fn count(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::First => &mut self.first,
            Outcome::Changed => &mut self.changed,
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::Gone => &mut self.gone,
            Outcome::Failed => &mut self.failed,
        } += 1;
    }

    /// All visits.
    pub fn total(&self) -> u64 {
        self.first + self.changed + self.unchanged + self.gone + self.failed
    }
}
