//! `everfresh add`

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use url::Url;

use super::exit::WrongInput;
use super::{Target, output};
use crate::clock::Clock;
use crate::parse::{self, Kind, normalise};
use crate::pipeline::{Added, add_seeds};
use crate::store::Store;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh add https://example.org/
  everfresh add --weight 5 https://example.org/prices
  everfresh add --file seeds.txt
  everfresh add --sitemap https://example.org/sitemap.xml")]
pub(super) struct Add {
    /// Pages to begin with
    urls: Vec<String>,
    /// A file with one URL a line; '-' for standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// A sitemap: a URL to be crawled like a page, or a local file whose URLs are added now
    #[arg(long, value_name = "URL|FILE")]
    sitemap: Option<String>,
    /// How much these pages matter; 1 for a usual page
    #[arg(long, default_value_t = 1.0)]
    weight: f32,
    #[command(flatten)]
    target: Target,
}

impl Add {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        // Read for its errors: a folder that is no collection is told from an empty one.
        self.target.settings()?;
        if !self.weight.is_finite() || self.weight <= 0.0 || self.weight > 1e6 {
            return Err(WrongInput(format!("--weight {}: must be more than 0 and at most 1000000", self.weight)).into());
        }
        let urls = self.all_urls()?;
        if urls.is_empty() {
            return Err(WrongInput("nothing to add: name URLs, or use --file or --sitemap".into()).into());
        }
        let collection = self.target.collection();
        let _lock = collection.lock("add")?;
        let mut store = Store::open(collection.folder())?;
        let added = add_seeds(&mut store, &urls, self.weight, Clock::wall().now())?;
        self.report(added)?;
        Ok(ExitCode::SUCCESS)
    }

    fn all_urls(&self) -> anyhow::Result<Vec<Url>> {
        let mut urls = Vec::new();
        for text in &self.urls {
            urls.push(read_url(text, "the command line")?);
        }
        if let Some(path) = &self.file {
            urls.extend(read_list(path)?);
        }
        if let Some(sitemap) = &self.sitemap {
            urls.extend(read_sitemap(sitemap)?);
        }
        Ok(urls)
    }

    fn report(&self, added: Added) -> anyhow::Result<()> {
        if self.target.json {
            return output::json(&added);
        }
        let known = if added.known > 0 { format!(", {} known already", added.known) } else { String::new() };
        say!("Added {} pages{known}. Start crawling with 'everfresh run'.", output::count(added.added as u64))?;
        Ok(())
    }
}

fn read_url(text: &str, place: &str) -> Result<Url, WrongInput> {
    normalise::absolute(text).map_err(|problem| {
        WrongInput(format!("{place}: '{text}' is no page: {problem}; write it as https://host/path"))
    })
}

/// The URLs of a file, one a line; blank lines and lines that begin with # do not count.
fn read_list(path: &Path) -> anyhow::Result<Vec<Url>> {
    let (place, text) = if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        ("standard input".to_owned(), text)
    } else {
        let place = path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {place}"))?;
        (place, text)
    };
    let lines = text.lines().map(str::trim).enumerate();
    let named = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    named.map(|(index, line)| Ok(read_url(line, &format!("{place} line {}", index + 1))?)).collect()
}

/// A sitemap on the Web is a page like any other, whose links are found when it is visited. A local one is read now.
fn read_sitemap(sitemap: &str) -> anyhow::Result<Vec<Url>> {
    if sitemap.starts_with("http://") || sitemap.starts_with("https://") {
        return Ok(vec![read_url(sitemap, "--sitemap")?]);
    }
    let content = std::fs::read(sitemap).with_context(|| format!("cannot read the sitemap {sitemap}"))?;
    let parsed = parse::parse(&content, None, &Url::parse("http://sitemap.invalid/sitemap.xml")?);
    if parsed.kind != Kind::Sitemap {
        return Err(WrongInput(format!("{sitemap} is no sitemap: it has neither <urlset> nor <sitemapindex>")).into());
    }
    Ok(parsed.links.into_iter().map(|link| link.url).collect())
}
