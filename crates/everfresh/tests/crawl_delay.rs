//! What a robots.txt asks for holds for the server behind a name, whatever the scheme, and after a restart.

#![allow(clippy::unwrap_used)]

mod support;

use revisit::Span;
use support::judged::Judged;
use support::scripted::{Scripted, Told};

#[test]
fn a_crawl_delay_holds_after_a_restart_although_the_other_scheme_asks_for_none() {
    let robots = "User-agent: *\nCrawl-delay: 1\n";
    let server = Scripted::start_with_robots(robots, |_| Told::new("text/plain", "a page"));
    let judged = Judged::new(&[("patient.test".into(), server.address)]);
    judged.printed(&["add", "http://patient.test/1", "http://patient.test/2"]);
    judged.printed(&["run", "--max-visits", "1"]);
    // A host that was never asked: it has no robots.txt in the store, and speaks no TLS.
    judged.printed(&["add", "https://patient.test/"]);
    judged.printed(&["run", "--max-visits", "2"]);
    let log = server.log();
    let gap = log[1].at - log[0].at;
    assert!(log.len() == 2 && gap >= Span::from_secs(1), "asked again after {gap:?}");
}
