//! A server whose every answer the test makes up, and which remembers what it was asked.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use everfresh::clock::Clock;
use revisit::Time;
use url::Url;

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) at: Time,
    /// When its answer was about to be sent. A client that rests after an answer cannot have begun to rest before.
    pub(crate) answered: Time,
    pub(crate) method: String,
    pub(crate) url: Url,
    /// By names in lower case.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Asked {
    /// A parameter of the URL or of the form that was posted.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let posted = url::form_urlencoded::parse(self.body.as_bytes());
        let mut found = self.url.query_pairs().chain(posted).filter(|(key, _)| key == name);
        found.next().map(|(_, value)| value.into_owned())
    }

    /// Whether the Accept field begins with this.
    pub(crate) fn prefers(&self, media_type: &str) -> bool {
        self.headers.get("accept").is_some_and(|accept| accept.starts_with(media_type))
    }
}

/// What to answer.
pub(crate) struct Told {
    status: u16,
    fields: Vec<(&'static str, String)>,
    body: Vec<u8>,
    wait: Duration,
}

impl Told {
    /// A success of this media type.
    pub(crate) fn new(media_type: &str, body: impl Into<Vec<u8>>) -> Told {
        let fields = vec![("Content-Type", media_type.to_owned())];
        Told { status: 200, fields, body: body.into(), wait: Duration::ZERO }
    }

    /// A success of this media type that came compressed.
    pub(crate) fn packed(media_type: &str, body: &str) -> Told {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(body.as_bytes()).unwrap();
        Told::new(media_type, encoder.finish().unwrap()).field("Content-Encoding", "gzip")
    }

    pub(crate) fn status(self, status: u16) -> Told {
        Told { status, ..self }
    }

    pub(crate) fn field(mut self, name: &'static str, value: impl Into<String>) -> Told {
        self.fields.push((name, value.into()));
        self
    }

    pub(crate) fn after(self, wait: Duration) -> Told {
        Told { wait, ..self }
    }
}

/// The server; it answers for as long as the test runs.
pub(crate) struct Scripted {
    pub(crate) address: SocketAddr,
    log: Arc<Mutex<Vec<Asked>>>,
}

impl Scripted {
    /// A server without a robots.txt.
    pub(crate) fn start(answer: impl Fn(&Asked) -> Told + Send + Sync + 'static) -> Scripted {
        Scripted::start_with_robots("", answer)
    }

    pub(crate) fn start_with_robots(
        robots: &'static str,
        answer: impl Fn(&Asked) -> Told + Send + Sync + 'static,
    ) -> Scripted {
        Scripted::start_bare(move |asked: &Asked| match asked.url.path() {
            "/robots.txt" => Told::new("text/plain", robots),
            _ => answer(asked),
        })
    }

    /// A server whose robots.txt is a page like the others.
    pub(crate) fn start_bare(answer: impl Fn(&Asked) -> Told + Send + Sync + 'static) -> Scripted {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, log, answer) = (listener.local_addr().unwrap(), Arc::default(), Arc::new(answer));
        let kept: Arc<Mutex<Vec<Asked>>> = Arc::clone(&log);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                // A client that breaks off is no concern of the server.
                thread::spawn(move || _ = answer_all(&stream, &kept, &*answer));
            }
        });
        Scripted { address, log }
    }

    /// What was asked and answered so far, robots.txt left out.
    pub(crate) fn log(&self) -> Vec<Asked> {
        let log = self.log.lock().unwrap();
        log.iter().filter(|asked| asked.url.path() != "/robots.txt").cloned().collect()
    }
}

fn answer_all(mut stream: &TcpStream, log: &Mutex<Vec<Asked>>, answer: &dyn Fn(&Asked) -> Told) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(mut asked) = receive(&mut reader)? {
        let Told { status, fields, body, wait } = answer(&asked);
        thread::sleep(wait);
        asked.answered = Clock::wall().now();
        log.lock().unwrap().push(asked);
        let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        // At once: several small writes would wait for each other's acknowledgements.
        let head = format!("HTTP/1.1 {status} Told\r\n{fields}Content-Length: {}\r\n\r\n", body.len());
        stream.write_all(&[head.as_bytes(), &body].concat())?;
    }
    Ok(())
}

fn receive(reader: &mut impl BufRead) -> std::io::Result<Option<Asked>> {
    let mut lines = reader.lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let Some(first) = lines.next() else { return Ok(None) };
    let at = Clock::wall().now();
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.into())))
        .collect();
    let mut words = first.split(' ');
    let (method, target) = (words.next().unwrap().to_owned(), words.next().unwrap());
    let length: u64 = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body)?;
    let url = Url::parse(&format!("http://{}{target}", headers["host"])).unwrap();
    Ok(Some(Asked { at, answered: at, method, url, headers, body }))
}
