//! A forest plot: one line a name, each with a dot and the interval in which the truth may lie, around a rule at 0.

use std::fmt::Write;

use super::axis::Axis;
use super::{COLOURS, escape};

const WIDTH: f64 = 920.0;
const LEFT: f64 = 210.0;
const RIGHT: f64 = 780.0;
const TOP: f64 = 10.0;
const LINE: f64 = 22.0;
const BOTTOM: f64 = 44.0;

/// One line of the plot.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it is.
    pub name: String,
    /// Which colour; `None` for a quiet one.
    pub colour: Option<usize>,
    /// Where the dot stands.
    pub value: f64,
    /// From where to where the interval goes.
    pub interval: (f64, f64),
    /// What is said at the end of the line.
    pub note: String,
}

/// The plot's markup; entries are drawn in their order.
pub fn svg(label: &str, entries: &[Entry]) -> String {
    let ends = entries.iter().flat_map(|entry| [entry.interval.0, entry.interval.1]);
    let axis = Axis::around(label, ends.chain([0.0]));
    let (floor, height) = (TOP + LINE * entries.len() as f64, TOP + LINE * entries.len() as f64 + BOTTOM);
    let mut out = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n", escape(label));
    let across = |value: f64| LEFT + axis.place(value) * (RIGHT - LEFT);
    for (value, text) in axis.ticks() {
        let x = across(value);
        // Writing to a string cannot fail.
        _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{floor}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
            floor + 16.0
        );
    }
    let (zero, middle, below) = (across(0.0), f64::midpoint(LEFT, RIGHT), height - 8.0);
    _ = writeln!(out, "<line class=\"rule\" x1=\"{zero:.1}\" x2=\"{zero:.1}\" y1=\"{TOP}\" y2=\"{floor}\"/>");
    _ = writeln!(out, "<text x=\"{middle:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{}</text>", escape(label));
    for (place, entry) in entries.iter().enumerate() {
        draw(&mut out, entry, TOP + LINE * (place as f64 + 0.5), across);
    }
    out + "</svg>\n"
}

fn draw(out: &mut String, entry: &Entry, y: f64, across: impl Fn(f64) -> f64) {
    let (name, note) = (escape(&entry.name), escape(&entry.note));
    let class = entry.colour.map_or("soft".into(), |colour| format!("s{}", colour % COLOURS));
    let (low, high, dot) = (across(entry.interval.0), across(entry.interval.1), across(entry.value));
    _ = writeln!(
        out,
        "<g class=\"series {class}\"><title>{name}: {note}</title>\
         <path d=\"M{low:.1} {y}L{high:.1} {y}M{low:.1} {:.1}L{low:.1} {:.1}M{high:.1} {:.1}L{high:.1} {:.1}\"/>\
         <circle cx=\"{dot:.1}\" cy=\"{y}\" r=\"4\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text></g>\
         <text x=\"{:.1}\" y=\"{:.1}\">{note}</text>",
        y - 4.0,
        y + 4.0,
        y - 4.0,
        y + 4.0,
        LEFT - 12.0,
        y + 4.0,
        RIGHT + 12.0,
        y + 4.0
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text_of;

    #[test]
    fn every_entry_is_named_and_the_markup_well_formed() {
        let entry = |name: &str, value: f64| Entry {
            name: name.into(),
            colour: Some(3),
            value,
            interval: (value - 0.1, value + 0.1),
            note: "p < 0.001".into(),
        };
        let markup = svg("difference", &[entry("a & b", 0.2), entry("c", f64::NAN)]);
        let text = text_of(&markup);
        assert!(["b", "c", "0.001", "difference"].iter().all(|part| text.contains(part)), "{text}");
        assert!(!markup.contains("NaN"));
        text_of(&svg("nothing", &[]));
    }
}
