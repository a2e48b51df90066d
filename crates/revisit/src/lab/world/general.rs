//! `general`: a mixture of ways to change, on sites whose pages change together, with features that betray the rates.
//!
//! Each page draws a *liveliness* u between 0 and 1 and a kind by the shares given. Its mean interval between changes is
//! `slowest` at u = 0 and `fastest` at u = 1, log-uniform in between. A *Poisson* page changes without memory at that rate;
//! a *regular* one every interval, give or take a tenth; a *bursty* one without memory ten times as often, but only during
//! bursts that take up a tenth of its time; a *weekday* one in the working hours of nineteen weekdays out of twenty,
//! whatever its liveliness; and one that *never* changes has u = 0.
//!
//! Pages live on sites of `site` pages. Every `edit` days on average a site is edited as a whole, and each of its pages but
//! those that never change takes part with chance `together`.
//!
//! Features lean towards liveliness with correlation `betray`, as on the real Web: lively pages are long, full of links
//! and images, and near the top of their site. How pages link to each other says [`structure`].

mod structure;

use self::structure::Structure;
use super::{Extent, Parameter, Values, World};
use crate::lab::random::Random;
use crate::lab::trace::{FIRST_DAY, Trace, TracePage};
use crate::time::{Span, Time};

pub(super) const WORLD: World = World {
    name: "general",
    summary: "a mixture of ways to change, on sites whose pages change together, with features that betray the rates",
    parameters: PARAMETERS,
    make,
};

const PARAMETERS: &[Parameter] = &[
    parameter("days", 180.0, (1.0, 3650.0), "how long it lasts"),
    parameter("never", 0.35, (0.0, 1.0), "share of pages that never change, relative to the other shares"),
    parameter("poisson", 0.40, (0.0, 1.0), "share of pages that change without memory"),
    parameter("regular", 0.10, (0.0, 1.0), "share of pages that change at even intervals"),
    parameter("bursty", 0.10, (0.0, 1.0), "share of pages that change often for a while, then not at all"),
    parameter("weekday", 0.05, (0.0, 1.0), "share of pages that change on weekdays"),
    parameter("slowest", 400.0, (0.05, 36500.0), "longest mean interval between a page's changes, in days"),
    parameter("fastest", 0.5, (0.05, 36500.0), "shortest mean interval between a page's changes, in days"),
    parameter("site", 50.0, (1.0, 1e6), "pages a site"),
    parameter("edit", 30.0, (0.05, 36500.0), "mean days between edits of a whole site"),
    parameter("together", 0.3, (0.0, 1.0), "chance that a page takes part in an edit of its site"),
    parameter("betray", 0.7, (0.0, 1.0), "correlation of the features with the liveliness"),
    parameter("cross", 2.0, (0.0, 16.0), "links of a page to others of its site, besides those of the directories"),
    parameter("outward", 0.1, (0.0, 1.0), "chance of a link from a page to another site"),
];

const fn parameter(name: &'static str, default: f64, range: (f64, f64), meaning: &'static str) -> Parameter {
    Parameter { name, default, range, meaning }
}

/// What share of its time a bursty page is in a burst, and how many of its changes a burst holds on average.
const BURST_SHARE: f64 = 0.1;
const BURST_CHANGES: f64 = 8.0;

/// Streams of sites are numbered from here, those of pages from 0.
const SITES: u64 = 1 << 32;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Never,
    Poisson,
    Regular,
    Bursty,
    Weekday,
}

const KINDS: [Kind; 5] = [Kind::Never, Kind::Poisson, Kind::Regular, Kind::Bursty, Kind::Weekday];

/// The parameters, looked up once.
struct Shape {
    days: f64,
    shares: [f64; 5],
    slowest: f64,
    fastest: f64,
    site: u32,
    edit: f64,
    together: f64,
    betray: f64,
    structure: Structure,
}

impl Shape {
    fn of(values: &Values) -> Shape {
        Shape {
            days: values.of("days"),
            shares: ["never", "poisson", "regular", "bursty", "weekday"].map(|name| values.of(name)),
            slowest: values.of("slowest"),
            fastest: values.of("fastest"),
            site: values.of("site") as u32,
            edit: values.of("edit"),
            together: values.of("together"),
            betray: values.of("betray"),
            structure: Structure {
                site: values.of("site") as u32,
                cross: values.of("cross"),
                outward: values.of("outward"),
            },
        }
    }

