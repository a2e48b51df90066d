//! What every method is held against: orders and intervals that a crawler without any cleverness has.
//!
//! Round robin and chance know nothing of change (the baselines of Santos 2013); equal intervals, and visits in proportion to
//! change rates, are the two plain answers of Cho & Garcia-Molina 2003.

pub(super) mod age;
pub(super) mod proportional;
pub(super) mod rand;
pub(super) mod uniform;
