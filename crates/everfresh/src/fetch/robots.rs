//! What a host's robots.txt allows us (RFC 9309).
//!
//! Ours rather than a crate's: robotxt, the best at hand, compares `%2A` and `%24` in a rule as they stand, where the RFC
//! has them mean the characters `*` and `$`, and does not see through a version in a User-agent line.

use std::cmp::Reverse;

use revisit::Span;
use serde::{Deserialize, Serialize};
use url::{Position, Url};

use super::pattern::{self, Pattern};

/// How much of a file is read; the RFC asks for at least this.
const MAX_BYTES: usize = 500 * 1024;
const MAX_SITEMAPS: usize = 100;
/// Bytes of a path that its patterns with `*` may look at together: a few milliseconds' work. A page for which that does not
/// suffice to tell whether it is allowed is taken as forbidden.
const MAX_STEPS: usize = 2 << 20;
/// To look for a word costs as much as this many bytes, wherever it is found.
const STEPS_TO_A_WORD: usize = 64;
/// What an allocation costs besides what is put into it.
const ALLOCATION_BYTES: usize = 16;

/// The rules of one host for one crawler, without what applies to others.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Robots {
    /// The rule that wins comes first.
    rules: Box<[Rule]>,
    crawl_delay: Option<Span>,
    sitemaps: Box<[Url]>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
struct Rule {
    pattern: Pattern,
    allow: bool,
}

impl Robots {
    /// Reads the answer to a request for robots.txt: its rules if it was found, freedom if there is none (4xx, or a
    /// redirect that was followed as far as anyone should), and nothing allowed if the server failed.
    ///
    /// `agent` is our User-Agent; its first word without the version is the name we look for.
    pub fn from_response(status: u16, body: &[u8], agent: &str) -> Robots {
        match status {
            200..300 => Robots::parse(body, agent),
            300..500 => Robots { rules: Box::new([]), crawl_delay: None, sitemaps: Box::new([]) },
            _ => Robots::unreachable(),
        }
    }

    /// The rules of a host that did not answer: nothing is allowed for now.
    pub fn unreachable() -> Robots {
        Robots::parse(b"User-agent: *\nDisallow: /", "")
    }

    /// Whether the page may be fetched. The longest rule that matches decides, and between equals the one that allows.
    pub fn allows(&self, url: &Url) -> bool {
        if url.path() == "/robots.txt" {
            return true;
        }
        let path = pattern::decoded(url[Position::BeforePath..Position::AfterQuery].as_bytes());
        let mut steps = MAX_STEPS;
        for rule in &self.rules {
            if rule.pattern.is_wild() {
                let takes = path.len() + rule.pattern.words() * STEPS_TO_A_WORD;
                let Some(left) = steps.checked_sub(takes) else { return false };
                steps = left;
            }
            if rule.pattern.matches(&path) {
                return rule.allow;
            }
        }
        true
    }

    /// How long the host asks us to wait between two requests, as it stands in the file.
    pub fn crawl_delay(&self) -> Option<Span> {
        self.crawl_delay
    }

    /// The sitemaps the host names, at most a hundred.
    pub fn sitemaps(&self) -> &[Url] {
        &self.sitemaps
    }

    /// Takes the sitemaps out: who has seen them needs only the rules.
    pub fn take_sitemaps(&mut self) -> Vec<Url> {
        std::mem::take(&mut self.sitemaps).into_vec()
    }

    /// What the rules take in memory, about.
    pub fn bytes(&self) -> usize {
        self.rules.iter().map(|rule| size_of::<Rule>() + ALLOCATION_BYTES + rule.pattern.bytes()).sum()
    }

    fn parse(body: &[u8], agent: &str) -> Robots {
        let mut groups = Groups::new(product(agent.as_bytes()));
        whole_lines(body).split(|&byte| byte == b'\n' || byte == b'\r').filter_map(record).for_each(|(name, value)| {
            groups.take(name, value);
        });
        groups.finish()
    }
}

/// What has been read so far: the rules for us by name, and those for everybody in case no group has our name.
struct Groups<'a> {
    agent: &'a [u8],
    ours: Group,
    everybodys: Group,
    sitemaps: Vec<Url>,
    is_named: bool,
    applies_to_us: bool,
    applies_to_all: bool,
    last_was_agent: bool,
}

#[derive(Default)]
struct Group {
    rules: Vec<Rule>,
    crawl_delay: Option<Span>,
}

