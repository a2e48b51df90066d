//! Whether the freshness that users are shown can be relied on: what was expected of copies, against what was true.
//!
//! After the visits of each cycle every copy has a chance of being current, going by the policy, and is current or not. Of
//! the copies that were given 70 to 80 %, about three quarters should be.

/// How many classes of chances there are.
pub const CLASSES: usize = 10;

/// Copies that were given about the same chance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Class {
    /// How many pairs of copy and cycle.
    pub copies: u64,
    /// The sum of their chances.
    pub expected: f64,
    /// How many of them were current.
    pub current: u64,
}

impl Class {
    /// The share that was expected to be current; NaN if there are no copies.
    pub fn predicted(&self) -> f64 {
        self.expected / self.copies as f64
    }

    /// The share that was; NaN if there are no copies.
    pub fn observed(&self) -> f64 {
        self.current as f64 / self.copies as f64
    }
}

/// Chances and truth, in classes of chances of a tenth each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reliability {
    /// The classes, from the lowest chances.
    pub classes: [Class; CLASSES],
}

impl Reliability {
    /// Takes in a copy: the chance it was given, and whether it was current.
    pub fn count(&mut self, chance: f64, current: bool) {
        let class = &mut self.classes[((chance * CLASSES as f64) as usize).min(CLASSES - 1)];
        class.copies += 1;
        class.expected += chance;
        class.current += u64::from(current);
    }

    /// All classes as one: the mean freshness that was expected, and the true one.
    pub fn whole(&self) -> Class {
        self.classes.iter().fold(Class::default(), |sum, class| Class {
            copies: sum.copies + class.copies,
            expected: sum.expected + class.expected,
            current: sum.current + class.current,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_and_truth_by_hand() {
        let mut reliability = Reliability::default();
        for (chance, current) in [(0.72, true), (0.78, false), (1.0, true), (0.0, false)] {
            reliability.count(chance, current);
        }
        let class = reliability.classes[7];
        assert!((class.predicted() - 0.75).abs() < 1e-12 && class.observed() == 0.5);
        assert_eq!((reliability.classes[9].copies, reliability.classes[0].copies), (1, 1));
        let whole = reliability.whole();
        assert!((whole.predicted() - 0.625).abs() < 1e-12 && whole.observed() == 0.5);
    }
}
