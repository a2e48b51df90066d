//! A new model is taken up with the next cycle, by a crawl that goes on.

use std::path::Path;
use std::time::SystemTime;

use super::Crawl;

/// How a model file was when it was read: another one is another model.
pub(super) type Stamp = Option<(SystemTime, u64)>;

pub(super) fn stamp(file: Option<&Path>) -> Stamp {
    let file = std::fs::metadata(file?).ok()?;
    Some((file.modified().ok()?, file.len()))
}

impl Crawl {
    /// Takes up the policy's model if the file is another than it was. What cannot be used is told and not taken up.
    pub(super) fn renew_policy(&mut self) {
        let settings = &self.context.settings;
        let Some(file) = settings.model_file() else { return };
        let found = stamp(Some(&file));
        if found == self.model {
            return;
        }
        self.model = found;
        match self.memory.new_policy(self.reader.as_ref(), settings, self.clock.now()) {
            Ok(policy) => {
                self.memory.scheduler.change_policy(policy);
                tracing::info!("{} has a new model; it decides from this cycle on", file.display());
            }
            Err(error) => tracing::warn!("goes on with the model it has: {error}"),
        }
    }
}
