use std::future::pending;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::*;

type Queued<'a> = (u32, Pin<Box<dyn Future<Output = Option<Turn>> + 'a>>);

fn queued(turns: &Turns, host: u32) -> Queued<'_> {
    (host, Box::pin(turns.take(HostId(host), false)))
}

fn turn_of((_, queued): &mut Queued<'_>) -> Option<Turn> {
    match queued.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(turn) => turn,
        Poll::Pending => None,
    }
}

/// Takes a turn that must be free.
fn take(turns: &Turns, host: u32) -> Turn {
    turn_of(&mut queued(turns, host)).expect("a turn is free")
}

/// A document of this host took so long.
fn took(turns: &Turns, host: u32, long: bool) {
    lock(&turns.0).remember(HostId(host), long);
}

/// Who has a turn after whom if all wait for the same one, each of them for no time.
fn order(turns: &Turns, hosts: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let (_other, last) = (take(turns, 900), take(turns, 901));
    let mut queued: Vec<Queued<'_>> = hosts.into_iter().map(|host| queued(turns, host)).collect();
    assert!(queued.iter_mut().all(|queued| turn_of(queued).is_none()), "all turns are taken");
    let (mut turn, mut order) = (last, Vec::new());
    while !queued.is_empty() {
        drop(turn);
        let next = (0..queued.len()).find_map(|place| Some((place, turn_of(&mut queued[place])?)));
        let (place, given) = next.expect("the turn is somebody's");
        order.push(queued.remove(place).0);
        assert!(queued.iter_mut().all(|queued| turn_of(queued).is_none()), "one at a time");
        turn = given;
    }
    order
}

#[test]
fn who_is_known_to_be_quick_and_who_is_not_known_take_turns() {
    let turns = Turns::default();
    assert_eq!(order(&turns, [1, 2, 3]), [1, 2, 3], "as they come");
    [4, 5].into_iter().for_each(|host| took(&turns, host, false));
    lock(&turns.0).is_turn_of_new = false;
    assert_eq!(order(&turns, [1, 2, 3, 4, 5]), [4, 1, 5, 2, 3]);
}

#[test]
fn a_host_has_its_turn_before_another_has_a_second() {
    let turns = Turns::default();
    [1, 2].into_iter().for_each(|host| took(&turns, host, false));
    assert_eq!(order(&turns, [1, 1, 1, 2, 2]), [1, 2, 1, 2, 1]);
}

#[test]
fn who_took_long_waits_for_the_one_place_aside_however_free_the_others_are() {
    let turns = Turns::default();
    [1, 2].into_iter().for_each(|host| took(&turns, host, true));
    let aside = take(&turns, 1);
    let mut second = queued(&turns, 2);
    assert!(aside.is_aside && turn_of(&mut second).is_none());
    let (one, two) = (take(&turns, 3), take(&turns, 4));
    assert!(!one.is_aside && !two.is_aside && turn_of(&mut queued(&turns, 5)).is_none());
    drop(aside);
    assert!(turn_of(&mut second).is_some_and(|turn| turn.is_aside));
}

#[tokio::test(start_paused = true)]
async fn a_document_that_takes_long_steps_aside_and_goes_on() {
    let turns = Turns::default();
    let (long, _other) = (take(&turns, 1), take(&turns, 2));
    let mut waiting = queued(&turns, 3);
    assert!(turn_of(&mut waiting).is_none());
    let (spent, next) = tokio::join!(long.spend(tokio::time::sleep(LONG * 10)), async {
        tokio::time::sleep(LONG + LONG / 2).await;
        turn_of(&mut waiting)
    });
    assert!(spent.is_some() && next.is_some());
    assert!(lock(&turns.0).known[&HostId(1)].took_long);
}

#[tokio::test(start_paused = true)]
async fn where_there_is_no_place_aside_it_stops_for_others_and_for_nobody_else() {
    let turns = Turns::default();
    took(&turns, 9, true);
    let (_aside, long, _other) = (take(&turns, 9), take(&turns, 1), take(&turns, 2));
    let begun = Instant::now();
    let mut waiting = queued(&turns, 3);
    let (spent, ()) = tokio::join!(long.spend(pending::<()>()), async {
        tokio::time::sleep(LONG * 5).await;
        assert!(turn_of(&mut waiting).is_none(), "nobody waited before");
    });
    assert!(spent.is_none() && begun.elapsed() <= LONG * 6, "{:?}", begun.elapsed());
    assert!(turn_of(&mut waiting).is_some());
    assert!(turn_of(&mut (1, Box::pin(turns.take(HostId(1), true)))).is_none(), "it waits for the place aside");
}

#[test]
fn a_turn_of_somebody_who_ceased_to_wait_is_given_on() {
    let turns = Turns::default();
    let (first, second) = (take(&turns, 8), take(&turns, 9));
    let mut queued: Vec<Queued<'_>> = [1, 2, 3].map(|host| queued(&turns, host)).into();
    assert!(queued.iter_mut().all(|queued| turn_of(queued).is_none()));
    drop(queued.remove(0));
    drop(first);
    // The turn is this one's already, but it never looked.
    drop(queued.remove(0));
    assert!(turn_of(&mut queued[0]).is_some());
    drop((queued, second));
    assert_eq!(lock(&turns.0).quick, 0);
}

#[test]
fn no_more_hosts_are_remembered_than_there_is_room_for() {
    let mut state = State::default();
    (0..200_000).for_each(|host| state.remember(HostId(host), true));
    assert!(state.known.len() <= MAX_REMEMBERED && state.known.contains_key(&HostId(199_999)));
}
