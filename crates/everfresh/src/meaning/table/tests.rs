//! Tables by example and by law.

use proptest::prelude::*;

use super::super::{Content, Delta, Format, Limits, Rules, Unreadable, delta, read};

fn rules(key: &[&str], any_order: bool) -> Rules {
    Rules { key: key.iter().map(ToString::to_string).collect(), any_order, ..Rules::default() }
}

fn content<'a>(text: &'a str, rules: &Rules) -> Content<'a> {
    read(Format::Csv, text.as_bytes(), "", rules, &Limits::default()).unwrap()
}

fn compared(old: &str, new: &str, rules: &Rules) -> Delta {
    delta(&content(old, rules), &content(new, rules))
}

#[test]
fn quotes_and_line_ends_do_not_count() {
    let plain = content("id,name\n1,a\n2,\"b,\"\"c\"\n", &Rules::default());
    let quoted = content("\u{feff}\"id\",\"name\"\r\n\"1\",\"a\"\r\n\r\n2,\"b,\"\"c\"", &Rules::default());
    assert_eq!(plain.digest(), quoted.digest());
    assert_eq!((plain.statements(), plain.unit()), (3, "rows"));
    assert_ne!(plain.digest(), content("id,name\n1,a\n2,\"b\",\"c\"\n", &Rules::default()).digest());
    let semicolons = content("id;name\n1;a\n2;\"b,\"\"c\"\n", &Rules::default());
    assert_eq!(plain.digest(), semicolons.digest());
}

#[test]
fn a_header_alone_is_something() {
    let rules = rules(&["id"], false);
    let found = compared("id;name\n", "", &rules);
    assert_eq!(found.lines, ["~ header: id, name → nothing"]);
    assert!(compared("id;name\n", "id,name\n", &rules).is_empty());
}

#[test]
fn the_order_counts_unless_a_rule_says_otherwise() {
    let (old, new) = ("id,v\n1,a\n2,b\n", "id,v\n2,b\n1,a\n");
    assert_ne!(content(old, &Rules::default()).digest(), content(new, &Rules::default()).digest());
    for rules in [rules(&[], true), rules(&["id"], false)] {
        assert_eq!(content(old, &rules).digest(), content(new, &rules).digest());
        assert!(compared(old, new, &rules).is_empty());
    }
}

#[test]
fn a_changed_row_is_named_by_its_key_and_column() {
    let (old, new) = ("id,name,price\n7,pen,3\n8,ink,5\n9,cap,1\n", "id,name,price\n9,cap,1\n7,pen,4\n10,nib,2\n");
    let found = compared(old, new, &rules(&["id"], false));
    assert_eq!(
        found.to_string(),
        "rows: 1 added, 1 removed, 1 changed\n~ row id=7: price 3 → 4\n- row id=8: 8, ink, 5\n+ row id=10: 10, nib, 2"
    );
    let found = compared(old, &old.replace("8,ink,5", "8,ink,6"), &Rules::default());
    assert_eq!(found.to_string(), "rows: 0 added, 0 removed, 1 changed\n~ row 3: price 5 → 6");
    let found = compared(old, &format!("{old}7,pen,3\n"), &rules(&[], true));
    assert_eq!(found.to_string(), "rows: 1 added, 0 removed\n+ row 5: 7, pen, 3");
}

#[test]
fn a_hundred_thousand_rows_change() {
    let table = |value: usize| (0..100_000).map(|row| format!("{row},{value}\n")).collect::<String>();
    for rules in [Rules::default(), rules(&["0"], false)] {
        let found = compared(&table(1), &table(2), &rules);
        assert_eq!((found.added, found.removed, found.changed), (0, 0, 100_000));
    }
}

#[test]
fn a_key_that_is_not_there_is_said() {
    let wrong = read(Format::Csv, b"a,b\n1,2\n", "", &rules(&["id"], false), &Limits::default()).err();
    assert_eq!(wrong, Some(Unreadable::KeyColumn("id".into())));
}

#[test]
fn a_table_that_ends_within_quotes_breaks_off() {
    let refused = |body: &str| {
        [Format::Csv, Format::Tsv].map(|format| {
            read(format, body.as_bytes(), "", &Rules::default(), &Limits::default()).err().map(|why| why.to_string())
        })
    };
    for broken in ["\"", "id\n\"1", "id\n\"1\n", "id\n\"1\"\"", "id\n\"1\"\"\n2\n", "id\n1\n\"2\n3\r\n"] {
        let [csv, tsv] = refused(broken);
        assert_eq!(csv.as_deref(), Some("it is no valid CSV: it breaks off within quotes"), "{broken:?}");
        assert_eq!(tsv.as_deref(), Some("it is no valid TSV: it breaks off within quotes"), "{broken:?}");
    }
    for whole in
        ["", "\n", "\"\"", "\"1\"", "\"1\"\n", "\"1\"\r", "\"1\"\"\"", "\"1\"2", "1\"", "1,\"2\"\n\n", "\"1\n\"\"2\""]
    {
        assert_eq!(refused(whole), [None, None], "{whole:?}");
    }
}

