//! What `everfresh train` tells of what was learned: one file a kind of model.

pub(crate) mod formula;
pub(crate) mod groups;
pub(crate) mod tree;
