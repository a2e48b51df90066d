//! A port of loopback that is open as long as a value lives: what the living web and the hostile server share.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// How long to wait when the system has no more connections to give.
const PAUSE: Duration = Duration::from_millis(10);

/// So many may wait to be let in: who is turned away comes again a second later, on the wall.
const WAITING: u32 = 4096;

/// An open port and the task that serves it. Both end when it is dropped.
pub(super) struct Listener {
    pub(super) address: SocketAddr,
    task: JoinHandle<()>,
}

impl Listener {
    /// Listens on a port that the system chooses, within the current tokio runtime, and hands each connection to
    /// `serve`.
    pub(super) async fn start<S>(serve: impl Fn(TcpStream) -> S + Send + 'static) -> io::Result<Listener>
    where
        S: Future<Output = ()> + Send + 'static,
    {
        let socket = TcpSocket::new_v4()?;
        socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
        let listener = socket.listen(WAITING)?;
        let address = listener.local_addr()?;
        Ok(Listener { address, task: tokio::spawn(accept(listener, serve)) })
    }

    /// Closes the port and every connection, and returns when that is done.
    pub(super) async fn stop(mut self) {
        self.task.abort();
        // The only outcome is the cancellation just asked for.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Takes in connections until the task is aborted, which drops the set and so ends them too.
async fn accept<S>(listener: TcpListener, serve: impl Fn(TcpStream) -> S)
where
    S: Future<Output = ()> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream));
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn stopping_closes_the_port_and_the_connections() {
        let listener = Listener::start(|stream| async move {
            std::future::pending::<()>().await;
            drop(stream);
        })
        .await
        .unwrap();
        let address = listener.address;
        let mut stream = TcpStream::connect(address).await.unwrap();
        tokio::task::yield_now().await;
        listener.stop().await;
        assert!(matches!(stream.read(&mut [0]).await, Ok(0) | Err(_)));
        assert!(TcpStream::connect(address).await.is_err());
    }
}
