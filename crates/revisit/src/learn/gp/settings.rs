//! How formulas are bred: the parameters of the thesis, with its values as defaults.

use crate::model::formula::Variable;

/// How parents are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The better of two drawn at random, as the thesis writes.
    Thesis,
    /// The best of so many drawn at random.
    Tournament(usize),
}

impl Selection {
    /// The usual tournament of genetic programming.
    pub const TOURNAMENT: Selection = Selection::Tournament(7);

    /// How many are drawn.
    pub const fn size(self) -> usize {
        match self {
            Selection::Thesis => 2,
            Selection::Tournament(size) => size,
        }
    }

    /// What users write: `thesis`, `tournament` (of 7) or `tournament:5`.
    pub fn from_name(name: &str) -> Option<Selection> {
        match name.split_once(':') {
            None if name == "thesis" => Some(Selection::Thesis),
            None if name == "tournament" => Some(Selection::TOURNAMENT),
            Some(("tournament", size)) => size.parse().ok().map(Selection::Tournament),
            _ => None,
        }
    }
}

/// How the result is chosen among the formulas kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The best in training.
    #[default]
    Best,
    /// The highest training + validation − σ.
    Sum,
    /// The highest mean of training and validation − σ.
    Average,
}

impl Choice {
    /// Every way to choose.
    pub const ALL: [Choice; 3] = [Choice::Best, Choice::Sum, Choice::Average];

    /// The name users write.
    pub const fn name(self) -> &'static str {
        match self {
            Choice::Best => "best",
            Choice::Sum => "sum",
            Choice::Average => "average",
        }
    }

    /// The choice of a name; the inverse of [`Choice::name`].
    pub fn from_name(name: &str) -> Option<Choice> {
        Choice::ALL.into_iter().find(|choice| choice.name() == name)
    }
}

/// How formulas are bred.
///
/// The rates of the thesis add up to more than one, so they cannot be shares of one draw. Reading, after the library the
/// thesis used: a place in the next generation goes to a selected formula as it is with the probability `reproduction`;
/// else, with the probability `crossover`, two selected formulas are crossed and both children take a place; else a
/// selected formula takes it. Whatever was not reproduced then shrinks with the probability `shrink`, and a node of it is
/// replaced with the probability `replacement`. Elites take the first places, unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The seed of everything random.
    pub seed: u64,
    /// Formulas in a generation.
    pub population: usize,
    /// Generations, the first one included.
    pub generations: usize,
    /// The greatest depth at the beginning.
    pub depth: usize,
    /// The greatest depth of the children of a crossover.
    pub crossover_depth: usize,
    /// The probability of a crossover.
    pub crossover: f64,
    /// The probability of a copy.
    pub reproduction: f64,
    /// The probability that a child shrinks.
    pub shrink: f64,
    /// The probability that a node of a child is replaced.
    pub replacement: f64,
    /// How many of the best formulas of a generation are in the next one.
    pub elites: usize,
    /// How parents are chosen.
    pub selection: Selection,
    /// How many of the best formulas of all generations are kept for validation.
    pub kept: usize,
    /// How the result is chosen among them.
    pub choice: Choice,
    /// What each node of a formula costs of its fitness; 0 in the thesis.
    pub parsimony: f64,
    /// What formulas may know of a page.
    pub variables: Vec<Variable>,
}

impl Default for Settings {
    /// The thesis' values.
    fn default() -> Settings {
        Settings {
            seed: 111,
            population: 300,
            generations: 50,
            depth: 10,
            crossover_depth: 9,
            crossover: 0.9,
            reproduction: 0.15,
            shrink: 0.05,
            replacement: 0.05,
            elites: 1,
            selection: Selection::Thesis,
            kept: 50,
            choice: Choice::Best,
            parsimony: 0.0,
            variables: Variable::THESIS.to_vec(),
        }
    }
}

/// A setting that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name} = {value} makes no sense for breeding formulas: use {range}")]
pub struct BadSetting {
    /// Which.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// What would make sense.
    pub range: &'static str,
}

impl Settings {
    /// The settings, if every one makes sense.
    pub fn checked(self) -> Result<Settings, BadSetting> {
        let within = |name, value: f64, least: f64, most: f64, range| {
            if (least..=most).contains(&value) { Ok(()) } else { Err(BadSetting { name, value, range }) }
        };
        within("population", self.population as f64, 2.0, 1e6, "2 to 1,000,000")?;
        within("generations", self.generations as f64, 1.0, 1e6, "1 to 1,000,000")?;
        // Half the depth that formulas can have, so that no child of a crossover passes it on the way.
        within("depth", self.depth as f64, 2.0, 16.0, "2 to 16")?;
        within("crossover_depth", self.crossover_depth as f64, 2.0, 16.0, "2 to 16")?;
        within("crossover", self.crossover, 0.0, 1.0, "0 to 1")?;
        within("reproduction", self.reproduction, 0.0, 1.0, "0 to 1")?;
        within("shrink", self.shrink, 0.0, 1.0, "0 to 1")?;
        within("replacement", self.replacement, 0.0, 1.0, "0 to 1")?;
        within("elites", self.elites as f64, 0.0, self.population as f64, "0 to the population")?;
        within("tournament", self.selection.size() as f64, 1.0, 1e3, "1 to 1,000")?;
        within("kept", self.kept as f64, 1.0, 1e4, "1 to 10,000")?;
        within("parsimony", self.parsimony, 0.0, 1.0, "0 to 1")?;
        within("variables", self.variables.len() as f64, 1.0, 100.0, "at least one")?;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_how_parents_and_results_are_chosen() {
        assert_eq!(Selection::from_name("thesis").map(Selection::size), Some(2));
        assert_eq!(Selection::from_name("tournament").map(Selection::size), Some(7));
        assert_eq!(Selection::from_name("tournament:5").map(Selection::size), Some(5));
        assert_eq!(Selection::from_name("roulette"), None);
        assert!(Choice::ALL.into_iter().all(|choice| Choice::from_name(choice.name()) == Some(choice)));
    }

    #[test]
    fn a_setting_that_makes_no_sense_is_named() {
        let bad = Settings { crossover: f64::NAN, ..Settings::default() }.checked().unwrap_err();
        assert_eq!(bad.to_string(), "crossover = NaN makes no sense for breeding formulas: use 0 to 1");
        assert!(Settings::default().checked().is_ok());
        assert!(Settings { variables: vec![], ..Settings::default() }.checked().is_err());
    }
}
