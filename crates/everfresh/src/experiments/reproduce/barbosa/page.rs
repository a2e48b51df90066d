//! The page of `lab reproduce barbosa --report`: Figure 2, the tables, who was taken for whom, and the tree.

use super::experiment::Outcome;
use super::summary::{BarbosaResults, Choice, Classified, Composed, Rate};
use super::text::{self, classified, composed, says};
use crate::output;
use crate::report::axis::Axis;
use crate::report::plot::{Look, Plot, Series};
use crate::report::table::{Cell, Kind, Table};
use crate::report::{Page, escape};

/// Makes the page.
pub(crate) fn make(results: &BarbosaResults, first: &Outcome) -> String {
    let tree = &first.tree;
    let mut page = Page::new("Barbosa et al. 2005, again", &says(results));
    page.section("What held and what did not", &results.text, "");
    let figure = "Mean change intervals of the pages that train, cut by k-means into 2 to 6 groups: the centre of each group \
                  and how many pages it has. The silhouette says how distinct the groups are, at most 1.";
    page.section("Figure 2: groups of pages", figure, &(choices(results) + &plot(&results.figure_2).svg()));
    let text = format!(
        "{}. Classifiers are checked on a sample in which every group is as frequent.",
        text::features(results)
    );
    page.section("Table 1: classifiers", &text, &table_1(results));
    let text = "The share of test pages that begin in another group than their full history speaks for.";
    page.section("Table 3: where pages begin", text, &table_3(results));
    let text = "The share of test pages that are in another group at the end of the crawl, and by how many points that \
                is above tree+historic, paired by seed.";
    page.section("Table 5: where pages end", text, &table_5(results));
    let text = "Of the first seed: a row for the group of the full history, a column for the group said.";
    page.section("Who was taken for whom", text, &confusions(results));
    let text = format!(
        "Pruned, with {} leaves, of the first seed. Groups are named by their mean change interval.",
        tree.leaves()
    );
    let words: Vec<String> = results.tree.lines().map(escape).collect();
    let words = format!("<details><summary>as text</summary><pre>{}</pre></details>\n", words.join("\n"));
    page.section("The tree", &text, &format!("<div class=\"tall\">\n{}</div>\n{words}", tree.picture()));
    page.finish()
}

fn choices(results: &BarbosaResults) -> String {
    let most = results.figure_2.iter().map(|choice| choice.groups.len()).max().unwrap_or_default();
    let columns: Vec<String> = (1..=most).map(|place| format!("group {place}")).collect();
    let header: Vec<&str> = ["k", "silhouette"].into_iter().chain(columns.iter().map(String::as_str)).collect();
    let mut table = Table::new(&header);
    for (place, choice) in results.figure_2.iter().enumerate() {
        let mut cells = vec![
            Cell::Name(choice.groups.len().to_string(), Some(place)),
            Cell::Text(format!("{:.3}", choice.silhouette)),
        ];
        let group = |place: usize| {
            let Some(group) = choice.groups.get(place) else { return Cell::Text(String::new()) };
            Cell::Sure(Box::new(Cell::Text(group.name.clone())), format!("{} pages", output::count(group.pages as u64)))
        };
        cells.extend((0..most).map(group));
        table.row(if choice.groups.len() == results.groups { Kind::Limit } else { Kind::Entry }, &cells);
    }
    table.finish()
}

/// A line for every number of groups, a dot for every group.
fn plot(choices: &[Choice]) -> Plot {
    let line = |(place, choice): (usize, &Choice)| Series {
        name: format!("k = {}", choice.groups.len()),
        colour: Some(place),
        look: Look::LineAndDots,
        points: choice.groups.iter().map(|group| (group.centre_days, group.pages as f64)).collect(),
        raw: vec![],
    };
    let groups = || choices.iter().flat_map(|choice| &choice.groups);
    let x = Axis::logarithmic("centre: mean change interval in days", groups().map(|group| group.centre_days));
    let y = Axis::around("pages", groups().map(|group| group.pages as f64).chain([0.0]));
    Plot { x, y, series: choices.iter().enumerate().map(line).collect(), rules: vec![] }
}

