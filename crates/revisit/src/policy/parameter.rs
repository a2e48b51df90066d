//! What can be set about a policy: numbers within a range and choices among words, written `key=value`.

use super::registry::PolicyError;
use crate::model::Model;
use crate::{Span, Time};

/// Something that changes how a policy works.
pub struct Parameter {
    /// The name users write before the `=`.
    pub name: &'static str,
    /// Its value unless set, as users write it.
    pub default: &'static str,
    /// What values there are.
    pub kind: Kind,
    /// What it means.
    pub meaning: &'static str,
}

/// What values a parameter can have.
pub enum Kind {
    /// A number from the first to the second.
    Number(f64, f64),
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl Parameter {
    /// A parameter that is a number from `least` to `most`.
    pub(crate) const fn number(
        name: &'static str,
        default: &'static str,
        (least, most): (f64, f64),
        meaning: &'static str,
    ) -> Parameter {
        Parameter { name, default, kind: Kind::Number(least, most), meaning }
    }

    /// A parameter that is one of `words`, the first unless set.
    pub(crate) const fn choice(name: &'static str, words: &'static [&'static str], meaning: &'static str) -> Parameter {
        Parameter { name, default: words[0], kind: Kind::Choice(words), meaning }
    }

    /// The value a text stands for: a number, or the place of a word among the choices.
    fn read(&self, policy: &'static str, text: &str) -> Result<f64, PolicyError> {
        let value = match self.kind {
            Kind::Number(least, most) => text.parse().ok().filter(|number| (least..=most).contains(number)),
            Kind::Choice(words) => words.iter().position(|word| *word == text).map(|place| place as f64),
        };
        value.ok_or_else(|| PolicyError::BadValue {
            policy,
            name: self.name,
            value: text.to_owned(),
            expected: self.expected(),
        })
    }

    fn expected(&self) -> String {
        match self.kind {
            Kind::Number(least, most) => format!("a number from {least} to {most}"),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
        }
    }
}

/// What the lab alone knows of the pages it plays, by page.
#[derive(Clone, Copy, Debug)]
pub struct Truth<'a> {
    /// The true mean time between two changes; for a page that never changes, longer than anything the lab plays.
    pub mean_intervals: &'a [Span],
    /// When it changed, oldest first.
    pub changes: &'a [&'a [Time]],
}

/// What a policy may be given beside its parameters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Supplies<'a> {
    /// The truth, in the lab.
    pub truth: Option<Truth<'a>>,
    /// The model that the text names.
    pub model: Option<&'a Model>,
}

/// What a policy is built from: its parameters, defaults filled in, and the truth if there is one.
pub(crate) struct Values<'a> {
    parameters: &'static [Parameter],
    values: Vec<f64>,
    pub(crate) truth: Option<Truth<'a>>,
}

impl<'a> Values<'a> {
    /// Reads `key=value&key=value`.
    pub(crate) fn read(
        policy: &'static str,
        parameters: &'static [Parameter],
        settings: &str,
        truth: Option<Truth<'a>>,
    ) -> Result<Values<'a>, PolicyError> {
        let defaults = parameters.iter().map(|parameter| parameter.read(policy, parameter.default));
        let mut values: Vec<f64> = defaults.collect::<Result<_, _>>()?;
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            let (key, text) = setting.split_once('=').unwrap_or((setting, ""));
            let place = parameters.iter().position(|parameter| parameter.name == key);
            let place = place.ok_or_else(|| unknown(policy, parameters, key))?;
            values[place] = parameters[place].read(policy, text)?;
        }
        Ok(Values { parameters, values, truth })
    }

    /// The number a parameter was set to.
    pub(crate) fn number(&self, name: &str) -> f64 {
        let place = self.parameters.iter().position(|parameter| parameter.name == name);
        // A builder asks only for parameters its own entry lists; the contract suite builds every entry.
        place.map_or(f64::NAN, |place| self.values[place])
    }

    /// Whether a choice fell on `word`.
    pub(crate) fn is(&self, name: &str, word: &str) -> bool {
        let parameter = self.parameters.iter().find(|parameter| parameter.name == name);
        let Some(Parameter { kind: Kind::Choice(words), .. }) = parameter else { return false };
        words.get(self.number(name) as usize) == Some(&word)
    }
}

fn unknown(policy: &'static str, parameters: &[Parameter], key: &str) -> PolicyError {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    PolicyError::UnknownParameter { policy, name: key.to_owned(), known }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &[Parameter] = &[
        Parameter::number("size", "2", (1.0, 9.0), "how large"),
        Parameter::choice("colour", &["red", "green"], "which colour"),
    ];

    fn read(settings: &str) -> Result<Values<'static>, PolicyError> {
        Values::read("paint", PARAMETERS, settings, None)
    }

    #[test]
    fn defaults_hold_unless_set() {
        let values = read("").unwrap();
        assert_eq!((values.number("size"), values.is("colour", "red")), (2.0, true));
        let values = read("colour=green&size=3.5").unwrap();
        assert_eq!(
            (values.number("size"), values.is("colour", "red"), values.is("colour", "green")),
            (3.5, false, true)
        );
    }

    #[test]
    fn errors_say_what_would_do() {
        let said = |settings| read(settings).err().unwrap().to_string();
        assert_eq!(said("colour=blue"), "policy 'paint': colour = 'blue' is not one of red, green");
        assert_eq!(said("size=NaN"), "policy 'paint': size = 'NaN' is not a number from 1 to 9");
        assert_eq!(said("size"), "policy 'paint': size = '' is not a number from 1 to 9");
        assert_eq!(said("shape=1"), "policy 'paint' has no parameter 'shape'; it has size, colour");
    }
}
