//! Catalogues in JSON of their own shape: CKAN's packages, and the `data.json` of DCAT-US.

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use url::Url;

use super::{Part, Raw};
use crate::meaning::{self, Format};
use crate::parse::date;
use crate::sources::handler::Answer;

#[derive(Deserialize)]
struct Document {
    result: Option<Found>,
    dataset: Option<Vec<Dataset>>,
}

/// What CKAN's `package_search` found.
#[derive(Deserialize)]
struct Found {
    count: u64,
    results: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    #[serde(default, deserialize_with = "word")]
    metadata_modified: Option<String>,
    #[serde(default)]
    resources: Option<Vec<Resource>>,
}

#[derive(Deserialize)]
struct Resource {
    #[serde(default, deserialize_with = "word")]
    url: Option<String>,
    #[serde(default, deserialize_with = "word")]
    format: Option<String>,
    #[serde(default, deserialize_with = "word")]
    mimetype: Option<String>,
    #[serde(default, deserialize_with = "word")]
    last_modified: Option<String>,
}

/// A dataset of `data.json`.
#[derive(Deserialize)]
struct Dataset {
    #[serde(default, deserialize_with = "word")]
    modified: Option<String>,
    #[serde(default)]
    distribution: Option<Vec<Distribution>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Distribution {
    #[serde(default, rename = "downloadURL", deserialize_with = "word")]
    download: Option<String>,
    #[serde(default, rename = "accessURL", deserialize_with = "word")]
    access: Option<String>,
    #[serde(default, deserialize_with = "word")]
    media_type: Option<String>,
    #[serde(default, deserialize_with = "word")]
    format: Option<String>,
}

/// Reads one part; what has neither shape is refused.
pub(super) fn read(answer: &Answer) -> Result<Part, String> {
    let body = answer.data(Format::Json);
    let text = meaning::text(&body, Format::Json).map_err(|error| error.to_string())?;
    let document: Document = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    match document {
        Document { result: Some(found), .. } => {
            let next = next(&answer.url, &found);
            Ok(Part { listed: found.results.into_iter().flat_map(resources).collect(), next })
        }
        Document { dataset: Some(datasets), .. } => {
            Ok(Part { listed: datasets.into_iter().flat_map(distributions).collect(), next: None })
        }
        _ => Err("it is neither a list of CKAN packages nor a data.json".into()),
    }
}

/// A text; what is empty, or no text at all, is not there.
fn word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = match Value::deserialize(deserializer)? {
        Value::String(text) => text.trim().to_owned(),
        _ => return Ok(None),
    };
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn resources(package: Package) -> impl Iterator<Item = Raw> {
    let changed = package.metadata_modified.as_deref().and_then(date);
    package.resources.into_iter().flatten().filter_map(move |resource| {
        let formats = resource.mimetype.or(resource.format).into_iter().collect();
        let modified = resource.last_modified.as_deref().and_then(date).or(changed);
        Some(Raw { url: resource.url?, formats, modified })
    })
}

fn distributions(dataset: Dataset) -> impl Iterator<Item = Raw> {
    let modified = dataset.modified.as_deref().and_then(date);
    dataset.distribution.into_iter().flatten().filter_map(move |entry| {
        let formats = entry.media_type.or(entry.format).into_iter().collect();
        Some(Raw { url: entry.download.or(entry.access)?, formats, modified })
    })
}

/// The next part of a CKAN list, if there is one.
fn next(url: &Url, found: &Found) -> Option<String> {
    let number = |name: &str| url.query_pairs().find(|(key, _)| key == name)?.1.parse::<u64>().ok();
    let start = number("start").unwrap_or(0).checked_add(found.results.len() as u64)?;
    if found.results.is_empty() || start >= found.count {
        return None;
    }
    let others = url.query_pairs().filter(|(name, _)| name != "start");
    let others: Vec<(String, String)> = others.map(|(name, value)| (name.into(), value.into())).collect();
    let mut next = url.clone();
    next.query_pairs_mut().clear().extend_pairs(others).append_pair("start", &start.to_string());
    Some(next.into())
}
