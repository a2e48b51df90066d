//! The configuration resolved: what the rooms work with, every value checked.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use revisit::policy::registry::{self, Supplies};
use revisit::{Floors, Manners, Policy, Span};
use tokio_rustls::rustls::pki_types::CertificateDer;

use crate::config::{Config, ConfigError, Host};
use crate::detect::{Detector, FilterBook, FilterRules, Filters};
use crate::fetch::{FetchSettings, certificates};
use crate::meaning::Rules;
use crate::models::Trained;
use crate::parse::scope::ScopeRules;
use crate::sources::Source;

/// Everything a crawl is told.
pub struct Settings {
    /// How long a cycle is.
    pub cycle: Span,
    /// Fetches a cycle may make.
    pub budget: usize,
    /// Least shares of the budget for first visits and revisits.
    pub floors: Floors,
    /// Which pages first, as typed.
    pub policy: String,
    /// How often the policy's model is trained again.
    pub train_every: Option<Span>,
    /// The rules of every exchange.
    pub fetch: FetchSettings,
    /// Requests under way at once.
    pub concurrency: usize,
    /// How long a robots.txt is believed.
    pub robots_cache: Span,
    /// Redirects followed in a row.
    pub max_redirects: u8,
    /// Which links are followed.
    pub scope: ScopeRules,
    /// Pages kept of one host, at most.
    pub max_pages_per_host: u32,
    /// Hosts followed into of one registrable domain, at most.
    pub max_hosts_per_domain: u32,
    /// An address is asked as if at most so many hosts were behind it.
    pub hosts_per_address: u32,
    /// How versions are compared.
    pub detector: Detector,
    /// What does not count in data that has no rules of its own.
    pub data: Rules,
    /// A new WARC file is begun at this size.
    pub roll_bytes: u64,
    /// How large the store's log may grow before the crawl waits for those who read the store.
    pub max_log: u64,
    /// Whether what is acknowledged survives a loss of power. Only a demo can do without.
    pub durable: bool,
    /// The collection's folder.
    pub folder: PathBuf,
    /// What these settings were made of, for a process that has to make the same.
    pub config: Config,
    /// The program that judges apart what is large (`everfresh apart`): this one.
    pub program: PathBuf,
    filters: FilterBook,
    manners: Manners,
    manners_by_host: HashMap<String, Manners>,
}

impl Settings {
    /// Checks and resolves a configuration.
    pub fn resolve(config: Config) -> Result<Settings, ConfigError> {
        let typed = config.clone();
        let Config { schedule, fetch, scope, detect, data, archive, store, train, host, folder } = config;
        data.check().map_err(|error| ConfigError::wrong("data.ignore", error.to_string()))?;
        positive("schedule.cycle", schedule.cycle.0.millis() > 0)?;
        positive("schedule.budget", schedule.budget > 0)?;
        positive("fetch.concurrency", fetch.concurrency > 0)?;
        positive("fetch.connections", fetch.connections > 0)?;
        positive("fetch.hosts_per_address", fetch.hosts_per_address > 0)?;
        positive("store.max_log", store.max_log.0 > 0)?;
        let floors = Floors { first: schedule.new_share, again: schedule.revisit_share };
        if !floors.can_be_kept() {
            let needs = "must be shares from 0 to 1, and together no more than 1";
            return Err(ConfigError::wrong("schedule.new_share and schedule.revisit_share", needs));
        }
        if train.every.is_some_and(|every| every.0 <= Span::ZERO) {
            return Err(ConfigError::wrong("train.every", "must be more than 0"));
        }
        if train.every.is_some() && registry::model_file(&schedule.policy).is_none() {
            let needs = "schedule.policy names no model to train: write it as gp:models/gp.toml";
            return Err(ConfigError::wrong("train.every", needs));
        }
        let manners =
            Manners { delay: fetch.delay.0, longest_delay: fetch.max_delay.0, connections: fetch.connections };
        let manners_by_host = host.iter().map(|(name, host)| (name.to_lowercase(), manners_of(manners, host)));
        let common = FilterRules { drop: detect.drop, keep: detect.keep, ignore: detect.ignore };
        let filters_by_host = host.iter().map(|(name, host)| (name.to_lowercase(), filters_of(host))).collect();
        let settings = Settings {
            cycle: schedule.cycle.0,
            budget: schedule.budget,
            floors,
            policy: schedule.policy,
            train_every: train.every.map(|every| every.0),
            fetch: FetchSettings {
                connect_timeout: fetch.connect_timeout.std(),
                first_byte_timeout: fetch.first_byte_timeout.std(),
                total_timeout: fetch.total_timeout.std(),
                max_header_bytes: fetch.max_header_bytes.0,
                max_body_bytes: fetch.max_body_bytes.0,
                max_decoded_bytes: fetch.max_decoded_bytes.0,
                max_source_bytes: fetch.max_source_bytes.0,
                large_bytes: FetchSettings::default().large_bytes,
                connections_per_host: fetch.connections as usize,
                allow_private: fetch.allow_private,
                idle_connections: FetchSettings::default().idle_connections,
                resolve: fetch.resolve.iter().map(resolve_entry).collect::<Result<_, _>>()?,
                user_agent: fetch.user_agent,
                system_roots: fetch.system_roots,
                tls_roots: ca_certificates(&folder, &fetch.ca_file)?,
            },
            concurrency: fetch.concurrency,
            robots_cache: fetch.robots_cache.0,
            max_redirects: fetch.max_redirects,
            scope: ScopeRules {
                mode: scope.mode,
                include: scope.include,
                exclude: scope.exclude,
                allow: scope.allow,
                max_depth: Some(scope.max_depth),
                ..ScopeRules::default()
            },
            max_pages_per_host: scope.max_pages_per_host,
            max_hosts_per_domain: scope.max_hosts_per_domain,
            hosts_per_address: fetch.hosts_per_address,
            detector: Detector { algorithm: detect.digest, near: detect.near },
            data,
            roll_bytes: archive.roll.0 as u64,
            max_log: store.max_log.0 as u64,
            durable: true,
            filters: FilterBook::compile(&common, &filters_by_host)
                .map_err(|error| ConfigError::wrong("detect", error.to_string()))?,
            folder,
            config: typed,
            program: PathBuf::from("/proc/self/exe"),
            manners,
            manners_by_host: manners_by_host.collect(),
        };
        settings.new_policy()?;
        Ok(settings)
    }

