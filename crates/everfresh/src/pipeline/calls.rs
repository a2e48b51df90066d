//! Calls: what a running crawl is asked and told, from within this process or, through a [socket](socket), by other commands of
//! whoever owns the collection.
//!
//! The loop takes one call a turn, so that nobody who asks much keeps it from its work, and what takes long it does a step a
//! turn. An order is confirmed when it is in the store and was learned of: whoever has the confirmation may kill the crawl, and
//! whoever waits for one in vain may give the order again, since each comes to the same when it is given twice.

mod caller;
mod socket;

use revisit::{PageId, PageOrder};
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use super::seeds::{Added, Addition};
use super::state::{Overview, PageState};
use crate::collection::Collection;
pub use caller::{Unanswered, call};
use socket::Socket;

/// What who calls too late is told.
pub(super) const ENDS: &str = "the crawl ends";
/// Calls that wait for the loop.
const WAITING: usize = 64;

/// A question or an order.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Call {
    /// How does the collection stand?
    Overview,
    /// How does this page stand?
    Page(PageId),
    /// Make these pages seeds.
    Add(Addition),
    /// Do this with these pages.
    Order(Vec<PageId>, PageOrder),
}

/// What comes of a call.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// So the collection stands.
    Overview(Overview),
    /// So the page stands, if the crawl knows it.
    Page(Option<Box<PageState>>),
    /// They are seeds.
    Added(Added),
    /// It is done, or will be also if the crawl is killed.
    Ordered,
    /// Nothing, for this reason.
    Refused(String),
}

/// A call, and whom to tell what came of it.
pub(super) struct Asked {
    pub(super) call: Call,
    pub(super) reply: oneshot::Sender<Reply>,
}

/// The way to a crawl in this process.
#[derive(Clone)]
pub struct Line {
    asked: mpsc::Sender<Asked>,
}

impl Line {
    /// Puts a call through; `None` if the crawl ends before it has an answer.
    pub async fn call(&self, call: Call) -> Option<Reply> {
        let (reply, replied) = oneshot::channel();
        self.asked.send(Asked { call, reply }).await.ok()?;
        replied.await.ok()
    }
}

/// The loop's end of all lines.
pub struct Calls {
    asked: mpsc::Receiver<Asked>,
    /// What woke the loop.
    first: Option<Asked>,
    socket: Option<Socket>,
}

impl Calls {
    /// A line and its end.
    pub fn new() -> (Line, Calls) {
        let (line, asked) = mpsc::channel(WAITING);
        (Line { asked: line }, Calls { asked, first: None, socket: None })
    }

    /// Calls from other processes. Where there can be no socket, the crawl does without.
    pub(super) fn from_outside(collection: &Collection) -> Calls {
        let (line, calls) = Calls::new();
        let socket = Socket::open(collection, line).inspect_err(|error| {
            tracing::warn!("other commands cannot speak to this crawl, and read the store instead: {error}");
        });
        Calls { socket: socket.ok(), ..calls }
    }

    /// Waits until somebody calls. Nothing is lost if the waiting is broken off.
    pub(super) async fn wait(&mut self) {
        if self.first.is_none() {
            self.first = self.asked.recv().await;
        }
        if self.first.is_none() {
            std::future::pending().await
        }
    }

    /// The next call, if there is one.
    pub(super) fn next(&mut self) -> Option<Asked> {
        self.first.take().or_else(|| self.asked.try_recv().ok())
    }

    /// Nobody is answered any more, but who was may still hear it.
    pub(super) async fn close(self) {
        let Calls { asked, first, socket } = self;
        drop((asked, first));
        if let Some(socket) = socket {
            socket.close().await;
        }
    }
}
