//! A run as text, so that one that was killed goes on from its last generation and ends with the same result.
//!
//! One line for the format, one for what the run is about, a few counts, then the formulas kept with their values and the
//! population, a line each. The random numbers need no line: each generation has its own. Nor do remembered values: they
//! are computed again.

use std::str::FromStr;

use super::evaluate::Trial;
use super::evolve::{Evolution, Individual};
use super::graph::Graph;
use super::settings::{BadSetting, Settings};
use crate::model::formula::Formula;

/// The first line of every checkpoint.
const FORMAT: &str = "gp checkpoint 2";

/// Why a run cannot be taken up.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ResumeError {
    /// Another kind of text, or another version.
    #[error("this is no checkpoint of this version: it does not begin with '{FORMAT}'; begin the run anew")]
    Format,
    /// It is about another run.
    #[error(
        "the checkpoint is of a run with other settings or other pages; begin anew, or use the same ones:\n  {found}\n  {wanted}"
    )]
    OtherRun {
        /// What the checkpoint is about.
        found: String,
        /// What it should be about.
        wanted: String,
    },
    /// A line is missing or cannot be read.
    #[error("the checkpoint is damaged at line {line}: expected {expected}; begin the run anew")]
    Damaged {
        /// Which line, counted from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
    },
    /// The settings make no sense.
    #[error(transparent)]
    Setting(#[from] BadSetting),
}

impl<'a> Evolution<'a> {
    /// Everything needed to go on from here, as text.
    pub fn checkpoint(&self) -> String {
        let mut text = format!("{FORMAT}\n{}\n", subject(&self.settings, self.training));
        text += &format!("generation {}\nsimulated {}\n", self.generation, self.simulated());
        text += &format!("kept {}\n", self.kept.len());
        self.kept.iter().for_each(|kept| text += &format!("{:?} {:?} {}\n", kept.value, kept.fitness, kept.formula));
        text += &format!("population {}\n", self.population.len());
        self.population.iter().for_each(|formula| text += &format!("{formula}\n"));
        // The last line shows that none is missing.
        text + "end\n"
    }

    /// Takes up a run from a checkpoint made with the same settings and the same trial.
    pub fn resume(settings: Settings, training: &'a Trial<'a>, text: &str) -> Result<Evolution<'a>, ResumeError> {
        let mut evolution = Evolution::new(settings, training)?;
        let mut lines = Lines { lines: text.lines(), line: 0 };
        if lines.next() != Some(FORMAT) {
            return Err(ResumeError::Format);
        }
        let wanted = subject(&evolution.settings, training);
        let found = lines.next().unwrap_or_default();
        if found != wanted {
            return Err(ResumeError::OtherRun { found: found.to_owned(), wanted });
        }
        let generation = lines.count("generation", "generation and its number")?;
        let simulated = lines.count("simulated", "simulated and a count")?;
        let kept = (0..lines.count("kept", "kept and a count")?).map(|_| lines.kept()).collect::<Result<_, _>>()?;
        let size = lines.count("population", "population and the count in the settings")?;
        if size != evolution.settings.population {
            return Err(lines.damaged("population and the count in the settings"));
        }
        let population = (0..size).map(|_| lines.formula()).collect::<Result<_, _>>()?;
        if lines.next() != Some("end") {
            return Err(lines.damaged("end"));
        }
        evolution.continued(generation, population, kept, simulated as u64);
        Ok(evolution)
    }
}

/// What a run is about, in one line: whatever changes its result.
fn subject(settings: &Settings, training: &Trial<'_>) -> String {
    format!("{settings:?} {}", training.describe())
}

/// The lines of a checkpoint.
struct Lines<'a> {
    lines: std::str::Lines<'a>,
    line: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.line += 1;
        self.lines.next()
    }

    fn damaged(&self, expected: &'static str) -> ResumeError {
        ResumeError::Damaged { line: self.line, expected }
    }

    fn count(&mut self, name: &str, expected: &'static str) -> Result<usize, ResumeError> {
        let count = self.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
        count.ok_or_else(|| self.damaged(expected))
    }

    fn formula(&mut self) -> Result<Formula, ResumeError> {
        let formula = self.next().and_then(|line| line.parse().ok());
        formula.ok_or_else(|| self.damaged("a formula"))
    }

    fn kept(&mut self) -> Result<Individual, ResumeError> {
        let read = |line: &str| {
            let (value, rest) = line.split_once(' ')?;
            let (fitness, formula) = rest.split_once(' ')?;
            let finite = |text: &str| f64::from_str(text).ok().filter(|value| value.is_finite());
            let formula: Formula = formula.parse().ok()?;
            let (graph, root) = Graph::of(&formula);
            Some(Individual {
                identity: graph.identity(root),
                formula,
                value: finite(value)?,
                fitness: finite(fitness)?,
            })
        };
        let kept = self.next().and_then(read);
        kept.ok_or_else(|| self.damaged("a value, a fitness and a formula"))
    }
}
