//! A collection in a folder of its own, and the real program at work on it.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use everfresh::collection::Collection;
use everfresh::config::{self, Config};
use everfresh::living::LivingWeb;
use everfresh::pipeline::add_seeds;
use everfresh::store::{self, Opening, Order, StoreError, VisitEntry, each};
use everfresh::units::Duration;
use revisit::{Span, Time};
use serde_json::Value;
use tempfile::TempDir;
use url::Url;

/// A configuration that leads every host of a living web to it, with this delay between two requests to a host.
pub(crate) fn config_for(web: &LivingWeb, delay: Span) -> Config {
    let mut config = Config::default();
    let address = web.address().to_string();
    config.fetch.delay = Duration(delay);
    config.fetch.allow_private = true;
    config.fetch.resolve = web.hosts().into_iter().map(|host| (host, address.clone())).collect();
    config
}

/// A new collection with the front pages of a living web for seeds.
pub(crate) fn new_collection(config: &Config, web: &LivingWeb, now: Time) -> TempDir {
    new_collection_of(config, &web.seeds(), now)
}

/// A new collection with these seeds.
pub(crate) fn new_collection_of(config: &Config, seeds: &[Url], now: Time) -> TempDir {
    let folder = empty_collection();
    std::fs::write(folder.path().join(config::FILE), toml::to_string(config).unwrap()).unwrap();
    let mut store = store::open(folder.path(), Opening::default()).unwrap();
    add_seeds(store.as_mut(), seeds, 1.0, now).unwrap();
    folder
}

/// A new collection of these hosts, all at one server, with a page of each for a seed. No host is owed a delay.
pub(crate) fn collection_at(server: SocketAddr, pages: &[&str]) -> TempDir {
    let pages: Vec<Url> = pages.iter().map(|page| Url::parse(&format!("http://{page}")).unwrap()).collect();
    let mut config = Config::default();
    config.fetch.allow_private = true;
    config.fetch.delay = Duration::secs(0);
    // So that what failed has rested before the next crawl begins.
    config.schedule.cycle = Duration(Span::from_millis(1));
    let host = |page: &Url| (page.host_str().unwrap().to_owned(), server.to_string());
    config.fetch.resolve = pages.iter().map(host).collect();
    new_collection_of(&config, &pages, Time::from_secs(0))
}

/// A new collection as `init` makes it.
pub(crate) fn empty_collection() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    Collection::at(folder.path()).init().unwrap();
    store::open(folder.path(), Opening::default()).unwrap();
    folder
}

/// The real program, about to work on a collection. It says what goes wrong and nothing else on stderr.
pub(crate) fn everfresh(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_everfresh"));
    command.args(arguments).arg("-C").arg(folder).env("RUST_LOG", "off");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a command that must succeed and returns what it printed.
pub(crate) fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = everfresh(folder, arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must succeed and print one JSON document.
pub(crate) fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(folder, &[arguments, &["--json"]].concat())).unwrap()
}

/// What a failed command says: its exit code, and the one line on stderr.
pub(crate) fn refusal(output: &Output) -> (Option<i32>, String) {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(said.lines().count(), 1, "one line, not: {said}");
    assert!(said.starts_with("everfresh: "), "{said}");
    (output.status.code(), said.trim_end().to_owned())
}

/// Every visit that a reader sees, oldest first. A reader sees what is acknowledged.
pub(crate) fn visits(folder: &Path) -> Vec<VisitEntry> {
    let mut visits = Vec::new();
    let store = store::reader(folder).unwrap();
    let asked = |cursor| store.history(None, Order::OldestFirst, cursor);
    let taken: Result<(), StoreError> = each(asked, |visit| {
        visits.push(visit);
        Ok(())
    });
    taken.unwrap();
    visits
}

/// Visits as `export visits` writes them: one line each, everything in it.
pub(crate) fn lines(visits: &[VisitEntry]) -> Vec<String> {
    visits.iter().map(|visit| serde_json::to_string(visit).unwrap()).collect()
}
