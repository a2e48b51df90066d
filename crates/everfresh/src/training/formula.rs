//! A formula for the policy `gp`, bred on some pages, validated on others and tested on a third part (Santos 2013).

use revisit::lab::cut::Cut;
use revisit::learn::gp::{Evolution, Evolved, Objective, Progress, Sample, Settings, Trial, roles};
use revisit::model::Model;

use super::threads::Threads;
use super::{Checkpoint, TrainError, visits};
use crate::models::{Provenance, Trained};

/// How a formula is to be bred.
#[derive(Clone, Debug)]
pub struct Breeding {
    /// How formulas are bred, and the seed of that.
    pub settings: Settings,
    /// What the formula shall be good at.
    pub objective: Objective,
    /// The share of the pages that a cycle visits.
    pub budget: f64,
    /// The seed by which pages are dealt into folds.
    pub dealt: u64,
    /// Which of the folds tests, from 0.
    pub fold: usize,
    /// How many threads evaluate; what is bred is the same for any number.
    pub threads: usize,
}

/// The pages of a cut in their roles.
#[derive(Debug)]
pub struct Roles {
    /// Formulas are bred on these.
    pub train: Sample,
    /// On these one of the best is chosen.
    pub validation: Sample,
    /// These have no say.
    pub test: Sample,
    /// The places in the cut of the pages that have no say.
    pub held_out: Vec<u32>,
}

impl Roles {
    /// Deals the pages into folds by a seed, one of which tests.
    pub fn of(cut: &Cut<'_>, fold: usize, seed: u64) -> Result<Roles, TrainError> {
        let roles = roles(cut.len(), fold, seed)?;
        let [train, validation, test] =
            [&roles.train, &roles.validation, &roles.test].map(|places| Sample::new(cut, places));
        Ok(Roles { train, validation, test, held_out: roles.test })
    }

    /// A crawl of each role that visits this share of its pages in a cycle.
    pub fn trials(&self, budget: f64, objective: Objective) -> [Trial<'_>; 3] {
        let trial = |sample| Trial::new(sample, visits(Sample::len(sample), budget), objective);
        [&self.train, &self.validation, &self.test].map(trial)
    }
}

/// A formula that was bred.
#[derive(Clone, Debug)]
pub struct Bred {
    /// The formula and how good it was.
    pub evolved: Evolved,
    /// The places in the cut of the pages that had no say.
    pub held_out: Vec<u32>,
    /// Pages bred on.
    pub pages: usize,
    /// Tells what it was bred on apart from other pages.
    pub fingerprint: u64,
    /// How many pages in how many cycles were looked at, not counting what a killed run had done before.
    pub page_cycles: u64,
}

/// Breeds a formula, telling of each generation.
///
/// The same pages, breeding and seeds give the same formula on any number of threads, and if the run was killed and goes
/// on from its checkpoint. The checkpoint stays until it is [removed](Checkpoint::remove), for what was bred to be saved
/// first.
pub fn breed(
    cut: &Cut<'_>,
    breeding: &Breeding,
    checkpoint: Option<&Checkpoint>,
    mut progress: impl FnMut(&Progress),
) -> Result<Bred, TrainError> {
    let roles = Roles::of(cut, breeding.fold, breeding.dealt)?;
    let [train, validation, test] = &roles.trials(breeding.budget, breeding.objective);
    let settings = breeding.settings.clone();
    let (mut evolution, mut saver) = match checkpoint {
        None => (Evolution::new(settings, train)?, None),
        Some(checkpoint) => {
            let (evolution, saver) = checkpoint.begin(settings, train)?;
            (evolution, Some(saver))
        }
    };
    let before = evolution.progress().map_or(0, |progress| progress.simulated);
    while let Some(generation) = evolution.step_with(&Threads(breeding.threads)) {
        progress(&generation);
        if let Some(saver) = &mut saver {
            saver.save(&evolution)?;
        }
    }
    let evolved = evolution.choose(breeding.settings.choice, validation, test);
    Ok(Bred {
        page_cycles: (evolved.simulated - before) * train.page_cycles(),
        evolved,
        pages: roles.train.len(),
        fingerprint: roles.train.fingerprint(),
        held_out: roles.held_out,
    })
}

