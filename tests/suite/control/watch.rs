//! Watching a world over a WebSocket.

use super::{Control, START_SECONDS};
use crate::support::TestServer;
use chatdouble::world::WatchFrame;
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::time::Duration;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

pub struct Watcher(WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>);

impl Watcher {
    pub async fn connect(server: &TestServer, world: &str, headers: &[(&'static str, &str)]) -> Result<Self, u16> {
        Self::connect_to(server, &format!("{world}/watch"), headers).await
    }

    pub async fn connect_to(server: &TestServer, below: &str, headers: &[(&'static str, &str)]) -> Result<Self, u16> {
        let url = format!("{}/control/worlds/{below}", server.url().replace("http:", "ws:"));
        let mut request = url.into_client_request().expect("a URL");
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().expect("a header"));
        }
        match connect_async(request).await {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(Error::Http(reply)) => Err(reply.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    /// A watcher of the events of one user, whose client registers with these parameters.
    pub async fn of_user(server: &TestServer, world: &str, user: &str, register: &Value) -> Self {
        let query = crate::support::form(&json!({"user": user, "register": register}));
        let path = format!("{world}/watch?{query}");
        Self::connect_to(server, &path, &[]).await.unwrap_or_else(|status| panic!("refused with {status}"))
    }

    async fn of(server: &TestServer, world: &str) -> Self {
        Self::connect(server, world, &[]).await.unwrap_or_else(|status| panic!("refused with {status}"))
    }

    /// The next frame; None when the other side has closed.
    async fn next(&mut self) -> Option<Value> {
        loop {
            let frame = tokio::time::timeout(Duration::from_secs(10), self.0.next()).await.expect("a frame");
            match frame {
                Some(Ok(Message::Text(text))) => return Some(serde_json::from_str(&text).expect("JSON")),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    pub async fn frame(&mut self) -> Value {
        self.next().await.expect("a frame")
    }
}

#[tokio::test]
async fn a_request_comes_before_its_events() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut watcher = Watcher::of(&server, "default").await;

    let id = mel.send_direct(&[max.id()], "look").await;

    let request = watcher.frame().await;
    assert_eq!(
        (&request["type"], &request["path"], &request["status"]),
        (&json!("request"), &json!("/messages"), &json!(200))
    );
    let entries = Control::of(&server).get("/worlds/default/journal").await.success()["entries"].clone();
    let mut entry = entries[0].clone();
    entry["type"] = "request".into();
    assert_eq!(request, entry, "the frame is the journal's entry");
    let event = watcher.frame().await;
    assert_eq!((&event["type"], &event["event"]["type"]), (&json!("event"), &json!("message")));
    assert_eq!((&event["event"]["message"]["id"], &event["users"]), (&json!(id), &json!([mel.id(), max.id()])));
    assert_eq!((&event["id"], &event["at"]), (&request["events"][0], &json!(START_SECONDS as f64)));
}

#[tokio::test]
async fn the_clock_is_broadcast_with_all_that_fell_due() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mut watcher = Watcher::of(&server, "default").await;

    let reply = control.post("/worlds/default/clock", json!({"advance_seconds": 3_600})).await.success();

    let clock = watcher.frame().await;
    let (from, now) = (START_SECONDS as f64, START_SECONDS as f64 + 3_600.0);
    assert_eq!(clock, json!({"type": "clock", "at": now, "from": from, "now": now, "fired": reply["fired"]}));
    let event = watcher.frame().await;
    assert_eq!((&event["type"], &event["at"]), (&json!("event"), &json!(now)));
    control.send("POST", "/worlds/default/reset", vec![]).await.success();
    loop {
        let frame = watcher.frame().await;
        if frame["type"] == "clock" {
            assert_eq!(
                frame,
                json!({"type": "clock", "at": from, "from": now, "now": from, "fired": [], "cause": "reset"})
            );
            return;
        }
    }
}

#[tokio::test]
async fn networks_and_rate_limits_are_broadcast_when_they_change() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mut watcher = Watcher::of(&server, "default").await;

    control.post("/worlds/default/network", json!({"user": "mel", "profile": "3g"})).await.success();
    let frame = watcher.frame().await;
    assert_eq!((&frame["type"], &frame["at"]), (&json!("network"), &json!(START_SECONDS as f64)));
    assert_eq!(
        (&frame["networks"][0]["user"], &frame["networks"][0]["profile"]),
        (&json!("mel@chat.test"), &json!("3g"))
    );
    control.delete("/worlds/default/network").await.success();
    assert_eq!(watcher.frame().await["networks"], json!([]));
    control.post("/worlds/default/rate_limit", json!({"requests": 20, "seconds": 60})).await.success();
    let limits = json!([{"user": null, "requests": 20, "seconds": 60.0}]);
    let frame = watcher.frame().await;
    assert_eq!((&frame["type"], &frame["rate_limits"]), (&json!("rate_limit"), &limits));
    control.delete("/worlds/default/rate_limit").await.success();
    assert_eq!(watcher.frame().await["rate_limits"], json!([]));
}

#[tokio::test]
async fn faults_are_broadcast_and_other_worlds_are_not() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let other = control.post("/worlds", json!({"name": "other"})).await.success();
    let mut watcher = Watcher::of(&server, "default").await;
    super::user_in(&server, &other, "mel").send_to("general", "t", "elsewhere").await;
    let id = control.fault(json!({"effect": {"rate_limit": {"retry_after": 1}}})).await;

    let _ = server.user("mel").get("/users/me", json!({})).await;

    let frame = watcher.frame().await;
    assert_eq!((&frame["path"], &frame["fault"], &frame["status"]), (&json!("/users/me"), &json!(id), &json!(429)));
    let fault = watcher.frame().await;
    let effect = json!({"rate_limit": {"retry_after": 1}});
    let expected =
        json!({"type": "fault", "at": frame["at"], "fault_id": id, "journal_id": frame["id"], "effect": effect});
    assert_eq!(fault, expected);
}

/// What became of queues, in the frames up to one with this change.
async fn changes_until(watcher: &mut Watcher, last: &str) -> Vec<String> {
    let mut changes = Vec::new();
    loop {
        let frame = watcher.frame().await;
        if frame["type"] == "queue" {
            assert_eq!(frame["user"], "mel@chat.test");
            changes.push(frame["change"].as_str().expect("a text").to_owned());
            if frame["change"] == last {
                return changes;
            }
        }
    }
}

#[tokio::test]
async fn what_becomes_of_queues_is_broadcast() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let mut watcher = Watcher::of(&server, "default").await;

    let mut queue = mel.events(["message"]).await;
    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;
    mel.send_to("general", "t", "an answer").await;
    parked.await.expect("answered").success();
    assert_eq!(changes_until(&mut watcher, "answered").await, ["registered", "parked", "answered"]);
    control.post("/worlds/default/clock", json!({"advance_seconds": 601, "wait_for_clients_ms": 0})).await.success();
    assert_eq!(changes_until(&mut watcher, "expired").await, ["expired"]);
    let queue = mel.events(["message"]).await;
    mel.delete("/events", json!({"queue_id": queue.id})).await.success();
    assert_eq!(changes_until(&mut watcher, "deleted").await, ["registered", "deleted"]);
    let queue = mel.events(["message"]).await;
    control.delete(&format!("/worlds/default/queues/{}", queue.id)).await.success();
    assert_eq!(changes_until(&mut watcher, "lost").await, ["registered", "lost"]);
}

#[tokio::test]
async fn pushes_are_broadcast_as_they_are_listed() {
    let server = TestServer::start().await;
    let mut watcher = Watcher::of(&server, "default").await;
    server.user("mel").post("/mobile_push/e2ee/test_notification", json!({})).await.success();

    let listed = Control::of(&server).get("/worlds/default/pushes").await.success()["pushes"][0].clone();
    assert_eq!(watcher.frame().await["type"], "request");
    let frame = watcher.frame().await;
    assert_eq!(frame, json!({"type": "push", "at": listed["at"], "push": listed}));
}

#[tokio::test]
async fn times_are_in_order_while_the_clock_runs() {
    let server = TestServer::start_with(|options| options.clock = chatdouble::InitialClock::Real).await;
    let mut watcher = Watcher::of(&server, "default").await;
    server.user("mel").send_to("general", "t", "now").await;

    let (request, event) = (watcher.frame().await, watcher.frame().await);
    assert_eq!((&request["type"], &event["type"]), (&json!("request"), &json!("event")));
    assert!(request["at"].as_f64() <= event["at"].as_f64(), "{request}\n{event}");
}

#[tokio::test]
async fn what_falls_due_in_a_jump_is_broadcast_in_the_order_of_time() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let _ = server.user("mel").events(["message"]).await;
    let mut watcher = Watcher::of(&server, "default").await;

    control.post("/worlds/default/clock", json!({"advance_seconds": "3h"})).await.success();
    control.post("/worlds/default/clock", json!({"advance_seconds": 0})).await.success();

    assert_eq!(watcher.frame().await["type"], "clock");
    let (mut kinds, mut before) = (Vec::new(), 0.0);
    loop {
        let frame = watcher.frame().await;
        if frame["type"] == "clock" {
            break;
        }
        let at = frame["at"].as_f64().expect("a time");
        assert!(at >= before, "{frame} after {before}");
        before = at;
        kinds.push(frame["type"].clone());
    }
    assert_eq!(kinds.first(), Some(&json!("queue")), "it expired within ten minutes");
    assert!(kinds.contains(&json!("event")), "{kinds:?}");
}

#[tokio::test]
async fn a_slow_watcher_learns_how_much_it_missed() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let mut watcher = Watcher::of(&server, "default").await;
    max.get("/server_settings", json!({})).await.success();
    let world = server.server().world("default");
    let entry = world.journal().all().pop().expect("an entry");
    let first = watcher.frame().await;
    assert_eq!(first["path"], "/server_settings");
    // More than the watcher's backlog holds, before its connection has a turn.
    let count = 9_000;
    for _ in 0..count {
        world.broadcast(WatchFrame::Request(entry.clone()));
    }
    let _ = max.get("/users/me", json!({})).await;

    let (mut received, mut lost) = (0, 0);
    loop {
        let frame = watcher.frame().await;
        match frame["type"].as_str() {
            Some("lost") => lost += frame["count"].as_i64().expect("a count"),
            _ => received += 1,
        }
        if frame["path"] == "/users/me" {
            break;
        }
    }

    assert!(lost > 0, "{received} were received");
    assert_eq!(received + lost, count + 1);
}

#[tokio::test]
async fn a_watcher_is_let_go_when_the_world_or_the_server_ends() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    control.post("/worlds", json!({"name": "blue"})).await.success();
    let (mut of_world, mut of_server) = (Watcher::of(&server, "blue").await, Watcher::of(&server, "default").await);

