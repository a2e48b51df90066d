//! The counts of a run, and the measures made of them.

/// What happened in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CycleCounts {
    /// Pages that are there at the cycle's end.
    pub pages: usize,
    /// Visits made.
    pub visits: usize,
    /// Visits that saw a change.
    pub changed_visits: usize,
    /// Pages that changed in this cycle.
    pub changed_pages: usize,
    /// Pages whose copy is current after the visits.
    pub current: usize,
    /// Days since the first change not yet seen, summed over the pages whose copy is not current.
    pub age_days: f64,
}

/// How good a run was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Mean over cycles of changed visits / visits; cycles without a visit are left out.
    pub change_ratio: f64,
    /// All changed visits / all visits.
    pub precision: f64,
    /// All changed visits / all pairs of page and cycle with a change.
    pub recall: f64,
    /// Mean share of pages whose copy is current after the cycle's visits: of all pairs of page and cycle.
    pub freshness: f64,
    /// Mean over pages and cycles of the days since the first change not yet seen; 0 for a current copy.
    pub age_days: f64,
    /// All visits.
    pub downloads: usize,
}

impl Measures {
    /// The measures over these cycles. What nothing can be said of is 0.
    pub fn of(cycles: &[CycleCounts]) -> Measures {
        let sum = |count: fn(&CycleCounts) -> usize| cycles.iter().map(count).sum::<usize>();
        let visits = sum(|cycle| cycle.visits);
        let changed_visits = sum(|cycle| cycle.changed_visits);
        let ratios: Vec<f64> = cycles
            .iter()
            .filter(|cycle| cycle.visits > 0)
            .map(|cycle| share(cycle.changed_visits, cycle.visits))
            .collect();
        let page_cycles = sum(|cycle| cycle.pages);
        Measures {
            change_ratio: if ratios.is_empty() { 0.0 } else { ratios.iter().sum::<f64>() / ratios.len() as f64 },
            precision: share(changed_visits, visits),
            recall: share(changed_visits, sum(|cycle| cycle.changed_pages)),
            freshness: share(sum(|cycle| cycle.current), page_cycles),
            age_days: cycles.iter().map(|cycle| cycle.age_days).sum::<f64>() / page_cycles.max(1) as f64,
            downloads: visits,
        }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_by_hand() {
        let cycles = [
            CycleCounts { pages: 10, visits: 4, changed_visits: 1, changed_pages: 3, current: 8, age_days: 5.0 },
            CycleCounts { pages: 10, visits: 0, changed_visits: 0, changed_pages: 1, current: 7, age_days: 9.0 },
            CycleCounts { pages: 10, visits: 2, changed_visits: 2, changed_pages: 0, current: 9, age_days: 2.0 },
        ];
        let measures = Measures::of(&cycles);
        assert_eq!(measures.change_ratio, (0.25 + 1.0) / 2.0, "the cycle without a visit is left out");
        assert_eq!(measures.precision, 0.5);
        assert_eq!(measures.recall, 0.75);
        assert_eq!(measures.freshness, 0.8);
        assert!((measures.age_days - 16.0 / 30.0).abs() < 1e-12);
        assert_eq!(measures.downloads, 6);
    }
}
