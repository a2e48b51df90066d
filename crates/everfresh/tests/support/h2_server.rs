//! The server of `judges/h2_server.py`: hyper-h2, with a fault for every host.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use serde_json::Value;
use tempfile::TempDir;

use super::authority::Authority;
use super::judged::tools;

/// The server; it answers until it is asked what happened.
pub(crate) struct H2Server {
    pub(crate) address: SocketAddr,
    pub(crate) authority: Authority,
    process: Child,
    said: Option<JoinHandle<Vec<Value>>>,
    _folder: TempDir,
}

impl H2Server {
    /// Answers for these hosts, each with so many pages beside its front page.
    pub(crate) fn start(hosts: &[String], pages: usize) -> H2Server {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::vouching_for(hosts, folder.path());
        let mut command = Command::new(tools().join("python"));
        command.arg(format!("{}/tests/judges/h2_server.py", env!("CARGO_MANIFEST_DIR")));
        command.arg(&authority.server).arg(&authority.key).arg(pages.to_string());
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap()).lines();
        let port: u16 = said.next().unwrap().unwrap().parse().unwrap();
        // It would wait if nobody read what it says.
        let said = std::thread::spawn(|| said.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect());
        H2Server { address: ([127, 0, 0, 1], port).into(), authority, process, said: Some(said), _folder: folder }
    }

    /// Everything that happened, when it is over.
    pub(crate) fn end(mut self) -> Vec<Value> {
        drop(self.process.stdin.take());
        self.said.take().unwrap().join().unwrap()
    }
}

impl Drop for H2Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        self.process.wait().ok();
    }
}
