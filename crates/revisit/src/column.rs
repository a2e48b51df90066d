//! A column over pages or hosts that takes no room for what is as usual.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::checkpoint::{Checkpoint, CheckpointError};

/// One value a row; rows beyond the end have the usual value.
#[derive(Clone, Debug)]
pub(crate) struct Column<T> {
    usual: T,
    values: Vec<T>,
}

impl<T: Copy + PartialEq> Column<T> {
    /// A column in which every row has the usual value.
    pub(crate) fn new(usual: T) -> Column<T> {
        Column { usual, values: Vec::new() }
    }

    /// Whether every row has the usual value.
    pub(crate) fn is_usual(&self) -> bool {
        self.values.is_empty()
    }

    pub(crate) fn get(&self, row: usize) -> T {
        self.values.get(row).copied().unwrap_or(self.usual)
    }

    /// Keeps every row that has another value than usual.
    pub(crate) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError>
    where
        T: Serialize + DeserializeOwned,
    {
        checkpoint.keep_rows(&mut self.values)
    }

    pub(crate) fn set(&mut self, row: usize, value: T) {
        if row >= self.values.len() {
            if value == self.usual {
                return;
            }
            self.values.resize(row + 1, self.usual);
        }
        self.values[row] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_usual_takes_no_room() {
        let mut column = Column::new(1.0);
        column.set(1000, 1.0);
        assert_eq!((column.values.len(), column.get(1000)), (0, 1.0));
        column.set(2, 5.0);
        column.set(1, 3.0);
        assert_eq!((column.get(0), column.get(1), column.get(2), column.get(3)), (1.0, 3.0, 5.0, 1.0));
    }
}
