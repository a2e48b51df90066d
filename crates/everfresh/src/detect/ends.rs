//! Pages with the end tags written out that HTML allows to leave out: `<li>one<li>two` is two elements beside each other.
//!
//! Selectors are matched on the stream of tags, where an element reaches to its end tag or to that of a parent. A `<td>` whose
//! end is left out would reach over all cells behind it, and what is dropped with it would hide their changes.

use std::cell::RefCell;
use std::rc::Rc;

use lol_html::html_content::{ContentType, Element};
use lol_html::{HtmlRewriter, Settings, element};

/// What the start of an element ends, if it is open: these, but none beyond those.
struct Ended {
    these: &'static [&'static str],
    within: &'static [&'static str],
}

const SCOPES: &[&str] = &["table", "caption", "td", "th", "button", "object", "template", "html"];
const LISTS: &[&str] = &["ul", "ol", "menu", "table", "caption", "td", "th", "button", "object", "template", "html"];
const TERMS: &[&str] = &["dl", "table", "caption", "td", "th", "button", "object", "template", "html"];
const TABLES: &[&str] = &["table", "template", "html"];
const CHOICES: &[&str] = &["select", "datalist", "template", "html"];

/// Elements that end a paragraph and nothing else.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "ul",
];

fn ended_by(name: &str) -> Option<Ended> {
    let (these, within): (&[&str], &[&str]) = match name {
        "li" => (&["li", "p"], LISTS),
        "dt" | "dd" => (&["dt", "dd", "p"], TERMS),
        "td" | "th" => (&["td", "th"], TABLES),
        "tr" => (&["tr", "td", "th", "caption", "colgroup"], TABLES),
        "thead" | "tbody" | "tfoot" => (&["thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup"], TABLES),
        "option" => (&["option"], CHOICES),
        "optgroup" => (&["option", "optgroup"], CHOICES),
        "rt" | "rp" => (&["rt", "rp"], &["ruby", "template", "html"]),
        name if BLOCKS.contains(&name) => (&["p"], SCOPES),
        _ => return None,
    };
    Some(Ended { these, within })
}

/// Whether an element can be ended without a tag, or keeps others from being.
fn is_noted(name: &str) -> bool {
    const OTHERS: [&str; 8] = ["ul", "ol", "menu", "dl", "select", "datalist", "ruby", "colgroup"];
    ended_by(name).is_some_and(|_| !BLOCKS.contains(&name))
        || name == "p"
        || SCOPES.contains(&name)
        || OTHERS.contains(&name)
}

/// An open element, numbered in the order of the page.
struct Open {
    number: u32,
    name: String,
}

/// The elements that are open at a place of the page, as far as they are noted.
#[derive(Default)]
struct Elements {
    open: Vec<Open>,
    count: u32,
}

impl Elements {
    /// An element begins; the one that ends by that, and with it all within it.
    fn end_for(&mut self, name: &str) -> Option<String> {
        let Ended { these, within } = ended_by(name)?;
        let reach = self.open.iter().rposition(|open| within.contains(&open.name.as_str())).map_or(0, |at| at + 1);
        let outermost = self.open[reach..].iter().position(|open| these.contains(&open.name.as_str()))?;
        self.open.drain(reach + outermost..).next().map(|open| open.name)
    }

    fn begin(&mut self, name: String) -> u32 {
        self.count = self.count.wrapping_add(1);
        self.open.push(Open { number: self.count, name });
        self.count
    }

    /// An end tag; one of what has ended before ends nothing.
    fn end(&mut self, number: u32) {
        if let Some(at) = self.open.iter().rposition(|open| open.number <= number)
            && self.open[at].number == number
        {
            self.open.truncate(at);
        }
    }
}

/// The page with all ends written out; `None` if it cannot be read with these settings.
pub(super) fn written_out(html: &str, settings: Settings<'_, '_>) -> Option<String> {
    let (elements, mut out) = (Rc::new(RefCell::new(Elements::default())), Vec::with_capacity(html.len()));
    let note = move |element: &mut Element<'_, '_>| {
        let name = element.tag_name();
        let mut open = elements.borrow_mut();
        if let Some(ended) = open.end_for(&name) {
            element.before(&format!("</{ended}>"), ContentType::Html);
        }
        if is_noted(&name)
            && let Some(ends) = element.end_tag_handlers()
        {
            let (number, elements) = (open.begin(name), Rc::clone(&elements));
            ends.push(Box::new(move |_| {
                elements.borrow_mut().end(number);
                Ok(())
            }));
        }
        Ok(())
    };
    let settings = settings.append_element_content_handler(element!("*", note));
    let mut rewriter = HtmlRewriter::new(settings, |piece: &[u8]| out.extend_from_slice(piece));
    rewriter.write(html.as_bytes()).ok()?;
    rewriter.end().ok()?;
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn out(html: &str) -> String {
        written_out(html, Settings::new()).unwrap()
    }

    #[test]
    fn ends_that_are_left_out_are_written() {
        for (page, expected) in [
            ("<ul><li>1<li>2<ul><li>3</ul><li>4</ul>", "<ul><li>1</li><li>2<ul><li>3</ul></li><li>4</ul>"),
            ("<div><p>1<p>2<b>3<div>4</div></div>", "<div><p>1</p><p>2<b>3</p><div>4</div></div>"),
            ("<tr><td>1<td>2<table><td>3</table><tr><th>4", "<tr><td>1</td><td>2<table><td>3</table></tr><tr><th>4"),
            ("<tbody><tr><td>1<tbody><tr><td>2", "<tbody><tr><td>1</tbody><tbody><tr><td>2"),
            ("<dl><dt>1<dd><p>2<dt>3</dl>", "<dl><dt>1</dt><dd><p>2</dd><dt>3</dl>"),
            (
                "<select><option>1<option>2<optgroup><option>3</select>",
                "<select><option>1</option><option>2</option><optgroup><option>3</select>",
            ),
            ("<p>1<span>2<p>3</p></p>", "<p>1<span>2</p><p>3</p></p>"),
        ] {
            assert_eq!(out(page), expected);
        }
    }

    #[test]
    fn where_all_ends_are_written_nothing_is() {
        let page = "<ul><li><p>1</p><ul><li>2</li></ul></li><li>3</li></ul><table><tr><td><p>1</p></td><td>2</td></tr></table>\
                    <p><button><p>1</p></button></p><script>'<li><li>'</script><!-- <p><p> --><textarea><p><p></textarea>";
        assert_eq!(out(page), page);
    }
}
