//! What reading a document has used up of its limits.

use super::{Limits, Unreadable};

/// The largest document, so that places in it fit 32 bits.
const MAX_BYTES: usize = 1 << 30;

/// Limits, and what was used of them so far.
pub(super) struct Budget {
    limits: Limits,
    statements: usize,
    steps: u64,
}

impl Budget {
    /// Begins to read a document of this many bytes.
    pub(super) fn new(limits: &Limits, bytes: usize) -> Result<Budget, Unreadable> {
        let budget = Budget::of(limits);
        budget.bytes(bytes)?;
        Ok(budget)
    }

    /// Nothing used yet.
    pub(super) fn of(limits: &Limits) -> Budget {
        Budget { limits: Limits { bytes: limits.bytes.min(MAX_BYTES), ..*limits }, statements: 0, steps: 0 }
    }

    /// The limits themselves.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether some work was refused for want of steps.
    pub(super) fn is_spent(&self) -> bool {
        self.steps > self.limits.steps
    }

    /// One statement more.
    pub(super) fn statement(&mut self) -> Result<(), Unreadable> {
        self.statements += 1;
        if self.statements > self.limits.statements {
            return Err(Unreadable::TooLarge { what: "statements", limit: self.limits.statements });
        }
        self.step()
    }

    /// One step of work more.
    pub(super) fn step(&mut self) -> Result<(), Unreadable> {
        self.steps(1)
    }

    /// Work that is worth so many steps.
    pub(super) fn steps(&mut self, steps: usize) -> Result<(), Unreadable> {
        self.steps = self.steps.saturating_add(steps as u64);
        if self.is_spent() { Err(Unreadable::Steps(self.limits.steps)) } else { Ok(()) }
    }

    /// Text of this many bytes, as sent or as written out.
    pub(super) fn bytes(&self, bytes: usize) -> Result<(), Unreadable> {
        let limit = self.limits.bytes;
        if bytes > limit { Err(Unreadable::TooLarge { what: "bytes", limit }) } else { Ok(()) }
    }

    /// Nesting of this many levels.
    pub(super) fn depth(&self, depth: usize) -> Result<(), Unreadable> {
        let limit = self.limits.depth;
        if depth > limit { Err(Unreadable::TooLarge { what: "levels of nesting", limit }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meaning::{Format, Rules, read};

    #[test]
    fn every_limit_ends_the_work() {
        let limits = Limits { bytes: 10, statements: 2, depth: 3, steps: 10, ..Limits::default() };
        assert!(Budget::new(&limits, 11).is_err());
        let mut budget = Budget::new(&limits, 10).unwrap();
        assert!(budget.depth(3).is_ok() && budget.depth(4).is_err());
        assert!(budget.statement().is_ok() && budget.statement().is_ok() && budget.statement().is_err());
        assert!(budget.steps(7).is_ok() && !budget.is_spent());
        assert_eq!((budget.steps(2), budget.is_spent()), (Err(Unreadable::Steps(10)), true));
    }

    /// What a document comes to under a limit of steps.
    fn is_read(format: Format, text: &str, steps: u64) -> Result<(), bool> {
        let (body, limits) = (bytes::Bytes::from(text.to_owned()), Limits { steps, ..Limits::default() });
        let read = read(format, &body, "http://a.org/", &Rules::default(), &limits);
        read.map(|_| ()).map_err(|unreadable| unreadable.is_limit())
    }

    const RDF: &str = "xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'";

    #[test]
    fn what_is_declared_or_literal_is_counted_as_it_is_read() {
        let typed = "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>".to_owned();
        let literal =
            format!("<r:RDF {RDF} xmlns:e='http://e/'><e:a><e:b r:parseType='Literal'><c/></e:b></e:a></r:RDF>");
        for (format, text) in [(Format::Xml, typed), (Format::RdfXml, literal)] {
            assert_eq!(is_read(format, &text, 2_000), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_is_out_of_proportion_ends_early() {
        let (spaces, long) = (" ".repeat(150_000), "n".repeat(60_000));
        let elements = "<b/>".repeat(1_000);
        let words = format!(
            "<!DOCTYPE a [<!ATTLIST b w NMTOKENS '{spaces}'><!ENTITY t '{elements}'><!ENTITY u '{}'>]><a>&u;</a>",
            "&t;".repeat(60)
        );
        let children = "<c/>".repeat(12_000);
        let literal = format!(
            "<r:RDF {RDF} xmlns:e='http://{long}/'><e:a><e:b r:parseType='Literal'>{children}</e:b></e:a></r:RDF>"
        );
        let flat = format!("<r:RDF {RDF} xmlns:e='http://{long}/'>{}</r:RDF>", "<e:a/>".repeat(12_000));
        for (format, text) in [(Format::Xml, words), (Format::RdfXml, literal), (Format::RdfXml, flat)] {
            assert_eq!(is_read(format, &text, 200_000), Err(true), "{}", &text[..60]);
        }
    }
}
