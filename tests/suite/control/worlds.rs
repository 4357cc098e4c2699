//! Worlds: listed, made, ended, each with a clock, keys and a port of its own.

use super::{Control, START_SECONDS, user_in};
use crate::support::{TestServer, User};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn health_and_worlds_are_listed() {
    let server = TestServer::start().await;
    let control = Control::of(&server);

    control.get("/health").await.is(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "feature_level": chatdouble::api::NEWEST_FEATURE_LEVEL,
        "worlds": 1,
    }));
    let worlds = control.get("/worlds").await.success();
    let realm = server.server().world("default").snapshot();
    let row = &worlds["worlds"][0];
    assert!(row["created_at"].is_f64(), "{row}");
    assert_eq!(
        worlds,
        json!({"worlds": [{
            "name": "default",
            "url": server.url(),
            "label": null,
            "feature_level": chatdouble::api::NEWEST_FEATURE_LEVEL,
            "dialect": "neutral",
            "users": realm.users.len(),
            "channels": realm.channels.len(),
            "messages": realm.messages.len(),
            "queues": 0,
            "now": START_SECONDS as f64,
            "created_at": row["created_at"],
            "last_request_at": null,
            "idle_ttl_seconds": null,
        }]})
    );
    assert_eq!(control.get("/worlds/default").await.success()["world"], *row);
    let document = control.get("/openapi.json").await.body;
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document.get("result"), None, "a document, not an envelope");
}

#[tokio::test]
async fn invariants_are_named_and_hold() {
    let server = TestServer::start().await;
    let control = Control::of(&server);

    let checked = control.get("/worlds/default/invariants").await.success();

    let names = checked["checked"].as_array().expect("a list");
    assert!(names.len() > 10 && names.iter().all(Value::is_string), "{names:?}");
    assert_eq!(checked["violations"], json!([]));
}

#[tokio::test]
async fn a_world_is_made_from_the_options_of_the_server_and_its_own() {
    let server = TestServer::start_with(|options| options.feature_level = 400).await;
    let control = Control::of(&server);

    let plain = control.post("/worlds", json!({"name": "plain"})).await.success();
    assert_eq!(plain, json!({"name": "plain", "url": format!("{}/w/plain", server.url())}));
    let settings = user_in(&server, &plain, "mel").get("/server_settings", json!({})).await.success();
    assert_eq!(settings["service_feature_level"], 400);
    let odd =
        json!({"name": "odd", "feature_level": 420, "dialect": "zulip", "clock": "2030-05-05T00:00:00Z", "seed": 7});
    let odd = control.post("/worlds", odd).await.success();
    let settings = user_in(&server, &odd, "mel").get("/server_settings", json!({})).await.success();
    assert_eq!(settings["zulip_feature_level"], 420);
    let clock = control.get("/worlds/odd/clock").await.success();
    assert_eq!((&clock["now"], &clock["running"]), (&json!(1_904_169_600.0), &json!(false)));
    let renaming = json!({"name": "acme", "dialect": {"keys": {"service_version": "acme_version"}}});
    let acme = control.post("/worlds", renaming).await.success();
    let settings = user_in(&server, &acme, "mel").get("/server_settings", json!({})).await.success();
    assert!(settings["acme_version"].is_string());
    let real = control.post("/worlds", json!({"clock": "real"})).await.success();
    let name = real["name"].as_str().expect("one is made");
    assert_eq!(control.get(&format!("/worlds/{name}/clock")).await.success()["running"], true);
}

#[tokio::test]
async fn a_fixture_may_be_named_or_sent() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    control.post("/worlds", json!({"name": "bare", "fixture": "empty"})).await.success();
    let document = json!({
        "organization": {"name": "Two"},
        "users": [{"handle": "ann", "full_name": "Ann", "role": "owner", "api_key": "annKey00000000000000000000000000"}],
    });
    control.post("/worlds", json!({"name": "sent", "fixture": document})).await.success();

    let worlds = control.get("/worlds").await.success();
    let channels = |name: &str| {
        let all = worlds["worlds"].as_array().expect("a list");
        all.iter().find(|world| world["name"] == name).map(|world| world["channels"].clone())
    };
    assert_eq!((channels("bare"), channels("sent")), (Some(json!(0)), Some(json!(0))));
    let faulty = json!({"name": "faulty", "fixture": {"organization": {"name": "x"}, "usres": []}});
    control.post("/worlds", faulty).await.refused("$.fixture");
    assert_eq!(control.get("/health").await.success()["worlds"], 3, "a refused call makes nothing");
}

