//! `everfresh lab world`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use revisit::lab::world::{self, Parameter, WORLDS};

use super::super::exit::WrongInput;
use super::written::Written;
use crate::output;
use crate::traces;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh lab world                      every world with its parameters
  everfresh lab world brdc12-like --pages 20000 --seed 1 --output brdc12
  everfresh lab world 'general?days=365&together=0.5' --output living")]
pub(in crate::cli) struct World {
    /// Which world, as name or name?key=value&key=value; lists all worlds if absent
    #[arg(requires = "output")]
    name: Option<String>,
    /// How many pages
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pages: u32,
    /// Which of all such worlds
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder to write the trace to
    #[arg(short, long, value_name = "DIR", requires = "name")]
    output: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl World {
    pub(in crate::cli) fn run(self) -> anyhow::Result<ExitCode> {
        match (&self.name, &self.output) {
            (Some(name), Some(folder)) => {
                let trace = world::make(name, self.pages, self.seed).map_err(|error| WrongInput(error.to_string()))?;
                traces::write(folder, &trace)?;
                let written = Written::of(folder, &trace);
                if self.json { output::json(&written)? } else { say!("{written}")? }
            }
            _ if self.json => output::json(&serde_json::json!({ "worlds": described() }))?,
            _ => say!("{}", table())?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn described() -> Vec<serde_json::Value> {
    let parameter = |parameter: &Parameter| serde_json::json!({ "name": parameter.name, "default": parameter.default, "meaning": parameter.meaning });
    let world = |world: &world::World| {
        let parameters: Vec<_> = world.parameters.iter().map(parameter).collect();
        serde_json::json!({ "name": world.name, "summary": world.summary, "parameters": parameters })
    };
    WORLDS.iter().map(world).collect()
}

fn table() -> String {
    let mut rows = Vec::new();
    for world in WORLDS {
        rows.push(vec![world.name.into(), world.summary.into()]);
        for parameter in world.parameters {
            rows.push(vec![format!("  ?{}={}", parameter.name, parameter.default), parameter.meaning.into()]);
        }
    }
    output::table(&["world", "what it is like"], &rows)
}
