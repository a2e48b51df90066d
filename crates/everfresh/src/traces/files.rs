//! Files that may be compressed, by the ends of their names.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::TraceError;

/// How much is read and decoded at a time.
const CHUNK: usize = 64 * 1024;

/// The file of a folder that holds a table, compressed or not.
pub(super) fn find(folder: &Path, table: &'static str) -> Result<PathBuf, TraceError> {
    let mut found = candidates(folder, table).filter(|path| path.exists());
    let said = || folder.display().to_string();
    match (found.next(), found.next()) {
        (None, _) => Err(TraceError::Missing { folder: said(), table }),
        (Some(path), None) => Ok(path),
        (Some(_), Some(_)) => Err(TraceError::Ambiguous { folder: said(), table }),
    }
}

/// Where a table of a folder may be.
pub(super) fn candidates(folder: &Path, table: &str) -> impl Iterator<Item = PathBuf> {
    ["", ".gz", ".zst"].into_iter().map(move |end| folder.join(format!("{table}{end}")))
}

/// The content of a file, decompressed.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead>, TraceError> {
    let failed = TraceError::io("read", path);
    let file = BufReader::with_capacity(CHUNK, File::open(path).map_err(&failed)?);
    Ok(match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => Box::new(BufReader::with_capacity(CHUNK, MultiGzDecoder::new(file))),
        Some("zst") => {
            let decoder = zstd::Decoder::with_buffer(file).map_err(failed)?;
            Box::new(BufReader::with_capacity(CHUNK, decoder))
        }
        _ => Box::new(file),
    })
}
