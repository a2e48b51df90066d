//! How far judging may go where it is done: a little way in the task of a visit, beside hundreds of others, and as far as
//! the collection allows in a process of its own.
//!
//! Parsers that count their steps are stopped by their limits. For the others a size is allowed here at which the worst
//! document known takes some 50 ms or 64 MB.

use crate::meaning::{Format, Limits};
use crate::parse::{Kind, claims_page};
use crate::pipeline::apart::limits;
use crate::settings::Settings;

/// A body that is larger, as sent or decoded, is not judged in the task of its visit,
const SMALL_BYTES: usize = 256 << 10;
/// unless it is a page in HTML, which is read in one pass. Many honest ones are larger than others may be.
const SMALL_PAGE_BYTES: usize = 1 << 20;
/// Nor are small parts of a source read there that are larger together.
const SMALL_PARTS_BYTES: usize = 8 * SMALL_BYTES;
/// What is written out of a document there, however short it was: prefixes make terms longer than it is.
const SMALL_WRITTEN_BYTES: usize = 16 * SMALL_BYTES;
/// The parser of JSON-LD cannot be interrupted,
const SMALL_JSON_LD_BYTES: usize = 16 << 10;
/// and where contexts are copied for every value it takes the square of the document's size.
const SMALL_SCOPED_JSON_LD_BYTES: usize = 4 << 10;
/// Steps worth about 50 ms.
const FEW_STEPS: u64 = 200_000;

/// How far judging may go.
#[derive(Clone, Copy, Debug)]
pub(in crate::pipeline) struct Reach {
    /// Bytes of a body when decoded,
    pub(super) decoded: usize,
    /// and of one that is a page.
    pages: usize,
    /// The work on what it says.
    pub(super) meaning: Limits,
    /// Whether what is beyond it can be judged elsewhere.
    pub(super) has_more: bool,
    /// Whether data that changed is compared with the version before, to say by how much.
    pub(in crate::pipeline) compares: bool,
}

/// The document takes more than may be done here.
#[derive(Debug)]
pub(in crate::pipeline) struct TooMuch;

impl Reach {
    /// In the task of a visit.
    pub(in crate::pipeline) fn here(settings: &Settings) -> Reach {
        let meaning = Limits {
            bytes: SMALL_WRITTEN_BYTES,
            json_ld: SMALL_JSON_LD_BYTES,
            scoped_json_ld: SMALL_SCOPED_JSON_LD_BYTES,
            steps: FEW_STEPS,
            ..Limits::default()
        };
        let most = settings.fetch.max_decoded_bytes;
        let (decoded, pages) = (SMALL_BYTES.min(most), SMALL_PAGE_BYTES.min(most));
        Reach { decoded, pages, meaning, has_more: true, compares: true }
    }

    /// In a process of its own.
    pub(in crate::pipeline) fn apart(settings: &Settings) -> Reach {
        let most = settings.fetch.max_decoded_bytes;
        Reach { decoded: most, pages: most, meaning: Limits::default(), has_more: false, compares: true }
    }

    /// How many bytes a body may have, as sent and decoded, that claims to be this.
    pub(in crate::pipeline) fn most(&self, content_type: Option<&str>) -> usize {
        if claims_page(content_type) { self.pages } else { self.decoded }
    }

    /// Whether what was read and has so many bytes is too much here after all: it claims to be a page, and is none.
    pub(super) fn is_exceeded(&self, kind: Kind, bytes: usize) -> bool {
        self.has_more && kind != Kind::Html && bytes > self.decoded
    }

    /// How many bytes a part of a source may have when decoded, beside those of the parts before it that are held.
    pub(in crate::pipeline) fn room_for(&self, format: Option<Format>, before: usize) -> usize {
        let most = if format == Some(Format::JsonLd) { self.meaning.json_ld.min(self.decoded) } else { self.decoded };
        if self.has_more { most.min(SMALL_PARTS_BYTES.saturating_sub(before)) } else { most }
    }

    /// A document of this many bytes is there, and memory may be taken for it.
    pub(in crate::pipeline) fn allow(&self, bytes: usize) {
        if !self.has_more {
            limits::allow(bytes);
        }
    }
}
