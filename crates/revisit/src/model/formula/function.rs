//! The functions of a formula, closed over the finite numbers: whatever goes in, a finite number comes out.
//!
//! The thesis protects ÷ and log: a denominator close to zero gives a very large number of the quotient's sign, and the
//! logarithm of zero is zero. Reading: "close" is below 10⁻⁶ and "very large" is 10⁶, as in its public code; the logarithm
//! is that of the magnitude; a power that is no real number is zero; a result too large for a number is the largest one.
//! Zero has no sign here: no function can tell −0 from 0. So every formula orders all pages, and no simplification has to
//! ask about infinities.

/// A function of one or two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    /// a + b.
    Add,
    /// a − b.
    Subtract,
    /// a × b.
    Multiply,
    /// a ÷ b, protected.
    Divide,
    /// a to the power of b.
    Power,
    /// The natural logarithm, protected.
    Logarithm,
    /// e to the power of a.
    Exponential,
}

/// A denominator closer to zero than this is protected.
const CLOSE_TO_ZERO: f64 = 1e-6;
/// What a protected division gives.
const VERY_LARGE: f64 = 1e6;

impl Function {
    /// Every function.
    pub const ALL: [Function; 7] = [
        Function::Add,
        Function::Subtract,
        Function::Multiply,
        Function::Divide,
        Function::Power,
        Function::Logarithm,
        Function::Exponential,
    ];

    /// How many arguments it takes: 1 or 2.
    pub const fn arguments(self) -> usize {
        match self {
            Function::Logarithm | Function::Exponential => 1,
            _ => 2,
        }
    }

    /// The value for finite arguments, which is finite. A function of one argument does not look at the second.
    ///
    /// ```
    /// use revisit::model::formula::Function;
    /// assert_eq!(Function::Divide.apply(-3.0, 0.0), -1e6);
    /// assert_eq!(Function::Logarithm.apply(0.0, 0.0), 0.0);
    /// assert_eq!(Function::Power.apply(-2.0, 0.5), 0.0);
    /// assert_eq!(Function::Exponential.apply(1000.0, 0.0), f64::MAX);
    /// ```
    #[inline]
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Function::Add => finite(a + b),
            Function::Subtract => finite(a - b),
            Function::Multiply => finite(a * b),
            Function::Divide => divide(a, b),
            Function::Power => power(a, b),
            Function::Logarithm => logarithm(a),
            Function::Exponential => a.exp().min(f64::MAX),
        }
    }
}

/// The nearest finite number to one that is no NaN.
#[inline]
pub(crate) fn finite(value: f64) -> f64 {
    value.clamp(-f64::MAX, f64::MAX)
}

#[inline]
fn divide(a: f64, b: f64) -> f64 {
    // Both sides are computed, so that the choice is a blend and no jump.
    let protected = if (a < 0.0) != (b < 0.0) { -VERY_LARGE } else { VERY_LARGE };
    let quotient = finite(a / b);
    if b.abs() < CLOSE_TO_ZERO { protected } else { quotient }
}

#[inline]
fn power(a: f64, b: f64) -> f64 {
    // Adding zero takes the sign off a negative zero, whose powers would differ.
    let value = (a + 0.0).powf(b);
    if value.is_nan() { 0.0 } else { finite(value) }
}

#[inline]
fn logarithm(a: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a.abs().ln() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_finite() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<f64>().prop_filter("finite", |value| value.is_finite()),
            prop::sample::select(vec![
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                -0.5,
                2.0,
                f64::MAX,
                -f64::MAX,
                f64::MIN_POSITIVE,
                1e-7
            ]),
        ]
    }

    proptest! {
        #[test]
        fn finite_in_finite_out(a in any_finite(), b in any_finite()) {
            for function in Function::ALL {
                prop_assert!(function.apply(a, b).is_finite(), "{function:?} {a} {b}");
            }
        }

        #[test]
        fn zero_has_no_sign(a in any_finite()) {
            for function in Function::ALL {
                prop_assert_eq!(function.apply(a, 0.0), function.apply(a, -0.0));
                prop_assert_eq!(function.apply(0.0, a), function.apply(-0.0, a));
            }
        }
    }
}
