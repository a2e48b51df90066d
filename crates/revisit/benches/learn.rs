//! What learning costs: CPU time to learn from 100,000 rows of 7 features, nanoseconds to classify one, and memory.
//!
//! ```sh
//! cargo bench -p revisit --features learn --bench learn            # 100,000 pages of the general world
//! cargo bench -p revisit --features learn --bench learn -- 20000   # fewer pages
//! # Memory that is freed and used again hides what the next method takes, unless it goes back at once:
//! MALLOC_TRIM_THRESHOLD_=0 MALLOC_MMAP_THRESHOLD_=16384 cargo bench -p revisit --features learn --bench learn
//! ```

#![allow(clippy::unwrap_used, clippy::disallowed_methods)] // a measurement needs a clock

use revisit::Span;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::random::Random;
use revisit::lab::world;
use revisit::learn::dataset::Dataset;
use revisit::learn::example::{intervals, label, observe};
use revisit::learn::groups::{Groups, USUAL_COUNT};
use revisit::learn::judge::{Folds, judge};
use revisit::learn::method::Method;
use revisit::learn::tree::{Pruning, Tree};
use revisit::learn::{sample, wrapper};

/// How often the rows are classified: the kernel's count of CPU time moves in steps of milliseconds.
const PASSES: usize = 10;

fn main() {
    let pages = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(100_000);
    let trace = world::make("general", pages, 1).unwrap();
    let window = Window { start: trace.span().unwrap().0, cycle: Span::DAY, cycles: 100, warmup: 2 };
    let examples = observe(&Cut::new(&trace, window).unwrap(), 0..100);
    let intervals = intervals(&examples);
    let (groups, seconds) = timed(|| Groups::fit(&intervals, USUAL_COUNT, 1).unwrap());
    println!("{pages} pages in {USUAL_COUNT} groups: {seconds:.3} s");
    let data = label(&examples, &groups).unwrap();
    select(&data);
    for (name, missing) in [("nothing missing", 0.0), ("every tenth value missing", 0.1)] {
        println!("\n{name}");
        measure(&filled(&data, missing));
    }
}

/// Which features matter, found on as many rows as the paper had.
fn select(data: &Dataset) {
    let sample = sample::balanced(data, 1).take(&(0..20_000).collect::<Vec<_>>());
    let folds = Folds::stratified(&sample, 3, 1).unwrap();
    let (selection, seconds) =
        timed(|| wrapper::select(&sample, &folds, |train| Tree::learn(train, Pruning::Pruned)).unwrap());
    let names: Vec<&String> = selection.features.iter().map(|feature| &data.features()[*feature]).collect();
    let (rows, tried, error) = (sample.len(), selection.tried, 100.0 * selection.error_rate);
    println!("wrapper, {rows} rows, {tried} sets, 3 folds: {seconds:.1} s, error {error:.2} % with {names:?}");
}

/// The features that the world does not know are made up, so that there are seven; then values are lost.
fn filled(data: &Dataset, missing: f64) -> Dataset {
    let mut random = Random::stream(7, 0);
    let mut filled = Dataset::new(data.features().to_vec(), data.classes().to_vec()).unwrap();
    for (row, class) in data.rows() {
        let mut row = row.to_vec();
        for value in &mut row {
            let known = if value.is_nan() { random.below(4 + class as u64) as f64 } else { *value };
            *value = if random.chance(missing) { f64::NAN } else { known };
        }
        filled.push(&row, class).unwrap();
    }
    filled
}

fn measure(data: &Dataset) {
    for pruning in [Pruning::Unpruned, Pruning::Pruned] {
        let (tree, seconds) = timed(|| Tree::learn(data, pruning).unwrap());
        let (leaves, depth) = (tree.leaves(), tree.depth());
        println!("{pruning:?} tree of {} rows: {seconds:.3} s, {leaves} leaves, depth {depth}", data.len());
    }
    let (train, test) = sample::two_thirds(data, 1).unwrap();
    println!("{:22} {:>9} {:>12} {:>12} {:>7}", "method", "learn s", "ns a page", "bytes a row", "error");
    for method in Method::TABLE_1.into_iter().chain([Method::Chance]) {
        let before = memory("VmRSS:");
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
        let (learned, learning) = timed(|| method.learn(&train, 1).unwrap());
        let bytes = memory("VmHWM:").saturating_sub(before) as f64 / train.len() as f64;
        let error = 100.0 * judge(&learned, &test).error_rate();
        let (_, seconds) = timed(|| (0..PASSES).map(|_| judge(&learned, &test).errors()).sum::<usize>());
        let nanoseconds = 1e9 * seconds / (PASSES * test.len()) as f64;
        println!("{:22} {learning:>9.3} {nanoseconds:>12.0} {bytes:>12.0} {error:>6.2}%", method.to_string());
    }
}

/// What a closure gives and how many seconds of CPU it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begun = cpu_nanoseconds();
    let result = work();
    (result, (cpu_nanoseconds() - begun) as f64 / 1e9)
}

fn cpu_nanoseconds() -> u64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    told.split(' ').next().unwrap().parse().unwrap()
}

/// A line of the process's status, in bytes.
fn memory(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let value = status.lines().find_map(|text| text.strip_prefix(line)).unwrap();
    value.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
