//! Which links belong to the collection.
//!
//! A scope is built once from the rules and the seeds and then asked for every link, so each answer is a look-up: hosts,
//! domains and listed URLs in a hash set, prefixes by binary search, patterns as one set. How many pages a host may have is
//! counted where pages are admitted, not here.
//!
//! What the rules leave out was meant to be; what a guard leaves out may be a mistake, so it is [counted](super::LeftOut), and
//! patterns of the user's win over the guards that look at a URL alone.

pub use super::refusal::Refusal;
use super::traps::{self, Calendar};
use regex::RegexSet;
use revisit::Time;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use thiserror::Error;
use url::{Position, Url};

/// How far the collection reaches from its seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The hosts of the seeds (with their ports).
    #[default]
    Host,
    /// The registrable domains of the seeds, with all their hosts: `news.example.co.uk` opens `example.co.uk`.
    Domain,
    /// What lies in the directories of the seeds: `https://a.org/docs/index.html` opens `https://a.org/docs/`.
    Prefix,
    /// The seeds alone.
    List,
}

/// The rules as a user writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeRules {
    /// How far the collection reaches.
    pub mode: Mode,
    /// If there are any, a URL must match one of these regular expressions.
    pub include: Vec<String>,
    /// A URL must match none of these regular expressions.
    pub exclude: Vec<String>,
    /// A URL that matches one of these regular expressions is no trap, whatever it looks like.
    pub allow: Vec<String>,
    /// Links followed from a seed at most; no limit if absent.
    pub max_depth: Option<u32>,
    /// URLs that carry a date more than this many years ahead are taken for an endless calendar.
    pub calendar_years_ahead: u16,
    /// URLs that carry a date before this year are too.
    pub calendar_first_year: u16,
}

impl Default for ScopeRules {
    fn default() -> ScopeRules {
        ScopeRules {
            mode: Mode::Host,
            include: Vec::new(),
            exclude: Vec::new(),
            allow: Vec::new(),
            max_depth: None,
            calendar_years_ahead: 2,
            calendar_first_year: 1990,
        }
    }
}

/// Why a scope could not be built.
#[derive(Debug, Error)]
#[error("the {list} pattern {pattern:?} of the scope is not a regular expression: {source}; correct or remove it")]
pub struct ScopeError {
    list: &'static str,
    pattern: String,
    source: Box<regex::Error>,
}

/// The compiled scope of a collection.
#[derive(Debug)]
pub struct Scope {
    reach: Reach,
    include: Option<RegexSet>,
    exclude: RegexSet,
    allow: RegexSet,
    max_depth: u32,
    calendar: Calendar,
}

#[derive(Debug)]
enum Reach {
    Hosts(HashSet<String>),
    Domains(HashSet<String>),
    /// Sorted, and none begins with another: so only the last one not after a URL can be its prefix.
    Prefixes(Vec<String>),
    List(HashSet<String>),
}

impl Scope {
    /// Builds the scope of a collection with these seeds (in normal form).
    pub fn new<'a>(rules: &ScopeRules, seeds: impl IntoIterator<Item = &'a Url>) -> Result<Scope, ScopeError> {
        let include = (!rules.include.is_empty()).then(|| compile("include", &rules.include)).transpose()?;
        let calendar = Calendar { first_year: rules.calendar_first_year, years_ahead: rules.calendar_years_ahead };
        Ok(Scope {
            reach: Reach::new(rules.mode, seeds),
            include,
            exclude: compile("exclude", &rules.exclude)?,
            allow: compile("allow", &rules.allow)?,
            max_depth: rules.max_depth.unwrap_or(u32::MAX),
            calendar,
        })
    }

    /// Opens the scope for another seed.
    pub fn open(&mut self, seed: &Url) {
        self.reach.open(seed);
    }

    /// Whether a seed that redirects here has only moved house: same registrable domain, another name or scheme.
    pub fn same_house(one: &Url, other: &Url) -> bool {
        domain(one) == domain(other)
    }

    /// Whether a URL in normal form, `depth` links away from the seeds, belongs to the collection; if not, why.
    pub fn admits(&self, url: &Url, depth: u32, now: Time) -> Result<(), Refusal> {
        if depth > self.max_depth {
            return Err(Refusal::TooDeep);
        }
        if !self.reach.contains(url) {
            return Err(Refusal::OutOfReach);
        }
        traps::check(url, self.calendar, now).or_else(|refusal| self.unless_allowed(url, refusal))?;
        self.check_patterns(url)
    }

    fn unless_allowed(&self, url: &Url, refusal: Refusal) -> Result<(), Refusal> {
        if self.allow.is_match(url.as_str()) { Ok(()) } else { Err(refusal) }
    }

    /// Whether a URL that the user asked for through another, by a catalogue or as another form of a source, belongs to the
    /// collection, wherever it is and however odd it looks.
    pub fn admits_source(&self, url: &Url, depth: u32) -> Result<(), Refusal> {
        if depth > self.max_depth {
            return Err(Refusal::TooDeep);
        }
        self.check_patterns(url)
    }

    fn check_patterns(&self, url: &Url) -> Result<(), Refusal> {
        if self.exclude.is_match(url.as_str()) {
            return Err(Refusal::Excluded);
        }
        match &self.include {
            Some(patterns) if !patterns.is_match(url.as_str()) => Err(Refusal::NotIncluded),
            _ => Ok(()),
        }
    }
}

