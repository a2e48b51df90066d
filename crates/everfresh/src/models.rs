//! Model files: what training found out, kept so that a crawl can use it and a person can read it.
//!
//! A model is a TOML file: its kind and version, the model itself, and where it comes from. Whatever cannot be used as it
//! stands is refused with the reason; nothing is guessed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use revisit::model::Model;
use revisit::model::groups::{Group, Grouping};
use revisit::model::tree::Tree;
use serde::{Deserialize, Serialize};

use crate::archive::{folder_of, make_folder, sync_folder};
use crate::units::Duration;

/// The version of model files that this program writes and reads.
const VERSION: u32 = 1;
/// The largest model file read: a tree of a hundred thousand leaves is smaller.
const MOST_BYTES: u64 = 64 << 20;

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file cannot be read or written.
    #[error("cannot {doing} the model {path}: {error}; 'everfresh train' makes models")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// Larger than any model.
    #[error("{path} has {bytes} bytes, more than a model can have: name a file that 'everfresh train' wrote")]
    TooLarge {
        /// The file.
        path: String,
        /// Its size.
        bytes: u64,
    },
    /// No model, or a damaged one.
    #[error("{path} is no model: {problem}; train it again, or restore it")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// Made by another version of this program.
    #[error("{path} is a model of version {found}, this program knows version {VERSION}: train it again")]
    Version {
        /// The file.
        path: String,
        /// Its version.
        found: u32,
    },
}

/// A model and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// The model.
    pub model: Model,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// Where a model comes from, and how good it was.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The trace, world or collection it was learned from.
    pub source: String,
    /// A number that tells the training data apart from others.
    pub fingerprint: String,
    /// Pages learned from.
    pub pages: usize,
    /// Cycles each was watched for.
    pub cycles: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// What was measured, by name: training, validation, test, error, …
    pub scores: BTreeMap<String, f64>,
}

/// A model file as it is written.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    training: Provenance,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    group: Vec<StoredGroup>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tree: Option<Tree>,
}

/// Read first, so that a file of another version is told as such.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct StoredGroup {
    interval: Duration,
    window: u8,
    least: f64,
    most: f64,
}

impl Trained {
    /// Reads a model file.
    pub fn load(path: &Path) -> Result<Trained, ModelError> {
        let io = |error| ModelError::Io { doing: "read", path: path.display().to_string(), error };
        let bytes = std::fs::metadata(path).map_err(io)?.len();
        if bytes > MOST_BYTES {
            return Err(ModelError::TooLarge { path: path.display().to_string(), bytes });
        }
        read(&std::fs::read_to_string(path).map_err(io)?, path)
    }

    /// Writes a model file; a crawl that reads it at the same time sees the old one or the new one, whole.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        let io = |error| ModelError::Io { doing: "write", path: path.display().to_string(), error };
        write_whole(path, &self.text()).map_err(io)
    }

    fn text(&self) -> String {
        let (formula, grouping) = match &self.model {
            Model::Formula(formula) => (Some(formula.to_string()), None),
            Model::Groups(grouping) => (None, Some(grouping)),
        };
        let group = grouping.map_or(&[][..], Grouping::groups).iter().map(stored_group).collect();
        let tree = grouping.and_then(Grouping::tree).cloned();
        let stored = Stored { version: VERSION, formula, training: self.provenance.clone(), group, tree };
        // All keys are text and all numbers finite, so there is nothing TOML cannot hold.
        toml::to_string(&stored).unwrap_or_default()
    }
}

/// Writes a file, and its folder if need be, so that whoever reads it sees what was there before or all of this, after a power
/// cut too.
pub(crate) fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = folder_of(path);
    make_folder(folder)?;
    let new = beside(path, ".new");
    let mut file = File::create(&new)?;
    file.write_all(text.as_bytes())?;
    // Or the new name could outlive a power cut that its text does not.
    file.sync_data()?;
    std::fs::rename(&new, path)?;
    sync_folder(folder)
}