impl<'a> Groups<'a> {
    fn new(agent: &'a [u8]) -> Groups<'a> {
        Groups {
            agent,
            ours: Group::default(),
            everybodys: Group::default(),
            sitemaps: Vec::new(),
            is_named: false,
            applies_to_us: false,
            applies_to_all: false,
            last_was_agent: false,
        }
    }

    /// Only Allow and Disallow end the list of agents a group is for: the RFC has other records not interfere.
    fn take(&mut self, name: &[u8], value: &[u8]) {
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
        if is("user-agent") {
            self.start(value);
        } else if is("allow") || is("disallow") {
            self.last_was_agent = false;
            if let Some(pattern) = Pattern::parse(value) {
                let rule = Rule { pattern, allow: is("allow") };
                self.for_each(|group| group.rules.push(rule.clone()));
            }
        } else if is("crawl-delay") {
            if let Some(delay) = delay(value) {
                self.for_each(|group| group.crawl_delay = group.crawl_delay.max(Some(delay)));
            }
        } else if is("sitemap")
            && self.sitemaps.len() < MAX_SITEMAPS
            && let Some(sitemap) = sitemap(value)
        {
            self.sitemaps.push(sitemap);
        }
    }

    fn start(&mut self, agent: &[u8]) {
        if !self.last_was_agent {
            self.applies_to_us = false;
            self.applies_to_all = false;
        }
        self.last_was_agent = true;
        self.applies_to_all |= product(agent) == b"*";
        self.applies_to_us |= product(agent).eq_ignore_ascii_case(self.agent);
        self.is_named |= self.applies_to_us;
    }

    fn for_each(&mut self, change: impl Fn(&mut Group)) {
        if self.applies_to_us {
            change(&mut self.ours);
        }
        if self.applies_to_all {
            change(&mut self.everybodys);
        }
    }

    fn finish(self) -> Robots {
        let mut group = if self.is_named { self.ours } else { self.everybodys };
        group.rules.sort_by_cached_key(|rule| (Reverse(rule.pattern.octets()), !rule.allow));
        group.rules.dedup();
        Robots {
            rules: group.rules.into_boxed_slice(),
            crawl_delay: group.crawl_delay,
            sitemaps: self.sitemaps.into_boxed_slice(),
        }
    }
}

/// The part of the file that is read. A line that the limit cuts is left out: its beginning may forbid far more.
fn whole_lines(body: &[u8]) -> &[u8] {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let Some(start) = body.get(..MAX_BYTES) else { return body };
    let end = start.iter().rposition(|&byte| byte == b'\n' || byte == b'\r').unwrap_or(0);
    &start[..end]
}

/// Splits a line into name and value, without its comment.
fn record(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.split(|&byte| byte == b'#').next()?;
    let colon = line.iter().position(|&byte| byte == b':')?;
    Some((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()))
}

/// The name by which robots.txt and pages address who sends this User-Agent.
pub fn product_name(user_agent: &str) -> &str {
    &user_agent[..product(user_agent.as_bytes()).len()]
}

/// The name of an agent without its version and comments: "ExampleBot" of "ExampleBot/1.2 (+https://example.org)".
fn product(agent: &[u8]) -> &[u8] {
    let end = agent.iter().position(|&byte| byte == b'/' || byte.is_ascii_whitespace());
    &agent[..end.unwrap_or(agent.len())]
}

fn delay(value: &[u8]) -> Option<Span> {
    let seconds: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    // The cast saturates; a delay of years is for the politeness rules to clamp.
    (seconds.is_finite() && seconds >= 0.0).then(|| Span::from_millis((seconds * 1000.0) as i64))
}

fn sitemap(value: &[u8]) -> Option<Url> {
    let url = Url::parse(std::str::from_utf8(value).ok()?).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const AGENT: &str = "everfresh/0.1 (+https://example.org/bot)";

    fn robots(text: &str) -> Robots {
        Robots::from_response(200, text.as_bytes(), AGENT)
    }

    fn allows(robots: &Robots, path: &str) -> bool {
        robots.allows(&Url::parse("https://www.example.com").unwrap().join(path).unwrap())
    }

    #[test]
    fn the_simple_example_of_the_rfc() {
        let text = "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n\
                    User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n\
                    User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n\
                    User-Agent: quxbot\n";
        let for_agent = |agent| Robots::from_response(200, text.as_bytes(), agent);
        let others = for_agent("otherbot");
        assert!(!allows(&others, "/a.gif") && !allows(&others, "/example/x") && allows(&others, "/publications/x"));
        let foobot = for_agent("FooBot/2.0");
        assert!(allows(&foobot, "/example/page.html") && allows(&foobot, "/example/allowed.gif"));
        assert!(!allows(&foobot, "/") && !allows(&foobot, "/publications/x"));
        for named_together in ["barbot", "BazBot"] {
            assert!(!allows(&for_agent(named_together), "/example/page.html"));
            assert!(allows(&for_agent(named_together), "/a.gif"));
        }
        assert!(allows(&for_agent("quxbot"), "/example/"), "a group without rules allows everything");
    }

    #[test]
    fn patterns_that_take_too_long_forbid() {
        let rules = |rule: &dyn Fn(usize) -> String, count: usize| {
            robots(&format!("user-agent: *\n{}", (0..count).map(rule).collect::<String>()))
        };
        let (many, long) = (|number: usize| format!("allow:*a{number}*\n"), format!("/{}", "a".repeat(2_000)));
        assert!(allows(&rules(&many, 5_000), "/short"), "as many as fit");
        assert!(!allows(&rules(&many, 36_000), &long), "long paths");
        let wordy = |number: usize| format!("allow:/{}b{number}\n", "*aa".repeat(900));
        assert!(allows(&rules(&wordy, 10), &long) && !allows(&rules(&wordy, 100), &long), "many words");
    }

    #[test]
    fn the_longest_match_example_of_the_rfc() {
        let rules = robots(
            "User-Agent: foobot\nUser-agent: everfresh\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif",
        );
        assert!(allows(&rules, "/example/page/") && !allows(&rules, "/example/page/disallowed.gif"));
    }

    #[test]
    fn groups_of_the_same_agent_are_one() {
        let rules = robots(
            "user-agent: everfresh\ndisallow: /a\nuser-agent: *\ndisallow: /c\nuser-agent: EverFresh/9\ndisallow: /b",
        );
        assert!(!allows(&rules, "/a") && !allows(&rules, "/b") && allows(&rules, "/c"));
    }

    #[test]
    fn between_equals_the_one_that_allows_wins() {
        for text in ["user-agent: *\nallow: /a\ndisallow: /a", "user-agent: *\ndisallow: /a\nallow: /a"] {
            assert!(allows(&robots(text), "/a/b"));
        }
    }

    #[test]
    fn empty_rules_and_rules_without_agent_mean_nothing() {
        assert!(allows(&robots("Disallow: /\nUser-agent: *\nDisallow:"), "/x"));
        assert!(allows(&robots(""), "/x"));
        assert!(allows(&robots("<html><body>not found: sorry</body></html>"), "/x"));
    }

    #[test]
    fn other_records_do_not_end_a_group() {
        let rules = robots("User-agent: *\nSitemap: https://www.example.com/s.xml\nCrawl-delay: 2.5\nDisallow: /a");
        assert!(!allows(&rules, "/a"));
        assert_eq!(rules.crawl_delay(), Some(Span::from_millis(2500)));
        assert_eq!(rules.sitemaps()[0].as_str(), "https://www.example.com/s.xml");
    }

    #[test]
    fn the_status_decides_when_there_is_no_file() {
        let of = |status| Robots::from_response(status, b"User-agent: *\nDisallow: /", AGENT);
        assert!(allows(&of(404), "/x") && allows(&of(403), "/x") && allows(&of(302), "/x"));
        assert!(!allows(&of(200), "/x") && !allows(&of(500), "/x") && !allows(&of(503), "/x"));
        assert!(!allows(&Robots::unreachable(), "/x"));
        assert!(allows(&Robots::unreachable(), "/robots.txt"));
    }

    #[test]
    fn strange_delays_are_no_delays() {
        let of = |value| robots(&format!("user-agent: *\ncrawl-delay: {value}")).crawl_delay();
        assert_eq!((of("-1"), of("NaN"), of("inf"), of("soon")), (None, None, None, None));
        assert_eq!(of("1e300"), Some(Span::from_millis(i64::MAX)));
    }

    #[test]
    fn a_line_cut_by_the_size_limit_is_left_out() {
        let mut text = String::from("\u{feff}User-agent: *\r\nDisallow: /a\r\n#");
        text.push_str(&"x".repeat(MAX_BYTES - text.len() - 15));
        text.push_str("\r\nDisallow: /only-this\r\n");
        assert!(allows(&robots(&text), "/o") && !allows(&robots(&text), "/a"));
    }

    #[test]
    fn sitemaps_are_capped_and_absolute() {
        let text = "sitemap: /relative\nsitemap: ftp://x/\n".to_owned() + &"sitemap: http://x/s\n".repeat(500);
        assert_eq!(robots(&text).sitemaps().len(), MAX_SITEMAPS);
    }

    proptest! {
        #[test]
        fn no_file_makes_it_panic(body in prop::collection::vec(any::<u8>(), 0..400), path in "/[a-z%*$?/]{0,20}") {
            Robots::from_response(200, &body, AGENT).allows(&Url::parse(&format!("http://x{path}")).unwrap());
        }
    }
}
