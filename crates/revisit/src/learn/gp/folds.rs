//! Five folds of pages and their roles (Santos 2013, section 4.3): one tests, the other four are divided equally into
//! training and validation.

use crate::lab::random::Random;

/// How many folds there are.
pub const FOLDS: usize = 5;

/// The stream of random numbers that deals the pages; those below belong to generations.
const DEALING: u64 = u64::MAX;

/// Which pages train, which validate and which test, each in rising order.
#[derive(Clone, Debug, PartialEq)]
pub struct Roles {
    /// Two folds.
    pub train: Vec<u32>,
    /// Two folds.
    pub validation: Vec<u32>,
    /// One fold.
    pub test: Vec<u32>,
}

/// Why pages cannot be dealt.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FoldError {
    /// Too few.
    #[error("{pages} pages cannot be dealt into {FOLDS} folds: use a trace with more pages")]
    TooFewPages {
        /// How many there are.
        pages: usize,
    },
    /// No such fold.
    #[error("there is no fold {fold}: use 0 to {}", FOLDS - 1)]
    NoSuchFold {
        /// What was asked for.
        fold: usize,
    },
}

/// Deals pages 0 to `pages` − 1 into folds at random and gives the roles in which fold number `fold` tests.
///
/// ```
/// use revisit::learn::gp::roles;
/// let roles = roles(20_000, 0, 111).unwrap();
/// assert_eq!((roles.train.len(), roles.validation.len(), roles.test.len()), (8_000, 8_000, 4_000));
/// ```
pub fn roles(pages: usize, fold: usize, seed: u64) -> Result<Roles, FoldError> {
    if pages < FOLDS {
        return Err(FoldError::TooFewPages { pages });
    }
    if fold >= FOLDS {
        return Err(FoldError::NoSuchFold { fold });
    }
    let dealt = shuffled(pages, seed);
    // The folds after the one that tests, in a circle.
    let folds = |steps: std::ops::Range<usize>| {
        let mut chosen: Vec<u32> =
            steps.flat_map(|step| dealt.iter().skip((fold + step) % FOLDS).step_by(FOLDS)).copied().collect();
        chosen.sort_unstable();
        chosen
    };
    Ok(Roles { train: folds(1..3), validation: folds(3..5), test: folds(0..1) })
}

fn shuffled(pages: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::stream(seed, DEALING);
    let mut dealt: Vec<u32> = (0..pages as u32).collect();
    random.shuffle(&mut dealt);
    dealt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_one_role_and_tests_once() {
        for pages in [5, 6, 7, 8, 9, 101] {
            let mut tested: Vec<u32> = Vec::new();
            for fold in 0..FOLDS {
                let Roles { train, validation, test } = roles(pages, fold, 7).unwrap();
                tested.extend(&test);
                let mut all = [train, validation, test].concat();
                all.sort_unstable();
                assert_eq!(all, (0..pages as u32).collect::<Vec<_>>());
            }
            tested.sort_unstable();
            assert_eq!(tested, (0..pages as u32).collect::<Vec<_>>());
        }
        assert_ne!(roles(100, 0, 1), roles(100, 0, 2));
    }

    #[test]
    fn errors_say_what_would_do() {
        let said = |pages, fold| roles(pages, fold, 1).unwrap_err().to_string();
        assert_eq!(said(4, 0), "4 pages cannot be dealt into 5 folds: use a trace with more pages");
        assert_eq!(said(10, 5), "there is no fold 5: use 0 to 4");
    }
}
