//! Whole judgements: what a user would and would not call a change.

use super::*;
use crate::parse::parse;
use proptest::prelude::*;
use sha1::{Digest as _, Sha1};
use std::collections::HashMap;
use url::Url;

struct Watch {
    detector: Detector,
    filters: Filters,
}

impl Watch {
    fn with(rules: FilterRules) -> Watch {
        Watch { detector: Detector::default(), filters: Filters::compile([&rules]).unwrap() }
    }

    fn plain() -> Watch {
        Watch::with(FilterRules::default())
    }

    fn see(&self, previous: Option<&Known>, content: &[u8]) -> Judgement {
        let content_type = content.starts_with(b"<").then_some("text/html");
        let parsed = parse(content, content_type, &Url::parse("http://a.org/").unwrap());
        let body = Body { payload: Sha1::digest(content).into(), content, is_coded: false };
        self.detector.judge(previous, body, &parsed, &self.filters).unwrap()
    }

    /// The judgement of a second version after a first.
    fn compare(&self, first: &str, second: &str) -> Judgement {
        let first = self.see(None, first.as_bytes());
        self.see(Some(&first.known), second.as_bytes())
    }
}

fn dropping(selector: &str) -> Watch {
    Watch::with(FilterRules { drop: vec![selector.into()], ..FilterRules::default() })
}

fn keeping(selector: &str) -> Watch {
    Watch::with(FilterRules { keep: vec![selector.into()], ..FilterRules::default() })
}

#[test]
fn the_cheapest_rule_decides() {
    let watch = Watch::plain();
    let first = watch.see(None, b"<p>hello");
    assert_eq!((first.changed, first.rule), (false, Rule::First));
    assert_eq!(watch.see(Some(&first.known), b"<p>hello").rule, Rule::SameBytes);
    let same_text = watch.see(Some(&first.known), b"<p  class=x>hello</p>");
    assert_eq!((same_text.changed, same_text.rule), (false, Rule::SameText));
    let differs = watch.see(Some(&first.known), b"<p>goodbye");
    assert_eq!((differs.changed, differs.rule), (true, Rule::TextDiffers));
}

#[test]
fn content_without_text_is_compared_by_its_bytes() {
    let watch = Watch::plain();
    let differs = watch.compare("\0\0\u{1}", "\0\0\u{2}");
    assert_eq!((differs.changed, differs.rule), (true, Rule::BytesDiffer));
    assert_eq!(watch.compare("\0\0\u{1}", "<p>now a page").rule, Rule::BytesDiffer);
    assert_eq!(watch.compare("<p>a page", "\0\0\u{1}").rule, Rule::BytesDiffer);
}

#[test]
fn content_that_is_packed_otherwise_is_the_same() {
    let watch = Watch::plain();
    let picture = |previous: &Known, payload: u8, content: &[u8]| {
        let parsed = parse(content, Some("image/png"), &Url::parse("http://a.org/").unwrap());
        let body = Body { payload: [payload; 20], content, is_coded: true };
        watch.detector.judge(Some(previous), body, &parsed, &watch.filters).unwrap()
    };
    let plain = watch.see(None, b"\0\0\x01").known;
    let packed = picture(&plain, 1, b"\0\0\x01");
    assert_eq!((packed.rule, packed.changed), (Rule::SameContent, false), "without and with a coding");
    assert_eq!(picture(&packed.known, 2, b"\0\0\x01").rule, Rule::SameContent);
    assert_eq!(picture(&packed.known, 2, b"\0\0\x02").rule, Rule::BytesDiffer);
    assert_eq!(watch.see(Some(&packed.known), b"\0\0\x01").rule, Rule::SameContent, "and back");
    let unknown = Known { text: TextDigest::NONE, ..packed.known };
    assert_eq!(picture(&unknown, 2, b"\0\0\x01").rule, Rule::JudgedAnew, "what could not be decoded");
}

