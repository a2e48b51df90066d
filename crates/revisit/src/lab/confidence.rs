//! How sure a mean is: Student's intervals and paired tests.
//!
//! A number measured several times (over seeds, folds or draws) has a mean and an interval around it that covers the true
//! mean in 95 of 100 such experiments. Two policies measured on the same worlds are compared by their differences pair by
//! pair, because most of what makes a world easy or hard is common to both and cancels.
//!
//! Both rest on Student's t distribution (1908), computed and not looked up: its tails are the regularised incomplete beta
//! function I_x(n/2, 1/2) at x = n / (n + t²), and I is the continued fraction of DiDonato & Morris (1992, eq. 8.17.22 of
//! the NIST Handbook) evaluated by Lentz's method. Tests hold it against closed forms and published tables.

/// The share of experiments whose intervals cover the truth.
const CONFIDENCE: f64 = 0.95;
/// The least denominator of a continued fraction: a 0 there is replaced by something as good as 0.
const TINY: f64 = 1e-300;

/// A mean, where it may lie, and how far apart the values are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The mean of the values.
    pub mean: f64,
    /// Where the 95 % interval of the mean begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub most: f64,
}

impl Spread {
    /// The spread of several values; `None` of fewer than two, which say nothing of how sure they are.
    ///
    /// ```
    /// use revisit::lab::confidence::Spread;
    /// // The deviation is 1, that of the mean 1/√3, and t(0.975; 2) = 4.3027.
    /// let spread = Spread::of(&[1.0, 2.0, 3.0]).unwrap();
    /// assert_eq!(spread.mean, 2.0);
    /// assert!((spread.half_width() - 2.4841).abs() < 1e-4);
    /// assert_eq!(Spread::of(&[1.0]), None);
    /// ```
    pub fn of(values: &[f64]) -> Option<Spread> {
        let error = standard_error(values)?;
        let (mean, reach) = (mean(values), student_quantile(values.len() - 1) * error);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(Spread { mean, low: mean - reach, high: mean + reach, least, most })
    }

    /// How far the interval reaches to either side of the mean.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// What a paired t-test says of the difference between two policies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// The mean difference.
    pub mean: f64,
    /// Where its 95 % interval begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// How often a difference as large as this one comes about by chance if there is none.
    pub p: f64,
}

impl Paired {
    /// The test of several differences, one a pair; `None` of fewer than two.
    ///
    /// Differences that are all the same leave nothing to chance: p is 1 if they are 0, else 0.
    ///
    /// ```
    /// use revisit::lab::confidence::Paired;
    /// // Mean 2, deviation of the mean 1/√3: t = 3.4641 with 2 degrees of freedom, p = 1 − t/√(2 + t²).
    /// let test = Paired::of(&[1.0, 2.0, 3.0]).unwrap();
    /// assert!((test.p - 0.0742).abs() < 1e-4);
    /// ```
    pub fn of(differences: &[f64]) -> Option<Paired> {
        let Spread { mean, low, high, .. } = Spread::of(differences)?;
        let error = standard_error(differences)?;
        let p = if mean == 0.0 { 1.0 } else { student_tails(mean / error, differences.len() - 1) };
        Some(Paired { mean, low, high, p })
    }
}

/// The mean of some values; 0 of none.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The deviation of the mean, from the deviation of two values or more.
fn standard_error(values: &[f64]) -> Option<f64> {
    let (count, mean) = (values.len() as f64, mean(values));
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (values.len() >= 2).then(|| (squares / (count - 1.0) / count).sqrt())
}

/// How likely a t at least this far from 0, on either side, is with so many degrees of freedom.
fn student_tails(t: f64, freedom: usize) -> f64 {
    let freedom = freedom as f64;
    let square = t * t;
    if square.is_infinite() {
        return 0.0;
    }
    incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + square))
}

/// The t beyond which, on both sides together, the unlikely 5 % lie.
///
/// Found by halving: the tails fall as t grows, and 200 halvings are more than numbers have digits.
fn student_quantile(freedom: usize) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while student_tails(high, freedom) > 1.0 - CONFIDENCE {
        (low, high) = (high, high * 2.0);
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if student_tails(middle, freedom) > 1.0 - CONFIDENCE { low = middle } else { high = middle }
    }
    high
}

