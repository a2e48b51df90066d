//! Which policy would have kept the copies freshest? `cargo run -p revisit --features lab --example simulation`.
//!
//! A world made up from a seed is cut into days, and every policy may visit a twentieth of its pages a day, knowing only what
//! its own visits showed. The last line says what was possible for who knew every change beforehand.

use revisit::Span;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::limit::Limits;
use revisit::lab::run::run;
use revisit::lab::world;
use revisit::policy::registry;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let trace = world::make("general?days=90", 400, 1)?;
    let Some((start, _)) = trace.span() else { return Err("the world has no pages".into()) };
    let cut = Cut::new(&trace, Window { start, cycle: Span::DAY, cycles: 90, warmup: 2 })?;
    let visits = cut.len() / 20;

    println!("{} pages, {visits} visits a day", cut.len());
    println!("{:<14} {:>9} {:>7} {:>9}", "policy", "freshness", "recall", "age, days");
    for name in ["rand", "age", "nad", "cho-optimal", "everfresh"] {
        let measures = run(&cut, registry::build(name)?, visits)?.measures();
        println!("{name:<14} {:>9.3} {:>7.3} {:>9.2}", measures.freshness, measures.recall, measures.age_days);
    }
    let limits = Limits::of(&cut, |_| visits);
    println!("{:<14} {:>9.3} {:>7.3}", "possible", limits.freshness, limits.recall);
    Ok(())
}
