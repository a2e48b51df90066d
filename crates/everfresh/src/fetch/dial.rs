//! One connection to a host that may have many addresses, some of them dead: Happy Eyeballs, RFC 8305.
//!
//! Addresses are tried in turn, IPv6 and IPv4 alternating. Who does not answer at once is not waited for: a quarter of a
//! second later the next is tried beside it, and the first to answer is taken.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// How long an attempt is alone, as RFC 8305 recommends.
const ALONE: Duration = Duration::from_millis(250);
/// Addresses tried of one host: with more of them dead, it is.
const ADDRESSES: usize = 16;

/// Why no connection came about: what the last address tried said.
pub(super) type Failure = (SocketAddr, io::Error);

/// Connects to the first address that answers. Takes as long as the system lets an attempt take, so the caller bounds it.
pub(super) async fn dial(addresses: &[SocketAddr]) -> Result<(TcpStream, SocketAddr), Option<Failure>> {
    let mut addresses = alternating(addresses).into_iter().take(ADDRESSES);
    let (mut attempts, mut failure) = (JoinSet::new(), None);
    loop {
        let is_last = match addresses.next() {
            Some(address) => {
                attempts.spawn(async move { (address, TcpStream::connect(address).await) });
                false
            }
            None => true,
        };
        tokio::select! {
            Some(attempt) = attempts.join_next() => match attempt {
                Ok((address, Ok(stream))) => {
                    // A request is one small write: waiting to fill a packet would only delay it. If that cannot be
                    // switched off, the connection still works.
                    stream.set_nodelay(true).ok();
                    return Ok((stream, address));
                }
                Ok((address, Err(error))) => failure = Some((address, error)),
                Err(_) => {}
            },
            () = tokio::time::sleep(ALONE), if !is_last => {}
            else => return Err(failure),
        }
    }
}

/// The addresses in their order, but with the two families in turn.
fn alternating(addresses: &[SocketAddr]) -> Vec<SocketAddr> {
    let first = addresses.first().map(SocketAddr::is_ipv4);
    let (mut ours, mut others): (Vec<_>, Vec<_>) =
        addresses.iter().copied().partition(|address| Some(address.is_ipv4()) == first);
    let (ours, others) = (ours.drain(..), others.drain(..));
    let mut turns: Vec<(usize, bool, SocketAddr)> = Vec::with_capacity(addresses.len());
    turns.extend(ours.enumerate().map(|(turn, address)| (turn, false, address)));
    turns.extend(others.enumerate().map(|(turn, address)| (turn, true, address)));
    turns.sort_by_key(|(turn, is_other, _)| (*turn, *is_other));
    turns.into_iter().map(|(_, _, address)| address).collect()
}

#[cfg(test)]
mod tests {
    use tokio::net::{TcpListener, TcpSocket};

    use super::*;

    fn parsed(address: &str) -> SocketAddr {
        address.parse().unwrap()
    }

    /// An address at which nobody answers: its queue is full.
    async fn silent() -> (SocketAddr, TcpListener, Vec<tokio::task::JoinHandle<io::Result<TcpStream>>>) {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(parsed("127.0.0.1:0")).unwrap();
        let listener = socket.listen(1).unwrap();
        let address = listener.local_addr().unwrap();
        let mut waiting = Vec::new();
        for _ in 0..4 {
            let begun = tokio::spawn(TcpStream::connect(address));
            while !begun.is_finished() && waiting.len() < 2 {
                tokio::task::yield_now().await;
            }
            waiting.push(begun);
        }
        (address, listener, waiting)
    }

    #[test]
    fn families_take_turns() {
        let addresses = ["[::1]:1", "[::2]:1", "[::3]:1", "1.1.1.1:1"].map(parsed);
        assert_eq!(alternating(&addresses), ["[::1]:1", "1.1.1.1:1", "[::2]:1", "[::3]:1"].map(parsed));
        assert_eq!(alternating(&[]), []);
    }

    #[tokio::test]
    async fn dead_addresses_cost_a_moment_each() {
        let (dead, _listener, _waiting) = silent().await;
        let living = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = living.local_addr().unwrap();
        let (_, reached) = dial(&[dead, dead, dead, dead, address]).await.unwrap();
        assert_eq!(reached, address, "the fifth is tried as well");
    }

    #[tokio::test]
    async fn who_refuses_is_not_waited_for_and_is_named() {
        let refusing = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let (named, error) = dial(&[refusing, refusing]).await.unwrap_err().unwrap();
        assert_eq!((named, error.kind()), (refusing, io::ErrorKind::ConnectionRefused));
        assert!(dial(&[]).await.unwrap_err().is_none());
    }
}
