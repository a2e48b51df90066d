//! The records of a table one after the other, with a limit on the size of a field that holds before it is in memory.
//!
//! A table that ends within quotes is not one with a last field that is odd, but one that breaks off: whoever writes quotes
//! closes them.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::{Format, Unreadable, lines};

/// A table being read; after [`Records::next`] it holds the fields of that record.
pub(crate) struct Records<'b> {
    reader: Reader,
    delimiter: u8,
    body: &'b [u8],
    at: usize,
    max_field: usize,
    /// The unquoted fields, end to end.
    fields: Vec<u8>,
    /// Where they end.
    ends: Vec<usize>,
    length: usize,
    count: usize,
    /// The columns that are passed over, rising.
    left_out: Vec<usize>,
}

impl<'b> Records<'b> {
    /// Reads a table with this between its fields, none of which may be longer.
    pub(crate) fn new(body: &'b [u8], delimiter: u8, max_field: usize) -> Records<'b> {
        let reader = ReaderBuilder::new().delimiter(delimiter).build();
        Records {
            reader,
            delimiter,
            body,
            at: 0,
            max_field,
            fields: vec![0; 4096],
            ends: vec![0; 64],
            length: 0,
            count: 0,
            left_out: Vec::new(),
        }
    }

    /// Passes over these columns, rising, from the record on that it holds.
    pub(crate) fn leave_out(&mut self, columns: Vec<usize>) {
        self.left_out = columns;
        self.drop_fields();
    }

    fn drop_fields(&mut self) {
        let (mut begin, mut length, mut count) = (0, 0, 0);
        for column in 0..self.count {
            let end = self.ends[column];
            if self.left_out.binary_search(&column).is_err() {
                self.fields.copy_within(begin..end, length);
                length += end - begin;
                self.ends[count] = length;
                count += 1;
            }
            begin = end;
        }
        (self.length, self.count) = (length, count);
    }

    /// Reads the next record and says where it begins; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<usize>, Unreadable> {
        let place = self.at;
        (self.length, self.count) = (0, 0);
        loop {
            let is_end = self.at == self.body.len();
            // The end of a line ends the last record too, unless it is within quotes, where it is text.
            let rest = if is_end { b"\n".as_slice() } else { &self.body[self.at..] };
            let (fields, ends) = (&mut self.fields[self.length..], &mut self.ends[self.count..]);
            let (result, read, written, ended) = self.reader.read_record(rest, fields, ends);
            self.at = if is_end { self.at } else { self.at + read };
            (self.length, self.count) = (self.length + written, self.count + ended);
            match result {
                ReadRecordResult::InputEmpty if is_end && written > 0 => return Err(self.breaks_off()),
                ReadRecordResult::InputEmpty if is_end => return Ok(None),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.make_room()?,
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record => {
                    self.within_limit()?;
                    if !self.left_out.is_empty() {
                        self.drop_fields();
                    }
                    return Ok(Some(place));
                }
                ReadRecordResult::End => return Ok(None),
            }
        }
    }

    /// Reads the record that begins at a place; a place where none can be read has one without fields.
    pub(crate) fn read_at(&mut self, place: usize) {
        self.reader.reset();
        self.at = place;
        if !matches!(self.next(), Ok(Some(_))) {
            (self.length, self.count) = (0, 0);
        }
    }

    /// How many fields the record has.
    pub(crate) fn len(&self) -> usize {
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

    fn breaks_off(&self) -> Unreadable {
        let format = if self.delimiter == b'\t' { Format::Tsv } else { Format::Csv };
        Unreadable::malformed(format.name(), "it breaks off within quotes")
    }

    fn too_large(&self) -> Unreadable {
        Unreadable::TooLarge { what: "bytes in a field", limit: self.max_field }
    }

    /// The fields of the record.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &[u8]> {
        let begins = std::iter::once(0).chain(self.ends[..self.count].iter().copied());
        begins.zip(&self.ends[..self.count]).map(|(begin, end)| &self.fields[begin..*end])
    }

    /// A hash of the record: of its fields, and of where they end.
    pub(crate) fn hash(&mut self) -> u64 {
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