    /// What the user allows towards a host, by its name.
    pub fn manners(&self, host: &str) -> Manners {
        self.manners_by_host.get(host).copied().unwrap_or(self.manners)
    }

    /// What does not count on the pages of a host.
    pub fn filters(&self, host: &str) -> &Filters {
        self.filters.of(host)
    }

    /// By which rules the data of a page is judged: those of its source, if it has some.
    pub fn data_rules(&self, source: Option<&Source>) -> Rules {
        let own = source.map(|source| &source.rules).filter(|rules| **rules != Rules::default());
        own.unwrap_or(&self.data).clone()
    }

    /// The file of the policy's model, if it has one. Relative names are those of files in the collection.
    pub fn model_file(&self) -> Option<PathBuf> {
        registry::model_file(&self.policy).map(|file| self.folder.join(file))
    }

    /// The policy's model, if it has one.
    pub fn model(&self) -> Result<Option<Trained>, ConfigError> {
        let load = |path: PathBuf| Trained::load(&path).map_err(wrong_policy);
        self.model_file().map(load).transpose()
    }

    /// A new instance of the policy, knowing nothing yet but its model.
    pub fn new_policy(&self) -> Result<Box<dyn Policy>, ConfigError> {
        let trained = self.model()?;
        let supplies = Supplies { model: trained.as_ref().map(|trained| &trained.model), truth: None };
        registry::build_with(&self.policy, supplies).map_err(wrong_policy)
    }
}

fn wrong_policy(error: impl ToString) -> ConfigError {
    ConfigError::wrong("schedule.policy", error.to_string())
}

fn positive(key: &str, holds: bool) -> Result<(), ConfigError> {
    if holds { Ok(()) } else { Err(ConfigError::wrong(key, "must be more than 0")) }
}

fn manners_of(common: Manners, host: &Host) -> Manners {
    Manners {
        delay: host.delay.map_or(common.delay, |delay| delay.0),
        connections: host.connections.unwrap_or(common.connections).max(1),
        ..common
    }
}

fn filters_of(host: &Host) -> FilterRules {
    FilterRules { drop: host.drop.clone(), keep: host.keep.clone(), ignore: host.ignore.clone() }
}

/// The certificates of a file, if one is named; relative names are those of files in the collection.
fn ca_certificates(folder: &Path, file: &Path) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    if file.as_os_str().is_empty() {
        return Ok(Vec::new());
    }
    certificates(&folder.join(file)).map_err(|problem| ConfigError::wrong("fetch.ca_file", problem))
}

fn resolve_entry((name, address): (&String, &String)) -> Result<(String, SocketAddr), ConfigError> {
    let parsed = address.parse().map_err(|_| {
        ConfigError::wrong(format!("fetch.resolve.\"{name}\""), format!("'{address}' is not an address:port"))
    })?;
    Ok((name.to_lowercase(), parsed))
}
