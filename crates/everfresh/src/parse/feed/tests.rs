//! Feeds as people write them.

use super::*;

fn feed(document: &str) -> (Vec<(String, Option<Time>)>, String) {
    let parsed = parse(document, "UTF-8", &Url::parse("http://a.org/feed").unwrap());
    (parsed.links.into_iter().map(|link| (link.url.into(), link.last_modified)).collect(), parsed.text)
}

const NOON: Option<Time> = Some(Time::from_secs(1_709_294_400));

#[test]
fn rss_items_have_links_and_dates() {
    let (links, text) = feed(
        "<rss><channel><title>News</title><link>http://a.org/</link><lastBuildDate>Fri, 01 Mar 2024 13:37:00 GMT\
         </lastBuildDate><item><title>One &amp; only</title><link>/1</link><pubDate>Fri, 01 Mar 2024 12:00:00 GMT</pubDate>\
         </item><item><guid>http://a.org/2</guid></item><item><guid isPermaLink='false'>3</guid></item></channel></rss>",
    );
    assert_eq!(
        links,
        [("http://a.org/".into(), None), ("http://a.org/1".into(), NOON), ("http://a.org/2".into(), None)]
    );
    assert!(text.contains("One & only") && !text.contains("13:37"), "{text}");
}

#[test]
fn atom_entries_have_links_and_dates() {
    let (links, _) = feed(
        "<feed xmlns='http://www.w3.org/2005/Atom'><updated>2024-03-02T00:00:00Z</updated><link rel='self' href='/feed'/>\
         <link rel='next' href='?page=2'/><entry><link rel='replies' href='/c'/><link href='/1?a&amp;b'/>\
         <published>2024-02-01T12:00:00Z</published><updated>2024-03-01T12:00:00Z</updated></entry></feed>",
    );
    assert_eq!(links, [("http://a.org/feed?page=2".into(), None), ("http://a.org/1?a&b".into(), NOON)]);
}

#[test]
fn what_is_within_a_child_of_an_entry_does_not_speak_for_it() {
    let (links, _) = feed(
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><source><link href='http://b.org/'/><updated>2024-04-01T12:00:00Z\
         </updated></source><content type='xhtml'><div><link href='/x'/><br><p></div></content><link href='/1'/>\
         <updated>2024-03-01T12:00:00Z</updated></entry></feed>",
    );
    assert_eq!(links, [("http://a.org/1".into(), NOON)]);
    let (links, _) = feed(
        "<rss><channel><image><link>http://a.org/logo</link></image><item><media:group><link>/no</link></media:group>\
         <link>/1</link></item></channel></rss>",
    );
    assert_eq!(links, [("http://a.org/1".into(), None)]);
}

#[test]
fn an_entry_is_its_page_and_not_what_comes_next() {
    let (links, _) = feed("<feed><entry><link rel='next' href='/2'/><link rel='Alternate' href='/1'/></entry></feed>");
    assert_eq!(links, [("http://a.org/1".into(), None)]);
}

#[test]
fn links_are_relative_to_the_nearest_xml_base() {
    let (links, _) = feed(
        "<feed xml:base='http://b.org/x/'><link href='.'/><entry xml:base='y/'><link href='1'/></entry><entry><link href='2'/>\
         </entry><entry><link xml:base='/z/' href='3'/></entry></feed>",
    );
    let urls: Vec<_> = links.into_iter().map(|(url, _)| url).collect();
    assert_eq!(urls, ["http://b.org/x/", "http://b.org/x/y/1", "http://b.org/x/2", "http://b.org/z/3"]);
    let (links, _) =
        feed("<rss xml:base='http://b.org/x/'><channel><item><link xml:base='y/'>1</link></item></channel></rss>");
    assert_eq!(links, [("http://b.org/x/y/1".into(), None)]);
}

