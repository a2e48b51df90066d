//! How far judging may go where it is done: a little way in the task of a visit, beside hundreds of others, and as far as
//! the collection allows in a process of its own.
//!
//! Parsers that count their steps are stopped by their limits. For the others a size is allowed here at which the worst
//! document known takes some 50 ms or 64 MB.

use crate::meaning::{Format, Limits};
use crate::pipeline::apart::limits;
use crate::settings::Settings;

/// A body that is larger, as sent or decoded, is not judged in the task of its visit.
pub(in crate::pipeline) const SMALL_BYTES: usize = 256 << 10;
/// Nor are small parts of a source read there that are larger together.
const SMALL_PARTS_BYTES: usize = 8 * SMALL_BYTES;
/// What is written out of a document there, however short it was: prefixes make terms longer than it is.
const SMALL_WRITTEN_BYTES: usize = 16 * SMALL_BYTES;
/// JSON-LD whose contexts are copied for every value takes the square of its size.
const SMALL_JSON_LD_BYTES: usize = 16 << 10;
/// Steps worth about 50 ms.
const FEW_STEPS: u64 = 200_000;

/// How far judging may go.
#[derive(Clone, Copy, Debug)]
pub(in crate::pipeline) struct Reach {
    /// Bytes of a body when decoded.
    pub(super) decoded: usize,
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
        let meaning =
            Limits { bytes: SMALL_WRITTEN_BYTES, json_ld: SMALL_JSON_LD_BYTES, steps: FEW_STEPS, ..Limits::default() };
        Reach { decoded: SMALL_BYTES.min(settings.fetch.max_decoded_bytes), meaning, has_more: true, compares: true }
    }

    /// In a process of its own.
    pub(in crate::pipeline) fn apart(settings: &Settings) -> Reach {
        Reach { decoded: settings.fetch.max_decoded_bytes, meaning: Limits::default(), has_more: false, compares: true }
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
