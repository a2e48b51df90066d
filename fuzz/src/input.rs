//! How one input holds several things: lines at its beginning, and documents with a line of four equals signs between them.
//!
//! A text, so that seeds can be written and findings be read.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// Between two documents of one input.
const BORDER: &[u8] = b"====\n";

/// The first line, and what follows it.
pub(crate) fn line(input: &[u8]) -> (String, &[u8]) {
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    (String::from_utf8_lossy(&input[..end]).into_owned(), input.get(end + 1..).unwrap_or_default())
}

/// The documents of an input; at least `N`, empty if the input has fewer. Further ones are part of the last.
pub(crate) fn documents<const N: usize>(input: &[u8]) -> [&[u8]; N] {
    let mut rest = input;
    std::array::from_fn(|number| {
        let border = rest.windows(BORDER.len()).position(|window| window == BORDER).filter(|_| number + 1 < N);
        let document = &rest[..border.unwrap_or(rest.len())];
        rest = border.map_or(&[][..], |at| &rest[at + BORDER.len()..]);
        document
    })
}

/// One of a few, by a word or, so that any input is something, by its first byte.
pub(crate) fn choice<T: Copy>(word: &str, of: &[(&str, T)]) -> T {
    let named = of.iter().find(|(name, _)| *name == word);
    let number = usize::from(word.bytes().next().unwrap_or_default());
    named.unwrap_or(&of[number % of.len()]).1
}

/// A folder for those who read files, one for each thread, for as long as the thread lives.
pub(crate) fn folder() -> PathBuf {
    thread_local! {
        static FOLDER: RefCell<tempfile::TempDir> = RefCell::new(tempfile::tempdir().expect("a folder for files"));
    }
    FOLDER.with_borrow(|folder| folder.path().to_owned())
}

/// Writes a file into [`folder`] and says where it is.
pub(crate) fn file(name: impl AsRef<Path>, content: &[u8]) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, content).expect("a file of a few bytes");
    path
}
