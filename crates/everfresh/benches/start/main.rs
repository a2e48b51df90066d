//! What a start and a visit cost as collections grow: `cargo bench -p everfresh --bench start -- PAGES VISITS [FOLDER]`.
//!
//! A store is [made](made), in a folder that is kept if one is named, and [measured](measured): a start without a checkpoint and
//! with it, a cycle's plan and picks, commands, and the cost of a visit. `-- growth PAGES` measures the cost of a visit from 10,000
//! pages on, ten times as many each time, up to PAGES. Twenty million pages take some twenty minutes and 15 GB of disk.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod made;
mod measured;

use std::path::Path;
use std::time::Instant;

use everfresh::collection::Collection;
use everfresh::pipeline::{CHECKPOINT, make_checkpoint};
use everfresh::store::{self, Opening};

const PAGES: u32 = 100_000;
/// Visits to each page, unless told.
const VISITS: u64 = 6;

fn make(folder: &Path, pages: u32, visits: u64) {
    Collection::at(folder).init().unwrap();
    let began = Instant::now();
    let mut store = store::open(folder, Opening { durable: false, ..Opening::default() }).unwrap();
    let cycles = made::write(store.as_mut(), pages, visits);
    let took = began.elapsed().as_secs_f64();
    println!("{pages} pages, {visits} visits, {cycles} cycles, made in {took:.0} s");
}

fn keep(folder: &Path) {
    let began = Instant::now();
    assert!(make_checkpoint(folder, &measured::settings(), made::today()).unwrap());
    let bytes = std::fs::metadata(folder.join(CHECKPOINT)).unwrap().len();
    println!("{:.2} s, {} MB", began.elapsed().as_secs_f64(), bytes >> 20);
}

fn measure(folder: &Path) {
    measured::apart("without a checkpoint", "start", folder);
    measured::apart("to make one", "keep", folder);
    measured::apart("with it", "start", folder);
    measured::commands(folder);
    measured::apart("a visit", "cost", folder);
}

fn growth(most: u32) {
    let sizes =
        std::iter::successors(Some(10_000_u32), |pages| pages.checked_mul(10)).take_while(|pages| *pages < most);
    for pages in sizes.chain([most]) {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), pages, u64::from(pages) * 2);
        measured::apart("a visit", "cost", folder.path());
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number = |place: usize| arguments.get(place).map(|number| number.replace('_', "").parse::<u64>().unwrap());
    let first = arguments.first().map(String::as_str);
    let second = || Path::new(&arguments[1]);
    match first {
        Some("start") => measured::start(second()),
        Some("cost") => measured::cost(second()),
        Some("keep") => keep(second()),
        Some("growth") => growth(number(1).map_or(1_000_000, |pages| pages as u32)),
        _ => {
            let pages = number(0).map_or(PAGES, |pages| pages as u32);
            let visits = number(1).unwrap_or(u64::from(pages) * VISITS);
            let temporary = tempfile::tempdir().unwrap();
            let folder = arguments.get(2).map_or(temporary.path(), |folder| Path::new(folder));
            if !folder.join(store::FILE).exists() {
                make(folder, pages, visits);
            }
            measure(folder);
        }
    }
}