/// Compiles a list of patterns; if that fails, finds the first that is to blame.
fn compile(list: &'static str, patterns: &[String]) -> Result<RegexSet, ScopeError> {
    RegexSet::new(patterns).map_err(|error| {
        let culprit = patterns.iter().find(|pattern| regex::Regex::new(pattern).is_err());
        ScopeError { list, pattern: culprit.cloned().unwrap_or_else(|| patterns.join(" ")), source: Box::new(error) }
    })
}

impl Reach {
    fn new<'a>(mode: Mode, seeds: impl IntoIterator<Item = &'a Url>) -> Reach {
        let seeds = seeds.into_iter();
        match mode {
            Mode::Host => Reach::Hosts(seeds.map(|seed| authority(seed).to_owned()).collect()),
            Mode::Domain => Reach::Domains(seeds.map(|seed| domain(seed).to_owned()).collect()),
            Mode::Prefix => Reach::Prefixes(outermost(seeds.map(directory).collect())),
            Mode::List => Reach::List(seeds.map(|seed| seed.as_str().to_owned()).collect()),
        }
    }

    fn open(&mut self, seed: &Url) {
        match self {
            Reach::Hosts(hosts) => _ = hosts.insert(authority(seed).to_owned()),
            Reach::Domains(domains) => _ = domains.insert(domain(seed).to_owned()),
            Reach::List(list) => _ = list.insert(seed.as_str().to_owned()),
            Reach::Prefixes(prefixes) => {
                let mut all = std::mem::take(prefixes);
                all.push(directory(seed));
                *prefixes = outermost(all);
            }
        }
    }

    fn contains(&self, url: &Url) -> bool {
        match self {
            Reach::Hosts(hosts) => hosts.contains(authority(url)),
            Reach::Domains(domains) => domains.contains(domain(url)),
            Reach::List(list) => list.contains(url.as_str()),
            Reach::Prefixes(prefixes) => {
                let after = prefixes.partition_point(|prefix| prefix.as_str() <= url.as_str());
                after > 0 && url.as_str().starts_with(&prefixes[after - 1])
            }
        }
    }
}

/// Host and, if it is not the scheme's own, port.
fn authority(url: &Url) -> &str {
    &url[Position::BeforeHost..Position::AfterPort]
}

/// The registrable domain; the host itself if it is an address or a public suffix.
pub fn domain(url: &Url) -> &str {
    match url.host() {
        Some(url::Host::Domain(host)) => psl::domain_str(host).unwrap_or(host),
        _ => url.host_str().unwrap_or_default(),
    }
}

/// The URL up to the last slash of its path.
fn directory(url: &Url) -> String {
    let whole = &url[..Position::AfterPath];
    whole[..whole.rfind('/').map_or(whole.len(), |slash| slash + 1)].to_owned()
}

