//! The declaration that a browser meets in the head of a page as it builds the tree.
//!
//! The head ends with its end tag, with text, or with a tag that belongs into the body. Templates are set aside, titles,
//! scripts and styles are text, and so is `<noscript>` for who runs scripts. References in values are resolved here, unlike in
//! what is read before anything is known of a page.

use super::{behind, behind_no_tag, tag};
use crate::parse::tokens;
use encoding_rs::Encoding;
use std::borrow::Cow;

/// What the first `<meta>` in the head says that names an encoding.
pub(super) fn declared(content: &[u8]) -> Option<&'static Encoding> {
    let (mut rest, mut templates) = (content, 0_usize);
    loop {
        let is_aside = templates > 0;
        rest = match rest.trim_ascii_start() {
            text @ ([b'<', b'/', letter, ..] | [b'<', letter, ..]) if letter.is_ascii_alphabetic() => {
                let (name, mut attributes) = tag(text)?;
                match name.to_ascii_lowercase().as_slice() {
                    b"meta" if !is_aside => {
                        if let Some(encoding) = super::declared(&mut attributes, resolved)? {
                            return Some(encoding);
                        }
                    }
                    b"template" => templates += 1,
                    b"/template" => templates = templates.saturating_sub(1),
                    b"title" | b"script" | b"style" | b"noscript" | b"noframes" => {
                        rest = behind(attributes.skip()?, name)?;
                        continue;
                    }
                    name if !is_aside && ends_head(name) => return None,
                    _ => {}
                }
                attributes.skip()?
            }
            text @ [b'<', b'!' | b'?' | b'/', ..] => behind_no_tag(text)?,
            [_, text @ ..] if is_aside => &text[text.iter().position(|byte| *byte == b'<')?..],
            _ => return None,
        };
    }
}

/// Whether the body begins with a tag of this name. Those that end what never began do not count.
fn ends_head(name: &[u8]) -> bool {
    match name {
        b"/head" | b"/body" | b"/html" | b"/br" => true,
        b"html" | b"head" | b"meta" | b"base" | b"basefont" | b"bgsound" | b"link" => false,
        _ => !name.starts_with(b"/"),
    }
}

/// A value without references.
fn resolved(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.contains(&b'&') {
        return Cow::Borrowed(value);
    }
    let mut resolved = Vec::with_capacity(value.len());
    tokens::decode(&String::from_utf8_lossy(value), |piece| resolved.extend_from_slice(piece));
    Cow::Owned(resolved)
}
