//! Scores of states, remembered from one cycle to the next: a state met again is not scored again.
//!
//! A row holds the scores of one (n, X) for t = 1, 2, …; rows are made when first met. Pages that wait walk along their row.

/// A score not yet computed. Scores are finite, so no score looks like it.
const UNSCORED: f64 = f64::NAN;
/// No row yet.
const NONE: u32 = u32::MAX;
/// Rows are forgotten beyond this many scores, so that memory is bounded however many cycles there are: 64 MB.
const MOST: usize = 8 << 20;

/// The scores of one formula.
#[derive(Debug, Default)]
pub(super) struct Scores {
    cycles: usize,
    /// Where the row of each (n, X) begins.
    rows: Vec<u32>,
    /// Which (n, X) have a row.
    made: Vec<u32>,
    scores: Vec<f64>,
}

/// The place of (n, X) among all pairs with X ≤ n, in rising order of n and then X.
pub(super) fn pair(visits: u32, changes: u32) -> u32 {
    visits * (visits + 1) / 2 + changes
}

impl Scores {
    /// Forgets everything: another formula, over so many cycles.
    pub(super) fn reset(&mut self, cycles: usize) {
        if self.cycles != cycles {
            self.cycles = cycles;
            self.rows = vec![NONE; pair(cycles as u32 + 1, 0) as usize];
            self.made.clear();
        }
        self.forget();
    }

    pub(super) fn forget(&mut self) {
        self.made.drain(..).for_each(|pair| self.rows[pair as usize] = NONE);
        self.scores.clear();
        // The first row stands for places without pages: nobody wants them, ever.
        self.scores.resize(self.cycles + 1, f64::NEG_INFINITY);
    }

    /// Whether so much is remembered that it must be forgotten before the next cycle.
    pub(super) fn is_full(&self) -> bool {
        self.scores.len() > MOST
    }

    /// What to add to a cycle to find the score then of the pages with n visits, X changes and this last visit.
    pub(super) fn base(&mut self, visits: u32, changes: u32, last: u32) -> u32 {
        let pair = pair(visits, changes);
        let mut row = self.rows[pair as usize];
        if row == NONE {
            row = self.scores.len() as u32;
            self.rows[pair as usize] = row;
            self.made.push(pair);
            // n visits take n cycles, so nobody waits longer than the cycles that are left.
            let longest = self.cycles - visits as usize;
            self.scores.resize(self.scores.len() + longest, UNSCORED);
        }
        row.wrapping_sub(last + 1)
    }

    /// The base of a place without pages.
    pub(super) const NOBODY: u32 = 0;

    /// The score at a base in a cycle; NaN if not yet computed.
    #[inline]
    pub(super) fn get(&self, base: u32, cycle: u32) -> f64 {
        self.scores[base.wrapping_add(cycle) as usize]
    }

    /// Remembers a score.
    pub(super) fn set(&mut self, base: u32, cycle: u32, score: f64) {
        self.scores[base.wrapping_add(cycle) as usize] = score;
    }
}
