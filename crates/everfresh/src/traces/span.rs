//! From when to when a trace is worth looking at.

use revisit::Time;
use revisit::lab::population::Population;
use revisit::lab::trace::Trace;

/// The least share of a trace's time that is worth looking at.
const SHORTEST: f64 = 0.1;
/// At most this many tenths of the pages may come late, and as many go early: at least two in ten are there throughout.
const MOST_TENTHS: usize = 4;

/// From when nine in ten pages have appeared until one in ten has gone, if only pages that are there throughout count; from
/// when one in ten has appeared until nine in ten have gone, if all do.
///
/// Where pages come and go all the time, one in ten has gone before nine in ten have appeared, or soon after: then eight and
/// two, or as far as six and four.
pub fn usual_span(trace: &Trace, population: Population) -> Option<(Time, Time)> {
    let mut appeared: Vec<Time> = trace.ids().map(|page| trace.page(page).first_seen).collect();
    let mut gone: Vec<Time> = trace.ids().map(|page| trace.page(page).last_seen).collect();
    appeared.sort_unstable();
    gone.sort_unstable();
    let throughout = |tenths: usize| {
        let few = trace.len() * tenths / 10;
        Some((*appeared.get(trace.len().checked_sub(1 + few)?)?, *gone.get(few)?))
    };
    if population == Population::All {
        let tenth = trace.len() / 10;
        return Some((*appeared.get(tenth)?, *gone.get(trace.len().checked_sub(1 + tenth)?)?));
    }
    let shortest = (*gone.last()? - *appeared.first()?) * SHORTEST;
    let long = |span: &(Time, Time)| span.1 > span.0 && span.1 - span.0 >= shortest;
    (1..=MOST_TENTHS).filter_map(throughout).find(long).or_else(|| throughout(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use revisit::lab::trace::TracePage;

    #[test]
    fn a_tenth_of_the_pages_may_come_late_or_go_early() {
        let at = Time::from_secs;
        let page = |n: i64| (TracePage::named("", at(n), at(100 - n)), vec![]);
        let trace = Trace::new("made", (0..20).map(page));
        assert_eq!(usual_span(&trace, Population::Throughout), Some((at(17), at(83))));
        assert_eq!(usual_span(&trace, Population::All), Some((at(2), at(98))));
        assert_eq!(usual_span(&Trace::new("empty", []), Population::All), None);
    }

    #[test]
    fn where_pages_come_and_go_fewer_will_do() {
        let at = Time::from_secs;
        // Two of ten come at 90 and two go at 10, so nine in ten are never there; two are there from 30 to 60.
        let lives = [[(0, 100); 2], [(0, 100); 2], [(90, 100); 2], [(0, 10); 2], [(30, 60); 2]].concat();
        let pages = lives.into_iter().map(|(from, to)| (TracePage::named("", at(from), at(to)), vec![]));
        assert_eq!(usual_span(&Trace::new("made", pages), Population::Throughout), Some((at(30), at(60))));
        let never_together = (0..10).map(|n| (TracePage::named("", at(n * 10), at(n * 10 + 5)), vec![]));
        let span = usual_span(&Trace::new("made", never_together), Population::Throughout);
        assert_eq!(span, Some((at(80), at(15))), "nothing fits, so nothing is chosen");
    }
}
