//! Scores of states, remembered from one cycle to the next: a state met again is not scored again.
//!
//! A row holds the scores of one (n, X) for t = 1, 2, …; rows are made when first met. Pages that wait walk along their row.

/// A score not yet computed. Scores are finite, so no score looks like it.
const UNSCORED: f64 = f64::NAN;
/// No row yet.
const NONE: u32 = u32::MAX;
/// Rows are given up beyond this many scores, so that memory is bounded however many cycles there are: 64 MB. Tests give
/// them up often.
const MOST: usize = if cfg!(test) { 2_000 } else { 8 << 20 };

/// The scores of one formula. The rows stay for the next one, since making them costs more than clearing what was used.
#[derive(Debug, Default)]
pub(super) struct Scores {
    cycles: usize,
    /// Where the row of each (n, X) begins.
    rows: Vec<u32>,
    scores: Vec<f64>,
    /// Which scores are set.
    set: Vec<u32>,
}

impl Scores {
    /// The base of a place without pages: the first row, in which nobody is wanted, ever.
    pub(super) const NOBODY: u32 = 0;

    /// Forgets everything: another formula, over so many cycles.
    pub(super) fn reset(&mut self, cycles: usize) {
        if self.cycles == cycles && self.scores.len() <= MOST {
            self.set.drain(..).for_each(|place| self.scores[place as usize] = UNSCORED);
        } else {
            self.cycles = cycles;
            self.give_up();
        }
    }

    /// Forgets everything and gives the rows up.
    pub(super) fn give_up(&mut self) {
        self.rows.clear();
        self.rows.resize((self.cycles + 1) * (self.cycles + 1), NONE);
        self.set.clear();
        self.scores.clear();
        self.scores.resize(self.cycles, f64::NEG_INFINITY);
    }

    /// Whether there are so many rows that they must be given up before the next cycle.
    pub(super) fn is_full(&self) -> bool {
        self.scores.len() > MOST
    }

    /// The place of (n, X) among all pairs, in rising order of n and then X.
    pub(super) fn pair(&self, visits: u32, changes: u32) -> u32 {
        visits * (self.cycles as u32 + 1) + changes
    }

    /// What to add to a cycle to find the score then of the pages with n visits, X changes and this last visit.
    pub(super) fn base(&mut self, visits: u32, changes: u32, last: u32) -> u32 {
        let pair = self.pair(visits, changes) as usize;
        if self.rows[pair] == NONE {
            self.rows[pair] = self.scores.len() as u32;
            self.scores.resize(self.scores.len() + self.cycles, UNSCORED);
        }
        self.rows[pair].wrapping_sub(last + 1)
    }

    /// The score at a base in a cycle; NaN if not yet computed.
    #[inline]
    pub(super) fn get(&self, base: u32, cycle: u32) -> f64 {
        self.scores[base.wrapping_add(cycle) as usize]
    }

    /// Remembers a score.
    pub(super) fn set(&mut self, base: u32, cycle: u32, score: f64) {
        let place = base.wrapping_add(cycle);
        self.scores[place as usize] = score;
        self.set.push(place);
    }
}
