//! PageRank: how likely a visitor who follows links at random is on a page (Brin & Page 1998).
//!
//! With the chance d of following a link, N pages and D the share of visitors on pages without links:
//! rank(p) = (1 − d + d·D) / N + d · Σ rank(q) / links of q, over the pages q that link to p.
//! Visitors on a page without links go anywhere. Ranks add up to 1, so N · rank is how much more than the average page a page
//! matters. Each round goes over every link once; the error shrinks by d a round, or faster.

use super::graph::Graph;
use crate::page::PageId;

/// How to compute ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankSettings {
    /// The chance that the visitor follows a link, from 0 to 1.
    pub damping: f64,
    /// The sum of all ranks' changes in a round below which ranks are good enough.
    pub tolerance: f64,
    /// The most rounds.
    pub rounds: usize,
}

/// Good to six digits; 0.85 is the authors' own.
impl Default for RankSettings {
    fn default() -> RankSettings {
        RankSettings { damping: 0.85, tolerance: 1e-6, rounds: 100 }
    }
}

/// Every page's rank.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRank {
    ranks: Vec<f64>,
    /// How many rounds it took.
    pub rounds: usize,
    /// The sum of all ranks' changes in the last round.
    pub error: f64,
}

impl PageRank {
    /// Ranks the pages of a graph. Settings that make no sense are taken as the nearest that do.
    ///
    /// ```
    /// use revisit::{PageId, site::{Graph, PageRank}};
    /// let mut graph = Graph::default();
    /// graph.grow(2);
    /// graph.replace(PageId(0), [PageId(1)]);
    /// let ranks = PageRank::compute(&graph, Default::default());
    /// // x = 0.15/2 + 0.85·y/2 and y = x + 0.85·x, where x + y = 1.
    /// assert!((ranks.get(PageId(0)) - 1.0 / 2.85).abs() < 1e-6);
    /// ```
    pub fn compute(graph: &Graph, settings: RankSettings) -> PageRank {
        let pages = graph.pages();
        let mut ranking = PageRank { ranks: vec![1.0 / pages as f64; pages], rounds: 0, error: f64::INFINITY };
        let damping = if settings.damping.is_nan() { 0.0 } else { settings.damping.clamp(0.0, 1.0) };
        let mut next = vec![0.0; pages];
        while ranking.rounds < settings.rounds && ranking.error > settings.tolerance.max(0.0) && pages > 0 {
            ranking.round(graph, damping, &mut next);
        }
        ranking
    }

    /// A page's rank; 0 if the graph did not know it.
    pub fn get(&self, page: PageId) -> f64 {
        self.ranks.get(page.index()).copied().unwrap_or_default()
    }

    /// One round; `next` is room for its result.
    fn round(&mut self, graph: &Graph, damping: f64, next: &mut Vec<f64>) {
        next.fill(0.0);
        let mut without_links = 0.0;
        for ((_, targets), rank) in graph.iter().zip(&self.ranks) {
            if targets.is_empty() {
                without_links += rank;
                continue;
            }
            let share = rank / targets.len() as f64;
            targets.iter().for_each(|target| next[target.index()] += share);
        }
        let anywhere = (1.0 - damping + damping * without_links) / next.len() as f64;
        self.error = 0.0;
        for (rank, old) in next.iter_mut().zip(&self.ranks) {
            *rank = anywhere + damping * *rank;
            self.error += (*rank - old).abs();
        }
        std::mem::swap(&mut self.ranks, next);
        self.rounds += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(pages: usize, links: &[(u32, u32)]) -> Graph {
        let mut graph = Graph::default();
        graph.grow(pages);
        for page in 0..pages as u32 {
            let out = links.iter().filter(|(from, _)| *from == page);
            graph.replace(PageId(page), out.map(|(_, to)| PageId(*to)));
        }
        graph
    }

    #[test]
    fn a_cycle_ranks_its_pages_alike_and_a_hub_first() {
        let cycle = PageRank::compute(&graph(3, &[(0, 1), (1, 2), (2, 0)]), RankSettings::default());
        assert_eq!((cycle.ranks, cycle.rounds), (vec![1.0 / 3.0; 3], 1));
        let star = PageRank::compute(&graph(4, &[(0, 3), (1, 3), (2, 3), (3, 0)]), RankSettings::default());
        assert!(star.get(PageId(3)) > star.get(PageId(0)) && star.get(PageId(0)) > star.get(PageId(1)));
        // Without links into it a page has what falls to everyone: 0.15 / 4.
        assert!((star.get(PageId(1)) - 0.0375).abs() < 1e-12);
    }

    #[test]
    fn odd_settings_and_no_pages_are_no_panic() {
        let odd = RankSettings { damping: f64::NAN, tolerance: f64::NAN, rounds: 3 };
        assert_eq!(PageRank::compute(&graph(2, &[(0, 1)]), odd).ranks, [0.5, 0.5]);
        let none = PageRank::compute(&Graph::default(), RankSettings::default());
        assert_eq!((none.rounds, none.get(PageId(0))), (0, 0.0));
    }

    proptest! {
        #[test]
        fn ranks_add_up_to_one_and_satisfy_the_formula(links in prop::collection::vec((0..9_u32, 0..9_u32), 0..40)) {
            let graph = graph(9, &links);
            let ranking = PageRank::compute(&graph, RankSettings { tolerance: 1e-12, rounds: 1000, ..Default::default() });
            prop_assert!((ranking.ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let bare: f64 = graph.iter().filter(|(_, out)| out.is_empty()).map(|(page, _)| ranking.get(page)).sum();
            for page in (0..9).map(PageId) {
                let linking = graph.iter().filter(|(_, out)| out.contains(&page));
                let followed: f64 = linking.map(|(from, out)| ranking.get(from) / out.len() as f64).sum();
                let formula = (1.0 - 0.85 + 0.85 * bare) / 9.0 + 0.85 * followed;
                prop_assert!((ranking.get(page) - formula).abs() < 1e-9);
            }
        }
    }
}
