//! What two versions of a page differ in, read from the archive, each kind of page in its own terms.

use revisit::{PageId, Time};
use serde::Serialize;
use url::Url;

use super::{Query, QueryError};
use crate::meaning::{self, Content, Delta, Format, Limits, Rules, Unreadable};
use crate::output;
use crate::parse::{self, Kind};
use crate::settings::Settings;
use crate::sources::Source;
use crate::store::{PageSummary, StoreError, each};
use crate::versions::{self, Version, VersionError};

/// What two versions differ in.
#[derive(Serialize)]
pub struct Difference {
    /// The page.
    pub url: String,
    /// When the older version was archived, in milliseconds since 1970.
    pub from: i64,
    /// When the newer one was.
    pub to: i64,
    /// As what they were compared.
    pub format: &'static str,
    /// In how many units, and in which lines.
    #[serde(flatten)]
    pub delta: Delta,
}

/// A version as it is compared: data as it is, a page as the lines of its text.
struct Comparable {
    format: Format,
    body: Vec<u8>,
    rules: Rules,
}

impl Comparable {
    fn read(&self, url: &str, format: Format) -> Result<Content<'_>, Unreadable> {
        meaning::read(format, &self.body, url, &self.rules, &Limits::default())
    }
}

impl Query {
    /// What two versions of the page that a person means differ in: those that were current at these times, or else the last
    /// that brought a change and the one before it.
    pub fn diff(&self, url: &str, from: Option<Time>, to: Option<Time>) -> Result<Difference, QueryError> {
        let page = self.find(url)?;
        let (from, to) = self.chosen(&page, from, to)?;
        let reading = Reading { page: &page, source: self.source(PageId(page.id))?, settings: &self.settings };
        let (old, new) = (self.comparable(&reading, from)?, self.comparable(&reading, to)?);
        let delta = compare(&page.url, &old, &new);
        Ok(Difference { from, to, format: new.format.name(), delta, url: page.url })
    }

    /// The times of the versions to compare. One pass over the versions, of which a page may have any number.
    fn chosen(&self, page: &PageSummary, from: Option<Time>, to: Option<Time>) -> Result<(i64, i64), QueryError> {
        let (mut newer, mut before, mut older, mut last) = (None, None, None, None);
        each::<_, StoreError>(
            |cursor| self.store.versions(PageId(page.id), cursor),
            |version| {
                let is_by = |time: Option<Time>| time.is_some_and(|time| version.at <= time.millis());
                if is_by(to) || to.is_none() && version.changed {
                    (before, newer) = (last, Some(version.at));
                }
                if is_by(from) {
                    older = Some(version.at);
                }
                last = Some(version.at);
                Ok(())
            },
        )?;
        let none =
            |what: &str| QueryError::NotFound(format!("{} has {what}; 'everfresh history' lists its visits", page.url));
        let none_by = |time: Option<Time>, otherwise: &str| match time {
            Some(time) if last.is_some() => none(&format!("no version from before {}", output::time(time))),
            _ => none(otherwise),
        };
        let to = newer.ok_or_else(|| none_by(to, "no version in the archive"))?;
        let from = if from.is_some() { older } else { before }.ok_or_else(|| none_by(from, "one version only"))?;
        Ok((from, to))
    }

    fn comparable(&self, reading: &Reading<'_>, at: i64) -> Result<Comparable, QueryError> {
        let (page, folder) = (reading.page, self.collection.archive());
        let archived = self.store.archived(PageId(page.id), Time::from_millis(at))?;
        let url = Url::parse(&page.url).map_err(|_| VersionError::Missing { url: page.url.clone() })?;
        let max = self.settings.fetch.max_decoded_bytes;
        Ok(reading.comparable(versions::read(&folder, &archived, &url, reading.source.as_ref(), max)?))
    }
}

struct Reading<'a> {
    page: &'a PageSummary,
    source: Option<Source>,
    settings: &'a Settings,
}

impl Reading<'_> {
    fn comparable(&self, version: Version) -> Comparable {
        let Version { answer, held } = version;
        if let Some(format) = held.format {
            let mut rules = self.settings.data_rules(self.source.as_ref());
            rules.any_order |= held.any_order;
            return Comparable { format, body: held.body.into(), rules };
        }
        let parsed = parse::parse(&answer.body, answer.content_type(), &answer.url);
        if parsed.kind == Kind::Other {
            return Comparable { format: Format::Binary, body: answer.body.into(), rules: Rules::default() };
        }
        let host = Url::parse(&self.page.url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let counted = self.settings.filters(&host.unwrap_or_default()).text(&parsed, &answer.body);
        // Where nobody can say which text counts, all of it is shown.
        let text = counted.unwrap_or(parsed.text.as_str().into()).into_owned();
        Comparable { format: Format::Text, body: sentences(&text).into_bytes(), rules: Rules::default() }
    }
}

/// A text in lines of a sentence each: what a page shows is one long line, of which a diff would say nothing.
fn sentences(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + text.len() / 50);
    let mut ended = false;
    for character in text.chars() {
        match character {
            ' ' if ended => lines.push('\n'),
            other => lines.push(other),
        }
        ended = matches!(character, '.' | '!' | '?' | ':' | ';' | '。');
    }
    lines
}

/// What differs. Data that cannot be read is compared by its lines.
fn compare(url: &str, old: &Comparable, new: &Comparable) -> Delta {
    if let (Ok(old), Ok(new)) = (old.read(url, old.format), new.read(url, new.format)) {
        return meaning::delta(&old, &new);
    }
    match (old.read(url, Format::Text), new.read(url, Format::Text)) {
        (Ok(old), Ok(new)) => meaning::delta(&old, &new),
        _ => Delta { unit: "bytes", added: new.body.len(), removed: old.body.len(), changed: 0, lines: Vec::new() },
    }
}
