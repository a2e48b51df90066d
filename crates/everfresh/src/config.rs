//! The configuration as typed: `everfresh.toml`, with environment and command line laid over it.
//!
//! Three layers, later ones win: the file, `EVERFRESH_SECTION_KEY` in the environment, `--set section.key=value`. A key
//! that does not exist is an error in every layer, so that a slip of the pen never turns into a silent default.
//! [`crate::settings`] turns the result into what the rooms work with.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use revisit::Floors;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::detect::Algorithm;
use crate::meaning::Rules;
use crate::parse::scope::Mode;
use crate::regular;
use crate::units::{Bytes, Duration};

/// The name of the file in a collection's folder.
pub const FILE: &str = "everfresh.toml";

/// The file that `init` writes: every key a newcomer may want, with its default.
pub const TEMPLATE: &str = include_str!("everfresh.toml");

/// What `everfresh.toml` can say.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How much and in which order.
    pub schedule: Schedule,
    /// How pages are fetched.
    pub fetch: Fetch,
    /// Which pages belong to the collection.
    pub scope: Scope,
    /// What counts as a change.
    pub detect: Detect,
    /// What does not count in data that has no rules of its own.
    pub data: Rules,
    /// How versions are kept.
    pub archive: Archive,
    /// What the store may take.
    pub store: Store,
    /// When models are trained again.
    pub train: Train,
    /// What is different for one host, by its name.
    pub host: BTreeMap<String, Host>,
    /// The collection's folder, where model files are looked for.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// `[schedule]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Schedule {
    /// How long a cycle is.
    pub cycle: Duration,
    /// Fetches a cycle may make.
    pub budget: usize,
    /// Least share of the budget, and of each host's part of it, for pages never seen.
    pub new_share: f64,
    /// Least share of the budget, and of each host's part of it, for pages seen before.
    pub revisit_share: f64,
    /// Which pages first.
    pub policy: String,
}

impl Default for Schedule {
    fn default() -> Schedule {
        let Floors { first: new_share, again: revisit_share } = Floors::default();
        Schedule { cycle: Duration::secs(3600), budget: 1000, new_share, revisit_share, policy: "everfresh".into() }
    }
}

/// `[train]`
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Train {
    /// How often the policy's model is trained again from the collection's own history; never if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<Duration>,
}

/// `[fetch]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fetch {
    /// How the crawler names itself.
    pub user_agent: String,
    /// Least time between two requests to a host.
    pub delay: Duration,
    /// The longest delay a robots.txt can ask for.
    pub max_delay: Duration,
    /// Connections to one host.
    pub connections: u32,
    /// However many names lead to one address, it is asked as if they were at most this many hosts.
    pub hosts_per_address: u32,
    /// Requests under way at once, over all hosts.
    pub concurrency: usize,
    /// For reaching a server.
    pub connect_timeout: Duration,
    /// From the request to the first byte of the answer.
    pub first_byte_timeout: Duration,
    /// For a whole exchange.
    pub total_timeout: Duration,
    /// The largest header block taken.
    pub max_header_bytes: Bytes,
    /// The largest body taken, as sent.
    pub max_body_bytes: Bytes,
    /// The largest body taken, decompressed.
    pub max_decoded_bytes: Bytes,
    /// All parts of a source's answer together, as sent and decompressed.
    pub max_source_bytes: Bytes,
    /// How long a robots.txt is believed.
    pub robots_cache: Duration,
    /// Redirects followed in a row.
    pub max_redirects: u8,
    /// Whether private, loopback and other inner addresses may be contacted.
    pub allow_private: bool,
    /// Whether TLS trusts those whom the system trusts, besides the Web's usual authorities.
    pub system_roots: bool,
    /// A PEM file of further authorities that TLS trusts, relative to the collection's folder; none if empty.
    pub ca_file: PathBuf,
    /// Where a host is to be found, instead of asking DNS: name = "address:port".
    pub resolve: BTreeMap<String, String>,
}

impl Default for Fetch {
    fn default() -> Fetch {
        Fetch {
            user_agent: concat!("everfresh/", env!("CARGO_PKG_VERSION")).into(),
            delay: Duration::secs(1),
            max_delay: Duration::secs(60),
            connections: 1,
            hosts_per_address: 16,
            concurrency: 512,
            connect_timeout: Duration::secs(10),
            first_byte_timeout: Duration::secs(20),
            total_timeout: Duration::secs(60),
            max_header_bytes: Bytes(64 << 10),
            max_body_bytes: Bytes(16 << 20),
            max_decoded_bytes: Bytes(32 << 20),
            max_source_bytes: Bytes(64 << 20),
            robots_cache: Duration::secs(24 * 3600),
            max_redirects: 10,
            allow_private: false,
            system_roots: true,
            ca_file: PathBuf::new(),
            resolve: BTreeMap::new(),
        }
    }
}

