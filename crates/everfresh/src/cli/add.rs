//! `everfresh add`

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use http::HeaderValue;
use url::Url;

use super::Target;
use super::exit::WrongInput;
use crate::clock::Clock;
use crate::meaning::Rules;
use crate::output;
use crate::parse::{self, normalise};
use crate::pipeline::{self, Added, Addition};
use crate::sources::{Kind, Source, page_of};

/// How pages are asked and judged, if not as all pages are.
#[derive(Args)]
struct Described {
    /// How these pages are asked
    #[arg(long, value_enum, default_value_t)]
    kind: Kind,
    /// The media types to ask for
    #[arg(long, value_name = "TYPES")]
    accept: Option<String>,
    /// A file with the query to put to a SPARQL endpoint; all triples of its default graph if absent
    #[arg(long, value_name = "FILE")]
    query: Option<PathBuf>,
    /// A path of JSON, or a column of a table, that does not count, e.g. $.meta.generated or $..timestamp (may be repeated)
    #[arg(long, value_name = "PATH")]
    ignore: Vec<String>,
    /// A column that names a row of CSV (may be repeated)
    #[arg(long, value_name = "COLUMN")]
    key: Vec<String>,
    /// The order of rows, and of members of JSON arrays, does not count
    #[arg(long)]
    any_order: bool,
}

impl Described {
    /// The description, checked; `None` if the pages are asked and judged as all are.
    fn source(&self) -> anyhow::Result<Option<Source>> {
        let Described { kind, accept, query, ignore, key, any_order } = self;
        let rules = Rules { ignore: ignore.clone(), key: key.clone(), any_order: *any_order };
        rules.check().map_err(|problem| WrongInput(format!("--ignore: {problem}")))?;
        if accept.as_deref().is_some_and(|accept| HeaderValue::from_str(accept).is_err()) {
            return Err(WrongInput("--accept: only visible ASCII can be sent; write it as text/turtle".into()).into());
        }
        if query.is_some() && *kind != Kind::Sparql {
            return Err(WrongInput("--query: only a SPARQL endpoint is asked a query; add --kind sparql".into()).into());
        }
        if !ignore.is_empty() && *kind == Kind::LinkedData {
            let unheeded = "--ignore: RDF has no paths; only in JSON and tables something can be ignored by its path";
            return Err(WrongInput(unheeded.into()).into());
        }
        let read = |path: &PathBuf| {
            std::fs::read_to_string(path).with_context(|| format!("cannot read the query {}", path.display()))
        };
        let source =
            Source { kind: *kind, accept: accept.clone(), query: query.as_ref().map(read).transpose()?, rules };
        Ok(Some(source).filter(|source| *source != Source::default()))
    }
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh add https://example.org/
  everfresh add --weight 5 https://example.org/prices
  everfresh add --file seeds.txt
  everfresh add --sitemap https://example.org/sitemap.xml
  everfresh add --accept text/turtle https://example.org/resource/Berlin
  everfresh add --kind sparql --query cities.rq https://example.org/sparql
  everfresh add --catalog https://data.example.org/catalog.ttl")]
pub(super) struct Add {
    /// Pages to begin with
    urls: Vec<String>,
    /// A file with one URL a line; '-' for standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// A sitemap: a URL to be crawled like a page, or a local file whose URLs are added now
    #[arg(long, value_name = "URL|FILE")]
    sitemap: Option<String>,
    /// A catalogue (DCAT, VoID, CKAN): what it lists is found when it is visited, and is visited too
    #[arg(long, alias = "catalogue", value_name = "URL")]
    catalog: Option<String>,
    #[command(flatten)]
    described: Described,
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
        let source = self.described.source()?;
        let urls = self.pages(self.all_urls()?, source.as_ref())?;
        let catalogue = self.catalog.as_deref().map(|url| read_url(url, "--catalog")).transpose()?;
        if urls.is_empty() && catalogue.is_none() {
            return Err(WrongInput("nothing to add: name URLs, or use --file, --sitemap or --catalog".into()).into());
        }
        let catalogue = catalogue.map(|url| {
            let source = Some(Source { kind: Kind::Catalogue, ..Source::default() });
            Addition { urls: vec![url], source, weight: self.weight }
        });
        let pages = Addition { urls, source, weight: self.weight };
        let additions: Vec<Addition> = std::iter::once(pages).chain(catalogue).collect();
        let checked = additions.iter().try_for_each(Addition::check);
        checked.map_err(|problem| WrongInput(format!("--{problem}")))?;
        let added = pipeline::add(&self.target.collection(), &additions, Clock::wall().now())?;
        self.report(added)?;
        Ok(ExitCode::SUCCESS)
    }

    /// The pages that these URLs are: for an endpoint, the query put to it.
    fn pages(&self, urls: Vec<Url>, source: Option<&Source>) -> Result<Vec<Url>, WrongInput> {
        let Some(source) = source.filter(|source| source.kind == Kind::Sparql) else { return Ok(urls) };
        let page = |url: &Url| page_of(url, source.query.as_deref());
        let pages: Result<Vec<Url>, _> = urls.iter().map(page).collect();
        pages.map_err(|problem| WrongInput(format!("--query: {problem}")))
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
            return Ok(output::json(&added)?);
        }
        let known = if added.known > 0 { format!(", {} known already", added.known) } else { String::new() };
        let next =
            if added.by_crawl { "The crawl that runs takes them in." } else { "Start crawling with 'everfresh run'." };
        say!("Added {} pages{known}. {next}", output::count(added.added as u64))?;
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
    if parsed.kind != parse::Kind::Sitemap {
        return Err(WrongInput(format!("{sitemap} is no sitemap: it has neither <urlset> nor <sitemapindex>")).into());
    }
    if parsed.has_more_links() {
        let read = parsed.links.len();
        let cut =
            format!("{sitemap} lists more than the {read} pages that a sitemap may have; split it, or use --file");
        return Err(WrongInput(cut).into());
    }
    Ok(parsed.links.into_iter().map(|link| link.url).collect())
}
