//! One gzip member for each record, so that a reader can start at any of them.
//!
//! The library and its level were chosen by measurement: `docs/decisions/0003-gzip.md`.

use libdeflater::{CompressionLvl, Compressor};

/// Nearly as dense as the default of other tools, at a third of their time.
const LEVEL: i32 = 1;

/// Compression state that is reused from record to record.
pub(crate) struct Gzip(Compressor);

impl Gzip {
    pub(crate) fn new() -> Gzip {
        Gzip(Compressor::new(CompressionLvl::new(LEVEL).unwrap_or_default()))
    }

    /// Appends `record` to `out` as a member and returns the member's length.
    pub(crate) fn push_member(&mut self, record: &[u8], out: &mut Vec<u8>) -> usize {
        let start = out.len();
        out.resize(start + self.0.gzip_compress_bound(record.len()), 0);
        let length = self.0.gzip_compress(record, &mut out[start..]).expect("the buffer has the bound's length");
        out.truncate(start + length);
        length
    }
}
