//! Data is judged by what it says: read into its statements, compared by their digest. If it changed, the version before is
//! read from the archive again, to say by how much.

use bytes::Bytes;
use revisit::Time;

use super::content::Stopped;
use super::reach::{Reach, TooMuch};
use crate::detect::{Body, Judgement, Known, Rule, TextDigest};
use crate::meaning::{self, Content, Format, Limits, Rules};
use crate::pipeline::context::Context;
use crate::pipeline::visit::Assignment;
use crate::sources::{Held, Source};

/// A version of data, and by which rules it is judged.
pub(super) struct Data {
    pub(super) format: Format,
    pub(super) body: Bytes,
    rules: Rules,
}

impl Data {
    /// What the answers of a source hold, if it is data.
    pub(super) fn of_source(context: &Context, page: &Assignment, held: &Held) -> Option<Data> {
        let mut rules = context.settings.data_rules(page.source.as_deref());
        rules.any_order |= held.any_order;
        Some(Data { format: held.format?, body: held.body.clone(), rules })
    }

    /// What any other page holds, if it is data.
    pub(super) fn of_page(
        context: &Context,
        page: &Assignment,
        media_type: Option<&str>,
        body: &Bytes,
    ) -> Option<Data> {
        let format = Format::of(media_type, page.url.path(), body)?;
        Some(Data { format, body: body.clone(), rules: context.settings.data_rules(None) })
    }

    /// The judgement, and what there is to say beyond it.
    pub(super) fn judge(
        &self,
        context: &Context,
        page: &Assignment,
        before: Option<(&Known, Time)>,
        body: Body<'_>,
        reach: &Reach,
    ) -> Result<(Judgement, Option<String>), Stopped> {
        let detector = &context.settings.detector;
        let known = before.map(|(known, _)| known);
        let name = self.format.name();
        let content = match self.read(page, &reach.meaning) {
            Ok(content) => content,
            Err(limit) if limit.is_limit() && reach.has_more => return Err(Stopped::TooMuch),
            Err(limit) if limit.is_limit() => {
                return Err(Stopped::Unjudged(format!("it cannot be read as {name}: {limit}")));
            }
            Err(unreadable) => {
                let judgement = detector.judge_data(known, body.payload, body.digest());
                let detail = format!("judged by its bytes, since it cannot be read as {name}: {unreadable}");
                return Ok((judgement, Some(detail)));
            }
        };
        let digest = TextDigest::of_data(&content.digest(), fingerprint(&self.rules));
        let judgement = detector.judge_data(known, body.payload, digest);
        let detail = match (judgement.rule, before) {
            (Rule::DataDiffers, Some((known, since))) => {
                self.difference(context, page, known, since, &content, reach)?
            }
            _ => None,
        };
        let (count, unit) = (content.statements(), content.unit());
        Ok((judgement, Some(format!("{name}, {count} {unit}{}", detail.unwrap_or_default()))))
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
        let old = Data { format, body: held.body, rules: self.rules.clone() };
        let Ok(old) = old.read(page, &reach.meaning) else { return unless_here(None) };
        let delta = meaning::delta_within(&old, content, &reach.meaning);
        unless_here(delta.map(|delta| {
            let changed = if delta.changed > 0 { format!(", {} changed", delta.changed) } else { String::new() };
            format!(": {} added, {} removed{changed}", delta.added, delta.removed)
        }))
    }
}

/// Tells rules apart from others; stored with every digest they took part in.
fn fingerprint(rules: &Rules) -> u64 {
    // Rules are lists of strings and a flag, which are always JSON.
    let text = serde_json::to_string(rules).unwrap_or_default();
    let mut head = [0; 8];
    head.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(head)
}
