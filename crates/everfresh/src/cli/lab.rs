//! `everfresh lab`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use revisit::policy::registry::{Entry, POLICIES, Parameter};

use super::output;

#[derive(Subcommand)]
pub(super) enum Lab {
    /// List every policy with its paper and parameters
    Policies(Policies),
}

#[derive(Args)]
pub(super) struct Policies {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Lab {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let Lab::Policies(Policies { json }) = self;
        if json {
            let policies: Vec<_> = POLICIES.iter().map(described).collect();
            output::json(&serde_json::json!({ "policies": policies }))?;
        } else {
            print!("{}", table());
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn described(entry: &Entry) -> serde_json::Value {
    let parameter = |parameter: &Parameter| serde_json::json!({ "name": parameter.name, "default": parameter.default, "meaning": parameter.meaning });
    let parameters: Vec<_> = entry.parameters.iter().map(parameter).collect();
    serde_json::json!({ "name": entry.name, "paper": entry.paper, "summary": entry.summary, "parameters": parameters })
}

fn table() -> String {
    let mut rows = Vec::new();
    for entry in POLICIES {
        rows.push(vec![entry.name.into(), entry.summary.into(), entry.paper.into()]);
        for parameter in entry.parameters {
            rows.push(vec![format!("  ?{}={}", parameter.name, parameter.default), parameter.meaning.into()]);
        }
    }
    output::table(&["policy", "what it does", "where it comes from"], &rows)
}
