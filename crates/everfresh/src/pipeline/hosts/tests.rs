//! Who may be contacted when, without any network.

use revisit::PageId;

use super::*;
use crate::config::Config;
use crate::store::RobotsRow;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

#[test]
fn both_schemes_of_a_name_share_its_politeness() {
    let settings = Settings::resolve(Config::default()).unwrap();
    let (now, later) = (Time::from_secs(100), Time::from_secs(102));
    let mut hosts = Hosts::new(&settings, Time::MIN, now);
    let plain = hosts.of(&url("http://a.test/x"), &settings).0;
    let secure = hosts.of(&url("https://a.test/"), &settings).0;
    let other = hosts.of(&url("http://a.test:8080/"), &settings).0;
    assert!(plain != secure && secure != other);
    for (host, text) in [(plain, "http://a.test/x"), (secure, "https://a.test/"), (other, "http://a.test:8080/")] {
        hosts.queue_page(Assignment::to(PageId(host.0), host, url(text)));
    }
    let contacted = |hosts: &mut Hosts, now| {
        std::iter::from_fn(|| match hosts.next(now) {
            Some(Next::Contact(contact, _)) => Some(contact.host),
            _ => None,
        })
        .collect::<Vec<_>>()
    };
    let soon = now + Span::from_millis(70);
    assert_eq!(contacted(&mut hosts, now), [plain], "one of the two schemes");
    assert_eq!(contacted(&mut hosts, soon), [other], "another port is another server, on the same machine");
    hosts.end(Contact { host: plain, begun: now }, now, Signal::Fine, None);
    assert_eq!(contacted(&mut hosts, soon), [], "the delay is owed to the server");
    assert_eq!(contacted(&mut hosts, later), [secure]);
}

fn row(id: u32, name: &str, robots: Option<&str>) -> HostRow {
    let robots = robots.map(|text| RobotsRow { status: 200, body: text.into(), at: Time::from_secs(1) });
    let (last_contact, blocked_until) = (Time::MIN, Time::MIN);
    HostRow { id: HostId(id), name: name.into(), robots, last_contact, blocked_until, pause: Span::ZERO }
}

#[test]
fn a_server_keeps_the_strictest_delay_of_its_names() {
    let settings = Settings::resolve(Config::default()).unwrap();
    let patient = "User-agent: *\nCrawl-delay: 10";
    let delays = |rows: &[HostRow]| {
        let mut hosts = Hosts::new(&settings, Time::MIN, Time::from_secs(100));
        rows.iter().for_each(|row| hosts.restore(row.clone(), &settings));
        hosts
    };
    let rows = [row(0, "http://a.test", Some(patient)), row(1, "https://a.test", Some("User-agent: *"))];
    let unasked = [rows[0].clone(), row(1, "https://a.test", None)];
    for rows in [&rows, &unasked] {
        let mut hosts = delays(rows);
        assert_eq!(hosts.politeness(HostId(1)).delay(), Span::from_secs(10), "restored");
        let fetched = |text: &str| RobotsRow { status: 200, body: text.into(), at: Time::from_secs(100) };
        hosts.set_robots(HostId(1), &fetched("User-agent: *\nCrawl-delay: 3"));
        assert_eq!(hosts.politeness(HostId(0)).delay(), Span::from_secs(10), "the other scheme asks for less");
        hosts.set_robots(HostId(0), &fetched(""));
        assert_eq!(hosts.politeness(HostId(0)).delay(), Span::from_secs(3), "it asks for nothing any more");
    }
}

/// Hosts with a page each to visit, all with a robots.txt that allows everything and a delay of eight seconds.
fn with_pages(count: u32, name: impl Fn(u32) -> String) -> Hosts {
    let mut config = Config::default();
    config.fetch.delay = crate::units::Duration::secs(8);
    config.fetch.hosts_per_address = 4;
    let settings = Settings::resolve(config).unwrap();
    let mut hosts = Hosts::new(&settings, Time::MIN, Time::from_secs(100));
    for number in 0..count {
        hosts.restore(row(number, &name(number), Some("")), &settings);
        let page = url(&format!("{}/page", name(number)));
        hosts.queue_page(Assignment::to(PageId(number), HostId(number), page));
    }
    hosts
}

/// Contacts whoever is ready at each second, and lets each exchange take as many seconds as told. Gives how many began at each
/// second and how many were open then.
fn contacts(hosts: &mut Hosts, seconds: i64, takes: i64, address: Option<IpAddr>) -> Vec<(usize, usize)> {
    let (mut open, mut told) = (Vec::<(i64, Contact)>::new(), Vec::new());
    for second in 100..100 + seconds {
        let now = Time::from_secs(second);
        for (_, contact) in open.extract_if(.., |(begun, _)| *begun + takes <= second).collect::<Vec<_>>() {
            hosts.end(contact, now, Signal::Fine, address);
        }
        let mut begun = 0;
        while let Some(Next::Contact(contact, _)) = hosts.next(now) {
            open.push((second, contact));
            begun += 1;
        }
        told.push((begun, open.len()));
    }
    told
}

