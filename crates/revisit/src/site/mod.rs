//! Site structure: how pages hang together, so that a few visits can tell what changed around them.
//!
//! The crawler keeps a [`Graph`] of links and a table of [`Directories`]. From them follow a page's [depth](Depths) below its
//! server's top page, the split of servers into [`Sites`] with top pages (Kumagai & Yamana 2004), and its [rank](PageRank) by the
//! links that point at it. A [`Structure`] is both, as policies are shown it. Graph and directories grow page by page;
//! depths, sites and ranks are made anew from them in time linear in the links, which is cheaper than keeping them right
//! under every change and cannot drift. A site's own lists say when its pages changed; [`Trust`] in them is learned.

mod depth;
mod directory;
mod graph;
mod linked;
mod lists;
mod rank;
mod split;
mod structure;
mod trust;

pub use depth::{Depths, HOPS};
pub use directory::{Directories, DirectoryId, LonePages};
pub use graph::Graph;
pub use rank::{PageRank, RankSettings};
pub use split::{SiteId, Sites, by_directory, by_hierarchy, by_links};
pub use structure::Structure;
pub use trust::{Claim, Trust};
