//! Synthetic worlds: seeded traces whose laws of change are known. The only list of them.
//!
//! A world is written `name` or `name?key=value&key=value`. Each page draws from a random stream of its own, so the first
//! pages of a larger world are those of a smaller one. Adding a world takes its file and one entry here.

mod brdc12_like;
mod general;

use super::trace::Trace;

/// What is known of one world.
pub struct World {
    /// The name users write.
    pub name: &'static str,
    /// What it is like, in one line.
    pub summary: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    make: fn(&str, Extent, &Values) -> Trace,
}

/// A number that shapes a world.
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

/// How many pages, and which of all the worlds of a kind.
#[derive(Clone, Copy, Debug)]
struct Extent {
    pages: u32,
    seed: u64,
}

/// Every world there is.
pub static WORLDS: &[World] = &[brdc12_like::WORLD, general::WORLD];

/// Why a world cannot be had.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// No such name.
    #[error("there is no world '{name}'; there are {}", names().join(", "))]
    UnknownWorld {
        /// What was asked for.
        name: String,
    },
    /// The world has no such parameter.
    #[error("world '{world}' has no parameter '{name}'; it has {known}")]
    UnknownParameter {
        /// The world.
        world: &'static str,
        /// The parameter asked for.
        name: String,
        /// The parameters there are.
        known: String,
    },
    /// The value is no number or makes no sense.
    #[error("world '{world}': {name} = '{value}' is not a number from {} to {}", range.0, range.1)]
    BadValue {
        /// The world.
        world: &'static str,
        /// The parameter.
        name: &'static str,
        /// What was written.
        value: String,
        /// The least and the greatest value that make sense.
        range: (f64, f64),
    },
}

/// The values of a world's parameters, defaults filled in.
struct Values {
    parameters: &'static [Parameter],
    values: Vec<f64>,
}

impl Values {
    fn of(&self, name: &str) -> f64 {
        let index = self.parameters.iter().position(|parameter| parameter.name == name);
        // A world asks only for parameters its own entry lists; a test makes every world.
        index.map_or(f64::NAN, |index| self.values[index])
    }
}

/// Makes the world that `text` names, with its parameters, as a trace of the same name.
///
/// ```
/// use revisit::lab::world;
/// let trace = world::make("general?days=30", 100, 1).unwrap();
/// assert_eq!((trace.len(), trace.name.as_str()), (100, "general?days=30"));
/// let error = world::make("flat", 100, 1).unwrap_err();
/// assert_eq!(error.to_string(), "there is no world 'flat'; there are brdc12-like, general");
/// ```
pub fn make(text: &str, pages: u32, seed: u64) -> Result<Trace, WorldError> {
    let (name, settings) = text.split_once('?').unwrap_or((text, ""));
    let world = WORLDS.iter().find(|world| world.name == name);
    let world = world.ok_or_else(|| WorldError::UnknownWorld { name: name.to_owned() })?;
    Ok((world.make)(text, Extent { pages, seed }, &world.values(settings)?))
}

fn names() -> Vec<&'static str> {
    WORLDS.iter().map(|world| world.name).collect()
}

impl World {
    fn values(&self, settings: &str) -> Result<Values, WorldError> {
        let mut values: Vec<f64> = self.parameters.iter().map(|parameter| parameter.default).collect();
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            let index = self.parameters.iter().position(|parameter| parameter.name == key);
            let index = index.ok_or_else(|| self.unknown_parameter(key))?;
            values[index] = self.number(&self.parameters[index], value)?;
        }
        Ok(Values { parameters: self.parameters, values })
    }

    fn unknown_parameter(&self, key: &str) -> WorldError {
        let names: Vec<&str> = self.parameters.iter().map(|parameter| parameter.name).collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        WorldError::UnknownParameter { world: self.name, name: key.to_owned(), known }
    }

    fn number(&self, parameter: &Parameter, value: &str) -> Result<f64, WorldError> {
        let (least, most) = parameter.range;
        let number = value.parse::<f64>().ok().filter(|number| (least..=most).contains(number));
        let (name, range) = (parameter.name, parameter.range);
        number.ok_or_else(|| WorldError::BadValue { world: self.name, name, value: value.to_owned(), range })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageId;

    #[test]
    fn errors_name_the_thing_and_the_remedy() {
        let said = |text: &str| make(text, 1, 1).unwrap_err().to_string();
        assert_eq!(said("brdc12-like?days=3"), "world 'brdc12-like' has no parameter 'days'; it has none");
        assert_eq!(said("general?days=x"), "world 'general': days = 'x' is not a number from 1 to 3650");
        assert_eq!(said("general?days=NaN"), "world 'general': days = 'NaN' is not a number from 1 to 3650");
        assert!(said("general?hue=1").starts_with("world 'general' has no parameter 'hue'; it has days, "));
    }

    #[test]
    fn a_world_is_its_name_pages_and_seed() {
        for world in WORLDS {
            let made = |pages, seed| make(world.name, pages, seed).unwrap();
            assert_eq!(made(500, 1), made(500, 1));
            assert_ne!(made(500, 1), made(500, 2));
            let (small, large) = (made(100, 1), made(500, 1));
            assert!(small.ids().all(|page| small.changes(page) == large.changes(page)), "{} grows", world.name);
            assert!(small.ids().all(|page| small.page(page) == large.page(page)), "{} grows", world.name);
            assert!(made(0, 1).is_empty());
        }
    }

    #[test]
    fn every_change_happens_while_the_page_is_there() {
        for world in WORLDS {
            let trace = make(world.name, 2_000, 3).unwrap();
            let fine = |page: PageId| {
                let (page, changes) = (trace.page(page), trace.changes(page));
                changes.iter().all(|change| (page.first_seen..page.last_seen).contains(change))
            };
            assert!(trace.ids().all(fine), "{}", world.name);
        }
    }
}
