//! Room 4: pages that are asked in a way of their own, and what their answers hold.
//!
//! Most pages need no description: a GET, and what comes is the page. A [`Source`] is a page with one: other media types, a
//! query to put to a SPARQL endpoint, a catalogue whose entries are sources themselves, rules by which its data is judged.
//! Each [`Kind`] has a [`Handler`], which says what to ask, looks at each answer and says what to ask next, and makes of all
//! answers the one content that is judged. Handlers do not wait and hold no connection: the pipeline asks for them, under the
//! politeness of the host, and archives every exchange; `diff` hands them what the archive kept.

mod catalogue;
mod graph;
mod handler;
mod link;
mod page;
mod query;
mod results;
mod sheet;
mod sparql;

use serde::{Deserialize, Serialize};
use url::Url;

pub use catalogue::Listed;
pub use handler::{Answer, Handler, Held, Refusal, Step};
pub use link::links;
pub use query::{BadQuery, Form, Query};
pub use sparql::page_of;

use crate::meaning::Rules;

/// The media types of Linked Data, best first; a page for people is better than nothing.
const LINKED_DATA: &str = "text/turtle, application/n-triples;q=0.9, application/rdf+xml;q=0.9, application/ld+json;q=0.8, \
     application/trig;q=0.8, application/n-quads;q=0.8, text/html;q=0.5, */*;q=0.1";

/// How a source is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// By one GET, as any page is.
    #[default]
    Page,
    /// By one GET that prefers RDF.
    LinkedData,
    /// By a query to a SPARQL endpoint.
    Sparql,
    /// By one GET or several; its entries become sources.
    Catalogue,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Page, Kind::LinkedData, Kind::Sparql, Kind::Catalogue];

    /// The word for it, in the store and for people.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Page => "page",
            Kind::LinkedData => "linked-data",
            Kind::Sparql => "sparql",
            Kind::Catalogue => "catalogue",
        }
    }

    /// The kind of a name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// How a page is asked and judged, where that is not as for all pages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Source {
    /// How it is asked.
    pub kind: Kind,
    /// The media types to ask for; those of its kind if absent.
    pub accept: Option<String>,
    /// The query of a SPARQL source; all triples if absent.
    pub query: Option<String>,
    /// By which rules its data is judged.
    pub rules: Rules,
}

impl Source {
    /// Whether its answer may come in several parts.
    pub fn has_parts(&self) -> bool {
        matches!(self.kind, Kind::Sparql | Kind::Catalogue)
    }

    /// The handler for one visit of it at `page`.
    pub fn handler(&self, page: &Url) -> Result<Box<dyn Handler>, Refusal> {
        Ok(match self.kind {
            Kind::Page => Box::new(page::Page::new(page, self.accept.clone())),
            Kind::LinkedData => {
                Box::new(page::Page::new(page, Some(self.accept.as_deref().unwrap_or(LINKED_DATA).to_owned())))
            }
            Kind::Sparql => Box::new(sparql::Sparql::new(page, self)?),
            Kind::Catalogue => Box::new(catalogue::Catalogue::new(page, self.accept.clone())),
        })
    }
}
