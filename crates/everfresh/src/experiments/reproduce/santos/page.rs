//! The page of `lab reproduce santos --report`: Table 4.3, and Figure 4.2 as a plot.

use super::text::{HEADER, cells, says, verdict};
use super::{METHODS, Repetition, SantosResults};
use crate::experiments::cycle_lines::{change_ratio, cycle_series};
use crate::report::Page;
use crate::report::axis::Axis;
use crate::report::plot::Plot;
use crate::report::table::{Cell, Kind, Table};

/// Makes the page.
pub(crate) fn make(results: &SantosResults, repetitions: &[Repetition]) -> String {
    let mut page = Page::new("Santos 2013, again", &says(results));
    let mut table = Table::new(&HEADER);
    for (place, row) in results.methods.iter().enumerate() {
        let [name, policy, ratio, thesis, difference, within] = cells(row);
        let number = |text: String, share| Cell::Bar(text, share);
        let numbers = [number(ratio, row.change_ratio), number(thesis, row.thesis)];
        let rest = [Cell::Text(difference), Cell::Text(within)];
        let names = [Cell::Name(name, Some(place)), Cell::Text(policy)];
        table.row(Kind::Entry, &[&names[..], &numbers, &rest].concat());
    }
    let text = format!(
        "Mean Change Ratio with its 95 % interval over the seeds. {} NAD, SAD, AAD and GAD weigh calendar cycles, as the \
         thesis' public code does; t·X stands beside NAD, because that code's NAD ranks pages as t·X does.",
        verdict(results)
    );
    page.section("Table 4.3", &text, &table.finish());
    let text = "Mean over the seeds, moving averages; the cycles themselves are faint.";
    page.section("Figure 4.2: Change Ratio, cycle by cycle", text, &figure(results, repetitions).svg());
    page.finish()
}

fn figure(results: &SantosResults, repetitions: &[Repetition]) -> Plot {
    let mean = |place: usize, cycle: usize| {
        let ratios = repetitions.iter().map(|repetition| {
            let run = &repetition.runs[place];
            change_ratio(&run.cycles[cycle])
        });
        ratios.sum::<f64>() / repetitions.len() as f64
    };
    let series: Vec<_> = METHODS
        .iter()
        .enumerate()
        .map(|(place, (name, ..))| {
            let measured = repetitions[0].runs[place].cycles.len();
            let values: Vec<f64> = (0..measured).map(|cycle| mean(place, cycle)).collect();
            cycle_series(name, place, &values, results.cycles - measured, 5)
        })
        .collect();
    let y = Axis::around("Change Ratio", series.iter().flat_map(|series| series.raw.iter().map(|(_, value)| *value)));
    Plot { x: Axis::over("cycle", 1.0, results.cycles as f64), y, series, rules: vec![] }
}

#[cfg(test)]
mod tests {
    use super::super::{repeat, summarise};
    use super::*;
    use crate::experiments::budget::Budget;
    use crate::experiments::source::Source;
    use crate::report::text_of;

    #[test]
    fn the_page_says_what_the_numbers_say() {
        let source = Source { pages: 300, ..Source::default() };
        let repetitions = repeat(&source, Budget::Share(0.05), 2).unwrap();
        let results = summarise(&repetitions);
        assert_eq!((results.pages, results.cycles, results.k, results.seeds), (300, 57, 15, 2));
        let text = text_of(&make(&results, &repetitions));
        for row in &results.methods {
            assert!(row.change_ratio > 0.0 && row.change_ratio <= 1.0 && row.interval.is_some());
            assert!(text.contains(&cells(row)[2]), "{}", row.name);
        }
    }
}