#[test]
fn items_within_items_and_items_that_nobody_closes_are_all_read() {
    let (links, _) = feed(
        "<rss><channel><item><link>/1</link><pubDate>2024-03-01T12:00:00Z</pubDate><item><link>/2</link></item></item></rss>",
    );
    assert_eq!(links, [("http://a.org/2".into(), None), ("http://a.org/1".into(), NOON)]);
    let open: String = (0..100).map(|number| format!("<item><link>/{number}</link>")).collect();
    assert_eq!(feed(&format!("<rss><channel>{open}")).0.len(), 100);
}

#[test]
fn a_prefix_hides_nothing() {
    let (links, _) = feed(
        "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:link href='/1'/><a:updated>2024-03-01T12:00:00Z\
         </a:updated></a:entry></a:feed>",
    );
    assert_eq!(links, [("http://a.org/1".into(), NOON)]);
}

#[test]
fn entities_of_html_are_what_they_stand_for_and_others_stay() {
    let (links, text) = feed(
        "<rss><channel><title>Caf&eacute;&nbsp;&#38; &bogus;bar &lt;b&gt; &ampx</title><item><link>/&eacute;?a&amp;b&bogus;</link>\
         </item></channel></rss>",
    );
    let (title, link) = ("Café & &bogus;bar <b> &ampx", "/é?a&b&bogus;");
    assert_eq!(text, format!("rss\n channel\n  title {title}\n  item\n   link {link}"));
    assert_eq!(links, [("http://a.org/%C3%A9?a&b&bogus;".into(), None)]);
    let (links, _) = feed("<feed><entry><link href='/&eacute;?a&amp;b&bogus;&copy=1'/></entry></feed>");
    assert_eq!(links, [("http://a.org/%C3%A9?a&b&bogus;&copy=1".into(), None)]);
    let declared = "<!DOCTYPE rss [<!ENTITY own 'lol'><!ENTITY more '&own;&own;'>]><rss><channel><title>&more;</title></channel></rss>";
    assert_eq!(feed(declared).1, "rss\n channel\n  title &more;");
    assert_eq!(feed("<feed><title>&section; &notit; &semi;</title></feed>").1, "feed\n title &section; &notit; ;");
    assert_eq!(feed("<feed><entry><link href='/&section;'/></entry></feed>").0[0].0, "http://a.org/&section;");
}

#[test]
fn what_attributes_say_counts_in_any_order_of_them() {
    let text = |document: &str| feed(document).1;
    for (old, new) in [
        ("<feed><entry><link href='/1'/></entry></feed>", "<feed><entry><link href='/2'/></entry></feed>"),
        ("<feed><entry><category term='a'/></entry></feed>", "<feed><entry><category term='b'/></entry></feed>"),
        ("<feed><entry><content src='a'/></entry></feed>", "<feed><entry><content src='b'/></entry></feed>"),
        ("<rss><item><enclosure url='a'/></item></rss>", "<rss><item><enclosure url='b'/></item></rss>"),
        ("<rss><a:b><c:d e='1'/></a:b></rss>", "<rss><a:b><c:d e='2'/></a:b></rss>"),
        ("<rss><item><enclosure url='a'/></item></rss>", "<rss><item><enclosure type='a'/></item></rss>"),
        ("<rss><item><x a='1' b='2'/></item></rss>", "<rss><item><x a='1 2'/></item></rss>"),
        ("<rss><item><x a='1'>2</x></item></rss>", "<rss><item><x a='1 2'/></item></rss>"),
    ] {
        assert_ne!(text(old), text(new), "{old}");
    }
    let spelled = "<feed xmlns='x'><link rel=\"next\" href='/a?b&amp;c'/></feed>";
    assert_eq!(text(spelled), "feed\n link\n @href /a?b&c\n @rel next");
    assert_eq!(text("<b:feed xmlns:b='x'><b:link href='/a?b&#38;c'  rel='next'></b:link></b:feed>"), text(spelled));
}