/// The regularised incomplete beta function I_x(a, b).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (a * x.ln() + b * (-x).ln_1p() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp();
    // The fraction converges quickly left of the mean; to the right of it the other tail's does.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    }
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut numerator = 1.0;
    let mut denominator = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = denominator;
    for step in 1..=10_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut last = 1.0;
        for coefficient in [even, odd] {
            denominator = 1.0 / away(1.0 + coefficient * denominator);
            numerator = away(1.0 + coefficient / numerator);
            last = denominator * numerator;
            fraction *= last;
        }
        if (last - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// ln Γ(x) for positive x: Stirling's series, reached by Γ(x) = Γ(x + 1) / x.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0);
    while x < 12.0 {
        product *= x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series =
        (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0)))) / x;
    (x - 0.5) * x.ln() - x + std::f64::consts::TAU.ln() / 2.0 + series - f64::ln(product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(value: f64, expected: f64, within: f64) {
        assert!((value - expected).abs() <= within * expected.abs().max(1e-300), "{value} is not {expected}");
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        near(student_quantile(1), (0.475 * std::f64::consts::PI).tan(), 1e-12);
        near(student_quantile(2), 1.9 / (2.0 * (1.0 - 0.95_f64.powi(2))).sqrt(), 1e-12);
        // scipy.stats.t.ppf(0.975, n), which is exact to ten digits.
        let known = [(4, 2.7764451052), (9, 2.2621571627), (10, 2.2281388520), (30, 2.0422724563), (100, 1.9839715184)];
        known.into_iter().for_each(|(freedom, t)| near(student_quantile(freedom), t, 1e-9));
        near(student_quantile(10_000_000), 1.959_964, 1e-6);
    }

    #[test]
    fn tails_are_those_of_closed_forms() {
        for t in [0.01, 0.5, 1.0, 3.0, 40.0, 1e5] {
            // One degree of freedom is Cauchy's distribution; two have a closed form too.
            near(student_tails(t, 1), 1.0 - 2.0 / std::f64::consts::PI * f64::atan(t), 1e-9);
            let closed = 2.0 / ((2.0 + t * t).sqrt() * ((2.0 + t * t).sqrt() + t));
            near(student_tails(t, 2), closed, 1e-11);
        }
        // 2 * scipy.stats.t.sf(2, 10)
        near(student_tails(2.0, 10), 0.07338803477074037, 1e-11);
        assert_eq!((student_tails(0.0, 5), student_tails(f64::INFINITY, 5)), (1.0, 0.0));
    }

    #[test]
    fn gamma_by_hand() {
        near(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln(), 1e-13);
        near(ln_gamma(5.0), 24.0_f64.ln(), 1e-13);
        near(ln_gamma(1e6), 12_815_504.569_147_61, 1e-13);
    }

    #[test]
    fn differences_without_chance() {
        assert_eq!(Paired::of(&[0.0; 5]).map(|test| test.p), Some(1.0));
        assert_eq!(Paired::of(&[0.25; 5]).map(|test| (test.mean, test.low, test.p)), Some((0.25, 0.25, 0.0)));
        assert_eq!(Paired::of(&[0.25]), None);
        assert_eq!(Paired::of(&[]), None);
    }

    proptest! {
        #[test]
        fn a_test_and_its_interval_agree(differences in proptest::collection::vec(-1.0..1.0_f64, 2..40)) {
            let test = Paired::of(&differences).unwrap();
            prop_assert!((0.0..=1.0).contains(&test.p));
            prop_assert!(test.low <= test.mean && test.mean <= test.high);
            // The interval holds 0 exactly if chance explains the difference in more than 5 of 100 cases.
            if (test.p - 0.05).abs() > 1e-9 {
                prop_assert_eq!(test.p > 0.05, test.low <= 0.0 && test.high >= 0.0);
            }
        }

        #[test]
        fn a_test_knows_no_direction(differences in proptest::collection::vec(-1.0..1.0_f64, 2..20)) {
            let turned: Vec<f64> = differences.iter().map(|difference| -difference).collect();
            let (one, other) = (Paired::of(&differences).unwrap(), Paired::of(&turned).unwrap());
            prop_assert_eq!((one.p, one.mean, one.low), (other.p, -other.mean, -other.high));
        }
    }
}
