//! Change-rate groups for the policies `historic` and `bayesian` (Barbosa et al. 2005).

use std::str::FromStr;

use revisit::Span;
use revisit::lab::cut::Cut;
use revisit::learn::groups::{COUNTS, Groups, USUAL_COUNT, choices, most_distinct};
use revisit::model::Model;
use revisit::model::groups::Grouping;

use super::{TrainError, provenance};
use crate::models::{Provenance, Trained};

/// How many groups there shall be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// So many.
    Exactly(usize),
    /// As many as are most distinct.
    MostDistinct,
}

impl Default for Count {
    /// As many as the paper chose.
    fn default() -> Count {
        Count::Exactly(USUAL_COUNT)
    }
}

impl FromStr for Count {
    type Err = String;
    fn from_str(text: &str) -> Result<Count, String> {
        match text.parse() {
            _ if text == "auto" => Ok(Count::MostDistinct),
            Ok(count) if COUNTS.contains(&count) => Ok(Count::Exactly(count)),
            _ => Err(format!("'{text}' is no number of groups: write 2 to 6, or auto")),
        }
    }
}

/// Groups by number, and which were chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Two groups, three and so on, as far as there are enough different intervals.
    pub choices: Vec<Groups>,
    /// The place of those that were chosen.
    pub chosen: usize,
}

impl Found {
    /// The groups that were chosen.
    pub fn groups(&self) -> &Groups {
        &self.choices[self.chosen]
    }

    /// The groups as a model with its provenance, to be saved.
    pub fn trained(&self, cut: &Cut<'_>, seed: u64) -> Result<Trained, TrainError> {
        let model = Model::Groups(Grouping::new(self.groups().table(), None)?);
        let scores = [("silhouette".to_owned(), self.groups().silhouette())].into();
        Ok(Trained { model, provenance: Provenance { scores, ..provenance(cut, seed) } })
    }
}

/// Finds groups in the mean change intervals of pages.
pub fn find(intervals: &[Span], count: Count, seed: u64) -> Result<Found, TrainError> {
    let choices = choices(intervals, seed)?;
    let wanted = match count {
        Count::Exactly(count) => count,
        Count::MostDistinct => most_distinct(&choices).map_or(USUAL_COUNT, |groups| groups.clusters().len()),
    };
    let Some(chosen) = choices.iter().position(|groups| groups.clusters().len() == wanted) else {
        // It is not among them, so this says why.
        let groups = Groups::fit(intervals, wanted, seed)?;
        return Ok(Found { choices: vec![groups], chosen: 0 });
    };
    Ok(Found { choices, chosen })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_asked_for_is_chosen() {
        let intervals: Vec<Span> = (0..30).map(|n| Span::DAY * f64::from([1, 1, 1, 2, 40][n % 5])).collect();
        let found = |count| find(&intervals, count, 1).map(|found| found.groups().clusters().len());
        assert_eq!(found(Count::Exactly(3)).unwrap(), 3);
        assert_eq!(found(Count::MostDistinct).unwrap(), 3, "no group has a spread");
        let said = found(Count::default()).unwrap_err().to_string();
        assert!(said.contains("3 different mean change intervals do not make 4 groups"), "{said}");
        assert_eq!(find(&intervals, Count::Exactly(2), 1).unwrap().choices.len(), 2);
    }

    #[test]
    fn counts_are_written_as_numbers_or_auto() {
        assert_eq!(("auto".parse(), "5".parse()), (Ok(Count::MostDistinct), Ok(Count::Exactly(5))));
        assert!(["1", "7", "many", ""].iter().all(|wrong| wrong.parse::<Count>().is_err()));
    }
}
