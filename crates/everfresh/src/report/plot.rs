//! A plot: lines and dots between two axes, each with its name beside it, as SVG written by hand.
//!
//! Names stand beside what they name and not in a legend. Those of lines stand in the right margin, spread so that none
//! covers another; those of dots stand wherever there is room.

use std::fmt::Write;

use super::axis::Axis;
use super::labels::{Patch, beside, spread};
use super::{COLOURS, escape};

const WIDTH: f64 = 920.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;
/// Room for the names of lines.
const NAMES: f64 = 190.0;
const LETTER: f64 = 7.2;
const LINE: f64 = 14.0;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// One line through all points.
    Line,
    /// A dashed line: a bound, not a result.
    Dashed,
    /// A dot for each point.
    Dots,
    /// Line and dots.
    LineAndDots,
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub struct Series {
    /// What they are.
    pub name: String,
    /// Which colour; `None` for a quiet one.
    pub colour: Option<usize>,
    /// How they are drawn.
    pub look: Look,
    /// The points, in the order of the line. Those that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// What the points were smoothed from, drawn faintly.
    pub raw: Vec<(f64, f64)>,
}

/// A value worth a line across the plot.
#[derive(Clone, Debug)]
pub enum Rule {
    /// Of the vertical axis.
    Across(f64, String),
    /// Of the horizontal axis.
    Down(f64, String),
}

/// Everything a plot shows.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub series: Vec<Series>,
    /// Limits.
    pub rules: Vec<Rule>,
}

impl Plot {
    /// The plot's markup.
    pub fn svg(&self) -> String {
        let title = format!("{} by {}", self.y.label, self.x.label);
        let mut out =
            format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n", escape(&title));
        self.draw_axes(&mut out);
        let mut taken = Vec::new();
        self.rules.iter().for_each(|rule| self.draw_rule(&mut out, rule, &mut taken));
        self.draw_lines(&mut out);
        self.draw_dots(&mut out, &mut taken);
        out.push_str("</svg>\n");
        out
    }

    fn right(&self) -> f64 {
        if self.series.iter().any(|series| series.look != Look::Dots) { WIDTH - NAMES } else { WIDTH - 16.0 }
    }

    fn across(&self, value: f64) -> f64 {
        LEFT + self.x.place(value) * (self.right() - LEFT)
    }

    fn down(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.place(value) * (HEIGHT - BOTTOM - TOP)
    }

    fn draw_axes(&self, out: &mut String) {
        let (right, floor) = (self.right(), HEIGHT - BOTTOM);
        for (value, text) in self.y.ticks() {
            let y = self.down(value);
            _ = writeln!(
                out,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                LEFT - 7.0,
                y + 4.0
            );
        }
        for (value, text) in self.x.ticks() {
            let (x, y) = (self.across(value), floor + 17.0);
            _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>");
        }
        let (x_label, y_label) = (escape(&self.x.label), escape(&self.y.label));
        let (middle, below, half) = (f64::midpoint(LEFT, right), HEIGHT - 8.0, f64::midpoint(TOP, floor));
        _ = writeln!(out, "<text x=\"{middle:.1}\" y=\"{below}\" text-anchor=\"middle\">{x_label}</text>");
        _ = writeln!(
            out,
            "<text x=\"14\" y=\"{half:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {half:.1})\">{y_label}</text>"
        );
    }

