//! Pages, feeds, sitemaps and other XML: what is between angle brackets.

use crate::content::Content;
use crate::draw::Draw;

/// Where links lead; no crawl of these documents goes there.
const AWAY: &str = "http://away.test/";

/// Text with what must be escaped, and with some of what may.
pub(crate) fn escaped(text: &str, draw: &mut Draw) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '&' => out.push_str(draw.pick(&["&amp;", "&#38;", "&#x26;"])),
            '<' => out.push_str(draw.pick(&["&lt;", "&#60;"])),
            '"' => out.push_str(draw.pick(&["&quot;", "&#34;"])),
            '\'' => out.push_str("&#39;"),
            other if other != ' ' && draw.once_in(12) => out.push_str(&format!("&#{};", other as u32)),
            other => out.push(other),
        }
    }
    out
}

/// Text of an element of XML, at times as character data.
fn text(text: &str, draw: &mut Draw) -> String {
    if draw.once_in(4) { format!("<![CDATA[{text}]]>") } else { escaped(text, draw) }
}

fn comment(draw: &mut Draw) -> String {
    if draw.once_in(3) { format!("<!-- {} -->", draw.number()) } else { String::new() }
}

/// Attributes in any order, in quotes of either kind.
fn attributes(named: &[(&str, &str)], draw: &mut Draw) -> String {
    let written = named.iter().map(|(name, value)| {
        let (quote, space) = (draw.pick(&["\"", "'"]), draw.pick(&[" ", "\n", "  "]));
        format!("{space}{name}={quote}{}{quote}", escaped(value, draw))
    });
    let written = written.collect();
    draw.shuffled(written).concat()
}

fn declaration(charset: &str) -> String {
    // What a byte order mark tells has one name.
    let name = if charset.starts_with("utf-16") { "utf-16" } else { charset };
    format!("<?xml version=\"1.0\" encoding=\"{name}\"?>\n")
}

/// A page: layout, comments, scripts and spellings of characters do not count.
pub(crate) fn html(content: &Content, charset: &str, draw: &mut Draw) -> String {
    let upper = draw.once_in(3);
    let tag = |name: &str| if upper { name.to_uppercase() } else { name.to_owned() };
    let mut out = format!("<!DOCTYPE html><{}><head><meta charset=\"{charset}\">", tag("html"));
    out += &format!("<script nonce='{}'>var x = {};</script>", draw.number(), draw.number());
    out += &format!("<title>{}</title></head>{}<body>", escaped(&content.title, draw), draw.space());
    for item in &content.items {
        let href = format!("{AWAY}{}", item.id);
        let link = attributes(&[("href", &href), ("class", "item")], draw);
        out += &format!(
            "<{0}>{1}<a{link}>{2}</a>{3} <b>{4}</b>{5} <i>{6}</i></{0}>{7}",
            tag("p"),
            draw.space(),
            escaped(&item.name, draw),
            comment(draw),
            item.price(),
            draw.space(),
            escaped(&item.note, draw),
            draw.space()
        );
    }
    out + draw.pick(&["</body></html>", "", "</body>\n</html>\n"])
}

/// A page that is XML too.
pub(crate) fn xhtml(content: &Content, charset: &str, draw: &mut Draw) -> String {
    let mut out = declaration(charset) + "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head>";
    out += &format!("<title>{}</title></head>{}<body>", escaped(&content.title, draw), draw.space());
    for item in &content.items {
        let (name, note) = (escaped(&item.name, draw), escaped(&item.note, draw));
        let link = attributes(&[("href", &format!("{AWAY}{}", item.id)), ("title", &item.price())], draw);
        out += &format!(
            "<p>{}{}<a{link}>{name}</a> {} {note}</p>{}",
            draw.space(),
            comment(draw),
            item.price(),
            draw.space()
        );
    }
    out + "</body></html>"
}

/// Any XML: prefixes, order of attributes, quotes, white space between elements and comments do not count.
pub(crate) fn xml(content: &Content, charset: &str, draw: &mut Draw) -> String {
    let prefix = draw.pick(&["", "p:", "ns1:"]);
    let binding = if prefix.is_empty() { "xmlns".into() } else { format!("xmlns:{}", prefix.trim_end_matches(':')) };
    let title = attributes(&[("title", &content.title)], draw);
    // A reference in the name of a namespace is rare, and the character it stands for nevertheless.
    let namespace = if draw.once_in(20) { "http://e.example/g&#111;ods" } else { "http://e.example/goods" };
    let mut out = format!("{}<{prefix}goods{title} {binding}='{namespace}'>{}", declaration(charset), draw.space());
    for item in &content.items {
        let named = attributes(&[("id", &item.id.to_string()), ("price", &item.price())], draw);
        let (name, note) = (text(&item.name, draw), text(&item.note, draw));
        out += &format!(
            "<{prefix}item{named}>{0}<{prefix}name>{name}</{prefix}name>{1}{2}<{prefix}note>{note}</{prefix}note></{prefix}item>{0}",
            draw.space(),
            comment(draw),
            draw.space()
        );
    }
    out + &format!("</{prefix}goods>")
}

/// When a server wrote a list, which is no news.
fn now(draw: &mut Draw) -> String {
    format!("2024-05-{:02}T{:02}:00:00Z", 1 + draw.below(28), draw.below(24))
}

/// An Atom feed; its own date does not count.
pub(crate) fn atom(content: &Content, charset: &str, draw: &mut Draw) -> String {
    let mut out = declaration(charset) + "<feed xmlns=\"http://www.w3.org/2005/Atom\">" + draw.space();
    out += &format!("<title>{}</title><updated>{}</updated>", text(&content.title, draw), now(draw));
    for item in &content.items {
        let link = attributes(&[("href", &format!("{AWAY}{}", item.id)), ("rel", "alternate")], draw);
        let (name, note) = (text(&item.name, draw), text(&item.note, draw));
        out += &format!(
            "<entry>{0}<title>{name}</title><link{link}/>{1}<summary>{note} {2}</summary></entry>{0}",
            draw.space(),
            comment(draw),
            item.price()
        );
    }
    out + "</feed>"
}

/// An RSS feed; the date of its making does not count.
pub(crate) fn rss(content: &Content, charset: &str, draw: &mut Draw) -> String {
    let mut out = declaration(charset) + "<rss version=\"2.0\"><channel>" + draw.space();
    let built = format!("Wed, 0{} May 2024 10:00:00 GMT", 1 + draw.below(9));
    out += &format!("<title>{}</title><lastBuildDate>{built}</lastBuildDate>", text(&content.title, draw));
    for item in &content.items {
        let (name, note) = (text(&item.name, draw), text(&item.note, draw));
        out += &format!(
            "<item>{0}<title>{name}</title><link>{AWAY}{1}</link>{2}<description>{note} {3}</description></item>{0}",
            draw.space(),
            item.id,
            comment(draw),
            item.price()
        );
    }
    out + "</channel></rss>"
}

/// A sitemap, whose URLs tell all that a document says.
pub(crate) fn sitemap(content: &Content, charset: &str, draw: &mut Draw) -> String {
    let mut out =
        declaration(charset) + "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">" + draw.space();
    let hash = |text: &str| text.bytes().fold(7u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    for item in &content.items {
        let said = hash(&format!("{} {} {} {}", content.title, item.name, item.note, item.price));
        out += &format!("<url>{0}<loc>{AWAY}{said}</loc>{1}</url>{0}", draw.space(), comment(draw));
    }
    out + "</urlset>"
}