/// The judgement of a second version after a first, both sent with this type.
fn compare_as(watch: &Watch, content_type: &str, [first, second]: [&[u8]; 2]) -> Rule {
    let see = |previous: Option<&Known>, content: &[u8]| {
        let parsed = parse(content, Some(content_type), &Url::parse("http://a.org/").unwrap());
        let body = Body { payload: Sha1::digest(content).into(), content, is_coded: false };
        watch.detector.judge(previous, body, &parsed, &watch.filters).unwrap()
    };
    see(Some(&see(None, first).known), second).rule
}

#[test]
fn bytes_that_do_not_decode_are_text_that_counts() {
    let watch = Watch::plain();
    let (page, text, feed) = ("text/html; charset=utf-8", "text/plain; charset=utf-8", "application/rss+xml");
    let pairs: [(&str, [&[u8]; 2]); 6] = [
        (page, [b"<p>\xc4\xc1</p>", b"<p>\xce\xc5</p>"]),
        (text, [b"cinq \xe9", b"cinq \xe8"]),
        ("text/html; charset=shift_jis", [b"<p>\xff</p>", b"<p>\xfe</p>"]),
        ("text/html; charset=utf-16le", [b"<\0p\0>\0\x01\xd8x\0", b"<\0p\0>\0\x02\xd8x\0"]),
        (feed, [b"<rss><title>\xc4 \xc1</title></rss>", b"<rss><title>\xc4 \xc2</title></rss>"]),
        ("text/html", [b"\xef\xbb\xbf<p>\xc4</p>", b"\xef\xbb\xbf<p>\xc5</p>"]),
    ];
    for (content_type, pair) in pairs {
        let claims_utf8 = if content_type == feed { "application/rss+xml; charset=utf-8" } else { content_type };
        assert_eq!(compare_as(&watch, claims_utf8, pair), Rule::TextDiffers, "{content_type}");
    }
    let unseen: [&[u8]; 2] = [b"<p>caf\xe9</p><!-- \xc4 --><script>'\xc4'</script>", b"<p>caf\xe9</p>"];
    assert_eq!(compare_as(&watch, page, unseen), Rule::SameText, "what nobody sees does not count");
    let clocks: [&[u8]; 2] = [b"<p>caf\xe9<i>\xc4</i></p>", b"<p>caf\xe9<i>\xc5</i></p>"];
    assert_eq!(compare_as(&dropping("i"), page, clocks), Rule::SameText, "nor does what a filter drops");
    let texts: [&[u8]; 2] = [b"<p>caf\xe9<i>1</i></p>", b"<p>caf\xe8<i>1</i></p>"];
    assert_eq!(compare_as(&dropping("i"), page, texts), Rule::TextDiffers, "though the rest does");
    let numbers = Watch::with(FilterRules { ignore: vec![r"\d+".into()], ..FilterRules::default() });
    assert_eq!(compare_as(&numbers, text, [b"cinq \xc4 1", b"cinq \xc1 1"]), Rule::TextDiffers, "they are no numbers");
}

#[test]
fn a_page_that_decodes_has_the_digest_it_always_had() {
    let parsed = parse("<p>caf\u{e9} \u{fffd}".as_bytes(), Some("text/html"), &Url::parse("http://a.org/").unwrap());
    assert_eq!(parsed.text, "caf\u{e9} \u{fffd}");
}

#[test]
fn dropped_elements_are_no_change() {
    let watch = dropping(".clock, #counter");
    let page = |clock, text| {
        format!(
            "<p>{text} &amp; so</p><div class='x clock'>at <b>{clock}</b></div><i id=counter>{clock}</i><input value={clock}>"
        )
    };
    assert_eq!(watch.compare(&page(1, "same"), &page(2, "same")).rule, Rule::SameText);
    assert_eq!(watch.compare(&page(1, "one"), &page(1, "two")).rule, Rule::TextDiffers);
    assert_eq!(Watch::plain().compare(&page(1, "same"), &page(2, "same")).rule, Rule::TextDiffers);
}

