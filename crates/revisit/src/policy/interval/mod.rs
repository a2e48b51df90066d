//! An interval of its own for every page, which visits make shorter or longer; none knows a budget.
//!
//! Two families. The strategies of Umbrich, Mrzelj & Polleres 2015 for archives ([`week`], [`gold`], [`fix`], `dyn`,
//! [`window`], [`state`]) share the bounds and steps of [`archiver`]. The adaptive schedules of Apache Nutch and Apache
//! StormCrawler are one rule with other numbers. Where an interval is kept and moved is in [`intervals`].

mod archiver;
pub(super) mod dynamic;
pub(super) mod fix;
pub(super) mod gold;
mod intervals;
pub(super) mod nutch_adaptive;
mod state;
pub(super) mod state_1;
pub(super) mod state_2;
pub(super) mod stormcrawler_adaptive;
pub(super) mod week;
pub(super) mod window;
