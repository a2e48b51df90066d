//! Where one page stands among all: a pass over the pages that can be made in steps, so that who has little time between two
//! other things can make it too. It asks the plan of the cycle under way, and changes nothing. Of very many pages it looks at every
//! n-th, and tells from those how many there are: a score takes half a microsecond, and people wait for the answer.

use super::{BadScore, Rank, Scheduler};
use crate::page::PageId;
use crate::schedule::candidate::Candidate;
use crate::time::Time;

/// No more pages are looked at than about this.
const LOOKS: usize = 500_000;

/// A pass over the pages that is under way.
#[derive(Clone, Copy, Debug)]
pub struct Ranking {
    own: Candidate,
    now: Time,
    /// The first page that was not looked at.
    next: usize,
    /// Every so many-th is.
    step: usize,
    before: usize,
    of: usize,
}

impl Scheduler {
    /// Begins to find out where a page stands now; `None` if the policy does not want it now.
    pub fn ranking(&self, page: PageId, now: Time) -> Result<Option<Ranking>, BadScore> {
        let own = self.candidate(page, now)?;
        let step = self.pages.end() / LOOKS + 1;
        Ok(own.map(|own| Ranking { own, now, next: 0, step, before: 0, of: 0 }))
    }

    /// Looks at so many pages more; says where the page stands when these were the last.
    ///
    /// What happens between two steps may move pages: then it stands where it would have at some moment between them.
    pub fn look_on(&self, ranking: &mut Ranking, pages: usize) -> Result<Option<Rank>, BadScore> {
        let Ranking { own, now, next, step, before, of } = ranking;
        let end = next.saturating_add(pages.saturating_mul(*step)).min(self.pages.end());
        let pages = (*next as u32..end as u32).step_by(*step).map(PageId).filter(|page| self.pages.contains(*page));
        for page in pages {
            let Some(other) = self.candidate(page, *now)? else { continue };
            *before += usize::from(other < *own) * *step;
            *of += *step;
        }
        *next = end;
        let is_over = end == self.pages.end();
        // It was there when the pass began, whatever became of it since.
        let position = (*before + 1).min(self.pages.len());
        let of = (*of).clamp(position, self.pages.len());
        Ok(is_over.then(|| Rank { position, of, score: own.score() }))
    }
}
