//! Data is judged by what it says: read into its statements, compared by their digest. If it changed, the version before is
//! read from the archive again, to say by how much.

use bytes::Bytes;
use revisit::Time;

use crate::archive::Digest;
use crate::detect::{Judgement, Known, Rule, TextDigest};
use crate::meaning::{self, Content, Format, Limits, Rules};
use crate::pipeline::context::Context;
use crate::pipeline::visit::Assignment;
use crate::sources::Held;

/// A version of data, and by which rules it is judged.
pub(super) struct Data {
    pub(super) format: Format,
    body: Bytes,
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
        payload: Digest,
    ) -> (Judgement, Option<String>) {
        let detector = &context.settings.detector;
        let known = before.map(|(known, _)| known);
        let content = match self.read_apart(page) {
            Ok(content) => content,
            Err(unreadable) => {
                let judgement = detector.judge_data(known, payload.0, TextDigest::NONE);
                let name = self.format.name();
                return (
                    judgement,
                    Some(format!("judged by its bytes, since it cannot be read as {name}: {unreadable}")),
                );
            }
        };
        let digest = TextDigest::of_data(&content.digest(), fingerprint(&self.rules));
        let judgement = detector.judge_data(known, payload.0, digest);
        let detail = match judgement.rule {
            Rule::DataDiffers => {
                before.and_then(|(known, since)| self.difference(context, page, known, since, &content))
            }
            _ => None,
        };
        let (name, count, unit) = (self.format.name(), content.statements(), content.unit());
        (judgement, Some(format!("{name}, {count} {unit}{}", detail.unwrap_or_default())))
    }

    /// Reads it where blocking is expected if it is a graph: a small one may take long to put into its canonical form.
    fn read_apart(&self, page: &Assignment) -> Result<Content<'_>, meaning::Unreadable> {
        match self.format {
            Format::Json | Format::JsonLines | Format::Csv | Format::Tsv | Format::Xml => self.read(page),
            _ => tokio::task::block_in_place(|| self.read(page)),
        }
    }

    fn read(&self, page: &Assignment) -> Result<Content<'_>, meaning::Unreadable> {
        meaning::read(self.format, &self.body, page.url.as_str(), &self.rules, &Limits::default())
    }

    /// By how much this version differs from that of a time, in numbers; `None` if that one cannot be read.
    fn difference(
        &self,
        context: &Context,
        page: &Assignment,
        known: &Known,
        since: Time,
        content: &Content<'_>,
    ) -> Option<String> {
        if !known.text.is_data() {
            return None;
        }
        let held = context.past.version(page, since)?;
        let old = Data { format: held.format?, body: held.body, rules: self.rules.clone() };
        let delta = meaning::delta(&old.read(page).ok()?, content);
        let changed = if delta.changed > 0 { format!(", {} changed", delta.changed) } else { String::new() };
        Some(format!(": {} added, {} removed{changed}", delta.added, delta.removed))
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
