//! What is measured of a store, each thing in a process of its own: its peak memory is then that of this thing alone.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use everfresh::config::Config;
use everfresh::pipeline::Memory;
use everfresh::settings::Settings;
use everfresh::store::{self, Batch, Opening, VisitRow};
use revisit::PageId;

use crate::made::{budget, today, url, visit};

/// Visits of which the cost is measured, and how many are picked and committed at once.
const VISITS: usize = 20_000;
const AT_ONCE: usize = 500;

pub(crate) fn settings() -> Settings {
    Settings::resolve(Config::default()).unwrap()
}

/// The most memory that this process ever had, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

fn rebuilt(folder: &Path) -> Memory {
    let store = store::reader(folder).unwrap();
    Memory::rebuild(folder, store.as_ref(), &settings(), today(), true).unwrap()
}

/// Starts, and plans a cycle and makes its picks as `run --dry-run` does.
pub(crate) fn start(folder: &Path) {
    let began = Instant::now();
    let mut memory = rebuilt(folder);
    let (started, pages, after_start) = (began.elapsed(), memory.scheduler.pages().len() as u64, peak_memory());
    let (began, fetches) = (Instant::now(), budget(pages as u32) as usize);
    memory.scheduler.open_cycle(fetches, fetches, today());
    let planned = began.elapsed();
    let picked = memory.scheduler.pick(today(), fetches).unwrap().len();
    let (picks, peak) = (began.elapsed() - planned, peak_memory());
    println!(
        "start {:.2} s ({} bytes a page), plan {:.2} s, {picked} picks {:.2} s; at most {} MB, {} bytes a page",
        started.as_secs_f64(),
        after_start / pages.max(1),
        planned.as_secs_f64(),
        picks.as_secs_f64(),
        peak >> 20,
        peak / pages.max(1),
    );
}

/// What a visit costs: picked, loaded, committed and learned.
pub(crate) fn cost(folder: &Path) {
    let mut memory = rebuilt(folder);
    let scheduler = &mut memory.scheduler;
    let pages = scheduler.pages().len();
    let mut store = store::open(folder, Opening { durable: false, ..Opening::default() }).unwrap();
    let now = today();
    scheduler.open_cycle(VISITS, VISITS, now);
    // The first pick also puts all pages into order, which is part of the plan.
    let mut picks = scheduler.pick(now, 1).unwrap();
    let (mut deciding, mut storing, mut visits) = (Duration::ZERO, Duration::ZERO, 0);
    while visits < VISITS.min(pages) && !picks.is_empty() {
        let began = Instant::now();
        let loaded = store.load(&picks).unwrap();
        // They take no request: a store that is used again owes nothing for them.
        let rows =
            picks.iter().map(|page| VisitRow { requests: 0, ..visit(page.0, 7, now, false) }).collect::<Vec<_>>();
        let seen: Vec<_> = rows.iter().map(|row| row.visit).collect();
        store.commit(&Batch { visits: rows, ..Batch::default() }).unwrap();
        storing += began.elapsed();
        visits += loaded.len();
        let began = Instant::now();
        seen.iter().for_each(|visit| scheduler.record(visit));
        picks = scheduler.pick(now, AT_ONCE).unwrap();
        deciding += began.elapsed();
    }
    let each = |time: Duration| time.as_secs_f64() * 1e6 / visits.max(1) as f64;
    println!(
        "{pages} pages: {:.2} µs a visit to decide and learn, {:.2} µs in the store",
        each(deciding),
        each(storing)
    );
}

/// Does something in a process of its own, and says what came of it.
pub(crate) fn apart(name: &str, what: &str, folder: &Path) {
    print!("{name}: ");
    std::io::Write::flush(&mut std::io::stdout()).unwrap();
    let program = std::env::current_exe().unwrap();
    assert!(Command::new(program).arg(what).arg(folder).status().unwrap().success());
}

/// How long commands take that people ask with.
pub(crate) fn commands(folder: &Path) {
    let page = url(PageId(17).0);
    for command in [&["status"][..], &["explain", &page], &["history", &page]] {
        let began = Instant::now();
        let mut program = Command::new(env!("CARGO_BIN_EXE_everfresh"));
        let output = program.args(command).arg("-C").arg(folder).env("RUST_LOG", "off").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        println!("everfresh {}: {:.2} s", command[0], began.elapsed().as_secs_f64());
    }
}
