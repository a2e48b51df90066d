//! Answers in all formats, as one table.

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use url::Url;

use super::*;

const JSON: &str = r#"{"head": {"vars": ["s", "o"]}, "results": {"bindings": [
        {"s": {"type": "uri", "value": "http://a/1"}, "o": {"type": "literal", "value": "a \"b\"\n", "xml:lang": "EN"}},
        {"o": {"type": "literal", "value": "4", "datatype": "http://www.w3.org/2001/XMLSchema#integer"}}]}}"#;
const XML: &str = r#"<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#">
        <head><variable name="s"/><variable name="o"/></head><results>
        <result><binding name="o"><literal xml:lang="en">a &quot;b&quot;
</literal></binding><binding name="s"><uri>http://a/1</uri></binding></result>
        <result><binding name="o"><literal datatype="http://www.w3.org/2001/XMLSchema#integer">4</literal></binding></result>
        </results></sparql>"#;
const TSV: &str = "?s\t?o\n<http://a/1>\t\"a \\\"b\\\"\\n\"@en\n\t\"4\"^^<http://www.w3.org/2001/XMLSchema#integer>\n";

fn try_read(media_type: &str, body: &[u8]) -> Result<Table, BadResults> {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, media_type.parse().unwrap())]);
    let (url, body) = (Url::parse("http://a.test/sparql").unwrap(), Bytes::copy_from_slice(body));
    Table::read(&Answer { url, status: 200, headers, body })
}

fn read(media_type: &str, body: &str) -> Table {
    try_read(media_type, body.as_bytes()).unwrap()
}

#[test]
fn formats_are_spellings_of_one_table() {
    let table = read("application/sparql-results+json", JSON);
    assert_eq!(table.len(), 2);
    assert_eq!(table, read("application/sparql-results+xml", XML));
    assert_eq!(table, read("text/tab-separated-values", TSV));
    let csv = String::from_utf8(table.to_csv()).unwrap();
    assert!(csv.starts_with("o,s\n\"\"\"a \\\"\"b\\\"\"\\n\"\"@en\",<http://a/1>\n"), "{csv}");
}

#[test]
fn csv_cells_are_kept_as_they_are() {
    let table = read("text/csv", "s,o\r\nhttp://a/1,\"a, b\"\r\n,4\r\n");
    assert_eq!(String::from_utf8(table.to_csv()).unwrap(), "o,s\n\"a, b\",http://a/1\n4,\n");
}