#[test]
fn the_names_of_a_domain_are_asked_as_if_they_were_a_few_hosts() {
    let mut hosts = with_pages(40, |number| format!("http://h{number}.a.test"));
    let begun = contacts(&mut hosts, 100, 1, None);
    assert_eq!(begun.iter().map(|(begun, _)| begun).sum::<usize>(), 40, "all have their turn");
    assert!(begun.iter().all(|(begun, _)| *begun <= 1), "a fourth of the delay lies between two: {begun:?}");
    let mut slow = with_pages(40, |number| format!("http://h{number}.a.test"));
    let most = contacts(&mut slow, 1000, 30, None).iter().map(|(_, open)| *open).max();
    assert_eq!(most, Some(4), "at once");
    let mut others = with_pages(40, |number| format!("http://a{number}.test"));
    assert_eq!(contacts(&mut others, 1, 1, None), [(40, 40)], "other domains may be elsewhere");
}

#[test]
fn who_turns_out_to_be_at_one_address_shares_it() {
    let mut hosts = with_pages(40, |number| format!("http://a{number}.test"));
    contacts(&mut hosts, 2, 1, Some([192, 0, 2, 7].into()));
    for number in 0..40 {
        let page = url(&format!("http://a{number}.test/other"));
        hosts.queue_page(Assignment::to(PageId(number), HostId(number), page));
    }
    let begun = contacts(&mut hosts, 120, 3, Some([192, 0, 2, 7].into()));
    assert_eq!(begun.iter().map(|(begun, _)| begun).sum::<usize>(), 40);
    assert!(begun.iter().all(|(begun, open)| *begun <= 1 && *open <= 4), "{begun:?}");
}

#[test]
fn a_domain_has_room_for_so_many_servers() {
    let hosts = with_pages(3, |number| format!("http://h{number}.a.test"));
    assert!(hosts.has_place_for(&url("http://h9.a.test/"), 4));
    assert!(!hosts.has_place_for(&url("http://h9.a.test/"), 3));
    assert!(hosts.has_place_for(&url("http://h1.a.test/x"), 3), "known");
    assert!(hosts.has_place_for(&url("https://h1.a.test/x"), 3), "the same server");
    assert!(hosts.has_place_for(&url("http://b.test/"), 3), "another domain");
}

#[test]
fn rules_that_take_too_much_are_dropped_and_brought_back() {
    let settings = Settings::resolve(Config::default()).unwrap();
    let mut hosts = Hosts::new(&settings, Time::MIN, Time::from_secs(100));
    let lines: String = (0..20_000).map(|number| format!("Disallow: /{number}/\n")).collect();
    let stored = |id| row(id, &format!("http://a{id}.test"), Some(&format!("User-agent: *\n{lines}")));
    (0..100).for_each(|id| hosts.restore(stored(id), &settings));
    let held = |hosts: &Hosts| {
        let all = hosts.ids().map(|host| &hosts.hosts[host]);
        let known = all.filter(|host| matches!(host.robots, RobotsState::Known(_, Some(_))));
        known.count()
    };
    assert!((10..90).contains(&held(&hosts)), "{} are held", held(&hosts));
    hosts.queue_page(Assignment::to(PageId(0), HostId(0), url("http://a0.test/7/x")));
    let now = Time::from_secs(101);
    assert!(matches!(hosts.next(now), Some(Next::Rules(HostId(0)))));
    hosts.bring_rules(HostId(0), stored(0).robots);
    assert!(matches!(hosts.next(now), Some(Next::Forbidden(_))));
    // A robots.txt that was fetched and is not in the store yet is asked for again.
    hosts.queue_page(Assignment::to(PageId(1), HostId(1), url("http://a1.test/7/x")));
    assert!(matches!(hosts.next(now), Some(Next::Rules(HostId(1)))));
    hosts.bring_rules(HostId(1), None);
    assert!(matches!(hosts.next(now), Some(Next::Contact(Contact { host: HostId(1), .. }, Errand::Robots { .. }))));
}

#[test]
fn who_has_not_answered_is_taken_to_be_where_its_domain_is() {
    let mut hosts = with_pages(40, |number| format!("http://h{number}.a.test"));
    // The first to answer are asked again and again, beside those that were never asked.
    for number in 0..4 {
        let page = url(&format!("http://h{number}.a.test/other"));
        hosts.queue_page(Assignment::to(PageId(number), HostId(number), page));
    }
    let begun = contacts(&mut hosts, 400, 7, Some([192, 0, 2, 7].into()));
    assert_eq!(begun.iter().map(|(begun, _)| begun).sum::<usize>(), 44);
    assert!(begun.iter().all(|(begun, open)| *begun <= 1 && *open <= 4), "{begun:?}");
}

#[test]
fn a_host_that_others_send_theirs_to_keeps_every_second_turn() {
    let settings = Settings::resolve(Config::default()).unwrap();
    let now = Time::from_secs(100);
    let mut hosts = Hosts::new(&settings, Time::MIN, now);
    (0..40).for_each(|number| hosts.restore(row(number, &format!("http://h{number}.test"), Some("")), &settings));
    for page in 0..20 {
        hosts.queue_page(Assignment::to(PageId(page), HostId(0), url("http://h0.test/page")));
    }
    let send = |asker| hosts.redirect_robots(HostId(asker), url("http://h0.test/theirs"), 0, now, &settings);
    let crowded = (1..40).map(send).filter(|sent| matches!(sent, Redirected::Crowded(_))).count();
    assert_eq!(crowded, 39 - 16, "few wait at a time");
    let turns = (0..20).filter_map(|turn| {
        let now = now + Span::from_secs(2 * turn);
        let Some(Next::Contact(contact, errand)) = hosts.next(now) else { return None };
        hosts.end(contact, now, Signal::Fine, None);
        Some(matches!(errand, Errand::Page(_)))
    });
    assert_eq!(turns.filter(|is_page| *is_page).count(), 10, "half of the turns");
}
