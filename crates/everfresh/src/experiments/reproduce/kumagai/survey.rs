//! What Kumagai & Yamana 2004 found before they proposed anything: how much changes (Table 2), what a server's top page says of
//! the server (Table 3), and how often pages change (Figures 10 and 11).

use revisit::Span;
use revisit::lab::cut::Cut;
use revisit::site::Structure;
use serde::Serialize;

use super::Point;

/// Tables 2 and 3, of all spans together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Tops {
    /// All changed / all pages (Table 2).
    pub(super) changed: f64,
    /// Changed on servers whose top page changed / all changed.
    pub(super) coverage: f64,
    /// Changed on servers whose top page changed / all pages of those.
    pub(super) update_rate: f64,
    /// Servers whose top page changed / all servers.
    pub(super) servers: f64,
}

impl Tops {
    /// Counts over the cycles after the warm-up.
    pub(super) fn count(cut: &Cut<'_>, structure: &Structure) -> Tops {
        let directories = structure.directories();
        // The cut has all pages of the trace, so places in it are their ids.
        let server = |index: usize| directories.server(cut.page(index)).map_or(0, |server| server.index());
        let mut sizes = vec![0_usize; directories.len()];
        (0..cut.len()).for_each(|index| sizes[server(index)] += 1);
        let mut is_top = vec![false; cut.len()];
        directories.top_pages().iter().for_each(|top| is_top[top.index()] = true);
        let (mut changed, mut covered, mut collected, mut announced) = (0, 0, 0, 0);
        let cycles = cut.window().warmup..cut.window().cycles;
        let count = cycles.len();
        for cycle in cycles {
            let changes = cut.changed_in(cycle);
            let mut announces = vec![false; sizes.len()];
            let tops = changes.iter().map(|change| change.index as usize).filter(|index| is_top[*index]);
            tops.for_each(|top| announces[server(top)] = true);
            changed += changes.len();
            covered += changes.iter().filter(|change| announces[server(change.index as usize)]).count();
            let announcing = || announces.iter().zip(&sizes).filter(|(announces, _)| **announces);
            collected += announcing().map(|(_, size)| size).sum::<usize>();
            announced += announcing().count();
        }
        let servers = sizes.iter().filter(|size| **size > 0).count();
        Tops {
            changed: share(changed, cut.len() * count),
            coverage: share(covered, changed),
            update_rate: share(covered, collected),
            servers: share(announced, servers * count),
        }
    }

    /// Collecting everything.
    pub(super) fn all_pages(&self) -> Point {
        Point { method: "all pages", setting: None, update_rate: self.changed, coverage: 1.0, collected: 1.0 }
    }
}

/// Figures 10 and 11: in how many weeks of a span pages changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Changes {
    /// Of all pages those that never changed.
    pub(super) never: f64,
    /// Of the pages that changed those that changed in one week only.
    pub(super) once: f64,
    /// Of the pages that changed those that changed in every week.
    pub(super) always: f64,
}

impl Changes {
    /// Counts over the cycles after the warm-up.
    pub(super) fn count(cut: &Cut<'_>, week: Span) -> Changes {
        let window = cut.window();
        let weeks = (window.cycle.millis() / week.millis()) as usize;
        let (mut changed, mut once, mut always, mut all) = (0, 0, 0, 0);
        for cycle in window.warmup..window.cycles {
            all += cut.len();
            for change in cut.changed_in(cycle) {
                let times = cut.trace().changes(cut.page(change.index as usize));
                let inside = times.iter().filter(|time| (window.begin(cycle)..window.end(cycle)).contains(time));
                let mut lively: Vec<i64> =
                    inside.map(|time| (*time - window.begin(cycle)).millis() / week.millis()).collect();
                lively.dedup();
                changed += 1;
                once += usize::from(lively.len() == 1);
                always += usize::from(lively.len() == weeks);
            }
        }
        Changes { never: share(all - changed, all), once: share(once, changed), always: share(always, changed) }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use revisit::lab::cut::Window;
    use revisit::lab::trace::{FIRST_DAY, Trace};

    #[test]
    fn tables_by_hand() {
        // Two servers of two pages. In the span of days 14 to 27 the first one's top page changes twice and a page of the
        // second one does once.
        let pages =
            [("http://a/", vec![15, 22]), ("http://a/1", vec![]), ("http://b/", vec![1]), ("http://b/1", vec![20])];
        let trace = Trace::daily("made", 28, pages);
        let mut structure = Structure::default();
        trace.ids().for_each(|page| structure.locate(page, &trace.page(page).url));
        let window = Window { start: FIRST_DAY, cycle: Span::DAY * 14.0, cycles: 2, warmup: 1 };
        let cut = Cut::new(&trace, window).unwrap();
        let tops = Tops::count(&cut, &structure);
        assert_eq!(tops, Tops { changed: 0.5, coverage: 0.5, update_rate: 0.5, servers: 0.5 });
        assert_eq!(Changes::count(&cut, Span::DAY * 7.0), Changes { never: 0.5, once: 0.5, always: 0.5 });
    }
}
