//! Which directory of which server a page lives in, read off its URL.
//!
//! Directories are numbered when first met, nested ones after their parents, so a page holds one number. A directory is known
//! by its parent and its own name: the table grows with the text of the URLs, however deep they nest. Nothing is ever taken
//! out, as pages are not either. The scheme is no part of the name: `http` and `https` lead to the same server.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::lists::Lists;
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::page::PageId;

/// The deepest level told apart; directories below it count as their ancestor at this level.
const MOST_LEVELS: u8 = 64;

/// A directory, numbered in the order of discovery from 0. A server is its root directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
pub struct DirectoryId(pub u32);

impl DirectoryId {
    /// The directory's place in a column.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How to read `/guide/` when it is the only page of its directory and nothing lies below it.
///
/// Where every page is called like that, as on many sites of today, the literal reading makes each of them a directory of its
/// own and nothing is left to compare. A lone page with a name of its own, `/guide/all.html`, stays in its directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LonePages {
    /// A page of the directory above, as if it were called `/guide`.
    #[default]
    WithParent,
    /// A directory of one page, by the letter of Kumagai & Yamana 2004.
    Apart,
}

/// The directories of all pages.
#[derive(Clone, Debug, Default)]
pub struct Directories {
    lone_pages: LonePages,
    /// By parent and name; a server's parent is nobody.
    ids: BTreeMap<(Option<DirectoryId>, Arc<str>), DirectoryId>,
    rows: Vec<Directory>,
    of_pages: Vec<DirectoryId>,
    home_pages: Vec<PageId>,
}

/// One directory.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
struct Directory {
    name: Arc<str>,
    parent: Option<DirectoryId>,
    server: DirectoryId,
    level: u8,
    /// Whether there are directories in it.
    nests: bool,
    /// How many pages it has, at most 2: all one needs to know of a lone page.
    pages: u8,
    /// Whether a page of it has a name of its own.
    has_named: bool,
    /// The first page found that is called like the directory itself.
    index: Option<PageId>,
}

/// Where pages are that nobody located.
const NOWHERE: DirectoryId = DirectoryId(u32::MAX);

/// A URL, cut where directories are concerned.
struct Address<'a> {
    server: &'a str,
    /// The path up to its last slash.
    directory: &'a str,
    /// What follows the last slash, without the query.
    name: &'a str,
}

impl<'a> Address<'a> {
    /// Cuts any text. Without a scheme all of it is a path, on a server without a name.
    fn of(url: &'a str) -> Address<'a> {
        let end = url.find(['?', '#']).unwrap_or(url.len());
        let (server, path) = match url[..end].split_once("://") {
            Some((scheme, rest)) if !scheme.contains('/') => rest.split_at(rest.find('/').unwrap_or(rest.len())),
            _ => ("", &url[..end]),
        };
        let (directory, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
        Address { server, directory, name }
    }

    /// The names of the directories on the way, outermost first. Slashes in a row count as one.
    fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.directory.split('/').filter(|name| !name.is_empty())
    }

    /// Whether the page is called like its directory: by a last slash, or by `index.html` and the like.
    fn is_index(&self) -> bool {
        self.name.is_empty() || self.name.starts_with("index.")
    }

    /// Whether this is the server's top page: its root or `index.html` and the like.
    fn is_home(&self) -> bool {
        self.names().next().is_none() && self.is_index()
    }
}

impl Directories {
    pub(crate) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep_rows(&mut self.rows)?;
        checkpoint.keep_rows(&mut self.of_pages)?;
        checkpoint.keep_rows(&mut self.home_pages)?;
        let names = (0..).zip(&self.rows);
        self.ids = names.map(|(id, row)| ((row.parent, row.name.clone()), DirectoryId(id))).collect();
        Ok(())
    }

    /// No directory yet; lone pages will be read as said.
    pub fn new(lone_pages: LonePages) -> Directories {
        Directories { lone_pages, ..Directories::default() }
    }

