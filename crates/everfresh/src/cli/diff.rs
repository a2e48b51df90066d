//! `everfresh diff URL`

use std::process::ExitCode;

use clap::Args;
use revisit::Time;

use super::Target;
use super::exit::WrongInput;
use crate::output;
use crate::parse;
use crate::query::Difference;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh diff https://example.org/data.ttl
  everfresh diff --from 2026-01-01 --to '2026-02-01 12:00:00' https://example.org/

Without times, the last change is shown. A time stands for the version that was current then.")]
pub(super) struct Diff {
    /// The page
    url: String,
    /// The older version: the one that was current at this time (UTC)
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// The newer version
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    #[command(flatten)]
    target: Target,
}

impl Diff {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (from, to) = (read_time(self.from.as_deref(), "--from")?, read_time(self.to.as_deref(), "--to")?);
        let difference = self.target.query()?.diff(&self.url, from, to)?;
        if self.target.json {
            output::json(&difference)?;
            return Ok(ExitCode::SUCCESS);
        }
        let Difference { url, from, to, format, delta } = difference;
        let time = |at| output::time(Time::from_millis(at));
        say!("{} ({format}), {} → {}", output::safe(&url), time(from), time(to))?;
        for line in delta.to_string().lines() {
            say!("{}", output::safe(line))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A time as people write it: a date, or a date and a time, in UTC unless it says otherwise.
fn read_time(text: Option<&str>, name: &str) -> Result<Option<Time>, WrongInput> {
    let Some(text) = text else { return Ok(None) };
    let wrong = || WrongInput(format!("{name} {text}: is no time; write it as 2026-01-31 or 2026-01-31T12:00:00Z"));
    parse::date(&text.trim().replacen(' ', "T", 1)).map(Some).ok_or_else(wrong)
}
