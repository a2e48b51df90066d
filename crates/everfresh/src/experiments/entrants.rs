//! The policies that take part in an experiment, by name, with the models that they name.

use revisit::policy::registry::POLICIES;

use super::ExperimentError;
use super::models::Models;

/// Policies, each known to exist.
pub(crate) struct Entrants {
    pub(super) names: Vec<String>,
    /// The place of the policy that the others are tested against.
    pub(super) baseline: Option<usize>,
    pub(super) models: Models,
}

impl Entrants {
    /// The policies of some lists, names separated by commas; 'all' stands for every one that needs no model.
    pub(crate) fn named(lists: &[String]) -> Result<Entrants, ExperimentError> {
        let (mut names, mut models) = (Vec::new(), Models::default());
        for name in lists.iter().flat_map(|list| list.split(',')).map(str::trim) {
            match name {
                "" => {}
                "all" => names
                    .extend(POLICIES.iter().filter(|entry| !entry.needs_model()).map(|entry| entry.name.to_owned())),
                name => {
                    models.check(name)?;
                    names.push(name.to_owned());
                }
            }
        }
        if names.is_empty() {
            return Err(ExperimentError::wrong("--policy names no policy; 'everfresh lab policies' lists them"));
        }
        Ok(Entrants { names, baseline: None, models })
    }

    /// The same, tested against this policy, which joins them if it is not among them.
    pub(crate) fn against(mut self, name: &str) -> Result<Entrants, ExperimentError> {
        self.models.check(name).map_err(|error| ExperimentError::Wrong(format!("--against: {error}")))?;
        let place = self.names.iter().position(|known| known == name);
        self.baseline = Some(place.unwrap_or(self.names.len()));
        if place.is_none() {
            self.names.push(name.to_owned());
        }
        Ok(self)
    }

    /// Whether one of them looks at who links to whom.
    pub(crate) fn need_links(&self) -> bool {
        self.names.iter().any(|name| self.models.build(name, None).is_ok_and(|policy| policy.needs().structure))
    }
}
