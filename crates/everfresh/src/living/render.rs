//! One version of a page as HTML: a pure function of the seed, the page and the version.
//!
//! A version rewrites a few sentences and leaves the rest, as editors do. Links never depend on the time except in
//! the list of a directory, whose changes the truth counts.

use std::fmt::Write;

use revisit::Time;

use super::random::Random;
use super::script::Flavour;
use super::truth::{Subject, Truth};
use super::words;

/// A rendered version, cut open where the noise of each answer goes.
pub(super) struct Rendered {
    /// Up to the noise.
    pub(super) before: String,
    /// From the noise to the end.
    pub(super) after: String,
}

/// Renders the page number `index` in a version that began at `began`.
pub(super) fn render(truth: &Truth, index: usize, version: u64, began: Time) -> Rendered {
    let subject = &truth.subjects[index];
    if let Some(figure) = &subject.page.figure {
        return figure.render(truth.seed, &subject.url, version);
    }
    let seed = Random::new(truth.seed, &subject.url, 1).draw();
    let mut sheet = Sheet { truth, index, subject, seed, version, began, out: String::with_capacity(6_000) };
    sheet.head();
    sheet.navigation();
    sheet.text();
    sheet.list();
    sheet.see_also();
    sheet.out.push_str("</main>\n<footer>\n");
    let before = std::mem::take(&mut sheet.out);
    sheet.foot();
    Rendered { before, after: sheet.out }
}

/// The headline of a page, the same in all its versions.
pub(super) fn title(truth: &Truth, subject: &Subject) -> String {
    words::title(&mut Random::new(truth.seed, &subject.url, 0), truth.sites[subject.site].flavour)
}

/// A time as people write it.
fn spelled(at: Time) -> String {
    jiff::Timestamp::from_second(at.secs())
        .map_or_else(|_| "some day".to_owned(), |at| at.strftime("%-d %B %Y, %H:%M UTC").to_string())
}

struct Sheet<'a> {
    truth: &'a Truth,
    index: usize,
    subject: &'a Subject,
    /// Of this page, so that a page added to the script leaves the others as they are.
    seed: u64,
    version: u64,
    began: Time,
    out: String,
}

