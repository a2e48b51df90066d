//! The `spider` crate over the bench's site: 32 concurrent requests, following every link, keeping nothing but the
//! addresses it has visited. Without a subscriber it hands pages to nobody, which is the fastest it can do.
//!
//! `bench-spider SEED` prints a JSON object.

use std::process::ExitCode;

use spider::website::Website;

const CONCURRENT_REQUESTS: usize = 32;

#[tokio::main]
async fn main() -> ExitCode {
    let Some(seed) = std::env::args().nth(1) else {
        eprintln!("usage: bench-spider SEED");
        return ExitCode::from(2);
    };
    let mut website = Website::new(&seed);
    website.with_concurrency_limit(Some(CONCURRENT_REQUESTS)).with_respect_robots_txt(false).with_delay(0);
    website.crawl().await;
    println!("{{\"pages\": {}}}", website.get_size().await);
    ExitCode::SUCCESS
}
