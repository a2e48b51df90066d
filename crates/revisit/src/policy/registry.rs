//! The only list of policies: command line, configuration, documentation and tests read it.
//!
//! A policy is written `name` or `name?key=value&key=value`. Adding one takes its file and one entry here.

use super::nutch_adaptive::{NutchAdaptive, Steps};
use super::{Policy, age::Age, cg::Cg, nad::Nad, proportional::Proportional, rand::Rand, uniform::Uniform};
use crate::Span;

/// What the registry knows of one policy.
pub struct Entry {
    /// The name users write.
    pub name: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    build: fn(&Values) -> Box<dyn Policy>,
}

/// A number that changes how a policy works.
pub struct Parameter {
    /// The name users write before the `=`.
    pub name: &'static str,
    /// Its value unless set.
    pub default: f64,
    /// The least and the greatest value that make sense.
    pub range: (f64, f64),
    /// What it means.
    pub meaning: &'static str,
}

/// Why a policy cannot be had.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum PolicyError {
    /// No such name.
    #[error("there is no policy '{name}'; the nearest names are {}", nearest.join(", "))]
    UnknownPolicy {
        /// What was asked for.
        name: String,
        /// What may have been meant.
        nearest: Vec<&'static str>,
    },
    /// The policy has no such parameter.
    #[error("policy '{policy}' has no parameter '{name}'; it has {known}")]
    UnknownParameter {
        /// The policy.
        policy: &'static str,
        /// The parameter asked for.
        name: String,
        /// The parameters there are.
        known: String,
    },
    /// The value is no number or makes no sense.
    #[error("policy '{policy}': {name} = '{value}' is not a number from {least} to {most}")]
    BadValue {
        /// The policy.
        policy: &'static str,
        /// The parameter.
        name: &'static str,
        /// What was written.
        value: String,
        /// The least value that makes sense.
        least: f64,
        /// The greatest value that makes sense.
        most: f64,
    },
}

/// Every policy there is.
pub static POLICIES: &[Entry] = &[
    Entry {
        name: "age",
        paper: "Santos 2013 (baseline Age)",
        summary: "round robin: the page not seen for longest goes first",
        parameters: &[],
        build: |_| Box::new(Age::new()),
    },
    Entry {
        name: "rand",
        paper: "Santos 2013 (baseline Rand)",
        summary: "pages at random",
        parameters: &[Parameter {
            name: "seed",
            default: 1.0,
            range: (0.0, 9e15),
            meaning: "the seed of the random order",
        }],
        build: |values| Box::new(Rand::new(values.of("seed") as u64)),
    },
    Entry {
        name: "uniform",
        paper: "Cho & Garcia-Molina 2003",
        summary: "one interval for all pages, as short as the budget allows",
        parameters: &[],
        build: |_| Box::new(Uniform::new()),
    },
    Entry {
        name: "proportional",
        paper: "Cho & Garcia-Molina 2003",
        summary: "visits in proportion to change rates",
        parameters: &[],
        build: |_| Box::new(Proportional::new()),
    },
    Entry {
        name: "cg",
        paper: "Cho & Garcia-Molina 2003; Santos 2013 (CG)",
        summary: "the page with the highest change rate first",
        parameters: &[],
        build: |_| Box::new(Cg),
    },
    Entry {
        name: "nad",
        paper: "Santos 2013 (NAD)",
        summary: "the page most likely to have changed first, from the plain mean of its past",
        parameters: &[],
        build: |_| Box::new(Nad::new()),
    },
    Entry {
        name: "nutch-adaptive",
        paper: "Apache Nutch, AdaptiveFetchSchedule",
        summary: "an interval per page: longer after an unchanged visit, shorter after a changed one",
        parameters: &[
            Parameter { name: "start", default: 1.0, range: (1e-4, 3650.0), meaning: "first interval, in days" },
            Parameter { name: "grow", default: 0.4, range: (0.0, 100.0), meaning: "longer by this share" },
            Parameter { name: "shrink", default: 0.2, range: (0.0, 0.99), meaning: "shorter by this share" },
            Parameter { name: "min", default: 60.0, range: (1.0, 1e9), meaning: "least interval, in seconds" },
            Parameter { name: "max", default: 365.0, range: (1e-4, 36500.0), meaning: "greatest interval, in days" },
        ],
        build: |values| {
            let min = Span::from_secs(1) * values.of("min");
            let max = (Span::DAY * values.of("max")).max(min);
            let start = (Span::DAY * values.of("start")).clamp(min, max);
            Box::new(NutchAdaptive::new(Steps {
                start,
                grow: values.of("grow"),
                shrink: values.of("shrink"),
                min,
                max,
            }))
        },
    },
];

/// The values of an entry's parameters, defaults filled in.
struct Values {
    parameters: &'static [Parameter],
    values: Vec<f64>,
}

impl Values {
    fn of(&self, name: &str) -> f64 {
        let index = self.parameters.iter().position(|parameter| parameter.name == name);
        // A builder asks only for parameters its own entry lists; the contract suite builds every entry.
        index.map_or(f64::NAN, |index| self.values[index])
    }
}

/// Builds the policy that `text` names, with its parameters.
///
/// ```
/// use revisit::policy::registry::build;
/// assert!(build("nutch-adaptive?grow=0.5&shrink=0.5").is_ok());
/// let error = build("agee").err().unwrap();
/// assert!(error.to_string().starts_with("there is no policy 'agee'; the nearest names are age"));
/// ```
pub fn build(text: &str) -> Result<Box<dyn Policy>, PolicyError> {
    let (name, settings) = text.split_once('?').unwrap_or((text, ""));
    let entry = find(name)?;
    let mut values: Vec<f64> = entry.parameters.iter().map(|parameter| parameter.default).collect();
    for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
        let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
        let index = entry.parameters.iter().position(|parameter| parameter.name == key);
        let index = index.ok_or_else(|| unknown_parameter(entry, key))?;
        values[index] = number(entry, &entry.parameters[index], value)?;
    }
    Ok((entry.build)(&Values { parameters: entry.parameters, values }))
}

fn find(name: &str) -> Result<&'static Entry, PolicyError> {
    POLICIES.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let mut nearest: Vec<&'static str> = POLICIES.iter().map(|entry| entry.name).collect();
        nearest.sort_by_key(|known| strsim::damerau_levenshtein(known, name));
        nearest.truncate(3);
        PolicyError::UnknownPolicy { name: name.to_owned(), nearest }
    })
}

fn unknown_parameter(entry: &Entry, key: &str) -> PolicyError {
    let names: Vec<&str> = entry.parameters.iter().map(|parameter| parameter.name).collect();
    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    PolicyError::UnknownParameter { policy: entry.name, name: key.to_owned(), known }
}

fn number(entry: &'static Entry, parameter: &'static Parameter, value: &str) -> Result<f64, PolicyError> {
    let (least, most) = parameter.range;
    match value.parse::<f64>() {
        Ok(number) if number >= least && number <= most => Ok(number),
        _ => Err(PolicyError::BadValue {
            policy: entry.name,
            name: parameter.name,
            value: value.to_owned(),
            least,
            most,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_thing_and_the_remedy() {
        let said = |text: &str| build(text).err().unwrap().to_string();
        assert_eq!(said("age?speed=2"), "policy 'age' has no parameter 'speed'; it has none");
        assert_eq!(said("rand?seed=x"), "policy 'rand': seed = 'x' is not a number from 0 to 9000000000000000");
        assert!(said("nutch").contains("nearest names are"));
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = POLICIES.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), POLICIES.len());
    }
}
