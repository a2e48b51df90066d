//! `state-1`: an interval that moves with the chance of a change, given what the last visit showed.
//!
//! Umbrich, Mrzelj & Polleres 2015, "state-1". The counts, the readings and the steps are told in
//! [`state`](super::state).

use super::state::{PARAMETERS, States};
use crate::policy::registry::{Build, Entry, Spending};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "state-1",
    paper: "Umbrich, Mrzelj & Polleres 2015",
    summary: "an interval per page that moves with the chance of a change after what the last visit showed",
    spending: Spending::Free,
    needs_truth: false,
    parameters: PARAMETERS,
    build: Build::Plain(|values| States::built(values, 1)),
};
