//! A domain of hundreds of names, all on one machine: it is not met with hundreds of requests at once, its robots.txt files do
//! not fill the memory, and only so many of its hosts are followed.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use support::collection::json;
use support::judged::Judged;
use support::scripted::{Scripted, Told};

const HOSTS: usize = 300;

/// A server that is asked something by somebody until this is dropped.
struct Busy(Arc<AtomicUsize>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A server of many names whose front page links to all of them, with a robots.txt of so many rules each, and the most requests
/// that it ever had to answer at once.
fn crowd(rules: usize) -> (Scripted, Arc<AtomicUsize>) {
    let (busy, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&most);
    let lines: String = (0..rules).map(|number| format!("Disallow: /private/{number:06}/\n")).collect();
    let server = Scripted::start_bare(move |asked| {
        most.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let _busy = Busy(Arc::clone(&busy));
        // The others have their chance to come meanwhile.
        std::thread::sleep(std::time::Duration::from_millis(20));
        match asked.url.path() {
            "/robots.txt" => Told::new("text/plain", format!("User-agent: *\n{lines}")),
            "/" => {
                let links: String =
                    (0..HOSTS).map(|host| format!("<a href=\"http://h{host}.crowd.test/page\">{host}</a>\n")).collect();
                Told::new("text/html", links)
            }
            _ => Told::new("text/html", format!("<p>{}", asked.url)),
        }
    });
    (server, counted)
}

/// A collection of the domain, of which one host is known to begin with.
fn collection(server: &Scripted) -> Judged {
    let hosts: Vec<_> = (0..HOSTS).map(|host| (format!("h{host}.crowd.test"), server.address)).collect();
    let judged = Judged::new(&hosts).with(&["scope.mode=domain"]);
    judged.printed(&["add", "http://h0.crowd.test/"]);
    judged
}

#[test]
fn a_machine_of_many_names_is_asked_as_if_it_had_a_few() {
    // 475 KB each.
    let (server, most) = crowd(19_000);
    let judged = collection(&server).with(&["scope.max_hosts_per_domain=1000"]);
    let summary = judged.json(&["run", "--until-idle"]);
    assert_eq!(summary["outcomes"]["first"], HOSTS + 1, "{summary}");
    assert!((2..=16).contains(&most.load(Ordering::SeqCst)), "{most:?} requests at once");
    let peak = summary["peak_memory_bytes"].as_u64().unwrap() >> 20;
    println!("{most:?} requests at once, at most {peak} MiB");
    assert!(peak < 300, "{peak} MiB");
    // A start reads all of them from the store.
    let again = judged.json(&["run", "--max-visits", "1"]);
    let peak = again["peak_memory_bytes"].as_u64().unwrap() >> 20;
    println!("at most {peak} MiB after a start");
    assert!(peak < 200, "{peak} MiB at the next start");
}

#[test]
fn only_so_many_hosts_of_a_domain_are_followed() {
    let (server, _) = crowd(1);
    let judged = collection(&server);
    let summary = judged.json(&["run", "--until-idle"]);
    assert_eq!((&summary["outcomes"]["first"], &summary["left_out"]), (&101.into(), &200.into()), "{summary}");
    let left_out = &judged.json(&["status"])["left_out"][0];
    assert_eq!((&left_out["reason"], &left_out["links"]), (&"hosts-of-domain".into(), &200.into()), "{left_out}");
    assert_eq!(json(&judged.folder(), &["status"])["totals"]["hosts"], 100);
    // Those that the user names are followed too.
    judged.printed(&["add", "http://h299.crowd.test/mine"]);
    assert_eq!(judged.json(&["run", "--until-idle"])["outcomes"]["first"], 1);
}