#[test]
fn who_says_what_of_which_item_counts_and_not_in_which_order() {
    let text = |items: &str| feed(&format!("<rss><channel>{items}</channel></rss>")).1;
    for (old, new) in [
        ("<title>A</title><description>B</description>", "<description>A</description><title>B</title>"),
        ("<category>a</category><category>b</category>", "<category>a b</category>"),
        ("<title>A</title></item><item><title>B</title>", "<title>A B</title>"),
        ("<title>A</title></item><item>", "<title>A</title>"),
        ("<title>A</title><m:title>B</m:title>", "<title>B</title><m:title>A</m:title>"),
        ("<a><b>1</b></a><c>2</c>", "<a><b>1</b><c>2</c></a>"),
        ("<a>1<b/>2</a>", "<a>1 2<b/></a>"),
    ] {
        assert_ne!(text(&format!("<item>{old}</item>")), text(&format!("<item>{new}</item>")), "{old}");
    }
    for (old, new) in [
        ("<title>A</title><link>/1</link>", "<link>/1</link>\n<title>A</title>"),
        ("<d:creator>x</d:creator>", "<dc:creator>x</dc:creator>"),
        ("<a><b>1</b></a><c>2</c>", "<c>2</c><a><b>1</b>\n</a>"),
    ] {
        assert_eq!(text(&format!("<item>{old}</item>")), text(&format!("<item>{new}</item>")), "{old}");
    }
    assert_ne!(text("<item><title>A</title></item><item/>"), text("<item/><item><title>A</title></item>"));
    assert_eq!(text("<lastBuildDate><x>1</x></lastBuildDate>"), text("<pubDate><![CDATA[2]]></pubDate>"));
}

#[test]
fn text_goes_on_where_links_end() {
    let items = |last: &str| {
        let items: String = (0..MAX_ITEMS + 10).map(|number| format!("<item><link>/{number}</link></item>")).collect();
        parse(&format!("<rss><channel>{items}<item>{last}</item>"), "UTF-8", &Url::parse("http://a.org/").unwrap())
    };
    let parsed = items("a");
    assert_eq!((parsed.links.len(), parsed.has_more_links(), parsed.breaks_off), (MAX_ITEMS, true, true));
    assert_ne!(parsed.text, items("b").text);
}

#[test]
fn the_own_words_of_an_item_come_first() {
    let links = |item: &str| {
        feed(&format!("<rss xmlns:y='http://www.w3.org/2005/Atom'><channel><item>{item}</item></channel></rss>")).0
    };
    let to = |path: &str, date| vec![(format!("http://a.org{path}"), date)];
    assert_eq!(links("<m:link>/no</m:link><link>/1</link>"), to("/1", None));
    assert_eq!(links("<y:link href='/no'/><link>/1</link>"), to("/1", None));
    assert_eq!(links("<y:link href='/1'/><guid>http://a.org/no</guid>"), to("/1", None));
    assert_eq!(links("<m:link href='/no'/><guid>http://a.org/1</guid>"), to("/1", None));
    assert_eq!(
        links("<guid isPermaLink='False'>http://a.org/no</guid><guid isPermaLink=' false '>http://a.org/no</guid>"),
        []
    );
    let noon = "2024-03-01T12:00:00Z";
    assert_eq!(links(&format!("<link>/1</link><x:date>2099-01-01</x:date><pubDate>{noon}</pubDate>")), to("/1", NOON));
    assert_eq!(links(&format!("<link>/1</link><dc:date>{noon}</dc:date>")), to("/1", NOON));
    assert_eq!(links(&format!("<link>/1</link><y:updated>{noon}</y:updated>")), to("/1", NOON));
}

