//! JSON, tables and XML: the same values in spellings that do not count.

use std::fmt::Write;

use super::{Document, Random, Record, shuffle};

/// White space that means nothing.
fn gap(random: &mut Random) -> &'static str {
    random.pick(&["", " ", "\n", "\n  ", "\t"])
}

/// A text as a JSON string; letters beyond ASCII may be escaped.
pub(super) fn quoted(text: &str, random: &mut Random) -> String {
    let escape = random.chance(0.5);
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            letter if escape && !letter.is_ascii() => _ = write!(out, "\\u{:04x}", u32::from(letter)),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// A number in one of its spellings.
fn number(value: u64, random: &mut Random) -> String {
    match random.below(3) {
        0 => value.to_string(),
        1 => format!("{value}.0"),
        _ => format!("{value}e0"),
    }
}

fn object(record: &Record, random: &mut Random, gap: &'static str) -> String {
    let mut members = [
        format!("\"id\":{gap}{}", number(record.id, random)),
        format!("\"name\":{gap}{}", quoted(&record.name, random)),
        format!("\"count\":{gap}{}", number(record.count, random)),
        format!("\"tags\":{gap}[\"a\",{gap}null,{gap}true]"),
    ];
    shuffle(&mut members, random);
    format!("{{{gap}{}{gap}}}", members.join(&format!(",{gap}")))
}

pub(super) fn json(document: &Document, random: &mut Random) -> String {
    let gap = gap(random);
    let records: Vec<String> = document.records.iter().map(|record| object(record, random, gap)).collect();
    let mut members = [
        format!("\"records\":{gap}[{}]", records.join(&format!(",{gap}"))),
        format!("\"about\": {}", quoted(&document.url, random)),
    ];
    shuffle(&mut members, random);
    format!("{gap}{{{}}}{gap}", members.join(","))
}

pub(super) fn json_lines(document: &Document, random: &mut Random) -> String {
    let gap = random.pick(&["", " ", "\t"]);
    document.records.iter().map(|record| object(record, random, gap) + "\n").collect()
}

pub(super) fn csv(document: &Document, random: &mut Random) -> String {
    let end = random.pick(&["\n", "\r\n"]);
    let always = random.chance(0.5);
    let cell = |text: &str| {
        if always || text.contains(['"', ',']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
    };
    let mut out = format!("id,name,count{end}");
    for Record { id, name, count } in &document.records {
        let _ = write!(out, "{},{},{}{end}", cell(&id.to_string()), cell(name), cell(&count.to_string()));
    }
    out
}

pub(super) fn tsv(document: &Document, random: &mut Random) -> String {
    let end = random.pick(&["\n", "\r\n"]);
    let mut rows: Vec<String> = vec!["id\tname\tcount".into()];
    rows.extend(
        document.records.iter().map(|Record { id, name, count }| format!("{id}\t{}\t{count}", name.replace('"', "'"))),
    );
    // The end of the last line may be missing.
    let last = if random.chance(0.5) { end } else { "" };
    rows.join(end) + last
}

pub(super) fn xml(document: &Document, random: &mut Random) -> String {
    let (prefix, gap) = (random.pick(&["d", "data", "x"]), gap(random));
    let mut out = random.pick(&["", "<?xml version=\"1.0\"?>", "<?xml version='1.0' encoding='UTF-8'?>\n"]).to_owned();
    let _ = write!(out, "<{prefix}:records xmlns:{prefix}=\"http://living.test/ns\">");
    for Record { id, name, count } in &document.records {
        let quote = random.pick(&["\"", "'"]);
        let mut attributes = [format!("id={quote}{id}{quote}"), format!("count={quote}{count}{quote}")];
        shuffle(&mut attributes, random);
        let name = text(name, random);
        let comment = random.pick(&["", "<!-- written by a machine -->"]);
        let empty = if random.chance(0.5) { "/>".to_owned() } else { format!("></{prefix}:seen>") };
        let _ = write!(
            out,
            "{gap}{comment}<{prefix}:record {}>{gap}<{prefix}:name>{name}</{prefix}:name>{gap}<{prefix}:seen{empty}</{prefix}:record>",
            attributes.join(" ")
        );
    }
    out + gap + "</" + prefix + ":records>"
}

/// Text of an element, with references or without.
pub(super) fn text(text: &str, random: &mut Random) -> String {
    let text = text.replace('&', random.pick(&["&amp;", "&#38;"])).replace('<', "&lt;");
    if random.chance(0.5) { text.replace('é', "&#233;").replace('"', "&quot;") } else { text }
}
