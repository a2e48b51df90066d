//! JSON, tables and plain text.

use crate::content::Content;
use crate::draw::Draw;

/// A JSON string, some of its characters escaped without need.
pub(crate) fn string(text: &str, draw: &mut Draw) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            other if draw.once_in(10) => {
                other.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
            }
            other => out.push(other),
        }
    }
    out + "\""
}

/// The same number in another spelling.
fn number(hundredths: u64, draw: &mut Draw) -> String {
    match draw.below(3) {
        0 => format!("{}.{:02}", hundredths / 100, hundredths % 100),
        1 => format!("{hundredths}e-2"),
        _ => format!("{}.{:02}00", hundredths / 100, hundredths % 100),
    }
}

pub(crate) fn object(members: Vec<(&str, String)>, draw: &mut Draw) -> String {
    let members = members
        .into_iter()
        .map(|(name, value)| format!("{}{}{}:{}{value}", draw.space(), string(name, draw), draw.space(), draw.space()));
    let members = members.collect();
    format!("{{{}}}", draw.shuffled(members).join(","))
}

/// The order of members, white space, escapes and spellings of numbers do not count.
pub(crate) fn json(content: &Content, _: &str, draw: &mut Draw) -> String {
    let items = content.items.iter().map(|item| {
        let members = vec![
            ("id", item.id.to_string()),
            ("name", string(&item.name, draw)),
            ("price", number(item.price, draw)),
            ("note", string(&item.note, draw)),
        ];
        object(members, draw)
    });
    let items = format!("[{}]", items.collect::<Vec<_>>().join(", "));
    let title = string(&content.title, draw);
    object(vec![("title", title), ("items", items)], draw)
}

/// A row, each field in quotes if it must be or if it happens.
fn row(fields: &[String], delimiter: &str, end: &str, draw: &mut Draw) -> String {
    let quoted = fields.iter().map(|field| {
        let must = field.contains(['"', '\n', '\r']) || field.contains(delimiter);
        if must || draw.once_in(3) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.clone() }
    });
    quoted.collect::<Vec<_>>().join(delimiter) + end
}

fn table(content: &Content, delimiter: &str, draw: &mut Draw) -> String {
    let end = draw.pick(&["\n", "\r\n"]);
    let names = ["id", "name", "price", "note", "title"].map(str::to_owned);
    let mut out = row(&names, delimiter, end, draw);
    for item in &content.items {
        let fields = [item.id.to_string(), item.name.clone(), item.price(), item.note.clone(), content.title.clone()];
        out += &row(&fields, delimiter, end, draw);
    }
    if draw.once_in(3) { out.trim_end().to_owned() } else { out }
}

/// Quotes, line ends and the character between fields do not count.
pub(crate) fn csv(content: &Content, _: &str, draw: &mut Draw) -> String {
    let delimiter = draw.pick(&[",", ";"]);
    table(content, delimiter, draw)
}

pub(crate) fn tsv(content: &Content, _: &str, draw: &mut Draw) -> String {
    table(content, "\t", draw)
}

/// Blanks at the ends of lines and how they end do not count.
pub(crate) fn text(content: &Content, _: &str, draw: &mut Draw) -> String {
    let items = content.items.iter().map(|item| format!("{} {} {} {}", item.id, item.name, item.price(), item.note));
    let lines = [content.title.clone()].into_iter().chain(items);
    lines.map(|line| line + draw.pick(&["\n", "\r\n", " \n", "\t \r\n"])).collect()
}

/// Bytes that only look like something: they are all that counts.
pub(crate) fn picture(content: &Content) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    for item in &content.items {
        let said = format!("{}{}{}{}", content.title, item.name, item.price, item.note);
        bytes.extend(said.bytes().map(|byte| byte.wrapping_mul(7)));
    }
    bytes
}