    /// Days on which something without memory happens from `from` on, once in `mean` days.
    fn memoryless(&self, from: f64, until: f64, mean: f64, random: &mut Random, days: &mut Vec<f64>) {
        let mut day = from + random.exponential(mean);
        while day < until.min(self.days) {
            days.push(day);
            day += random.exponential(mean);
        }
    }

    /// The days of a page's own changes, with the fraction.
    fn own_changes(&self, kind: Kind, interval: f64, random: &mut Random) -> Vec<f64> {
        let mut days = Vec::new();
        match kind {
            Kind::Never => {}
            Kind::Poisson => self.memoryless(0.0, self.days, interval, random, &mut days),
            Kind::Regular => self.regular(interval, random, &mut days),
            Kind::Bursty => self.bursts(interval, random, &mut days),
            Kind::Weekday => self.weekdays(random, &mut days),
        }
        days
    }

    fn regular(&self, interval: f64, random: &mut Random, days: &mut Vec<f64>) {
        let mut due = interval * random.unit();
        while due < self.days {
            days.push(due + interval * 0.2 * (random.unit() - 0.5));
            due += interval;
        }
        days.retain(|day| (0.0..self.days).contains(day));
    }

    fn bursts(&self, interval: f64, random: &mut Random, days: &mut Vec<f64>) {
        let within = interval * BURST_SHARE;
        let (on, off) = (within * BURST_CHANGES, within * BURST_CHANGES * (1.0 / BURST_SHARE - 1.0));
        let mut day = if random.chance(BURST_SHARE) { 0.0 } else { random.exponential(off) };
        while day < self.days {
            let end = day + random.exponential(on);
            self.memoryless(day, end, within, random, days);
            day = end + random.exponential(off);
        }
    }

    fn weekdays(&self, random: &mut Random, days: &mut Vec<f64>) {
        for day in (0..self.days as u32).filter(|day| day % 7 < 5) {
            if random.chance(0.95) {
                days.push(f64::from(day) + (9.0 + 8.0 * random.unit()) / 24.0);
            }
        }
    }

    fn page(&self, number: u32, edits: &[f64], seed: u64) -> (TracePage, Vec<Time>) {
        let mut random = Random::stream(seed, number.into());
        let kind = KINDS[random.weighted(&self.shares)];
        let liveliness = if kind == Kind::Never { 0.0 } else { random.unit() };
        let interval = self.slowest * (self.fastest / self.slowest).powf(liveliness);
        let mut days = self.own_changes(kind, interval, &mut random);
        if kind != Kind::Never {
            days.extend(edits.iter().filter(|_| random.chance(self.together)));
        }
        (self.described(number, liveliness, &mut random), days.into_iter().map(time).collect())
    }

    /// A page with features that lean towards its liveliness.
    fn described(&self, number: u32, liveliness: f64, random: &mut Random) -> TracePage {
        // A uniform number between 0 and 1 has a deviation of 1/√12.
        let standard = (liveliness - 0.5) * 12.0_f64.sqrt();
        let noise = (1.0 - self.betray * self.betray).sqrt();
        let mut leaning = || self.betray * standard + noise * random.normal();
        let size = |typical: f64, spread: f64, leaning: f64| Some((typical * (spread * leaning).exp()).round() as f32);
        let (text_bytes, links, images) =
            (size(3000.0, 1.0, leaning()), size(20.0, 0.8, leaning()), size(3.0, 0.9, leaning()));
        let folders = (2.0 - leaning()).round().clamp(0.0, 6.0) as usize;
        let emails = Some(f32::from(u8::from(random.chance(0.1))));
        let (site, place) = (number / self.site, number % self.site);
        let (level, folders) = (folders + 1, ["a/", "b/", "c/", "d/", "e/", "f/"][..folders].concat());
        let url = format!("http://site-{site}.test/{folders}{place}");
        let page = TracePage::named(url, FIRST_DAY, time(self.days));
        TracePage { text_bytes, links, images, emails, directory_level: Some(level as f32), ..page }
    }
}

fn time(day: f64) -> Time {
    FIRST_DAY + Span::DAY * day
}

