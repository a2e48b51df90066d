//! The lab: any policy on any history of changes, counted honestly.
//!
//! A [`trace`] says when pages really changed, a [`world`] makes one up from a seed; it is [`cut`] into cycles; a [`run`] lets
//! the live crawler's scheduler visit its pages under a policy; [`measure`] says how good that was, [`limit`] what was
//! possible, [`confidence`] how sure the numbers are, and [`reliability`] whether what a policy expects comes true. A [`population`] is who of the trace takes part, and [`links`] are
//! how its pages hang together.

pub mod confidence;
pub mod cut;
pub mod limit;
pub mod links;
pub mod measure;
pub mod population;
pub mod random;
pub mod reliability;
pub mod run;
pub mod trace;
pub mod world;
