//! From when to when a trace is worth looking at.

use revisit::Time;
use revisit::lab::population::Population;
use revisit::lab::trace::Trace;

/// From when nine in ten pages have appeared until one in ten has gone, if only pages that are there throughout count; from
/// when one in ten has appeared until nine in ten have gone, if all do.
pub fn usual_span(trace: &Trace, population: Population) -> Option<(Time, Time)> {
    let mut appeared: Vec<Time> = trace.ids().map(|page| trace.page(page).first_seen).collect();
    let mut gone: Vec<Time> = trace.ids().map(|page| trace.page(page).last_seen).collect();
    appeared.sort_unstable();
    gone.sort_unstable();
    let tenth = trace.len() / 10;
    let nine_tenths = trace.len().checked_sub(1 + tenth)?;
    Some(match population {
        Population::Throughout => (*appeared.get(nine_tenths)?, *gone.get(tenth)?),
        Population::All => (*appeared.get(tenth)?, *gone.get(nine_tenths)?),
    })
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
}
