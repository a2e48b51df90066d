//! The text that a page shows, told from its elements.
//!
//! What is inside a `template` is not part of the page until a script copies it, unless it is a shadow root, which a browser
//! shows at once; so does it the document that an `iframe` has in its `srcdoc`. Layout counts in preformatted elements alone.

use super::attributes::{Attribute, Attributes};
use super::text::Collapsed;
use super::tokens::{self, Events};

/// The text of a page, as far as it was read.
pub(super) struct Text {
    collapsed: Collapsed,
    open: Open,
}

/// The elements that are open and say how their text is to be read.
#[derive(Clone, Copy, Default)]
struct Open {
    templates: u32,
    /// The number of the outermost template that is not shown; 0 if there is none.
    hidden: u32,
    preformatted: u32,
}

impl Text {
    pub(super) fn new(html_bytes: usize) -> Text {
        // Half of a page is text at most pages; growing once is cheaper than holding the whole page twice.
        Text { collapsed: Collapsed::with_capacity(html_bytes / 2), open: Open::default() }
    }

    /// Whether what comes next is not shown.
    pub(super) fn is_hidden(&self) -> bool {
        self.open.hidden > 0
    }

    pub(super) fn start(&mut self, element: &[u8], attributes: &Attributes) {
        self.begin(element, attributes);
        if element == b"iframe" && !self.is_hidden() {
            attributes.get(Attribute::Srcdoc).into_iter().for_each(|markup| self.inner_document(markup));
        }
    }

    fn begin(&mut self, element: &[u8], attributes: &Attributes) {
        if is_inline(element) {
            return;
        }
        self.collapsed.separate();
        if element == b"template" {
            self.open.templates = self.open.templates.saturating_add(1);
            if !self.is_hidden() && !is_shadow_root(attributes) {
                self.open.hidden = self.open.templates;
            }
        } else if is_preformatted(element) && !self.is_hidden() {
            if self.open.preformatted == 0 {
                self.collapsed.begin_kept();
            }
            self.open.preformatted = self.open.preformatted.saturating_add(1);
        }
    }

    pub(super) fn end(&mut self, element: &[u8]) {
        if is_inline(element) {
            return;
        }
        self.collapsed.separate();
        if element == b"template" {
            if self.open.hidden == self.open.templates {
                self.open.hidden = 0;
            }
            self.open.templates = self.open.templates.saturating_sub(1);
        } else if is_preformatted(element) && !self.is_hidden() && self.open.preformatted > 0 {
            self.open.preformatted -= 1;
            if self.open.preformatted == 0 {
                self.collapsed.end_kept();
            }
        }
    }

    pub(super) fn push(&mut self, piece: &[u8]) {
        match self.open {
            Open { hidden: 0, preformatted: 0, .. } => self.collapsed.push(piece),
            Open { hidden: 0, .. } => self.collapsed.push_kept(piece),
            _ => {}
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.leave();
        self.collapsed.finish()
    }

    /// Ends all that is open; what that was.
    fn leave(&mut self) -> Open {
        if self.open.preformatted > 0 {
            self.collapsed.end_kept();
        }
        std::mem::take(&mut self.open)
    }

    /// A document within the page, with no other in it.
    fn inner_document(&mut self, markup: &str) {
        struct Inner<'a>(&'a mut Text);
        impl Events for Inner<'_> {
            fn start(&mut self, element: &[u8], attributes: &Attributes) {
                self.0.begin(element, attributes);
            }
            fn end(&mut self, element: &[u8]) {
                self.0.end(element);
            }
            fn text(&mut self, piece: &[u8]) {
                self.0.push(piece);
            }
        }
        let around = self.leave();
        tokens::read(markup, &mut Inner(self));
        self.leave();
        self.collapsed.separate();
        self.open = around;
        if around.preformatted > 0 {
            self.collapsed.begin_kept();
        }
    }
}

fn is_shadow_root(attributes: &Attributes) -> bool {
    let mode = attributes.get(Attribute::ShadowRootMode);
    mode.is_some_and(|mode| mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed"))
}

/// Elements whose layout counts.
pub(super) fn is_preformatted(element: &[u8]) -> bool {
    matches!(element, b"pre" | b"textarea" | b"listing" | b"xmp" | b"plaintext")
}

/// Elements within a line: `<b>H</b>ello` is one word. Every other element separates words.
pub(super) fn is_inline(element: &[u8]) -> bool {
    matches!(element, b"a" | b"b" | b"i" | b"q" | b"s" | b"u")
        || matches!(element, b"em" | b"tt" | b"abbr" | b"acronym" | b"bdi" | b"bdo" | b"big" | b"cite" | b"code")
        || matches!(element, b"data" | b"del" | b"dfn" | b"font" | b"ins" | b"kbd" | b"label" | b"mark" | b"nobr")
        || matches!(element, b"ruby" | b"samp" | b"small" | b"span" | b"strike" | b"strong" | b"sub" | b"sup")
        || matches!(element, b"time" | b"var" | b"wbr")
}
