//! HTTP requests as bytes, as fast as they are answered.

use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection that is kept.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    /// Connects.
    pub async fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server listens");
        stream.set_nodelay(true).expect("a socket");
        Self { stream, buffer: Vec::with_capacity(1 << 16) }
    }

    /// Sends a request and reads the whole reply: its status and its body.
    pub async fn ask(&mut self, request: &[u8]) -> (u16, &[u8]) {
        self.send(request).await;
        self.answer().await
    }

    /// Sends a request without waiting for the reply.
    pub async fn send(&mut self, request: &[u8]) {
        self.stream.write_all(request).await.expect("the server reads");
    }

    /// Reads the reply to a request that was sent.
    pub async fn answer(&mut self) -> (u16, &[u8]) {
        self.buffer.clear();
        let head = loop {
            let read = self.stream.read_buf(&mut self.buffer).await.expect("the server answers");
            assert!(read > 0, "the server closed the connection");
            if let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let text = std::str::from_utf8(&self.buffer[..head]).expect("a head is ASCII").to_ascii_lowercase();
        let length = text.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
        let whole = head + length.and_then(|length| length.parse::<usize>().ok()).unwrap_or_default();
        while self.buffer.len() < whole {
            let read = self.stream.read_buf(&mut self.buffer).await.expect("the server answers");
            assert!(read > 0, "the server closed the connection");
        }
        let status = text[9..12].parse().expect("a status");
        (status, &self.buffer[head..whole])
    }
}

/// The bytes of a request; a form is sent as such.
pub fn request(method: &str, path: &str, credentials: Option<&str>, body: Option<(&str, &str)>) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n");
    if let Some(credentials) = credentials {
        text.push_str(&format!("authorization: Basic {credentials}\r\n"));
    }
    if let Some((kind, body)) = body {
        text.push_str(&format!("content-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}", body.len()));
    } else {
        text.push_str("\r\n");
    }
    text.into_bytes()
}

/// Requests per second over so many connections.
pub async fn rate(address: &str, request: &[u8], connections: usize, expected: u16, span: Duration) -> f64 {
    let end = Instant::now() + span;
    let asking = (0..connections).map(|_| {
        let (address, request) = (address.to_owned(), request.to_owned());
        tokio::spawn(async move {
            let mut connection = Connection::open(&address).await;
            let mut count: u32 = 0;
            while Instant::now() < end {
                let (status, body) = connection.ask(&request).await;
                assert_eq!(status, expected, "{}", String::from_utf8_lossy(body));
                count += 1;
            }
            count
        })
    });
    let asking: Vec<_> = asking.collect();
    let began = Instant::now();
    let mut total = 0.0;
    for task in asking {
        total += f64::from(task.await.expect("no request failed"));
    }
    total / began.elapsed().as_secs_f64()
}

/// The median time of a request on one connection, in milliseconds.
pub async fn latency(address: &str, request: &[u8], times: usize) -> f64 {
    let mut connection = Connection::open(address).await;
    let mut all = Vec::new();
    for _ in 0..times {
        let began = Instant::now();
        let (status, body) = connection.ask(request).await;
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(body));
        all.push(began.elapsed().as_secs_f64() * 1e3);
    }
    median(all)
}

/// The middle of several figures.
pub fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}
