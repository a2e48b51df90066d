//! Published experiments again, beside what was published: one file a paper.

pub(crate) mod barbosa;
pub(crate) mod kumagai;
pub(crate) mod santos;
pub(crate) mod umbrich;
