//! What several of the tests need.

use revisit::Policy;
use revisit::learn::dataset::Dataset;
use revisit::learn::tree::{Pruning, Tree};
use revisit::model::Model;
use revisit::model::groups::{Grouping, TABLE_4};
use revisit::policy::registry::{Supplies, build, build_with};

/// The policy that a text names, with a model if it needs one.
pub(crate) fn built(text: &str) -> Box<dyn Policy> {
    let models = [Model::Formula("t * X + links".parse().unwrap()), Model::Groups(by_links())];
    let given = |model| build_with(text, Supplies { model: Some(model), truth: None });
    build(text).ok().or_else(|| models.iter().find_map(|model| given(model).ok())).unwrap()
}

/// Pages with many links belong to the fastest group, all others to the slowest.
fn by_links() -> Grouping {
    let mut data = Dataset::new(["links"], ["a", "b", "c", "d"]).unwrap();
    (0..20).for_each(|links| data.push(&[links.into()], if links > 9 { 0 } else { 3 }).unwrap());
    Grouping::new(TABLE_4.to_vec(), Some(Tree::learn(&data, Pruning::Pruned).unwrap())).unwrap()
}
