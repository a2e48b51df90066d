//! The command line: one file per command, each a thin layer over the library.
//!
//! Reports go to stdout, as text or with `--json` as one JSON document; logs and progress go to stderr.

mod add;
mod apart;
mod demo;
mod diff;
mod exit;
mod explain;
mod export;
mod history;
mod init;
mod lab;
mod run;
mod status;
mod train;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::collection::Collection;
use crate::config::{Config, ConfigError};
use crate::handles;
use crate::query::Query;
use crate::settings::Settings;

/// Keeps a replica of the part of the Web you care about as fresh as a fetch budget allows.
#[derive(Parser)]
#[command(
    name = "everfresh",
    version,
    max_term_width = 100,
    after_help = "\
Start here:
  everfresh demo                      watch it work on a living web of its own
  everfresh init news && cd news      make a collection
  everfresh add https://example.org/  name a page to begin with
  everfresh run                       crawl and revisit until you press Ctrl-C
  everfresh status                    how fresh the replica is

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no space left, 4 wrong configuration or input,
5 collection in use, 6 store unreadable or too new, 11 interrupted, 13 interrupted twice."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Crawl a living web on loopback in fast time and compare the replica with the truth
    Demo(demo::Demo),
    /// Make a collection
    Init(init::Init),
    /// Add pages to begin with
    Add(add::Add),
    /// Crawl: find pages, visit them again when it is worth it, archive every version
    Run(run::Run),
    /// Say how large and how fresh the replica is
    Status(status::Status),
    /// List visits and what they showed
    History(history::History),
    /// Say why a page is visited when it is
    Explain(explain::Explain),
    /// Say what differs between two versions of a page
    Diff(diff::Diff),
    /// Write pages, visits or the archive's index for other tools
    Export(export::Export),
    /// Learn from pages that were watched: groups, trees, formulas
    #[command(subcommand)]
    Train(train::Train),
    /// Compare policies
    #[command(subcommand)]
    Lab(lab::Lab),
    /// Do one piece of work for a crawl, described on stdin
    #[command(hide = true)]
    Apart(apart::Apart),
}

/// Flags of every command that works on a collection.
#[derive(Args)]
struct Target {
    /// The collection's folder
    #[arg(short = 'C', long = "collection", value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Override a configuration key, e.g. --set fetch.delay=2s (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Target {
    fn collection(&self) -> Collection {
        Collection::at(&self.folder)
    }

    fn settings(&self) -> Result<Settings, ConfigError> {
        Settings::resolve(Config::load(&self.folder, environment(), &self.sets)?)
    }

    /// Who answers questions about the collection.
    fn query(&self) -> anyhow::Result<Query> {
        Ok(Query::open(self.collection(), self.settings()?)?)
    }
}

/// The environment's variables, as far as they are text: other programs' may hold anything, ours do not.
fn environment() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_target(false);
    log.with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal()).init();
    exit::code(match cli.command {
        Command::Demo(command) => command.run(),
        Command::Init(command) => command.run(),
        Command::Add(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Status(command) => command.run(),
        Command::History(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::Diff(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::Train(command) => command.run(),
        Command::Lab(command) => command.run(),
        Command::Apart(command) => command.run(),
    })
}

/// The runtime of commands that crawl. Every connection is an open file, and the usual limit is meant for programs that
/// open few: as many are allowed as the system lets us have.
fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    handles::take_all();
    // One that hears signals, however long another one works.
    let workers = std::thread::available_parallelism().map_or(2, |processors| processors.get().max(2));
    tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build()
}
