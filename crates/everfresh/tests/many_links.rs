//! A page that leads to more than is read of it says so, also where it is judged apart.

#![allow(clippy::unwrap_used)]

mod support;

use support::judged::Judged;
use support::scripted::{Scripted, Told};

#[test]
fn a_page_with_more_links_than_are_read_says_so() {
    let many: String = (0..10_001).map(|number| format!("<a href='http://elsewhere.test/{number}'></a>")).collect();
    let server = Scripted::start(move |asked| match asked.url.path() {
        "/few" => Told::new("text/html", "<a href='/'>one</a>"),
        _ => Told::new("text/html", many.clone()),
    });
    let judged = Judged::new(&[("many.test".into(), server.address)]);
    judged.printed(&["add", "http://many.test/few"]);
    judged.printed(&["run", "--until-idle"]);
    let visits = judged.exported("visits");
    let details: Vec<Option<&str>> = visits.iter().map(|visit| visit["detail"].as_str()).collect();
    assert_eq!(details, [None, Some("it has more links than the 10000 that were read")], "{visits:?}");
}
