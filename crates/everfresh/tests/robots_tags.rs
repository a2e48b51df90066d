//! What a server asks of robots in headers holds, in whichever field it says so.

#![allow(clippy::unwrap_used)]

mod support;

use support::judged::Judged;
use support::scripted::{Scripted, Told};

#[test]
fn every_robots_tag_of_an_answer_counts_and_those_for_others_do_not() {
    let server = Scripted::start(|asked| {
        let page = Told::new("text/html", format!("<a href='{}/next'>on</a>", asked.url.path()));
        match asked.url.path() {
            "/two" => page.field("X-Robots-Tag", "otherbot: all").field("X-Robots-Tag", "max-snippet:9, nofollow"),
            "/ours" => page.field("X-Robots-Tag", "otherbot: all, everfresh: nofollow"),
            "/theirs" => page.field("X-Robots-Tag", "everfresh: all, otherbot: nofollow"),
            _ => Told::new("text/html", "the end"),
        }
    });
    let judged = Judged::new(&[("tagged.test".into(), server.address)]);
    judged.printed(&["add", "http://tagged.test/two", "http://tagged.test/ours", "http://tagged.test/theirs"]);
    judged.printed(&["run", "--until-idle"]);
    let mut paths: Vec<String> = server.log().iter().map(|asked| asked.url.path().to_owned()).collect();
    paths.sort();
    assert_eq!(paths, ["/ours", "/theirs", "/theirs/next", "/two"]);
}
