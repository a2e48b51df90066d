//! `--budget`: how many visits a cycle may make.

use std::str::FromStr;

/// Visits a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Budget {
    /// So many.
    Visits(usize),
    /// A share of the pages there are.
    Share(f64),
    /// One for every page.
    All,
}

impl FromStr for Budget {
    type Err = String;
    fn from_str(text: &str) -> Result<Budget, String> {
        let wrong =
            || format!("'{text}' is no budget: write a number of visits (100) or a share above 0 % and at most 100 %");
        let budget = match text.strip_suffix('%') {
            Some(share) => Budget::Share(share.trim().parse::<f64>().map_err(|_| wrong())? / 100.0),
            None => Budget::Visits(text.trim().parse().map_err(|_| wrong())?),
        };
        match budget {
            Budget::Share(share) if share > 0.0 && share <= 1.0 => Ok(budget),
            Budget::Visits(1..) => Ok(budget),
            _ => Err(wrong()),
        }
    }
}

impl Budget {
    /// Visits a cycle among so many pages, at least one if there is any.
    pub(crate) fn visits(self, pages: usize) -> usize {
        match self {
            Budget::Visits(visits) => visits.min(pages),
            Budget::Share(share) => ((share * pages as f64).round() as usize).max(1).min(pages),
            Budget::All => pages,
        }
    }

    /// A multiple of this budget, at least one visit.
    pub(crate) fn times(self, multiple: f64) -> Budget {
        match self {
            Budget::Visits(visits) => Budget::Visits(((visits as f64 * multiple).round() as usize).max(1)),
            Budget::Share(share) => Budget::Share((share * multiple).min(1.0)),
            Budget::All => Budget::All,
        }
    }

    /// What one of `parts` equal parts of the pages gets of it.
    pub(crate) fn part(self, parts: usize) -> Budget {
        match self {
            Budget::Visits(_) => self.times(1.0 / parts as f64),
            Budget::Share(_) | Budget::All => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_numbers_or_shares() {
        assert_eq!("2%".parse::<Budget>().unwrap().visits(1000), 20);
        assert_eq!("0.04 %".parse::<Budget>().unwrap().visits(1000), 1);
        assert_eq!("5000".parse::<Budget>().unwrap().visits(1000), 1000);
        assert_eq!("2%".parse::<Budget>().unwrap().visits(0), 0);
        for wrong in ["0", "0%", "101%", "-1", "many", "NaN%"] {
            assert!(wrong.parse::<Budget>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn multiples_and_parts() {
        assert_eq!(
            (Budget::Visits(20).times(0.25), Budget::Visits(1).times(0.25)),
            (Budget::Visits(5), Budget::Visits(1))
        );
        assert_eq!(
            (Budget::Share(0.4).times(4.0), Budget::Share(0.4).part(5)),
            (Budget::Share(1.0), Budget::Share(0.4))
        );
        assert_eq!((Budget::Visits(23).part(5), Budget::All.part(5)), (Budget::Visits(5), Budget::All));
    }
}
