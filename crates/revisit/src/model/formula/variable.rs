//! What a formula may know of a page: the thesis' n, X and t, and whatever else its history or its first version tell.

use crate::estimate::recency;
use crate::features::{Feature, Features};
use crate::history::History;
use crate::time::{Span, Time};

/// A number known of a page at the time of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variable {
    /// n: visits that could tell whether the page had changed.
    Visits,
    /// X: visits that saw a change.
    Changes,
    /// t: cycles since the last visit.
    Waited,
    /// Cycles since a change was last seen; since the page was first seen if none was.
    SinceChange,
    /// Cycles since the page was first seen.
    Known,
    /// The change rate a cycle in which the i-th visit weighs i.
    RecentRate,
    /// 1 if the last visit saw a change, else 0.
    LastChanged,
    /// Bytes of text without markup.
    TextBytes,
    /// Links.
    Links,
    /// Images.
    Images,
    /// E-mail addresses.
    Emails,
    /// Directory level of the URL.
    DirectoryLevel,
}

/// The value of a feature that is not known of a page.
pub const UNKNOWN: f64 = 0.0;

impl Variable {
    /// Every variable there is.
    pub const ALL: [Variable; 12] = [
        Variable::Visits,
        Variable::Changes,
        Variable::Waited,
        Variable::SinceChange,
        Variable::Known,
        Variable::RecentRate,
        Variable::LastChanged,
        Variable::TextBytes,
        Variable::Links,
        Variable::Images,
        Variable::Emails,
        Variable::DirectoryLevel,
    ];

    /// Those of the thesis.
    pub const THESIS: [Variable; 3] = [Variable::Visits, Variable::Changes, Variable::Waited];

    /// The name as formulas write it.
    pub const fn name(self) -> &'static str {
        match self {
            Variable::Visits => "n",
            Variable::Changes => "X",
            Variable::Waited => "t",
            Variable::SinceChange => "since_change",
            Variable::Known => "known",
            Variable::RecentRate => "recent_rate",
            Variable::LastChanged => "last_changed",
            Variable::TextBytes => "text_bytes",
            Variable::Links => "links",
            Variable::Images => "images",
            Variable::Emails => "emails",
            Variable::DirectoryLevel => "directory_level",
        }
    }

    /// The variable of a name; the inverse of [`Variable::name`].
    pub fn from_name(name: &str) -> Option<Variable> {
        Variable::ALL.into_iter().find(|variable| variable.name() == name)
    }

    /// Whether pages with equal n, X and t have it equal.
    #[cfg(feature = "learn")]
    pub(crate) const fn is_of_the_thesis(self) -> bool {
        matches!(self, Variable::Visits | Variable::Changes | Variable::Waited)
    }

    /// Its value at a time, if it speaks of the page's visits; `None` if it speaks of the page's content.
    ///
    /// ```
    /// use revisit::{History, Outcome, PageId, Span, Time, Visit, model::formula::Variable};
    ///
    /// let mut history = History::default();
    /// history.record(&Visit { page: PageId(0), at: Time::from_secs(0), outcome: Outcome::Changed });
    /// let value = |variable: Variable| variable.of_history(&history, Span::HOUR, Time::from_secs(7200));
    /// assert_eq!(value(Variable::Waited), Some(2.0));
    /// assert_eq!(value(Variable::Links), None);
    /// ```
    pub fn of_history(self, history: &History, cycle: Span, now: Time) -> Option<f64> {
        let since = |then: Option<Time>| then.map_or(0.0, |then| (now - then).max(Span::ZERO).ratio(cycle));
        match self {
            Variable::Visits => Some(f64::from(history.observations())),
            Variable::Changes => Some(f64::from(history.changes())),
            Variable::Waited => Some(since(history.last_seen())),
            Variable::SinceChange => Some(since(history.last_change().or(history.first_seen()))),
            Variable::Known => Some(since(history.first_seen())),
            Variable::RecentRate => Some(recency::arithmetic(history)),
            Variable::LastChanged => Some(recency::last_only(history)),
            _ => None,
        }
    }

    /// Its value by what the page's first version showed, if it speaks of the page's content; [`UNKNOWN`] if that is not
    /// known.
    pub fn of_features(self, features: &Features) -> Option<f64> {
        let feature = match self {
            Variable::TextBytes => Feature::TextBytes,
            Variable::Links => Feature::Links,
            Variable::Images => Feature::Images,
            Variable::Emails => Feature::Emails,
            Variable::DirectoryLevel => Feature::DirectoryLevel,
            _ => return None,
        };
        Some(features.get(feature).unwrap_or(UNKNOWN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for variable in Variable::ALL {
            assert_eq!(Variable::from_name(variable.name()), Some(variable));
        }
        assert_eq!(Variable::from_name("e"), None);
    }

    #[test]
    fn every_variable_speaks_of_visits_or_of_content() {
        for variable in Variable::ALL {
            let of_history = variable.of_history(&History::default(), Span::DAY, Time::from_secs(0));
            assert_ne!(of_history.is_some(), variable.of_features(&Features::default()).is_some(), "{variable:?}");
        }
    }
}
