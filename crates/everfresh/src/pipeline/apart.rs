//! Work on foreign bytes in a process of its own, which can be limited and abandoned.
//!
//! Most parsers cannot be interrupted, and none says beforehand how much memory it will take. So what is large, or turned
//! out to take long, is judged [apart](process): by this same program, begun as `everfresh apart`, which gets a visit's
//! exchanges on stdin, [limits](limits) itself, judges as any visit is judged, and writes what there is to be recorded to
//! stdout. If it dies, that document could not be judged; nothing else is harmed. A page that was under way when a crawl was
//! killed is even fetched there (see [`super::under_way`]).

mod lifeline;
pub(super) mod limits;
mod process;
mod turns;
mod wire;

use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use revisit::{HostId, Time};
use rustix::process::Signal as Kill;
use url::Url;

use super::context::Context;
use super::reading::Read as Answers;
use super::visit::{Assignment, FetchedRobots, Finished};
use crate::config::Config;
use crate::fetch::{Exchange, Space, is_no_handle};
use lifeline::Lifeline;
pub use process::work;
use turns::Turns;
use wire::{How, Reply, Sent, Task, Work};

/// How long to wait for the system to have room for a process.
const ROOM_WAIT: Duration = Duration::from_secs(30);
/// How a program that got no memory says so.
const NO_MEMORY: &str = "memory allocation of";
/// How much of what a process says is read.
const MAX_SAID_BYTES: u64 = 64 << 10;

/// The way to processes that work apart. Turns are held around a process and nothing else, so that who has one waits for
/// nobody.
pub(super) struct Apart {
    program: PathBuf,
    turns: Turns,
    /// Where several processes share their turns, as those of suspects do: who has locked this file has the only one.
    only_turn: Option<PathBuf>,
}

/// Why a process brought nothing.
#[derive(Debug)]
pub(super) struct Died(pub(super) String);

/// Why a document was not judged.
pub(super) enum NotJudged {
    /// The process that tried brought nothing.
    Died(Died),
    /// It gave way to others while it waited for its turn.
    GaveWay,
}

impl From<Died> for NotJudged {
    fn from(died: Died) -> NotJudged {
        NotJudged::Died(died)
    }
}

impl Apart {
    pub(super) fn new(program: PathBuf) -> Apart {
        Apart { program, turns: Turns::default(), only_turn: None }
    }

    /// For a process that is one of several.
    fn with_only_turn(self, file: PathBuf) -> Apart {
        Apart { only_turn: Some(file), ..self }
    }

    /// Judges a visit by its exchanges.
    pub(super) async fn judge(
        &self,
        context: &Arc<Context>,
        page: &Assignment,
        exchanges: &[Exchange],
        at: Time,
        space: &mut Space,
    ) -> Result<Finished, NotJudged> {
        self.in_turn(page.host, space, || judge(context, page, exchanges, at)).await
    }

    /// Reads the exchanges with a source so far, to say what to ask next.
    pub(super) async fn next(
        &self,
        context: &Arc<Context>,
        page: &Assignment,
        exchanges: &[Exchange],
        at: Time,
        space: &mut Space,
    ) -> Result<Answers, NotJudged> {
        let work = || Work::Next { page, exchanges: exchanges.iter().map(Sent::of).collect() };
        let read = self.in_turn(page.host, space, || run(context, at, work(), exchanges)).await;
        space.set_judged(false);
        if let Reply::Next(read) = read? { Ok(read) } else { Err(Died::confused().into()) }
    }

    /// Visits a page that may have killed a crawl. The caller lets few have their turn at a time.
    pub(super) async fn visit(&self, context: &Arc<Context>, page: &Assignment, at: Time) -> Result<Finished, Died> {
        let finished = as_visit(run(context, at, Work::Visit(page), &[]).await?)?;
        context.take_up(&finished);
        Ok(finished)
    }

