//! A task's promise to say when it is done, kept even if the task panics.
//!
//! Parsers meet hostile bytes. Should one of them panic, its visit has failed like any other and the crawl goes on; without
//! this the loop would wait for the visit for ever.

use revisit::{HostId, PageId};
use tokio::sync::mpsc;

use super::Done;
use crate::pipeline::hosts::Errand;

/// Whose visit was lost.
#[derive(Clone, Copy, Debug)]
pub(in crate::pipeline) enum Lost {
    Page(PageId),
    Robots { asker: HostId },
}

/// Sends what a task says, or that it was lost.
pub(super) struct Promise {
    finish: mpsc::UnboundedSender<Done>,
    contacted: HostId,
    lost: Option<Lost>,
}

impl Promise {
    pub(super) fn new(finish: mpsc::UnboundedSender<Done>, contacted: HostId, errand: &Errand) -> Promise {
        let lost = match errand {
            Errand::Page(page) => Lost::Page(page.page),
            Errand::Robots { asker, .. } => Lost::Robots { asker: *asker },
        };
        Promise { finish, contacted, lost: Some(lost) }
    }

    pub(super) fn keep(mut self, done: Done) {
        self.lost = None;
        // The loop may have ended after an error; then nobody needs the result.
        let _ = self.finish.send(done);
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        if let Some(lost) = self.lost {
            let _ = self.finish.send(Done::Lost { contacted: self.contacted, lost });
        }
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_told() {
        let (finish, mut finished) = mpsc::unbounded_channel();
        let url = Url::parse("http://a.test/robots.txt").unwrap();
        let errand = Errand::Robots { asker: HostId(7), url, hops: 0 };
        let promise = Promise::new(finish, HostId(3), &errand);
        let task = tokio::spawn(async move {
            let _promise = promise;
            panic!("this panic is part of the test");
        });
        assert!(task.await.is_err());
        let told = finished.recv().await;
        assert!(matches!(told, Some(Done::Lost { contacted: HostId(3), lost: Lost::Robots { asker: HostId(7) } })));
    }
}