/// `[scope]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scope {
    /// Follow links to: the seeds' `host`s, their registrable `domain`s, URLs below a seed's `prefix`, or none (`list`).
    pub mode: Mode,
    /// Patterns of which a URL must match one, if there are any.
    pub include: Vec<String>,
    /// Patterns of which a URL must match none.
    pub exclude: Vec<String>,
    /// Patterns of URLs that are no traps, whatever they look like.
    pub allow: Vec<String>,
    /// Links followed from a seed, at most.
    pub max_depth: u32,
    /// Pages kept of one host, at most.
    pub max_pages_per_host: u32,
    /// Hosts followed into of one registrable domain, at most; those of seeds are always followed.
    pub max_hosts_per_domain: u32,
}

impl Default for Scope {
    fn default() -> Scope {
        Scope {
            mode: Mode::Host,
            include: Vec::new(),
            exclude: Vec::new(),
            allow: Vec::new(),
            max_depth: 64,
            max_pages_per_host: 1_000_000,
            max_hosts_per_domain: 100,
        }
    }
}

/// `[detect]`
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Detect {
    /// Digest of a page's text.
    pub digest: Algorithm,
    /// Texts whose 64-bit SimHashes differ in at most this many bits are the same; 0 compares exactly.
    pub near: u32,
    /// CSS selectors of elements that do not count.
    pub drop: Vec<String>,
    /// CSS selectors of the only elements that count.
    pub keep: Vec<String>,
    /// Patterns of text that does not count; data has rules of its own.
    pub ignore: Vec<String>,
}

/// `[archive]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Archive {
    /// A new WARC file is begun when the current one would grow beyond this.
    pub roll: Bytes,
}

impl Default for Archive {
    fn default() -> Archive {
        Archive { roll: Bytes(256 << 20) }
    }
}

/// `[store]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Store {
    /// How large the log may grow while another program reads the store without end; then the crawl waits for it.
    pub max_log: Bytes,
}

impl Default for Store {
    fn default() -> Store {
        Store { max_log: Bytes(1 << 30) }
    }
}

/// `[host."name"]`: what is not said here is as for all hosts; filters add to those for all.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Host {
    /// Least time between two requests.
    pub delay: Option<Duration>,
    /// Connections at once.
    pub connections: Option<u32>,
    /// CSS selectors of elements that do not count.
    pub drop: Vec<String>,
    /// CSS selectors of the only elements that count.
    pub keep: Vec<String>,
    /// Patterns of text that does not count; data has rules of its own.
    pub ignore: Vec<String>,
}

/// What is wrong with the configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// There is no file: not a collection.
    #[error("{0} is not a collection: it has no everfresh.toml; make one with 'everfresh init {0}'")]
    Missing(String),
    /// The file cannot be read.
    #[error("cannot read {path}: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// A layer says something that cannot be.
    #[error("{place}: {problem}")]
    Wrong {
        /// File and line, variable or flag.
        place: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
}

impl ConfigError {
    pub(crate) fn wrong(place: impl Into<String>, problem: impl Into<String>) -> ConfigError {
        ConfigError::Wrong { place: place.into(), problem: problem.into() }
    }
}

/// More is no configuration.
const MOST_BYTES: u64 = 1 << 20;

impl Config {
    /// Reads a collection's configuration with the environment and the command line's `--set` laid over it.
    pub fn load(
        folder: &Path,
        environment: impl Iterator<Item = (String, String)>,
        sets: &[String],
    ) -> Result<Config, ConfigError> {
        let path = folder.join(FILE);
        if !path.exists() {
            return Err(ConfigError::Missing(folder.display().to_string()));
        }
        let unreadable = |error| ConfigError::Unreadable { path: path.display().to_string(), error };
        let file = regular::open(&path, OpenOptions::new().read(true)).map_err(unreadable)?;
        let mut text = String::new();
        let length = file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
        if length as u64 > MOST_BYTES {
            return Err(unreadable(ErrorKind::FileTooLarge.into()));
        }
        let mut table = parse_file(&path.display().to_string(), &text)?;
        for (name, value) in environment.filter(|(name, _)| name.starts_with("EVERFRESH_")) {
            let key = key_of_variable(&name)?;
            overlay(&mut table, assignment(&name, &key, &value)?, &name)?;
        }
        for set in sets {
            let place = format!("--set {set}");
            let Some((key, value)) = set.split_once('=') else {
                return Err(ConfigError::wrong(place, "write it as key=value"));
            };
            overlay(&mut table, assignment(&place, key.trim(), value.trim())?, &place)?;
        }
        Ok(Config { folder: folder.to_owned(), ..read(table, "the configuration")? })
    }
}

