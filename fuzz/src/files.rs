//! Files of users and of other tools: traces, models, configurations.

use everfresh::config::{Config, FILE};
use everfresh::models::Trained;
use everfresh::settings::Settings;
use everfresh::traces;
use revisit::model::formula::Formula;

use crate::input;

/// The tables of a trace: pages, changes, links.
pub(crate) fn traces(input: &[u8]) {
    let [pages, changes, links] = input::documents(input);
    input::file("pages.csv", pages);
    input::file("changes.csv", changes);
    input::file("links_last.csv", links);
    let Ok(trace) = traces::read_with_links(&input::folder()) else { return };
    let copy = input::folder().join("copy");
    let _ = std::fs::remove_dir_all(&copy);
    traces::write(&copy, &trace).expect("what was read can be written");
    let mut again = traces::read_with_links(&copy).expect("what was written can be read");
    again.name.clone_from(&trace.name);
    assert_eq!(again, trace);
}

/// Day strings.
pub(crate) fn days(input: &[u8]) {
    let Ok(trace) = traces::days::read(&input::file("days.txt", input)) else { return };
    let mut written = Vec::new();
    traces::days::write(&trace, &mut written).expect("writing to memory");
    let again = traces::days::read(&input::file("days.txt", &written)).expect("what was written can be read");
    assert_eq!(again, trace);
}

/// A model file.
pub(crate) fn models(input: &[u8]) {
    let Ok(trained) = Trained::load(&input::file("model.toml", input)) else { return };
    let path = input::folder().join("again.toml");
    trained.save(&path).expect("what was read can be written");
    let again = Trained::load(&path).expect("what was written can be read");
    // Not equal as values: numbers that are none are allowed among the scores, and none of them equals itself.
    assert_eq!(format!("{again:?}"), format!("{trained:?}"));
}

/// A formula as people write it.
pub(crate) fn formula(input: &[u8]) {
    let Ok(formula) = String::from_utf8_lossy(input).parse::<Formula>() else { return };
    assert_eq!(formula.to_string().parse(), Ok(formula.clone()));
    assert!(formula.evaluate(|_| 2.5).is_finite(), "{formula}");
    formula.explain(|_| 1e9);
}

/// A configuration, and an assignment of the command line: the first line.
pub(crate) fn config(input: &[u8]) {
    let (set, file) = input::line(input);
    input::file(FILE, file);
    let sets = if set.is_empty() { Vec::new() } else { vec![set] };
    match Config::load(&input::folder(), std::iter::empty(), &sets) {
        Ok(config) => drop(Settings::resolve(config)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
