//! A trace as a folder's tables, compressed; the same trace gives the same bytes.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use revisit::lab::links::Links;
use revisit::lab::trace::{Trace, TracePage};
use revisit::{PageId, Time};

use super::table::written;
use super::{CHANGES, FIRST_LINKS, LINKS, META, PAGES, TraceError, files};
use crate::archive::make_folder;

/// Strong enough for text as even as this, and quick.
const LEVEL: i32 = 6;

/// Writes a trace into a folder, which is made if there is none.
pub fn write(folder: &Path, trace: &Trace) -> Result<(), TraceError> {
    if files::candidates(folder, PAGES).any(|path| path.exists()) {
        return Err(TraceError::Exists(folder.display().to_string()));
    }
    make_folder(folder).map_err(TraceError::io("make", folder))?;
    let meta = folder.join(META);
    std::fs::write(&meta, described(trace)).map_err(TraceError::io("write", &meta))?;
    compressed(folder, CHANGES, |out| changes(trace, out))?;
    if let Some(known) = trace.links() {
        compressed(folder, LINKS, |out| links(known, out))?;
    }
    if let Some(known) = trace.first_links() {
        compressed(folder, FIRST_LINKS, |out| links(known, out))?;
    }
    // Pages come last: without them a folder is no trace, so one that was cut short is never taken for whole.
    compressed(folder, PAGES, |out| pages(trace, out))
}

fn described(trace: &Trace) -> String {
    let span = trace.span().map(|(first, last)| [first.secs(), last.secs()]);
    let (pages, changes) = (trace.len(), trace.change_count());
    let meta = serde_json::json!({ "name": trace.name, "span_unix": span, "pages": pages, "changes": changes });
    format!("{meta:#}\n")
}

fn compressed(
    folder: &Path,
    table: &str,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), TraceError> {
    let path = folder.join(format!("{table}.zst"));
    let written = File::create(&path).and_then(|file| {
        let mut out = BufWriter::with_capacity(64 * 1024, zstd::Encoder::new(file, LEVEL)?);
        fill(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?.sync_all()
    });
    written.map_err(TraceError::io("write", &path))
}

const HEADER: [&str; 12] = [
    "page_id",
    "url",
    "first_seen",
    "last_seen",
    "text_bytes",
    "links",
    "images",
    "emails",
    "dir_level",
    "format",
    "host_kind",
    "max_age",
];

fn pages(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(HEADER)?;
    for id in trace.ids() {
        table.write_record(row(id, trace.page(id)))?;
    }
    table.flush()
}

fn row(id: PageId, page: &TracePage) -> [String; HEADER.len()] {
    let feature = |value: Option<f32>| value.map(|value| value.to_string()).unwrap_or_default();
    [
        id.0.to_string(),
        page.url.clone(),
        written(page.first_seen),
        written(page.last_seen),
        feature(page.text_bytes),
        feature(page.links),
        feature(page.images),
        feature(page.emails),
        feature(page.directory_level),
        feature(page.format),
        feature(page.host_kind),
        feature(page.max_age),
    ]
}

fn links(links: &Links, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "page_id,target_page_id")?;
    links.iter().try_for_each(|(source, target)| writeln!(out, "{},{}", source.0, target.0))
}

/// All changes in the order of time, those of one time in the order of the pages.
fn changes(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let of = |page: PageId| trace.changes(page).iter().map(move |at| (*at, page));
    let mut changes: Vec<(Time, PageId)> = trace.ids().flat_map(of).collect();
    changes.sort_unstable();
    writeln!(out, "page_id,time")?;
    changes.into_iter().try_for_each(|(at, page)| writeln!(out, "{},{}", page.0, written(at)))
}
