//! A tree as a picture: SVG that needs nothing but itself.
//!
//! From left to right, a column for each level and a line for each leaf, so that a tree of any depth is read like text:
//! the branch above holds where the condition does, the one below where it does not. A line is the wider the more
//! training rows it carried; leaves have the colour of their class, from red for the first to blue for the last.

use std::fmt::Write;

use super::{Node, Tree};

const COLUMN: f64 = 220.0;
const LINE: f64 = 24.0;
const MARGIN: f64 = 12.0;
/// The height of a condition's box.
const BOX: f64 = 18.0;
/// Room for a leaf's words.
const WORDS: f64 = 220.0;
/// About the width of a letter.
const LETTER: f64 = 6.9;
/// How many letters of a feature's name are shown.
const LETTERS: usize = 16;

/// Every rule is for this picture only, for a page may hold others.
const STYLE: &str = ".tree text{font:12px system-ui,sans-serif;fill:#222;dominant-baseline:central}\
.tree path{fill:none;stroke:#9aa4b0}.tree .condition{fill:#eef1f5;stroke:#c5ccd6}\
@media(prefers-color-scheme:dark){.tree text{fill:#ddd}.tree path{stroke:#5b6672}\
.tree .condition{fill:#262c34;stroke:#46505c}svg.tree:root{background:#16191d}}";

/// Where a node stands, how many rows it has, and where what is written there ends.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    x: f64,
    y: f64,
    rows: f64,
    end: f64,
}

impl Tree {
    /// The tree as SVG, to be saved as it is or put into a page.
    pub fn picture(&self) -> String {
        let spots = self.spots();
        let width = MARGIN * 2.0 + self.depth() as f64 * COLUMN + WORDS;
        let height = MARGIN * 2.0 + (self.leaves() + 1) as f64 * LINE;
        let mut out = format!(
            "<svg class=\"tree\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"decision tree with {} leaves\">\n\
             <style>{STYLE}</style>\n<text x=\"{MARGIN}\" y=\"{MARGIN}\">above: yes, below: no</text>\n",
            self.leaves()
        );
        // Lines first, so that they run behind the boxes.
        (0..self.nodes.len()).for_each(|place| self.draw_lines(&mut out, place, &spots));
        (0..self.nodes.len()).for_each(|place| self.draw_words(&mut out, place, &spots));
        out.push_str("</svg>\n");
        out
    }

    /// Leaves one below the other, every other node in the middle of its branches.
    fn spots(&self) -> Vec<Spot> {
        let mut spots = vec![Spot::default(); self.nodes.len()];
        let mut line = 1.5;
        for (place, (node, depth)) in self.nodes.iter().zip(self.depths()).enumerate() {
            spots[place].x = MARGIN + depth as f64 * COLUMN;
            spots[place].end = spots[place].x + LETTER * self.words(place).chars().count() as f64 + 12.0;
            if let Node::Leaf(leaf) = node {
                spots[place].y = MARGIN + line * LINE;
                spots[place].rows = leaf.weights.iter().sum();
                line += 1.0;
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

    /// What is written at a node.
    fn words(&self, place: usize) -> String {
        match &self.nodes[place] {
            Node::Leaf(leaf) => self.said(leaf),
            Node::Split(split) => {
                let name: String = self.features[split.feature].chars().take(LETTERS).collect();
                format!("{name} ≤ {}", short(split.threshold))
            }
        }
    }

    fn draw_lines(&self, out: &mut String, place: usize, spots: &[Spot]) {
        let Node::Split(split) = &self.nodes[place] else { return };
        let Spot { y, end, .. } = spots[place];
        for to in [spots[place + 1], spots[split.right]] {
            let width = 1.0 + 9.0 * (to.rows / spots[0].rows).sqrt();
            let bend = f64::midpoint(end, to.x);
            // Writing to a string cannot fail.
            _ = writeln!(
                out,
                "<path d=\"M{end:.1} {y:.1}C{bend:.1} {y:.1} {bend:.1} {:.1} {:.1} {:.1}\" stroke-width=\"{width:.1}\"/>",
                to.y, to.x, to.y
            );
        }
    }

    fn draw_words(&self, out: &mut String, place: usize, spots: &[Spot]) {
        let Spot { x, y, end, .. } = spots[place];
        let words = escape(&self.words(place));
        _ = match &self.nodes[place] {
            Node::Leaf(leaf) => {
                let hue = 230.0 * leaf.class as f64 / (self.classes.len() - 1).max(1) as f64;
                let (top, right) = (y - 6.0, x + 18.0);
                writeln!(
                    out,
                    "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"12\" height=\"12\" rx=\"2\" fill=\"hsl({hue:.0} 65% 50%)\"/>\n\
                     <text x=\"{right:.1}\" y=\"{y:.1}\">{words}</text>"
                )
            }
            Node::Split(_) => {
                let (top, width, right) = (y - BOX / 2.0, end - x, x + 6.0);
                writeln!(
                    out,
                    "<rect class=\"condition\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{BOX}\" rx=\"4\"/>\n\
                     <text x=\"{right:.1}\" y=\"{y:.1}\">{words}</text>"
                )
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