/// Sorts prefixes and drops those that begin with another.
fn outermost(mut prefixes: Vec<String>) -> Vec<String> {
    prefixes.sort_unstable();
    let mut kept: Vec<String> = Vec::with_capacity(prefixes.len());
    for prefix in prefixes {
        if kept.last().is_none_or(|last| !prefix.starts_with(last.as_str())) {
            kept.push(prefix);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_secs(1_700_000_000);

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn scope(rules: &ScopeRules, seeds: &[&str]) -> Scope {
        let seeds: Vec<Url> = seeds.iter().map(|seed| url(seed)).collect();
        Scope::new(rules, &seeds).unwrap()
    }

    fn admits(mode: Mode, seeds: &[&str], link: &str) -> bool {
        scope(&ScopeRules { mode, ..ScopeRules::default() }, seeds).admits(&url(link), 1, NOW).is_ok()
    }

    #[test]
    fn hosts_with_their_ports() {
        let seeds = ["http://a.org/", "http://b.org:8080/x"];
        assert!(admits(Mode::Host, &seeds, "https://a.org/any?q"));
        assert!(admits(Mode::Host, &seeds, "http://b.org:8080/"));
        assert!(!admits(Mode::Host, &seeds, "http://b.org/"));
        assert!(!admits(Mode::Host, &seeds, "http://www.a.org/"));
    }

    #[test]
    fn domains_end_where_anyone_can_register() {
        let seeds = ["http://news.example.co.uk/", "http://127.0.0.1/", "http://me.github.io/"];
        assert!(admits(Mode::Domain, &seeds, "https://shop.example.co.uk/"));
        assert!(!admits(Mode::Domain, &seeds, "http://other.co.uk/"));
        assert!(admits(Mode::Domain, &seeds, "http://127.0.0.1/x"));
        assert!(!admits(Mode::Domain, &seeds, "http://10.0.0.1/x"));
        assert!(!admits(Mode::Domain, &seeds, "http://you.github.io/"));
    }

    #[test]
    fn prefixes_are_directories() {
        let seeds = ["https://a.org/docs/index.html", "https://a.org/docs/v2/", "https://b.org/x?q=/y/"];
        assert!(admits(Mode::Prefix, &seeds, "https://a.org/docs/v1/page"));
        assert!(admits(Mode::Prefix, &seeds, "https://a.org/docs/v2/page"));
        assert!(admits(Mode::Prefix, &seeds, "https://b.org/z"));
        assert!(!admits(Mode::Prefix, &seeds, "https://a.org/doc"));
        assert!(!admits(Mode::Prefix, &seeds, "https://a.org/"));
    }

    #[test]
    fn a_list_is_only_itself() {
        assert!(admits(Mode::List, &["http://a.org/x"], "http://a.org/x"));
        assert!(!admits(Mode::List, &["http://a.org/x"], "http://a.org/x/y"));
    }

    #[test]
    fn patterns_and_depth() {
        let rules = ScopeRules {
            include: vec![r"/en/".into()],
            exclude: vec![r"\.pdf$".into(), r"print=1".into()],
            max_depth: Some(3),
            ..ScopeRules::default()
        };
        let scope = scope(&rules, &["http://a.org/"]);
        assert_eq!(scope.admits(&url("http://a.org/en/x"), 3, NOW), Ok(()));
        assert_eq!(scope.admits(&url("http://a.org/en/x"), 4, NOW), Err(Refusal::TooDeep));
        assert_eq!(scope.admits(&url("http://a.org/en/x.pdf"), 1, NOW), Err(Refusal::Excluded));
        assert_eq!(scope.admits(&url("http://a.org/de/x"), 1, NOW), Err(Refusal::NotIncluded));
        assert_eq!(scope.admits(&url("http://b.org/en/x"), 1, NOW), Err(Refusal::OutOfReach));
    }

    #[test]
    fn what_is_allowed_is_no_trap() {
        let rules = ScopeRules {
            allow: vec![r"^http://a\.org/(paper|private)/".into()],
            exclude: vec!["private".into()],
            ..ScopeRules::default()
        };
        let scope = scope(&rules, &["http://a.org/"]);
        assert_eq!(scope.admits(&url("http://a.org/paper/1969/07/21"), 1, NOW), Ok(()));
        assert_eq!(scope.admits(&url("http://a.org/a/b/a/b/a/b"), 1, NOW), Err(Refusal::RepeatedSegments));
        assert_eq!(scope.admits(&url("http://a.org/paper/a/b/a/b/a/b"), 1, NOW), Ok(()));
        assert_eq!(scope.admits(&url("http://a.org/1969/07/21"), 1, NOW), Err(Refusal::CalendarDate));
        assert_eq!(scope.admits(&url("http://b.org/paper/"), 1, NOW), Err(Refusal::OutOfReach), "it opens no place");
        assert_eq!(scope.admits(&url("http://a.org/private/1969/07"), 1, NOW), Err(Refusal::Excluded));
    }

    #[test]
    fn a_bad_pattern_is_named() {
        let rules = ScopeRules { exclude: vec!["fine".into(), "(".into()], ..ScopeRules::default() };
        let error = Scope::new(&rules, []).unwrap_err().to_string();
        assert!(error.contains("exclude pattern \"(\""), "{error}");
    }

    #[test]
    fn a_hundred_thousand_seeds() {
        let seeds: Vec<Url> = (0..100_000).map(|number| url(&format!("http://h{number}.org/d/"))).collect();
        for mode in [Mode::Host, Mode::Domain, Mode::Prefix, Mode::List] {
            let scope = Scope::new(&ScopeRules { mode, ..ScopeRules::default() }, &seeds).unwrap();
            assert!(seeds.iter().all(|seed| scope.admits(seed, 0, NOW).is_ok()));
        }
    }
}
