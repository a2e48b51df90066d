//! `everfresh apart`: begun by a crawl, never by a person.

use std::process::ExitCode;

use clap::Args;

use crate::pipeline;

#[derive(Args)]
pub(super) struct Apart {}

impl Apart {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        pipeline::work_apart()?;
        Ok(ExitCode::SUCCESS)
    }
}
