//! The socket in a collection's folder, by which other commands of its owner call the crawl: one line of JSON in, one out.
//!
//! Only the owner may open it: it is closed to others before it has a name, and moved to its place, where it takes that of
//! whatever a killed crawl left, be it a link. It is reached through the folder that the crawl has open, so that it does not
//! matter how long the folder's path is.
//!
//! Whoever calls costs the crawl little, whatever it does: few are listened to at once and those the longest are sent away when
//! more come, lines are bounded, and nobody may take long over sending or reading one.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Mode, fchmod};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use super::{Line, Reply};
use crate::collection::Collection;

/// Its name in the collection's folder.
pub(super) const NAME: &str = "everfresh.socket";
/// And before it is moved there.
const NEW: &str = "everfresh.socket.new";
/// Who may wait to be listened to.
const BACKLOG: i32 = 128;

/// The longest line that is read.
pub(super) const LONGEST: usize = 1 << 20;
/// Who are listened to at once.
const CALLERS: usize = 16;
/// How long somebody may take over a line, sent or read.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long who was answered has to hear it when the crawl ends.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// The socket of a crawl that runs.
pub(super) struct Socket {
    folder: Folder,
    end: oneshot::Sender<()>,
    listening: JoinHandle<()>,
}

/// A collection's folder, open: what is in it can be reached by short paths.
pub(super) struct Folder {
    open: File,
    path: PathBuf,
}

impl Folder {
    pub(super) fn open(collection: &Collection) -> io::Result<Folder> {
        Ok(Folder { open: File::open(collection.folder())?, path: collection.folder().to_owned() })
    }

    /// The path of a file in it, no longer than a socket's may be, if the system has such paths.
    pub(super) fn reach(&self, name: &str) -> PathBuf {
        let short = PathBuf::from(format!("/proc/self/fd/{}", self.open.as_raw_fd()));
        if short.exists() { short.join(name) } else { self.path.join(name) }
    }
}

impl Socket {
    /// Opens the socket of a collection whose lock the caller holds.
    pub(super) fn open(collection: &Collection, line: Line) -> io::Result<Socket> {
        let folder = Folder::open(collection)?;
        let listener = bind(&folder)?;
        listener.set_nonblocking(true)?;
        let listener = UnixListener::from_std(listener)?;
        let (end, ended) = oneshot::channel();
        let listening = tokio::spawn(listen(listener, line, ended));
        Ok(Socket { folder, end, listening })
    }

    /// Listens to nobody any more; who was answered may still hear it.
    pub(super) async fn close(self) {
        let Socket { folder, end, listening } = self;
        let _ = fs::remove_file(folder.reach(NAME));
        let _ = end.send(());
        let _ = timeout(LAST_WORDS, listening).await;
    }
}

fn bind(folder: &Folder) -> io::Result<net::UnixListener> {
    let new = folder.reach(NEW);
    // A crawl that was killed may have left it.
    let _ = fs::remove_file(&new);
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
    rustix::net::bind(&socket, &SocketAddrUnix::new(&new)?)?;
    let moved = check(&new).and_then(|()| {
        rustix::net::listen(&socket, BACKLOG)?;
        fs::rename(&new, folder.reach(NAME))
    });
    moved.inspect_err(|_| _ = fs::remove_file(&new))?;
    Ok(socket.into())
}

/// Not every system heeds the mode that a socket has before its name.
fn check(new: &Path) -> io::Result<()> {
    let is_ours = fs::symlink_metadata(new)?.permissions().mode() & 0o077 == 0;
    if is_ours { Ok(()) } else { Err(io::Error::other("it cannot be closed to other users")) }
}

async fn listen(listener: UnixListener, line: Line, mut ended: oneshot::Receiver<()>) {
    let mut callers = JoinSet::new();
    loop {
        tokio::select! {
            // Others wait until one was attended to, which takes no longer than hearing it and a turn of the loop.
            accepted = listener.accept(), if callers.len() < CALLERS => match accepted {
                Ok((stream, _)) => _ = callers.spawn(attend(stream, line.clone())),
                // No handle is left, most likely: whoever holds them gives some back.
                Err(_) => tokio::time::sleep(PATIENCE).await,
            },
            Some(_) = callers.join_next() => {}
            _ = &mut ended => break,
        }
    }
    drop((listener, line));
    while callers.join_next().await.is_some() {}
}

/// Listens to one caller, who has one call.
async fn attend(mut stream: UnixStream, line: Line) {
    let reply = match timeout(PATIENCE, hear(&mut stream)).await {
        Ok(Ok(heard)) => answer(&heard, line).await,
        // Who is gone, or takes its time, hears nothing.
        Ok(Err(_)) | Err(_) => return,
    };
    if let Ok(mut text) = serde_json::to_vec(&reply) {
        text.push(b'\n');
        let _ = timeout(PATIENCE, stream.write_all(&text)).await;
    }
}

/// A line, or as much of it as is listened to.
async fn hear(stream: &mut UnixStream) -> io::Result<Vec<u8>> {
    let mut heard = Vec::new();
    BufReader::new(stream.take(LONGEST as u64)).read_until(b'\n', &mut heard).await?;
    Ok(heard)
}

async fn answer(heard: &[u8], line: Line) -> Reply {
    if !heard.ends_with(b"\n") {
        return Reply::Refused(format!("a call is one line of at most {LONGEST} bytes"));
    }
    match serde_json::from_slice(heard) {
        Ok(call) => line.call(call).await.unwrap_or_else(|| Reply::Refused(super::ENDS.to_owned())),
        Err(error) => Reply::Refused(format!("it does not understand this call: {error}")),
    }
}
