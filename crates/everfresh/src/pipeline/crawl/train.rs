//! The policy's model is trained again from time to time, beside the crawl.
//!
//! Training takes seconds to minutes of one core and reads the store as any reader does, so it has a thread of its own.
//! What it came to is looked at when a cycle ends; a better model is taken up then, as any other new model is.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use revisit::Time;

use super::Crawl;
use crate::pipeline::PipelineError;
use crate::pipeline::writer::Order;
use crate::store::{Reader, StoreError, TrainingRow};
use crate::training::again::Again;

/// When the model was last trained, and the training under way.
pub(super) struct Training {
    last: Time,
    under_way: Option<Receiver<TrainingRow>>,
}

impl Training {
    /// The last training was the last one written down; a collection that was never trained is as old as its first visit.
    pub(super) fn new(store: &dyn Reader, now: Time) -> Result<Training, StoreError> {
        let trained = store.trainings(1)?.first().map(|training| Time::from_millis(training.at));
        let last = match trained {
            Some(last) => last.min(now),
            None => store.first_visit()?.unwrap_or(now),
        };
        Ok(Training { last, under_way: None })
    }
}

impl Crawl {
    /// Takes in a training that is done, and begins one that is due.
    pub(super) fn train(&mut self, now: Time) -> Result<(), PipelineError> {
        match self.training.under_way.as_ref().map(Receiver::try_recv) {
            None | Some(Err(TryRecvError::Empty)) => {}
            Some(Ok(row)) => {
                self.training.under_way = None;
                tracing::info!("{}", row.detail);
                self.order(Order::Trained(row));
            }
            // A training that panicked left its message on stderr, and the model as it was.
            Some(Err(TryRecvError::Disconnected)) => self.training.under_way = None,
        }
        let settings = &self.context.settings;
        let (Some(every), Some(file)) = (settings.train_every, settings.model_file()) else { return Ok(()) };
        if self.training.under_way.is_some() || now - self.training.last < every {
            return Ok(());
        }
        let (policy, cycle, budget) = (settings.policy.clone(), settings.cycle, settings.budget);
        let again = Again { folder: settings.folder.clone(), policy, file, cycle, budget };
        let ((trained, training), hold) = (channel(), self.clock.hold());
        let work = move || {
            // If the crawl ended meanwhile, nobody needs to be told.
            let _ = trained.send(again.train(now));
            drop(hold);
        };
        std::thread::Builder::new().name("training".into()).spawn(work).map_err(PipelineError::Thread)?;
        self.training = Training { last: now, under_way: Some(training) };
        Ok(())
    }
}