    /// Fetches a robots.txt that may have killed a crawl. The caller lets few have their turn at a time.
    pub(super) async fn robots(&self, context: &Arc<Context>, url: Url, at: Time) -> Result<FetchedRobots, Died> {
        match run(context, at, Work::Robots(url), &[]).await? {
            Reply::Robots(fetched) => Ok(fetched),
            _ => Err(Died::confused()),
        }
    }

    /// Does some work when it is the host's turn, anew if it had to stop for others. As long as it waits it gives way to who
    /// needs its room.
    async fn in_turn<T, W: Future<Output = Result<T, Died>>>(
        &self,
        host: HostId,
        space: &mut Space,
        work: impl Fn() -> W,
    ) -> Result<T, NotJudged> {
        let mut has_stopped = false;
        loop {
            space.set_judged(false);
            let turn = tokio::select! {
                biased;
                turn = self.turns.take(host, has_stopped) => turn,
                () = space.asked_to_leave() => return Err(NotJudged::GaveWay),
            };
            space.set_judged(true);
            let _only = self.wait_for_only_turn().await;
            let done = match turn {
                Some(turn) => turn.spend(work()).await,
                None => Some(work().await),
            };
            match done {
                Some(done) => return Ok(done?),
                None => has_stopped = true,
            }
        }
    }

    /// The only turn of all processes, until it is dropped. Where it cannot be had, nobody is kept from working.
    async fn wait_for_only_turn(&self) -> Option<File> {
        let path = self.only_turn.clone()?;
        blocking(move || File::open(path).and_then(|file| file.lock().map(|()| file)).ok()).await
    }
}

impl Died {
    fn confused() -> Died {
        Died("the process that tried spoke of something else".to_owned())
    }
}

fn as_visit(reply: Reply) -> Result<Finished, Died> {
    if let Reply::Visit(finished) = reply { Ok(*finished) } else { Err(Died::confused()) }
}

/// Does some work where blocking is expected.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}

/// Has processes judge a visit until one of them can. If it is too much, it may have been the comparison with the version before,
/// which is a courtesy: it is tried once more without. What nobody can read is judged by its bytes.
async fn judge(context: &Arc<Context>, page: &Assignment, exchanges: &[Exchange], at: Time) -> Result<Finished, Died> {
    let work = |how| Work::Judge { page, exchanges: exchanges.iter().map(Sent::of).collect(), how };
    let mut judged = run(context, at, work(How::Compared), exchanges).await.and_then(as_visit);
    if judged.is_err() && page.holds_data() {
        judged = run(context, at, work(How::Alone), exchanges).await.and_then(as_visit);
    }
    match judged {
        Err(Died(why)) => {
            let by_bytes = run(context, at, work(How::ByBytes(why.clone())), exchanges).await.and_then(as_visit);
            by_bytes.map_err(|_| Died(why))
        }
        judged => judged,
    }
}

/// Has a process do some work on some exchanges.
async fn run(context: &Arc<Context>, at: Time, work: Work<&Assignment>, exchanges: &[Exchange]) -> Result<Reply, Died> {
    let Some(apart) = &context.apart else { return Err(Died("the process that tried is apart already".into())) };
    let (folder, collection) = (context.folder.clone(), context.encoders.collection());
    let (parent, config) = (std::process::id(), &context.settings.config);
    let task: Task<&Config, _> = Task { parent, folder, collection, config, at, work };
    let head = serde_json::to_vec(&task).map_err(|error| Died(format!("what to do cannot be told: {error}")))?;
    let pieces: Vec<Bytes> = exchanges.iter().flat_map(Sent::pieces).collect();
    let (program, lifeline) = (apart.program.clone(), Lifeline::default());
    let _cut_when_dropped = lifeline.end();
    blocking(move || begin(&program, &head, &pieces, &lifeline)).await
}