/// The name of a file with an ending more.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn read(text: &str, path: &Path) -> Result<Trained, ModelError> {
    let damaged = |problem: String| ModelError::Damaged { path: path.display().to_string(), problem };
    let wrong = |error: toml::de::Error| damaged(error.message().to_owned());
    let Versioned { version } = toml::from_str(text).map_err(wrong)?;
    if version != VERSION {
        return Err(ModelError::Version { path: path.display().to_string(), found: version });
    }
    let Stored { formula, training: provenance, group, tree, .. } = toml::from_str(text).map_err(wrong)?;
    let model = match formula {
        Some(formula) if group.is_empty() && tree.is_none() => {
            Model::Formula(formula.parse().map_err(|error| damaged(format!("{error}")))?)
        }
        Some(_) => return Err(damaged("it has a formula and groups".into())),
        None => {
            let groups = group.iter().map(loaded_group).collect();
            Model::Groups(Grouping::new(groups, tree).map_err(|error| damaged(error.to_string()))?)
        }
    };
    Ok(Trained { model, provenance })
}

fn stored_group(group: &Group) -> StoredGroup {
    let Group { interval, window, least, most } = *group;
    StoredGroup { interval: Duration(interval), window, least, most }
}

fn loaded_group(group: &StoredGroup) -> Group {
    Group { interval: group.interval.0, window: group.window, least: group.least, most: group.most }
}

#[cfg(test)]
mod tests {
    use super::*;
    use revisit::learn::dataset::Dataset;
    use revisit::learn::tree::Pruning;
    use revisit::model::groups::TABLE_4;

    fn models() -> [Model; 3] {
        let mut data = Dataset::new(["links", "depth"], ["a", "b", "c", "d"]).unwrap();
        (0..40).for_each(|n| data.push(&[n.into(), (n % 3).into()], n as usize / 10).unwrap());
        let tree = Tree::learn(&data, Pruning::Pruned).unwrap();
        let groups = |tree| Model::Groups(Grouping::new(TABLE_4.to_vec(), tree).unwrap());
        [Model::Formula("t * X + links / 3".parse().unwrap()), groups(None), groups(Some(tree))]
    }

    fn trained(model: Model) -> Trained {
        let scores = [("test".to_owned(), 0.7_f64 / 3.0)].into();
        let source = "brdc12-like".to_owned();
        let provenance =
            Provenance { source, fingerprint: "12ab".into(), pages: 8000, cycles: 57, seed: u64::MAX >> 1, scores };
        Trained { model, provenance }
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        for model in models() {
            let path = folder.path().join("models/mine.toml");
            let saved = trained(model);
            saved.save(&path).unwrap();
            assert_eq!(Trained::load(&path).unwrap(), saved);
            assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
        }
    }

    /// Why a text is no model.
    fn refusal(text: &str) -> String {
        read(text, Path::new("m.toml")).unwrap_err().to_string()
    }

    #[test]
    fn what_cannot_be_used_is_refused_with_the_reason() {
        let [formula, groups, tree] = models().map(|model| trained(model).text());
        assert!(refusal("not a model").starts_with("m.toml is no model: "));
        assert!(
            refusal(&formula.replace("version = 1", "version = 2")).contains("version 2, this program knows version 1")
        );
        assert!(refusal(&formula.replace("t * X", "t * speed")).contains("speed"));
        assert!(refusal(&formula[..formula.len() / 2]).starts_with("m.toml is no model: "));
        assert!(refusal(&groups.replacen("window = 3", "window = 0", 1)).contains("group 0"));
        assert!(refusal(&tree.replace("\"links\"", "\"colour\"")).contains("colour"));
        let fewer = tree.replacen("[[group]]", "[[other]]", 1);
        assert!(refusal(&fewer).contains("unknown field"), "{}", refusal(&fewer));
    }

    #[test]
    fn a_file_that_is_not_there_is_told_with_the_remedy() {
        let error = Trained::load(Path::new("nowhere/m.toml")).unwrap_err().to_string();
        assert!(error.contains("cannot read the model nowhere/m.toml") && error.contains("everfresh train"), "{error}");
    }
}
