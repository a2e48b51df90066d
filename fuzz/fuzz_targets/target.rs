//! Feeds the target that the variable `FUZZ` names with what the fuzzing tool makes up.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
use std::sync::LazyLock;

#[cfg(fuzzing)]
static TARGET: LazyLock<everfresh_fuzz::Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ").unwrap_or_default();
    everfresh_fuzz::target(&name).unwrap_or_else(|| panic!("FUZZ names no target: '{name}'"))
});

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| TARGET(input));

/// Without the tool: the names of the targets.
#[cfg(not(fuzzing))]
fn main() {
    everfresh_fuzz::TARGETS.iter().for_each(|(name, _)| println!("{name}"));
}
