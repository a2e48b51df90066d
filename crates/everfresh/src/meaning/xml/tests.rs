//! XML by example and by law.

use proptest::prelude::*;

use super::super::{Content, Format, Limits, Rules, Unreadable, delta, read};

fn xml(text: &str) -> Result<Content<'_>, Unreadable> {
    read(Format::Xml, text.as_bytes(), "", &Rules::default(), &Limits::default())
}

#[test]
fn spelling_does_not_count() {
    let one = xml("<?xml version=\"1.0\"?><a:x xmlns:a='urn:1' q='1' a:p='&lt;2'>\n <a:y>é &amp; b</a:y>\n <z/></a:x>");
    let other = xml("<x p:p=\"&#60;2\" xmlns='urn:1'\n xmlns:p='urn:1' q=\"1\"><!-- no -->\
         <y>&#xe9; <![CDATA[& b]]></y><z xmlns=''></z><?pi?></x>");
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!(one.digest(), other.digest());
    assert_eq!((one.statements(), one.unit()), (4, "nodes"));
}

#[test]
fn the_name_of_a_namespace_may_be_escaped() {
    let digest = |text: &str| xml(text).unwrap().digest();
    assert_eq!(digest("<a xmlns='urn:g&#111;ods&amp;x'/>"), digest("<p:a xmlns:p='urn:goods&#38;x'/>"));
    assert_eq!(digest("<!DOCTYPE a [<!ENTITY n 'urn:1'>]><a xmlns='&n;'/>"), digest("<a xmlns='urn:1'/>"));
}

#[test]
fn meaning_counts() {
    let base = "<a xmlns='urn:1' k='1'><b>x</b><c/></a>";
    let digest = xml(base).unwrap().digest();
    for other in [
        base.replace("urn:1", "urn:2"),
        base.replace("'1'>", "'2'>"),
        base.replace("x</b>", "x </b>"),
        base.replace("<b>x</b><c/>", "<c/><b>x</b>"),
    ] {
        assert_ne!(digest, xml(&other).unwrap().digest(), "{other}");
    }
}

#[test]
fn differences_are_named_by_their_paths() {
    let old = xml("<s:shop xmlns:s='u'><item id='1'>pen</item><item id='2'>ink</item><old/></s:shop>").unwrap();
    let new = xml("<shop xmlns='u'><item xmlns='' id='1'>pen</item><item xmlns='' id='3'>nib</item></shop>").unwrap();
    assert_eq!(
        delta(&old, &new).lines,
        ["~ /shop/item[2]/@id: \"2\" → \"3\"", "~ /shop/item[2]/text(): \"ink\" → \"nib\"", "- /shop/old: empty"]
    );
}

#[test]
fn entities_that_a_document_declares_are_what_they_stand_for() {
    let with = |declared: &str, content: &str| {
        let text = format!("<?xml version='1.0'?><!-- [ --><!DOCTYPE a PUBLIC '>' \"[\" [{declared}]><a>{content}</a>");
        xml(&text).unwrap().digest()
    };
    let plain = |content: &str| xml(&format!("<a>{content}</a>")).unwrap().digest();
    let version = "<!ENTITY v '2'><!ENTITY v 'the first counts'><!ELEMENT a ANY><!-- ' --><?x ' ?>";
    assert_eq!(with(version, "<b c='1.&v;'>1.&v;</b>"), plain("<b c='1.2'>1.2</b>"));
    assert_ne!(with(version, "&v;"), with("<!ENTITY v '3'>", "&v;"));
    let nested = "<!ENTITY all \"<b c='&q;'>&v;</b>&#38;amp;\"><!ENTITY v '&#x31;&#38;#60;'><!ENTITY q '\"&#39;&#60;'>";
    assert_eq!(with(nested, "&all;"), plain("<b c='&quot;&apos;&lt;'>1&lt;</b>&amp;"));
    let parameters = "<!ENTITY % p \"<!ENTITY v '1'>\"> %p; %elsewhere; <!ENTITY w 'x'>";
    assert_eq!(with(parameters, "&v;&w;"), plain("1x"));
    let kept = "<![CDATA[&v;]]><!-- &v; --><?v &v;?>";
    assert_eq!(with(version, kept), plain("&amp;v;"));
}

