//! What a crawl made of a web that plays a trace, counted in the lab's measures: by what visits said, and by the truth.

use std::collections::{BTreeMap, BTreeSet};

use revisit::lab::cut::Window;
use revisit::lab::measure::CycleCounts;
use revisit::{Span, Time};

use super::report::{Judgement, Observation};
use super::truth::Truth;

/// Counts what happened in each cycle of a window after its warm-up, going by visits in the order of time. Those of a cycle are
/// made from `early` before its end until as long before the end of the next one, and are held against the web of that moment.
pub fn cycle_counts(truth: &Truth, visits: &[Observation], window: Window, early: Span) -> Vec<CycleCounts> {
    let visited: BTreeSet<&str> = visits.iter().map(|visit| visit.url.as_str()).collect();
    let mut copies: BTreeMap<&str, Time> = visited.into_iter().map(|url| (url, Time::MIN)).collect();
    let mut upcoming = visits.iter().peekable();
    let mut all = Vec::with_capacity(window.cycles);
    for cycle in 0..window.cycles {
        let (at, next) = (window.end(cycle) - early, window.end(cycle + 1) - early);
        let mut counts = CycleCounts { pages: copies.len(), ..CycleCounts::default() };
        while let Some(visit) = upcoming.next_if(|visit| visit.at < next) {
            let has_changed = visit.judgement == Judgement::Changed;
            if visit.at >= at {
                counts.visits += 1;
                counts.changed_visits += usize::from(has_changed);
            }
            // Who says that nothing changed keeps its copy, right or wrong.
            if let Some(taken) = copies.get_mut(visit.url.as_str()).filter(|_| has_changed) {
                *taken = visit.at;
            }
        }
        let before = window.begin(cycle) - early;
        for (url, taken) in &copies {
            counts.changed_pages += usize::from(!truth.changes(url, before, at).is_empty());
            match truth.changes(url, *taken, at).first() {
                Some(since) => counts.age_days += (window.end(cycle) - *since).as_days(),
                None => counts.current += 1,
            }
        }
        all.push(counts);
    }
    all.split_off(window.warmup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::living::{Changes, Page, Script, Site};

    #[test]
    fn counts_worked_by_hand() {
        let start = Script::new(1).begins() + Span::DAY;
        let day = |days: f64| start + Span::DAY * days;
        let page = Page::new("/a").changes(Changes::At(vec![day(0.5), day(1.25), day(2.5)]));
        let truth = Truth::new(Script::new(1).site(Site::new("a.test").page(page)));
        let window = Window { start, cycle: Span::DAY, cycles: 4, warmup: 1 };
        let early = Span::from_millis(1);
        let visit =
            |days: f64, judgement| Observation { url: "http://a.test/a".into(), at: day(days) - early, judgement };
        // The first copy, the warm-up's visit, nothing in the second cycle, one that overlooks a change, one that sees it.
        let visits = [(0.0, Judgement::Changed), (1.0, Judgement::Changed)];
        let later = [(3.0, Judgement::Unchanged), (4.0, Judgement::Changed)];
        let visits: Vec<Observation> = visits.into_iter().chain(later).map(|(at, said)| visit(at, said)).collect();
        let counts = cycle_counts(&truth, &visits, window, early);
        let of = |visits, changed_visits, changed_pages, current, age_days| CycleCounts {
            pages: 1,
            visits,
            changed_visits,
            changed_pages,
            current,
            age_days,
        };
        assert_eq!(counts, [of(0, 0, 1, 0, 0.75), of(1, 0, 1, 0, 1.75), of(1, 1, 0, 1, 0.0)]);
    }
}
