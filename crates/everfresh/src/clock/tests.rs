use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use super::*;

const START: Time = Time::from_secs(1_000_000);

#[tokio::test(start_paused = true)]
async fn six_weeks_pass_at_once_and_to_the_millisecond() {
    let clock = Clock::stepped(START);
    for days in 1..=42 {
        clock.sleep_until(START + Span::DAY * f64::from(days)).await;
    }
    assert_eq!(clock.now(), START + Span::DAY * 42.0);
}

#[tokio::test(start_paused = true)]
async fn a_coarse_clock_shows_no_time_between_and_wakes_nobody_early() {
    let clock = Clock::stepped_by(START, Span::from_secs(1));
    for cycle in 1..=3 {
        let due = START + Span::DAY * f64::from(cycle);
        clock.sleep_until(due).await;
        assert_eq!(clock.now(), due);
        clock.settle().await;
        clock.settle().await;
        assert_eq!(clock.now(), due, "what settles takes no time that it shows");
    }
    clock.sleep_until(START + Span::DAY * 4.0 + Span::from_millis(1)).await;
    assert_eq!(clock.now(), START + Span::DAY * 4.0 + Span::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_thread_at_work_holds_time_still() {
    let clock = Clock::stepped(START);
    let (go, going) = mpsc::channel();
    let hold = clock.hold();
    let order = Arc::new(AtomicUsize::new(0));
    let worked = order.clone();
    let thread = std::thread::spawn(move || {
        going.recv().unwrap();
        worked.store(1, Ordering::SeqCst);
        drop(hold);
    });
    let sleeper = tokio::spawn({
        let clock = clock.clone();
        async move { clock.sleep_until(START + Span::DAY).await }
    });
    tokio::task::yield_now().await;
    assert_eq!(clock.now(), START);
    go.send(()).unwrap();
    sleeper.await.unwrap();
    assert_eq!(order.load(Ordering::SeqCst), 1, "time passed before the thread was done");
    thread.join().unwrap();
}

#[tokio::test(start_paused = true)]
async fn time_passes_while_a_server_waits_and_not_before_or_after() {
    let clock = Clock::stepped(START);
    let asking = clock.asking(|| "a.test/slow".into());
    let late = tokio::spawn({
        let clock = clock.clone();
        async move { clock.sleep_until(START + Span::from_secs(60)).await }
    });
    {
        let _waiting = clock.waiting("a.test/slow");
        clock.sleep_until(START + Span::from_secs(2)).await;
    }
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(clock.now(), START + Span::from_secs(2));
    drop(asking);
    late.await.unwrap();
    assert_eq!(clock.now(), START + Span::from_secs(60));
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_leaves_a_waiting_server_behind_without_harm() {
    let clock = Clock::stepped(START);
    let asking = clock.asking(|| "a.test/".into());
    let waiting = clock.waiting("a.test/");
    drop(asking);
    let other = clock.asking(|| "b.test/".into());
    drop(waiting);
    drop(other);
    clock.sleep_until(START + Span::DAY).await;
    assert!(!clock.waiting("nobody.test/asked").is_real());
}

#[tokio::test(start_paused = true)]
async fn an_instant_settles_before_the_next_begins() {
    let clock = Clock::stepped(START);
    let done = Arc::new(AtomicUsize::new(0));
    for _ in 0..10 {
        let (clock, done) = (clock.clone(), done.clone());
        tokio::spawn(async move {
            clock.sleep_until(START + Span::from_secs(5)).await;
            done.fetch_add(1, Ordering::SeqCst);
        });
    }
    clock.sleep_until(START + Span::from_secs(5)).await;
    clock.settle().await;
    assert_eq!(done.load(Ordering::SeqCst), 10);
}

#[tokio::test]
async fn other_clocks_hold_nothing() {
    let clock = Clock::wall();
    assert!(!clock.waiting("a.test/").is_real());
    clock.settle().await;
    drop((clock.hold(), clock.asking(|| "a.test/".into())));
}
