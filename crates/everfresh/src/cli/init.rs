//! `everfresh init`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::collection::Collection;
use crate::store::{self, Opening};

#[derive(Args)]
#[command(after_help = "Example:\n  everfresh init news")]
pub(super) struct Init {
    /// The folder to make
    #[arg(default_value = ".")]
    folder: PathBuf,
}

impl Init {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let collection = Collection::at(&self.folder);
        collection.init()?;
        store::open(collection.folder(), Opening::default())?;
        let folder = self.folder.display();
        say!("Made a collection in {folder}. Read {folder}/everfresh.toml, then name pages to begin with:")?;
        say!("  everfresh add -C {folder} https://example.org/")?;
        Ok(ExitCode::SUCCESS)
    }
}
