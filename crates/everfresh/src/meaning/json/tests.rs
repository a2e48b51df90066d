//! JSON by example and by law.

use std::fmt::Write;

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::super::{Content, Delta, Format, Limits, Rules, Unreadable, delta, read};

fn ignoring(paths: &[&str]) -> Rules {
    Rules { ignore: paths.iter().map(ToString::to_string).collect(), ..Rules::default() }
}

fn json(text: &str) -> Result<Content<'_>, Unreadable> {
    read(Format::Json, text.as_bytes(), "", &Rules::default(), &Limits::default())
}

fn compared(old: &str, new: &str, rules: &Rules) -> Delta {
    let [old, new] = [old, new].map(|text| read(Format::Json, text.as_bytes(), "", rules, &Limits::default()).unwrap());
    delta(&old, &new)
}

#[test]
fn spelling_does_not_count() {
    let one = json(r#"{"a": 1.0, "b": [100, "\u00e9\n", null], "c": {}}"#).unwrap();
    let other = json("\u{feff}{ \"c\":{},\n\"b\":[1e2,\"é\\n\",null],\"\\u0061\":1 }\n").unwrap();
    assert_eq!(one.digest(), other.digest());
    assert_eq!((one.statements(), one.unit()), (5, "values"));
    for different in [r#"{"a":1,"b":[100,"é\n",null],"c":[]}"#, r#"{"a":1,"b":["é\n",100,null],"c":{}}"#] {
        assert_ne!(one.digest(), json(different).unwrap().digest(), "{different}");
    }
    assert_ne!(json("1").unwrap().digest(), json("\"1\"").unwrap().digest());
    assert_eq!(json(r#"{"a":1,"a":2,"b":0}"#).unwrap().digest(), json(r#"{"b":0,"a":2}"#).unwrap().digest());
}

#[test]
fn differences_are_named_by_their_paths() {
    let found = compared(
        r#"{"a": [0, 1, 2, {"b": 1, "x y": true}], "d": "old", "gone": {"e": [1, 2]}}"#,
        r#"{"a": [0, 1, 2, {"b": 2, "x y": null}], "d": [], "more": 1.5}"#,
        &Rules::default(),
    );
    assert_eq!(
        found.lines,
        [
            "~ $.a[3].b: 1 → 2",
            "~ $.a[3]['x y']: true → null",
            "- $.d: \"old\"",
            "+ $.d: []",
            "- $.gone.e[0]: 1",
            "- $.gone.e[1]: 2",
            "+ $.more: 1.5"
        ]
    );
    assert_eq!((found.added, found.removed, found.changed), (2, 3, 2));
    let found = compared("[1, 1, 2, 3]", "[0, 1, 1, 2, 3]", &Rules::default());
    assert_eq!(found.lines, ["+ $[0]: 0"]);
    assert_eq!(compared("1", "[1]", &Rules::default()).lines, ["- $: 1", "+ $[0]: 1"]);
}

#[test]
fn ignored_paths_do_not_count() {
    let rules = ignoring(&["$.meta.generated", "$..timestamp", "$.rows[*][0]"]);
    let text = |time: u32| {
        format!(
            r#"{{"meta": {{"generated": {{"at": [{time}]}}, "by": "x"}}, "timestamp": {time},
                "list": [{{"timestamp": "{time}", "deep": {{"timestamp": [{time}, {time}]}}}}], "rows": [[{time}, 1]]}}"#
        )
    };
    assert!(compared(&text(1), &text(2), &rules).is_empty());
    assert_eq!(compared(&text(1), &text(1).replace("\"x\"", "\"y\""), &rules).lines, ["~ $.meta.by: \"x\" → \"y\""]);
    assert_eq!(compared(&text(1), &text(2), &Rules::default()).changed, 6);
    assert_eq!(ignoring(&["meta"]).check(), Err(Unreadable::Path("meta".into())));
}

#[test]
fn lines_are_records_in_order() {
    let lines = |text: &'static str, any_order| {
        let rules = Rules { any_order, ..ignoring(&["$.t"]) };
        read(Format::JsonLines, text.as_bytes(), "", &rules, &Limits::default()).unwrap()
    };
    let (old, new) = ("{\"a\":1,\"t\":1}\n{\"a\":2}\n", "{\"t\":2,\"a\":1}\r\n\n{\"a\":2}");
    assert_eq!(lines(old, false).digest(), lines(new, false).digest());
    assert_eq!(delta(&lines(old, false), &lines("{\"a\":1}\n{\"a\":3}", false)).lines, ["~ $[1].a: 2 → 3"]);
    assert_ne!(lines(old, false).digest(), lines("{\"a\":2}\n{\"a\":1}", false).digest());
    let sequence = "\u{1e}{\"a\":1}\n\u{1e}{\"a\":2}\n";
    assert_eq!(lines(old, false).digest(), lines(sequence, false).digest(), "RFC 7464");
    assert_eq!(lines(old, true).digest(), lines("{\"a\":2}\n{\"a\":1}", true).digest());
}