/// Begins a process, tells it what to do and waits for it. All in one thread: the system ends the process with the thread
/// that began it.
fn begin(program: &Path, head: &[u8], pieces: &[Bytes], lifeline: &Lifeline) -> Result<Reply, Died> {
    let mut command = Command::new(program);
    // It says nothing but why it died: more would fill the pipe, which is read last.
    command.arg("apart").env("RUST_BACKTRACE", "0").env("RUST_LOG", "off");
    // Ctrl-C is meant for the crawl, which waits for it.
    command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = spawn(&mut command, lifeline);
    let mut child = started.map_err(|error| Died(format!("no process can be started for it: {error}")))?;
    lifeline.hold(&child);
    if let Some(input) = child.stdin.take() {
        // If it does not want to hear more, it has died, and what it says itself counts.
        let _ = wire::write(BufWriter::with_capacity(64 << 10, input), head, pieces);
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

/// Starts a process. Where the system has no room for one just now, which is nobody's fault, it is waited for.
fn spawn(command: &mut Command, lifeline: &Lifeline) -> io::Result<Child> {
    let begun = Instant::now();
    loop {
        match command.spawn() {
            Err(error) if has_no_room(&error) && begun.elapsed() < ROOM_WAIT && !lifeline.is_cut() => {
                std::thread::sleep(ROOM_WAIT / 100);
            }
            started => return started,
        }
    }
}

fn has_no_room(error: &io::Error) -> bool {
    is_no_handle(error) || error.kind() == io::ErrorKind::WouldBlock
}

/// How a process ended, and what it said last.
fn end(mut child: Child) -> Result<(ExitStatus, String), Died> {
    let mut said = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        let _ = stderr.take(MAX_SAID_BYTES).read_to_end(&mut said);
    }
    let status = child.wait().map_err(|error| Died(format!("the process to do it in is lost: {error}")))?;
    let said = String::from_utf8_lossy(&said);
    Ok((status, last_words(&said).chars().take(200).collect()))
}

/// The last line that a process wrote, but for what is said about backtraces; or that it wanted more memory.
fn last_words(said: &str) -> &str {
    let lines = || said.lines().map(str::trim);
    let is_said = |line: &&str| !line.is_empty() && !line.starts_with("note: ") && !line.contains("backtrace");
    lines().find(|line| line.starts_with(NO_MEMORY)).or_else(|| lines().rfind(is_said)).unwrap_or_default()
}

/// Why a process died, as far as it is known: which limit it met, or the signal and its last words.
fn reason(status: ExitStatus, said: &str) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) if signal == Kill::XCPU.as_raw() => {
            "it takes more computing than a document of its size may".to_owned()
        }
        (Some(_), _) if said.starts_with(NO_MEMORY) => {
            "it takes more memory than a document of its size may".to_owned()
        }
        (Some(signal), _) => format!("the process that tried was ended by signal {signal}; {said}"),
        (None, Some(limits::LATE)) => "it takes longer than anybody waits".to_owned(),
        (None, code) => format!("the process that tried ended with {}; {said}", code.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_says_last_is_read_without_its_backtrace() {
        let panic =
            "\nthread 'work' panicked at a.rs:1:2:\nit broke\nnote: run with `RUST_BACKTRACE=1` for a backtrace\n\n";
        assert_eq!(last_words(panic), "it broke");
        let memory = "memory allocation of 5 bytes failed\nskipping backtrace printing to avoid potential recursion\n";
        assert_eq!(last_words(memory), "memory allocation of 5 bytes failed");
        assert_eq!(last_words(""), "");
    }

    #[test]
    fn a_limit_that_was_met_is_named() {
        let ended = |signal: Kill| ExitStatus::from_raw(signal.as_raw());
        assert!(reason(ended(Kill::XCPU), "").contains("more computing"));
        assert!(reason(ended(Kill::ABORT), "memory allocation of 5 bytes failed").contains("more memory"));
        assert!(reason(ended(Kill::SEGV), "x").contains("signal 11; x"));
        assert!(reason(ExitStatus::from_raw(limits::LATE << 8), "").contains("longer"));
        assert!(reason(ExitStatus::from_raw(101 << 8), "it broke").contains("101; it broke"));
    }
}
