//! Steering from outside: every call of the control endpoint, over HTTP, also for what it refuses.

mod changed_replies;
mod clock;
mod contents;
mod disturbances;
mod documents;
mod faults;
mod fidelity;
mod files;
mod fixture_parts;
mod forks;
mod guard;
mod journal;
mod live_clients;
mod lives;
mod names;
mod networks;
mod nulls;
mod people;
mod pushes;
mod queues;
mod rate_limits;
mod snapshots;
mod times;
mod users;
mod watch;
mod watch_of_user;
mod worlds;

use crate::support::{Reply, TestServer, User};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The time at which the clock of every test is frozen, in UNIX seconds.
pub const START_SECONDS: i64 = 1_767_268_800;

/// Somebody who steers a server.
#[derive(Clone)]
pub struct Control {
    caller: User,
}

impl Control {
    /// Who steers this server.
    pub fn of(server: &TestServer) -> Self {
        Self { caller: server.anonymous() }
    }

    /// GET; the path is without `/control`.
    pub async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, Vec::new()).await
    }

    /// POST with a body of JSON.
    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.send("POST", path, body.to_string().into_bytes()).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, Vec::new()).await
    }

    /// Anything.
    pub async fn send(&self, method: &str, path: &str, body: Vec<u8>) -> Reply {
        let shown = String::from_utf8_lossy(&body).into_owned().into();
        self.caller.send(method, &format!("/control{path}"), &shown, body, Some("application/json")).await
    }

    /// Installs a fault in the default world; its id.
    pub async fn fault(&self, rule: Value) -> String {
        let reply = self.post("/worlds/default/faults", rule).await.success();
        reply["fault_id"].as_str().expect("an id").to_owned()
    }
}

impl Reply {
    /// Asserts a refusal of control's: 400, and words that say where.
    #[track_caller]
    pub fn refused(self, part: &str) {
        assert_eq!((self.status, self.body["code"].as_str()), (400, Some("BAD_REQUEST")), "{self}");
        assert!(self.body["msg"].as_str().is_some_and(|message| message.contains(part)), "{part}: {self}");
    }
}

/// A user of a world that was made from the fixture of the default one, and so has the same keys.
pub fn user_in(server: &TestServer, world: &Value, handle: &str) -> User {
    let url = world["url"].as_str().expect("a base URL").to_owned();
    User::new(url, Some(server.user(handle).credentials().clone()))
}

/// What a connection gives for a request until it is closed, whatever that is.
pub async fn exchange(server: &TestServer, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(server.server().address()).await.expect("connected");
    let length = body.len();
    let mel = "bWVsQGNoYXQudGVzdDptZWxLZXkwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA==";
    let request = format!(
        "{head} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Basic {mel}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut reply = Vec::new();
    // A connection that was broken off may say so; what came before counts.
    let _ = stream.read_to_end(&mut reply).await;
    String::from_utf8_lossy(&reply).into_owned()
}
