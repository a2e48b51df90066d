//! The paper's figures, servers of odd shapes, and laws that hold for every split.

use proptest::prelude::*;

use super::*;
use crate::site::depth::HOPS;
use crate::site::graph::MOST_LINKS;
use crate::site::{Depths, Directories, Graph};

/// Pages named by letters, "A one/a.html" and so on, and links, "AB" from A to B.
struct Server {
    names: Vec<char>,
    graph: Graph,
    directories: Directories,
    depths: Depths,
}

impl Server {
    fn new(pages: &[&str], links: &[&str]) -> Server {
        let (mut graph, mut directories) = (Graph::default(), Directories::default());
        let names: Vec<char> = pages.iter().map(|page| page.chars().next().unwrap()).collect();
        graph.grow(pages.len());
        for page in pages {
            directories.push(&format!("http://x.org/{}", &page[2..]));
        }
        let id = |name: char| PageId(names.iter().position(|known| *known == name).unwrap() as u32);
        for from in &names {
            let out = links.iter().filter(|link| link.starts_with(*from));
            graph.replace(id(*from), out.map(|link| id(link.chars().nth(1).unwrap())));
        }
        let depths = Depths::measure(&graph, &directories, &directories.top_pages(), HOPS);
        Server { names, graph, directories, depths }
    }

    fn a(&self) -> Sites {
        by_directory(&self.directories, &self.depths)
    }

    fn b(&self) -> Sites {
        by_links(&self.graph, &self.directories, &self.depths)
    }

    fn c(&self) -> Sites {
        by_hierarchy(&self.graph, &self.directories, &self.depths)
    }

    /// A site in the paper's notation, (top, member, …), its tops before a bar if there are several.
    fn told(&self, sites: &Sites, site: SiteId) -> String {
        let letters = |pages: &[PageId]| pages.iter().map(|page| self.names[page.index()]).collect::<String>();
        let bar = if sites.tops(site).len() > 1 { "|" } else { "" };
        letters(sites.tops(site)) + bar + &letters(sites.members(site))
    }

    fn all(&self, sites: &Sites) -> Vec<String> {
        let mut told: Vec<String> = sites.ids().map(|site| self.told(sites, site)).collect();
        told.sort_unstable();
        told
    }

    fn upper(&self, sites: &Sites, site: &str) -> Option<String> {
        let lower = sites.ids().find(|id| self.told(sites, *id) == site).unwrap();
        sites.upper(lower).map(|upper| self.told(sites, upper))
    }
}

/// Their Figure 3: (A,B,C,D) and (E).
#[test]
fn figure_3_directories_are_sites() {
    let pages = ["A index.html", "B b.html", "C c.html", "D d.html", "E more/e.html"];
    let server = Server::new(&pages, &["AB", "AC", "BD", "CE"]);
    assert_eq!(server.all(&server.a()), ["ABCD", "E"]);
}

/// The pages of their Figure 4 in three directories, below a top page S. The candidates for top are A, D, F and G; F is
/// linked from a page before, beside or behind E, as the last link says.
fn figure_4(to_f: &str) -> Server {
    let pages = [
        "S index.html",
        "A 1/a.html",
        "B 1/b.html",
        "C 1/c.html",
        "D 2/d.html",
        "E 2/e.html",
        "F 2/f.html",
        "G 3/g.html",
    ];
    let pages: Vec<&str> = pages.into_iter().chain(["H 3/h.html"]).collect();
    Server::new(&pages, &["SA", "AB", "AC", "BD", "DE", "EF", "CG", "GH", to_f])
}

/// Their Figure 4: (A,B,C), (D,E), (E,F) instead of (F), and (G,H).
#[test]
fn figure_4_a_childless_top_gives_way_to_the_page_that_links_to_it() {
    for to_f in ["AF", "CF", "HF"] {
        let server = figure_4(to_f);
        assert_eq!(server.all(&server.b()), ["ABC", "DE", "EF", "GH", "S"], "{to_f}");
    }
}

/// Their section 5.4: the upper site of (G,H) is (A,B,C).
#[test]
fn figure_4_upper_sites_are_those_of_the_linking_pages() {
    let server = figure_4("CF");
    let sites = server.c();
    let upper = |site| server.upper(&sites, site);
    assert_eq!(upper("GH").as_deref(), Some("ABC"));
    assert_eq!(upper("DE").as_deref(), Some("ABC"));
    assert_eq!(upper("EF").as_deref(), Some("DE"));
    assert_eq!(upper("ABC").as_deref(), Some("S"));
    assert_eq!(upper("S"), None);
    assert!(server.b().ids().all(|site| server.b().upper(site).is_none()));
}

#[test]
fn all_shallowest_pages_of_a_directory_are_tops() {
    let pages = ["S index.html", "A 1/a.html", "B 1/b.html", "C 1/c.html"];
    let server = Server::new(&pages, &["SC", "SA", "AB"]);
    assert_eq!(server.all(&server.a()), ["AC|B", "S"]);
}

#[test]
fn a_server_of_one_page_is_a_site() {
    let server = Server::new(&["S index.html"], &["SS"]);
    for sites in [server.a(), server.b(), server.c()] {
        assert_eq!(server.all(&sites), ["S"]);
        assert_eq!((sites.of(PageId(0)), sites.upper(SiteId(0))), (&[SiteId(0)][..], None));
    }
}

#[test]
fn pages_that_nobody_links_to_are_in_no_site() {
    let server = Server::new(&["S index.html", "A a.html", "B b.html"], &["SA", "BA", "BS"]);
    for sites in [server.a(), server.b(), server.c()] {
        assert_eq!(server.all(&sites), ["SA"]);
        assert!(sites.of(PageId(2)).is_empty() && sites.of(PageId(77)).is_empty());
    }
}

