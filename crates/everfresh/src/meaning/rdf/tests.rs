//! Graphs by example and by law.

use proptest::prelude::*;
use sha2::{Digest, Sha256};

use super::super::budget::Budget;
use super::super::{Body, Content, Format, Limits, Rules, Unreadable, delta, delta_within, read};
use super::{canonical, compare, parse};

fn rdf(format: Format, text: &str) -> Result<Content<'_>, Unreadable> {
    read(format, text.as_bytes(), "http://a.example/doc", &Rules::default(), &Limits::default())
}

#[test]
fn every_syntax_says_the_same() {
    let turtle = rdf(Format::Turtle, "@prefix e: <http://e/> . e:s e:p [ e:q \"é\\n\"@EN, 1 ], <doc> .").unwrap();
    let same = [
        (
            Format::NTriples,
            "_:x <http://e/q> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n_:x <http://e/q> \"\\u00e9\\n\"@en .\n\
             <http://e/s> <http://e/p> <http://a.example/doc> .\n<http://e/s> <http://e/p> _:x .\n<http://e/s> <http://e/p> _:x .",
        ),
        (Format::TriG, "{ <http://e/s> <http://e/p> _:y, <http://a.example/doc> . _:y <http://e/q> 1, \"é\\n\"@en }"),
        (
            Format::RdfXml,
            "<!DOCTYPE r [<!ENTITY e \"http://e/\">]><r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
             xmlns:e='http://e/'><r:Description r:about='&e;s'><e:p r:resource=''/><e:p><r:Description>\
             <e:q xml:lang='en'>é\n</e:q><e:q r:datatype='http://www.w3.org/2001/XMLSchema#integer'>1</e:q>\
             </r:Description></e:p></r:Description></r:RDF>",
        ),
        (
            Format::JsonLd,
            r#"{"@context": {"e": "http://e/"}, "@id": "e:s",
                "e:p": [{"@id": ""}, {"e:q": [1, {"@value": "é\n", "@language": "en"}]}]}"#,
        ),
    ];
    assert_eq!((turtle.statements(), turtle.unit()), (4, "triples"));
    for (format, text) in same {
        assert_eq!(turtle.digest(), rdf(format, text).unwrap().digest(), "{}", format.name());
    }
}

