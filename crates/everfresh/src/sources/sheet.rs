//! Tables that are made of answers, to be judged: CSV, in which control characters stand as their pictures. Raw, many of them would
//! make it no text to whoever reads it.

use std::borrow::Cow;

/// A table that is being written.
pub(super) struct Sheet {
    csv: csv::Writer<Vec<u8>>,
}

impl Sheet {
    /// A table with these columns.
    pub(super) fn new<T: AsRef<str>>(columns: impl IntoIterator<Item = T>) -> Sheet {
        let mut sheet = Sheet { csv: csv::Writer::from_writer(Vec::new()) };
        sheet.push(columns);
        sheet
    }

    /// Adds a row, with a cell for each column.
    pub(super) fn push<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        // Writing to a vector cannot fail.
        cells.into_iter().for_each(|cell| _ = self.csv.write_field(pictured(cell.as_ref().as_bytes())));
        let _ = self.csv.write_record(None::<&[u8]>);
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.csv.into_inner().unwrap_or_default()
    }
}

/// A cell in which what no text has stands as its picture.
fn pictured(cell: &[u8]) -> Cow<'_, [u8]> {
    let is_odd = |byte: u8| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r');
    if !cell.iter().any(|byte| is_odd(*byte)) {
        return Cow::Borrowed(cell);
    }
    let picture =
        |byte: u8| if byte == 0x7f { '\u{2421}' } else { char::from_u32(0x2400 + u32::from(byte)).unwrap_or(' ') };
    let mut pictured = Vec::new();
    for byte in cell {
        match is_odd(*byte) {
            true => pictured.extend_from_slice(picture(*byte).encode_utf8(&mut [0; 4]).as_bytes()),
            false => pictured.push(*byte),
        }
    }
    Cow::Owned(pictured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_pictured_and_all_else_is_as_it_was() {
        let mut sheet = Sheet::new(["name", "long\0name"]);
        sheet.push(["é, \"\tx\"\n", "\u{1}\u{7f}"]);
        assert_eq!(String::from_utf8(sheet.into_bytes()).unwrap(), "name,long␀name\n\"é, \"\"\tx\"\"\n\",␁␡\n");
    }
}