    fn draw_rule(&self, out: &mut String, rule: &Rule, taken: &mut Vec<Patch>) {
        let (right, floor) = (self.right(), HEIGHT - BOTTOM);
        let (line, x, y, text) = match rule {
            Rule::Across(value, text) => {
                let y = self.down(*value);
                let line = format!("x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"");
                (line, f64::midpoint(LEFT, right) - width_of(text) / 2.0, y - 5.0, text)
            }
            Rule::Down(value, text) => {
                let x = self.across(*value);
                let line = format!("x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{floor}\"");
                let width = width_of(text);
                let left = if x + width + 6.0 < right { x + 6.0 } else { x - width - 6.0 };
                (line, left, floor - 8.0, text)
            }
        };
        let y = if y < TOP + 10.0 { y + 18.0 } else { y };
        taken.push(Patch { left: x, top: y - 11.0, width: width_of(text), height: LINE });
        _ = writeln!(out, "<line class=\"rule\" {line}/><text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(text));
    }

    fn draw_lines(&self, out: &mut String) {
        let lines =
            || self.series.iter().filter(|series| series.look != Look::Dots && !finite(&series.points).is_empty());
        let ends = lines().filter_map(|series| finite(&series.points).last().map(|(_, y)| self.down(*y)));
        let places = spread(&ends.collect::<Vec<_>>(), LINE, TOP + 4.0, HEIGHT - BOTTOM);
        for (series, place) in lines().zip(places) {
            self.draw_line(out, series, place);
        }
    }

    fn draw_line(&self, out: &mut String, series: &Series, place: f64) {
        let (points, name) = (finite(&series.points), escape(&series.name));
        _ = writeln!(out, "<g class=\"series {}\"><title>{name}</title>", class(series));
        if !series.raw.is_empty() {
            _ = writeln!(out, "<path class=\"faint\" d=\"{}\"/>", self.path(&finite(&series.raw)));
        }
        let dashed = if series.look == Look::Dashed { "dashed" } else { "full" };
        _ = writeln!(out, "<path class=\"{dashed}\" d=\"{}\"/>", self.path(&points));
        if series.look == Look::LineAndDots {
            points.iter().for_each(|point| self.draw_dot(out, *point, 3.0));
        }
        if let Some((x, y)) = points.last() {
            let (end, name_at) = (self.across(*x), self.right() + 18.0);
            let from = self.down(*y);
            _ = writeln!(
                out,
                "<path class=\"leader\" d=\"M{end:.1} {from:.1} L{:.1} {place:.1}\"/>\
                 <text x=\"{name_at:.1}\" y=\"{:.1}\">{name}</text>",
                name_at - 4.0,
                place + 4.0
            );
        }
        out.push_str("</g>\n");
    }

    fn path(&self, points: &[(f64, f64)]) -> String {
        let mut out = String::with_capacity(points.len() * 12);
        for (index, (x, y)) in points.iter().enumerate() {
            let letter = if index == 0 { 'M' } else { 'L' };
            _ = write!(out, "{letter}{:.1} {:.1}", self.across(*x), self.down(*y));
        }
        out
    }

    fn draw_dot(&self, out: &mut String, (x, y): (f64, f64), radius: f64) {
        _ = writeln!(out, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\"/>", self.across(x), self.down(y));
    }

    fn draw_dots(&self, out: &mut String, taken: &mut Vec<Patch>) {
        let dotted = || self.series.iter().filter(|series| series.look == Look::Dots);
        let places = |series: &Series| finite(&series.points).into_iter().map(|(x, y)| (self.across(x), self.down(y)));
        taken.extend(dotted().flat_map(places).map(|(x, y)| around(x, y)));
        let area =
            Patch { left: LEFT, top: TOP - 4.0, width: self.right() - LEFT + 10.0, height: HEIGHT - BOTTOM - TOP };
        for series in dotted() {
            let name = escape(&series.name);
            _ = writeln!(out, "<g class=\"series {}\"><title>{name}</title>", class(series));
            for point in finite(&series.points) {
                self.draw_dot(out, point, 5.0);
                let dot = (self.across(point.0), self.down(point.1));
                let patch = beside(dot, width_of(&series.name), LINE, &area, taken);
                taken.push(patch);
                _ = writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\">{name}</text>", patch.left, patch.top + 11.0);
            }
            out.push_str("</g>\n");
        }
    }
}

fn finite(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect()
}

fn class(series: &Series) -> String {
    series.colour.map_or("soft".into(), |colour| format!("s{}", colour % COLOURS))
}

fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

/// What a dot covers.
fn around(x: f64, y: f64) -> Patch {
    Patch { left: x - 5.0, top: y - 5.0, width: 10.0, height: 10.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text_of;

    #[test]
    fn a_plot_is_well_formed_and_names_what_it_shows() {
        let series = |name: &str, look| Series {
            name: name.into(),
            colour: Some(1),
            look,
            points: vec![(0.0, 0.1), (1.0, f64::NAN), (2.0, 0.4)],
            raw: vec![(0.0, 0.2), (2.0, 0.3)],
        };
        let plot = Plot {
            x: Axis::over("cycle", 0.0, 2.0),
            y: Axis::around("share", [0.1, 0.4]),
            series: vec![series("a & b", Look::Line), series("c", Look::Dots), series("d", Look::LineAndDots)],
            rules: vec![Rule::Across(0.4, "limit".into()), Rule::Down(2.0, "limit".into())],
        };
        let svg = plot.svg();
        let text = text_of(&svg);
        assert!(["a ", "limit", "cycle", "share"].iter().all(|part| text.contains(part)), "{text}");
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn an_empty_plot_is_a_plot() {
        let plot = Plot { x: Axis::over("", 0.0, 0.0), y: Axis::around("", []), series: vec![], rules: vec![] };
        text_of(&plot.svg());
    }
}
