//! Rows of features with the class of each: what classifiers are learned from and judged by.
//!
//! Row by row in one array, since a classifier asks for rows; a learner that wants columns makes its own. NaN is a
//! missing value; anything else must be finite, so that learners need not ask again.

/// Rows of features, each with its class.
#[derive(Clone, Debug)]
pub struct Dataset {
    features: Vec<String>,
    classes: Vec<String>,
    values: Vec<f64>,
    labels: Vec<u8>,
}

/// Why a data set cannot be made or a row cannot be taken in.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DatasetError {
    /// No feature, no class, or more classes than a number has room for.
    #[error(
        "a data set of {features} features and {classes} classes was asked for: it needs a feature and 1 to 256 classes"
    )]
    Shape {
        /// How many features were named.
        features: usize,
        /// How many classes were named.
        classes: usize,
    },
    /// More or fewer values than features.
    #[error("row {row} has {found} values for {expected} features: give each a value, NaN if it is unknown")]
    Width {
        /// The row's number.
        row: usize,
        /// How many values it has.
        found: usize,
        /// How many features there are.
        expected: usize,
    },
    /// A class that is not there.
    #[error("row {row} is of class {class}, but the classes are numbered from 0 and there are {classes}")]
    Class {
        /// The row's number.
        row: usize,
        /// The class it was given.
        class: usize,
        /// How many classes there are.
        classes: usize,
    },
    /// An infinite value.
    #[error("row {row} has the value {value} for {feature}: give a finite one, or NaN if it is unknown")]
    Infinite {
        /// The row's number.
        row: usize,
        /// The feature's name.
        feature: String,
        /// The value.
        value: f64,
    },
}

impl Dataset {
    /// A data set without rows, of these features and classes.
    ///
    /// ```
    /// use revisit::learn::dataset::Dataset;
    /// let mut data = Dataset::new(["links"], ["slow", "fast"]).unwrap();
    /// data.push(&[12.0], 1).unwrap();
    /// data.push(&[f64::NAN], 0).unwrap();
    /// assert_eq!(data.counts(), [1, 1]);
    /// assert!(data.push(&[1.0], 2).is_err());
    /// ```
    pub fn new<F: Into<String>, C: Into<String>>(
        features: impl IntoIterator<Item = F>,
        classes: impl IntoIterator<Item = C>,
    ) -> Result<Dataset, DatasetError> {
        let features: Vec<String> = features.into_iter().map(Into::into).collect();
        let classes: Vec<String> = classes.into_iter().map(Into::into).collect();
        if features.is_empty() || !(1..=256).contains(&classes.len()) {
            return Err(DatasetError::Shape { features: features.len(), classes: classes.len() });
        }
        Ok(Dataset { features, classes, values: Vec::new(), labels: Vec::new() })
    }

    /// Takes in a row.
    pub fn push(&mut self, values: &[f64], class: usize) -> Result<(), DatasetError> {
        let row = self.len();
        if values.len() != self.features.len() {
            return Err(DatasetError::Width { row, found: values.len(), expected: self.features.len() });
        }
        if class >= self.classes.len() {
            return Err(DatasetError::Class { row, class, classes: self.classes.len() });
        }
        if let Some(place) = values.iter().position(|value| value.is_infinite()) {
            return Err(DatasetError::Infinite { row, feature: self.features[place].clone(), value: values[place] });
        }
        self.values.extend(values);
        self.labels.push(class as u8);
        Ok(())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The names of the features, in the order of a row.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The values of a row.
    pub fn row(&self, row: usize) -> &[f64] {
        let width = self.features.len();
        &self.values[row * width..(row + 1) * width]
    }

    /// The class of a row.
    pub fn class(&self, row: usize) -> usize {
        usize::from(self.labels[row])
    }

    /// Every row with its class.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (&[f64], usize)> {
        (0..self.len()).map(|row| (self.row(row), self.class(row)))
    }

    /// How many rows there are of each class.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes.len()];
        self.labels.iter().for_each(|label| counts[usize::from(*label)] += 1);
        counts
    }

    /// These rows, in this order; numbers beyond the last row are left out.
    pub fn take(&self, rows: &[usize]) -> Dataset {
        let mut taken = Dataset {
            features: self.features.clone(),
            classes: self.classes.clone(),
            values: Vec::with_capacity(rows.len() * self.features.len()),
            labels: Vec::with_capacity(rows.len()),
        };
        for &row in rows.iter().filter(|row| **row < self.len()) {
            taken.values.extend(self.row(row));
            taken.labels.push(self.labels[row]);
        }
        taken
    }

    /// All rows with these features only, in this order; numbers beyond the last feature are left out.
    pub fn only(&self, features: &[usize]) -> Dataset {
        let kept: Vec<usize> = features.iter().copied().filter(|feature| *feature < self.features.len()).collect();
        let values = self.rows().flat_map(|(row, _)| kept.iter().map(|feature| row[*feature])).collect();
        let names = kept.iter().map(|feature| self.features[*feature].clone()).collect();
        Dataset { features: names, classes: self.classes.clone(), values, labels: self.labels.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Dataset {
        let mut data = Dataset::new(["a", "b"], ["x", "y"]).unwrap();
        for (row, class) in [([1.0, 2.0], 0), ([3.0, 4.0], 1), ([5.0, 6.0], 0)] {
            data.push(&row, class).unwrap();
        }
        data
    }

    #[test]
    fn rows_and_columns_can_be_chosen() {
        let data = three().take(&[2, 0, 9]).only(&[1]);
        assert_eq!((data.row(0), data.row(1), data.len()), (&[6.0][..], &[2.0][..], 2));
        assert_eq!((data.features(), data.counts()), (&["b".to_string()][..], vec![2, 0]));
    }

    #[test]
    fn bad_rows_are_refused_and_change_nothing() {
        let mut data = three();
        assert_eq!(data.push(&[1.0], 0), Err(DatasetError::Width { row: 3, found: 1, expected: 2 }));
        assert_eq!(data.push(&[1.0, 1.0], 2), Err(DatasetError::Class { row: 3, class: 2, classes: 2 }));
        assert!(matches!(data.push(&[1.0, f64::NEG_INFINITY], 0), Err(DatasetError::Infinite { row: 3, .. })));
        assert_eq!(data.rows().len(), 3);
        assert!(Dataset::new(["a"], (0..257).map(|class| class.to_string())).is_err());
        assert!(Dataset::new::<&str, _>([], ["x"]).is_err());
    }
}