#[test]
fn yes_and_no_are_tables_too() {
    let yes = read("application/sparql-results+json", r#"{"head": {}, "boolean": true}"#);
    assert_eq!(yes, read("application/sparql-results+xml", "<sparql><head/><boolean>true</boolean></sparql>"));
    assert_ne!(yes, read("application/sparql-results+json", r#"{"head": {}, "boolean": false}"#));
}

#[test]
fn an_answer_in_xml_is_yes_or_no_or_none() {
    let ask = |answer: &str| {
        let text = format!("<sparql><head/><boolean>{answer}</boolean></sparql>");
        try_read("application/sparql-results+xml", text.as_bytes())
    };
    for (yes, no) in [("true", "false"), ("1", "0"), ("\n true\n", "\tfalse ")] {
        assert_eq!((ask(yes).unwrap(), ask(no).unwrap()), (Table::boolean(true), Table::boolean(false)), "{yes}");
    }
    for none in ["", "maybe", "True", "<b/>", "10"] {
        let refused = ask(none).unwrap_err().to_string();
        assert!(refused.contains("neither true nor false"), "{none}: {refused}");
    }
    assert!(try_read("application/sparql-results+xml", b"<sparql><head/><boolean/></sparql>").is_err());
}

#[test]
fn bindings_of_what_the_head_does_not_name_are_refused() {
    let json = |vars: &str, row: &str| {
        let term = row.replace('*', r#"{"type": "literal", "value": "a"}"#);
        let text = format!(r#"{{"head": {{{vars}}}, "results": {{"bindings": [{term}]}}}}"#);
        try_read("application/sparql-results+json", text.as_bytes())
    };
    let xml = |head: &str, row: &str| {
        let text = format!("<sparql><head>{head}</head><results><result>{row}</result></results></sparql>");
        try_read("application/sparql-results+xml", text.as_bytes())
    };
    let (s, t) =
        ("<binding name='s'><literal>a</literal></binding>", "<binding name='t'><literal>a</literal></binding>");
    for refused in [
        json(r#""link": []"#, r#"{"s": *}"#),
        json(r#""vars": ["t"]"#, r#"{"s": *, "t": *}"#),
        xml("", s),
        xml("<variable name='t'/>", &[s, t].concat()),
    ] {
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("\"s\", which the head does not name"), "{refused}");
    }
    assert!(xml("<variable name='s'/>", "<binding><literal>a</literal></binding>").is_err(), "of nothing");
    assert!(xml("<variable name='s'/>", &s.repeat(2)).is_err(), "twice");
    assert_eq!((json("", "{}").unwrap().len(), xml("", "").unwrap().len()), (1, 1), "a row may be empty");
    assert_eq!(json(r#""vars": ["s"]"#, r#"{"s": *}"#).unwrap(), xml("<variable name='s'/>", s).unwrap());
}

#[test]
fn white_space_around_what_has_none_does_not_count() {
    let row = |uri: &str, node: &str, datatype: &str| {
        let text = format!(
            "<sparql><head><variable name='a'/><variable name=' b '/></head><results><result><binding name=' a '><uri>{uri}</uri>\
             </binding><binding name='b'><bnode>{node}</bnode></binding></result><result><binding name='b'><bnode>n</bnode></binding>\
             <binding name='a'><literal datatype='{datatype}'> x </literal></binding></result></results></sparql>"
        );
        read("application/sparql-results+xml", &text)
    };
    assert_eq!(row("\n  http://a/1\n", "\nn ", " a:b\n"), row("http://a/1", "n", "a:b"));
    assert!(String::from_utf8(row("http://a/1", "n", "a:b").to_csv()).unwrap().contains("\"\" x \"\""));
}

#[test]
fn cells_that_are_no_terms_are_kept_where_their_lines_end() {
    for body in ["?a\n\"1\n", "?a\n<http://a/\n2\n", "?a\nno term"] {
        assert!(try_read("text/tab-separated-values", body.as_bytes()).is_ok(), "{body}");
    }
}

#[test]
fn what_breaks_off_is_refused() {
    for (media_type, body) in [
        ("application/sparql-results+json", &JSON[..JSON.len() - 5]),
        ("application/sparql-results+xml", &XML[..XML.len() - 40]),
        ("text/tab-separated-values", &TSV[..18]),
        ("text/csv", "a,b\n1"),
        ("text/csv", "a,b\n1,\"2"),
        ("text/csv", "a\n\"1\n2\n"),
        ("text/tab-separated-values", "?a\t?b\n1\t\"2"),
        ("text/tab-separated-values", "?a\n<http://a/"),
        ("text/tab-separated-values", "?a\n<http://a/>\n\"2\"^^<http://"),
        ("application/sparql-results+json", "{}"),
        ("text/html", "<p>results</p>"),
    ] {
        assert!(try_read(media_type, body.as_bytes()).is_err(), "{media_type}: {body}");
    }
}

#[test]
fn labels_of_blank_nodes_do_not_count() {
    let rows = |labels: [&str; 3]| {
        let [a, b, c] = labels;
        read("text/csv", &format!("s,o\n_:{a},x\n_:{b},_:{a}\n_:{c},_:{b}\n_:{c},y\n")).to_csv()
    };
    assert_eq!(rows(["a", "b", "c"]), rows(["n3", "n1", "n2"]));
    assert_ne!(rows(["a", "b", "c"]), rows(["a", "b", "b"]));
}

#[test]
fn blank_nodes_of_two_parts_are_two_nodes() {
    let part = || read("text/csv", "s,o\n_:a,x\n_:a,y\n");
    let mut union = part();
    union.append(part()).unwrap();
    let once = read("text/csv", "s,o\n_:a,x\n_:a,y\n_:a,x\n_:a,y\n");
    assert_ne!(union.to_csv(), once.to_csv());
    assert_eq!(union.len(), 4);
}

#[test]
fn a_part_may_have_its_columns_in_another_order_but_no_others() {
    let mut union = read("text/csv", "s,o\n1,x\n");
    union.append(read("text/csv", "o,s\ny,2\n")).unwrap();
    assert_eq!(union, read("text/csv", "s,o\n1,x\n2,y\n"));
    for other in ["s\n2\n", "s,p\n2,y\n", "s,o,p\n2,y,z\n", "s,s\n2,y\n"] {
        assert!(union.append(read("text/csv", other)).is_err(), "{other}");
    }
}

#[test]
fn columns_that_are_named_late_are_in_no_row_before() {
    let late = "<sparql><results><result/><variable name='a'/><result/></results></sparql>";
    assert!(try_read("application/sparql-results+xml", late.as_bytes()).is_err());
}

#[test]
fn empty_rows_of_many_columns_are_refused_before_they_are_made() {
    let json = format!(
        "{{\"head\":{{\"vars\":[{}\"\"]}},\"results\":{{\"bindings\":[{}{{}}]}}}}",
        "\"\",".repeat(99_999),
        "{},".repeat(99_999)
    );
    let xml = format!(
        "<sparql><variable name='a'/>{}<results>{}</results></sparql>",
        "<variable name='b'/>".repeat(99_999),
        "<result/>".repeat(99_999)
    );
    for (media_type, body) in [("application/sparql-results+json", json), ("application/sparql-results+xml", xml)] {
        let refused = try_read(media_type, body.as_bytes()).unwrap_err().to_string();
        assert!(refused.contains("cells in"), "{refused}");
    }
}

#[test]
fn a_row_of_many_blank_nodes_is_read_in_time() {
    let labels: Vec<String> = (0..200_000).map(|number| format!("_:b{number}")).collect();
    let columns: Vec<String> = (0..200_000).map(|number| format!("?c{number}")).collect();
    let body = format!("{}\n{}\n", columns.join("\t"), labels.join("\t"));
    assert_eq!(names::of(&read("text/tab-separated-values", &body).rows).len(), 200_000);
}

#[test]
fn spellings_of_a_term_are_one_cell_in_every_format() {
    let json = |term: &str| {
        let text = format!(r#"{{"head": {{"vars": ["x"]}}, "results": {{"bindings": [{{"x": {term}}}]}}}}"#);
        read("application/sparql-results+json", &text)
    };
    let xml = |term: &str| {
        let text = format!(
            "<sparql xmlns:its='i'><head><variable name='x'/></head><results><result><binding name='x'>{term}</binding>\
             </result></results></sparql>"
        );
        read("application/sparql-results+xml", &text)
    };
    let tsv = |term: &str| read("text/tab-separated-values", &format!("?x\n{term}\n"));
    let typed = |value: &str, datatype: &str| {
        let iri = format!("http://www.w3.org/2001/XMLSchema#{datatype}");
        (
            format!(r#"{{"type": "literal", "value": "{value}", "datatype": "{iri}"}}"#),
            format!("<literal datatype='{iri}'>{value}</literal>"),
            vec![format!("\"{value}\"^^<{iri}>"), format!("'{value}'^^xsd:{datatype}")],
        )
    };
    let bare = |value: &str, datatype: &str| {
        let (json, xml, mut tsv) = typed(value, datatype);
        tsv.push(value.to_owned());
        (json, xml, tsv)
    };
    let (string_json, string_xml, mut string_tsv) = typed("x", "string");
    string_tsv.push("\"x\"".to_owned());
    let triple = r#"{"type": "triple", "value": {"subject": {"type": "uri", "value": "s:1"},
        "predicate": {"type": "uri", "value": "p:1"}, "object": {"type": "literal", "value": "a b"}}}"#;
    let terms = [
        bare("4", "integer"),
        bare("-4", "integer"),
        bare("5.5", "decimal"),
        bare("1.0e6", "double"),
        bare(".5E-3", "double"),
        bare("true", "boolean"),
        (string_json, string_xml, string_tsv),
        (r#"{"type": "literal", "value": "x"}"#.into(), "<literal>x</literal>".into(), vec!["\"\\u0078\"".into()]),
        (r#"{"type": "literal", "value": ""}"#.into(), "<literal/>".into(), vec!["\"\"".into(), "''".into()]),
        (
            r#"{"type": "literal", "value": "x", "xml:lang": "EN-gb"}"#.into(),
            "<literal xml:lang='en-GB'>x</literal>".into(),
            vec!["\"x\"@En-gb".into()],
        ),
        (
            r#"{"type": "literal", "value": "x", "xml:lang": "en", "its:dir": "ltr"}"#.into(),
            "<literal xml:lang='en' its:dir='ltr'>x</literal>".into(),
            vec!["\"x\"@en--ltr".into()],
        ),
        (
            r#"{"type": "uri", "value": "a:é>b"}"#.into(),
            "<uri>a:é&gt;b</uri>".into(),
            vec!["<a:\\u00e9\\u003Eb>".into()],
        ),
        (
            triple.into(),
            "<triple>\n<subject><uri>s:1</uri></subject><predicate><uri>p:1</uri></predicate>\
             <object><literal>a b</literal></object></triple>"
                .into(),
            vec!["<<( <s:1> <p:1> \"a b\" )>>".into(), "<< <s:1> <p:1> 'a b' >>".into()],
        ),
    ];
    for (as_json, as_xml, as_tsv) in terms {
        let expected = json(&as_json);
        assert_eq!(xml(&as_xml), expected, "{as_xml}");
        as_tsv.iter().for_each(|term| assert_eq!(tsv(term), expected, "{term}"));
    }
    for odd in ["4x", "plain text", "1.e", "\"open", "\"x\"^^foo:bar", "<a> <b>", "\"\\q\""] {
        assert_eq!(tsv(odd).rows, [[Cell::Term(odd.into())]], "what is no term stays as it is");
    }
}

#[test]
fn every_part_of_a_triple_counts() {
    let xml = |subject: &str, object: &str| {
        let text = format!(
            "<sparql><head><variable name='x'/></head><results><result><binding name='x'><triple><subject>{subject}</subject>\
             <predicate><uri>p:1</uri></predicate><object>{object}</object></triple></binding></result></results></sparql>"
        );
        read("application/sparql-results+xml", &text).to_csv()
    };
    let nested = "<triple><subject><bnode>b</bnode></subject><predicate><uri>p:2</uri></predicate><object>\
                  <uri>o:1</uri></object></triple>";
    let base = xml("<uri>s:1</uri>", nested);
    assert_ne!(base, xml("<uri>s:2</uri>", nested));
    assert_ne!(base, xml("<uri>s:1</uri>", &nested.replace("p:2", "p:3")));
    assert_ne!(base, xml("<uri>s:1</uri>", &nested.replace("<bnode>b</bnode>", "<uri>b</uri>")));
    assert_eq!(base, xml("<uri>s:1</uri>", &nested.replace(">b<", ">c<")), "but no label of a blank node");
}

#[test]
fn the_order_of_columns_does_not_count() {
    let one = read("text/tab-separated-values", "?s\t?o\n_:a\t_:b\n_:b\t1\n");
    let other = read("text/tab-separated-values", "?o\t?s\n_:y\t_:x\n1\t_:y\n");
    assert_eq!(one.to_csv(), other.to_csv());
    let swapped = read("text/tab-separated-values", "?s\t?o\n_:b\t_:a\n_:b\t1\n");
    assert_ne!(one.to_csv(), swapped.to_csv());
}

#[test]
fn rows_without_values_count() {
    let csv = read("text/csv", "x\r\na\r\n\r\n\"b\n\nc\"\r\n\r\n");
    assert_eq!(csv.len(), 4);
    let tsv = read("text/tab-separated-values", "?x\n\"a\"\n\n\"b\\n\\nc\"\n\n");
    assert_eq!(tsv.len(), 4);
    assert_eq!(read("text/csv", "x\n").len(), 0);
    let rows = |table: &Table| String::from_utf8(table.to_csv()).unwrap().matches("\n\"\"\n").count();
    assert_eq!((rows(&csv), rows(&tsv)), (2, 2), "nor do they get lost on the way to the judge");
}

#[test]
fn values_are_no_terms() {
    let (values, terms) = (read("text/csv", "x\n4\n"), read("text/tab-separated-values", "?x\n4\n"));
    assert!(values.has_only_values() && !terms.has_only_values());
    assert!(terms.clone().append(values.clone()).is_err() && values.clone().append(values).is_ok());
}

#[test]
fn marks_and_wide_characters_are_read() {
    for (media_type, body) in [
        ("application/sparql-results+json", JSON),
        ("application/sparql-results+xml", XML),
        ("text/tab-separated-values", TSV),
        ("text/csv", "s,o\n1,x\n"),
    ] {
        let wide = |mark: &str| format!("{mark}{body}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let expected = read(media_type, body);
        assert_eq!(read(media_type, &format!("\u{feff}{body}")), expected, "{media_type}");
        assert_eq!(try_read(media_type, &wide("\u{feff}")).unwrap(), expected, "{media_type}");
        if media_type.ends_with("xml") {
            assert_eq!(try_read(media_type, &wide("")).unwrap(), expected);
        }
    }
}

#[test]
fn a_claimed_charset_is_heeded() {
    let latin = try_read("text/csv; charset=iso-8859-1", b"s\ncaf\xe9\n").unwrap();
    assert_eq!(latin, read("text/csv", "s\ncafé\n"));
}

#[test]
fn what_an_answer_in_xml_declares_is_written_out() {
    let with = |declared: &str, literal: &str| {
        let text = format!(
            "<?xml version='1.0'?><!DOCTYPE sparql [{declared}]>\r\n<sparql><head><variable name='x'/></head><results><result>\
             <binding name='x'>{literal}</binding></result></results></sparql>"
        );
        try_read("application/sparql-results+xml", text.as_bytes())
    };
    let plain = with("", "<literal datatype='a:b'>x &amp;\ny</literal>").unwrap();
    let declared = "<!ENTITY e 'x'><!ENTITY t 'a:'><!ATTLIST literal datatype CDATA 'a:b'>";
    assert_eq!(with(declared, "<literal datatype='&t;b'>&e; &#38;\r\ny</literal>").unwrap(), plain);
    assert_eq!(with(declared, "<literal>&e; <![CDATA[&]]>\ry</literal>").unwrap(), plain);
    assert_ne!(with(declared, "<literal>x &amp;&#13;y</literal>").unwrap(), plain);
    for unknown in
        ["<literal>x&f;</literal>", "<literal datatype='&f;'>x</literal>", "<literal xml:lang='&f;'>x</literal>"]
    {
        let refused = with(declared, unknown).unwrap_err().to_string();
        assert!(refused.contains('f'), "{refused}");
    }
    let laughs: String = (1..20).map(|n| format!("<!ENTITY l{n} '&l{m};&l{m};&l{m};&l{m};'>", m = n - 1)).collect();
    assert!(with(&format!("<!ENTITY l0 ''>{laughs}"), "<literal>&l15;</literal>").is_err());
}
