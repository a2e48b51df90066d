//! The static features of a page: what its first visit shows. The first seven are those of Barbosa et al. 2005, section 3.3;
//! the others are what sources of data show besides.
//!
//! [`Feature`] is the only list of them; one more variant is one more feature, everywhere. A feature that is not known
//! of a page is NaN, which compares with nothing and therefore never passes for a value by mistake.

/// A property of a page that its first visit shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Links.
    Links,
    /// E-mail addresses.
    Emails,
    /// Whether the server sent Last-Modified: 1 or 0.
    LastModified,
    /// Bytes of text without markup.
    TextBytes,
    /// Images.
    Images,
    /// Links followed from the top page of the domain; the top page is 1.
    Depth,
    /// Directory level of the URL.
    DirectoryLevel,
    /// The family of its format, by a number: see the crawler's list of them.
    Format,
    /// Whose host it is on, by a number: anybody's, a company's, an organisation's, a school's, a government's.
    HostKind,
    /// For how many seconds the server says a copy may be used.
    MaxAge,
}

/// A name that no feature has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no feature is called {name:?}; there are {}: train the model again", Feature::names().join(", "))]
pub struct UnknownFeature {
    /// The name.
    pub name: String,
}

impl Feature {
    /// All of them, in the order of a row.
    pub const ALL: [Feature; 10] = [
        Feature::Links,
        Feature::Emails,
        Feature::LastModified,
        Feature::TextBytes,
        Feature::Images,
        Feature::Depth,
        Feature::DirectoryLevel,
        Feature::Format,
        Feature::HostKind,
        Feature::MaxAge,
    ];

    /// Its name in model files.
    pub const fn name(self) -> &'static str {
        match self {
            Feature::Links => "links",
            Feature::Emails => "emails",
            Feature::LastModified => "last_modified",
            Feature::TextBytes => "text_bytes",
            Feature::Images => "images",
            Feature::Depth => "depth",
            Feature::DirectoryLevel => "directory_level",
            Feature::Format => "format",
            Feature::HostKind => "host_kind",
            Feature::MaxAge => "max_age",
        }
    }

    /// The names of all, in the order of a row.
    pub fn names() -> [&'static str; Feature::ALL.len()] {
        Feature::ALL.map(Feature::name)
    }

    /// The features of these names: how a model that was read from a file finds its columns.
    ///
    /// ```
    /// use revisit::features::{Feature, Features};
    /// let columns = Feature::named(["images", "links"]).unwrap();
    /// assert_eq!(Features::default().with(Feature::Links, 3.0).row(&columns)[1], 3.0);
    /// assert!(Feature::named(["colour"]).is_err());
    /// ```
    pub fn named<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Result<Vec<Feature>, UnknownFeature> {
        let find = |name: N| {
            let named = Feature::ALL.into_iter().find(|feature| feature.name() == name.as_ref());
            named.ok_or_else(|| UnknownFeature { name: name.as_ref().to_owned() })
        };
        names.into_iter().map(find).collect()
    }
}

/// The features of one page, NaN where unknown. Single precision: there is one for every page.
#[derive(Clone, Copy, Debug, serde::Deserialize, serde::Serialize)]
pub struct Features([f32; Feature::ALL.len()]);

/// Nothing is known.
impl Default for Features {
    fn default() -> Features {
        Features([f32::NAN; Feature::ALL.len()])
    }
}

/// Two unknown values are equal here: both pages show the same.
impl PartialEq for Features {
    fn eq(&self, other: &Features) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
    }
}

impl Features {
    /// The same page with one feature known. A value that is not finite is unknown.
    pub fn with(mut self, feature: Feature, value: f32) -> Features {
        self.0[feature as usize] = if value.is_finite() { value } else { f32::NAN };
        self
    }

    /// One feature; `None` if unknown.
    pub fn get(&self, feature: Feature) -> Option<f64> {
        Some(f64::from(self.0[feature as usize])).filter(|value| !value.is_nan())
    }

    /// The values of these features, in this order.
    pub fn row(&self, features: &[Feature]) -> Vec<f64> {
        features.iter().map(|feature| f64::from(self.0[*feature as usize])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_variants() {
        let places: Vec<usize> = Feature::ALL.into_iter().map(|feature| feature as usize).collect();
        assert_eq!(places, (0..Feature::ALL.len()).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_not_a_number_is_missing() {
        let features = Features::default().with(Feature::Links, 4.0).with(Feature::Images, f32::INFINITY);
        assert_eq!((features.get(Feature::Links), features.get(Feature::Images)), (Some(4.0), None));
        assert_eq!(features, Features::default().with(Feature::Links, 4.0));
    }

    #[test]
    fn an_unknown_name_is_told_with_the_known_ones() {
        let told = Feature::named(["colour"]).unwrap_err().to_string();
        assert!(told.contains("colour") && told.contains("directory_level"), "{told}");
    }
}
