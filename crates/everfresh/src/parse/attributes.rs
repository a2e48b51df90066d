//! The attributes of a tag that carry links or metadata; all others are not kept.

/// The attributes that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    Href,
    Src,
    Rel,
    Name,
    Content,
    HttpEquiv,
    Type,
    Srcdoc,
    ShadowRootMode,
}

const ATTRIBUTES: usize = 9;

impl Attribute {
    pub(super) fn named(name: &[u8]) -> Option<Attribute> {
        match name {
            b"href" => Some(Attribute::Href),
            b"src" => Some(Attribute::Src),
            b"rel" => Some(Attribute::Rel),
            b"name" => Some(Attribute::Name),
            b"content" => Some(Attribute::Content),
            b"http-equiv" => Some(Attribute::HttpEquiv),
            b"type" => Some(Attribute::Type),
            b"srcdoc" => Some(Attribute::Srcdoc),
            b"shadowrootmode" => Some(Attribute::ShadowRootMode),
            _ => None,
        }
    }
}

/// The attributes of one start tag, in one reused buffer.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    values: Vec<u8>,
    ends: [Option<(usize, usize)>; ATTRIBUTES],
}

impl Attributes {
    /// The value of an attribute; the first one counts if it is there twice. None if it is absent.
    pub(super) fn get(&self, attribute: Attribute) -> Option<&str> {
        let (start, end) = self.ends[attribute as usize]?;
        std::str::from_utf8(&self.values[start..end]).ok().map(str::trim_ascii)
    }

    /// Where the next value begins.
    pub(super) fn end(&self) -> usize {
        self.values.len()
    }

    /// Adds a piece of the value that is being read.
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.values.extend_from_slice(piece);
    }

    /// Ends the value that began there.
    pub(super) fn finish(&mut self, attribute: Attribute, start: usize) {
        self.ends[attribute as usize].get_or_insert((start, self.values.len()));
    }

    pub(super) fn has(&self, attribute: Attribute) -> bool {
        self.ends[attribute as usize].is_some()
    }

    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.ends = [None; ATTRIBUTES];
    }
}