#[test]
fn a_reference_to_what_is_not_declared_is_no_text() {
    for [one, other] in [
        ["<a>&foo;</a>", "<a>&amp;foo;</a>"],
        ["<a b='&foo;'/>", "<a b='&amp;foo;'/>"],
        ["<a>&foo;</a>", "<a>&bar;</a>"],
        ["<!DOCTYPE a [<!ENTITY foo SYSTEM 'x'>]><a>&foo;</a>", "<a>&amp;foo;</a>"],
    ] {
        assert_ne!(xml(one).unwrap().digest(), xml(other).unwrap().digest(), "{one} {other}");
    }
    let kept = xml("<!DOCTYPE a SYSTEM 'x'><a b='&foo;'>&foo;</a>").unwrap();
    assert_eq!(kept.digest(), xml("<a b='&foo;'>&foo;</a>").unwrap().digest());
}

#[test]
fn attributes_that_are_left_out_have_their_declared_values() {
    let list = "<!DOCTYPE a [<!ATTLIST a b CDATA 'x' c (d | e) \"d\" f ID #IMPLIED g CDATA #FIXED '&v;' \
                xmlns CDATA 'urn:1'><!ENTITY v '>\"'><!ATTLIST a b CDATA 'the first counts' h CDATA 'y'>]>";
    let digest = |text: &str| xml(text).unwrap().digest();
    let written = "<a xmlns='urn:1' b='x' c='d' g='&gt;&quot;' h='y'/>";
    assert_eq!(digest(&format!("{list}<a/>")), digest(written));
    assert_eq!(digest(&format!("{list}<a b = 'z' c='d' ></a>")), digest(&written.replace("'x'", "'z'")));
    assert_ne!(digest(&format!("{list}<a/>")), digest(&format!("{}<a/>", list.replace("'x'", "'z'"))));
}

#[test]
fn values_that_are_words_have_single_spaces() {
    let list =
        "<!DOCTYPE a [<!ATTLIST a b NMTOKENS ' 1\t 2 ' c CDATA #IMPLIED d (x|y) #IMPLIED c ID 'the first counts'>]>";
    let digest = |text: &str| xml(text).unwrap().digest();
    for space in ["&#32;", "&#032;", "&#x20;", "&#x0000000000020;"] {
        let found = digest(&format!("{list}<a c=' 1  2 ' d='{space}x\n'/>"));
        assert_eq!(found, digest("<a b='1 2' c=' 1  2 ' d='x'/>"), "{space}");
    }
    let tab = digest(&format!("{list}<a d=' x&#9;&amp;#32;'/>"));
    assert_eq!(tab, digest("<a b='1 2' d='x&#9;&#38;#32;'/>"), "what is escaped is no space between words");
}

#[test]
fn an_escaped_carriage_return_is_no_end_of_a_line() {
    let digest = |text: &str| xml(text).unwrap().digest();
    assert_eq!(digest("<a>x\r\ny\rz<![CDATA[\r\n]]></a>"), digest("<a>x\ny\nz\n</a>"));
    assert_ne!(digest("<a>x&#13;</a>"), digest("<a>x&#10;</a>"));
    let entity = "<!DOCTYPE a [<!ENTITY e '&#13;&#10;\r\n'>]>";
    assert_eq!(digest(&format!("{entity}<a b='x&e;y'>x&e;y</a>")), digest("<a b='x   y'>x&#13;\n\ny</a>"));
}

#[test]
fn lines_end_as_the_version_of_xml_says() {
    let digest = |version: &str, text: &str| {
        xml(&format!("<?xml version=\"{version}\" encoding='UTF-8'?><a b='{text}'>{text}</a>")).unwrap().digest()
    };
    let odd = "1\u{85}2\u{2028}3\r\u{85}4\r\n5\r6\r\u{2028}7";
    assert_eq!(digest("1.1", odd), digest("1.0", "1\n2\n3\n4\n5\n6\n\n7"));
    assert_eq!(digest("1.0", odd), digest("1.0", "1&#x85;2&#x2028;3\n&#x85;4\n5\n6\n&#x2028;7"));
    assert_ne!(digest("1.1", "&#x85;"), digest("1.1", "\n"), "what is escaped is no end of a line");
    let within = "<!DOCTYPE a [<!ENTITY % p \"<!ENTITY e 'x&#38;#13;y'>\"> %p;]>";
    assert_eq!(xml(&format!("{within}<a>&e;</a>")).unwrap().digest(), xml("<a>x&#13;y</a>").unwrap().digest());
}

