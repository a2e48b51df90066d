//! A tree as a picture: SVG that needs nothing but itself.
//!
//! From left to right, a column for each level and a line for each leaf, so that a tree of any depth is read like text: the
//! branch above holds where the condition does, the one below where it does not. A line is the wider the more training rows
//! it carried; leaves have the colour of their class, from red for the first to blue for the last.

use std::fmt::Write;

use super::{Node, Tree};

const COLUMN: f64 = 170.0;
const LINE: f64 = 24.0;
const MARGIN: f64 = 12.0;
/// Room for a leaf's words.
const WORDS: f64 = 190.0;
/// Longer names are cut: a column has room for as many letters.
const LETTERS: usize = 24;

const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#222;dominant-baseline:middle;paint-order:stroke;\
stroke:#fff;stroke-width:3px}path{fill:none;stroke:#9aa4b0}svg{background:#fff}\
@media(prefers-color-scheme:dark){text{fill:#ddd;stroke:#16191d}path{stroke:#5b6672}svg{background:#16191d}}";

/// Where a node stands and how many rows it has.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    x: f64,
    y: f64,
    rows: f64,
}

impl Tree {
    /// The tree as SVG, to be saved as it is or put into a page.
    pub fn picture(&self) -> String {
        let spots = self.spots();
        let width = MARGIN * 2.0 + self.depth() as f64 * COLUMN + WORDS;
        let height = MARGIN * 2.0 + self.leaves() as f64 * LINE;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"decision tree with {} leaves\">\n\
             <style>{STYLE}</style>\n",
            self.leaves()
        );
        // Lines first, so that they run behind the words.
        (0..self.nodes.len()).for_each(|place| self.draw_lines(&mut out, place, &spots));
        (0..self.nodes.len()).for_each(|place| self.draw_words(&mut out, place, &spots));
        out.push_str("</svg>\n");
        out
    }

    /// Leaves one below the other, every other node in the middle of its branches.
    fn spots(&self) -> Vec<Spot> {
        let mut spots = vec![Spot::default(); self.nodes.len()];
        let mut leaf = 0.0;
        for (place, (node, depth)) in self.nodes.iter().zip(self.depths()).enumerate() {
            spots[place].x = MARGIN + depth as f64 * COLUMN;
            if let Node::Leaf(words) = node {
                spots[place].y = MARGIN + (leaf + 0.5) * LINE;
                spots[place].rows = words.weights.iter().sum();
                leaf += 1.0;
            }
        }
        for place in (0..self.nodes.len()).rev() {
            if let Node::Split(split) = &self.nodes[place] {
                let (above, below) = (spots[place + 1], spots[split.right]);
                spots[place].y = f64::midpoint(above.y, below.y);
                spots[place].rows = above.rows + below.rows;
            }
        }
        spots
    }

    fn draw_lines(&self, out: &mut String, place: usize, spots: &[Spot]) {
        let Node::Split(split) = &self.nodes[place] else { return };
        let from = spots[place];
        for to in [spots[place + 1], spots[split.right]] {
            let width = 1.0 + 9.0 * (to.rows / spots[0].rows).sqrt();
            let bend = from.x + COLUMN * 0.75;
            // Writing to a string cannot fail.
            _ = writeln!(
                out,
                "<path d=\"M{:.1} {:.1}C{bend:.1} {:.1} {bend:.1} {:.1} {:.1} {:.1}\" stroke-width=\"{width:.1}\"/>",
                from.x, from.y, from.y, to.y, to.x, to.y
            );
        }
    }

    fn draw_words(&self, out: &mut String, place: usize, spots: &[Spot]) {
        let Spot { x, y, .. } = spots[place];
        _ = match &self.nodes[place] {
            Node::Leaf(leaf) => {
                let hue = 230.0 * leaf.class as f64 / (self.classes.len() - 1).max(1) as f64;
                let (middle, right, words) = (y - 6.0, x + 18.0, escape(&self.said(leaf)));
                writeln!(
                    out,
                    "<rect x=\"{x:.1}\" y=\"{middle:.1}\" width=\"12\" height=\"12\" rx=\"2\" fill=\"hsl({hue:.0} 65% 50%)\"/>\
                     <text x=\"{right:.1}\" y=\"{y:.1}\">{words}</text>"
                )
            }
            Node::Split(split) => {
                let name: String = self.features[split.feature].chars().take(LETTERS - 10).collect();
                let (name, threshold) = (escape(&name), short(split.threshold));
                writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\">{name} ≤ {threshold}</text>")
            }
        };
    }
}

/// A number in few letters.
fn short(number: f64) -> String {
    let plain = number.to_string();
    if plain.len() <= 8 { plain } else { format!("{number:.3e}") }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
