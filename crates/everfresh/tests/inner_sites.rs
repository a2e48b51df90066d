//! A site whose certificate comes from an authority of its own: refused with words that say what to do, and crawled with them.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;
use std::thread::sleep;
use std::time::Duration;

use support::collection::{empty_collection, everfresh, printed, refusal, visits};
use support::nginx::Nginx;
use tempfile::TempDir;

const NAME: &str = "wiki.inner.test";

/// A site of three pages, and a collection that knows where it is but not whom it trusts.
fn inner_site() -> (Nginx, TempDir) {
    let page = |links: &[&str]| links.iter().map(|link| format!("<a href=\"{link}\">{link}</a> ")).collect::<String>();
    let pages = [("/index.html", page(&["/a.html", "/b.html"])), ("/a.html", page(&["/"])), ("/b.html", page(&[]))];
    let pages: BTreeMap<String, String> = pages.map(|(path, page)| (path.to_owned(), page)).into();
    let nginx = Nginx::start(NAME, &pages, "");
    let folder = empty_collection();
    let file = format!(
        "schedule.cycle = \"1s\"\n[fetch]\ndelay = \"0s\"\nallow_private = true\nresolve.\"{NAME}\" = \"{}\"\n",
        nginx.address
    );
    std::fs::write(folder.path().join("everfresh.toml"), file).unwrap();
    printed(folder.path(), &["add", &format!("https://{NAME}/")]);
    (nginx, folder)
}

/// A crawl with more settings, on a system that trusts whom this file names.
fn run(folder: &Path, sets: &[&str], trusted_by_system: &Path) -> Output {
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let mut command = everfresh(folder, &[&["run", "--until-idle"], &sets[..]].concat());
    command.env("SSL_CERT_FILE", trusted_by_system).env_remove("SSL_CERT_DIR").output().unwrap()
}

/// Crawls until all three pages are there: one that failed rests for a cycle of a second first.
fn run_until_all_are_there(folder: &Path, sets: &[&str], trusted_by_system: &Path) {
    let are_there = (0..100).any(|_| {
        assert!(run(folder, sets, trusted_by_system).status.success());
        let good = visits(folder).iter().filter(|visit| visit.rule == "first" && visit.status == Some(200)).count();
        if good < 3 {
            sleep(Duration::from_millis(100));
        }
        good == 3
    });
    assert!(are_there, "{:?}", visits(folder));
}

/// Asserts that the front page was refused; returns what was said about it.
fn refused(folder: &Path, sets: &[&str], trusted_by_system: &Path) -> String {
    assert!(run(folder, sets, trusted_by_system).status.success());
    let visits = visits(folder);
    assert_eq!((visits.len(), visits[0].rule.as_str()), (1, "tls"), "{visits:?}");
    visits[0].detail.clone().unwrap()
}

#[test]
fn who_is_not_trusted_is_told_what_to_set_and_crawled_when_it_is() {
    let (nginx, folder) = inner_site();
    let (folder, nobody) = (folder.path(), Path::new("/dev/null"));
    let said = refused(folder, &[], nobody);
    assert!(said.contains(NAME) && said.contains("fetch.ca_file"), "{said}");
    // A name without a folder is that of a file in the collection.
    std::fs::copy(&nginx.authority.certificate, folder.join("authority.pem")).unwrap();
    run_until_all_are_there(folder, &["fetch.ca_file=authority.pem"], nobody);
}

#[test]
fn those_whom_the_system_trusts_count_unless_they_are_not_to() {
    let (nginx, folder) = inner_site();
    let system = &nginx.authority.certificate;
    refused(folder.path(), &["fetch.system_roots=false"], system);
    run_until_all_are_there(folder.path(), &[], system);
}

#[test]
fn a_file_that_holds_no_certificate_is_refused_at_once() {
    let (_nginx, folder) = inner_site();
    let folder = folder.path();
    let broken = "-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n";
    for (text, problem) in [("nothing", "holds no certificate"), (broken, "one of its certificates cannot be used")] {
        std::fs::write(folder.join("authority.pem"), text).unwrap();
        let (code, said) = refusal(&run(folder, &["fetch.ca_file=authority.pem"], Path::new("/dev/null")));
        assert_eq!(code, Some(4), "{said}");
        assert!(said.contains("fetch.ca_file") && said.contains(problem), "{said}");
    }
    let (code, said) = refusal(&run(folder, &["fetch.ca_file=missing.pem"], Path::new("/dev/null")));
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("fetch.ca_file") && said.contains("missing.pem"), "{said}");
    assert!(visits(folder).is_empty());
}
