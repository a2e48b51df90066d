//! Training again, while a crawl goes on: a new model takes the place of the one in use only if it is better on pages that
//! neither the training saw.
//!
//! The collection's own visits are drawn as a trace. One page in five is held out; the others train. Then the policy runs on
//! the held-out pages with either model, under the collection's own budget, and the one that keeps more of them fresh stays.

use std::path::PathBuf;

use revisit::lab::cut::Cut;
use revisit::lab::random::Random;
use revisit::learn::gp::{Objective, Settings};
use revisit::model::Model;
use revisit::{Span, Time};

use super::formula::{Breeding, breed};
use super::tree::{Lesson, learn};
use super::{TrainError, score, window};
use crate::models::Trained;
use crate::store::TrainingRow;
use crate::traces::collection::Observations;

/// One page in so many is held out.
const HELD_OUT: usize = 5;
/// So many pages teach enough; with more, training would take long for little.
const MOST_PAGES: usize = 20_000;
/// Cycles in which every page is visited before a policy decides.
const WARMUP: usize = 2;

/// What to train again.
#[derive(Clone, Debug)]
pub struct Again {
    /// The collection's folder.
    pub folder: PathBuf,
    /// The policy, as typed.
    pub policy: String,
    /// Its model's file.
    pub file: PathBuf,
    /// How long a cycle of the crawl is.
    pub cycle: Span,
    /// Fetches a cycle may make.
    pub budget: usize,
}

impl Again {
    /// Trains, compares, and saves the new model if it is better. Whatever happens is told in the row.
    pub fn train(&self, now: Time) -> TrainingRow {
        let model = self.file.display().to_string();
        self.compare(now).unwrap_or_else(|error| TrainingRow {
            at: now.millis(),
            model,
            adopted: false,
            freshness: None,
            freshness_before: None,
            pages: 0,
            detail: format!("the model was not trained again: {error}"),
        })
    }

    fn compare(&self, now: Time) -> Result<TrainingRow, TrainError> {
        let seed = now.millis().unsigned_abs();
        let trace = Observations::read(&self.folder)?.draw(seed, 0);
        let whole = Cut::new(&trace, window(&trace, self.cycle, WARMUP)?)?;
        let budget = self.budget as f64 / whole.len() as f64;
        let (training, held_out) = parts(whole.len(), seed);
        let (training, held_out) = (whole.only(&training), whole.only(&held_out));
        let before = Trained::load(&self.file)?;
        let trained = self.trained(&before.model, &training, budget, seed)?;
        let freshness = |model| Ok::<f64, TrainError>(score(&held_out, &self.policy, Some(model), budget)?.freshness);
        let (kept, kept_before) = (freshness(&trained.model)?, freshness(&before.model)?);
        let adopted = kept > kept_before;
        if adopted {
            trained.save(&self.file)?;
        }
        Ok(TrainingRow {
            at: now.millis(),
            model: self.file.display().to_string(),
            adopted,
            freshness: Some(kept),
            freshness_before: Some(kept_before),
            pages: held_out.len(),
            detail: told(adopted, kept, kept_before, held_out.len()),
        })
    }

    /// A new model of the kind in use.
    fn trained(&self, before: &Model, cut: &Cut<'_>, budget: f64, seed: u64) -> Result<Trained, TrainError> {
        match before {
            Model::Formula(_) => {
                let settings = Settings { seed, ..Settings::default() };
                let objective = Objective::Freshness;
                let breeding = Breeding { settings, objective, budget, dealt: seed, fold: 0, threads: 1 };
                Ok(breed(cut, &breeding, None, |_| {})?.trained(cut, &breeding))
            }
            Model::Groups(_) => Ok(learn(cut, &Lesson { seed, ..Lesson::default() })?.trained(cut, seed)),
        }
    }
}

/// The places of the pages that train and of those held out, each in rising order.
fn parts(pages: usize, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let mut places: Vec<u32> = (0..pages as u32).collect();
    let mut random = Random::stream(seed, 0);
    random.shuffle(&mut places);
    places.truncate(MOST_PAGES);
    let mut training = places.split_off(places.len() / HELD_OUT);
    training.sort_unstable();
    places.sort_unstable();
    (training, places)
}

fn told(adopted: bool, kept: f64, before: f64, pages: usize) -> String {
    let share = |freshness: f64| format!("{:.2} %", 100.0 * freshness);
    let (kept, before) = (share(kept), share(before));
    if adopted {
        format!("a new model was adopted: it keeps {kept} of {pages} held-out pages fresh, the one before {before}")
    } else {
        format!("the model stays: it keeps {before} of {pages} held-out pages fresh, a new one {kept}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_page_both_trains_and_is_held_out() {
        let (training, held_out) = parts(103, 7);
        assert_eq!((training.len(), held_out.len()), (83, 20));
        let mut all = [training.clone(), held_out].concat();
        all.sort_unstable();
        assert_eq!(all, (0..103).collect::<Vec<u32>>());
        assert_eq!(parts(103, 7).0, training);
        assert_eq!(parts(MOST_PAGES * 3, 1).0.len() + parts(MOST_PAGES * 3, 1).1.len(), MOST_PAGES);
    }

    #[test]
    fn what_cannot_be_trained_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let again = Again {
            folder: folder.path().to_owned(),
            policy: "gp:gp.toml".into(),
            file: folder.path().join("gp.toml"),
            cycle: Span::HOUR,
            budget: 10,
        };
        let row = again.train(Time::from_secs(5));
        assert!(!row.adopted && row.detail.starts_with("the model was not trained again: "), "{}", row.detail);
    }
}
