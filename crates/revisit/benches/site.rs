//! What site structure costs: a million pages on some hundred servers with some twelve million links.
//!
//! `cargo bench -p revisit --features lab --bench site` prints seconds, microseconds a page and bytes a link. Memory is what the operating
//! system holds resident for the process, so gaps and spare room count.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, clippy::unwrap_used)]

use std::fs;
use std::hint::black_box;
use std::time::Instant;

use revisit::PageId;
use revisit::lab::random::Random;
use revisit::site::{
    Depths, Directories, Graph, HOPS, PageRank, RankSettings, Sites, by_directory, by_hierarchy, by_links,
};

const PAGES: u32 = 1_000_000;
/// Pages whose links are made up before the clock starts on them.
const BATCH: u32 = 10_000;
const REPLACED: u32 = 200_000;

fn main() {
    let web = Web::new();
    let before = resident();
    let mut graph = Graph::default();
    graph.grow(PAGES as usize);
    let seconds = take_in(&web, &mut graph, 1, (0..PAGES).map(PageId));
    let bytes = resident() - before;
    println!("{PAGES} pages on {} servers, {} links", web.servers, graph.links());
    println!("graph      {:>8.1} bytes a link", per(bytes as f64, graph.links()));
    println!("add        {:>8.2} µs a page", per(seconds * 1e6, PAGES as usize));
    replace_some(&web, &mut graph, before);

    let before = resident();
    let (directories, seconds) = timed(|| web.directories());
    println!("directories {:>7.2} µs a page, {} of them", per(seconds * 1e6, PAGES as usize), directories.len());
    println!("           {:>8.1} bytes a page", per((resident() - before) as f64, PAGES as usize));
    split(&graph, &directories);

    let (ranks, seconds) = timed(|| PageRank::compute(&graph, RankSettings::default()));
    println!("rank       {seconds:>8.2} s, {} rounds, error {:.1e}", ranks.rounds, ranks.error);
    let peak = status("VmHWM:") as f64;
    println!("peak       {:>8.1} bytes a link, all of the above", per(peak, graph.links()));
}

/// Pages that changed, at random, with most of their links new.
fn replace_some(web: &Web, graph: &mut Graph, before: i64) {
    let mut random = Random::stream(3, 0);
    let pages: Vec<PageId> = (0..REPLACED).map(|_| PageId(random.below(PAGES.into()) as u32)).collect();
    let seconds = take_in(web, graph, 2, pages.into_iter());
    println!("replace    {:>8.2} µs a page", per(seconds * 1e6, REPLACED as usize));
    println!("           {:>8.1} bytes a link after", per((resident() - before) as f64, graph.links()));
}

/// Depths and the three splits; all are kept, as by someone who compares them.
fn split(graph: &Graph, directories: &Directories) {
    let before = resident();
    let (depths, measuring) = timed(|| Depths::measure(graph, directories, &directories.top_pages(), HOPS));
    let reached = (0..PAGES).filter(|page| depths.get(PageId(*page)).is_some()).count();
    println!("depth      {measuring:>8.2} s, {reached} pages in reach");
    let mut total = measuring;
    let mut kept: Vec<Sites> = Vec::new();
    let mut tell = |method: &str, run: &dyn Fn() -> Sites| {
        let (sites, seconds) = timed(run);
        println!("split {method}    {seconds:>8.2} s, {} sites", sites.len());
        total += seconds;
        kept.push(sites);
    };
    tell("A", &|| by_directory(directories, &depths));
    tell("B", &|| by_links(graph, directories, &depths));
    tell("C", &|| by_hierarchy(graph, directories, &depths));
    println!("all        {total:>8.2} s");
    println!("           {:>8.1} bytes a link", per((resident() - before) as f64, graph.links()));
    black_box(kept);
}

