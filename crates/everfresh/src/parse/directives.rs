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
    /// Reads one `X-Robots-Tag` value. What it addresses to another robot (`otherbot: noindex`) asks nothing of us; `agent`
    /// is how we call ourselves, such as `everfresh/1.0`.
    pub fn from_header(value: &str, agent: &str) -> Directives {
        let product = agent.split(['/', ' ']).next().unwrap_or_default();
        let mut directives = Directives::default();
        let mut is_ours = true;
        for rule in value.split(',') {
            let rule = match rule.split_once(':').map(|(name, rest)| (name.trim(), rest)) {
                Some((robot, rest)) if is_robot(robot) => {
                    is_ours = robot.eq_ignore_ascii_case(product);
                    rest
                }
                _ => rule,
            };
            if is_ours {
                directives = directives.merged(Directives::from_rules(rule));
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

/// Whether what stands before a colon is the name of a robot: some rules have a value, and some values are dates.
fn is_robot(name: &str) -> bool {
    const RULES: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];
    !name.contains(' ') && !RULES.iter().any(|rule| name.eq_ignore_ascii_case(rule))
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
    fn a_rule_with_a_value_is_no_robot() {
        assert_eq!(Directives::from_header("max-snippet:10, none", "everfresh"), BOTH);
        assert_eq!(
            Directives::from_header("unavailable_after: Sun, 25 Jun 2030 15:00:00 PST, none", "everfresh"),
            BOTH
        );
    }

    #[test]
    fn headers_for_other_robots_are_not_ours() {
        assert_eq!(Directives::from_header("noindex, nofollow", "everfresh"), BOTH);
        assert_eq!(Directives::from_header("otherbot: noindex", "everfresh"), NEITHER);
        assert_eq!(Directives::from_header("Everfresh: none", "everfresh"), BOTH);
        assert_eq!(
            Directives::from_header("otherbot: noindex, everfresh: none", "everfresh/0.1 (+http://a.org)"),
            BOTH
        );
        assert_eq!(Directives::from_header("everfresh: all, otherbot: noindex, nofollow", "everfresh"), NEITHER);
        let expiring = Directives::from_header("unavailable_after: 25 Jun 2030 15:00:00 PST", "everfresh");
        assert_eq!(expiring, NEITHER);
        assert_eq!(
            Directives { nofollow: true, noindex: false }.merged(Directives { nofollow: false, noindex: true }),
            BOTH
        );
    }
}