/// The cells of a row whose second and third are error rates, here and in the paper.
fn cells(texts: Vec<String>, rate: &Rate) -> Vec<Cell> {
    let cell = |(place, text): (usize, String)| match place {
        1 => Cell::Bar(text, rate.error),
        2 => Cell::Bar(text, rate.paper),
        _ => Cell::Text(text),
    };
    texts.into_iter().enumerate().map(cell).collect()
}

fn table_1(results: &BarbosaResults) -> String {
    let mut table = Table::new(&text::TABLE_1);
    let row = |row: &Classified| cells(classified(row), &row.rate);
    results.table_1.iter().map(row).for_each(|cells| table.row(Kind::Entry, &cells));
    table.finish()
}

fn table_3(results: &BarbosaResults) -> String {
    let mut table = Table::new(&["beginning", "error", "paper"]);
    for row in &results.table_3 {
        let texts = vec![row.beginning.to_owned(), text::rate(&row.rate), text::paper(&row.rate)];
        table.row(Kind::Entry, &cells(texts, &row.rate));
    }
    table.finish()
}

fn table_5(results: &BarbosaResults) -> String {
    let mut table = Table::new(&text::TABLE_5);
    let row = |row: &Composed| cells(composed(row), &row.rate);
    results.table_5.iter().map(row).for_each(|cells| table.row(Kind::Entry, &cells));
    table.finish()
}

/// All of them in one table, one below the other: the columns are the same.
fn confusions(results: &BarbosaResults) -> String {
    let chosen = results.figure_2.iter().find(|choice| choice.groups.len() == results.groups);
    let names: Vec<&str> = chosen.iter().flat_map(|choice| &choice.groups).map(|group| group.name.as_str()).collect();
    let mut table = Table::new(&[&["is"][..], &names].concat());
    let classifiers = results.table_1.iter().map(|row| (format!("Table 1, {}", row.method), &row.confusion));
    let beginnings = results.table_3.iter().map(|row| (format!("Table 3, {}", row.beginning), &row.confusion));
    let endings = results.table_5.iter().map(|row| (format!("Table 5, {}", row.policy), &row.confusion));
    for (title, confusion) in classifiers.chain(beginnings).chain(endings) {
        table.row(Kind::Group, &[Cell::Text(title)]);
        for (name, counts) in names.iter().zip(confusion) {
            let all = counts.iter().sum::<usize>().max(1) as f64;
            let cell = |count: &usize| Cell::Bar(output::count(*count as u64), *count as f64 / all);
            let cells = [Cell::Text((*name).to_owned())].into_iter().chain(counts.iter().map(cell));
            table.row(Kind::Entry, &cells.collect::<Vec<_>>());
        }
    }
    table.finish()
}

#[cfg(test)]
mod tests {
    use super::super::experiment::{Plan, experiment};
    use super::super::sides::Split;
    use super::super::summary::summarise;
    use super::*;
    use crate::report::text_of;
    use revisit::Span;
    use revisit::lab::{cut::Window, trace::FIRST_DAY, world};

    #[test]
    fn the_page_says_what_the_numbers_say() {
        let trace = world::make("general", 500, 1).unwrap();
        let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 100, warmup: 1 };
        let plan = |seed| Plan { split: Split::Page, groups: 4, seed };
        let outcomes: Vec<_> = [1, 2].map(|seed| experiment(&trace, window, plan(seed)).unwrap()).into();
        let results = summarise(&outcomes, Split::Page);
        let text = text_of(&make(&results, &outcomes[0]));
        let rows = results.table_1.iter().map(classified).chain(results.table_5.iter().map(composed));
        // Of what is escaped only the parts in between are text.
        let parts = |said: &str| said.split(['<', '>']).map(str::to_owned).collect::<Vec<_>>();
        let said = rows.flatten().chain(results.tree.lines().map(str::to_owned)).flat_map(|said| parts(&said));
        said.for_each(|part| assert!(text.contains(&part), "{part}"));
        assert!(results.figure_2[2].groups.iter().all(|group| text.contains(&group.name)));
    }
}
