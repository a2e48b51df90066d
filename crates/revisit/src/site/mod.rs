//! Site structure: how pages hang together, so that a few visits can tell what changed around them.
//!
//! The crawler keeps a [`graph`] of links and a table of [`directory`] names. From them follow a page's [`depth`] below its
//! server's top page, the [`split`] of servers into sites with top pages (Kumagai & Yamana 2004), and its [`rank`] by the
//! links that point at it. A [`structure`] is both, as policies are shown it. Graph and directories grow page by page;
//! depths, sites and ranks are made anew from them in time linear in the links, which is cheaper than keeping them right
//! under every change and cannot drift. A site's own lists say when its pages changed; [`trust`] in them is learned.

pub mod depth;
pub mod directory;
pub mod graph;
mod lists;
pub mod rank;
pub mod split;
pub mod structure;
pub mod trust;

pub use depth::Depths;
pub use directory::{Directories, DirectoryId, LonePages};
pub use graph::Graph;
pub use rank::PageRank;
pub use split::{SiteId, Sites};
pub use structure::Structure;
pub use trust::{Claim, Trust};