#[test]
fn only_kept_elements_count() {
    let watch = keeping("main");
    let page = |side, text| format!("<title>{side}</title><nav>{side}</nav><main>a<p>{text}</p></main>{side}");
    assert_eq!(watch.compare(&page(1, "same"), &page(2, "same")).rule, Rule::SameText);
    assert_eq!(watch.compare(&page(1, "one"), &page(1, "two")).rule, Rule::TextDiffers);
}

#[test]
fn a_redesign_without_the_kept_element_is_seen() {
    assert_eq!(keeping("main").compare("<main>a</main>", "<div>b</div>").rule, Rule::TextDiffers);
    assert_eq!(keeping("main").compare("<p>a</p>", "<p>b</p>").rule, Rule::TextDiffers);
}

#[test]
fn dropped_inside_kept_does_not_count() {
    let rules = FilterRules { keep: vec!["main".into(), "p".into()], drop: vec!["i".into()], ..FilterRules::default() };
    let watch = Watch::with(rules);
    assert_eq!(watch.compare("<main><p>a<i>1</i></main>", "<main><p>a<i>2</i></main>").rule, Rule::SameText);
    assert_eq!(watch.compare("<main><p>a<i>1</i></main>", "<main><p>b<i>1</i></main>").rule, Rule::TextDiffers);
}

#[test]
fn ignored_patterns_are_no_change() {
    let watch = Watch::with(FilterRules { ignore: vec![r"\d+ visitors".into()], ..FilterRules::default() });
    assert_eq!(watch.compare("<p>News</p><p>12 visitors</p>", "<p>News</p><p>1345 visitors</p>").rule, Rule::SameText);
    assert_eq!(watch.compare("<p>News</p><p>12 visitors</p>", "<p>News</p>").rule, Rule::SameText);
    assert_eq!(watch.compare("<p>News 1</p>", "<p>News 2</p>").rule, Rule::TextDiffers);
    let (shown, gone) = ("<pre>a\n  5 visitors\n b</pre>", "<pre>a\n b</pre>");
    assert_eq!(watch.compare(shown, gone).rule, Rule::SameText, "nor is the line they stood in");
}

#[test]
fn near_text_is_compared_with_the_last_text_that_counted() {
    let mut watch = Watch::plain();
    watch.detector.near = 10;
    let page = |edits: usize| {
        (0..500).map(|n| if n < edits { format!("x{n} ") } else { format!("w{n} ") }).collect::<String>()
    };
    let first = watch.see(None, page(0).as_bytes());
    let near = watch.see(Some(&first.known), page(1).as_bytes());
    assert!(near.rule == Rule::NearText && near.bits.is_some() && !near.changed, "{:?}", near.rule);
    assert_eq!((near.known.text, near.known.simhash), (first.known.text, first.known.simhash));
    assert_ne!(near.known.payload, first.known.payload);
    let drifted = (1..500).map(|edits| watch.see(Some(&near.known), page(edits).as_bytes())).find(|seen| seen.changed);
    assert_eq!(drifted.map(|seen| seen.rule), Some(Rule::TextDiffers));
}

#[test]
fn changed_filters_or_digests_are_no_change_of_the_page() {
    let (before, after) = (Watch::plain(), dropping("i"));
    let first = before.see(None, b"<p>a<i>1</i>");
    let rebased = after.see(Some(&first.known), b"<p>b<i>2</i>");
    assert_eq!((rebased.changed, rebased.rule), (false, Rule::FiltersChanged));
    assert_eq!(after.see(Some(&rebased.known), b"<p>b<i>3</i>").rule, Rule::SameText);
    assert_eq!(after.see(Some(&rebased.known), b"<p>c<i>3</i>").rule, Rule::TextDiffers);
    let papers = Watch { detector: Detector { algorithm: Algorithm::Md5, near: 0 }, filters: Filters::default() };
    assert_eq!(papers.see(Some(&first.known), b"<p>z").rule, Rule::FiltersChanged);
}

