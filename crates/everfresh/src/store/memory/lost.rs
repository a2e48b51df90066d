//! Captures whose records are gone.

use std::collections::BTreeSet;

use super::State;
use crate::store::{Lost, LostFile, VisitRow};

impl State {
    /// Forgets the captures of a file that was cut, beside what was lost before.
    pub(super) fn forget(&mut self, before: Lost, lost: &LostFile) -> Lost {
        let positions = self.visits.values().filter_map(|row| position(row, lost.file));
        let end = positions.filter(|position| *position <= lost.length).max().unwrap_or(0);
        let is_gone = |row: &VisitRow| position(row, lost.file).is_some_and(|position| position >= end);
        let mut gone: BTreeSet<u64> = self.visits.iter().filter(|(_, row)| is_gone(row)).map(|(id, _)| *id).collect();
        let referring = self.visits.iter().filter(|(id, _)| self.original(**id).is_some_and(|of| gone.contains(&of)));
        let referring: Vec<u64> = referring.map(|(id, _)| *id).collect();
        gone.extend(referring);
        let mut copies = 0;
        for id in &gone {
            let Some(row) = self.visits.get_mut(id) else { continue };
            row.capture = None;
            row.parts.clear();
            let (page, at) = (row.visit.page.0, row.visit.at);
            if self.copies.get(&page).is_some_and(|copy| copy.since == at) {
                self.copies.remove(&page);
                copies += 1;
            }
            if self.asides.get(&page).is_some_and(|aside| aside.since == at) {
                self.asides.remove(&page);
            }
        }
        if let Some(file) = self.files.get_mut(&lost.file) {
            file.file.length = end;
        }
        self.files.values_mut().for_each(|file| file.indexed = 0);
        Lost { visits: before.visits + gone.len(), copies: before.copies + copies }
    }

    /// The visit that one refers to: the last before it with the same payload that holds it.
    fn original(&self, id: u64) -> Option<u64> {
        let later = self.visits.get(&id)?;
        let capture = later.capture.as_ref().filter(|capture| capture.revisit)?;
        let holds = |row: &VisitRow| {
            row.visit.page == later.visit.page
                && row.capture.as_ref().is_some_and(|held| !held.revisit && held.payload == capture.payload)
        };
        self.visits.range(..id).rev().find(|(_, row)| holds(row)).map(|(id, _)| *id)
    }
}

/// Where a visit lies in a file, if it does.
fn position(row: &VisitRow, file: u32) -> Option<u64> {
    row.capture.as_ref().filter(|capture| capture.file == file).map(|capture| capture.position)
}
