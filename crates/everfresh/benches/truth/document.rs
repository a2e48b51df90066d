//! A document and its versions, drawn from a seed: half of them say something else than the one before, half only say it in
//! other bytes. Some answers are failures, and some documents end.

use std::io::Write;

use crate::content::{Content, SCRIPTS};
use crate::draw::Draw;
use crate::kind::{KINDS, Kind};

/// Versions of each document.
pub(crate) const VERSIONS: usize = 4;

pub(crate) struct Document {
    pub(crate) kind: &'static Kind,
    pub(crate) path: String,
    pub(crate) host: String,
    pub(crate) versions: Vec<Version>,
}

/// One answer.
pub(crate) struct Version {
    pub(crate) status: u16,
    /// Versions of one number say the same; failures have that of the version before.
    pub(crate) meaning: usize,
    pub(crate) content_type: String,
    /// Without its coding.
    pub(crate) body: Vec<u8>,
    /// Head and body as they are sent.
    pub(crate) answer: Vec<u8>,
    /// What was done to the bytes, in words.
    pub(crate) coding: &'static str,
}

impl Document {
    pub(crate) fn new(number: usize, hosts: usize) -> Document {
        let mut draw = Draw::new(number as u64);
        let kind = &KINDS[number % KINDS.len()];
        let script = &SCRIPTS[draw.below(SCRIPTS.len())];
        let mut content = Content::new(script, &mut draw);
        let (mut meaning, mut versions) = (0, Vec::new());
        for version in 0..VERSIONS {
            if version > 0 && draw.once_in(2) {
                content = content.changed(script, &mut draw);
                meaning += 1;
            }
            let status = status(version, &mut draw);
            let (body, content_type) = kind.write(&content, script, &mut draw);
            versions.push(Version::new(status, meaning, content_type, body, &mut draw));
        }
        Document {
            kind,
            path: format!("/{number}.{}", kind.ending),
            host: format!("h{}.test", number % hosts),
            versions,
        }
    }
}

/// Mostly success. A page that is gone may not be asked for again, so only the last version is.
fn status(version: usize, draw: &mut Draw) -> u16 {
    match draw.below(40) {
        0 | 1 if version > 0 => draw.pick(&[500, 502, 403, 400]),
        2 if version + 1 == VERSIONS => draw.pick(&[404, 410]),
        3 => 203,
        _ => 200,
    }
}

impl Version {
    fn new(status: u16, meaning: usize, content_type: String, body: Vec<u8>, draw: &mut Draw) -> Version {
        let (coding, sent) = coded(&body, draw);
        let mut head =
            format!("HTTP/1.1 {status} Said\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n", sent.len());
        if coding != "identity" {
            head += &format!("Content-Encoding: {coding}\r\n");
        }
        for field in ["ETag: \"{}\"", "Set-Cookie: visit={}", "X-Request-Id: {}", "Cache-Control: max-age={}"] {
            if draw.once_in(3) {
                head += &(field.replace("{}", &(draw.number() >> 40).to_string()) + "\r\n");
            }
        }
        let answer = [head.as_bytes(), b"\r\n", &sent].concat();
        Version { status, meaning, content_type, body, answer, coding }
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// The body under some coding; gzip with a time of its own.
fn coded(body: &[u8], draw: &mut Draw) -> (&'static str, Vec<u8>) {
    match draw.below(6) {
        0 | 1 => ("identity", body.to_vec()),
        2 => {
            let level = flate2::Compression::new(1 + draw.below(9) as u32);
            let mut coder = flate2::GzBuilder::new().mtime(draw.number() as u32).write(Vec::new(), level);
            coder.write_all(body).unwrap();
            ("gzip", coder.finish().unwrap())
        }
        3 => {
            let mut coder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
            coder.write_all(body).unwrap();
            ("deflate", coder.finish().unwrap())
        }
        4 => {
            let mut coder = brotli::CompressorWriter::new(Vec::new(), 4096, draw.below(9) as u32, 20);
            coder.write_all(body).unwrap();
            ("br", coder.into_inner())
        }
        _ => ("zstd", zstd::encode_all(body, 1 + draw.below(5) as i32).unwrap()),
    }
}