#[test]
fn data_is_judged_by_what_it_says() {
    let (detector, filters) = (Detector::default(), Filters::default());
    let digest = |byte, rules| TextDigest::of_data(&[byte; 32], rules);
    let first = detector.judge_data(None, [1; 20], digest(1, 0), &filters);
    assert_eq!((first.changed, first.rule), (false, Rule::First));
    let judge = |payload, data| detector.judge_data(Some(&first.known), [payload; 20], data, &filters);
    assert_eq!(judge(1, digest(1, 0)).rule, Rule::SameBytes);
    assert_eq!(judge(2, digest(1, 0)).rule, Rule::SameData);
    assert_eq!((judge(2, digest(2, 0)).rule, judge(2, digest(2, 0)).changed), (Rule::DataDiffers, true));
    assert_eq!(judge(2, digest(1, 9)).rule, Rule::FiltersChanged, "under other rules");
    let page = Watch::plain().see(Some(&first.known), b"<p>now a page");
    assert_eq!((page.rule, page.changed), (Rule::DataDiffers, true));
}

/// A version that came packed, with this number for its bytes as sent.
fn packed(payload: u8, content: &[u8]) -> Body<'_> {
    Body { payload: [payload; 20], content, is_coded: true }
}

/// The judgements of a version that cannot be read, and of one that cannot even be decoded.
fn unread(previous: Option<&Known>, payload: u8) -> [Judgement; 2] {
    let detector = Detector::default();
    [detector.judge_unread(previous, packed(payload, b"{")), detector.judge_undecoded(previous, [payload; 20])]
}

#[test]
fn what_cannot_be_read_is_no_change_of_what_could_be() {
    let (detector, filters) = (Detector::default(), Filters::default());
    let data = |byte| TextDigest::of_data(&[byte; 32], 0);
    let first = detector.judge_data(None, [1; 20], data(1), &filters).known;
    for before in [first, Watch::plain().see(None, b"<p>a page").known] {
        for broken in unread(Some(&before), 2) {
            assert_eq!((broken.rule, broken.changed), (Rule::Unjudged, false));
            assert_eq!(broken.known, before, "that version stays");
        }
    }
    let [broken, _] = unread(Some(&first), 2);
    assert_eq!(detector.judge_data(Some(&broken.known), [3; 20], data(1), &filters).rule, Rule::SameData);
    assert_eq!(detector.judge_data(Some(&broken.known), [3; 20], data(2), &filters).rule, Rule::DataDiffers);
    assert!(unread(Some(&first), 1).iter().all(|same| same.known == first));
}

#[test]
fn what_can_be_read_again_is_no_change_of_what_could_not_be() {
    let (detector, filters) = (Detector::default(), Filters::default());
    for broken in unread(None, 1) {
        let data = detector.judge_data(Some(&broken.known), [2; 20], TextDigest::of_data(&[1; 32], 0), &filters);
        assert_eq!((data.rule, data.changed), (Rule::JudgedAnew, false));
        let page = Watch::plain().see(Some(&broken.known), b"<p>a page");
        assert_eq!((page.rule, page.changed), (Rule::JudgedAnew, false));
    }
}

#[test]
fn two_versions_that_cannot_be_read_are_compared_by_their_bytes_however_they_were_packed() {
    let detector = Detector::default();
    let [broken, dead] = unread(None, 1).map(|judged| judged.known);
    let rule = |content| detector.judge_unread(Some(&broken), packed(2, content)).rule;
    assert_eq!((rule(b"{"), rule(b"[")), (Rule::SameContent, Rule::BytesDiffer));
    assert_eq!(detector.judge_undecoded(Some(&dead), [2; 20]).rule, Rule::BytesDiffer);
}

