//! What several of the tests need.

use revisit::Policy;
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
    let tree = r#"
        features = ["links"]
        classes = ["a", "b", "c", "d"]
        nodes = [
            { feature = "links", at_most = 9.0, left_share = 0.5 },
            { rows = [0.0, 0.0, 0.0, 10.0] },
            { rows = [10.0, 0.0, 0.0, 0.0] },
        ]
    "#;
    Grouping::new(TABLE_4.to_vec(), Some(toml::from_str(tree).unwrap())).unwrap()
}
