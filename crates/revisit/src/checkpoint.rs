//! State that outlives the process: all that was learned, as blocks of bytes, read back as it was.
//!
//! Whoever has state says once what of it is kept, and the same lines write it and read it: so they cannot disagree, and what
//! is not named there is planned anew or comes from the settings. Where blocks go and how they are protected is the caller's
//! business; a block that is not what was written is told, not believed.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Rows in one block.
const ROWS: usize = 1 << 14;

/// Why state could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// A block holds something else than was asked for.
    #[error("the checkpoint does not hold what it should: {0}")]
    Damaged(String),
    /// Whoever keeps the blocks failed.
    #[error(transparent)]
    Keeper(#[from] std::io::Error),
}

/// A checkpoint that is being written, or read.
pub struct Checkpoint<'a>(Way<'a>);

enum Way<'a> {
    Out(&'a mut dyn FnMut(&[u8]) -> std::io::Result<()>),
    In(&'a mut dyn FnMut() -> std::io::Result<Vec<u8>>),
}

impl<'a> Checkpoint<'a> {
    /// One that is written: `put` is given block after block.
    pub fn written(put: &'a mut dyn FnMut(&[u8]) -> std::io::Result<()>) -> Checkpoint<'a> {
        Checkpoint(Way::Out(put))
    }

    /// One that is read: `take` gives block after block, in the order in which they were put.
    pub fn read(take: &'a mut dyn FnMut() -> std::io::Result<Vec<u8>>) -> Checkpoint<'a> {
        Checkpoint(Way::In(take))
    }

    /// Whether it is being read.
    pub fn is_read(&self) -> bool {
        matches!(self.0, Way::In(_))
    }

    /// Writes the value, or replaces it by the one that was written.
    pub fn keep<T: Serialize + DeserializeOwned>(&mut self, value: &mut T) -> Result<(), CheckpointError> {
        match &mut self.0 {
            Way::Out(put) => Ok(put(&postcard::to_stdvec(value).map_err(damaged)?)?),
            Way::In(take) => {
                *value = postcard::from_bytes(&take()?).map_err(damaged)?;
                Ok(())
            }
        }
    }

    /// The same for a column of any length, a block for some rows at a time.
    pub fn keep_rows<T: Serialize + DeserializeOwned>(&mut self, rows: &mut Vec<T>) -> Result<(), CheckpointError> {
        let mut number = rows.len();
        self.keep(&mut number)?;
        match &mut self.0 {
            Way::Out(put) => {
                let mut blocks = rows.chunks(ROWS);
                blocks.try_for_each(|block| Ok(put(&postcard::to_stdvec(block).map_err(damaged)?)?))
            }
            Way::In(take) => {
                rows.clear();
                rows.try_reserve_exact(number).map_err(|error| CheckpointError::Damaged(error.to_string()))?;
                while rows.len() < number {
                    let block: Vec<T> = postcard::from_bytes(&take()?).map_err(damaged)?;
                    if block.is_empty() {
                        return Err(CheckpointError::Damaged(format!("{} of {number} rows", rows.len())));
                    }
                    rows.extend(block);
                }
                Ok(())
            }
        }
    }

    /// The same for an array too long for [`Checkpoint::keep`].
    pub(crate) fn keep_array<T, const N: usize>(&mut self, array: &mut [T; N]) -> Result<(), CheckpointError>
    where
        T: Copy + Serialize + DeserializeOwned,
    {
        let mut rows = array.to_vec();
        self.keep(&mut rows)?;
        *array =
            rows.try_into().map_err(|rows: Vec<T>| CheckpointError::Damaged(format!("{} of {N} rows", rows.len())))?;
        Ok(())
    }
}

fn damaged(error: postcard::Error) -> CheckpointError {
    CheckpointError::Damaged(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    fn blocks(write: impl FnOnce(&mut Checkpoint<'_>)) -> VecDeque<Vec<u8>> {
        let mut blocks = VecDeque::new();
        let mut put = |block: &[u8]| {
            blocks.push_back(block.to_vec());
            Ok(())
        };
        write(&mut Checkpoint::written(&mut put));
        blocks
    }

    fn read<T>(mut blocks: VecDeque<Vec<u8>>, read: impl FnOnce(&mut Checkpoint<'_>) -> T) -> T {
        let mut take = || blocks.pop_front().ok_or(std::io::ErrorKind::UnexpectedEof.into());
        read(&mut Checkpoint::read(&mut take))
    }

    #[test]
    fn what_was_written_is_read() {
        let mut rows: Vec<(u32, f32)> = (0..40_000).map(|row| (row, row as f32 / 3.0)).collect();
        let (mut name, mut long) = ("x".to_owned(), [7_u8; 99]);
        let written = blocks(|checkpoint| {
            checkpoint.keep(&mut name).unwrap();
            checkpoint.keep_rows(&mut rows).unwrap();
            checkpoint.keep_array(&mut long).unwrap();
        });
        let (mut again, mut other, mut array) = (vec![(9, 9.0)], String::new(), [0; 99]);
        read(written, |checkpoint| {
            checkpoint.keep(&mut other).unwrap();
            checkpoint.keep_rows(&mut again).unwrap();
            checkpoint.keep_array(&mut array).unwrap();
        });
        assert_eq!((other, again, array), (name, rows, long));
    }

    #[test]
    fn what_is_cut_or_something_else_is_told() {
        let written = blocks(|checkpoint| checkpoint.keep_rows(&mut vec![1.5_f64; 20_000]).unwrap());
        let mut rows: Vec<f64> = Vec::new();
        let cut: VecDeque<Vec<u8>> = written.iter().take(2).cloned().collect();
        assert!(matches!(read(cut, |file| file.keep_rows(&mut rows)), Err(CheckpointError::Keeper(_))));
        let short: VecDeque<Vec<u8>> = written.iter().map(|block| block[..block.len() / 2].to_vec()).collect();
        assert!(matches!(read(short, |file| file.keep_rows(&mut rows)), Err(CheckpointError::Damaged(_))));
        let empty = VecDeque::from([vec![3], vec![0]]);
        assert!(matches!(read(empty, |file| file.keep_rows(&mut rows)), Err(CheckpointError::Damaged(_))));
    }
}