#[test]
fn bytes_that_are_no_text_are_no_table() {
    for binary in
        [b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x4c\xd1".as_slice(), b"PK\x03\x04\x14\0\0\0\x08\0", b"a,b\n\0\0\0\0"]
    {
        for format in [Format::Csv, Format::Tsv] {
            let refused = read(format, binary, "", &Rules::default(), &Limits::default()).err();
            assert!(matches!(refused, Some(Unreadable::Malformed { .. })), "{binary:?}: {refused:?}");
        }
    }
    for text in [b"\xff\xfea\0,\0b\0\n\0".as_slice(), b"caf\xe9,a stray \x1a in a table that is long enough\n"] {
        assert!(read(Format::Csv, text, "", &Rules::default(), &Limits::default()).is_ok(), "{text:?}");
    }
}

#[test]
fn a_huge_field_is_refused() {
    let mut body = b"id,text\n1,\"".to_vec();
    body.resize(100 << 20, b'x');
    let refused = read(Format::Csv, &body, "", &Rules::default(), &Limits::default()).err();
    assert_eq!(refused, Some(Unreadable::TooLarge { what: "bytes in a field", limit: 16 << 20 }));
    let wide = "1,".repeat(1 << 20);
    assert_eq!(content(&wide, &Rules::default()).statements(), 1);
}

proptest! {
    #[test]
    fn any_bytes_are_a_table_or_refused(body in proptest::collection::vec(any::<u8>(), 0..200), any_order: bool) {
        let empty = read(Format::Csv, b"", "", &rules(&[], any_order), &Limits::default()).unwrap();
        if let Ok(content) = read(Format::Csv, &body, "", &rules(&[], any_order), &Limits::default()) {
            prop_assert_eq!(delta(&empty, &content).added, content.statements());
        }
    }

    #[test]
    fn shuffled_rows_are_the_same_table_and_one_more_is_one(
        (old, new) in proptest::collection::vec("[ab]{0,2},[c\" ]{0,2}x", 1..12)
            .prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        more in "[ab]{1,2},[c]{0,2}x",
    ) {
        let rules = rules(&[], true);
        let text = |rows: &[String]| rows.iter().map(|row| row.replace('"', "") + "\n").collect::<String>();
        let (old, new) = (text(&old), text(&new));
        prop_assert_eq!(content(&old, &rules).digest(), content(&new, &rules).digest());
        let found = compared(&old, &format!("{new}{more}\n"), &rules);
        prop_assert_eq!((found.added, found.removed, found.changed), (1, 0, 0));
    }
}

#[test]
fn columns_that_a_path_leads_to_do_not_count() {
    let (old, new) = ("id,seen,v\n1,8:00,a\n2,8:01,b\n", "id,seen,v\n1,9:30,a\n2,9:31,c\n");
    for (path, key) in [("$..seen", &["id"][..]), ("$.seen", &["id"]), ("$['seen']", &[]), ("$..seen", &[])] {
        let rules = Rules { ignore: vec![path.into()], ..rules(key, false) };
        assert_eq!(content(old, &rules).digest(), content(&old.replace(":0", ":5"), &rules).digest(), "{path}");
        let lines = compared(old, new, &rules).lines;
        assert_eq!(lines, [if key.is_empty() { "~ row 3: v b → c" } else { "~ row id=2: v b → c" }], "{path}");
    }
    let none = Rules { ignore: vec!["$.a.seen".into(), "$[1]".into()], ..Rules::default() };
    assert_eq!(compared(old, new, &none).changed, 2);
}

#[test]
fn rules_that_do_not_act_on_a_format_are_none_of_it() {
    let rules = Rules { ignore: vec!["$.a".into()], key: vec!["id".into()], any_order: true };
    assert_eq!(rules.of(Format::Csv), rules);
    assert_eq!(rules.of(Format::Json), Rules { key: Vec::new(), ..rules.clone() });
    assert_eq!(rules.of(Format::Xml), Rules { any_order: true, ..Rules::default() });
    assert_eq!(rules.of(Format::JsonLd), Rules::default());
}