#[test]
fn what_is_no_json_is_said_with_its_place() {
    for wrong in [
        "",
        "{",
        "[1,]",
        "{\"a\" 1}",
        "[1] 2",
        "01",
        "-",
        "1.",
        "1e",
        "\"a\nb\"",
        "\"\\x\"",
        "\"\\u12\"",
        "nul",
        "{1:2}",
    ] {
        assert!(matches!(json(wrong), Err(Unreadable::Malformed { .. })), "{wrong}");
    }
    let problem = json("{\"a\": 1,\n \"b\": tru}").err().unwrap().to_string();
    assert_eq!(problem, "it is no valid JSON: expected a value at byte 15 in line 2");
}

#[test]
fn ten_thousand_levels_are_read_and_compared() {
    let nested = |inner: &str| format!("{}{inner}{}", "{\"a\":[".repeat(5_000), "]}".repeat(5_000));
    let found = compared(&nested("1"), &nested("2"), &Rules::default());
    assert_eq!(found.changed, 1);
    assert!(found.lines[0].ends_with("[0].a[0]: 1 → 2") && found.lines[0].len() < 200, "{found}");
    let refused = json(&"[".repeat(1_000_000)).err();
    assert_eq!(refused, Some(Unreadable::TooLarge { what: "levels of nesting", limit: 20_000 }));
}

/// Any JSON value.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-20i64..20).prop_map(Value::from),
        "[a-c\"\\\\\né😀]{0,3}".prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec(("[a-d]{0,2}", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>()))
        ]
    })
}

/// The same value with keys backwards, other white space and every character escaped.
fn respelled(value: &Value, out: &mut String) {
    let escaped = |text: &str, out: &mut String| {
        out.push('"');
        text.encode_utf16().for_each(|unit| write!(out, "\\u{unit:04X}").unwrap());
        out.push('"');
    };
    match value {
        Value::Number(number) => write!(out, "{number}.0E+0").unwrap(),
        Value::String(text) => escaped(text, out),
        Value::Array(members) => {
            out.push('[');
            for (at, member) in members.iter().enumerate() {
                out.push_str(if at > 0 { " ,\n" } else { "" });
                respelled(member, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (name, member)) in members.iter().rev().enumerate() {
                out.push_str(if at > 0 { " ,\t" } else { "" });
                escaped(name, out);
                out.push_str(" : ");
                respelled(member, out);
            }
            out.push('}');
        }
        other => write!(out, "{other}").unwrap(),
    }
}

proptest! {
    #[test]
    fn digests_are_equal_if_values_are(one in values(), other in values()) {
        let (one_text, other_text, mut again) = (one.to_string(), other.to_string(), String::new());
        respelled(&one, &mut again);
        let digest = json(&one_text).unwrap().digest();
        prop_assert_eq!(digest, json(&again).unwrap().digest());
        prop_assert_eq!(digest == json(&other_text).unwrap().digest(), one == other);
        prop_assert_eq!(compared(&one_text, &other_text, &Rules::default()).is_empty(), one == other);
    }

    #[test]
    fn we_read_what_serde_json_reads(text in "[\\[\\]{}\",:0-9.eE+\\-a \\\\untrfsl]{0,12}") {
        prop_assert_eq!(json(&text).is_ok(), serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok(), "{}", text);
    }

    #[test]
    fn no_bytes_are_a_panic(body in proptest::collection::vec(any::<u8>(), 0..100)) {
        let _ = read(Format::JsonLines, &body, "", &ignoring(&["$..a"]), &Limits::default());
    }
}
