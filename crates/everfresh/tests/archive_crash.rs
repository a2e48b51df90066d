//! Whatever happens to the process or the disk, the archive holds what was committed, and ends with whole records.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::Command;

use everfresh::archive::{ArchiveError, CommittedFile, Position, Recovery, Writer, WriterSettings};
use proptest::prelude::*;
use revisit::Time;

const NOW: Time = Time::from_secs(1_794_781_800);
const FULL_FOLDER: &str = "ARCHIVE_TEST_FULL_FOLDER";

fn open(folder: &Path, roll_bytes: u64, committed: &[CommittedFile]) -> (Writer, Recovery) {
    let settings = WriterSettings { roll_bytes, durable: true, prefix: "test".into(), collection: 1, info: Vec::new() };
    Writer::open(folder, settings, committed).unwrap()
}

/// What the store knows after it committed `grown`.
fn commit(committed: &mut Vec<CommittedFile>, grown: Vec<CommittedFile>) {
    for file in grown {
        committed.retain(|known| known.name != file.name);
        committed.push(file);
    }
}

/// The last write of a dying process may be torn, but not before what was synced and committed.
fn tear(folder: &Path, writer: &Writer, committed: &[CommittedFile], bytes: u64) {
    let Some(name) = writer.current_file() else { return };
    let file = OpenOptions::new().write(true).open(folder.join(name)).unwrap();
    let known = committed.iter().find(|file| file.name == name).map_or(0, |file| file.length);
    file.set_len(file.metadata().unwrap().len().saturating_sub(bytes).max(known)).unwrap();
}

#[derive(Clone, Copy, Debug)]
enum Then {
    Commit,
    GoOn,
    DieGathering,
    DieSynced,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_crash_anywhere_leaves_what_was_committed(steps in prop::collection::vec(
        (1usize..400, prop::sample::select(&[Then::Commit, Then::GoOn, Then::DieGathering, Then::DieSynced]), 0u64..300),
        1..30,
    )) {
        let folder = tempfile::tempdir().unwrap();
        let (mut committed, mut known, mut batch) = (Vec::new(), Vec::<(Position, Vec<u8>)>::new(), Vec::new());
        let (mut writer, _) = open(folder.path(), 1000, &committed);
        for (number, (length, then, torn)) in steps.into_iter().enumerate() {
            let bytes = vec![number as u8; length];
            batch.push((writer.append(&bytes, NOW).unwrap(), bytes));
            match then {
                Then::GoOn => continue,
                Then::Commit => {
                    commit(&mut committed, writer.sync().unwrap());
                    known.append(&mut batch);
                    continue;
                }
                Then::DieGathering => {}
                Then::DieSynced => _ = writer.sync().unwrap(),
            }
            tear(folder.path(), &writer, &committed, torn);
            batch.clear();
            drop(writer);
            writer = open(folder.path(), 1000, &committed).0;
        }
        drop(writer);
        let (writer, recovery) = open(folder.path(), 1000, &committed);
        prop_assert_eq!(recovery.damaged, Vec::<String>::new());
        for file in &committed {
            prop_assert_eq!(fs::metadata(folder.path().join(&file.name)).unwrap().len(), file.length);
        }
        for (position, bytes) in known {
            let text = fs::read(folder.path().join(writer.file_name(position.file))).unwrap();
            prop_assert_eq!(&text[position.offset as usize..][..bytes.len()], &bytes[..]);
        }
    }
}

/// A limit on the size of files stands in for a full disk: writes fail half done, as they do there, and no special
/// rights are needed. The limit holds for a whole process, hence a child.
#[test]
fn a_full_disk_leaves_whole_records() {
    let folder = tempfile::tempdir().unwrap();
    let child = Command::new("sh")
        .args(["-c", r#"trap '' XFSZ; ulimit -f 16; exec "$0" "$@""#])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "the_child_with_a_full_disk", "--nocapture"])
        .env(FULL_FOLDER, folder.path())
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
}

#[test]
fn the_child_with_a_full_disk() {
    let Some(folder) = std::env::var_os(FULL_FOLDER) else { return };
    let folder = Path::new(&folder);
    let (mut writer, _) = open(folder, u64::MAX, &[]);
    writer.append(&[1; 1000], NOW).unwrap();
    let committed = writer.sync().unwrap();
    writer.append(&[2; 1000], NOW).unwrap();
    writer.append(&[3; 50_000], NOW).unwrap();
    let error = writer.sync().unwrap_err();
    assert!(matches!(error, ArchiveError::Full { .. }), "{error}");
    assert_eq!(fs::metadata(folder.join(&committed[0].name)).unwrap().len(), committed[0].length);
    assert_eq!(writer.sync().unwrap(), []);

    // With space again, the writer goes on in a new file; one of which nothing could be written is gone.
    writer.append(&[4; 50_000], NOW).unwrap();
    assert!(matches!(writer.sync().unwrap_err(), ArchiveError::Full { .. }));
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
    assert_eq!(writer.append(&[5; 1000], NOW).unwrap().file, 3);
    assert_eq!(writer.sync().unwrap().len(), 1);
}
