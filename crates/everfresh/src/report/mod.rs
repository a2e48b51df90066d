//! Reports for people to look at: one HTML page that needs nothing but itself.
//!
//! No script, no font, no picture from elsewhere: styles and plots are inline, so a report can be mailed, archived and
//! opened in ten years. It is also well-formed XML. Light or dark follows the reader's system. The module knows shapes
//! (a page, a plot, a table), not what they show.

pub mod axis;
pub mod forest;
pub mod labels;
pub mod plot;
pub mod table;

use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// How many colours there are before they repeat.
pub const COLOURS: usize = 12;

/// A page in the making.
#[derive(Debug)]
pub struct Page {
    title: String,
    body: String,
}

impl Page {
    /// A page with its title and the line below it.
    pub fn new(title: &str, subtitle: &str) -> Page {
        let body = format!("<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n", escape(title), escape(subtitle));
        Page { title: title.to_owned(), body }
    }

    /// A headed part of the page: what it says, then what it shows, which is markup.
    pub fn section(&mut self, heading: &str, text: &str, markup: &str) -> &mut Page {
        let (heading, text) = (escape(heading), escape(text));
        // Writing to a string cannot fail.
        _ = write!(self.body, "<section>\n<h2>{heading}</h2>\n<p>{text}</p>\n{markup}</section>\n");
        self
    }

    /// The whole document.
    pub fn finish(&self) -> String {
        let (title, body) = (escape(&self.title), &self.body);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <title>{title}</title>\n<style>\n{STYLE}</style></head>\n<body><main>\n{body}</main></body></html>\n"
        )
    }
}

/// Text as it must be written in markup; what XML cannot carry is replaced.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            control if control.is_control() => out.push('\u{fffd}'),
            plain => out.push(plain),
        }
    }
    out
}

/// Reads a report as XML and gives back its text; fails the test if it is not well-formed.
#[cfg(test)]
pub(crate) fn text_of(html: &str) -> String {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(html);
    let (mut text, mut open) = (String::new(), 0);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(_) => open += 1,
            Event::End(_) => open -= 1,
            Event::Text(part) => text.push_str(&part.xml10_content()),
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(open, 0, "every element is closed");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_well_formed_whatever_it_says() {
        let mut page = Page::new("<b> & \"co\" \u{1}", "]]> --> \u{fffe}");
        page.section("</h2>", "1 < 2", "<hr/>");
        let html = page.finish();
        assert!(text_of(&html).contains("1 "));
        assert!(html.contains("&lt;/h2&gt;") && !html.contains('\u{1}'));
        assert!(!html.contains("http"), "nothing comes from elsewhere");
    }
}
