//! The request we send: a GET that says who asks, what it can read and which version it already has. A question too long for
//! a URL goes as a POST.

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderMap, Method, Request, Uri, Version};
use http_body_util::Full;
use url::{Position, Url};

use super::FetchError;

static ACCEPT: HeaderValue =
    HeaderValue::from_static("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
static ACCEPT_ENCODING: HeaderValue = HeaderValue::from_static("gzip, br, zstd, deflate");
static FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");

/// A server stores these two strings with us once per page: longer ones are not worth their place.
const MAX_VALIDATOR_BYTES: usize = 1024;

/// What a server gave us to ask "has it changed since?" with, word for word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// The ETag, quotes and weakness mark included; sent as If-None-Match.
    pub etag: Option<String>,
    /// The Last-Modified date; sent as If-Modified-Since.
    pub last_modified: Option<String>,
}

impl Validators {
    /// Reads the validators of a response.
    pub(super) fn from_headers(headers: &HeaderMap) -> Validators {
        let text = |name| {
            let value = headers.get(name)?.to_str().ok()?;
            (!value.is_empty() && value.len() <= MAX_VALIDATOR_BYTES).then(|| value.to_owned())
        };
        Validators { etag: text(header::ETAG), last_modified: text(header::LAST_MODIFIED) }
    }
}

/// What is asked of a URL besides what is asked of every page.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Question {
    /// The media types wanted, as an Accept field names them; what browsers send if absent.
    pub accept: Option<String>,
    /// A form to be sent by POST, encoded. Only for questions that change nothing: it may be sent twice.
    pub form: Option<String>,
}

/// A request for one page, ready to be sent over either version of HTTP, and again if a kept connection proves dead.
pub(super) struct PageRequest<'a> {
    scheme: Scheme,
    path: PathAndQuery,
    host: HeaderValue,
    user_agent: &'a HeaderValue,
    accept: Option<HeaderValue>,
    if_none_match: Option<HeaderValue>,
    if_modified_since: Option<HeaderValue>,
    form: Option<Form>,
}

/// The body of a POST.
struct Form {
    length: HeaderValue,
    body: Bytes,
}

impl Form {
    fn new(text: &str) -> Form {
        Form { length: HeaderValue::from(text.len()), body: Bytes::copy_from_slice(text.as_bytes()) }
    }

    fn fields(&self) -> [(HeaderName, &'static str, &HeaderValue); 2] {
        [(header::CONTENT_TYPE, "Content-Type", &FORM), (header::CONTENT_LENGTH, "Content-Length", &self.length)]
    }
}

impl<'a> PageRequest<'a> {
    pub(super) fn new(
        url: &Url,
        question: &Question,
        validators: &Validators,
        user_agent: &'a HeaderValue,
    ) -> Result<PageRequest<'a>, FetchError> {
        let bad = |problem| FetchError::BadUrl { url: url.to_string(), problem };
        let scheme = match url.scheme() {
            "http" => Scheme::HTTP,
            "https" => Scheme::HTTPS,
            _ => return Err(bad("only http and https URLs can be fetched")),
        };
        // A value that is no header, from a server or a user, is left out: the request is still a good one.
        let value = |text: &Option<String>| text.as_deref().and_then(|text| HeaderValue::from_str(text).ok());
        Ok(PageRequest {
            scheme,
            path: PathAndQuery::try_from(&url[Position::BeforePath..Position::AfterQuery])
                .map_err(|_| bad("its path cannot be sent over HTTP; it may be too long"))?,
            host: HeaderValue::from_str(&url[Position::BeforeHost..Position::AfterPort])
                .map_err(|_| bad("its host cannot be sent over HTTP"))?,
            user_agent,
            accept: value(&question.accept),
            if_none_match: value(&validators.etag),
            if_modified_since: value(&validators.last_modified),
            form: question.form.as_deref().map(Form::new),
        })
    }

    fn method(&self) -> Method {
        if self.form.is_some() { Method::POST } else { Method::GET }
    }

    /// The body that follows the head; empty for a GET.
    pub(super) fn body(&self) -> Bytes {
        self.form.as_ref().map_or_else(Bytes::new, |form| form.body.clone())
    }