#[test]
fn white_space_that_is_all_an_element_holds_counts() {
    let digest = |text: &str| xml(text).unwrap().digest();
    assert_ne!(digest("<a><b> </b></a>"), digest("<a><b></b></a>"));
    assert_ne!(digest("<a> </a>"), digest("<a/>"));
    assert_eq!(digest("<a> <b/> </a>"), digest("<a><b/></a>"), "between elements");
    assert_eq!(digest("<a>\n <!-- none -->\n</a>"), digest("<a></a>"), "around a comment");
}

#[test]
fn white_space_that_is_to_be_kept_counts() {
    let digest = |text: &str| xml(text).unwrap().digest();
    let kept = "<a xml:space='preserve'> <b> </b><c xml:space='default'> <d/> </c> </a>";
    assert_eq!(digest(kept), digest(&kept.replace(" <d/> ", "<d/>")));
    assert_ne!(digest(kept), digest(&kept.replace("<b> </b>", "<b/>")));
    assert_ne!(digest(kept), digest(&kept.replace("</c> ", "</c>")));
    assert_eq!(
        digest(&kept.replace("preserve", "default")),
        digest("<a xml:space='default'><b/><c xml:space='default'><d/></c></a>")
    );
    assert_eq!(digest(kept), digest(&kept.replace("'preserve'", "'&#112;reserve'")), "however it is written");
    let declared = "<!DOCTYPE a [<!ATTLIST a xml:space (default|preserve) 'preserve'>]>";
    assert_ne!(digest(&format!("{declared}<a> </a>")), digest(&format!("{declared}<a/>")));
}

#[test]
fn digests_stay_what_they_were() {
    let long = "n".repeat(500);
    let text = format!(
        "<a xmlns='urn:{long}' xmlns:p='urn:1' p:q='1' xml:lang='en' o:o='2'><p:b xmlns=''><c p:d='x'/></p:b><o:e/>\
         <f xmlns:p='urn:{long}' p:g='&lt;'>t</f><p:h xmlns:p=''/><p:i/></a>"
    );
    let digest = data_encoding::HEXLOWER.encode(&xml(&text).unwrap().digest());
    assert_eq!(digest, "a09a7d40d3699153d4ad77fc0d33292610e5ae89fde639844873af6e7db0c897");
}

/// Whether reading a document takes more than so many steps.
fn takes_more_than(steps: u64, text: &str) -> bool {
    let limits = Limits { steps, ..Limits::default() };
    let found = read(Format::Xml, text.as_bytes(), "", &Rules::default(), &limits).err();
    assert!(found.as_ref().is_none_or(|found| *found == Unreadable::Steps(steps)), "{found:?}");
    found.is_some()
}

#[test]
fn declarations_that_take_long_are_counted() {
    let many = |text: &str, often: usize| {
        format!("<!ENTITY e1 '{}'><!ENTITY e2 '{}'>", text.repeat(often), "&e1;".repeat(100))
    };
    let spaces =
        format!("<!DOCTYPE l [<!ATTLIST l a NMTOKENS '{}'>{}]><m>&e2;</m>", " ".repeat(15_000), many("<l/>", 60));
    assert!(takes_more_than(10_000_000, &spaces), "spaces between no words are looked at for every element");
    let implied: String = (0..5_000).map(|n| format!(" a{n} CDATA #IMPLIED")).collect();
    let implied = format!("<!DOCTYPE l [<!ATTLIST l{implied}>{}]><m>&e2;</m>", many("<l/>", 60));
    assert!(takes_more_than(300_000, &implied), "what is declared is looked at for every element");
    let name = "n".repeat(1_000);
    let nothing = format!("<!DOCTYPE l [<!ENTITY {name} ''>{}]><m>&e2;</m>", many(&format!("&{name};"), 60));
    assert!(takes_more_than(500_000, &nothing), "a reference to nothing is read every time");
    let parameter = format!("<!ENTITY % p '{}'>{}", " ".repeat(10_000), "%p;".repeat(1_000));
    assert!(takes_more_than(1_000_000, &format!("<!DOCTYPE l [{parameter}]><l/>")), "declarations are read every time");
    let open = format!("<!DOCTYPE l [<!ENTITY e '{}'>]><l/>", "&#1".repeat(100_000));
    assert!(!takes_more_than(100_000, &open), "one that does not end is looked at once");
}