impl Sheet<'_> {
    fn head(&mut self) {
        let site = &self.truth.sites[self.subject.site];
        let title = title(self.truth, self.subject);
        self.out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n");
        if !self.subject.page.latin1 {
            self.out.push_str("<meta charset=\"utf-8\">\n");
        }
        self.put(format_args!("<title>{title} &ndash; {}</title>\n", site.host));
        self.put(format_args!("<link rel=\"canonical\" href=\"{}\">\n", escaped(&self.subject.url)));
        if site.feed {
            self.out.push_str("<link rel=\"alternate\" type=\"application/atom+xml\" href=\"/feed.xml\">\n");
        }
        self.out.push_str("<style>body { font: 16px/1.5 serif; max-width: 50em } nav a { margin: .3em }</style>\n");
        self.out.push_str("<script>window.seen = \"<p>not a text</p>\";</script>\n</head>\n<body>\n");
        self.put(format_args!("<header><h1>{title}</h1></header>\n"));
    }

    /// Home, the directory above, and the neighbours in it.
    fn navigation(&mut self) {
        self.out.push_str("<nav><a href=\"/\">Home</a>");
        if let Some(parent) = self.subject.parent {
            self.link(parent, " | ");
            let siblings = &self.truth.subjects[parent].children;
            let place = siblings.partition_point(|sibling| *sibling < self.index);
            let lasting = |number: &&usize| **number != self.index && self.truth.subjects[**number].lasting();
            let before = siblings[..place].iter().rev().filter(lasting).take(2);
            let after = siblings[place..].iter().filter(lasting).take(4);
            let neighbours: Vec<usize> = before.chain(after).copied().collect();
            neighbours.into_iter().for_each(|number| self.link(number, " | "));
        }
        self.out.push_str("</nav>\n<main>\n");
    }

    fn text(&mut self) {
        let mut random = self.random("shape", 0);
        self.put(format_args!("<p class=\"date\">Updated {}</p>\n", spelled(self.began)));
        for _ in 0..random.below(3) {
            let number = random.below(40);
            self.put(format_args!("<figure><img src=\"/images/{number}.png\" alt=\"Figure {number}\"></figure>\n"));
        }
        let flavour = self.flavour();
        let sentences = 18 + random.below(28) as u64;
        for sentence in 0..sentences {
            if sentence % 6 == 0 {
                self.out.push_str(if sentence == 0 { "<p>" } else { "</p>\n<p>" });
            }
            let written = self.rewritten(sentence, sentences);
            let mut random = self.random("sentence", sentence.wrapping_mul(1 << 32) ^ written);
            words::sentence(&mut random, flavour, &mut self.out);
        }
        self.out.push_str("</p>\n");
    }

    /// The version in which a sentence got its present words: each version rewrites one sentence in turn and some
    /// others by chance.
    fn rewritten(&self, sentence: u64, sentences: u64) -> u64 {
        let earlier = self.version.saturating_sub(sentences)..=self.version;
        let touched = |version: &u64| {
            let by_turn = version % sentences == sentence;
            by_turn || self.random("rewrite", sentence.wrapping_mul(1 << 32) ^ version).chance(0.15)
        };
        earlier.rev().find(|version| *version == 0 || touched(version)).unwrap_or(0)
    }

    /// The pages of a directory that existed when this version began.
    fn list(&mut self) {
        if self.subject.children.is_empty() {
            return;
        }
        self.out.push_str("<ul class=\"pages\">\n");
        for child in &self.subject.children {
            if self.truth.subjects[*child].exists(self.began) {
                self.out.push_str("<li>");
                self.link(*child, "");
                self.out.push_str("</li>\n");
            }
        }
        self.out.push_str("</ul>\n");
    }

    /// Some pages of this site and of others, the same in all versions.
    fn see_also(&mut self) {
        let mut random = self.random("see also", 0);
        let own = self.truth.subjects_of(self.subject.site);
        let mut picks: Vec<usize> = (0..3).map(|_| own.start + random.below(own.len())).collect();
        if random.chance(0.4) {
            picks.push(random.below(self.truth.subjects.len()));
        }
        picks.retain(|number| self.truth.subjects[*number].lasting());
        self.out.push_str("<aside><h2>See also</h2>");
        picks.into_iter().for_each(|number| self.link(number, " "));
        self.out.push_str("</aside>\n");
    }

    fn foot(&mut self) {
        let host = &self.truth.sites[self.subject.site].host;
        let mut random = self.random("foot", 0);
        if random.chance(0.3) {
            let name = random.pick(&["editor", "press", "help", "archive"]);
            self.put(format_args!("<p>Write to <a href=\"mailto:{name}@{host}\">{name}@{host}</a></p>\n"));
        }
        self.put(format_args!("<p>&copy; 2026 {host}</p>\n</footer>\n</body>\n</html>\n"));
    }

    /// A link by path within the site, by the whole URL to another one.
    fn link(&mut self, number: usize, separator: &str) {
        let target = &self.truth.subjects[number];
        let href = if target.site == self.subject.site { &target.page.path } else { &target.url };
        let text = title(self.truth, target);
        self.put(format_args!("{separator}<a href=\"{}\">{text}</a>", escaped(href)));
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = self.out.write_fmt(text);
    }

    fn flavour(&self) -> Flavour {
        self.truth.sites[self.subject.site].flavour
    }

    fn random(&self, purpose: &str, number: u64) -> Random {
        Random::new(self.seed, purpose, number)
    }
}

/// A URL as it stands in an attribute or in XML.
pub(super) fn escaped(url: &str) -> String {
    url.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::living::{Changes, Page, Script, Site};
    use revisit::Span;

    fn text(truth: &Truth, version: u64) -> String {
        let Rendered { before, after } = render(truth, 1, version, Time::from_secs(1_767_571_200));
        before + &after
    }

    fn truth(seed: u64) -> Truth {
        let pages =
            (0..20).map(|number| Page::new(&format!("/page?n={number}&x=1")).changes(Changes::Every(Span::HOUR)));
        Truth::new(Script::new(seed).site(Site::new("a.test").pages(pages)))
    }

    #[test]
    fn a_version_has_the_same_bytes_each_time() {
        assert_eq!(text(&truth(1), 3), text(&truth(1), 3));
        assert_ne!(text(&truth(1), 3), text(&truth(2), 3));
    }

    #[test]
    fn each_version_differs_from_the_one_before_in_some_sentences() {
        let truth = truth(1);
        for version in 0..60 {
            let (old, new) = (text(&truth, version), text(&truth, version + 1));
            let (old, new): (Vec<_>, Vec<_>) = (old.split(". ").collect(), new.split(". ").collect());
            let same = old.iter().zip(&new).filter(|(old, new)| old == new).count();
            assert_eq!(old.len(), new.len());
            assert!(same < old.len() && same * 2 > old.len(), "{same} of {} are the same", old.len());
        }
    }

    #[test]
    fn pages_are_of_a_usual_size_and_escape_their_links() {
        let page = text(&truth(1), 0);
        assert!((2_000..6_500).contains(&page.len()), "{} bytes", page.len());
        assert!(page.contains("n=1&amp;x=1\"") && !page.contains("&x=1"));
    }
}
