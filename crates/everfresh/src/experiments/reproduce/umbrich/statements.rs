//! What Umbrich, Mrzelj & Polleres state of their strategies, held against the numbers of a run.

use super::text::pages;
use super::{Group, Strategy};

/// How close two shares must be to be called very similar.
const SIMILAR: f64 = 0.1;
/// How many pages a group must have for its numbers to say anything.
const ENOUGH: usize = 10;

/// One paragraph: which statements held and which did not, with the numbers that decided.
pub(super) fn of(groups: &[Group]) -> String {
    let find = |name: &str| groups.iter().find(|group| group.name == name && group.pages >= ENOUGH);
    let mut judged: Vec<(bool, String)> = Vec::new();
    if let Some(all) = find("all pages") {
        let statements = [week(all), window(all), states_before_snapshots(all), better_with_time(all)];
        judged.extend(statements.into_iter().flatten());
    }
    judged.extend(find("2–7 days").and_then(states_near_gold));
    judged.extend(find("4–6 months").and_then(window_near_gold));
    let part = |wanted: bool| {
        let said = judged.iter().filter(|(held, _)| *held == wanted).map(|(_, said)| said.as_str());
        said.collect::<Vec<_>>().join("; ")
    };
    let few = groups.iter().filter(|group| group.pages < ENOUGH);
    let few = few.map(|group| format!("{} ({})", group.name, pages(group))).collect::<Vec<_>>().join(", ");
    let parts = [
        ("What held of the paper's statements", part(true)),
        ("What did not hold", part(false)),
        ("Too few pages to judge", few),
    ];
    let sentences =
        parts.iter().filter(|(_, said)| !said.is_empty()).map(|(opening, said)| format!("{opening}: {said}."));
    sentences.collect::<Vec<_>>().join(" ")
}

/// A strategy's recall and precision, to be read.
fn numbers(strategy: &Strategy) -> String {
    format!("{} recall {:.3}, precision {:.3}", strategy.name, strategy.recall, strategy.precision)
}

/// The strategies that have to find out how often a page changes.
fn adaptive(group: &Group) -> impl Iterator<Item = &Strategy> {
    group.strategies.iter().filter(|strategy| !["gold", "week"].contains(&strategy.name))
}

fn week(all: &Group) -> Option<(bool, String)> {
    let week = all.strategy("week")?;
    let held = adaptive(all).all(|other| week.recall >= other.recall && week.precision <= other.precision);
    Some((held, format!("visiting every week has the best recall and the worst precision ({})", numbers(week))))
}

fn window(all: &Group) -> Option<(bool, String)> {
    let window = all.strategy("window")?;
    let held = adaptive(all).all(|other| window.recall <= other.recall && window.precision >= other.precision);
    Some((held, format!("window trades recall for precision more than any other ({})", numbers(window))))
}

fn states_before_snapshots(all: &Group) -> Option<(bool, String)> {
    let [states, snapshots] =
        [["state-1", "state-2"], ["fix", "dyn"]].map(|names| names.map(|name| all.strategy(name)));
    let ([Some(one), Some(two)], [Some(fix), Some(dynamic)]) = (states, snapshots) else { return None };
    let above = |state: &Strategy| {
        [fix, dynamic].iter().all(|other| state.recall >= other.recall && state.precision <= other.precision)
    };
    let listed = [one, two, fix, dynamic].map(numbers).join("; ");
    let said = "the Markov chains have more recall and less precision than fix and dyn";
    Some((above(one) && above(two), format!("{said} ({})", listed.replace("; ", " / "))))
}

fn better_with_time(all: &Group) -> Option<(bool, String)> {
    let moves = |strategy: &Strategy| {
        format!("{} {:.3} → {:.3}", strategy.name, strategy.precision_first, strategy.precision_last)
    };
    let listed: Vec<String> = adaptive(all).map(moves).collect();
    let held = adaptive(all).all(|strategy| strategy.precision_last > strategy.precision_first);
    let said = "precision grows with time, from the first third to the last";
    (!listed.is_empty()).then(|| (held, format!("{said} ({})", listed.join(", "))))
}

fn near(left: &Strategy, right: &Strategy) -> bool {
    (left.recall - right.recall).abs() <= SIMILAR && (left.precision - right.precision).abs() <= SIMILAR
}

fn states_near_gold(fast: &Group) -> Option<(bool, String)> {
    let (one, two, gold) = (fast.strategy("state-1")?, fast.strategy("state-2")?, fast.strategy("gold")?);
    let said = "for pages that change every 2 to 7 days the Markov chains come close to the true change interval";
    let listed = [one, two, gold].map(numbers).join(" / ");
    Some((near(one, gold) && near(two, gold), format!("{said} ({listed})")))
}

fn window_near_gold(slow: &Group) -> Option<(bool, String)> {
    let (window, gold) = (slow.strategy("window")?, slow.strategy("gold")?);
    let said = "for pages that change every 4 to 6 months window is very similar to the true change interval";
    Some((near(window, gold), format!("{said} ({} / {})", numbers(window), numbers(gold))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strategy(name: &'static str, recall: f64, precision: f64) -> Strategy {
        let (precision_first, precision_last) = (precision - 0.1, precision + 0.1);
        Strategy { name, recall, precision, downloads: 1, precision_first, precision_last, cycles: vec![] }
    }

    #[test]
    fn numbers_decide_what_held() {
        let strategies = || {
            let adaptive = [strategy("fix", 0.6, 0.4), strategy("dyn", 0.61, 0.4), strategy("window", 0.2, 0.8)];
            let states = [strategy("state-1", 0.7, 0.3), strategy("state-2", 0.5, 0.3)];
            let references = [strategy("gold", 0.55, 0.5), strategy("week", 0.9, 0.1)];
            adaptive.into_iter().chain(states).chain(references).collect()
        };
        let group = |name, pages| Group { name, pages, strategies: strategies() };
        let text = of(&[group("all pages", 40), group("2–7 days", 3), group("4–6 months", 20)]);
        let (held, failed) = text.split_once("What did not hold").unwrap();
        assert!(["every week", "window trades", "precision grows"].iter().all(|said| held.contains(said)), "{held}");
        assert!(
            ["Markov chains have more", "window is very similar"].iter().all(|said| failed.contains(said)),
            "{failed}"
        );
        assert!(failed.contains("Too few pages to judge: 2–7 days (3 pages)."), "{failed}");
    }
}