/// The seconds it takes to take in these pages' links.
fn take_in(web: &Web, graph: &mut Graph, seed: u64, mut pages: impl Iterator<Item = PageId>) -> f64 {
    let mut seconds = 0.0;
    loop {
        let batch: Vec<(PageId, Vec<PageId>)> =
            pages.by_ref().take(BATCH as usize).map(|page| (page, web.links(page, seed))).collect();
        if batch.is_empty() {
            return seconds;
        }
        let added = timed(|| batch.iter().filter(|(page, links)| graph.replace(*page, links.iter().copied())).count());
        seconds += added.1;
    }
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = run();
    (result, start.elapsed().as_secs_f64())
}

fn per(amount: f64, count: usize) -> f64 {
    amount / count as f64
}

fn resident() -> i64 {
    status("VmRSS:")
}

/// A number of the process's status, in bytes; 0 where there is no such file.
fn status(field: &str) -> i64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<i64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

/// Servers of very different sizes, each a tree of directories whose index pages lead to everything below them.
struct Web {
    folders: Vec<Folder>,
    folder_of: Vec<u32>,
    servers: u32,
}

struct Folder {
    /// Its pages; the first is its index page.
    pages: std::ops::Range<u32>,
    /// The first page of its server and the server's number of pages.
    server: (u32, u32),
    below: Vec<u32>,
    url: String,
}

impl Web {
    fn new() -> Web {
        let mut random = Random::stream(1, 0);
        let mut web = Web { folders: Vec::new(), folder_of: Vec::new(), servers: 0 };
        while web.folder_of.len() < PAGES as usize {
            let size = (random.log_uniform(10.0, 30_000.0) as u32).min(PAGES - web.folder_of.len() as u32);
            web.add_server(&mut random, size);
        }
        web
    }

    fn add_server(&mut self, random: &mut Random, size: u32) {
        let (first_page, first_folder) = (self.folder_of.len() as u32, self.folders.len() as u64);
        let end = first_page + size;
        while (self.folder_of.len() as u32) < end {
            let from = self.folder_of.len() as u32;
            let pages = from..end.min(from + 1 + random.exponential(25.0) as u32);
            let number = self.folders.len() as u32;
            let above = first_folder + random.below(u64::from(number) - first_folder);
            let url = match self.folders.get_mut(above as usize) {
                Some(above) => {
                    above.below.push(number);
                    format!("{}part-{number}/", above.url)
                }
                None => format!("https://www.server-{}.org/", self.servers),
            };
            self.folder_of.extend(pages.clone().map(|_| number));
            self.folders.push(Folder { pages, server: (first_page, size), below: Vec::new(), url });
        }
        self.servers += 1;
    }

    fn directories(&self) -> Directories {
        let mut directories = Directories::default();
        for folder in &self.folders {
            directories.push(&folder.url);
            (folder.pages.start + 1..folder.pages.end).for_each(|page| {
                directories.push(&format!("{}page-{page}.html", folder.url));
            });
        }
        directories
    }

    /// Some links within the folder, to popular pages of the server, and to popular pages elsewhere; an index page also links
    /// to all below it.
    fn links(&self, page: PageId, seed: u64) -> Vec<PageId> {
        let mut random = Random::stream(seed, u64::from(page.0));
        let folder = &self.folders[self.folder_of[page.index()] as usize];
        let mut links = vec![PageId(folder.server.0), PageId(folder.pages.start)];
        if folder.pages.start == page.0 {
            links.extend(folder.pages.clone().map(PageId));
            links.extend(folder.below.iter().map(|below| PageId(self.folders[*below as usize].pages.start)));
        }
        let within = |random: &mut Random| folder.pages.start + random.below(folder.pages.len() as u64) as u32;
        // The cube makes few pages popular: half of the links go to an eighth of them.
        let popular = |random: &mut Random, size: u32| (f64::from(size) * random.unit().powi(3)) as u32;
        for _ in 0..3 {
            links.push(PageId(within(&mut random)));
            links.push(PageId(folder.server.0 + popular(&mut random, folder.server.1)));
            links.push(PageId(folder.server.0 + popular(&mut random, folder.server.1)));
        }
        links.push(PageId(popular(&mut random, PAGES)));
        links
    }
}
