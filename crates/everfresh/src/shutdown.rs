//! Stopping in order: the first signal drains, the second stops at once.

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Says whether the crawl is asked to stop; can be awaited.
#[derive(Clone, Debug)]
pub struct Shutdown {
    asked: watch::Receiver<bool>,
}

/// Asks for a stop when told to or dropped.
#[derive(Debug)]
pub struct Trigger {
    ask: watch::Sender<bool>,
}

impl Shutdown {
    /// A shutdown and the trigger that asks for it.
    pub fn new() -> (Trigger, Shutdown) {
        let (ask, asked) = watch::channel(false);
        (Trigger { ask }, Shutdown { asked })
    }

    /// A shutdown that SIGINT, SIGTERM and SIGHUP ask for. A second signal ends the process with `exit_code`; what was not
    /// acknowledged by then is redone at the next start.
    pub fn on_signals(exit_code: i32) -> std::io::Result<Shutdown> {
        let (trigger, shutdown) = Shutdown::new();
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        // Once somebody has listened, a file that may not grow is an error that can be told and no sudden end.
        drop(signal(SignalKind::from_raw(Signal::XFSZ.as_raw()))?);
        // Who began us with `nohup` means it.
        let mut hangup = if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) };
        tokio::spawn(async move {
            let mut any = async || {
                let hung_up = async {
                    match &mut hangup {
                        Some(hangup) => _ = hangup.recv().await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {}, () = hung_up => {} }
            };
            any().await;
            trigger.ask();
            any().await;
            std::process::exit(exit_code);
        });
        Ok(shutdown)
    }

    /// Whether a stop was asked for.
    pub fn is_asked(&self) -> bool {
        *self.asked.borrow()
    }

    /// Waits until a stop is asked for.
    pub async fn asked(&mut self) {
        // An error means that the trigger is gone, which asks for a stop too.
        let _ = self.asked.wait_for(|asked| *asked).await;
    }
}

/// Whether SIGHUP was ignored when this process began.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0").trim();
    u64::from_str_radix(ignored, 16).unwrap_or(0) & 1 << (Signal::HUP.as_raw() - 1) != 0
}

impl Trigger {
    /// Asks for a stop.
    pub fn ask(&self) {
        let _ = self.ask.send(true);
    }
}
