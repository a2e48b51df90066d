//! The best there is if every page's change rate were known; the rates are those of [`rates`], estimated from histories.
//!
//! Some solve for all pages at once and share the budget out ([`allocation`]): Cho & Garcia-Molina 2003, Azar et al. 2018,
//! Kolobov et al. 2019. Others price one visit now ([`index`], Whittle's argument) for freshness, age, harmonic staleness
//! or changes seen.

mod allocation;
pub(super) mod cho_optimal;
mod index;
pub(super) mod index_age;
pub(super) mod index_changes;
pub(super) mod index_freshness;
pub(super) mod index_harmonic;
pub(super) mod lambdacrawl;
pub(super) mod lambdacrawl_binary;
mod rates;