#[test]
fn nobody_declares_what_xml_reserves() {
    let [reserved, xmlns] = ["http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"];
    assert!(xml(&format!("<a xmlns:xml='{reserved}' xml:lang='en'/>")).is_ok());
    for wrong in [format!("p='{reserved}'"), format!("p='{xmlns}'"), "xml='urn:x'".into(), "xmlns='urn:x'".into()] {
        assert!(xml(&format!("<a xmlns:{wrong}/>")).is_err(), "{wrong}");
    }
}

#[test]
fn names_of_a_long_namespace_take_no_longer_than_others() {
    let text = format!("<p:a xmlns:p='{}'>{}</p:a>", "n".repeat(60_000), "<p:b p:c=''/>".repeat(10_000));
    assert_eq!(xml(&text).unwrap().statements(), 10_000);
    assert!(!takes_more_than(60_000, &text));
    let prefixes: String = (0..900).map(|n| format!(" xmlns:p{n}='urn:{n}'")).collect();
    assert!(xml(&format!("<p7:a{prefixes}><p800:b/></p7:a>")).is_ok(), "a dump may have hundreds of prefixes");
}

#[test]
fn entities_without_end_are_refused() {
    let laughs = |from: usize, to: usize, first: &str| {
        let mut lol = format!("<!DOCTYPE l [<!ENTITY l0 '{first}'>");
        (from..to).for_each(|n| lol += &format!("<!ENTITY l{n} '&l{m};&l{m};&l{m};&l{m};'>", m = n - 1));
        format!("{lol}]><l a='&l{n};'>&l{n};</l>", n = to - 1)
    };
    let refused = |text: &str| xml(text).err().unwrap();
    let too_large = Unreadable::TooLarge { what: "bytes with its entities written out", limit: 1 << 20 };
    assert_eq!(refused(&laughs(1, 13, "lol")), too_large);
    let few_steps = Limits { steps: 100_000, ..Limits::default() };
    let silent = read(Format::Xml, laughs(1, 16, "").as_bytes(), "", &Rules::default(), &few_steps).err();
    assert_eq!(silent, Some(Unreadable::Steps(100_000)));
    assert!(refused(&laughs(1, 30, "lol")).to_string().contains("without end"));
    assert!(refused("<!DOCTYPE l [<!ENTITY l 'a&l;'>]><l>&l;</l>").to_string().contains("without end"));
    assert!(refused("<!DOCTYPE l [<!ENTITY % p '%p;'> %p;]><l/>").to_string().contains("without end"));
    assert!(refused("<!DOCTYPE l [<!ENTITY p 'x'><l/>").to_string().contains("does not end"));
    let wide: String = (0..2_000).map(|n| format!(" a{n} CDATA '{n}'")).collect();
    let elements = "<l/>".repeat(10_000);
    assert!(refused(&format!("<!DOCTYPE l [<!ATTLIST l{wide}>]><m>{elements}</m>")).is_limit());
}

#[test]
fn what_is_no_xml_is_said() {
    for wrong in ["", "<a>", "<a></b>", "<a/><b/>", "text", "<a", "<a/>text", "<a b='1/>"] {
        assert!(matches!(xml(wrong), Err(Unreadable::Malformed { .. })), "{wrong}");
    }
    let deep = "<a>".repeat(1_000_000);
    assert!(matches!(xml(&deep), Err(Unreadable::TooLarge { what: "levels of nesting", .. })));
    let nested = format!("{}{}", "<a>".repeat(10_000), "</a>".repeat(10_000));
    assert_eq!(xml(&nested).unwrap().statements(), 1);
    let wide = format!("<a {}/>", "b='c' ".repeat(100_000));
    assert!(matches!(xml(&wide), Err(Unreadable::TooLarge { what: "attributes of an element", .. })));
}

proptest! {
    #[test]
    fn no_text_is_a_panic(text in "[<>a&;'\"=/ !\\[\\]#x0-9:\\-?]{0,60}") {
        let _ = xml(&text);
    }

    #[test]
    fn no_document_type_is_a_panic(text in "(<!(ENTITY|ATTLIST|DOCTYPE|--)|[<>a&;'\"=/ %é\\[\\]#x0-9\\-?]){0,40}") {
        let _ = xml(&format!("<!DOCTYPE a [<!ENTITY a 'b<a/>'><!ATTLIST a a CDATA '&a;'>{text}"));
        let _ = xml(&format!("<!DOCTYPE a [<!ENTITY a 'b<a/>'><!ATTLIST a a CDATA '&a;'>]><a>{text}"));
    }
}
