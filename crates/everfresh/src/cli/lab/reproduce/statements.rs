//! What Umbrich, Mrzelj & Polleres state of their strategies, held against the numbers of a run.

use super::umbrich::{Group, Strategy};

/// How close two shares must be to be called very similar.
const SIMILAR: f64 = 0.1;

/// One paragraph: which statements held and which did not, with the numbers that decided.
pub(super) fn of(groups: &[Group]) -> String {
    let find = |name: &str| groups.iter().find(|group| group.name == name && group.pages > 0);
    let mut judged: Vec<(bool, String)> = Vec::new();
    if let Some(all) = find("all pages") {
        judged.extend(
            [week(all), window(all), states_before_snapshots(all), better_with_time(all)].into_iter().flatten(),
        );
    }
    judged.extend(find("2–7 days").and_then(states_near_gold));
    judged.extend(find("4–6 months").and_then(window_near_gold));
    let part = |wanted: bool| {
        let said = judged.iter().filter(|(held, _)| *held == wanted).map(|(_, said)| said.as_str());
        said.collect::<Vec<_>>().join("; ")
    };
    let (held, failed) = (part(true), part(false));
    let held = if held.is_empty() { String::new() } else { format!("What held of the paper's statements: {held}. ") };
    let failed = if failed.is_empty() { String::new() } else { format!("What did not hold: {failed}.") };
    (held + &failed).trim_end().to_owned()
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
