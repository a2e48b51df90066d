//! That outlines say where what stands, and do not grow.

use proptest::prelude::*;
use url::Url;

/// The length of the text and of the body of a list in an encoding whose characters take one byte there and three here.
fn lengths(body: &[u8]) -> (usize, usize) {
    let url = Url::parse("http://a.org/").unwrap();
    let parsed = crate::parse::parse(body, Some("application/xml; charset=windows-874"), &url);
    (parsed.text.len(), body.len())
}

/// A text in windows-874.
fn thai(text: &str) -> Vec<u8> {
    text.chars().map(|c| if c.is_ascii() { c as u8 } else { (c as u32 - 0xe01 + 0xa1) as u8 }).collect()
}

fn outline(content: &str) -> String {
    let document = format!("<urlset><url><x><y>{content}</y></x></url></urlset>");
    crate::parse::parse(document.as_bytes(), None, &Url::parse("http://a.org/").unwrap()).text
}

#[test]
fn deep_lines_say_where_they_are() {
    assert_eq!(
        outline("<k>1<l c='2'>3</l>4<m/></k>5<n><o/></n>"),
        "urlset\n url\n  x\n   y\n0 k 1\n0 l 3\n@c 2\n1: 4\n0 m\n   : 5\n0 n\n0 o"
    );
    for (old, new) in [
        ("<a><b/></a><c/>", "<a><b/><c/></a>"),
        ("<a><b/></a>1", "<a><b/>1</a>"),
        ("<a><b><c/></b></a><d/>", "<a><b><c/></b><d/></a>"),
        ("<a><b><c/></b><c/></a>", "<a><b><c/><c/></b></a>"),
    ] {
        assert_ne!(outline(old), outline(new), "{old}");
    }
}

#[test]
fn a_list_of_deep_and_short_elements_does_not_grow() {
    for list in ["<urlset><url>", "<rss><channel><item>", "<rss><channel><item><item>", "<feed>", "<x:feed><x:entry>"] {
        for element in ["<b/>\u{e3f}", "<b>\u{e3f}", "<\u{e01}/>\u{e3f}", "<\u{e01}>\u{e3f}</>", "<b a=\u{e3f}>\u{e3f}"]
        {
            for depth in [0, 1, 2, 1000] {
                let document = format!("{list}{}{}", "<a>".repeat(depth), element.repeat(2000));
                let (text, body) = lengths(&thai(&document));
                assert!(text <= 3 * body + 3, "{text} bytes of {body} for {element} {depth} deep in {list}");
            }
        }
    }
}

proptest! {
    #[test]
    fn no_outline_is_much_longer_than_its_list(
        root in prop::sample::select(vec!["<urlset>", "<rss>", "<feed>", "<x:urlset>"]),
        deep in prop::sample::select(vec![0usize, 0, 0, 3, 12, 120]),
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..60),
        times in 1usize..20,
    ) {
        let body = [root.as_bytes(), &b"<a>".repeat(deep), &pieces.concat().repeat(times)].concat();
        let (text, body) = lengths(&body);
        prop_assert!(text <= 3 * body + 3, "{} bytes of {}", text, body);
    }
}

const PIECES: [&[u8]; 40] = [
    b"<a>",
    b"<b/>",
    b"</a>",
    b"</b>",
    b"<\xa1>",
    b"<\xa1/>",
    b"\xa1",
    b"\xdf",
    b"\x81",
    b" ",
    b"\n",
    b"\\",
    b"<",
    b"<item>",
    b"</item>",
    b"<entry>",
    b"<entry/>",
    b"<url>",
    b"</url>",
    b"<url/>",
    b"<channel>",
    b"</channel>",
    b"<x:\xa1/>",
    b"<x:url>",
    b"<b \xa1>",
    b"<b \xa1=\xdf>",
    b"<b =\xdf/>",
    b"<b \xa1=''\xa1=''/>",
    b"<pre>",
    b"</pre>",
    b"<b xml:space='preserve'>",
    b"<![CDATA[<pre>",
    b"]]>",
    b"&lt;",
    b"&nbsp;",
    b"&amp",
    b"<x:loc>",
    b"<loc>",
    b"<link/>",
    b"<updated>",
];