#[test]
fn what_cannot_be_decoded_says_nothing_beside_what_could_be() {
    let picture = Watch::plain().see(None, b"\0\0\x01").known;
    let [broken, _] = unread(None, 1);
    for before in [picture, broken.known] {
        assert_eq!(Detector::default().judge_undecoded(Some(&before), [2; 20]).rule, Rule::Unjudged);
    }
}

#[test]
fn what_cannot_be_read_and_what_has_nothing_to_read_say_nothing_of_each_other() {
    let picture = |previous: Option<&Known>| Watch::plain().see(previous, b"\0\0\x01");
    for broken in unread(Some(&picture(None).known), 1) {
        assert_eq!((broken.rule, broken.changed), (Rule::Unjudged, false));
    }
    for broken in unread(None, 1) {
        assert_eq!(picture(Some(&broken.known)).rule, Rule::JudgedAnew);
    }
}

#[test]
fn same_bytes_that_are_read_otherwise_are_no_change_and_what_comes_next_is_compared_with_that() {
    let (before, after) = (Watch::plain(), dropping("i"));
    let first = before.see(None, b"<p>a<i>1</i>").known;
    let again = after.see(Some(&first), b"<p>a<i>1</i>");
    assert_eq!((again.rule, again.changed), (Rule::SameBytes, false));
    assert_eq!(after.see(Some(&again.known), b"<p>b<i>1</i>").rule, Rule::TextDiffers);
    assert_eq!(after.see(Some(&again.known), b"<p>a<i>2</i>").rule, Rule::SameText);
    let unread = Detector::default().judge_undecoded(Some(&again.known), again.known.payload);
    assert_eq!((unread.rule, unread.known), (Rule::SameBytes, again.known), "what was read stays read");
}

#[test]
fn a_filter_that_holds_for_pages_alone_is_none_of_other_text() {
    let (plain, text) = (Watch::plain(), b"a text".as_slice());
    let first = plain.see(None, text).known;
    assert_eq!(dropping("i").see(Some(&first), b"another text").rule, Rule::TextDiffers);
    let patterns = Watch::with(FilterRules { ignore: vec!["x".into()], ..FilterRules::default() });
    assert_eq!(patterns.see(Some(&first), b"another text").rule, Rule::FiltersChanged);
}

#[test]
fn patterns_hold_for_text_and_not_for_data() {
    let patterns = Watch::with(FilterRules { ignore: vec!["[0-9]+".into()], ..FilterRules::default() });
    let data = |previous: Option<&Known>, payload, byte| {
        let digest = TextDigest::of_data(&[byte; 32], 0);
        patterns.detector.judge_data(previous, payload, digest, &patterns.filters)
    };
    let first = data(None, [1; 20], 1).known;
    assert_eq!([1, 2].map(|byte| data(Some(&first), [2; 20], byte).rule), [Rule::SameData, Rule::DataDiffers]);
    let text = patterns.see(None, b"a text").known;
    assert_eq!(data(Some(&text), [2; 20], 1).rule, Rule::DataDiffers, "a text that became data");
    let older = Watch::plain().see(None, b"{}").known;
    assert_eq!(data(Some(&older), [2; 20], 1).rule, Rule::FiltersChanged, "that was text by other filters");
}

/// The judgement of a second XHTML page after a first.
fn compare_xhtml(watch: &Watch, [first, second]: [&str; 2]) -> Rule {
    let page = |body: &str| {
        format!("<html xmlns='http://www.w3.org/1999/xhtml'><head><script src='x'/></head><body>{body}</body></html>")
    };
    compare_as(watch, "application/xhtml+xml", [page(first).as_bytes(), page(second).as_bytes()])
}

