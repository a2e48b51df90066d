//! The file from which a killed run goes on. It is replaced now and then while formulas are bred and removed at the end.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use revisit::learn::gp::{Evolution, ResumeError, Settings, Trial};

use super::TrainError;
use crate::models::{beside, write_whole};

/// No more is lost than this and a generation.
const EVERY: Duration = Duration::from_secs(1);

/// Where a run keeps what it needs to go on after it was killed.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    path: PathBuf,
    restart: bool,
}

impl Checkpoint {
    /// Beside the model that the run will write. With `restart` what is there is thrown away, whatever it is; else it must
    /// be of the same run.
    pub fn of_model(model: &Path, restart: bool) -> Checkpoint {
        Checkpoint { path: beside(model, ".checkpoint"), restart }
    }

    /// The run that was left there, or a new one.
    pub(super) fn begin<'a>(
        &self,
        settings: Settings,
        training: &'a Trial<'a>,
    ) -> Result<(Evolution<'a>, Saver<'_>), TrainError> {
        let evolution = match self.read()? {
            None => Evolution::new(settings, training)?,
            Some(text) => {
                let evolution = Evolution::resume(settings, training, &text).map_err(|error| self.refusal(error))?;
                let generation = evolution.progress().map_or(0, |progress| progress.generation);
                tracing::info!("going on after generation {generation}, from {}", self.path.display());
                evolution
            }
        };
        Ok((evolution, Saver { checkpoint: self, saved: None }))
    }

    /// To be called when the model is written: nobody needs it any more.
    pub fn remove(&self) -> Result<(), TrainError> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.io("remove", error)),
            _ => Ok(()),
        }
    }

    fn read(&self) -> Result<Option<String>, TrainError> {
        if self.restart {
            return Ok(None);
        }
        match std::fs::read(&self.path) {
            // What is no text is no checkpoint, and told as such.
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.io("read", error)),
        }
    }

    fn refusal(&self, error: ResumeError) -> TrainError {
        let problem = match error {
            ResumeError::Setting(error) => return error.into(),
            ResumeError::OtherRun { .. } => "is the checkpoint of another run, with other pages or settings".to_owned(),
            ResumeError::Format => "is no checkpoint of this version".to_owned(),
            ResumeError::Damaged { line, expected } => {
                format!("is a damaged checkpoint (line {line} should have {expected})")
            }
        };
        TrainError::Checkpoint { path: self.path.display().to_string(), problem }
    }

    fn io(&self, doing: &'static str, error: std::io::Error) -> TrainError {
        TrainError::Io { doing, path: self.path.display().to_string(), error }
    }
}

/// Replaces the file of a run when it is time to.
pub(super) struct Saver<'a> {
    checkpoint: &'a Checkpoint,
    saved: Option<Instant>,
}

impl Saver<'_> {
    /// To be called after every generation.
    pub(super) fn save(&mut self, evolution: &Evolution<'_>) -> Result<(), TrainError> {
        if self.saved.is_some_and(|saved| saved.elapsed() < EVERY) {
            return Ok(());
        }
        let written = write_whole(&self.checkpoint.path, &evolution.checkpoint());
        self.saved = Some(Instant::now());
        written.map_err(|error| self.checkpoint.io("write", error))
    }
}
