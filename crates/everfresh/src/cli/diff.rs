//! `everfresh diff URL`: what two versions of a page differ in, read from the archive, each kind of page in its own terms.

use std::process::ExitCode;

use clap::Args;
use revisit::{PageId, Time};
use serde::Serialize;
use url::Url;

use super::Target;
use super::exit::WrongInput;
use super::history::{find, source};
use crate::meaning::{self, Content, Delta, Format, Limits, Rules, Unreadable};
use crate::output;
use crate::parse::{self, Kind};
use crate::settings::Settings;
use crate::sources::Source;
use crate::store::{self, PageSummary, StoreError, VersionEntry, each};
use crate::versions::{self, Version};

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh diff https://example.org/data.ttl
  everfresh diff --from 2026-01-01 --to '2026-02-01 12:00:00' https://example.org/

Without times, the last change is shown. A time stands for the version that was current then.")]
pub(super) struct Diff {
    /// The page
    url: String,
    /// The older version: the one that was current at this time (UTC)
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// The newer version
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    #[command(flatten)]
    target: Target,
}

#[derive(Serialize)]
struct Report {
    url: String,
    /// When each version was archived, in milliseconds since 1970.
    from: i64,
    to: i64,
    format: &'static str,
    unit: &'static str,
    added: usize,
    removed: usize,
    changed: usize,
    lines: Vec<String>,
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

impl Diff {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let settings = self.target.settings()?;
        let store = store::reader(self.target.collection().folder())?;
        let page = find(store.as_ref(), &self.url)?;
        let (id, mut versions) = (PageId(page.id), Vec::new());
        each::<_, StoreError>(
            |cursor| store.versions(id, cursor),
            |version| {
                versions.push(version);
                Ok(())
            },
        )?;
        let (from, to) = self.chosen(&page, &versions)?;
        let reading = Reading { page: &page, source: source(store.as_ref(), id)?, settings: &settings };
        let folder = self.target.collection().archive();
        let read = |at: i64| -> anyhow::Result<Comparable> {
            let archived = store.archived(id, Time::from_millis(at))?;
            let url = Url::parse(&page.url)?;
            let max = settings.fetch.max_decoded_bytes;
            Ok(reading.comparable(versions::read(&folder, &archived, &url, reading.source.as_ref(), max)?))
        };
        let (old, new) = (read(from)?, read(to)?);
        let delta = compare(&page.url, &old, &new);
        let Delta { unit, added, removed, changed, ref lines } = delta;
        if self.target.json {
            let (url, lines) = (page.url.clone(), lines.clone());
            let format = new.format.name();
            output::json(&Report { url, from, to, format, unit, added, removed, changed, lines })?;
            return Ok(ExitCode::SUCCESS);
        }
        let time = |at| output::time(Time::from_millis(at));
        say!("{} ({}), {} → {}", output::safe(&page.url), new.format.name(), time(from), time(to))?;
        for line in delta.to_string().lines() {
            say!("{}", output::safe(line))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The times of the versions to compare.
    fn chosen(&self, page: &PageSummary, versions: &[VersionEntry]) -> Result<(i64, i64), WrongInput> {
        let none = |what: &str| WrongInput(format!("{} has {what}; 'everfresh history' lists its visits", page.url));
        let current = |time: &Option<String>, name: &str| -> Result<Option<usize>, WrongInput> {
            let Some(text) = time else { return Ok(None) };
            let time = read_time(text).ok_or_else(|| {
                WrongInput(format!("{name} {text}: is no time; write it as 2026-01-31 or 2026-01-31T12:00:00Z"))
            })?;
            let held = versions.iter().rposition(|version| version.at <= time.millis());
            held.map(Some).ok_or_else(|| none(&format!("no version from before {text}")))
        };
        let last_change = versions.iter().rposition(|version| version.changed);
        let to = current(&self.to, "--to")?.or(last_change).ok_or_else(|| none("no version in the archive"))?;
        let before = to.checked_sub(1);
        let from = current(&self.from, "--from")?.or(before).ok_or_else(|| none("one version only"))?;
        Ok((versions[from].at, versions[to].at))
    }
}

/// A time as people write it: a date, or a date and a time, in UTC unless it says otherwise.
fn read_time(text: &str) -> Option<Time> {
    parse::date(&text.trim().replacen(' ', "T", 1))
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
