//! The records of a table one after the other, with a limit on the size of a field that holds before it is in memory.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::{Unreadable, lines};

/// A table being read; after [`Records::next`] it holds the fields of that record.
pub(super) struct Records<'b> {
    reader: Reader,
    body: &'b [u8],
    at: usize,
    max_field: usize,
    /// The unquoted fields, end to end.
    fields: Vec<u8>,
    /// Where they end.
    ends: Vec<usize>,
    length: usize,
    count: usize,
}

impl<'b> Records<'b> {
    pub(super) fn new(body: &'b [u8], delimiter: u8, max_field: usize) -> Records<'b> {
        let reader = ReaderBuilder::new().delimiter(delimiter).build();
        Records { reader, body, at: 0, max_field, fields: vec![0; 4096], ends: vec![0; 64], length: 0, count: 0 }
    }

    /// Reads the next record and says where it begins; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<usize>, Unreadable> {
        let place = self.at;
        (self.length, self.count) = (0, 0);
        loop {
            let (fields, ends) = (&mut self.fields[self.length..], &mut self.ends[self.count..]);
            let (result, read, written, ended) = self.reader.read_record(&self.body[self.at..], fields, ends);
            (self.at, self.length, self.count) = (self.at + read, self.length + written, self.count + ended);
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.make_room()?,
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record => return self.within_limit().map(|()| Some(place)),
                ReadRecordResult::End => return Ok(None),
            }
        }
    }

    /// Reads the record that begins at a place; a place where none can be read has one without fields.
    pub(super) fn read_at(&mut self, place: usize) {
        self.reader.reset();
        self.at = place;
        if !matches!(self.next(), Ok(Some(_))) {
            (self.length, self.count) = (0, 0);
        }
    }

    /// How many fields the record has.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    fn make_room(&mut self) -> Result<(), Unreadable> {
        let begun = if self.count == 0 { 0 } else { self.ends[self.count - 1] };
        if self.length - begun > self.max_field {
            return Err(self.too_large());
        }
        self.fields.resize(self.fields.len() * 2, 0);
        Ok(())
    }

    fn within_limit(&self) -> Result<(), Unreadable> {
        // A record that is short as a whole has no long field.
        let is_long = self.length > self.max_field && self.fields().any(|field| field.len() > self.max_field);
        if is_long { Err(self.too_large()) } else { Ok(()) }
    }

    fn too_large(&self) -> Unreadable {
        Unreadable::TooLarge { what: "bytes in a field", limit: self.max_field }
    }

    /// The fields of the record.
    pub(super) fn fields(&self) -> impl Iterator<Item = &[u8]> {
        let begins = std::iter::once(0).chain(self.ends[..self.count].iter().copied());
        begins.zip(&self.ends[..self.count]).map(|(begin, end)| &self.fields[begin..*end])
    }

    /// A hash of the record: of its fields, and of where they end.
    pub(super) fn hash(&mut self) -> u64 {
        let length = self.length;
        let Records { fields, ends, count, .. } = self;
        let needed = length + *count * 4;
        if fields.len() < needed {
            fields.resize(needed.max(fields.len() * 2), 0);
        }
        let written = fields[length..needed].chunks_exact_mut(4);
        written.zip(ends.iter()).for_each(|(bytes, end)| bytes.copy_from_slice(&(*end as u32).to_le_bytes()));
        lines::hash(&fields[..needed])
    }
}