    /// The head as it is written to an HTTP/1 connection, which is also the form an archive keeps of an HTTP/2 request.
    pub(super) fn head(&self) -> Vec<u8> {
        let mut head = Vec::with_capacity(384);
        head.extend_from_slice(self.method().as_str().as_bytes());
        head.push(b' ');
        head.extend_from_slice(self.path.as_str().as_bytes());
        head.extend_from_slice(b" HTTP/1.1\r\n");
        for (_, name, value) in self.fields() {
            head.extend_from_slice(name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(value.as_bytes());
            head.extend_from_slice(b"\r\n");
        }
        head.extend_from_slice(b"\r\n");
        head
    }

    /// The request for an HTTP/1 connection: the path alone, with a Host field.
    pub(super) fn http1(&self) -> Request<Full<Bytes>> {
        self.build(Uri::from(self.path.clone()), Version::HTTP_11, 0)
    }

    /// The request for an HTTP/2 connection: the whole URL, without a Host field. None if the host is no authority.
    pub(super) fn http2(&self) -> Option<Request<Full<Bytes>>> {
        let uri = Uri::builder()
            .scheme(self.scheme.clone())
            .authority(Authority::try_from(self.host.as_bytes()).ok()?)
            .path_and_query(self.path.clone())
            .build()
            .ok()?;
        Some(self.build(uri, Version::HTTP_2, 1))
    }

    fn build(&self, uri: Uri, version: Version, skipped_fields: usize) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(self.body()));
        *request.method_mut() = self.method();
        *request.uri_mut() = uri;
        *request.version_mut() = version;
        let headers = request.headers_mut();
        headers.reserve(8);
        for (name, _, value) in self.fields().skip(skipped_fields) {
            headers.append(name, value.clone());
        }
        request
    }

    fn fields(&self) -> impl Iterator<Item = (HeaderName, &'static str, &HeaderValue)> {
        let conditions = [
            self.if_none_match.as_ref().map(|value| (header::IF_NONE_MATCH, "If-None-Match", value)),
            self.if_modified_since.as_ref().map(|value| (header::IF_MODIFIED_SINCE, "If-Modified-Since", value)),
        ];
        [
            (header::HOST, "Host", &self.host),
            (header::USER_AGENT, "User-Agent", self.user_agent),
            (header::ACCEPT, "Accept", self.accept.as_ref().unwrap_or(&ACCEPT)),
            (header::ACCEPT_ENCODING, "Accept-Encoding", &ACCEPT_ENCODING),
        ]
        .into_iter()
        .chain(conditions.into_iter().flatten())
        .chain(self.form.iter().flat_map(Form::fields))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn head(url: &str, validators: &Validators) -> String {
        asked(url, &Question::default(), validators)
    }

    fn asked(url: &str, question: &Question, validators: &Validators) -> String {
        let agent = HeaderValue::from_static("everfresh/1");
        let url = Url::parse(url).unwrap();
        String::from_utf8(PageRequest::new(&url, question, validators, &agent).unwrap().head()).unwrap()
    }

    #[test]
    fn a_question_says_what_it_wants_and_posts_its_form() {
        let question = Question { accept: Some("text/turtle".into()), form: Some("query=ASK%7B%7D".into()) };
        let head = asked("http://example.org/sparql#x", &question, &Validators::default());
        assert!(head.starts_with("POST /sparql HTTP/1.1\r\n"), "{head}");
        assert!(head.contains("\r\nAccept: text/turtle\r\n"), "{head}");
        let form = "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 15\r\n\r\n";
        assert!(head.ends_with(form), "{head}");
    }

    #[test]
    fn asks_conditionally_with_both_validators() {
        let validators =
            Validators { etag: Some("W/\"a\"".into()), last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT".into()) };
        let head = head("http://example.org:8080/a?b#c", &validators);
        assert!(
            head.starts_with("GET /a?b HTTP/1.1\r\nHost: example.org:8080\r\nUser-Agent: everfresh/1\r\n"),
            "{head}"
        );
        let conditions = "If-None-Match: W/\"a\"\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n";
        assert!(head.ends_with(conditions), "{head}");
    }

    #[test]
    fn a_validator_cannot_smuggle_a_field() {
        let validators = Validators { etag: Some("x\r\nCookie: y".into()), last_modified: None };
        assert!(!head("http://example.org/", &validators).contains("Cookie"));
    }

    #[test]
    fn sends_no_credentials() {
        let head = head("https://user:secret@example.org/", &Validators::default());
        assert!(head.starts_with("GET / HTTP/1.1\r\nHost: example.org\r\n"), "{head}");
        assert!(!head.contains("secret"));
    }

    proptest! {
        #[test]
        fn every_path_a_url_can_have_can_be_sent(path in "[ -~\u{e4}]{0,40}") {
            let url = Url::parse("http://example.org/").unwrap().join(&format!("/x{path}")).unwrap();
            let agent = HeaderValue::from_static("x");
            let request = PageRequest::new(&url, &Question::default(), &Validators::default(), &agent).unwrap();
            prop_assert!(request.http2().is_some());
        }
    }

    #[test]
    fn refuses_other_schemes() {
        let agent = HeaderValue::from_static("x");
        let url = Url::parse("ftp://example.org/").unwrap();
        let refused = PageRequest::new(&url, &Question::default(), &Validators::default(), &agent);
        assert_eq!(refused.err().unwrap().rule().name(), "bad-url");
    }
}