    control.delete("/worlds/blue").await.success();
    assert_eq!(of_world.next().await, None);
    drop(control);
    drop(server);
    assert_eq!(of_server.next().await, None);
}

/// The subprotocol that is chosen of one that has a token in it.
async fn with_subprotocol(server: &TestServer, subprotocol: &str) -> Option<String> {
    let url = format!("{}/control/worlds/default/watch", server.url().replace("http:", "ws:"));
    let mut request = url.as_str().into_client_request().expect("a URL");
    request.headers_mut().insert("sec-websocket-protocol", subprotocol.parse().expect("a header"));
    let (_, reply) = connect_async(request).await.ok()?;
    Some(reply.headers()["sec-websocket-protocol"].to_str().expect("text").to_owned())
}

#[tokio::test]
async fn a_browser_gives_the_token_as_a_subprotocol() {
    let server = TestServer::start_with(|options| options.control_token = Some("secret".into())).await;

    for right in ["bearer.secret", "bearer64.c2VjcmV0"] {
        assert_eq!(with_subprotocol(&server, right).await.as_deref(), Some(right));
    }
    for wrong in ["bearer.wrong", "bearer64.secret", "bearer64.d3Jvbmc", "bearer64.!", "secret"] {
        assert_eq!(with_subprotocol(&server, wrong).await, None, "{wrong}");
    }
}