#[test]
fn without_directories_the_links_alone_make_sites() {
    let pages = ["S index.html", "A a.html", "B b.html", "C c.html", "D d.html", "E e.html"];
    let server = Server::new(&pages, &["SA", "SB", "AC", "CD", "CE", "ES", "BS"]);
    assert_eq!(server.all(&server.a()), ["SABCDE"]);
    assert_eq!(server.all(&server.b()), ["CDE", "SAB"]);
    assert_eq!(server.upper(&server.c(), "CDE").as_deref(), Some("SAB"));
}

/// A menu on every page makes every page a candidate; back links alone make no tops.
#[test]
fn a_directory_linked_as_a_whole_has_one_top() {
    let links = ["SA", "SB", "SC", "AB", "AC", "BA", "BC", "CA", "CB"];
    let server = Server::new(&["S index.html", "A 1/a.html", "B 1/b.html", "C 1/c.html"], &links);
    assert_eq!(server.all(&server.b()), ["ABC", "S"]);
}

/// E and G are each linked only from a member of the other's site.
#[test]
fn no_two_sites_wait_for_each_other() {
    let pages = ["S index.html", "E 1/e.html", "F 1/f.html", "G 2/g.html", "P 2/p.html"];
    let server = Server::new(&pages, &["SF", "SP", "EF", "FG", "GP", "PE"]);
    let sites = server.c();
    assert_eq!(server.all(&sites), ["EF", "GP", "S"]);
    assert_eq!((server.upper(&sites, "EF"), server.upper(&sites, "GP").as_deref()), (None, Some("EF")));
}

#[test]
fn nothing_to_split_is_no_site() {
    let server = Server::new(&[], &[]);
    for sites in [server.a(), server.b(), server.c()] {
        assert!(sites.is_empty() && sites.pages(SiteId(0)).is_empty() && sites.tops(SiteId(0)).is_empty());
    }
}

/// Links beyond the limit are not there, so what only they lead to is out of reach.
#[test]
fn a_page_that_links_to_everything_heads_as_much_as_is_kept() {
    let pages = MOST_LINKS as u32 + 10;
    let (mut graph, mut directories) = (Graph::default(), Directories::default());
    graph.grow(pages as usize);
    for page in 0..pages {
        directories.push(&format!("http://x.org/{page}"));
        graph.replace(PageId(page), [PageId(page), PageId(0)]);
    }
    graph.replace(PageId(0), (0..pages).map(PageId));
    let depths = Depths::measure(&graph, &directories, &directories.top_pages(), HOPS);
    for sites in [by_directory(&directories, &depths), by_hierarchy(&graph, &directories, &depths)] {
        assert_eq!((sites.len(), sites.tops(SiteId(0))), (1, &[PageId(0)][..]));
        assert_eq!(sites.members(SiteId(0)).len(), MOST_LINKS);
    }
}

const URLS: [&str; 5] = ["http://x.org/", "http://x.org/1/", "http://x.org/1/2/", "http://x.org/3/", "http://y.org/"];

/// Pages in some directories of two servers, with their links in some order.
fn split_all(places: &[usize], links: &[(u32, u32)], backwards: bool) -> (Depths, [Sites; 3]) {
    let (mut graph, mut directories) = (Graph::default(), Directories::default());
    graph.grow(places.len());
    for (page, place) in places.iter().enumerate() {
        directories.push(&format!("{}{page}.html", URLS[*place]));
        // What is there before counts for nothing.
        graph.replace(PageId(page as u32), [PageId(0)].repeat(usize::from(backwards)));
    }
    let mut order: Vec<u32> = (0..places.len() as u32).collect();
    if backwards {
        order.reverse();
    }
    for page in order {
        let mut out: Vec<PageId> = links.iter().filter(|link| link.0 == page).map(|link| PageId(link.1)).collect();
        if backwards {
            out.reverse();
        }
        graph.replace(PageId(page), out);
    }
    let depths = Depths::measure(&graph, &directories, &directories.top_pages(), HOPS);
    let a = by_directory(&directories, &depths);
    let (b, c) = (by_links(&graph, &directories, &depths), by_hierarchy(&graph, &directories, &depths));
    (depths, [a, b, c])
}

proptest! {
    #[test]
    fn laws_of_every_split(
        places in prop::collection::vec(0..URLS.len(), 1..40),
        links in prop::collection::vec((0..40_u32, 0..40_u32), 0..160),
    ) {
        let (depths, splits) = split_all(&places, &links, false);
        prop_assert_eq!(&split_all(&places, &links, true).1, &splits);
        for sites in &splits {
            for page in (0..places.len() as u32).map(PageId) {
                prop_assert_eq!(depths.get(page).is_some(), !sites.of(page).is_empty());
                prop_assert!(sites.of(page).iter().all(|site| sites.pages(*site).contains(&page)));
            }
            for site in sites.ids() {
                let (tops, pages) = (sites.tops(site), sites.pages(site));
                prop_assert!(!tops.is_empty());
                prop_assert_eq!(tops.len() + sites.members(site).len(), pages.len());
                prop_assert!(pages.iter().all(|page| sites.of(*page).contains(&site)));
                let same = |page: &PageId| places[page.index()] == places[tops[0].index()];
                prop_assert!(pages.iter().all(same));
                prop_assert!(sites.upper(site).is_none_or(|upper| upper < site));
            }
        }
        let [a, b, c] = &splits;
        prop_assert!(a.ids().all(|site| a.pages(site).iter().all(|page| a.of(*page) == [site])));
        prop_assert!(b.ids().all(|site| b.pages(site) == c.pages(site) && b.tops(site).len() == 1));
    }
}