#[test]
fn a_graph_that_breaks_off_is_unreadable_as_a_whole() {
    for (format, text) in [
        (Format::Turtle, "<a:s> <a:p> 1 . <a:s> <a:p> oops"),
        (Format::NTriples, "<a:s> <a:p> \"1\" .\n<a:s> <a:p>"),
        (Format::NQuads, "<a:s> <a:p> \"1\" <a:g> .\n\"s\" <a:p> <a:o> .\n"),
        (Format::TriG, "<a:g> { <a:s> <a:p> 1 . "),
        (Format::JsonLd, r#"{"@id": "a:s", "a:p": [1, 2}"#),
        (
            Format::RdfXml,
            "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e/'>\
         <r:Description r:about='a:s' e:p='1'/><r:Description>",
        ),
    ] {
        let found = rdf(format, text).err();
        assert!(matches!(found, Some(Unreadable::Malformed { .. })), "{}: {found:?}", format.name());
    }
}

#[test]
fn remote_contexts_are_named_and_not_loaded() {
    for text in [
        r#"{"@context": "https://schema.org/", "name": "x"}"#,
        r#"{"@id": "a:s", "a:p": {"@context": ["https://schema.org/"], "name": "x"}}"#,
    ] {
        assert_eq!(rdf(Format::JsonLd, text).err(), Some(Unreadable::RemoteContext("https://schema.org/".into())));
    }
}

/// A document of RDF/XML with these declarations and properties.
fn rdf_xml(document_type: &str, properties: &str) -> String {
    format!(
        "<!DOCTYPE r [{document_type}]><r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e/'>\
         <r:Description r:about='a:s'>{properties}</r:Description></r:RDF>"
    )
}

#[test]
fn entities_are_expanded_within_bounds() {
    let digest = |document_type: &str, value: &str| {
        let text = rdf_xml(document_type, &format!("<e:p>{value}</e:p>"));
        rdf(Format::RdfXml, &text).map(|content| content.digest())
    };
    let plain = digest("", "lollol");
    assert!(plain.is_ok());
    assert_eq!(digest("<!ENTITY l \"lol\">", "&l;&l;"), plain);
    assert_eq!(digest("<!ENTITY l 'lol'><!ENTITY m \"&l;&l;\"><!ENTITY far SYSTEM 'x'>", "&m;"), plain);
    assert!(matches!(digest("<!ENTITY m \"&m;\">", "&m;"), Err(Unreadable::Malformed { .. })));
    assert!(matches!(digest("", "<!DOCTYPE r [<!ENTITY m \"x\">]>&m;"), Err(Unreadable::Malformed { .. })));
    let long = format!("<!ENTITY l \"{}\">", "x".repeat(100_000));
    let refused = digest(&long, &"&l;".repeat(100_000));
    assert!(matches!(refused, Err(Unreadable::TooLarge { what: "bytes with its entities written out", .. })));
}

#[test]
fn declared_encodings_are_read() {
    let text = rdf_xml("", "<e:p>é</e:p>");
    let expected = rdf(Format::RdfXml, &text).unwrap().digest();
    let declared = |encoding: &str| format!("<?xml version='1.0' encoding='{encoding}'?>{text}");
    let latin: Vec<u8> = declared("ISO-8859-1").chars().map(|character| character as u8).collect();
    let wide: Vec<u8> = declared("UTF-16").encode_utf16().flat_map(u16::to_be_bytes).collect();
    for body in [latin, wide] {
        let content = read(Format::RdfXml, &body, "http://a.example/doc", &Rules::default(), &Limits::default());
        assert_eq!(content.unwrap().digest(), expected);
    }
}

#[test]
fn properties_of_unknown_parse_types_are_literals_of_xml() {
    let digest = |properties: &str| {
        let text = rdf_xml("", properties);
        rdf(Format::RdfXml, &text).map(|content| (content.digest(), content.statements()))
    };
    let with = |kind: &str, inner: &str| digest(&format!("<e:p r:parseType='{kind}'>{inner}</e:p><e:q>1</e:q>"));
    let inner = "a <e:b r:parseType='odd'>x</e:b> &amp;";
    assert_eq!(with("odd", inner), with("Literal", inner));
    assert_eq!(with("odd", inner).unwrap().1, 2);
    assert_ne!(with("odd", inner), with("odd", &inner.replace('x', "y")));
    assert_ne!(with("odd", inner), with("odd", &inner.replace("odd", "Literal")), "a literal's own attributes stay");
    assert_eq!(with("odd", "").unwrap().1, 2, "a literal may be empty");
    assert_eq!(with("odd", ""), digest("<e:p r:parseType=\"Literal\" /><e:q>1</e:q>"));
    assert_eq!(with("Literal", ""), with("odd", ""));
    assert!(digest("<e:p r:parseType='Literal' r:resource='a:o'/>").is_err(), "but is nothing else besides");
    assert_ne!(with("Resource", "<e:b>x</e:b>"), with("odd", "<e:b>x</e:b>"));
    let deep = format!("{}{}", "<e:b>".repeat(100_000), "</e:b>".repeat(100_000));
    assert!(with("odd", &deep).unwrap_err().is_limit());
}

#[test]
fn a_language_without_a_name_is_none() {
    let digest = |properties: &str| rdf(Format::RdfXml, &rdf_xml("", properties)).unwrap().digest();
    let within = |language: &str, inner: &str| {
        digest(&format!(
            "<e:p><r:Description xml:lang='de'><e:q {language}>{inner}</e:q><e:r>b</e:r></r:Description></e:p>"
        ))
    };
    let meant = digest("<e:p><r:Description><e:q>a</e:q><e:r xml:lang='de'>b</e:r></r:Description></e:p>");
    assert_eq!([within("xml:lang=''", "a"), within("xml:lang = \"\"", "a")], [meant, meant]);
    assert_ne!(within("", "a"), meant);
    let literal = "r:parseType='Literal'";
    assert_ne!(within(literal, "<b xml:lang=''/>"), within(literal, "<b xml:lang='x-no-language-at-all'/>"));
    assert_ne!(within("", "xml:lang=\"\""), within("", "xml:lang=\"x-no-language\""), "text is text");
    assert_ne!(within("xml:lang=''", "a"), within("xml:lang=''", "b"));
}

#[test]
fn line_ends_and_white_space_are_those_of_xml() {
    let digest = |properties: &str| rdf(Format::RdfXml, &rdf_xml("", properties)).unwrap().digest();
    assert_eq!(digest("<e:p>a\r\nb\rc</e:p>"), digest("<e:p>a\nb\nc</e:p>"));
    assert_ne!(digest("<e:p>a&#13;\nb</e:p>"), digest("<e:p>a\r\nb</e:p>"));
    assert_eq!(digest("<e:p><r:Description e:q='a\r\n\tb'/></e:p>"), digest("<e:p><r:Description e:q='a  b'/></e:p>"));
    assert_ne!(digest("<e:p><r:Description e:q='a&#10;b'/></e:p>"), digest("<e:p><r:Description e:q='a b'/></e:p>"));
    assert_ne!(digest("<e:p><r:Description e:q='&#10;'/></e:p>"), digest("<e:p><r:Description e:q='&#13;'/></e:p>"));
    let quoted = "<e:p><r:Description e:q='&#34;&#39;&#38;lt;&#60;\n'/></e:p>";
    assert_eq!(digest(quoted), digest("<e:p><r:Description e:q=\"&quot;&apos;&amp;lt;&lt; \"/></e:p>"));
    let declared = "<!ENTITY e 'a&#13;&#10;\r\nb'>";
    let found = rdf(Format::RdfXml, &rdf_xml(declared, "<e:p>&e;</e:p>")).unwrap().digest();
    assert_eq!(found, digest("<e:p>a&#13;&#10;\nb</e:p>"));
}

#[test]
fn namespaces_and_parse_types_may_be_escaped() {
    let digest = |namespace: &str, kind: &str| {
        let text = format!(
            "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns{namespace}' xmlns:e='http://e/'>\
             <r:Description r:about='a:s'><e:p r:parseType='{kind}'><e:q>x</e:q></e:p></r:Description></r:RDF>"
        );
        rdf(Format::RdfXml, &text).map(|content| (content.digest(), content.statements())).unwrap()
    };
    assert_eq!(digest("&#35;", "Literal").1, 1);
    assert_eq!(digest("&#x23;", "odd").1, 1);
    assert_eq!(digest("#", "Res&#111;urce"), digest("#", "Resource"));
    assert_eq!(digest("&#35;", "Res&#111;urce"), digest("#", "Resource"));
    assert_eq!(digest("#", "L&#105;teral"), digest("#", "Literal"));
}

#[test]
fn comments_and_sections_are_no_end_of_a_text() {
    let digest = |properties: &str| rdf(Format::RdfXml, &rdf_xml("", properties)).map(|content| content.digest());
    let plain = digest("<e:p> a&lt;b c </e:p>");
    assert!(plain.is_ok());
    for spelled in [
        "<e:p> <!-- no -->a&lt;b c </e:p>",
        "<e:p> a<![CDATA[<b]]> c<?no no?> </e:p>",
        "<e:p><![CDATA[ a<b c]]> </e:p>",
    ] {
        assert_eq!(digest(spelled), plain, "{spelled}");
    }
    assert_eq!(digest("<e:p r:parseType='Literal'><!-- no --></e:p>"), digest("<e:p r:parseType='Literal'/>"));
    assert_eq!(digest("<e:p><![CDATA[]]></e:p>"), digest("<e:p/>"));
}

#[test]
fn no_entity_is_left_to_the_parser() {
    let text = rdf_xml("", "<e:p>&a;</e:p>").replace("[]", "<!ENTITY a \"lol\"> <!ENTITY b \"&a;&a;\"> ");
    assert!(matches!(rdf(Format::RdfXml, &text), Err(Unreadable::Malformed { .. })), "{text}");
}

#[test]
fn long_namespaces_are_counted_wherever_they_are_written() {
    let text = |inner: &str| {
        format!(
            "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e/{}'>{inner}</r:RDF>",
            "n".repeat(6_000)
        )
    };
    let literal = |kind: &str, often: usize| {
        let children = "<c/>".repeat(often);
        text(&format!("<r:Description><e:p r:parseType='{kind}'>{children}</e:p></r:Description>"))
    };
    let too_large = Unreadable::TooLarge { what: "bytes with its namespaces written out", limit: 1 << 20 };
    assert_eq!(rdf(Format::RdfXml, &literal("Literal", 1_000)).err(), Some(too_large.clone()));
    assert_eq!(rdf(Format::RdfXml, &literal("odd", 1_000)).err(), Some(too_large));
    assert!(rdf(Format::RdfXml, &literal("Literal", 10)).is_ok());
    let limits = Limits { steps: 500_000, ..Limits::default() };
    let refused = read(Format::RdfXml, text(&"<e:a/>".repeat(2_000)).as_bytes(), "", &Rules::default(), &limits).err();
    assert_eq!(refused, Some(Unreadable::Steps(500_000)));
}

#[test]
fn deep_documents_are_read_or_refused() {
    let turtle = format!("<a:s> <a:p> {}1{} .", "[ <a:p> ".repeat(10_000), "]".repeat(10_000));
    assert_eq!(rdf(Format::Turtle, &turtle).unwrap().statements(), 10_001);
    let rdf_xml = format!(
        "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e/'><r:Description>{}{}\
         </r:Description></r:RDF>",
        "<e:p><r:Description>".repeat(5_000),
        "</r:Description></e:p>".repeat(5_000)
    );
    assert_eq!(rdf(Format::RdfXml, &rdf_xml).unwrap().statements(), 5_000);
    let json_ld = format!("{}1{}", "{\"a:p\":".repeat(10_000), "}".repeat(10_000));
    let refused = Unreadable::TooLarge { what: "levels of nesting", limit: 100 };
    assert_eq!(rdf(Format::JsonLd, &json_ld).err(), Some(refused));
    let limits = Limits { json_ld: 10, ..Limits::default() };
    let large = read(Format::JsonLd, br#"{"a:long": "document"}"#, "", &Rules::default(), &limits).err();
    assert_eq!(large, Some(Unreadable::TooLarge { what: "bytes of JSON-LD", limit: 10 }));
}

#[test]
fn a_delta_that_takes_too_much_is_none() {
    let ring = |more: &str| {
        let links: String = (0..50).map(|n| format!("_:b{n} <a:p> _:b{} . ", (n + 1) % 50)).collect();
        format!("{links} {more}")
    };
    let (old, new) = (ring(""), ring("_:b0 <a:p> _:b7, _:b9 ."));
    let (old, new) = (rdf(Format::Turtle, &old).unwrap(), rdf(Format::Turtle, &new).unwrap());
    assert_eq!(delta_within(&old, &new, &Limits { steps: 100, ..Limits::default() }), None);
    assert_eq!(delta_within(&old, &new, &Limits::default()).unwrap(), delta(&old, &new));
}

#[test]
fn long_lists_of_equal_values_are_read_and_compared() {
    let list = |values: &[usize]| {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        format!("<a:s> <a:p> ( {} ) .", values.join(" "))
    };
    let (equal, few): (Vec<usize>, Vec<usize>) =
        ((0..3_000).map(|_| 1).collect(), (0..3_000).map(|n| n * n % 7).collect());
    for values in [equal, few] {
        let more = [&values[..1_500], &[9], &values[1_500..]].concat();
        let (old, new) = (list(&values), list(&more));
        let (old, new) = (rdf(Format::Turtle, &old).unwrap(), rdf(Format::Turtle, &new).unwrap());
        // A new cell has a value and a next one, and another cell points to it now.
        let found = delta(&old, &new);
        assert!((found.added, found.removed) == (3, 1), "{found}");
    }
}

/// Every node linked to every other one: no order of them differs from another.
fn clique(nodes: usize) -> String {
    let pairs = (0..nodes).flat_map(|a| (0..nodes).filter(move |b| a != *b).map(move |b| (a, b)));
    pairs.map(|(a, b)| format!("_:n{a} <a:p> _:n{b} .\n")).collect()
}

#[test]
fn a_poisonous_graph_ends_with_a_reason() {
    assert_eq!(rdf(Format::NTriples, &clique(4)).unwrap().statements(), 12);
    assert_eq!(rdf(Format::NTriples, &clique(12)).err(), Some(Unreadable::AlikeBlankNodes));
    let children = |parents: usize, children: usize| -> String {
        let pairs = (0..parents).flat_map(|parent| (0..children).map(move |child| (parent, child)));
        pairs.map(|(parent, child)| format!("_:p{parent} <a:p> _:c{parent}x{child} .\n")).collect()
    };
    assert_eq!(rdf(Format::NTriples, &children(1, 1_000)).unwrap().statements(), 1_000);
    assert_eq!(rdf(Format::NTriples, &children(2, 5)).unwrap().statements(), 10);
    assert_eq!(rdf(Format::NTriples, &children(2, 12)).err(), Some(Unreadable::AlikeBlankNodes));
}

/// Triples over a few blank nodes and names: small numbers of terms make symmetric graphs likely.
fn triples() -> impl Strategy<Value = Vec<(usize, usize, usize)>> {
    proptest::collection::vec((0..8usize, 0..2usize, 0..10usize), 0..16)
}

/// The N-Triples of these triples, blank nodes named by a permutation.
fn written(triples: &[(usize, usize, usize)], names: &[usize]) -> String {
    let node = |n: usize| if n < 6 { format!("_:n{}", names[n]) } else { format!("<a:{n}>") };
    triples.iter().map(|(s, p, o)| format!("{} <a:p{p}> {} .\n", node(*s), node(*o))).collect()
}

/// The lines of a graph whose blank nodes are named by refined hashes, whatever their number.
fn refined(text: &str) -> Vec<String> {
    let mut budget = Budget::new(&Limits::default(), 0).unwrap();
    let mut graph = parse::parse(Format::NTriples, text, "", &mut budget).unwrap();
    graph.quads.sort_unstable();
    graph.quads.dedup();
    graph.labels = canonical::labels_beyond(0, &graph.terms, &graph.quads, graph.blanks, &mut budget).unwrap();
    let line = |quad| {
        let mut line = String::new();
        graph.write(quad, &mut line);
        line
    };
    let mut lines: Vec<String> = graph.quads.iter().map(line).collect();
    lines.sort();
    lines
}

proptest! {
    #[test]
    fn names_and_order_do_not_count(
        (one, other) in triples().prop_flat_map(|triples| (Just(triples.clone()), Just(triples).prop_shuffle())),
        names in Just((0..6).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let (one, other) = (written(&one, &[0, 1, 2, 3, 4, 5]), written(&other, &names));
        prop_assert_eq!(rdf(Format::NTriples, &one).unwrap().digest(), rdf(Format::NTriples, &other).unwrap().digest());
    }

    #[test]
    fn names_and_order_do_not_count_where_hashes_are_refined(
        (one, other) in triples().prop_flat_map(|triples| (Just(triples.clone()), Just(triples).prop_shuffle())),
        names in Just((0..6).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let (one, other) = (written(&one, &[0, 1, 2, 3, 4, 5]), written(&other, &names));
        prop_assert_eq!(refined(&one), refined(&other));
    }

    #[test]
    fn the_digest_is_that_of_the_standard_form(triples in triples()) {
        let text = written(&triples, &[0, 1, 2, 3, 4, 5]);
        let mut theirs: oxrdf::Dataset = oxttl::NQuadsParser::new().for_slice(&text).map(Result::unwrap).collect();
        let hash_algorithm = oxrdf::dataset::CanonicalizationHashAlgorithm::Sha256;
        theirs.canonicalize(oxrdf::dataset::CanonicalizationAlgorithm::Rdfc10 { hash_algorithm });
        let mut lines: Vec<String> = theirs.iter().map(|quad| format!("{quad} .\n")).collect();
        lines.sort();
        prop_assert_eq!(rdf(Format::NTriples, &text).unwrap().digest(), <[u8; 32]>::from(Sha256::digest(lines.concat())));
    }
}

/// The old graph without what the delta removes and with what it adds.
fn applied(old: &Content<'_>, new: &Content<'_>) -> String {
    let found = delta(old, new);
    let (Body::Graph(old), Body::Graph(new)) = (&old.body, &new.body) else { unreachable!() };
    let mut budget = Budget::of(&Limits::default());
    let partners = compare::partners(old, new, &compare::shared_numbers(old, new), &mut budget);
    let signed = |sign| found.lines.iter().filter_map(move |line| line.strip_prefix(sign)).map(str::to_owned);
    let removed: Vec<String> = signed("- ").collect();
    let kept = old.quads.iter().map(|quad| compare::old_line(old, new, &partners, quad));
    kept.filter(|line| !removed.contains(line)).chain(signed("+ ")).map(|line| line + "\n").collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_delta_leads_from_the_old_graph_to_the_new(old in triples(), new in triples()) {
        let texts = [old, new].map(|triples| written(&triples, &[0, 1, 2, 3, 4, 5]));
        let [old, new] = texts.each_ref().map(|text| rdf(Format::NTriples, text).unwrap());
        prop_assert_eq!(rdf(Format::NTriples, &applied(&old, &new)).unwrap().digest(), new.digest());
    }

    #[test]
    fn one_triple_more_is_one_added_and_one_less_is_one_removed(
        (old, mut new) in triples().prop_flat_map(|triples| (Just(triples.clone()), Just(triples).prop_shuffle())),
        names in Just((0..6).collect::<Vec<usize>>()).prop_shuffle(),
        more in (0..8usize, 0..2usize, 0..10usize),
    ) {
        prop_assume!(!old.contains(&more));
        new.push(more);
        let (old, new) = (written(&old, &[0, 1, 2, 3, 4, 5]), written(&new, &names));
        let [old, new] = [&old, &new].map(|text| rdf(Format::NTriples, text).unwrap());
        let (forth, back) = (delta(&old, &new), delta(&new, &old));
        prop_assert_eq!((forth.added, forth.removed), (1, 0), "{}", forth);
        prop_assert_eq!((back.added, back.removed), (0, 1), "{}", back);
    }
}

#[test]
fn json_ld_with_contexts_in_contexts_or_values_is_taken_for_more() {
    let limits = Limits { scoped_json_ld: 20, ..Limits::default() };
    let rules = Rules::default();
    let read = |text: &str| read(Format::JsonLd, text.as_bytes(), "http://a.test/", &rules, &limits).map(|_| ());
    for one in [
        "{\"a:p\": \"none and more than twenty bytes\"}",
        "{\"@context\" : {\"p\": \"a:p\"}, \"p\": 1}",
        "{\"@context\" : {\"p\": \"a:p\"}, \"p\": \"caf\\u00e9 \\u4e2d\\ud83d\\ude00 \\\\u\"}",
    ] {
        assert_eq!(read(one), Ok(()), "{one}");
    }
    for more in [
        "{\"@context\": [{\"p\": \"a:p\"}], \"p\": 1}",
        "{\"@context\": {\"p\": \"a:p\"}, \"p\": {\"@context\": {\"q\": \"a:q\"}, \"q\": 1}}",
        "{\"\\u0040context\": {\"p\": \"a:p\"}, \"p\": 1}",
        "{\"@con\\u0074ext\": {\"p\": \"a:p\"}, \"p\": 1}",
    ] {
        assert!(read(more).is_err_and(|error| error.is_limit()), "{more}");
    }
}
