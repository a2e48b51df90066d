//! nginx as the system has it, over TLS with HTTP/2: a server that nobody here wrote.

use std::collections::BTreeMap;
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;
use tempfile::TempDir;

use super::authority::Authority;
use super::processes::{children, signal};

/// Between two looks at something that will happen.
const MOMENT: Duration = Duration::from_millis(5);
/// Somebody else may take a port before nginx does.
const ATTEMPTS: usize = 10;

/// A running nginx with a site of its own.
pub(crate) struct Nginx {
    pub(crate) address: SocketAddr,
    pub(crate) authority: Authority,
    process: Child,
    folder: TempDir,
}

/// A request as nginx logged it; times are seconds.
#[derive(Clone, Debug)]
pub(crate) struct Logged {
    /// The process that answered.
    pub(crate) worker: u32,
    pub(crate) connection: u64,
    pub(crate) begun: f64,
    pub(crate) ended: f64,
}

impl Nginx {
    /// Serves these pages, by their paths, under a name, with further settings of the `http` block.
    pub(crate) fn start(name: &str, pages: &BTreeMap<String, String>, settings: &str) -> Nginx {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::vouching_for(&[name.to_owned()], folder.path());
        for (path, page) in pages {
            let file = folder.path().join("site").join(path.trim_start_matches('/'));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, page).unwrap();
        }
        let started = (0..ATTEMPTS).find_map(|_| {
            let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
            fs::write(folder.path().join("nginx.conf"), configuration(address, settings)).unwrap();
            serving(folder.path(), address).map(|process| (address, process))
        });
        let errors = || fs::read_to_string(folder.path().join("error.log")).unwrap_or_default();
        assert!(started.is_some(), "nginx does not start: {}", errors());
        let (address, process) = started.unwrap();
        Nginx { address, authority, process, folder }
    }

    /// What was asked and answered so far.
    pub(crate) fn log(&self) -> Vec<Logged> {
        let text = fs::read_to_string(self.folder.path().join("access.log")).unwrap_or_default();
        // The last line may still be under way.
        let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        lines.map(|line| logged(line).unwrap()).collect()
    }

    /// Waits until so many requests were answered.
    pub(crate) fn has_answered(&self, requests: usize) {
        while self.log().len() < requests {
            sleep(MOMENT);
        }
    }

    /// Tells it to go on with new workers, while the old ones finish what they do.
    pub(crate) fn reload(&self) {
        signal(self.process.id(), Signal::HUP);
    }

    /// Every worker stops where it is.
    pub(crate) fn stand_still(&self) {
        self.to_all(Signal::STOP);
    }

    pub(crate) fn go_on(&self) {
        self.to_all(Signal::CONT);
    }

    fn to_all(&self, told: Signal) {
        children(self.process.id()).into_iter().for_each(|worker| signal(worker, told));
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        self.go_on();
        signal(self.process.id(), Signal::TERM);
        self.process.wait().ok();
    }
}

fn configuration(address: SocketAddr, settings: &str) -> String {
    format!(
        "user root; # for the folder of a test, if it runs as such
         worker_processes 1;
         pid nginx.pid;
         error_log error.log;
         events {{ worker_connections 512; }}
         http {{
             default_type text/html;
             log_format told '$pid $connection $msec $request_time';
             access_log access.log told;
             client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
             uwsgi_temp_path uwsgi; scgi_temp_path scgi;
             {settings}
             server {{
                 listen {address} ssl http2;
                 ssl_certificate server.pem;
                 ssl_certificate_key server.key;
                 root site;
             }}
         }}"
    )
}

/// nginx in this folder when it serves; `None` if it ended instead.
fn serving(folder: &Path, address: SocketAddr) -> Option<Child> {
    let mut command = Command::new("nginx");
    command.arg("-p").arg(folder).args(["-c", "nginx.conf", "-e", "error.log", "-g", "daemon off;"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut process = command.spawn().expect("nginx is not installed; scripts/test installs it");
    loop {
        if process.try_wait().unwrap().is_some() {
            return None;
        }
        if TcpStream::connect(address).is_ok() {
            return Some(process);
        }
        sleep(MOMENT);
    }
}

fn logged(line: &str) -> Option<Logged> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [worker, connection, ended, took] = words[..] else { return None };
    let (ended, took): (f64, f64) = (ended.parse().ok()?, took.parse().ok()?);
    Some(Logged { worker: worker.parse().ok()?, connection: connection.parse().ok()?, begun: ended - took, ended })
}