#[test]
fn selectors_of_pseudo_elements_are_refused() {
    let compile = |selector: &str| {
        let rules = FilterRules { drop: vec![selector.to_owned()], ..FilterRules::default() };
        Filters::compile([&rules]).map(drop)
    };
    for selector in [":not([href^='/x' i]::nth-of-type(not(.y)", "p::before", ":not(p:BEFORE)", "a:first-line"] {
        let refused = compile(selector).err().unwrap().to_string();
        assert!(refused.contains("a pseudo-element is no element of a page"), "{refused}");
    }
    for selector in ["[title='::']", r".md\:before", r#"a[href*="p::b"]"#, "p:first-child"] {
        assert_eq!(compile(selector).err().map(|error| error.to_string()), None, "{selector}");
    }
}

#[test]
fn selectors_find_their_elements_in_xhtml() {
    for watch in [dropping(".clock"), dropping(".no-such"), keeping("p")] {
        assert_eq!(compare_xhtml(&watch, ["<p>1</p>", "<p>2</p>"]), Rule::TextDiffers);
        assert_eq!(
            compare_xhtml(&watch, ["<div class='clock'/><p>1</p>", "<div class='clock'/><p>2</p>"]),
            Rule::TextDiffers
        );
    }
    let clocks = ["<p>a<b class='clock'>1</b></p>", "<p>a<b class='clock'>2</b></p>"];
    assert_eq!(compare_xhtml(&dropping(".clock"), clocks), Rule::SameText);
    assert_eq!(compare_xhtml(&keeping("p"), ["<i>1</i><p>a</p>", "<i>2</i><p>a</p>"]), Rule::SameText);
    assert_eq!(compare_xhtml(&dropping("p.clock"), clocks), Rule::TextDiffers);
}

#[test]
fn an_element_whose_end_is_left_out_ends_where_the_next_begins() {
    for page in [
        "<table><tr><td class=clock>CLOCK<td>TEXT</table>",
        "<table><tr class=clock><td>CLOCK<tr><td>TEXT</table>",
        "<div><p class=clock>CLOCK<p>TEXT</div>",
        "<div><p class=clock>CLOCK<div>TEXT</div></div>",
        "<ul><li class=clock>CLOCK<ul><li>CLOCK</ul><li>TEXT</ul>",
        "<dl><dt class=clock>CLOCK<dd>TEXT</dl>",
        "<select><option class=clock>CLOCK<option>TEXT</select>",
    ] {
        let page = |clock, text| page.replace("CLOCK", clock).replace("TEXT", text);
        assert_eq!(
            dropping(".clock").compare(&page("1", "a"), &page("2", "a")).rule,
            Rule::SameText,
            "{}",
            page("", "")
        );
        assert_eq!(
            dropping(".clock").compare(&page("1", "a"), &page("1", "b")).rule,
            Rule::TextDiffers,
            "{}",
            page("", "")
        );
    }
    let cells = |text| format!("<table><tr><td>1<td>{text}</table>");
    assert_eq!(
        dropping("tr > td").compare(&cells("a"), &cells("b")).rule,
        Rule::SameText,
        "both are children of the row"
    );
}

#[test]
fn an_element_to_keep_that_has_no_text_is_kept_nevertheless() {
    for kept in ["<main></main>", "<main><img></main>", "<main> </main>"] {
        let page = |text| format!("{kept}<i>{text}</i>");
        assert_eq!(keeping("main").compare(&page(1), &page(2)).rule, Rule::SameText, "{kept}");
        assert_eq!(keeping("main").compare("<main>a</main><i>1</i>", &page(1)).rule, Rule::TextDiffers, "{kept}");
    }
}

#[test]
fn a_page_whose_elements_cannot_be_matched_has_no_text_that_counts() {
    let page = "<div>".repeat(1_000_000);
    let parsed = parse(page.as_bytes(), Some("text/html"), &Url::parse("http://a.org/").unwrap());
    let Watch { detector, filters } = dropping(".clock");
    let judged = detector.judge(None, packed(1, page.as_bytes()), &parsed, &filters);
    assert_eq!(judged.unwrap_err().limit, 64 << 20);
}