/// The file alone must be right, so that its errors carry a line.
fn parse_file(path: &str, text: &str) -> Result<Table, ConfigError> {
    let located = |error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        ConfigError::wrong(format!("{path} line {line}"), one_line(error.message()))
    };
    toml::from_str::<Config>(text).map_err(located)?;
    text.parse().map_err(located)
}

fn read(table: Table, place: &str) -> Result<Config, ConfigError> {
    Value::Table(table)
        .try_into()
        .map_err(|error: toml::de::Error| ConfigError::wrong(place, one_line(&error.to_string())))
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `key = value` as a table; a value that is not TOML is taken as a string, so that `--set fetch.delay=2s` works.
fn assignment(place: &str, key: &str, value: &str) -> Result<Table, ConfigError> {
    let quoted = Value::String(value.to_owned());
    format!("{key} = {value}")
        .parse()
        .or_else(|_| format!("{key} = {quoted}").parse())
        .map_err(|_| ConfigError::wrong(place, format!("'{key}' is not a configuration key")))
}

/// Lays one assignment over the table, and checks at once that the result can be read, so that the error names its place.
fn overlay(table: &mut Table, assignment: Table, place: &str) -> Result<(), ConfigError> {
    merge(table, assignment);
    read(table.clone(), place).map(|_| ())
}

fn merge(into: &mut Table, from: Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Table(into)), Value::Table(from)) => merge(into, from),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

/// The key an environment variable stands for: `EVERFRESH_FETCH_MAX_DELAY` is `fetch.max_delay`.
///
/// Keys contain underscores themselves, so the name is looked up among all keys there are.
fn key_of_variable(name: &str) -> Result<String, ConfigError> {
    let defaults = Table::try_from(Config::default()).unwrap_or_default();
    for (section, keys) in &defaults {
        for key in keys.as_table().into_iter().flat_map(Table::keys) {
            if name == format!("EVERFRESH_{section}_{key}").to_uppercase() {
                return Ok(format!("{section}.{key}"));
            }
        }
    }
    Err(ConfigError::wrong(name, "there is no such configuration key; see everfresh.toml for the keys there are"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(file: &str, environment: &[(&str, &str)], sets: &[&str]) -> Result<Config, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), file).unwrap();
        let environment = environment.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let shown = format!("{}/", folder.path().display());
        Config::load(folder.path(), environment, &sets).map_err(|error| error.to_string().replace(&shown, ""))
    }

    #[test]
    fn the_template_says_the_defaults() {
        let read = toml::to_string(&toml::from_str::<Config>(TEMPLATE).unwrap()).unwrap();
        assert_eq!(read, toml::to_string(&Config::default()).unwrap());
    }

    #[test]
    fn later_layers_win() {
        let file = "[fetch]\ndelay = \"3s\"\n";
        let delay = |environment, sets| load(file, environment, sets).unwrap().fetch.delay;
        assert_eq!(delay(&[], &[]), Duration::secs(3));
        assert_eq!(delay(&[("EVERFRESH_FETCH_DELAY", "4s")], &[]), Duration::secs(4));
        assert_eq!(delay(&[("EVERFRESH_FETCH_DELAY", "4s")], &["fetch.delay=5s"]), Duration::secs(5));
    }

    #[test]
    fn one_host_can_differ() {
        let config = load("", &[], &["host.\"a.test\".delay=9s", "host.\"a.test\".drop=[\".clock\"]"]).unwrap();
        assert_eq!(config.host["a.test"].delay, Some(Duration::secs(9)));
        assert_eq!(config.host["a.test"].drop, [".clock"]);
    }

    #[test]
    fn errors_name_the_place_and_the_remedy() {
        let wrong = |file, environment: &[(&str, &str)], sets: &[&str]| load(file, environment, sets).unwrap_err();
        assert_eq!(
            wrong("[schedule]\nbudget = 5\n[fetch]\ndelai = \"3s\"\n", &[], &[]).split(", expected").next().unwrap(),
            "everfresh.toml line 4: unknown field `delai`"
        );
        assert!(
            wrong("[fetch]\nconnections = \"many\"\n", &[], &[]).starts_with("everfresh.toml line 2: invalid type")
        );
        assert!(wrong("", &[], &["fetch.connections=many"]).starts_with("--set fetch.connections=many: invalid type"));
        assert!(wrong("", &[], &["fetch.delai=3s"]).starts_with("--set fetch.delai=3s: unknown field `delai`"));
        assert!(wrong("", &[], &["delay"]).contains("write it as key=value"));
        assert!(wrong("", &[("EVERFRESH_DELAY", "1")], &[]).starts_with("EVERFRESH_DELAY: there is no such"));
        assert!(wrong("[fetch]\ndelay = \"3 fortnights\"", &[], &[]).contains("write 500ms, 10s, 5m, 1h or 7d"));
    }
}
