//! A task's promise to say when it is done, kept even if the task panics.
//!
//! Parsers meet hostile bytes. Should one of them panic, its visit has failed like any other and the crawl goes on; without
//! this the loop would wait for the visit for ever.

use std::net::IpAddr;

use revisit::Signal;
use tokio::sync::mpsc;

use super::{Contact, Done};
use crate::pipeline::under_way::Who;

/// Sends what a task says, or that it was lost.
pub(super) struct Promise {
    finish: mpsc::UnboundedSender<Done>,
    contacted: Contact,
    /// Whose errand it is, until the promise is kept.
    who: Option<Who>,
}

impl Promise {
    pub(super) fn new(finish: mpsc::UnboundedSender<Done>, contacted: Contact, who: Who) -> Promise {
        Promise { finish, contacted, who: Some(who) }
    }

    pub(super) fn contacted(&self) -> Contact {
        self.contacted
    }

    /// Says that the host has answered so many requests, though the task is not done yet.
    pub(super) fn answered(&self, signal: Signal, address: IpAddr, requests: u32) {
        if let Some(who) = self.who {
            let _ = self.finish.send(Done::Answered { contacted: self.contacted, who, signal, address, requests });
        }
    }

    pub(super) fn keep(mut self, done: Done) {
        self.who = None;
        // The loop may have ended after an error; then nobody needs the result.
        let _ = self.finish.send(done);
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        if let Some(who) = self.who {
            let _ = self.finish.send(Done::Lost { contacted: self.contacted, who });
        }
    }
}

#[cfg(test)]
mod tests {
    use revisit::{HostId, Time};

    use super::*;

    #[tokio::test]
    async fn a_panic_is_told() {
        let (finish, mut finished) = mpsc::unbounded_channel();
        let contact = Contact { host: HostId(3), begun: Time::from_secs(1) };
        let promise = Promise::new(finish, contact, Who::Robots(HostId(7)));
        let task = tokio::spawn(async move {
            let _promise = promise;
            panic!("this panic is part of the test");
        });
        assert!(task.await.is_err());
        let told = finished.recv().await;
        assert!(matches!(told, Some(Done::Lost { contacted, who: Who::Robots(HostId(7)) }) if contacted == contact));
    }
}