#[tokio::test]
async fn what_a_world_cannot_be_is_refused() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (body, part) in [
        (json!({"nmae": "x"}), "nmae"),
        (json!({"name": 5}), "$.name: takes a text, not 5"),
        (json!({"name": ""}), "$.name"),
        (json!({"name": "-a"}), "$.name"),
        (json!({"name": "a-"}), "$.name"),
        (json!({"name": "A"}), "$.name"),
        (json!({"name": "a_b"}), "$.name"),
        (json!({"name": "a".repeat(64)}), "$.name"),
        (json!({"fixture": "nope"}), "$.fixture"),
        (json!({"fixture": 5}), "$.fixture"),
        (json!({"fork_of": "nowhere"}), "$.fork_of"),
        (json!({"fork_of": "default", "snapshot": "none"}), "$.snapshot"),
        (json!({"fork_of": "default", "fixture": "empty"}), "$.fixture"),
        (json!({"snapshot": "s"}), "$.snapshot"),
        (json!({"feature_level": -1}), "$.feature_level"),
        (json!({"feature_level": "9"}), "$.feature_level"),
        (json!({"dialect": "klingon"}), "$.dialect"),
        (json!({"dialect": {"kees": {}}}), "$.dialect"),
        (json!({"clock": "noon"}), "$.clock"),
        (json!({"seed": -1}), "$.seed: takes a whole number from 0 on, not -1"),
        (json!({"listen": "yes"}), "$.listen: takes true or false, not the text \"yes\""),
        (json!([]), "$"),
    ] {
        control.post("/worlds", body).await.refused(part);
    }
    control.send("POST", "/worlds", b"{".to_vec()).await.refused("$");
    control.send("POST", "/worlds", b"{} {}".to_vec()).await.refused("$");
    control.post("/worlds", json!({"name": "a".repeat(63)})).await.success();
    let taken = control.post("/worlds", json!({"name": "default"})).await;
    assert_eq!((taken.status, &taken.body["code"]), (409, &json!("BAD_REQUEST")));
}

#[tokio::test]
async fn unknown_worlds_and_calls_are_not_found() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (method, path) in [
        ("DELETE", ""),
        ("POST", "/reset"),
        ("GET", "/snapshots"),
        ("POST", "/snapshots"),
        ("POST", "/snapshots/s/restore"),
        ("GET", "/clock"),
        ("POST", "/clock"),
        ("GET", "/faults"),
        ("POST", "/faults"),
        ("GET", "/journal"),
        ("POST", "/journal/verify"),
        ("POST", "/journal/wait"),
        ("GET", "/queues"),
        ("DELETE", "/queues/q"),
        ("GET", "/watch"),
    ] {
        let reply = control.send(method, &format!("/worlds/nowhere{path}"), Vec::new()).await;
        let what = "There is no world 'nowhere'; the nearest is 'default'";
        reply.with_status(404).error("NONEXISTENT_SUBDOMAIN", what);
    }
    for (method, path, help) in [
        ("GET", "/wolrds", "the nearest is GET /control/worlds"),
        ("PUT", "/worlds", "the path takes GET, POST, DELETE"),
        ("PUT", "/worlds/default/faults", "the path takes GET, POST, DELETE"),
        ("POST", "/worlds/default/snapshot", "the nearest is POST /control/worlds/{name}/snapshots"),
        ("GET", "/world", "the nearest is GET /control/worlds"),
    ] {
        let reply = control.send(method, path, Vec::new()).await.with_status(404);
        let message = format!("There is no control call {method} /control{path}; {help}");
        reply.error("BAD_REQUEST", &message);
    }
    let calls = control.get("").await.success()["calls"].clone();
    let calls: Vec<&str> = calls.as_array().into_iter().flatten().filter_map(|call| call["path"].as_str()).collect();
    assert!(calls.contains(&"/control/worlds/{name}/queues/wait") && calls.len() > 30, "{calls:?}");
}

#[tokio::test]
async fn calls_that_take_nothing_refuse_what_they_are_given() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    control.post("/worlds", json!({"name": "blue"})).await.success();
    control.post("/worlds/blue/snapshots", json!({"name": "s"})).await.success();
    for (method, path) in [
        ("DELETE", ""),
        ("POST", "/reset"),
        ("POST", "/snapshots/s/restore"),
        ("DELETE", "/snapshots/s"),
        ("DELETE", "/faults"),
        ("DELETE", "/journal"),
    ] {
        control.send(method, &format!("/worlds/blue{path}"), br#"{"x": 1}"#.to_vec()).await.refused("x");
    }
    for path in ["/health?x=1", "/worlds/blue?limit=3", "/worlds/blue/clock?now=1", "/worlds/blue/queues?user=mel"] {
        control.get(path).await.refused("takes no query parameters");
    }
}

#[tokio::test]
async fn the_default_world_cannot_be_deleted() {
    let server = TestServer::start().await;
    let control = Control::of(&server);

    control.delete("/worlds/default").await.refused("can't be deleted");

    server.user("mel").get("/users/me", json!({})).await.success();
}

#[tokio::test]
async fn deleting_a_world_answers_its_parked_polls() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let world = control.post("/worlds", json!({"name": "blue"})).await.success();
    let mel = user_in(&server, &world, "mel");
    let mut queue = mel.events(["message"]).await;
    let parked = tokio::spawn(async move { queue.wait().await });
    until_parked(&server, "blue").await;

    control.delete("/worlds/blue").await.is(json!({}));

    assert_eq!(parked.await.expect("answered").with_status(400).body["code"], "BAD_EVENT_QUEUE_ID");
    let late = mel.get("/users/me", json!({})).await.with_status(404);
    assert_eq!(late.header("x-chatdouble-hint"), Some("The world 'blue' has ended: stop its clients before it ends."));
    late.error("NONEXISTENT_SUBDOMAIN", "Invalid subdomain");
    let what = "There is no world 'blue' any more: it has ended";
    control.delete("/worlds/blue").await.with_status(404).error("NONEXISTENT_SUBDOMAIN", what);
}