#[test]
fn a_document_type_hides_no_item() {
    for subset in ["<!ENTITY x \"]\">", "<!-- ]> it's -->", "<!ENTITY y '<item>'>"] {
        let document = format!("<!DOCTYPE rss [{subset}]><rss><channel><item><link>/1</link></item></channel></rss>");
        let url = Url::parse("http://a.org/feed").unwrap();
        let parsed = crate::parse::parse(document.as_bytes(), Some("application/rss+xml"), &url);
        assert_eq!((parsed.kind, parsed.links.len(), parsed.breaks_off), (Kind::Feed, 1, false), "{subset}");
    }
}

#[test]
fn hostile_feeds_are_read_in_linear_time() {
    let attributes: String = (0..200_000).map(|number| format!("a{number}='' ")).collect();
    assert_eq!(feed(&format!("<feed><link {attributes}href='/x'/></feed>")).0.len(), 1);
    feed(&"<item><link>".repeat(100_000));
    feed(&format!("{}<rss>", "<!a>".repeat(100_000)));
    for stray in ["<", "< ", "</ ", "<!", "<a b='", "<a b=\"'", "&lt;pre", "<![CDATA[<pre >]]>", "<pre> \n"] {
        feed(&format!("<rss><item>{}", stray.repeat(100_000)));
        feed(&format!("<rss><item x {}></item>", stray.repeat(100_000)));
    }
}

#[test]
fn rdf_items_have_links_and_dates() {
    let (links, _) = feed(
        "<rdf:RDF><item rdf:about='x'><link>http://a.org/1</link><dc:date>2024-03-01T12:00:00Z</dc:date></item></rdf:RDF>",
    );
    assert_eq!(links, [("http://a.org/1".into(), NOON)]);
}

#[test]
fn a_less_than_that_begins_no_markup_is_text() {
    for title in ["1 < 2 apples", "I <3 you", "a </ b", "a <! b", "a <> b", "a <? b", "<", "<<"] {
        let item = format!("<item><title>{title}</title><link>/1</link></item>");
        let (links, text) = feed(&format!("<rss><channel>{item}</channel></rss>"));
        assert_eq!(links, [("http://a.org/1".into(), None)], "{title}");
        assert_eq!(text, format!("rss\n channel\n  item\n   link /1\n   title {title}"));
    }
    let (links, text) = feed("<rss><item><größe>1</größe><!-- < --><![CDATA[ < ]]><link a='<'>/1</link></item></rss>");
    assert_eq!((links.len(), text.as_str()), (1, "rss\n item\n  größe 1\n : <\n  link /1\n  @a <"));
}

#[test]
fn markup_that_breaks_off_is_no_text() {
    let document = "<rss><channel><item><title>a</title>";
    for cut in ["<", "</", "</i", "<!", "<!-", "<!-- b", "<![CDA", "<![CDATA[b", "<!DOC", "<?", "<?b", "<i", "<i b='"] {
        assert_eq!(feed(&format!("{document}{cut}")), feed(document), "{cut}");
    }
}

#[test]
fn what_stands_behind_the_root_element_does_not_count() {
    let whole = "<rss><channel><item><link>/1</link></item></channel></rss>";
    let url = Url::parse("http://a.org/feed").unwrap();
    for behind in ["0.01 s", "<script>1</script>", "<img src='/x'/>", "<item><link>/2</link></item>", "<a", "<"] {
        assert_eq!(parse(&format!("{whole}{behind}"), "UTF-8", &url), parse(whole, "UTF-8", &url), "{behind}");
    }
    assert_eq!(feed("<rss/><item/>").1, "rss");
}

#[test]
fn attributes_need_no_quotes() {
    for link in ["href=/1 /", "href=/1/", "rel=alternate href = /1", "disabled href='/1'/", "rel='alternate'href=/1"] {
        let (links, _) = feed(&format!("<feed><entry><link {link}></entry></feed>"));
        assert_eq!(links, [("http://a.org/1".into(), None)], "{link}");
    }
    let text = |item: &str| feed(&format!("<rss><channel><item>{item}</item></channel></rss>")).1;
    assert_ne!(text("<enclosure url=a.mp3 type=audio/mpeg />"), text("<enclosure url=b.mp3 type=audio/mpeg />"));
    assert_eq!(text("<enclosure url=a?b&amp;c>"), text("<enclosure url = 'a?b&#38;c'/>"));
}

