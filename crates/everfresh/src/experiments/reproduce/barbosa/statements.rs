//! What Barbosa et al. state of their classifiers, held against the numbers of a run.

use super::summary::{BarbosaResults, Begun, Classified, Composed, Rate};

/// A statement, and whether it held.
type Judged = (bool, String);

/// One paragraph: which statements held and which did not, with the numbers that decided.
pub(super) fn of(results: &BarbosaResults) -> String {
    let judged: Vec<Judged> = [
        composition(&results.table_5),
        history(&results.table_5),
        content_and_bayesian(&results.table_5),
        beginnings(&results.table_3),
        pruning(&results.table_1),
        classifiers(&results.table_1),
        times(&results.table_1),
        features(results),
    ]
    .into_iter()
    .flatten()
    .collect();
    let part = |opening: &str, wanted: bool| {
        let said: Vec<&str> =
            judged.iter().filter(|(held, _)| *held == wanted).map(|(_, said)| said.as_str()).collect();
        if said.is_empty() { String::new() } else { format!("{opening}: {}. ", said.join("; ")) }
    };
    let text = part("What held of the paper's statements", true) + &part("What did not hold", false);
    text.trim_end().to_owned()
}

/// Error rates in percent.
fn listed<'a>(rates: impl IntoIterator<Item = (&'a str, &'a Rate)>) -> String {
    let said = rates.into_iter().map(|(name, rate)| format!("{name} {:.1} %", 100.0 * rate.error));
    said.collect::<Vec<_>>().join(", ")
}

fn composition(rows: &[Composed]) -> Option<Judged> {
    let [others @ .., best] = rows else { return None };
    let held = others.iter().all(|other| best.rate.error < other.rate.error);
    let near = others.iter().filter(|other| other.above.is_some_and(|above| above.low <= 0.0 && above.high >= 0.0));
    let unsure = match near.map(|other| other.policy).collect::<Vec<_>>().join(", ") {
        near if near.is_empty() => near,
        near => format!("; that it differs from {near} is not beyond doubt"),
    };
    let rates = listed(rows.iter().map(|row| (row.policy, &row.rate)));
    Some((held, format!("the tree, then the historic classifier, err least of the four ({rates}{unsure})")))
}

fn history(rows: &[Composed]) -> Option<Judged> {
    let [random_bayesian, random_historic, tree_bayesian, tree_historic] = rows else { return None };
    let less = |bayesian: &Composed, historic: &Composed| 100.0 * (bayesian.rate.error - historic.rate.error);
    let (random, tree) = (less(random_bayesian, random_historic), less(tree_bayesian, tree_historic));
    let said = "the historic classifier errs less than the Bayesian estimator, wherever pages begin";
    let points = format!("by {random:.1} points from random beginnings, by {tree:.1} from the tree's");
    Some((random > 0.0 && tree > 0.0, format!("{said} ({points})")))
}

fn content_and_bayesian(rows: &[Composed]) -> Option<Judged> {
    let [random, _, tree, _] = rows else { return None };
    let rates = listed([random, tree].map(|row| (row.policy, &row.rate)));
    let said = "a beginning by content is of no use to the Bayesian estimator";
    Some((tree.rate.error >= random.rate.error, format!("{said} ({rates})")))
}

fn beginnings(rows: &[Begun]) -> Option<Judged> {
    let [random, tree] = rows else { return None };
    let times = |random: f64, tree: f64| random / tree.max(1e-9);
    let (here, paper) = (times(random.rate.error, tree.rate.error), times(random.rate.paper, tree.rate.paper));
    let said = "content begins better than chance";
    let said = format!("{said} (chance errs {here:.1} times as often as the tree, in the paper {paper:.1} times)");
    Some((tree.rate.error < random.rate.error, said))
}

fn pruning(rows: &[Classified]) -> Option<Judged> {
    let [unpruned, pruned, ..] = rows else { return None };
    let leaves = |row: &Classified| row.leaves.unwrap_or_default();
    let of = |row: &Classified| format!("{:.0} leaves and {:.1} %", leaves(row), 100.0 * row.rate.error);
    let held = pruned.rate.error < unpruned.rate.error && leaves(pruned) < leaves(unpruned);
    Some((held, format!("pruning makes the tree smaller and better ({}, unpruned {})", of(pruned), of(unpruned))))
}

fn classifiers(rows: &[Classified]) -> Option<Judged> {
    let [_, pruned, bayes, ..] = rows else { return None };
    let held = rows.iter().all(|row| (pruned.rate.error..=bayes.rate.error).contains(&row.rate.error));
    let rates = listed(rows.iter().map(|row| (row.method.as_str(), &row.rate)));
    Some((held, format!("the pruned tree errs least and naive Bayes most ({rates})")))
}

fn times(rows: &[Classified]) -> Option<Judged> {
    let [others @ .., one, two] = rows else { return None };
    let least = one.nanoseconds_per_page.min(two.nanoseconds_per_page);
    let held = others.iter().all(|row| row.nanoseconds_per_page < least);
    let times: Vec<String> =
        rows.iter().map(|row| format!("{} {:.0} ns", row.method, row.nanoseconds_per_page)).collect();
    Some((held, format!("nearest neighbours take the most time ({} a page)", times.join(", "))))
}

fn features(results: &BarbosaResults) -> Option<Judged> {
    let features = &results.features;
    let kept: Vec<String> = features.kept.iter().map(|(name, seeds)| format!("{name} {seeds}")).collect();
    let held = features.kept.values().all(|seeds| *seeds == results.seeds);
    let said = format!("every feature but the depth is of use (kept with so many of {} seeds", results.seeds);
    (!kept.is_empty()).then(|| (held, format!("{said}: {})", kept.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::super::summary::Above;
    use super::*;

    fn row(policy: &'static str, error: f64, above: f64) -> Composed {
        let rate = Rate { error, interval: Some(0.01), paper: 0.3 };
        let above = Some(Above { mean: above, low: above - 0.01, high: above + 0.01, p: 0.5 });
        Composed { policy, rate, above, visits_per_page: 1.0, freshness: 0.5, confusion: vec![] }
    }

    fn rows(best: f64) -> [Composed; 4] {
        let others = [row("a", 0.4, 0.2), row("b", 0.3, 0.1), row("c", 0.21, 0.005)];
        let [first, second, third] = others;
        [first, second, third, Composed { above: None, ..row("d", best, 0.0) }]
    }

    #[test]
    fn numbers_decide_what_held() {
        let (held, said) = composition(&rows(0.2)).unwrap();
        assert!(held && said.contains("d 20.0 %; that it differs from c is not beyond doubt"), "{said}");
        assert!(!composition(&rows(0.22)).unwrap().0);
        assert!(history(&rows(0.2)).unwrap().0 && !history(&rows(0.25)).unwrap().0);
        assert!(!content_and_bayesian(&rows(0.2)).unwrap().0);
        assert_eq!(composition(&[]), None);
    }
}
