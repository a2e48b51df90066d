//! Catalogues in JSON of their own shape: CKAN's packages, and the `data.json` of DCAT-US.

use serde::Deserialize;
use url::Url;

use super::{Part, Raw};
use crate::meaning::{self, Format};
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
    #[serde(default)]
    metadata_modified: Option<String>,
    #[serde(default)]
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    format: Option<String>,
    #[serde(default)]
    mimetype: Option<String>,
    #[serde(default)]
    last_modified: Option<String>,
}

/// A dataset of `data.json`.
#[derive(Deserialize)]
struct Dataset {
    #[serde(default)]
    modified: Option<String>,
    #[serde(default)]
    distribution: Vec<Distribution>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Distribution {
    #[serde(default, rename = "downloadURL")]
    download: Option<String>,
    #[serde(default, rename = "accessURL")]
    access: Option<String>,
    #[serde(default)]
    media_type: Option<String>,
    #[serde(default)]
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

fn resources(package: Package) -> impl Iterator<Item = Raw> {
    let Package { metadata_modified, resources } = package;
    resources.into_iter().filter_map(move |resource| {
        let url = resource.url.filter(|url| !url.trim().is_empty())?;
        let format = resource.mimetype.or(resource.format).filter(|format| !format.is_empty());
        Some(Raw { url, format, modified: resource.last_modified.or(metadata_modified.clone()) })
    })
}

fn distributions(dataset: Dataset) -> impl Iterator<Item = Raw> {
    let Dataset { modified, distribution } = dataset;
    distribution.into_iter().filter_map(move |entry| {
        let url = entry.download.or(entry.access)?;
        Some(Raw { url, format: entry.media_type.or(entry.format), modified: modified.clone() })
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
