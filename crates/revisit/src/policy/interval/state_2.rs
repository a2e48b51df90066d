//! `state-2`: an interval that moves with the chance of a change, given what the last two visits showed.
//!
//! Umbrich, Mrzelj & Polleres 2015, "state-2". The counts, the readings and the steps are told in
//! [`state`](super::state).

use super::state::{PARAMETERS, States};
use crate::policy::registry::{Build, Entry, Spending};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "state-2",
    paper: "Umbrich, Mrzelj & Polleres 2015",
    summary: "an interval per page that moves with the chance of a change after what the last two visits showed",
    spending: Spending::Free,
    needs_truth: false,
    parameters: PARAMETERS,
    build: Build::Plain(|values| States::built(values, 2)),
};