    /// Takes in the next page: the first call is about page 0.
    ///
    /// ```
    /// use revisit::{PageId, site::Directories};
    /// let mut directories = Directories::default();
    /// let guide = directories.push("https://x.org/guide/a.html?print");
    /// assert_eq!(directories.push("http://x.org/guide/"), guide);
    /// assert_eq!((directories.name(guide), directories.level(guide)), ("x.org/guide/".into(), 2));
    /// ```
    pub fn push(&mut self, url: &str) -> DirectoryId {
        let page = PageId(self.of_pages.len() as u32);
        self.take_in(page, url)
    }

    /// Takes in a page in any order; pages before it that nobody told of are nowhere until they are located too. What was
    /// said of a page first stands.
    pub fn locate(&mut self, page: PageId, url: &str) {
        if self.server(page).is_none() {
            self.take_in(page, url);
        }
    }

    fn take_in(&mut self, page: PageId, url: &str) -> DirectoryId {
        let address = Address::of(url);
        let mut directory = self.enter(None, address.server);
        for name in address.names().take(usize::from(MOST_LEVELS) - 1) {
            directory = self.enter(Some(directory), name);
        }
        if address.is_home() {
            self.home_pages.push(page);
        }
        let row = &mut self.rows[directory.index()];
        row.pages = row.pages.saturating_add(1).min(2);
        row.has_named |= !address.name.is_empty();
        if address.is_index() {
            row.index = Some(row.index.map_or(page, |known| known.min(page)));
        }
        if self.of_pages.len() <= page.index() {
            self.of_pages.resize(page.index() + 1, NOWHERE);
        }
        self.of_pages[page.index()] = directory;
        directory
    }

    /// The directory of this name in another, made if there is none.
    fn enter(&mut self, parent: Option<DirectoryId>, name: &str) -> DirectoryId {
        let name: Arc<str> = name.into();
        let next = DirectoryId(self.rows.len() as u32);
        let id = *self.ids.entry((parent, Arc::clone(&name))).or_insert(next);
        if id == next {
            let above = parent.map(|parent| &mut self.rows[parent.index()]);
            let (server, level) = match above {
                Some(above) => {
                    above.nests = true;
                    (above.server, above.level + 1)
                }
                None => (id, 1),
            };
            let row = Directory { name, parent, server, level, nests: false, pages: 0, has_named: false, index: None };
            self.rows.push(row);
        }
        id
    }

    /// How many pages were taken in, counting those that are nowhere yet.
    pub fn pages(&self) -> usize {
        self.of_pages.len()
    }

    /// How many directories there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no directory.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The directory a page counts as part of, as lone pages are read; `None` if the page was not taken in. A lone page's
    /// answer changes when it gets company.
    pub fn of(&self, page: PageId) -> Option<DirectoryId> {
        let directory = *self.of_pages.get(page.index())?;
        let row = self.rows.get(directory.index())?;
        let lone = row.pages == 1 && !row.has_named && !row.nests;
        match (self.lone_pages, row.parent) {
            (LonePages::WithParent, Some(parent)) if lone => Some(parent),
            _ => Some(directory),
        }
    }

    /// The server of a page, as its root directory.
    pub fn server(&self, page: PageId) -> Option<DirectoryId> {
        let directory = *self.of_pages.get(page.index())?;
        Some(self.rows.get(directory.index())?.server)
    }

    /// The directory that holds another; `None` for a server.
    pub fn parent(&self, directory: DirectoryId) -> Option<DirectoryId> {
        self.rows.get(directory.index())?.parent
    }

    /// How deep a directory is: 1 for a server's root, one more for each below (Barbosa et al. 2005); 0 if unknown.
    pub fn level(&self, directory: DirectoryId) -> u8 {
        self.rows.get(directory.index()).map_or(0, |row| row.level)
    }

    /// The directory's full name from the server on; empty if unknown.
    pub fn name(&self, directory: DirectoryId) -> String {
        let up = |id: &DirectoryId| self.parent(*id);
        let way = std::iter::successors(Some(directory), up).filter_map(|id| self.rows.get(id.index()));
        let mut names: Vec<&str> = way.map(|row| &*row.name).collect();
        names.reverse();
        names.iter().flat_map(|name| [*name, "/"]).collect()
    }

