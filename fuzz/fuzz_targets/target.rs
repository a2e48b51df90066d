//! Feeds the target that the variable `FUZZ` names with what the fuzzing tool makes up.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
use std::sync::LazyLock;

#[cfg(fuzzing)]
static TARGET: LazyLock<everfresh_fuzz::Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ").unwrap_or_default();
    everfresh_fuzz::target(&name).unwrap_or_else(|| panic!("FUZZ names no target: '{name}'"))
});

/// What an input may take. Counted in CPU time, so that other work on the machine finds no faults.
#[cfg(fuzzing)]
const MAX_CPU_SECONDS: f64 = 1.0;

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let before = cpu_seconds();
    TARGET(input);
    let took = cpu_seconds() - before;
    assert!(took <= MAX_CPU_SECONDS, "the input took {took:.2} s of CPU time");
});

#[cfg(fuzzing)]
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Without the tool: the names of the targets.
#[cfg(not(fuzzing))]
fn main() {
    everfresh_fuzz::TARGETS.iter().for_each(|(name, _)| println!("{name}"));
}