/// Waits until a poll hangs on a world.
pub async fn until_parked(server: &TestServer, world: &str) {
    let world = server.server().world(world);
    for _ in 0..2_000 {
        if world.parked_poll_count() == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("a poll should hang");
}

#[tokio::test]
async fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mut ids = Vec::new();
    for seed in [1, 1, 2] {
        let world = control.post("/worlds", json!({"fork_of": "default", "seed": seed})).await.success();
        ids.push(user_in(&server, &world, "mel").events(["message"]).await.id);
    }

    assert_eq!(ids[0], ids[1]);
    assert_ne!(ids[0], ids[2]);
}

#[tokio::test]
async fn a_world_has_a_port_of_its_own_until_it_is_deleted() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let world = control.post("/worlds", json!({"name": "own", "listen": true})).await.success();
    let url = world["url"].as_str().expect("a URL").to_owned();
    assert_ne!(url, server.url());
    let mel = user_in(&server, &world, "mel");
    let settings = mel.get("/server_settings", json!({})).await.success();
    assert_eq!(settings["realm_url"], url);

    let steering = mel.get("/control/health", json!({})).await;
    assert_eq!(steering.status, 404, "control isn't served there: {steering}");
    control.delete("/worlds/own").await.success();

    let address = url.trim_start_matches("http://").to_owned();
    for _ in 0..500 {
        if tokio::net::TcpStream::connect(&address).await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("{address} should be closed");
}

#[tokio::test]
async fn a_connection_of_a_deleted_world_does_not_reach_a_new_one_of_its_name() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let world = control.post("/worlds", json!({"name": "own", "listen": true})).await.success();
    let mel = user_in(&server, &world, "mel");
    mel.get("/users/me", json!({})).await.success();
    let address = world["url"].as_str().expect("a URL").trim_start_matches("http://").to_owned();
    let mut kept = tokio::net::TcpStream::connect(&address).await.expect("connected");

    control.delete("/worlds/own").await.success();
    control.post("/worlds", json!({"name": "own"})).await.success();

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let _ = kept.write_all(b"GET /api/v1/server_settings HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    let mut reply = String::new();
    let _ = kept.read_to_string(&mut reply).await;
    assert!(!reply.starts_with("HTTP/1.1 200"), "{reply}");
}

#[tokio::test]
async fn without_a_root_world_others_can_be_made() {
    let server = TestServer::start_with(|options| options.has_default_world = false).await;
    let control = Control::of(&server);
    assert_eq!(control.get("/worlds").await.success(), json!({"worlds": []}));

    let world = control.post("/worlds", json!({"name": "one"})).await.success();
    // It could never be removed.
    control.post("/worlds", json!({"name": "default"})).await.refused("$.name: default is there from the start");

    let mel = TestServer::start().await.user("mel").credentials().clone();
    let url: &Value = &world["url"];
    User::new(url.as_str().expect("a URL").into(), Some(mel)).get("/users/me", json!({})).await.success();
}

#[tokio::test]
async fn lists_are_no_objects() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (path, body) in
        [("/worlds/default/clock", json!([60, null, null, null])), ("/worlds/default/snapshots", json!(["x"]))]
    {
        control.post(path, body).await.error("BAD_REQUEST", "$: takes an object");
    }
    assert_eq!(control.get("/worlds/default/snapshots").await.success()["snapshots"], json!([]));
}

#[tokio::test]
async fn what_is_refused_uses_up_no_name() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for body in [json!({"fixture": "nope"}), json!({"fork_of": "nowhere"}), json!({"clock": "noon"}), json!({"x": 1})] {
        control.post("/worlds", body).await.refused("$");
    }

    let made = [control.post("/worlds", json!({})).await.success(), control.post("/worlds", json!({})).await.success()];

    assert_eq!(made.map(|world| world["name"].clone()), [json!("world-1"), json!("world-2")]);
}

#[tokio::test]
async fn a_dialect_that_would_rename_nothing_or_too_much_is_refused() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (dialect, part) in [
        (json!([]), "$.dialect: takes neutral, zulip or a dialect's document"),
        (json!({"keys": {"service_versoin": "v"}}), "$.dialect: $.keys.service_versoin: no object"),
        (json!({"keys": {"service_version": ""}}), "$.dialect: $.keys.service_version: takes a name"),
        (
            json!({"keys": {"service_version": "v", "service_merge_base": "v"}}),
            "$.dialect: $.keys.service_version: `v` is the name of `service_merge_base` already",
        ),
        (json!({"paths": {"/nowhere": "/x"}}), r#"$.dialect: $.paths["/nowhere"]: no operation has this path"#),
    ] {
        control.post("/worlds", json!({"dialect": dialect})).await.refused(part);
    }
}