    /// The top pages: those at a server's root, `/` or `/index.…`. A server without one is entered by the index page with the
    /// most pages below it, as `/docs/` is; if no index page has others below it, by the page found first, since the crawler
    /// itself came in by it. Frames of a top page, seeds or sitemaps may be added by whoever knows of them.
    pub fn top_pages(&self) -> Vec<PageId> {
        let mut tops = self.home_pages.clone();
        let mut entered = vec![false; self.rows.len()];
        for server in tops.iter().filter_map(|page| self.server(*page)) {
            entered[server.index()] = true;
        }
        let without_home = self.rows.iter().any(|row| row.level == 1 && !entered[row.server.index()]);
        if without_home {
            tops.extend(self.widest_indexes(&mut entered));
            tops.extend(self.first_pages(&mut entered));
        }
        tops.sort_unstable();
        tops
    }

    /// Of each server not yet entered the index page with the most pages below it, if any has some.
    fn widest_indexes(&self, entered: &mut [bool]) -> Vec<PageId> {
        let below = self.pages_below();
        let mut widest: Vec<Option<(u32, Reverse<PageId>)>> = vec![None; self.rows.len()];
        for (row, below) in self.rows.iter().zip(below).filter(|(_, below)| *below > 1) {
            if let Some(index) = row.index.filter(|_| !entered[row.server.index()]) {
                let best = &mut widest[row.server.index()];
                *best = (*best).max(Some((below, Reverse(index))));
            }
        }
        let found = widest.into_iter().zip(entered).filter_map(|(best, entered)| {
            let (_, Reverse(index)) = best?;
            *entered = true;
            Some(index)
        });
        found.collect()
    }

    /// How many pages each directory has, those of directories in it included.
    fn pages_below(&self) -> Vec<u32> {
        let mut below = vec![0; self.rows.len()];
        for directory in self.of_pages.iter().filter(|directory| **directory != NOWHERE) {
            below[directory.index()] += 1;
        }
        // Directories come after those that hold them.
        for (place, row) in self.rows.iter().enumerate().rev() {
            if let Some(parent) = row.parent {
                below[parent.index()] += below[place];
            }
        }
        below
    }

    /// Of each server not yet entered the page with the lowest id.
    fn first_pages(&self, entered: &mut [bool]) -> Vec<PageId> {
        let pages = (0..self.pages() as u32).map(PageId);
        let first = |page: &PageId| {
            self.server(*page).is_some_and(|server| !std::mem::replace(&mut entered[server.index()], true))
        };
        pages.filter(first).collect()
    }

    /// The directory of every page, as a column.
    pub(super) fn column(&self) -> Vec<DirectoryId> {
        (0..self.pages() as u32).map(|page| self.of(PageId(page)).unwrap_or(NOWHERE)).collect()
    }

