//! Many short lists in two flat columns: one allocation for all of them, and nothing per list but its start.

/// A list for every row.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub(super) struct Lists<T> {
    /// Where each row's list begins in `items`, and one more for the end.
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Lists<T> {
        Lists { starts: vec![0], items: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    /// Gathers the items of each row in the order in which they come. The pairs are gone through twice: once to count,
    /// once to place. Rows from `rows` on are left out.
    pub(super) fn gather(rows: usize, pairs: impl Iterator<Item = (usize, T)> + Clone) -> Lists<T> {
        let mut starts = vec![0; rows + 1];
        let mut filler = None;
        for (row, item) in pairs.clone().filter(|(row, _)| *row < rows) {
            starts[row + 1] += 1;
            filler = Some(item);
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut items: Vec<T> = filler.map_or_else(Vec::new, |item| vec![item; starts[rows]]);
        let mut next = starts.clone();
        for (row, item) in pairs.filter(|(row, _)| *row < rows) {
            items[next[row]] = item;
            next[row] += 1;
        }
        Lists { starts, items }
    }

    /// Adds a row at the end and returns how long it is.
    pub(super) fn push(&mut self, items: impl IntoIterator<Item = T>) -> usize {
        let from = self.items.len();
        self.items.extend(items);
        self.starts.push(self.items.len());
        self.items.len() - from
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// A row's list; empty if there is no such row.
    pub(super) fn get(&self, row: usize) -> &[T] {
        match (self.starts.get(row), self.starts.get(row + 1)) {
            (Some(&from), Some(&to)) => &self.items[from..to],
            _ => &[],
        }
    }

    /// Every row's list.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &[T]> + Clone {
        self.starts.windows(2).map(|bounds| &self.items[bounds[0]..bounds[1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_order_within_a_row() {
        let lists = Lists::gather(3, [(2, 'c'), (0, 'a'), (2, 'd'), (9, 'x')].into_iter());
        assert_eq!(lists.iter().collect::<Vec<_>>(), [&['a'][..], &[], &['c', 'd']]);
        assert_eq!((lists.len(), lists.get(2), lists.get(3)), (3, &['c', 'd'][..], &[][..]));
    }

    #[test]
    fn pushed_rows_read_like_gathered_ones() {
        let mut lists = Lists::default();
        assert_eq!((lists.push([1, 2]), lists.push([]), lists.push([3])), (2, 0, 1));
        assert_eq!(lists, Lists::gather(3, [(0, 1), (0, 2), (2, 3)].into_iter()));
    }
}
