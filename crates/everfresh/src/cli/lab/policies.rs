//! `everfresh lab policies`

use std::process::ExitCode;

use clap::Args;
use revisit::policy::registry::{Entry, POLICIES, Parameter};

use crate::output;

#[derive(Args)]
pub(in crate::cli) struct Policies {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Policies {
    pub(in crate::cli) fn run(self) -> anyhow::Result<ExitCode> {
        if self.json {
            let policies: Vec<_> = POLICIES.iter().map(described).collect();
            output::json(&serde_json::json!({ "policies": policies }))?;
        } else {
            say!("{}", table())?;
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
