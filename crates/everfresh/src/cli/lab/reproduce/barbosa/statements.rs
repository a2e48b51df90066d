//! What Barbosa et al. state of their classifiers, held against the numbers of a run.

use super::summary::{Begun, Classified, Composed, Rate, Report};

/// A statement, and whether it held.
type Judged = (bool, String);

/// One paragraph: which statements held and which did not, with the numbers that decided.
pub(super) fn of(report: &Report) -> String {
    let judged: Vec<Judged> = [
        composition(&report.table_5),
        history(&report.table_5),
        content_and_bayesian(&report.table_5),
        beginnings(&report.table_3),
        pruning(&report.table_1),
        bayes(&report.table_1),
        times(&report.table_1),
        features(report),
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

/// An error rate in percent, with the paper's.
fn beside(name: &str, rate: &Rate) -> String {
    format!("{name} {:.1} %, paper {:.1} %", 100.0 * rate.error, 100.0 * rate.paper)
}

fn composition(rows: &[Composed]) -> Option<Judged> {
    let [others @ .., best] = rows else { return None };
    let held = others.iter().all(|other| best.rate.error < other.rate.error);
    let listed: Vec<String> = rows.iter().map(|row| beside(row.policy, &row.rate)).collect();
    Some((held, format!("the tree, then the historic classifier, err least of the four ({})", listed.join(" / "))))
}

fn history(rows: &[Composed]) -> Option<Judged> {
    let [random_bayesian, random_historic, tree_bayesian, tree_historic] = rows else { return None };
    let held =
        random_historic.rate.error < random_bayesian.rate.error && tree_historic.rate.error < tree_bayesian.rate.error;
    let less = |bayesian: &Composed, historic: &Composed| 100.0 * (bayesian.rate.error - historic.rate.error);
    let (random, tree) = (less(random_bayesian, random_historic), less(tree_bayesian, tree_historic));
    let said = "the historic classifier errs less than the Bayesian estimator, wherever pages begin";
    Some((held, format!("{said} (by {random:.1} points from random beginnings, by {tree:.1} from the tree's)")))
}

fn content_and_bayesian(rows: &[Composed]) -> Option<Judged> {
    let [random, _, tree, _] = rows else { return None };
    let listed = format!("{} / {}", beside(random.policy, &random.rate), beside(tree.policy, &tree.rate));
    let said = "a beginning by content is of no use to the Bayesian estimator";
    Some((tree.rate.error >= random.rate.error, format!("{said} ({listed})")))
}

fn beginnings(rows: &[Begun]) -> Option<Judged> {
    let [random, tree] = rows else { return None };
    let times = |random: f64, tree: f64| random / tree.max(1e-9);
    let (here, paper) = (times(random.rate.error, tree.rate.error), times(random.rate.paper, tree.rate.paper));
    let said = "content begins better than chance";
    let said = format!("{said}: chance errs {here:.1} times as often as the tree ({paper:.1} times in the paper)");
    Some((tree.rate.error < random.rate.error, said))
}

fn pruning(rows: &[Classified]) -> Option<Judged> {
    let [unpruned, pruned, ..] = rows else { return None };
    let leaves = |row: &Classified| row.leaves.unwrap_or_default();
    let said = format!(
        "pruning makes the tree smaller and better ({:.0} leaves and {:.1} % with, {:.0} and {:.1} % without)",
        leaves(pruned),
        100.0 * pruned.rate.error,
        leaves(unpruned),
        100.0 * unpruned.rate.error
    );
    Some((pruned.rate.error < unpruned.rate.error && leaves(pruned) < leaves(unpruned), said))
}

fn bayes(rows: &[Classified]) -> Option<Judged> {
    let [_, pruned, bayes, ..] = rows else { return None };
    let held = rows.iter().all(|row| row.rate.error <= bayes.rate.error && row.rate.error >= pruned.rate.error);
    let listed: Vec<String> = rows.iter().map(|row| beside(&row.method, &row.rate)).collect();
    Some((held, format!("the pruned tree errs least and naive Bayes most ({})", listed.join(" / "))))
}

fn times(rows: &[Classified]) -> Option<Judged> {
    let [trees @ .., _, one, two] = rows else { return None };
    let slowest = one.nanoseconds_per_page.min(two.nanoseconds_per_page);
    let held = trees.iter().all(|row| row.nanoseconds_per_page < slowest);
    let listed: Vec<String> =
        rows.iter().map(|row| format!("{} {:.0} ns", row.method, row.nanoseconds_per_page)).collect();
    Some((held, format!("trees classify fastest, nearest neighbours slowest ({} a page)", listed.join(", "))))
}

fn features(report: &Report) -> Option<Judged> {
    let features = &report.features;
    let listed: Vec<String> = features.kept.iter().map(|(name, seeds)| format!("{name} {seeds}")).collect();
    let held = features.kept.values().all(|seeds| *seeds == report.seeds);
    let unknown = if features.unknown.is_empty() {
        String::new()
    } else {
        format!("; unknown of all pages: {}", features.unknown.join(", "))
    };
    let said = format!("every feature but the depth is of use (kept with so many of {} seeds", report.seeds);
    (!listed.is_empty()).then(|| (held, format!("{said}: {}{unknown})", listed.join(", "))))
}
