//! Large bodies take turns, and nobody fails for having waited.

use std::sync::atomic::AtomicBool;

use super::*;

const MIB: usize = 1 << 20;

/// A server whose every answer has a body of `bytes`.
async fn sending(bytes: usize) -> Server {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {bytes}\r\n\r\n");
    Server::answering([head.into_bytes(), vec![b'x'; bytes]].concat()).await
}

/// Limits so wide that there are two permits.
fn two_permits() -> FetchSettings {
    FetchSettings { max_body_bytes: 5 * MIB, max_decoded_bytes: 100 * MIB, ..local() }
}

async fn fetch(fetcher: &Fetcher, server: &Server) -> Result<Exchange, FetchError> {
    fetcher.get(&server.url("/"), &Validators::default()).await
}

#[tokio::test]
async fn many_large_bodies_are_held_two_at_a_time() {
    let server = sending(4 * MIB).await;
    let fetcher = fetcher(two_permits());
    let (held, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let both = Arc::new(Barrier::new(2));
    let mut visits = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (fetcher, url) = (fetcher.clone(), server.url("/"));
        let (held, most, both) = (held.clone(), most.clone(), both.clone());
        visits.spawn(async move {
            let exchange = fetcher.get(&url, &Validators::default()).await.unwrap();
            most.fetch_max(held.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            // Nobody lets go before another holds one too.
            both.wait().await;
            assert_eq!(exchange.body.len(), 4 * MIB);
            held.fetch_sub(1, Ordering::SeqCst);
        });
    }
    visits.join_all().await;
    assert_eq!(server.connections(), 20);
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn small_bodies_do_not_wait() {
    let (large, small) = (sending(MIB).await, sending(200 << 10).await);
    let fetcher = fetcher(two_permits());
    let _held = (fetch(&fetcher, &large).await.unwrap(), fetch(&fetcher, &large).await.unwrap());
    let exchange = fetch(&fetcher, &small).await.unwrap();
    assert_eq!((exchange.body.len(), exchange.large.is_none()), (200 << 10, true));
}

#[tokio::test(start_paused = true)]
async fn waiting_for_others_is_not_counted() {
    let server = sending(MIB).await;
    let limit = Duration::from_secs(2);
    let fetcher = stepped(FetchSettings { total_timeout: limit, ..two_permits() });
    let held = (fetch(&fetcher, &server).await.unwrap(), fetch(&fetcher, &server).await.unwrap());
    let released = Arc::new(AtomicBool::new(false));
    let waiting = tokio::spawn({
        let (fetcher, url, released) = (fetcher.clone(), server.url("/"), released.clone());
        async move {
            let exchange = fetcher.get(&url, &Validators::default()).await.unwrap();
            (exchange, released.load(Ordering::SeqCst))
        }
    });
    // Time passes only when the third has come as far as to wait.
    tokio::time::sleep(limit * 2).await;
    released.store(true, Ordering::SeqCst);
    drop(held);
    let (exchange, waited) = waiting.await.unwrap();
    assert!(waited && exchange.large.is_some() && exchange.elapsed < limit);
}

#[tokio::test]
async fn a_large_body_that_drips_still_ends() {
    let server = Server::start(|mut stream, _| async move {
        read_head(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n").await.ok();
        stream.write_all(&[b'x'; 300 << 10]).await.ok();
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let settings = FetchSettings { total_timeout: Duration::from_secs(1), ..two_permits() };
    assert_eq!(server.get(settings).await.unwrap_err().rule().name(), "total-timeout");
}

/// A server that begins a large body and never ends it.
async fn dripping(clock: Clock) -> Server {
    Server::start(move |mut stream, _| {
        let clock = clock.clone();
        async move {
            let head = read_head(&mut stream).await.unwrap();
            let path = head.split(' ').nth(1).unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n").await.ok();
            stream.write_all(&[b'x'; 300 << 10]).await.ok();
            let _waiting = clock.waiting(&format!("127.0.0.1{path}"));
            std::future::pending::<()>().await;
        }
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn who_drips_gives_way_to_who_waits_and_to_nobody_else() {
    let clock = Clock::stepped(Time::from_secs(0));
    let (slow, quick) = (dripping(clock.clone()).await, sending(MIB).await);
    let fetcher = Fetcher::new(two_permits(), clock.clone()).unwrap();
    let begin = |path| {
        let (fetcher, url) = (fetcher.clone(), slow.url(path));
        tokio::spawn(async move { fetcher.get(&url, &Validators::default()).await.unwrap_err() })
    };
    assert_eq!(begin("/alone").await.unwrap().rule().name(), "total-timeout", "it has all its time");
    let held = [begin("/a"), begin("/b")];
    tokio::time::sleep(Duration::from_secs(1)).await;
    let begun = clock.now();
    assert_eq!(fetch(&fetcher, &quick).await.unwrap().body.len(), MIB);
    assert!((clock.now() - begun).as_secs() < 10.0, "long before the others' time was over");
    let [first, second] = held;
    let reasons = [first.await.unwrap().rule().name(), second.await.unwrap().rule().name()];
    assert!(reasons.contains(&"gave-way"), "{reasons:?}");
}
