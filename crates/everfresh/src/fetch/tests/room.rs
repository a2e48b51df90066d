//! Large bodies share the room there is, and nobody fails for having waited.

use std::sync::atomic::AtomicBool;

use super::*;

const MIB: usize = 1 << 20;

/// A server whose every answer has a body of `bytes`.
async fn sending(bytes: usize) -> Server {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {bytes}\r\n\r\n");
    Server::answering([head.into_bytes(), vec![b'x'; bytes]].concat()).await
}

/// Limits that leave room for two bodies of one MiB, and a half.
fn room_for_two() -> FetchSettings {
    FetchSettings { max_body_bytes: MIB, large_bytes: 0, ..local() }
}

/// Fetches a body, and keeps its room.
async fn fetch(fetcher: &Fetcher, server: &Server) -> Result<(Exchange, Space), FetchError> {
    let (url, mut space) = (server.url("/"), fetcher.space(&server.url("/"), false));
    let exchange = fetcher.ask(&url, &Question::default(), &Validators::default(), &mut space).await?;
    Ok((exchange, space))
}

#[tokio::test(start_paused = true)]
async fn many_large_bodies_are_held_two_at_a_time() {
    let server = Arc::new(sending(MIB).await);
    let fetcher = stepped(room_for_two());
    let (held, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let both = Arc::new(Barrier::new(2));
    let mut visits = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (fetcher, server) = (fetcher.clone(), server.clone());
        let (held, most, both) = (held.clone(), most.clone(), both.clone());
        visits.spawn(async move {
            let (exchange, _space) = fetch(&fetcher, &server).await.unwrap();
            most.fetch_max(held.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            // Nobody lets go before another holds one too.
            both.wait().await;
            assert_eq!(exchange.body.len(), MIB);
            held.fetch_sub(1, Ordering::SeqCst);
        });
    }
    visits.join_all().await;
    assert_eq!(server.connections(), 20);
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn who_finds_no_room_is_told_what_it_needs_and_small_bodies_do_not_wait() {
    let (large, small) = (sending(MIB).await, sending(200 << 10).await);
    let fetcher = stepped(room_for_two());
    let held = (fetch(&fetcher, &large).await.unwrap(), fetch(&fetcher, &large).await.unwrap());
    assert_eq!(fetch(&fetcher, &large).await.unwrap_err().rule().name(), "crowded");
    assert!(fetcher.free_room(false) < MIB);
    let (exchange, space) = fetch(&fetcher, &small).await.unwrap();
    assert_eq!((exchange.body.len(), space.wanted()), (200 << 10, 0));
    drop(held);
    assert!(fetcher.free_room(false) > 2 * MIB && fetch(&fetcher, &large).await.is_ok());
}

/// A body whose length nobody announced takes room as it comes.
#[tokio::test(start_paused = true)]
async fn what_is_not_announced_takes_room_as_it_comes() {
    let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec();
    let server = Server::answering([head, vec![b'x'; 700 << 10]].concat()).await;
    let fetcher = stepped(room_for_two());
    let before = fetcher.free_room(false);
    let (exchange, _space) = fetch(&fetcher, &server).await.unwrap();
    assert_eq!((exchange.body.len(), before - fetcher.free_room(false)), (700 << 10, 700 << 10));
}

#[tokio::test(start_paused = true)]
async fn waiting_for_others_is_not_counted() {
    let server = Arc::new(sending(MIB).await);
    let limit = Duration::from_millis(200);
    let fetcher = stepped(FetchSettings { total_timeout: limit, ..room_for_two() });
    let held = (fetch(&fetcher, &server).await.unwrap(), fetch(&fetcher, &server).await.unwrap());
    let released = Arc::new(AtomicBool::new(false));
    let waiting = tokio::spawn({
        let (fetcher, server, released) = (fetcher.clone(), server.clone(), released.clone());
        async move {
            let (exchange, space) = fetch(&fetcher, &server).await.unwrap();
            (exchange, space, released.load(Ordering::SeqCst))
        }
    });
    // Time passes only when the third has come as far as to wait.
    tokio::time::sleep(limit * 2).await;
    released.store(true, Ordering::SeqCst);
    drop(held);
    let (exchange, space, waited) = waiting.await.unwrap();
    assert!(waited && space.wanted() == MIB && exchange.elapsed < limit);
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
    let settings = FetchSettings { total_timeout: Duration::from_secs(1), ..room_for_two() };
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
async fn a_body_that_takes_long_gives_way_to_who_waits_and_to_nobody_else() {
    let clock = Clock::stepped(Time::from_secs(0));
    let (slow, quick) = (dripping(clock.clone()).await, sending(MIB).await);
    let fetcher = Fetcher::new(room_for_two(), clock.clone()).unwrap();
    let begin = |path| {
        let (fetcher, url) = (fetcher.clone(), slow.url(path));
        tokio::spawn(async move { fetcher.get(&url, &Validators::default()).await.unwrap_err() })
    };
    assert_eq!(begin("/alone").await.unwrap().rule().name(), "total-timeout", "it has all its time");
    let held = [begin("/a"), begin("/b")];
    tokio::time::sleep(Duration::from_secs(5)).await;
    let begun = clock.now();
    assert_eq!(fetch(&fetcher, &quick).await.unwrap().0.body.len(), MIB);
    assert!((clock.now() - begun).as_secs() < 1.0, "long before the others' time was over");
    let [first, second] = held;
    let reasons = [first.await.unwrap().rule().name(), second.await.unwrap().rule().name()];
    assert!(reasons.contains(&"gave-way"), "{reasons:?}");
}
