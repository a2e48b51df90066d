//! From scores to visits: which pages next, and how soon a host may be asked again.

mod agenda;
mod books;
mod candidate;
mod floors;
mod fresh;
mod hints;
mod orders;
mod outages;
mod places;
mod politeness;
mod scheduler;

pub use floors::Floors;
pub use hints::ListKind;
pub use orders::{Held, PageOrder};
pub use politeness::{Manners, Politeness, Signal};
pub use scheduler::{BadScore, Rank, Ranking, Scheduler};
