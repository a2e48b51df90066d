//! How fast formulas are bred, and how good they come out: `cargo bench -p revisit --features learn --bench gp [PAGES [SEEDS]]`.
//!
//! Page-cycles are evaluations × pages × cycles. "Without memory" judges every formula of every generation anew; "with
//! memory" is a run as users make it, in which equal formulas are simulated once but every evaluation asked for counts.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use revisit::Span;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::trace::FIRST_DAY;
use revisit::lab::world;
use revisit::learn::gp::{BASELINES, Evolution, Objective, Sample, Scratch, Settings, Trial, baseline, roles};

fn main() {
    let numbers: Vec<u32> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let pages = numbers.first().copied().unwrap_or(20_000);
    let seeds = numbers.get(1).copied().unwrap_or(5);
    let world = world::make("brdc12-like", pages, 1).unwrap();
    let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 57, warmup: 2 };
    let cut = Cut::new(&world, window).unwrap();
    let roles = roles(cut.len(), 0, 111).unwrap();
    let [train, validation, test] =
        [roles.train, roles.validation, roles.test].map(|places| Sample::new(&cut, &places));
    let [train, validation, test] =
        [&train, &validation, &test].map(|sample| Trial::new(sample, sample.visits(0.05), Objective::ChangeRatio));
    println!("{} training pages, {} cycles", train.sample().len(), window.cycles);
    let mut tests = Vec::new();
    for seed in (1..=seeds).map(|number| u64::from(number) * 111) {
        tests.push(bred(seed, [&train, &validation, &test]));
    }
    let mean = tests.iter().sum::<f64>() / tests.len().max(1) as f64;
    println!("test, mean of {seeds} seeds: {mean:.4}");
    for (name, _) in BASELINES {
        let formula = baseline(name).unwrap();
        let value = |trial: &Trial<'_>| trial.judge(&formula, &mut Scratch::default()).value;
        println!("{name}: train {:.4} validation {:.4} test {:.4}", value(&train), value(&validation), value(&test));
    }
}

/// Breeds formulas from a seed, prints what that cost, and returns the result on the test pages.
fn bred(seed: u64, [train, validation, test]: [&Trial<'_>; 3]) -> f64 {
    let settings = Settings { seed, ..Settings::default() };
    let begin = cpu_seconds();
    let evolved = Evolution::new(settings.clone(), train).unwrap().finish(validation, test);
    let with_memory = cpu_seconds() - begin;
    let mut evolution = Evolution::new(settings, train).unwrap();
    let (mut without_memory, mut scratch, mut nodes) = (0.0, Scratch::default(), 0);
    while !evolution.is_done() {
        let begin = cpu_seconds();
        for formula in evolution.population() {
            nodes += formula.size();
            std::hint::black_box(train.judge(formula, &mut scratch));
        }
        without_memory += cpu_seconds() - begin;
        evolution.step();
    }
    let page_cycles = (evolved.evaluations * train.page_cycles()) as f64 / 1e9;
    println!(
        "seed {seed}: without memory {without_memory:.2} s, {:.2}e9 page-cycles a CPU-second; whole run with memory \
         {with_memory:.2} s, {:.2}e9 ({} of {} evaluations simulated, {:.1} nodes); train {:.4} validation {:.4} test {:.4}  {}",
        page_cycles / without_memory,
        page_cycles / with_memory,
        evolved.simulated,
        evolved.evaluations,
        nodes as f64 / evolved.evaluations as f64,
        evolved.train,
        evolved.validation,
        evolved.test,
        evolved.formula
    );
    evolved.test
}

/// CPU time of this process so far, from the kernel's count of 10 ms ticks.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: f64 = after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / 100.0
}
