//! Store and archive that are not of the same day: a store restored from a backup, an archive file cut or deleted. Nothing that
//! was archived is destroyed, and nothing that is not there is spoken of.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::living::{LivingWeb, Page, Script, Site};
use everfresh::pipeline::add_seeds;
use everfresh::store::{self, Opening};
use everfresh::units::Bytes;
use revisit::Span;
use rustix::process::Signal;
use support::archive::{assert_consistent, assert_nothing_missing, assert_warcio_agrees, warcio};
use support::collection::{config_for, everfresh, new_collection_of, printed};
use support::processes::{signal, wait_for};
use tempfile::TempDir;

const PAGES: usize = 40;

/// Two sites at rest, and a collection of the first with archive files of a few pages each.
async fn start() -> (LivingWeb, TempDir) {
    let clock = Clock::wall();
    let site = |host: &str| Site::new(host).pages((1..PAGES).map(|number| Page::new(&format!("/page/{number}"))));
    let script = Script::new(1).site(site("one.test")).site(site("two.test"));
    let web = LivingWeb::start(script, clock.clone()).await.unwrap();
    let mut config = config_for(&web, Span::ZERO);
    config.archive.roll = Bytes(10_000);
    let folder = new_collection_of(&config, &web.seeds()[..1], clock.now());
    (web, folder)
}

/// Crawls, and gives the one warning that has these words.
fn crawl_with_a_warning(folder: &Path, words: &str) -> String {
    let output = everfresh(folder, &["run", "--until-idle"]).env("RUST_LOG", "warn").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stderr).unwrap();
    let warnings: Vec<&str> = said.lines().filter(|line| line.contains("WARN") && line.contains(words)).collect();
    assert_eq!(warnings.len(), 1, "{said}");
    warnings[0].to_owned()
}

fn warc_files(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(Collection::at(folder).archive()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "gz")).collect();
    files.sort_unstable();
    files
}

/// People copy the file and not what lies beside it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_that_ended_left_its_store_in_one_file() {
    let (_web, collection) = start().await;
    printed(collection.path(), &["run", "--until-idle"]);
    let copied = tempfile::tempdir().unwrap();
    fs::copy(collection.path().join(store::FILE), copied.path().join(store::FILE)).unwrap();
    let totals =
        |folder: &Path| store::reader(folder).unwrap().totals().map(|totals| (totals.pages, totals.visits)).unwrap();
    assert_eq!(totals(copied.path()), totals(collection.path()));
    assert!(totals(copied.path()).1 as usize >= PAGES);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_an_older_store_what_was_archived_since_is_set_aside() {
    let (web, collection) = start().await;
    let folder = collection.path();
    printed(folder, &["run", "--until-idle"]);
    let backup = fs::read(folder.join("everfresh.db")).unwrap();
    add_seeds(store::open(folder, Opening::default()).unwrap().as_mut(), &web.seeds()[1..], 1.0, Clock::wall().now())
        .unwrap();
    printed(folder, &["run", "--until-idle"]);
    fs::write(folder.join("everfresh.db"), backup).unwrap();
    ["everfresh.db-wal", "everfresh.db-shm"].iter().for_each(|name| _ = fs::remove_file(folder.join(name)));

    crawl_with_a_warning(folder, "set aside");
    assert_consistent(folder);
    assert_warcio_agrees(folder);
    assert_nothing_missing(folder);
    let kept = orphans(folder);
    let records = warcio(kept.path(), &["index", "-f", "warc-type,warc-target-uri"]);
    let pages = records.lines().filter(|line| line.contains("\"response\"") && line.contains("two.test")).count();
    assert_eq!(pages, PAGES, "{records}");
    warcio(kept.path(), &["check"]);
}

/// What was set aside, in a folder of its own and under names that tools know.
fn orphans(folder: &Path) -> TempDir {
    let kept = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(Collection::at(folder).archive()).unwrap().map(Result::unwrap) {
        if let Some(name) = entry.file_name().to_str().unwrap().strip_suffix(".orphan") {
            fs::copy(entry.path(), kept.path().join(name)).unwrap();
        }
    }
    kept
}

/// Crawls twice, so that later files refer to earlier ones, damages the archive, and crawls again.
async fn damage(damage: impl FnOnce(&[PathBuf])) {
    let (_web, collection) = start().await;
    let folder = collection.path();
    printed(folder, &["run", "--until-idle"]);
    printed(folder, &["run", "--until-idle"]);
    assert!(assert_nothing_missing(folder) >= PAGES, "the second crawl refers to the first");
    damage(&warc_files(folder));

    let said = crawl_with_a_warning(folder, "gone or cut short");
    assert!(!said.contains(" 0 visits") && !said.contains(" 0 pages"), "{said}");
    assert_consistent(folder);
    assert_warcio_agrees(folder);
    assert_nothing_missing(folder);
    printed(folder, &["run", "--until-idle"]);
    assert!(assert_nothing_missing(folder) >= PAGES);
    assert_consistent(folder);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_deleted_file_held_is_fetched_again() {
    damage(|files| fs::remove_file(&files[0]).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_cut_off_a_file_is_fetched_again() {
    damage(|files| {
        let file = fs::File::options().write(true).open(&files[1]).unwrap();
        file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_archive_that_is_away_is_waited_for_and_one_that_is_lost_is_fetched_again() {
    let (_web, collection) = start().await;
    let folder = collection.path();
    let (archive, away) = (folder.join("archive"), folder.join("away"));
    printed(folder, &["run", "--until-idle"]);
    fs::rename(&archive, &away).unwrap();
    for _ in ["gone", "empty"] {
        let refused = everfresh(folder, &["run", "--until-idle"]).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && said.contains("--archive-lost"), "{said}");
        fs::create_dir_all(&archive).unwrap();
    }
    fs::remove_dir_all(&archive).unwrap();
    fs::rename(&away, &archive).unwrap();
    printed(folder, &["run", "--until-idle"]);
    assert!(assert_nothing_missing(folder) >= PAGES, "nothing was forgotten while it was away");

    fs::remove_dir_all(&archive).unwrap();
    printed(folder, &["run", "--until-idle", "--archive-lost"]);
    assert_consistent(folder);
    assert_warcio_agrees(folder);
    assert_nothing_missing(folder);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_file_any_more_is_set_aside() {
    damage(|files| {
        fs::remove_file(&files[0]).unwrap();
        fs::create_dir(&files[0]).unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_is_moved_away_ends_the_crawl_and_nothing_gets_into_another() {
    let (web, collection) = start().await;
    let [here, there] = ["here", "there"].map(|name| collection.path().join(name));
    fs::create_dir(&here).unwrap();
    fs::copy(collection.path().join("everfresh.toml"), here.join("everfresh.toml")).unwrap();
    add_seeds(store::open(&here, Opening::default()).unwrap().as_mut(), &web.seeds()[..1], 1.0, Clock::wall().now())
        .unwrap();
    // After its robots.txt the host is left alone: nothing more happens before the crawl is told to end.
    let run = everfresh(&here, &["run", "--set", "fetch.delay=1h"]).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| (!web.log().is_empty()).then_some(()));
    fs::rename(&here, &there).unwrap();
    fs::create_dir(&here).unwrap();
    signal(run.id(), Signal::TERM);
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("was moved or deleted while it was in use"), "{said}");
    assert_eq!(fs::read_dir(&here).unwrap().count(), 0, "nothing was put into the folder that came in its place");
    printed(&there, &["run", "--until-idle"]);
    assert_nothing_missing(&there);
    assert_warcio_agrees(&there);
}
