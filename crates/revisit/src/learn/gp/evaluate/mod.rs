//! What a formula is worth: a simulated crawl of a sample of pages, with the lab's exact semantics.

mod program;
