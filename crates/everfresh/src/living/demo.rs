//! The web that `everfresh demo` crawls: some three hundred pages on seven hosts, each with habits seen on real
//! sites.

use std::time::Duration;

use revisit::{Span, Time};

use super::changes::Changes;
use super::script::{Flavour, Noise, Page, Script, Site, Sitemap, Validators};

const CLOCK: Noise = Noise { clock: true, token: false, counter: false };
const FORM: Noise = Noise { clock: false, token: true, counter: true };

impl Script {
    /// The web of the demo.
    pub fn demo(seed: u64) -> Script {
        let script = Script::new(seed);
        let start = script.begins();
        [news(start), manual(), wiki(), shop(start), blog(), status(), museum(start)]
            .into_iter()
            .fold(script, Script::site)
    }
}

/// Changes within hours, tells the truth in sitemap and feed, and publishes new pages every day.
fn news(start: Time) -> Site {
    let sections = ["politics", "culture", "sport", "science"];
    let directories =
        sections.map(|section| Page::new(&format!("/{section}/")).changes(poisson(Span::HOUR * 12.0)).gzip());
    let articles = numbered(sections, 11).enumerate().map(|(number, path)| {
        let mean = Span::HOUR * (6.0 * 1.25_f64.powi(number as i32 % 20));
        let page = Page::new(&path).changes(poisson(mean));
        if number % 3 == 0 { page.gzip() } else { page }
    });
    let breaking = (1..=14).map(|day| {
        let appears = start + Span::DAY * (f64::from(day) + 0.3);
        let page = Page::new(&format!("/breaking/{day}")).appears(appears).changes(poisson(Span::DAY));
        if day % 4 == 0 { page.vanishes(appears + Span::DAY * 3.0) } else { page }
    });
    Site::new("news.living.test")
        .robots("User-agent: *\nDisallow: /drafts/\n")
        .sitemap(Sitemap::Honest)
        .feed()
        .page(Page::new("/").changes(Changes::Every(Span::HOUR * 3.0)).noise(CLOCK).validators(Validators::Absent))
        .page(Page::new("/breaking/").gzip())
        .pages(directories)
        .pages(articles)
        .pages(breaking)
        .pages(["/drafts/tomorrow", "/drafts/never"].map(Page::new))
}

/// Two editions, each built as a whole; asks for patience.
fn manual() -> Site {
    let pages = |edition: u64, mean: Span| {
        let directory = Page::new(&format!("/v{edition}/"));
        let chapters = (1..=22)
            .map(move |chapter| Page::new(&format!("/v{edition}/chapter-{chapter}")).validators(Validators::EntityTag));
        chapters.chain([directory]).map(move |page| page.changes(Changes::Together { group: edition, mean }))
    };
    Site::new("docs.living.test")
        .flavour(Flavour::Manual)
        .robots("User-agent: *\nCrawl-delay: 2\nDisallow: /internal/\n")
        .pages(pages(1, Span::DAY * 60.0))
        .pages(pages(2, Span::DAY * 5.0))
        .page(Page::new("/latest").redirects(302, "/v2/"))
        .page(Page::new("/internal/build-log").changes(Changes::Every(Span::HOUR)))
}

/// Everything from hourly to never, no validators on half of it, and a sitemap that always says "now".
fn wiki() -> Site {
    let pages = (1..=48).map(|number| {
        let page = Page::new(&format!("/wiki/subject-{number}"));
        let page = match number % 7 {
            0 => page.changes(Changes::Never),
            kind => page.changes(poisson(Span::HOUR * (4.0 * 3.0_f64.powi(kind)))),
        };
        match number % 4 {
            0 => page.validators(Validators::Absent),
            1 => page.validators(Validators::Absent).noise(CLOCK),
            2 => page.validators(Validators::LastModified).gzip(),
            _ => page,
        }
    });
    Site::new("wiki.living.test")
        .flavour(Flavour::Wiki)
        .robots("User-agent: *\nDisallow: /special/\n")
        .sitemap(Sitemap::Lying)
        .pages(pages)
        .page(Page::new("/special/random").validators(Validators::Absent))
        .page(Page::new("/wiki/renamed").redirects(301, "/wiki/subject-1"))
}

