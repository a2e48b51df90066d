//! Every target over its seeds and over mutations of them: some tens of seconds of what `scripts/fuzz` does for hours.

use std::path::{Path, PathBuf};

use crate::mutate::Mutator;
use crate::{TARGETS, target};

/// Inputs made for each target. All together take about a minute of CPU, and no less on a slow machine.
const INPUTS: u64 = 12_000;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The seeds of a target, in the order of their names.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = folder("seeds").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// The words of a dictionary: what stands between the quotes of a line, `\xNN`, `\\` and `\"` resolved.
fn words(target: &str) -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(folder("dictionaries").join(format!("{target}.dict"))).unwrap_or_default();
    let quoted = text.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix('"'));
    quoted.map(word).collect()
}

fn word(text: &str) -> Vec<u8> {
    let mut word = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        (rest, _) = match (first, after) {
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16).expect("two hex digits after \\x") as u8;
                (after, word.push(digit(high) << 4 | digit(low)))
            }
            (b'\\', [escaped, after @ ..]) => (after, word.push(*escaped)),
            (plain, after) => (after, word.push(*plain)),
        };
    }
    word
}

/// Says which input was being tried if the target panics.
struct Trying<'a>(&'a str, &'a [u8]);

impl Drop for Trying<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let path = std::env::temp_dir().join(format!("fuzz-{}", self.0));
            let _ = std::fs::write(&path, self.1);
            eprintln!("the input was {:?}, kept in {}", self.1.escape_ascii().to_string(), path.display());
        }
    }
}

fn tried(name: &str) {
    let target = target(name).unwrap();
    let (seeds, words) = (seeds(name), words(name));
    let mut mutator = Mutator::new(name.len() as u64);
    let made = (0..INPUTS).map(|_| mutator.mutated(&seeds, &words));
    for input in seeds.iter().cloned().chain(made) {
        let _trying = Trying(name, &input);
        target(&input);
    }
}

/// A test for each target, so that they run side by side and are named when they fail.
macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            tried(stringify!($name));
        })*

        #[test]
        fn no_target_is_left_out() {
            assert_eq!(TARGETS.map(|(name, _)| name), [$(stringify!($name)),*]);
        }
    };
}

targets! {
    codings robots html charsets lists links rdf rdfxml jsonld json csv xml lines query results graphs catalogue filters warc
    records traces days models formula config
}
