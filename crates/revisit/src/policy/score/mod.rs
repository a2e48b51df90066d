//! Pages by how likely they changed: a score from a page's own history, and the budget cuts the order off.
//!
//! The methods that Santos 2013 compares, of which NAD, SAD, AAD and GAD are those of Tan & Mitra 2010 and share
//! [`weighted`]; formulas that were bred ([`gp`], [`tx`]); and Grimes & Ford 2008, where all pages lend a new one a prior.

pub(super) mod aad;
pub(super) mod cg;
pub(super) mod gad;
pub(super) mod gp;
pub(super) mod grimes_ford;
pub(super) mod nad;
pub(super) mod sad;
pub(super) mod tx;
mod weighted;
