//! What the process does that works apart: it reads what to do, limits itself, does it and writes what came of it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use revisit::Time;
use url::Url;

use super::wire::{self, How, Reply, Task, Work};
use super::{Apart, limits};
use crate::clock::Clock;
use crate::collection::Collection;
use crate::config::Config;
use crate::fetch::Robots;
use crate::pipeline::PipelineError;
use crate::pipeline::context::Context;
use crate::pipeline::judge::{Reach, judge_by_bytes};
use crate::pipeline::reading::next_again;
use crate::pipeline::under_way;
use crate::pipeline::visit::{Assignment, RobotsAnswer, judge_apart, robots_at, visit_at};
use crate::settings::Settings;
use crate::shutdown::Shutdown;

/// The CPU time and the time on the wall that judging may take, beside what a document adds; it waits for nothing but the
/// disk.
const JUDGING: (u64, Duration) = (5, Duration::from_secs(300));
/// The same for a visit: a source may have many parts, each of which waits for its host.
const VISITING: (u64, Duration) = (60, Duration::from_secs(3600));
/// The stack of a thread that visits, so that what this one survives the other does too.
const STACK_BYTES: usize = 2 << 20;

/// Does the one piece of work that is described on stdin, and writes what came of it to stdout.
pub fn work() -> Result<(), PipelineError> {
    let read = wire::read::<Task<Config, Work<Assignment>>>(io::stdin().lock());
    let (Task { parent, folder, collection, config, at, work }, pieces) = read.map_err(PipelineError::Apart)?;
    let (cpu_seconds, wall) = if matches!(work, Work::Visit(_)) { VISITING } else { JUDGING };
    limits::begin(parent, cpu_seconds, wall).map_err(PipelineError::Apart)?;
    let mut settings = Settings::resolve(Config { folder: folder.clone(), ..config })?;
    // Who judges connects to nobody, and the system's certificates take longer to read than most documents.
    settings.fetch.system_roots &= matches!(work, Work::Visit(_) | Work::Robots(_));
    let input = match work {
        Work::Visit(_) => settings.fetch.max_source_bytes,
        _ => pieces.iter().map(Bytes::len).sum(),
    };
    limits::limit_memory(&settings, input).map_err(PipelineError::Apart)?;
    // A document that nobody can judge is no fault of the visit: it is judged further apart.
    let further = || Apart::new(settings.program.clone()).with_only_turn(folder.join(under_way::FILE));
    let further = matches!(work, Work::Visit(_)).then(further);
    // Nobody asks it to stop: who began it ends it.
    let (_stop, stopping) = Shutdown::new();
    let clock = Clock::fast(at, 1.0);
    let context = Context::open(&Collection::at(folder), settings, clock, collection, further, stopping)?;
    let working = move || reply(Arc::new(context), work, pieces, at);
    let thread = std::thread::Builder::new().name("work".into()).stack_size(STACK_BYTES).spawn(working);
    // What panicked has said so on stderr.
    let reply = thread.map_err(PipelineError::Apart)?.join().unwrap_or_else(|_| std::process::exit(101));
    reply.and_then(write).map_err(PipelineError::Apart)
}

fn reply(context: Arc<Context>, work: Work<Assignment>, pieces: Vec<Bytes>, at: Time) -> io::Result<Reply> {
    Ok(match work {
        Work::Judge { page, exchanges, how } => {
            let (mut reach, exchanges) = (Reach::apart(&context.settings), wire::exchanges(exchanges, pieces));
            reach.compares = matches!(how, How::Compared);
            Reply::Visit(Box::new(match how {
                How::ByBytes(why) => judge_by_bytes(&context, &page, &exchanges, at, &why, true),
                How::Compared | How::Alone => judge_apart(&context, &page, &exchanges, at, &reach),
            }))
        }
        Work::Next { page, exchanges } => {
            Reply::Next(next_again(&page, &wire::exchanges(exchanges, pieces), &Reach::apart(&context.settings)))
        }
        Work::Visit(page) => {
            let visited = wait_for(visit_at(&context, Box::new(page), at, &|_, _, _| {}))?;
            Reply::Visit(Box::new(visited.map_err(|_| broken_off())?))
        }
        Work::Robots(url) => wait_for(read_robots(&context, url, at))?.ok_or_else(broken_off)?,
    })
}

fn wait_for<T>(work: impl Future<Output = T>) -> io::Result<T> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work))
}

fn broken_off() -> io::Error {
    io::Error::other("it was broken off")
}

/// Fetches a robots.txt and reads its rules, as the one who asked will.
async fn read_robots(context: &Context, url: Url, at: Time) -> Option<Reply> {
    let fetched = robots_at(context, url, at).await?;
    if let RobotsAnswer::Is(row) = &fetched.answer {
        Robots::from_response(row.status, &row.body, &context.settings.fetch.user_agent);
    }
    Some(Reply::Robots(fetched))
}

fn write(mut reply: Reply) -> io::Result<()> {
    let records = match &mut reply {
        Reply::Visit(finished) => std::mem::take(&mut finished.records),
        Reply::Next(_) | Reply::Robots(..) => Vec::new(),
    };
    wire::write(io::stdout().lock(), &serde_json::to_vec(&reply)?, &[records.into()])
}
