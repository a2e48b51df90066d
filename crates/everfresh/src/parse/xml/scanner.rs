//! Reads on in what comes before the root element, declaration by declaration. What has no end goes on to the end of the text.

/// A text of declarations, as far as it is not read.
pub(crate) struct Scanner<'t> {
    pub(crate) rest: &'t str,
}

impl<'t> Scanner<'t> {
    pub(crate) fn space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    /// Whether this comes next; then it is read.
    pub(crate) fn take(&mut self, mark: &str) -> bool {
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads on behind a mark, or to the end.
    pub(crate) fn behind(&mut self, mark: &str) {
        self.rest = self.rest.find(mark).map_or("", |at| &self.rest[at + mark.len()..]);
    }

    /// Whether a comment or a processing instruction comes next; then it is read.
    pub(crate) fn remark(&mut self) -> bool {
        let end = match self.rest {
            _ if self.take("<!--") => "-->",
            _ if self.take("<?") => "?>",
            _ => return false,
        };
        self.behind(end);
        true
    }

    /// A name; empty if there is none.
    pub(crate) fn name(&mut self) -> &'t str {
        let ends = |c: char| c.is_ascii_whitespace() || "<>[]()%;,|\"'&#/=".contains(c);
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        name
    }

    /// A text in quotes of either kind.
    pub(crate) fn quoted(&mut self) -> Option<&'t str> {
        let quote = self.rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, rest) = self.rest[1..].split_once(quote)?;
        self.rest = rest;
        Some(value)
    }

    /// Reads up to one of these characters that is not in quotes, or to the end.
    pub(crate) fn until_any(&mut self, marks: &[char]) {
        loop {
            let end = self.rest.find(|c| marks.contains(&c) || matches!(c, '"' | '\'')).unwrap_or(self.rest.len());
            self.rest = &self.rest[end..];
            if self.rest.starts_with(['"', '\'']) {
                if self.quoted().is_none() {
                    self.rest = "";
                }
            } else {
                return;
            }
        }
    }

    pub(crate) fn declaration_end(&mut self) {
        self.until_any(&['>']);
        self.take(">");
    }
}
