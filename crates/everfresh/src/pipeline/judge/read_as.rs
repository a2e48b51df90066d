//! How a version was read. What it says depends on more than its bytes: on the type, coding and directives that came with them,
//! and on the filters and rules that hold here.
//!
//! Bytes that are those of the version held are therefore read again if that one was read in another way, which is no change of
//! the page: what they say from now on is what the next version is compared with, and where they lead is found. While filters
//! and rules are others, a page is asked for whole, since a 304 brings nothing to read.

use http::header::{CONTENT_ENCODING, CONTENT_TYPE};

use super::content::asked_by_head;
use crate::detect::TextDigest;
use crate::fetch::{Exchange, Validators, product_name};
use crate::parse::Kind;
use crate::pipeline::visit::Assignment;
use crate::settings::Settings;
use crate::store::CopyRow;

/// Changes whenever links or data are read otherwise than before, so that what was read is read again.
const VERSION: u32 = 1;

/// How a version was read, as fingerprints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReadAs {
    /// Of what holds here.
    ours: [u8; 4],
    /// Of what came with the bytes.
    theirs: [u8; 4],
}

impl ReadAs {
    /// How the answers of a visit are read.
    pub(super) fn of(settings: &Settings, page: &Assignment, exchanges: &[Exchange]) -> ReadAs {
        ReadAs { ours: ours(settings, page), theirs: theirs(settings, exchanges) }
    }

    /// How the version held was read; not known of redirects and of what older programs have read.
    pub(super) fn held(copy: &CopyRow) -> Option<ReadAs> {
        match copy.text.get(TextDigest::BYTES..)? {
            &[a, b, c, d, e, f, g, h] => Some(ReadAs { ours: [a, b, c, d], theirs: [e, f, g, h] }),
            _ => None,
        }
    }

    /// What is stored of the text of a version that was read so.
    pub(super) fn behind(self, text: TextDigest) -> Vec<u8> {
        [text.to_bytes().as_slice(), &self.ours, &self.theirs].concat()
    }
}

impl Assignment {
    /// What to send to learn whether the page changed: nothing, if the version held has to be read again.
    pub(in crate::pipeline) fn validators(&self, settings: &Settings) -> Validators {
        let is_read = |copy: &&CopyRow| ReadAs::held(copy).is_some_and(|held| held.ours == ours(settings, self));
        self.copy.as_ref().filter(is_read).map_or_else(Validators::default, |copy| Validators {
            etag: copy.etag.clone(),
            last_modified: copy.last_modified.clone(),
        })
    }
}

fn ours(settings: &Settings, page: &Assignment) -> [u8; 4] {
    let filters = settings.filters(page.url.host_str().unwrap_or_default());
    // Rules are lists of strings and a flag, which are always JSON.
    let rules = serde_json::to_vec(&settings.data_rules(page.source.as_deref())).unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&VERSION.to_le_bytes());
    hasher
        .update(&filters.fingerprint(Kind::Html).to_le_bytes())
        .update(&filters.fingerprint(Kind::Text).to_le_bytes());
    hasher.update(settings.detector.algorithm.name().as_bytes()).update(&rules);
    hasher.update(product_name(&settings.fetch.user_agent).as_bytes());
    head(&hasher)
}

fn theirs(settings: &Settings, exchanges: &[Exchange]) -> [u8; 4] {
    let mut hasher = blake3::Hasher::new();
    let agent = product_name(&settings.fetch.user_agent);
    for exchange in exchanges {
        for name in [CONTENT_TYPE, CONTENT_ENCODING] {
            let fields = exchange.headers.get_all(name).into_iter();
            fields.for_each(|field| _ = hasher.update(field.as_bytes()).update(b"\n"));
            hasher.update(b"\n");
        }
        let asked = asked_by_head(exchange, agent);
        hasher.update(&[u8::from(asked.nofollow), u8::from(asked.noindex)]);
    }
    head(&hasher)
}

fn head(hasher: &blake3::Hasher) -> [u8; 4] {
    let mut head = [0; 4];
    head.copy_from_slice(&hasher.finalize().as_bytes()[..4]);
    head
}
