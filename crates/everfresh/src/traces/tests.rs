//! Whole folders: round trips, every kind of bad input with its message, and the real traces.

use std::io::Write;
use std::path::Path;

use proptest::prelude::*;
use revisit::lab::trace::{Trace, TracePage};
use revisit::lab::world;
use revisit::{PageId, Time};
use tempfile::TempDir;

use super::*;

const HEADER: &str = "page_id,url,first_seen,last_seen,text_bytes,links,images,emails,dir_level,link_depth\n";
const TWO_PAGES: &str = "7,http://a.test/,100,200,10,,0,0,1,\n3,\"http://a.test/b,c\",100,300,20,2,0,0,1,4\n";

fn folder_of(pages: &str, changes: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pages.csv"), pages).unwrap();
    std::fs::write(folder.path().join("changes.csv"), changes).unwrap();
    folder
}

/// What is said of two tables that are no trace, without the folder.
fn said(pages: &str, changes: &str) -> String {
    let folder = folder_of(pages, changes);
    let error = read(folder.path()).unwrap_err().to_string();
    error.replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn tables_become_a_trace() {
    let folder = folder_of(&format!("{HEADER}{TWO_PAGES}"), "page_id,time\n3,150\n7,150\n3,250.5\n3,250.5\n");
    let trace = read(folder.path()).unwrap();
    assert_eq!(trace.name, folder.path().file_name().unwrap().to_str().unwrap());
    assert_eq!((trace.len(), trace.change_count()), (2, 3));
    let page = trace.page(PageId(1));
    assert_eq!((page.url.as_str(), page.last_seen), ("http://a.test/b,c", Time::from_secs(300)));
    assert_eq!((trace.page(PageId(0)).links, page.links), (None, Some(2.0)));
    assert_eq!(trace.changes(PageId(1)), [Time::from_secs(150), Time::from_millis(250_500)]);
}

#[test]
fn columns_come_in_any_order_and_features_may_be_missing() {
    let folder = folder_of("last_seen,url,colour,first_seen,page_id\n9,u,red,1,0\n", "time,page_id\n2,0\n");
    let trace = read(folder.path()).unwrap();
    let page = TracePage::named("u", Time::from_secs(1), Time::from_secs(9));
    assert_eq!((trace.page(PageId(0)), trace.changes(PageId(0))), (&page, &[Time::from_secs(2)][..]));
}

#[test]
fn bad_pages_are_named_with_their_line() {
    let pages = |rows: &str| said(&format!("{HEADER}{TWO_PAGES}{rows}"), "page_id,time\n");
    assert_eq!(pages("x,u,1,2,,,,,,\n"), "pages.csv, line 4: page_id 'x' is not a whole number");
    assert_eq!(pages("7,u,1,2,,,,,,\n"), "pages.csv, line 4: page 7 is there already, on an earlier line");
    assert_eq!(pages("8,u,1,z,,,,,,\n"), "pages.csv, line 4: last_seen 'z' is not a time in unix seconds");
    let millis = "pages.csv, line 4: last_seen '1600184931000' is not a time in unix seconds";
    assert_eq!(pages("8,u,1,1600184931000,,,,,,\n"), millis);
    assert_eq!(pages("8,u,3,2,,,,,,\n"), "pages.csv, line 4: the page was last seen before it was first seen");
    assert_eq!(pages("8,u,1,2,NaN,,,,,\n"), "pages.csv, line 4: text_bytes 'NaN' is not a number from 0 up");
    assert_eq!(pages("8,u,1,2,,-1,,,,\n"), "pages.csv, line 4: links '-1' is not a number from 0 up");
    assert_eq!(pages("8,u,1\n"), "pages.csv, line 4: the row ends before its last_seen");
}

#[test]
fn bad_changes_are_named_with_their_line() {
    let changes = |rows: &str| said(&format!("{HEADER}{TWO_PAGES}"), &format!("page_id,time\n3,150\n{rows}"));
    assert_eq!(changes("4,150\n"), "changes.csv, line 3: page 4 is not in pages.csv");
    assert_eq!(changes("7,soon\n"), "changes.csv, line 3: time 'soon' is not a time in unix seconds");
    assert_eq!(changes("7\n"), "changes.csv, line 3: the row ends before its time");
    assert_eq!(changes("7,99\n"), "changes.csv, line 3: page 7 changes before it was first seen");
    assert_eq!(changes("7,201\n"), "changes.csv, line 3: page 7 changes after it was last seen");
    let unsorted = "page 3 changes before the change on an earlier line: sort the rows by time";
    assert_eq!(changes("7,150\n3,149\n"), format!("changes.csv, line 4: {unsorted}"));
}

#[test]
fn lines_are_counted_whatever_they_end_with() {
    let early = |rows: &str| said(&format!("{HEADER}{TWO_PAGES}"), rows);
    let on = |line: u64| format!("changes.csv, line {line}: page 7 changes before it was first seen");
    assert_eq!(early("page_id,time\r\n7,150\r\n7,99\r\n"), on(3));
    assert_eq!(early("page_id,time\n\n\n7,99\n7,150\n"), on(4));
    assert_eq!(early("page_id,time\n7,150\n7,99"), on(3));
    assert_eq!(early("page_id,time\n\"7\",150\n\"7\",\"99\"\n"), on(3));
}

#[test]
fn bad_folders_are_told_apart() {
    assert_eq!(said("page_id,url\n", ""), "pages.csv has no column 'first_seen': its first line must name its columns");
    assert!(said("", "").starts_with("pages.csv has no column 'page_id'"));
    let table = format!("{HEADER}{TWO_PAGES}");
    assert!(said(&table, "page_id\n").starts_with("changes.csv has no column 'time'"));
    assert!(said(HEADER, "page_id,time\n").ends_with(" has no page: there is nothing to replay"));

    let folder = folder_of(&table, "page_id,time\n");
    let path = folder.path();
    let said = || read(path).unwrap_err().to_string();
    std::fs::write(path.join("meta.json"), "{").unwrap();
    assert!(said().contains("meta.json cannot be read as JSON"));
    std::fs::remove_file(path.join("changes.csv")).unwrap();
    assert!(said().contains("has no changes.csv: a trace is a folder with pages.csv and changes.csv"));
    std::fs::write(path.join("pages.csv.gz"), "not gzip").unwrap();
    assert!(said().contains("has pages.csv more than once, plain or compressed: keep one of them"));
    std::fs::remove_file(path.join("pages.csv")).unwrap();
    assert!(said().starts_with("cannot read ") && said().contains("pages.csv.gz: "), "{}", said());
    assert!(read(Path::new("/nowhere")).unwrap_err().to_string().starts_with("/nowhere has no pages.csv"));
}

#[test]
fn bytes_that_are_no_text_are_named() {
    let folder = folder_of("", "page_id,time\n");
    std::fs::write(folder.path().join("pages.csv"), [HEADER.as_bytes(), b"1,\xff,1,2,,,,,,\n"].concat()).unwrap();
    assert!(read(folder.path()).unwrap_err().to_string().ends_with("pages.csv, line 2: the url is not UTF-8"));
}

#[test]
fn every_compression_reads_the_same() {
    let (pages, changes) = (format!("{HEADER}{TWO_PAGES}"), "page_id,time\n7,150\n");
    let folder = folder_of(&pages, changes);
    let gz = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let plain = read(folder.path()).unwrap();
    for name in ["pages.csv", "changes.csv"] {
        std::fs::remove_file(folder.path().join(name)).unwrap();
    }
    let zst = zstd::encode_all(pages.as_bytes(), 1).unwrap();
    std::fs::write(folder.path().join("pages.csv.zst"), zst).unwrap();
    // Two members, as `cat a.gz b.gz` makes them.
    let two = [gz(&changes[..5]), gz(&changes[5..])].concat();
    std::fs::write(folder.path().join("changes.csv.gz"), two).unwrap();
    assert_eq!(read(folder.path()).unwrap(), plain);
}

#[test]
fn worlds_round_trip_byte_for_byte() {
    for text in ["brdc12-like", "general?days=20"] {
        let trace = world::make(text, 3_000, 2).unwrap();
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(one.path(), &trace).unwrap();
        assert_eq!(read_with_links(one.path()).unwrap(), trace);
        assert_eq!(
            read(one.path()).unwrap(),
            trace.clone().with_links(None).with_first_links(None),
            "links are read only when asked for"
        );
        assert_eq!(one.path().join("links_last.csv.zst").exists(), trace.links().is_some());
        write(two.path(), &trace).unwrap();
        for name in ["pages.csv.zst", "changes.csv.zst", "meta.json"] {
            let bytes = |folder: &TempDir| std::fs::read(folder.path().join(name)).unwrap();
            assert!(bytes(&one) == bytes(&two), "{name}");
        }
    }
}

#[test]
fn links_are_named_pages_or_an_error_with_its_line() {
    let folder = folder_of(&format!("{HEADER}{TWO_PAGES}"), "page_id,time\n");
    assert_eq!(read_with_links(folder.path()).unwrap().links(), None);
    let read = |rows: &str| {
        std::fs::write(folder.path().join("links_last.csv"), format!("page_id,target_page_id\n{rows}")).unwrap();
        read_with_links(folder.path()).map_err(|error| error.to_string())
    };
    let linked = read("3,7\n7,7\n3,7\n").unwrap();
    assert_eq!(linked.links().unwrap().iter().collect::<Vec<_>>(), [(PageId(1), PageId(0))]);
    assert!(read("3,7\n3,8\n").unwrap_err().ends_with("links_last.csv, line 3: page 8 is not in pages.csv"));
    assert!(read("3\n").unwrap_err().ends_with("links_last.csv, line 2: the row ends before its target_page_id"));
    assert!(read("3,x\n").unwrap_err().ends_with("links_last.csv, line 2: target_page_id 'x' is not a whole number"));
    std::fs::write(folder.path().join("links_last.csv"), "page_id\n").unwrap();
    let said = read_with_links(folder.path()).unwrap_err().to_string();
    assert!(said.ends_with("has no column 'target_page_id': its first line must name its columns"), "{said}");
}

#[test]
fn nothing_is_overwritten() {
    let folder = folder_of("", "");
    let said = write(folder.path(), &world::make("general", 1, 1).unwrap()).unwrap_err().to_string();
    assert!(said.ends_with(" holds a trace already: choose another folder or remove it"), "{said}");
}

fn any_page() -> impl Strategy<Value = (TracePage, Vec<Time>)> {
    let times = proptest::collection::vec(-1_000_000..1_000_000_i64, 2..10);
    let feature = || proptest::option::of(0.0..1e9_f32);
    (".*", times, std::array::from_fn(|_| feature())).prop_map(|(url, mut times, features)| {
        times.sort_unstable();
        let times: Vec<Time> = times.into_iter().map(Time::from_millis).collect();
        let [text_bytes, links, images, emails, directory_level, format, host_kind, max_age] = features;
        let page = TracePage::named(url, times[0], times[times.len() - 1]);
        let page = TracePage { text_bytes, links, images, emails, directory_level, ..page };
        (TracePage { format, host_kind, max_age, ..page }, times)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn traces_round_trip(pages in proptest::collection::vec(any_page(), 1..10), name in ".*") {
        let trace = Trace::new(name, pages);
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &trace).unwrap();
        prop_assert_eq!(read(folder.path()).unwrap(), trace);
    }

    #[test]
    fn no_table_is_a_panic(pages in "[0-9,.\"\\n-]{0,60}", changes in "[0-9,.\"\\n-]{0,60}") {
        let _ = read(folder_of(&format!("{HEADER}{pages}"), &format!("page_id,time\n{changes}")).path());
    }
}

#[test]
fn the_real_traces_are_read() {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let Some(traces) = above.map(|folder| folder.join("shared/traces")).find(|folder| folder.is_dir()) else {
        println!("there is no shared/traces in any folder above: the real traces were not tested");
        return;
    };
    let counts = |name: &str| -> (usize, usize) {
        let trace = read(&traces.join(name)).unwrap();
        assert_eq!(trace.name, name);
        let linked = read_with_links(&traces.join(name)).unwrap();
        assert!(linked.links().is_none_or(|links| !links.is_empty()));
        assert_eq!(linked.with_links(None).with_first_links(None), trace);
        (trace.len(), trace.change_count())
    };
    assert_eq!(counts("nlab"), (20_729, 185_176));
    assert_eq!(counts("mdn"), (21_643, 275_615));
    assert_eq!(counts("ota-contrib"), (877, 25_028));
    assert_eq!(counts("endoflife"), (513, 23_757));
}