#[test]
fn hosts_have_filters_of_their_own_besides_the_common_ones() {
    let rules = |selector: &str| FilterRules { drop: vec![selector.into()], ..FilterRules::default() };
    let book = FilterBook::compile(&rules("i"), &HashMap::from([("News.org".into(), rules("b"))])).unwrap();
    let parsed = parse(b"<p>a<i>i</i><b>b</b>", None, &Url::parse("http://a.org/").unwrap());
    assert_eq!(book.of("news.org").text(&parsed, b"<p>a<i>i</i><b>b</b>").unwrap(), "a");
    assert_eq!(book.of("other.org").text(&parsed, b"<p>a<i>i</i><b>b</b>").unwrap(), "ab");
    let of_pages = |filters: &Filters| filters.fingerprint(Kind::Html);
    assert_ne!(of_pages(book.of("news.org")), of_pages(book.of("other.org")));
    assert_eq!(of_pages(&Filters::default()), of_pages(FilterBook::default().of("x")));
    assert_eq!(of_pages(&Filters::default()), of_pages(&Filters::compile([&FilterRules::default()]).unwrap()));
}

#[test]
fn errors_name_what_cannot_be_used() {
    let selector = Filters::compile([&FilterRules { drop: vec!["p".into(), "a[".into()], ..FilterRules::default() }]);
    assert!(selector.unwrap_err().to_string().contains("\"a[\""));
    let pattern = Filters::compile([&FilterRules { ignore: vec!["(".into()], ..FilterRules::default() }]);
    assert!(pattern.unwrap_err().to_string().contains("\"(\""));
}

#[test]
fn filters_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<FilterBook>();
}

#[test]
fn hostile_pages_are_judged_by_what_they_show() {
    let rules = FilterRules { drop: vec!["p i".into()], keep: vec!["div p".into()], ignore: vec!["x+".into()] };
    let watch = Watch::with(rules);
    let pages = [
        // Text, until a letter makes a tag of the last one.
        ("<".repeat(100_000), Rule::TextDiffers),
        ("<div>".repeat(40_000), Rule::TextDiffers),
        ("<p>x".repeat(40_000), Rule::TextDiffers),
        // One tag that never ends, which shows nothing.
        ("<i a=".repeat(20_000), Rule::SameText),
    ];
    for (page, rule) in pages {
        let start = &page[..5];
        assert_eq!(watch.compare(&page, &format!("{page}y")).rule, rule, "{start}…");
        // What is ignored stays so on the largest page.
        assert_eq!(watch.compare(&page, &format!("{page} x")).rule, Rule::SameText, "{start}… x");
    }
}

proptest! {
    #[test]
    fn any_page_can_be_filtered(soup in "[<>/!a-p\"'=&;# \\PC-]{0,150}") {
        let rules = FilterRules { drop: vec!["a".into(), "p > i".into()], keep: vec!["p".into(), "b".into()], ignore: vec!["a+".into()] };
        let watch = Watch::with(rules);
        let judgement = watch.compare(&format!("<html>{soup}"), &format!("<html><p>{soup}"));
        prop_assert_eq!(judgement.changed, judgement.rule.is_change());
    }

    #[test]
    fn filters_that_match_nothing_leave_the_text_alone(soup in "[<>/!a-p\"'=&;# -]{0,150}") {
        let page = format!("<html>{soup}");
        let parsed = parse(page.as_bytes(), None, &Url::parse("http://a.org/").unwrap());
        let filters = Filters::compile([&FilterRules { drop: vec![".no-such".into()], ..FilterRules::default() }]).unwrap();
        prop_assert_eq!(filters.text(&parsed, page.as_bytes()).unwrap().into_owned(), parsed.text);
    }
}
