//! Addresses that must not be contacted, however they are written, and hosts that cannot be.

use super::*;

async fn reason_of(url: &str, settings: FetchSettings) -> &'static str {
    let url = Url::parse(url).unwrap();
    fetcher(settings).get(&url, &Validators::default()).await.unwrap_err().rule().name()
}

#[tokio::test]
async fn literals_are_refused_in_every_notation() {
    for url in [
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://0/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[64:ff9b::127.0.0.1]/",
        "https://10.0.0.1:8443/",
    ] {
        assert_eq!(reason_of(url, FetchSettings::default()).await, "refused-address", "{url}");
    }
}

#[tokio::test]
async fn names_are_refused_for_what_they_resolve_to() {
    assert_eq!(reason_of("http://localhost:1/", FetchSettings::default()).await, "refused-address");
    let mut settings = FetchSettings::default();
    settings.resolve.insert("example.org".into(), ([192, 168, 0, 1], 80).into());
    assert_eq!(reason_of("http://example.org/", settings).await, "refused-address");
}

#[tokio::test]
async fn a_refused_host_is_not_contacted() {
    let server = Server::answering("HTTP/1.1 200 OK\r\n\r\n").await;
    assert_eq!(server.get(FetchSettings::default()).await.unwrap_err().rule().name(), "refused-address");
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_redirect_into_the_house_is_refused_when_followed() {
    let server = Server::answering("HTTP/1.1 302 Found\r\nLocation: http://[::ffff:10.0.0.1]/admin\r\n\r\n").await;
    let target = server.get(local()).await.unwrap().redirect().unwrap().target.unwrap();
    assert_eq!(reason_of(target.as_str(), FetchSettings::default()).await, "refused-address");
}

#[tokio::test]
async fn a_given_address_is_used_for_its_name() {
    let server = Server::answering("HTTP/1.1 200 OK\r\n\r\nhere").await;
    let mut settings = local();
    settings.resolve.insert("example.org".into(), server.address);
    let url = Url::parse("http://example.org/").unwrap();
    let exchange = fetcher(settings).get(&url, &Validators::default()).await.unwrap();
    assert_eq!(exchange.body, "here");
    assert!(exchange.request_head.starts_with(b"GET / HTTP/1.1\r\nHost: example.org\r\n"));
}

#[tokio::test]
async fn hosts_that_cannot_be_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = listener.local_addr().unwrap();
    drop(listener);
    assert_eq!(reason_of(&format!("http://{nobody}/"), local()).await, "connect");
    assert_eq!(reason_of("http://no-such-host.invalid/", local()).await, "dns");
    assert_eq!(reason_of("mailto:someone@example.org", local()).await, "bad-url");
}

#[test]
fn settings_that_cannot_work_are_named() {
    let settings = FetchSettings { user_agent: "two\r\nlines".into(), ..FetchSettings::default() };
    let error = Fetcher::new(settings, Clock::wall()).err().unwrap();
    assert_eq!(error.rule().name(), "bad-setting");
    assert!(error.to_string().contains("user_agent"), "{error}");
}
