//! Calling the crawl that runs on a collection, from another process.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::socket::{Folder, LONGEST, NAME};
use super::{Call, Reply};
use crate::collection::Collection;

/// Why there is no reply.
#[derive(Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// No crawl runs, or it ends.
    NoCrawl,
    /// One does, but says nothing, for this reason.
    Silent(String),
}

/// Calls the crawl that runs on a collection; waits no longer than this for its reply.
pub fn call(collection: &Collection, call: &Call, patience: Duration) -> Result<Reply, Unanswered> {
    let mut line = serde_json::to_vec(call).map_err(|error| Unanswered::Silent(error.to_string()))?;
    line.push(b'\n');
    let ((told, heard), collection) = (channel(), collection.clone());
    // In a thread of its own, since nothing else bounds how long a connection is waited for.
    let talking = move || _ = told.send(talk(&collection, &line));
    let thread = std::thread::Builder::new().name("call".into()).spawn(talking);
    thread.map_err(|error| Unanswered::Silent(error.to_string()))?;
    match heard.recv_timeout(patience) {
        Ok(Ok(Reply::Refused(why))) if why == super::ENDS => Err(Unanswered::NoCrawl),
        Ok(Ok(reply)) => Ok(reply),
        Ok(Err(error)) => Err(unanswered(&error)),
        Err(RecvTimeoutError::Timeout) => {
            Err(Unanswered::Silent(format!("it said nothing for {} s", patience.as_secs_f64())))
        }
        Err(RecvTimeoutError::Disconnected) => Err(Unanswered::Silent("the call was broken off".into())),
    }
}

fn talk(collection: &Collection, line: &[u8]) -> io::Result<Reply> {
    let folder = Folder::open(collection)?;
    let path = folder.reach(NAME);
    // A link would lead elsewhere.
    if !std::fs::symlink_metadata(&path)?.file_type().is_socket() {
        return Err(ErrorKind::NotFound.into());
    }
    let mut stream = UnixStream::connect(&path)?;
    stream.write_all(line)?;
    let mut reply = Vec::new();
    stream.take(LONGEST as u64).read_to_end(&mut reply)?;
    if reply.is_empty() {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&reply)?)
}

/// Where nobody listens there is no crawl: a killed one leaves its socket behind. Who hangs up without a word has ended.
fn unanswered(error: &io::Error) -> Unanswered {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::ConnectionRefused => Unanswered::NoCrawl,
        ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => Unanswered::NoCrawl,
        ErrorKind::PermissionDenied => Unanswered::Silent("it belongs to another user".into()),
        _ => Unanswered::Silent(error.to_string()),
    }
}
