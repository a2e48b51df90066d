//! What a store keeps, as plain values: one file for what belongs together.

mod file;
mod host;
mod page;
mod shown;
mod time;
mod visit;

pub use file::{FileRow, IndexRow};
pub use host::{HostRow, RobotsRow};
pub use page::{AsideRow, CopyRow, FoundAs, PageEntry, PageRow, SourceRow};
pub use shown::{FeaturesRow, HintsRow, LinksRow};
pub use time::{BatchRow, ClosedCycle, OpenedCycle, TrainingRow};
pub use visit::{Answer, CaptureRow, Outcomes, PartRow, ToldVisit, VisitRow};
