//! What the lab costs: CPU time a policy and memory a page, on a world as large as the thesis' data set.
//!
//! ```sh
//! cargo bench --bench lab            # 417,048 pages, 57 daily cycles, a budget of 5 %
//! cargo bench --bench lab -- 20000   # fewer pages
//! ```

#![allow(clippy::unwrap_used)]

use revisit::Span;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::run::run;
use revisit::lab::world;
use revisit::policy::registry;
use rustix::time::{ClockId, clock_gettime};

const POLICIES: [&str; 8] = ["rand", "age", "cg", "nad", "sad", "aad", "gad", "tx"];

fn main() {
    let pages = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(417_048);
    let trace = world::make("brdc12-like", pages, 1).unwrap();
    let (start, _) = trace.span().unwrap();
    let window = Window { start, cycle: Span::DAY, cycles: 57, warmup: 2 };
    let cut = Cut::new(&trace, window).unwrap();
    let visits = (0.05 * cut.len() as f64).round() as usize;
    println!("{} pages, {} cycles, {visits} visits a cycle", cut.len(), window.cycles);
    println!("{:8} {:>8} {:>16} {:>14} {:>14}", "policy", "CPU s", "page-cycles/s", "bytes a page", "change ratio");
    for name in POLICIES {
        let before = memory("VmRSS:");
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
        let begun = cpu_seconds();
        let measures = run(&cut, registry::build(name).unwrap(), visits).unwrap().measures();
        let seconds = cpu_seconds() - begun;
        let bytes = memory("VmHWM:").saturating_sub(before) as f64 / cut.len() as f64;
        let speed = (cut.len() * window.cycles) as f64 / seconds;
        println!("{name:8} {seconds:>8.3} {speed:>16.0} {bytes:>14.1} {:>14.4}", measures.change_ratio);
    }
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// A line of the process's status, in bytes.
fn memory(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let value = status.lines().find_map(|text| text.strip_prefix(line)).unwrap();
    value.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
