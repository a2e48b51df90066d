//! The archive's files.

/// A WARC file and how much of it belongs to committed visits.
#[derive(Clone, Debug, PartialEq)]
pub struct FileRow {
    /// Its number.
    pub id: u32,
    /// Its name in `archive/`.
    pub name: String,
    /// Bytes; 0 if the file is known to be gone.
    pub length: u64,
}

/// A file of the archive and its index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexRow {
    /// The file.
    pub file: FileRow,
    /// How long the file was when its index was written; 0 if it never was, or lists what was lost since.
    pub indexed: u64,
    /// Bytes of the index.
    pub length: u64,
}