#[tokio::test]
async fn a_token_that_no_subprotocol_can_have_is_given_in_base64() {
    // As `openssl rand -base64` makes them.
    let server = TestServer::start_with(|options| options.control_token = Some("+/8=".into())).await;

    assert_eq!(with_subprotocol(&server, "bearer64.Ky84PQ").await.as_deref(), Some("bearer64.Ky84PQ"));
}

#[tokio::test]
async fn watching_is_guarded_as_all_of_control_is() {
    let server = TestServer::start_with(|options| options.control_token = Some("secret".into())).await;
    let connect = async |world: &str, headers: &[(&'static str, &str)]| {
        Watcher::connect(&server, world, headers).await.map(|_| ())
    };

    assert_eq!(connect("default", &[]).await, Err(401));
    assert_eq!(
        connect("default", &[("authorization", "Bearer secret"), ("origin", "http://example.org")]).await,
        Err(403)
    );
    assert_eq!(connect("nowhere", &[("authorization", "Bearer secret")]).await, Err(404));
    assert_eq!(connect("default", &[("authorization", "Bearer secret")]).await, Ok(()));
    let open = TestServer::start().await;
    let reply = Control::of(&open).get("/worlds/default/watch").await;
    reply.refused("WebSocket");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_right_after_the_handshake_is_broadcast() {
    let server = TestServer::start().await;
    let world = server.server().world("default");
    for _ in 0..100 {
        let watcher = Watcher::of(&server, "default").await;
        let now = world.now();
        world.broadcast(WatchFrame::Clock { from: now, to: now, due_items: Vec::new(), restoration: None });

        let mut watcher = watcher;
        assert_eq!(watcher.frame().await["type"], "clock");
    }
}

#[tokio::test]
async fn a_watcher_gets_no_more_in_a_second_than_it_asks_for_and_learns_how_much_was_left_out() {
    let server = TestServer::start().await;
    let mut watcher = Watcher::connect_to(&server, "default/watch?per_second=5", &[]).await.expect("let in");
    let mel = server.user("mel");
    for _ in 0..40 {
        let _ = mel.get("/users/me", json!({})).await.with_status(200);
    }

    let (mut received, mut lost, mut counts) = (0, 0, 0);
    while received + lost < 40 {
        let frame = watcher.frame().await;
        match frame["type"].as_str() {
            Some("request") => received += 1,
            Some("lost") => {
                lost += frame["count"].as_u64().expect("a number");
                counts += 1;
            }
            _ => {}
        }
    }

    assert_eq!(received + lost, 40, "each request is received or counted");
    assert!((5..=20).contains(&received) && counts >= 1, "{received} received, {lost} lost in {counts}");
    for wrong in ["default/watch?per_second=many", "default/watch?colour=red"] {
        let refused = Watcher::connect_to(&server, wrong, &[]).await;
        assert_eq!(refused.map(|_| ()).expect_err("refused"), 400, "{wrong}");
    }
}

#[tokio::test]
async fn a_restored_world_is_broadcast_although_its_clock_did_not_move() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    control.post("/worlds/default/snapshots", json!({"name": "before"})).await.success();
    let state = control.get("/worlds/default/state").await.success()["state"].clone();
    let mut watcher = Watcher::of(&server, "default").await;

    control.send("POST", "/worlds/default/snapshots/before/restore", Vec::new()).await.success();
    control.send("POST", "/worlds/default/reset", Vec::new()).await.success();
    control.send("PUT", "/worlds/default/state", state.to_string().into_bytes()).await.success();

    let now = START_SECONDS as f64;
    let frame = |cause: &str| json!({"type": "clock", "at": now, "from": now, "now": now, "fired": [], "cause": cause});
    let mut restored = frame("restore");
    restored["snapshot"] = json!("before");
    assert_eq!(watcher.frame().await, restored);
    assert_eq!(watcher.frame().await, frame("reset"));
    assert_eq!(watcher.frame().await, frame("state"));
}