impl Bred {
    /// The formula as a model.
    pub fn model(&self) -> Model {
        Model::Formula(self.evolved.formula.clone())
    }

    /// The model with its provenance, to be saved.
    pub fn trained(&self, cut: &Cut<'_>, breeding: &Breeding) -> Trained {
        let Evolved { train, validation, test, .. } = self.evolved;
        let scores = [("train", train), ("validation", validation), ("test", test)];
        let provenance = Provenance {
            source: cut.trace().name.clone(),
            fingerprint: format!("{:016x}", self.fingerprint),
            pages: self.pages,
            cycles: cut.window().cycles,
            seed: breeding.settings.seed,
            scores: scores.map(|(name, value)| (name.to_owned(), value)).into(),
        };
        Trained { model: self.model(), provenance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::{score, window};
    use revisit::Span;
    use revisit::lab::trace::Trace;
    use revisit::lab::world;

    fn breeding() -> Breeding {
        let settings = Settings { population: 20, generations: 4, ..Settings::default() };
        Breeding { settings, objective: Objective::ChangeRatio, budget: 0.05, dealt: 1, fold: 2, threads: 1 }
    }

    fn cut(trace: &Trace) -> Cut<'_> {
        Cut::new(trace, window(trace, Span::DAY, 2).unwrap()).unwrap()
    }

    #[test]
    fn what_was_bred_is_worth_as_much_in_the_lab() {
        let trace = world::make("brdc12-like", 400, 1).unwrap();
        let cut = cut(&trace);
        let mut generations = 0;
        let bred = breed(&cut, &breeding(), None, |_| generations += 1).unwrap();
        let lab = score(&cut.only(&bred.held_out), "gp", Some(&bred.model()), 0.05).unwrap();
        assert_eq!((lab.change_ratio, generations), (bred.evolved.test, 4));
        assert_eq!(bred.page_cycles, bred.evolved.simulated * 160 * 57);
    }

    #[test]
    fn a_checkpoint_of_another_run_is_told_and_thrown_away_only_if_asked() {
        let (trace, other) = (world::make("brdc12-like", 200, 1).unwrap(), world::make("brdc12-like", 200, 2).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("gp.toml");
        let (keep, restart) = (Checkpoint::of_model(&model, false), Checkpoint::of_model(&model, true));
        let whole = breed(&cut(&trace), &breeding(), Some(&keep), |_| {}).unwrap();
        let again = breed(&cut(&trace), &breeding(), Some(&keep), |_| {}).unwrap();
        assert_eq!(again.evolved.formula, whole.evolved.formula);
        let refused = breed(&cut(&other), &breeding(), Some(&keep), |_| {}).unwrap_err().to_string();
        assert!(refused.contains("another run") && refused.contains("--restart"), "{refused}");
        assert!(breed(&cut(&other), &breeding(), Some(&restart), |_| {}).is_ok());
        keep.remove().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        std::fs::write(folder.path().join("gp.toml.checkpoint"), [0xff, 0xfe]).unwrap();
        let refused = breed(&cut(&trace), &breeding(), Some(&keep), |_| {}).unwrap_err().to_string();
        assert!(refused.contains("gp.toml.checkpoint is no checkpoint"), "{refused}");
    }

    #[test]
    fn too_few_pages_are_told() {
        let trace = world::make("brdc12-like", 4, 1).unwrap();
        let refused = breed(&cut(&trace), &breeding(), None, |_| {}).unwrap_err().to_string();
        assert!(refused.contains("4 pages cannot be dealt into 5 folds"), "{refused}");
    }
}
