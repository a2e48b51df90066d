//! The models that policies name, such as `gp:mine.toml`: each file is read once, relative to the working directory.

use std::collections::BTreeMap;
use std::path::Path;

use revisit::model::Model;
use revisit::policy::Policy;
use revisit::policy::registry::{self, PolicyError, Supplies, Truth, model_file};

use super::ExperimentError;
use crate::models::Trained;

/// Models by file.
#[derive(Default)]
pub(super) struct Models(BTreeMap<String, Model>);

impl Models {
    /// Whether there is such a policy; reads the model it names.
    pub(super) fn check(&mut self, policy: &str) -> Result<(), ExperimentError> {
        if let Some(file) = model_file(policy)
            && !self.0.contains_key(file)
        {
            let trained = Trained::load(Path::new(file)).map_err(ExperimentError::wrong)?;
            self.0.insert(file.to_owned(), trained.model);
        }
        self.build(policy, None).map(|_| ()).map_err(ExperimentError::wrong)
    }

    /// A policy that was checked, with its model and the truth.
    pub(super) fn build(&self, policy: &str, truth: Option<Truth<'_>>) -> Result<Box<dyn Policy>, PolicyError> {
        let model = model_file(policy).and_then(|file| self.0.get(file));
        registry::build_with(policy, Supplies { truth, model })
    }
}