/// Forms, tokens and counters; slow, failing now and then, and quick to say "too fast".
fn shop(start: Time) -> Site {
    let goods = (1..=36).map(|number| {
        let page = Page::new(&format!("/goods?id={number}")).validators(Validators::Absent).noise(FORM);
        let page =
            page.changes(if number % 3 == 0 { Changes::Weekdays } else { poisson(Span::DAY * f64::from(number)) });
        match number % 6 {
            0 => page.slow(Duration::from_millis(150)),
            1 => page.failing(0.2),
            2 => page.vanishes(start + Span::DAY * (2.0 + f64::from(number))),
            _ => page,
        }
    });
    Site::new("shop.living.test")
        .robots("User-agent: *\nDisallow: /basket\n")
        .no_faster_than(Span::from_secs(1))
        .pages(goods)
        .page(Page::new("/basket").noise(FORM))
        .page(Page::new("/sold-out").fails(410))
}

/// Written on weekdays, in an old charset that nobody declares.
fn blog() -> Site {
    let posts = (1..=30).map(|number| {
        let page = Page::new(&format!("/{}/post-{number}", 2020 + number / 6));
        let page = if number > 24 { page.changes(Changes::Weekdays) } else { page };
        if number % 5 == 0 { page.latin1() } else { page.validators(Validators::LastModified) }
    });
    Site::new("blog.living.test").page(Page::new("/").changes(Changes::Weekdays).latin1()).pages(posts)
}

/// Quiet for days, then changing by the minute.
fn status() -> Site {
    let bursts = Changes::Bursts { quiet: Span::DAY * 4.0, busy: Span::HOUR * 8.0, every: Span::MINUTE * 40.0 };
    let systems = (1..=20).map(|number| {
        let page = Page::new(&format!("/systems/{number}")).changes(bursts.clone());
        if number % 2 == 0 { page.noise(CLOCK).validators(Validators::Absent) } else { page.gzip() }
    });
    let reports = (1..=12).map(|hours| {
        Page::new(&format!("/reports/{hours}")).changes(Changes::Every(Span::HOUR * f64::from(hours * 4)))
    });
    Site::new("status.living.test").flavour(Flavour::Manual).pages(systems).pages(reports)
}

/// Nothing changes here but addresses: redirects, chains, a loop, dead links, and pages that are taken away.
fn museum(start: Time) -> Site {
    let rooms = (1..=40).map(|number| {
        let page = Page::new(&format!("/rooms/{number}"));
        if number % 10 == 0 { page.vanishes(start + Span::DAY * f64::from(number)) } else { page }
    });
    Site::new("museum.living.test")
        .flavour(Flavour::Wiki)
        .page(Page::new("/rooms/"))
        .pages(rooms)
        .page(Page::new("/moved").redirects(301, "/rooms/1"))
        .page(Page::new("/elsewhere").redirects(302, "http://wiki.living.test/wiki/subject-2"))
        .pages((1..=4).map(|step| Page::new(&format!("/chain/{step}")).redirects(301, &format!("/chain/{}", step + 1))))
        .page(Page::new("/chain/5"))
        .page(Page::new("/loop/a").redirects(302, "/loop/b"))
        .page(Page::new("/loop/b").redirects(302, "/loop/a"))
        .page(Page::new("/lost").fails(404))
        .page(Page::new("/burnt").fails(410))
        .page(Page::new("/broken").fails(500))
}

fn poisson(mean: Span) -> Changes {
    Changes::Poisson { mean }
}

fn numbered<const N: usize>(sections: [&'static str; N], count: usize) -> impl Iterator<Item = String> {
    sections.into_iter().flat_map(move |section| (1..=count).map(move |number| format!("/{section}/{number}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::living::{Answer, Truth};

    #[test]
    fn the_demo_is_of_the_promised_size() {
        let truth = Truth::new(Script::demo(1));
        let pages = truth.pages().count();
        assert!((280..340).contains(&pages), "{pages} pages");
        assert_eq!(truth.forbidden().count(), 5);
    }

    #[test]
    fn redirects_lead_to_pages_that_exist() {
        let truth = Truth::new(Script::demo(1));
        for page in truth.pages() {
            let Answer::Redirect { to, .. } = page.answer else { continue };
            let target = url::Url::parse(page.url).unwrap().join(to).unwrap();
            assert!(truth.find(target.as_str()).is_some(), "{target}");
        }
    }

    #[test]
    fn seeds_make_different_webs() {
        let changes = |seed| {
            let truth = Truth::new(Script::demo(seed));
            let start = Script::demo(seed).begins();
            truth.changes("http://news.living.test/politics/1", start, start + Span::DAY * 30.0)
        };
        assert_eq!(changes(1), changes(1));
        assert_ne!(changes(1), changes(2));
    }
}
