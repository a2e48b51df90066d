//! A page that shows what a page of a trace showed: so much text, so many links, images and addresses. Who goes by a page's looks
//! then sees the same in a crawl as in the lab. Every version says its number, so no two are alike.

use std::fmt::Write;

use super::random::Random;
use super::render::{Rendered, escaped};

/// Nothing here that a parser could take for anything but text.
const WORDS: [&str; 12] =
    ["account", "change", "date", "example", "note", "of", "page", "release", "section", "terms", "the", "version"];

/// The looks of a page.
#[derive(Clone, Debug, Default)]
pub(super) struct Figure {
    /// Bytes of text without markup; a few more where a version's number takes more.
    pub(super) text_bytes: usize,
    /// The pages of this web that it links to.
    pub(super) targets: Vec<String>,
    /// Links in all.
    pub(super) links: usize,
    /// Images.
    pub(super) images: usize,
    /// E-mail addresses.
    pub(super) emails: usize,
}

impl Figure {
    /// A version of the page at `url`.
    pub(super) fn render(&self, seed: u64, url: &str, version: u64) -> Rendered {
        let mut out = String::with_capacity(self.text_bytes + 200);
        out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"></head>\n<body>\n");
        // Writing to a String cannot fail.
        let _ = writeln!(out, "<p>{}</p>", self.text(seed, url, version));
        for target in &self.targets {
            let _ = writeln!(out, "<a href=\"{}\"></a>", escaped(target));
        }
        for number in self.targets.len()..self.links {
            let _ = writeln!(out, "<a href=\"http://elsewhere.test/{number}\"></a>");
        }
        (0..self.images).for_each(|number| _ = writeln!(out, "<img src=\"/images/{number}.png\" alt=\"\">"));
        (0..self.emails).for_each(|number| _ = writeln!(out, "<a href=\"mailto:reader-{number}@living.test\"></a>"));
        Rendered { before: out, after: "</body>\n</html>\n".to_owned() }
    }

    fn text(&self, seed: u64, url: &str, version: u64) -> String {
        let mut random = Random::new(seed, url, 1);
        let mut text = format!("{version}");
        let least = text.len();
        while text.len() < self.text_bytes {
            text.push(' ');
            text.push_str(random.pick(&WORDS));
        }
        text.truncate(self.text_bytes.max(least));
        // No text ends in a space.
        if text.ends_with(' ') {
            text.pop();
            text.push('.');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_looks_that_it_was_given_and_no_two_versions_alike() {
        let targets = vec!["http://a.test/?b=1&c".to_owned()];
        let figure = Figure { text_bytes: 40, targets, links: 3, images: 2, emails: 1 };
        for version in [0, 7, 123] {
            assert_eq!(figure.text(1, "http://a.test/", version).len(), 40);
            let page = figure.render(1, "http://a.test/", version).before;
            let count = |what: &str| page.matches(what).count();
            assert_eq!((count("href=\"http"), count("<img"), count("mailto:")), (3, 2, 1));
            assert!(page.contains("?b=1&amp;c\""), "{page}");
        }
        assert_ne!(figure.text(1, "http://a.test/", 7), figure.text(1, "http://a.test/", 8));
        assert_eq!(Figure::default().text(1, "http://a.test/", 12), "12", "a version shows in any case");
    }
}