#[test]
fn white_space_beside_what_stands_within_a_line_counts() {
    let text = |content: &str| feed(&format!("<feed><entry><content><div>{content}</div></content></entry></feed>")).1;
    for (old, new) in [
        ("<b>1</b> 2 EUR", "<b>1</b>2 EUR"),
        ("foot<b>ball</b>", "foot <b>ball</b>"),
        ("foot<b>ball</b>", "foot<b> ball</b>"),
        ("<b>foot</b><i>ball</i>", "<b>foot</b>\n<i>ball</i>"),
        ("<a href='x'>one</a>, two", "<a href='x'>one</a> , two"),
    ] {
        assert_ne!(text(old), text(new), "{old}");
    }
    for (old, new) in [
        ("<p>a</p><p>b <i>c</i></p>", "\n <p> a</p>\n <p>b <i>c</i> </p>\n"),
        ("a <b>b</b> c", "a\n<b>b</b>\n c"),
        ("a <b>b</b>", "a<b>\u{a0}b</b>"),
        ("a<br/>b", "a <br/>\nb"),
    ] {
        assert_eq!(text(old), text(new), "{old}");
    }
    let spaced = "<rss>\n<channel> <item> \n <title>\n A </title> <author>\t<name> n</name> </author></item>\n</channel></rss>\n";
    let tight = "<rss><channel><item><title>A</title><author><name>n</name></author></item></channel></rss>";
    assert_eq!(feed(spaced).1, feed(tight).1);
}

#[test]
fn the_layout_of_what_is_preformatted_counts() {
    let text = |content: &str| feed(&format!("<feed><entry>{content}<title>t</title></entry></feed>")).1;
    for (old, new) in [
        ("<content><pre>a:\n  b\nc</pre></content>", "<content><pre>a:\n  b\n  c</pre></content>"),
        ("<content><pre>a <b>b</b></pre></content>", "<content><pre>a  <b>b</b></pre></content>"),
        ("<content><pre>a\nb</pre></content>", "<content><pre>a\\nb</pre></content>"),
        ("<content><![CDATA[<pre>a\n b</pre>]]></content>", "<content><![CDATA[<pre>a\n  b</pre>]]></content>"),
        ("<content>&lt;pre x='y'&gt;a\n b</content>", "<content>&lt;pre x='y'&gt;a\n  b</content>"),
        ("<content xml:space='preserve'>a  b</content>", "<content xml:space='preserve'>a b</content>"),
    ] {
        assert_ne!(text(old), text(new), "{old}");
    }
    for (old, new) in [
        ("<content><pre>a  \r\nb</pre></content>", "<content><pre>a\nb</pre></content>"),
        ("<content><pre>a</pre> b  c</content>", "<content><pre>a</pre>\nb c</content>"),
        ("<x xml:space='preserve'>a</x> <y> b</y>", "<x xml:space='preserve'>a</x><y>b</y>"),
        ("<content>a\n&lt;pre&gt;b&lt;/pre&gt;\nc  d</content>", "<content>a &lt;pre&gt;b&lt;/pre&gt; c d</content>"),
    ] {
        assert_eq!(text(old), text(new), "{old}");
    }
}

#[test]
fn relations_have_addresses_too() {
    let relation = "http://www.iana.org/assignments/relation";
    let (links, _) = feed(&format!(
        "<feed><entry><link rel='{relation}/replies' href='/c'/><link rel='{relation}/alternate' href='/1'/></entry></feed>"
    ));
    assert_eq!(links, [("http://a.org/1".into(), None)]);
}
