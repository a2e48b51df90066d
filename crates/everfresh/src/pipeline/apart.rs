//! Work on foreign bytes in a process of its own, which can be limited and abandoned.
//!
//! Most parsers cannot be interrupted, and none says beforehand how much memory it will take. So what is large, or turned
//! out to take long, is judged [apart](process): by this same program, begun as `everfresh apart`, which gets a visit's
//! exchanges on stdin, [limits](limits) itself, judges as any visit is judged, and writes what there is to be recorded to
//! stdout. If it dies, that document could not be judged; nothing else is harmed. A page that was under way when a crawl was
//! killed is even fetched there (see [`super::under_way`]).

pub(super) mod limits;
mod process;
mod wire;

use std::io::{BufWriter, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

use revisit::Time;
use rustix::process::Signal as Kill;
use tokio::sync::Semaphore;
use url::Url;

use super::context::Context;
use super::known::fingerprint;
use super::visit::{Assignment, FetchedRobots, Finished};
use crate::config::Config;
use crate::fetch::Exchange;
pub use process::work;
use wire::{Reply, Sent, Task, Work};

/// Documents judged apart at once: with their limits of memory this bounds that of all of them.
const DOCUMENTS: usize = 2;
/// Robots.txt read apart at once.
const ROBOTS: usize = 8;
/// How much of what a process says is read.
const MAX_SAID_BYTES: u64 = 64 << 10;

/// The way to processes that work apart.
pub(super) struct Apart {
    program: PathBuf,
    /// Held around a process and nothing else, so that who holds one waits for nobody.
    documents: Semaphore,
    suspects: Semaphore,
    robots: Semaphore,
}

/// Why a process brought nothing.
#[derive(Debug)]
pub(super) struct Died(pub(super) String);

impl Apart {
    pub(super) fn new(program: PathBuf) -> Apart {
        let [documents, suspects, robots] = [DOCUMENTS, 1, ROBOTS].map(Semaphore::new);
        Apart { program, documents, suspects, robots }
    }

    /// Judges a visit by its exchanges. Gives them back with the result, since the process has but a copy.
    pub(super) async fn judge(
        &self,
        context: &Arc<Context>,
        page: Assignment,
        exchanges: Vec<Exchange>,
        at: Time,
    ) -> (Assignment, Vec<Exchange>, Result<Finished, Died>) {
        let _permit = self.documents.acquire().await;
        let sent = exchanges.iter().map(Sent::of).collect();
        blocking(context, move |context| {
            let pieces: Vec<&[u8]> = exchanges.iter().flat_map(Sent::pieces).collect();
            let judged = run(context, at, Work::Judge { page: &page, exchanges: sent }, &pieces);
            (page, exchanges, judged.and_then(as_visit))
        })
        .await
    }

    /// Visits a page that may have killed a crawl.
    pub(super) async fn visit(&self, context: &Arc<Context>, page: Assignment, at: Time) -> Result<Finished, Died> {
        let _permit = self.suspects.acquire().await;
        let address = fingerprint(page.url.as_str());
        let visited = blocking(context, move |context| run(context, at, Work::Visit(&page), &[])).await;
        let finished = visited.and_then(as_visit)?;
        context.take_up(address, &finished);
        Ok(finished)
    }

    /// Fetches a robots.txt that may have killed a crawl.
    pub(super) async fn robots(&self, context: &Arc<Context>, url: Url, at: Time) -> Result<FetchedRobots, Died> {
        let _permit = self.robots.acquire().await;
        match blocking(context, move |context| run(context, at, Work::Robots(url), &[])).await? {
            Reply::Robots(fetched) => Ok(fetched),
            Reply::Visit(_) => Err(Died("it spoke of something else".into())),
        }
    }
}

/// Does some work where blocking is expected.
pub(super) async fn blocking<T: Send + 'static>(
    context: &Arc<Context>,
    work: impl FnOnce(&Context) -> T + Send + 'static,
) -> T {
    let context = Arc::clone(context);
    match tokio::task::spawn_blocking(move || work(&context)).await {
        Ok(done) => done,
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}

fn as_visit(reply: Reply) -> Result<Finished, Died> {
    match reply {
        Reply::Visit(finished) => Ok(*finished),
        Reply::Robots(..) => Err(Died("it spoke of something else".into())),
    }
}

/// Has a process do some work and waits for it. The thread that begins it must wait for it too: the system ends the process
/// with the thread.
fn run(context: &Context, at: Time, work: Work<&Assignment>, pieces: &[&[u8]]) -> Result<Reply, Died> {
    let Some(apart) = &context.apart else { return Err(Died("it is apart already".into())) };
    let (settings, collection) = (&context.settings, context.encoders.collection());
    let task: Task<&Config, _> =
        Task { folder: context.folder.clone(), collection, config: &settings.config, at, work };
    let mut command = Command::new(&apart.program);
    // Its last words are read by people, who want no backtrace.
    command.arg("apart").env("RUST_BACKTRACE", "0").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        command.spawn().map_err(|error| Died(format!("the process to do it in cannot be started: {error}")))?;
    if let Some(input) = child.stdin.take() {
        // If it does not want to hear more, it has died, and what it says itself counts.
        let _ = wire::write(BufWriter::with_capacity(64 << 10, input), &task, pieces);
    }
    let told = child.stdout.take().map(wire::read::<Reply>);
    let (status, said) = end(child)?;
    match told {
        Some(Ok((Reply::Visit(mut finished), pieces))) if status.success() => {
            finished.records = pieces.into_iter().next().unwrap_or_default().into();
            Ok(Reply::Visit(finished))
        }
        Some(Ok((reply, _))) if status.success() => Ok(reply),
        _ => Err(Died(reason(status, &said))),
    }
}

/// How a process ended, and what it said last.
fn end(mut child: Child) -> Result<(ExitStatus, String), Died> {
    let mut said = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        let _ = stderr.take(MAX_SAID_BYTES).read_to_end(&mut said);
    }
    let status = child.wait().map_err(|error| Died(format!("the process to do it in is lost: {error}")))?;
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().rfind(|line| !line.trim().is_empty() && !line.starts_with("note: ")).unwrap_or_default();
    Ok((status, last.trim().chars().take(200).collect()))
}

/// Why a process died, as far as it is known: which limit it met, or the signal and its last words.
fn reason(status: ExitStatus, said: &str) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) if signal == Kill::XCPU.as_raw() => {
            "it takes more computing than a document of its size may".to_owned()
        }
        (Some(_), _) if said.starts_with("memory allocation of") => {
            "it takes more memory than a document of its size may".to_owned()
        }
        (Some(signal), _) => format!("the process that tried was ended by signal {signal}; {said}"),
        (None, Some(limits::LATE)) => "it takes longer than anybody waits".to_owned(),
        (None, code) => format!("the process that tried ended with {}; {said}", code.unwrap_or_default()),
    }
}
