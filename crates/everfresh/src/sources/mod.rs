//! sources

mod query;
mod results;
pub use query::*;
pub use results::*;
