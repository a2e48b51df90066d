//! What decided about a visit. There is one list of these, for all rooms that decide something; [what each means](../../../docs/schema.md#rules)
//! to who reads them is documented, and a test holds the two against each other.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

macro_rules! rules {
    ($($(#[$doc:meta])+ $rule:ident = $name:literal,)+) => {
        /// Which rule decided about a visit. Their names are stored with every visit, and never change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Rule {
            $($(#[$doc])+ #[serde(rename = $name)] $rule,)+
        }

        impl Rule {
            /// All of them.
            pub const ALL: &[Rule] = &[$(Rule::$rule),+];

            /// The name that is stored.
            pub fn name(self) -> &'static str {
                match self {
                    $(Rule::$rule => $name,)+
                }
            }
        }
    };
}

rules! {
    /// There is no earlier version.
    First = "first",
    /// The server says so (304).
    NotModified = "not-modified",
    /// The bytes are identical, as sent or decoded.
    SameBytes = "same-bytes",
    /// The bytes differ, the text that counts does not.
    SameText = "same-text",
    /// The text differs by no more than the threshold.
    NearText = "near-text",
    /// The text differs.
    TextDiffers = "text-differs",
    /// The bytes differ, what the data says does not.
    SameData = "same-data",
    /// The data says something else.
    DataDiffers = "data-differs",
    /// The bytes as sent differ, decoded they do not.
    SameContent = "same-content",
    /// The bytes differ and there is no text to compare on both sides.
    BytesDiffer = "bytes-differ",
    /// Filters, digest or text extraction are not those of the last visit: nothing can be said, this version is the new base.
    FiltersChanged = "filters-changed",
    /// The version before could not be read, this one can be: nothing can be said, this version is the new base.
    JudgedAnew = "judged-anew",
    /// This version cannot be read, the one before could be: nothing can be said, that one stays the base.
    Unjudged = "unjudged",
    /// It leads elsewhere for now.
    Redirect = "redirect",
    /// It leads elsewhere for good.
    Moved = "moved",
    /// It is no more (404, 410).
    Gone = "gone",
    /// The status says nothing of the page.
    Status = "status",
    /// Redirects that lead back to where they began.
    RedirectLoop = "redirect-loop",
    /// More redirects in a row than are followed.
    RedirectLimit = "redirect-limit",
    /// A redirect that leads to no page.
    BadRedirect = "bad-redirect",
    /// The robots.txt forbids it.
    Robots = "robots",
    /// The robots.txt cannot be had.
    RobotsUnreachable = "robots-unreachable",
    /// The visit failed within everfresh, or killed who made it.
    Crashed = "crashed",
    /// An endpoint does not understand the query.
    BadQuery = "bad-query",
    /// A page for people where data was asked for.
    NoData = "no-data",
    /// An endpoint has more than it gave.
    Truncated = "truncated",
    /// An endpoint gives the same part again.
    Repeats = "repeats",
    /// There is more of a source than is read.
    SourceTooLarge = "source-too-large",
    /// Results that do not follow their format.
    Unreadable = "unreadable",
    /// A part of a source on another host.
    Elsewhere = "elsewhere",
    /// A setting that no exchange can be made with.
    BadSetting = "bad-setting",
    /// A URL that nothing can be fetched from.
    BadUrl = "bad-url",
    /// An address that is not public.
    RefusedAddress = "refused-address",
    /// The name has no address.
    Dns = "dns",
    /// Nobody said in time which address the name has.
    DnsTimeout = "dns-timeout",
    /// The system has no handle left for a connection.
    NoHandle = "no-handle",
    /// No connection.
    Connect = "connect",
    /// No connection in time.
    ConnectTimeout = "connect-timeout",
    /// No connection that can be trusted.
    Tls = "tls",
    /// No answer in time.
    FirstByteTimeout = "first-byte-timeout",
    /// No whole answer in time.
    TotalTimeout = "total-timeout",
    /// There was no room for a large body.
    Crowded = "crowded",
    /// It took long while others waited for its place.
    GaveWay = "gave-way",
    /// The head is larger than allowed.
    HeadersTooLarge = "headers-too-large",
    /// The body is larger than allowed.
    BodyTooLarge = "body-too-large",
    /// No HTTP.
    BadHttp = "bad-http",
    /// The connection ended within the answer.
    Reset = "reset",
    /// The body does not follow its content coding.
    Decode = "decode",
    /// The body is larger than allowed when decoded.
    DecodedTooLarge = "decoded-too-large",
}

/// What is said by a server that stands for others which do not answer, or that cannot answer for now: beside the standard's those of
/// proxies that speak of the server behind them.
const NOBODY_THERE: [RangeInclusive<u16>; 3] = [500..=500, 502..=504, 520..=527];

impl Rule {
    /// The rule of a name; the inverse of [`Rule::name`].
    pub fn from_name(name: &str) -> Option<Rule> {
        Rule::ALL.iter().copied().find(|rule| rule.name() == name)
    }

    /// Whether a visit that failed by this rule, with this status if there was an answer, says that its host does not answer.
    pub fn misses_host(self, status: Option<u16>) -> bool {
        match self {
            Rule::Status => status.is_some_and(|status| NOBODY_THERE.iter().any(|those| those.contains(&status))),
            Rule::Dns | Rule::DnsTimeout | Rule::Connect | Rule::ConnectTimeout | Rule::Tls => true,
            Rule::FirstByteTimeout | Rule::TotalTimeout | Rule::Reset | Rule::RobotsUnreachable => true,
            _ => false,
        }
    }

    /// Whether this rule means that the page changed.
    pub fn is_change(self) -> bool {
        matches!(self, Rule::TextDiffers | Rule::DataDiffers | Rule::BytesDiffer)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The names in the documentation's section on rules: what stands between backticks there, settings and headings aside.
    fn documented() -> BTreeSet<String> {
        let schema = include_str!("../../../docs/schema.md");
        let (_, section) = schema.split_once("\n## Rules\n").expect("a section on rules");
        let section = section.split("\n## ").next().unwrap_or_default();
        let quoted = section.split('`').skip(1).step_by(2);
        quoted.map(str::to_owned).collect()
    }

    #[test]
    fn every_rule_is_documented_and_no_other() {
        let names: BTreeSet<String> = Rule::ALL.iter().map(|rule| rule.name().to_owned()).collect();
        assert_eq!(names.len(), Rule::ALL.len(), "names are given once");
        assert_eq!(names, documented());
    }
}
