//! The lab: any policy on any history of changes, counted honestly.
//!
//! A [`trace`] says when pages really changed; it is [`cut`] into cycles; a [`run`] lets the live crawler's scheduler visit
//! them under a policy; [`measure`] says how good that was, and [`limit`] what was possible.

pub mod cut;
pub mod limit;
pub mod measure;
pub mod run;
pub mod trace;