    /// The pages of each directory for which `counts` holds, in the order of the ids.
    pub(super) fn pages_by_directory(&self, counts: impl Fn(PageId) -> bool + Copy) -> Lists<PageId> {
        let pages = (0..self.pages() as u32).map(PageId).filter(move |page| counts(*page));
        Lists::gather(self.len(), pages.filter_map(|page| Some((self.of(page)?.index(), page))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(urls: &[&str]) -> Directories {
        let mut directories = Directories::default();
        for url in urls {
            directories.push(url);
        }
        directories
    }

    #[test]
    fn directories_are_read_off_urls() {
        let name = |url: &str| {
            let mut directories = Directories::default();
            let directory = directories.push(url);
            directories.name(directory)
        };
        assert_eq!(name("https://x.org"), "x.org/");
        assert_eq!(name("https://x.org/a"), "x.org/");
        assert_eq!(name("https://x.org/a/b?c=/d/e#/f/"), "x.org/a/");
        assert_eq!(name("https://x.org//a///b/c"), "x.org/a/b/");
        assert_eq!(name("https://x.org?to=http://y.org/a/"), "x.org/");
        assert_eq!(name("a name made up"), "/");
        assert_eq!(name("go/http://y.org/"), "/go/http:/y.org/");
        assert_eq!(name(""), "/");
    }

    #[test]
    fn levels_and_parents_lead_to_the_server() {
        let directories = all(&["http://x.org/a/b/c.html", "https://x.org/a/", "http://y.org/a/"]);
        let deepest = directories.of(PageId(0)).unwrap();
        let up = |id: &DirectoryId| directories.parent(*id);
        let levels: Vec<u8> = std::iter::successors(Some(deepest), up).map(|id| directories.level(id)).collect();
        assert_eq!(levels, [3, 2, 1]);
        assert_eq!(directories.server(PageId(0)), directories.server(PageId(1)));
        assert_ne!(directories.server(PageId(0)), directories.server(PageId(2)));
        assert_eq!((directories.of(PageId(3)), directories.level(DirectoryId(99))), (None, 0));
    }

    #[test]
    fn a_lone_page_counts_with_its_parent_until_it_has_company() {
        let urls = ["http://x.org/a/", "http://x.org/b/", "http://x.org/c/c.html", "http://x.org/"];
        let mut directories = all(&urls);
        let places = |directories: &Directories| {
            directories.column().iter().map(|directory| directories.name(*directory)).collect::<Vec<_>>()
        };
        assert_eq!(places(&directories), ["x.org/", "x.org/", "x.org/c/", "x.org/"]);
        directories.push("http://x.org/a/more/");
        directories.push("http://x.org/b/?page=2");
        assert_eq!(places(&directories), ["x.org/a/", "x.org/b/", "x.org/c/", "x.org/", "x.org/a/", "x.org/b/"]);

        let mut literal = Directories::new(LonePages::Apart);
        for url in urls {
            literal.push(url);
        }
        assert_eq!(places(&literal), ["x.org/a/", "x.org/b/", "x.org/c/", "x.org/"]);
    }

    #[test]
    fn every_server_has_a_top_page() {
        let directories = all(&[
            "http://x.org/a.html",
            "http://x.org/index.html",
            "http://y.org/deep/down/",
            "http://y.org/wiki/b",
            "http://y.org/wiki/a",
            "http://x.org/?home",
            "http://x.org/a/index.html",
        ]);
        assert_eq!(directories.top_pages(), [PageId(1), PageId(2), PageId(5)]);
        assert_eq!(Directories::default().top_pages(), []);
        let urls = ["a/", "b/c/", "b/", "b/c/d", "e/f"].map(|path| format!("http://x.org/docs/{path}"));
        let directories = all(&urls.each_ref().map(String::as_str));
        assert_eq!(directories.top_pages(), [PageId(2)], "three pages lie in /docs/b/");
    }

    #[test]
    fn pages_may_be_located_in_any_order_and_the_first_word_stands() {
        let mut directories = Directories::default();
        directories.locate(PageId(2), "http://x.org/a/b.html");
        assert_eq!((directories.pages(), directories.of(PageId(0)), directories.server(PageId(1))), (3, None, None));
        directories.locate(PageId(0), "http://x.org/");
        directories.locate(PageId(2), "http://y.org/");
        assert_eq!((directories.len(), directories.top_pages()), (2, vec![PageId(0)]));
        assert_eq!(directories.column().len(), 3);
    }

    #[test]
    fn a_hostile_path_makes_a_bounded_number_of_directories() {
        let mut directories = Directories::default();
        let deep = directories.push(&format!("http://x.org/{}", "a/".repeat(100_000)));
        assert_eq!((directories.len(), directories.level(deep)), (usize::from(MOST_LEVELS), MOST_LEVELS));
    }

    proptest! {
        #[test]
        fn any_text_has_a_directory(urls in prop::collection::vec("[a/:.?#é]{0,12}", 1..20)) {
            let mut directories = Directories::default();
            let pushed: Vec<DirectoryId> = urls.iter().map(|url| directories.push(url)).collect();
            for (index, url) in urls.iter().enumerate() {
                prop_assert_eq!(directories.push(url), pushed[index]);
                let server = directories.server(PageId(index as u32)).unwrap();
                prop_assert_eq!(directories.level(server), 1);
            }
            let grouped = directories.pages_by_directory(|_| true);
            prop_assert_eq!(grouped.iter().map(<[PageId]>::len).sum::<usize>(), directories.pages());
        }
    }
}
