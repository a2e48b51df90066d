//! The thesis' score baselines as formulas, so that what was bred can be compared with them on the very same pages.
//!
//! Each visits the pages that the policy of the same name in the [registry](crate::policy::registry) visits. GAD and Rand
//! have no place here: a formula knows neither all past outcomes nor chance.

use crate::model::formula::Formula;

/// Name and formula of each baseline.
pub const BASELINES: [(&str, &str); 6] = [
    ("age", "t"),
    ("tx", "t * X"),
    ("cg", "0 - log((n - X + 0.5) / (n + 0.5))"),
    ("nad", "1 - exp(0 - X / n * t)"),
    ("sad", "1 - exp(0 - last_changed * t)"),
    ("aad", "1 - exp(0 - recent_rate * t)"),
];

/// The baseline of a name.
///
/// ```
/// use revisit::learn::gp::baseline;
/// assert_eq!(baseline("tx").unwrap().to_string(), "t * X");
/// ```
pub fn baseline(name: &str) -> Option<Formula> {
    let (_, formula) = BASELINES.into_iter().find(|(known, _)| *known == name)?;
    formula.parse().ok()
}
