//! What a page asks of robots: `<meta name=robots>` and the `X-Robots-Tag` header say the same things.

/// Wishes of the page's author about indexing and following.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// Links of this page are not to be followed.
    pub nofollow: bool,
    /// The page is not to be indexed.
    pub noindex: bool,
}

impl Directives {
    /// Reads one `X-Robots-Tag` value. One addressed to another robot (`otherbot: noindex`) asks nothing of us;
    /// `agent` is our product token, such as `everfresh`.
    pub fn from_header(value: &str, agent: &str) -> Directives {
        match value.split_once(':') {
            // "unavailable_after: date" is a rule with a value, not an address.
            Some((name, rest)) if !name.contains(',') && !name.trim().eq_ignore_ascii_case("unavailable_after") => {
                if name.trim().eq_ignore_ascii_case(agent) {
                    Directives::from_rules(rest)
                } else {
                    Directives::default()
                }
            }
            _ => Directives::from_rules(value),
        }
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
    fn headers_for_other_robots_are_not_ours() {
        assert_eq!(Directives::from_header("noindex, nofollow", "everfresh"), BOTH);
        assert_eq!(Directives::from_header("otherbot: noindex", "everfresh"), NEITHER);
        assert_eq!(Directives::from_header("Everfresh: none", "everfresh"), BOTH);
        let expiring = Directives::from_header("unavailable_after: 25 Jun 2030 15:00:00 PST", "everfresh");
        assert_eq!(expiring, NEITHER);
        assert_eq!(
            Directives { nofollow: true, noindex: false }.merged(Directives { nofollow: false, noindex: true }),
            BOTH
        );
    }
}