fn make(name: &str, extent: Extent, values: &Values) -> Trace {
    let shape = Shape::of(values);
    let mut edits = Vec::new();
    let pages = (0..extent.pages).map(|number| {
        if number % shape.site == 0 {
            edits.clear();
            let mut random = Random::stream(extent.seed, SITES + u64::from(number / shape.site));
            shape.memoryless(0.0, shape.days, shape.edit, &mut random, &mut edits);
        }
        shape.page(number, &edits, extent.seed)
    });
    let trace = Trace::new(name, pages);
    let level = |page| trace.page(page).directory_level.unwrap_or_default() as u8;
    let links = shape.structure.links(&trace.ids().map(level).collect::<Vec<_>>(), extent.seed);
    // Links are there from the first version on.
    trace.with_first_links(links.clone()).with_links(links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::world;
    use crate::page::PageId;

    /// A world in which every page is of one kind with an interval of 4 days, and sites are hardly ever edited.
    fn only(kind: &str) -> Trace {
        let others = ["never", "poisson", "regular", "bursty", "weekday"].into_iter().filter(|other| *other != kind);
        let others: String = others.map(|other| format!("&{other}=0")).collect();
        let text = format!("general?days=280&{kind}=1&slowest=4&fastest=4&together=0{others}");
        world::make(&text, 2_000, 5).unwrap()
    }

    fn gaps(trace: &Trace) -> Vec<f64> {
        let of = |page| trace.changes(page).windows(2).map(|pair| (pair[1] - pair[0]).as_days()).collect::<Vec<_>>();
        trace.ids().flat_map(of).collect()
    }

    /// The deviation of the gaps between changes, as a share of their mean: 1 without memory, 0 for a clock.
    fn unevenness(trace: &Trace) -> f64 {
        let gaps = gaps(trace);
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        variance.sqrt() / mean
    }

    #[test]
    fn kinds_change_as_often_as_they_should() {
        assert_eq!(only("never").change_count(), 0);
        for kind in ["poisson", "regular", "bursty"] {
            let mean = only(kind).change_count() as f64 / 2_000.0;
            assert!((mean - 70.0).abs() < 3.0, "{kind}: {mean} changes in 280 days, not 70");
        }
        let weekday = only("weekday").change_count() as f64 / 2_000.0;
        assert!((weekday - 190.0).abs() < 1.0, "{weekday} of 200 weekdays, not 190");
    }

    #[test]
    fn kinds_change_as_unevenly_as_they_should() {
        assert!(unevenness(&only("regular")) < 0.1);
        assert!((unevenness(&only("poisson")) - 1.0).abs() < 0.1);
        assert!(unevenness(&only("bursty")) > 1.5);
    }

    #[test]
    fn pages_of_a_site_change_together() {
        let trace = world::make("general?never=0&site=10&together=1", 1_000, 5).unwrap();
        let shared =
            |a, b| trace.changes(PageId(a)).iter().filter(|time| trace.changes(PageId(b)).contains(time)).count();
        assert!((0..100).map(|site| shared(10 * site, 10 * site + 9)).sum::<usize>() > 400);
        assert_eq!((0..99).map(|site| shared(10 * site, 10 * site + 10)).sum::<usize>(), 0);
    }

    /// How features and counts of changes go together, by ranks that are cheap: the sign of both against their medians.
    fn agreement(trace: &Trace) -> f64 {
        let links: Vec<f32> = trace.ids().map(|page| trace.page(page).links.unwrap()).collect();
        let counts: Vec<usize> = trace.ids().map(|page| trace.changes(page).len()).collect();
        let (mut sorted_links, mut sorted_counts) = (links.clone(), counts.clone());
        sorted_links.sort_by(f32::total_cmp);
        sorted_counts.sort_unstable();
        let (link, count) = (sorted_links[links.len() / 2], sorted_counts[counts.len() / 2]);
        let agreeing = links.iter().zip(&counts).filter(|(a, b)| (**a > link) == (**b > count)).count();
        agreeing as f64 / links.len() as f64
    }

    #[test]
    fn features_betray_the_rate_as_told() {
        let made = |betray| world::make(&format!("general?together=0&betray={betray}"), 4_000, 5).unwrap();
        assert!((agreement(&made(0.0)) - 0.5).abs() < 0.03);
        assert!(agreement(&made(0.7)) > 0.65);
    }
}
