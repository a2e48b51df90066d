//! Data is judged by what it says: read into its statements, compared by their digest. If it changed, the version before is
//! read from the archive again, to say by how much.

use bytes::Bytes;
use revisit::Time;

use super::Case;
use super::content::{Compared, body};
use super::reach::{Reach, TooMuch};
use super::unread::Unread;
use crate::detect::{Filters, Known, TextDigest};
use crate::meaning::{self, Content, Format, Limits, Rules};
use crate::pipeline::context::Context;
use crate::pipeline::visit::Assignment;
use crate::rule::Rule;
use crate::sources::{Held, Source};

/// Said of a source whose paths to ignore lead nowhere.
const UNHEEDED: &str = "; only in JSON and tables something can be ignored by its path";

/// A version of data, and by which rules it is judged.
pub(super) struct Data {
    pub(super) format: Format,
    body: Bytes,
    rules: Rules,
    /// See [`Held::only_values`].
    only_values: bool,
}

impl Data {
    /// What the answers of a source hold, if it is data.
    pub(super) fn of_source(context: &Context, page: &Assignment, held: &Held) -> Option<Data> {
        let mut rules = context.settings.data_rules(page.source.as_deref());
        rules.any_order |= held.any_order;
        Some(Data { format: held.format?, body: held.body.clone(), rules, only_values: held.only_values })
    }

    /// What any other page holds, if it is data.
    pub(super) fn of_page(
        context: &Context,
        page: &Assignment,
        media_type: Option<&str>,
        body: &Bytes,
    ) -> Option<Data> {
        let format = Format::of(media_type, page.url.path(), body)?;
        let body = meaning::in_utf8(body.clone(), media_type, format);
        Some(Data { format, body, rules: context.settings.data_rules(None), only_values: false })
    }

    /// The judgement, and what there is to say beyond it.
    pub(super) fn judge(
        &self,
        case: &Case<'_>,
        before: Option<(&Known, Time)>,
        filters: &Filters,
        reach: &Reach,
    ) -> Result<Compared, TooMuch> {
        let Case { context, page, .. } = *case;
        let name = self.format.name();
        let format = Some(self.format);
        let content = match self.read(page, &reach.meaning) {
            Ok(content) => content,
            Err(limit) if limit.is_limit() && reach.has_more => return Err(TooMuch),
            Err(unreadable) => {
                let why = format!("it cannot be read as {name}: {unreadable}");
                return Ok(Unread::bytes(Some(body(case, &self.body)), format, why).compared(case));
            }
        };
        let digest = TextDigest::of_data(&content.digest(), self.fingerprint());
        let known = before.map(|(known, _)| known);
        let judgement = context.settings.detector.judge_data(known, case.payload().0, digest, filters);
        let detail = match (judgement.rule, before) {
            (Rule::DataDiffers, Some((known, since))) => {
                self.difference(context, page, known, since, &content, reach)?
            }
            _ => None,
        };
        let (count, unit) = (content.statements(), content.unit());
        let (detail, unheeded) = (detail.unwrap_or_default(), if self.has_unheeded(page) { UNHEEDED } else { "" });
        let detail = Some(format!("{name}, {count} {unit}{detail}{unheeded}"));
        Ok(Compared { judgement, detail, format })
    }

    /// Whether the user has said of this very source what does not count, and it is of a format that has no such thing.
    fn has_unheeded(&self, page: &Assignment) -> bool {
        page.source.as_deref().is_some_and(|source| !source.rules.ignore.is_empty())
            && self.rules.of(self.format).ignore.is_empty()
    }

    fn read(&self, page: &Assignment, limits: &Limits) -> Result<Content<'_>, meaning::Unreadable> {
        meaning::read(self.format, &self.body, page.url.as_str(), &self.rules, limits)
    }

    /// By how much this version differs from that of a time, in numbers; `None` if that one cannot be read.
    fn difference(
        &self,
        context: &Context,
        page: &Assignment,
        known: &Known,
        since: Time,
        content: &Content<'_>,
        reach: &Reach,
    ) -> Result<Option<String>, TooMuch> {
        if !known.text.is_data() || !reach.compares {
            return Ok(None);
        }
        // Whatever is wrong with it here may not be elsewhere, where the reach is longer.
        let unless_here =
            |found: Option<String>| if found.is_none() && reach.has_more { Err(TooMuch) } else { Ok(found) };
        if reach.has_more && page.source.as_deref().is_some_and(Source::has_parts) {
            // Its answers would have to be read again, and not all parsers that do it can be stopped.
            return Err(TooMuch);
        }
        let Some(held) = context.past.version(page, since, reach.decoded) else { return unless_here(None) };
        let Some(format) = held.format else { return Ok(None) };
        reach.allow(held.body.len());
        let old = Data { format, body: held.body, rules: self.rules.clone(), only_values: held.only_values };
        let Ok(old) = old.read(page, &reach.meaning) else { return unless_here(None) };
        let delta = meaning::delta_within(&old, content, &reach.meaning);
        unless_here(delta.map(|delta| {
            let changed = if delta.changed > 0 { format!(", {} changed", delta.changed) } else { String::new() };
            format!(": {} added, {} removed{changed}", delta.added, delta.removed)
        }))
    }

    /// Tells apart what cannot be compared: other rules, other ways to read, or values and terms. Stored with every digest.
    fn fingerprint(&self) -> u64 {
        // Rules are lists of strings and a flag, which are always JSON.
        let text = serde_json::to_string(&self.rules.of(self.format)).unwrap_or_default();
        let mut head = [0; 8];
        head.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..8]);
        u64::from_le_bytes(head) ^ u64::from(self.only_values) ^ (self.format.reading() << 1)
    }
}
