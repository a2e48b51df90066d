//! Pages that speak for one another: by where they are in a site, or by a sample of their kind.
//!
//! Kumagai & Yamana 2004 visit a site's top pages and, if they changed, the rest ([`by_site`]; breadth first is what they hold
//! it against). Cho & Ntoulas 2002 sample every server ([`sampler`]), Tan & Mitra 2010 clusters of pages that look and behave
//! alike ([`means`] finds them). [`sampled_sites`] is both at once.

pub(super) mod breadth_first;
mod by_site;
pub(super) mod clusters;
mod means;
pub(super) mod sampled_sites;
mod sampler;
pub(super) mod sampling;
pub(super) mod site_a;
pub(super) mod site_b;
pub(super) mod site_c;
