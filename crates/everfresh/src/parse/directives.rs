//! What a page asks of robots: `<meta name=robots>` and the `X-Robots-Tag` header say the same things. Both can address one robot
//! by its name; what is said to it holds besides what is said to all.

use crate::fetch::product_name;

/// Wishes of the page's author about indexing and following.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// Links of this page are not to be followed.
    pub nofollow: bool,
    /// The page is not to be indexed.
    pub noindex: bool,
}

/// Rules that have a value; any other name before a colon is that of a robot.
const WITH_VALUE: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

impl Directives {
    /// Reads one `X-Robots-Tag` field as the robot with this product token, such as `everfresh`. What stands behind the name of
    /// a robot is for that one, up to the next name (`otherbot: noindex, nofollow, everfresh: none`); what stands before
    /// all names is for everybody.
    pub fn from_header(value: &str, agent: &str) -> Directives {
        let (mut directives, mut is_for_us) = (Directives::default(), true);
        for part in value.split(',') {
            let (name, rules) = addressed(part);
            if let Some(name) = name {
                is_for_us = product_name(name).eq_ignore_ascii_case(agent);
            }
            if is_for_us {
                directives = directives.merged(Directives::from_rules(rules));
            }
        }
        directives
    }

    /// Reads a list of rules, as in the `content` of `<meta name=robots>`.
    pub(super) fn from_rules(rules: &str) -> Directives {
        let mut directives = Directives::default();
        for rule in rules.split([',', ' ']).map(str::trim) {
            directives.nofollow |= rule.eq_ignore_ascii_case("nofollow") || rule.eq_ignore_ascii_case("none");
            directives.noindex |= rule.eq_ignore_ascii_case("noindex") || rule.eq_ignore_ascii_case("none");
        }
        directives
    }

    /// The stricter of both: what either asks for holds.
    #[must_use]
    pub fn merged(self, other: Directives) -> Directives {
        Directives { nofollow: self.nofollow || other.nofollow, noindex: self.noindex || other.noindex }
    }
}

/// The robot that a part of a field begins to address, if it does, and its rules. A name is one word, so that the time of a
/// date is none.
fn addressed(part: &str) -> (Option<&str>, &str) {
    let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
    match part.split_once(':').map(|(name, rules)| (name.trim(), rules)) {
        Some((name, rules)) if is_name(name) && !WITH_VALUE.iter().any(|rule| name.eq_ignore_ascii_case(rule)) => {
            (Some(name), rules)
        }
        _ => (None, part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEITHER: Directives = Directives { nofollow: false, noindex: false };
    const BOTH: Directives = Directives { nofollow: true, noindex: true };

    #[test]
    fn rules_are_read_in_any_case_and_order() {
        assert_eq!(Directives::from_rules("NoIndex, NOFOLLOW"), BOTH);
        assert_eq!(Directives::from_rules("none"), BOTH);
        assert_eq!(Directives::from_rules("all, max-snippet:10"), NEITHER);
    }

    #[test]
    fn a_field_may_address_several_robots() {
        const NOFOLLOW: Directives = Directives { nofollow: true, noindex: false };
        let read = |value| Directives::from_header(value, "everfresh");
        assert_eq!(read("otherbot: noindex, nofollow, everfresh: nofollow"), NOFOLLOW);
        assert_eq!(read("everfresh: nofollow, otherbot: noindex"), NOFOLLOW);
        assert_eq!(read("nofollow, otherbot: noindex"), NOFOLLOW, "what comes first is for all");
        assert_eq!(read("max-snippet: 5, unavailable_after: Tue, 25 Jun 2030 15:00:00 PST, nofollow"), NOFOLLOW);
        assert_eq!(read("otherbot: unavailable_after: 2030-06-25T15:00:00Z, noindex"), NEITHER);
    }

    #[test]
    fn headers_for_other_robots_are_not_ours() {
        assert_eq!(Directives::from_header("noindex, nofollow", "everfresh"), BOTH);
        assert_eq!(Directives::from_header("otherbot: noindex", "everfresh"), NEITHER);
        assert_eq!(Directives::from_header("Everfresh: none", "everfresh"), BOTH);
        assert_eq!(Directives::from_header("everfresh: all, otherbot: noindex, nofollow", "everfresh"), NEITHER);
        assert_eq!(Directives::from_header("everfresh/0.1: none", "everfresh"), BOTH);
        let expiring = Directives::from_header("unavailable_after: 25 Jun 2030 15:00:00 PST", "everfresh");
        assert_eq!(expiring, NEITHER);
        assert_eq!(
            Directives { nofollow: true, noindex: false }.merged(Directives { nofollow: false, noindex: true }),
            BOTH
        );
    }
}
