//! Pages that were watched: what their first visit showed, and how often they changed since.
//!
//! n visits at regular intervals, X of which saw a change, give the rate r = −ln((n − X + 0.5) / (n + 0.5)) an interval
//! (Barbosa et al. 2005, eq. 1) and the mean change interval 1/r visit intervals. Of a page that never changed the
//! equation knows no interval. Reading: none is longer than the page was watched, n visit intervals, which is also what
//! one change comes to; the paper, which watched for 100 days, has 96 days for its slowest group.

use std::ops::Range;

use super::dataset::{Dataset, DatasetError};
use super::groups::Groups;
use crate::estimate::regular;
use crate::features::{Feature, Features};
use crate::lab::cut::Cut;
use crate::page::PageId;
use crate::time::Span;

/// A page that was watched.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// Which one.
    pub page: PageId,
    /// The host that serves it.
    pub site: String,
    /// What its first visit showed.
    pub features: Features,
    /// Its mean change interval.
    pub interval: Span,
}

/// The mean change interval of a page of which `changes` of `visits` visits, one `every` so often, saw a change.
///
/// ```
/// use revisit::{Span, learn::example::mean_interval};
/// let days = |changes| mean_interval(Span::DAY, 100, changes).as_days();
/// assert!((days(28) - 3.06).abs() < 0.01, "1 / -ln(72.5 / 100.5)");
/// assert!(days(0) == 100.0 && (days(1) - 100.0).abs() < 0.01);
/// ```
pub fn mean_interval(every: Span, visits: u32, changes: u32) -> Span {
    let longest = every * f64::from(visits.max(1));
    let rate = regular::rate(visits, changes.min(visits));
    if rate > 0.0 { (every / rate).min(longest) } else { longest }
}

/// The pages of a cut, watched in some of its cycles: one visit at the end of each.
///
/// Two ranges that do not meet split by time: labels of the earlier one train, labels of the later one test. They should
/// be equally long, since no interval is longer than the time watched.
pub fn observe(cut: &Cut<'_>, cycles: Range<usize>) -> Vec<Example> {
    let cycles = cycles.start..cycles.end.min(cut.window().cycles);
    let visits = cycles.len() as u32;
    let mut changes = vec![0; cut.len()];
    for cycle in cycles {
        cut.changed_in(cycle).iter().for_each(|change| changes[change.index as usize] += 1);
    }
    let example = |(index, changes): (usize, u32)| {
        let page = cut.trace().page(cut.page(index));
        let interval = mean_interval(cut.window().cycle, visits, changes);
        Example { page: cut.page(index), site: host(&page.url).to_owned(), features: page.features(), interval }
    };
    changes.into_iter().enumerate().map(example).collect()
}

/// The intervals of examples, to find groups in.
pub fn intervals(examples: &[Example]) -> Vec<Span> {
    examples.iter().map(|example| example.interval).collect()
}

/// Examples as a data set: the class of each is its group.
pub fn label(examples: &[Example], groups: &Groups) -> Result<Dataset, DatasetError> {
    let mut data = Dataset::new(Feature::names(), groups.names())?;
    for example in examples {
        data.push(&example.features.row(&Feature::ALL), groups.of(example.interval))?;
    }
    Ok(data)
}

/// The host of a URL, without port; all that is before the first slash if it has no scheme.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match host.rsplit_once(':') {
        // The colons of an address in brackets are no port.
        Some((name, port)) if !port.ends_with(']') => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::cut::Window;
    use crate::lab::trace::{FIRST_DAY, Trace};

    #[test]
    fn hosts_are_found() {
        let urls = ["http://a.test:80/b", "https://me@a.test?b", "http://[::1]:8/", "http://[::1]", "page-7", ""];
        assert_eq!(urls.map(host), ["a.test", "a.test", "[::1]", "[::1]", "page-7", ""]);
    }

    #[test]
    fn intervals_come_from_the_cycles_asked_for() {
        let trace = Trace::daily("two", 8, [("http://a.test/", vec![0, 1, 2, 3]), ("http://b.test/", vec![7])]);
        let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 8, warmup: 2 };
        let cut = Cut::new(&trace, window).unwrap();
        let days = |cycles| observe(&cut, cycles).iter().map(|page| page.interval.as_days()).collect::<Vec<_>>();
        let always = 1.0 / -(0.5_f64 / 4.5).ln();
        assert!((days(0..4)[0] - always).abs() < 1e-6);
        assert_eq!(days(0..4)[1], 4.0, "it never changed in the four days it was watched");
        assert_eq!(days(4..8)[0], 4.0);
        assert_eq!(days(4..99), days(4..8));
        assert_eq!(observe(&cut, 0..8)[1].site, "b.test");
        assert_eq!(days(8..8), [1.0, 1.0], "unwatched pages do no harm");
    }
}
