//! Forks of worlds and of snapshots, and their clocks.

use super::{Control, START_SECONDS, user_in};
use crate::support::{ParseTimestamp, TestServer, User};
use chatdouble::InitialClock;
use serde_json::json;

#[tokio::test]
async fn a_fork_begins_as_its_origin_is_and_goes_its_own_way() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let mut queue = mel.events(["message"]).await;
    let prepared = mel.send_to("general", "prepared", "for all forks").await;
    queue.next().await;
    control.fault(json!({"times": 1, "effect": {"garbage": true}, "match": {"path": "/users"}})).await;
    control.post("/worlds/default/snapshots", json!({"name": "s"})).await.success();
    control.post("/worlds/default/clock", json!({"advance_seconds": 5})).await.success();

    let world = control.post("/worlds", json!({"name": "fork", "fork_of": "default"})).await.success();
    let there = user_in(&server, &world, "mel");

    assert_eq!(control.get("/worlds/fork/clock").await.success()["now"], (START_SECONDS + 5) as f64);
    assert_eq!(there.get(&format!("/messages/{prepared}"), json!({})).await.success()["raw_content"], "for all forks");
    for list in ["queues", "faults", "snapshots"] {
        assert_eq!(control.get(&format!("/worlds/fork/{list}")).await.success()[list], json!([]), "{list}");
    }
    control.delete("/worlds/fork/journal").await.success();
    let (id_there, id_here) =
        (there.send_to("general", "t", "only there").await, mel.send_to("general", "t", "only here").await);
    assert_eq!(id_there, id_here, "ids go on from where the origin stood");
    assert_eq!(queue.all().await.len(), 1, "the origin's queue hears of the origin alone");
    let text = |user: User, id: i64| async move {
        user.get(&format!("/messages/{id}"), json!({})).await.success()["raw_content"].clone()
    };
    assert_eq!(
        (text(there.clone(), id_there).await, text(mel, id_here).await),
        (json!("only there"), json!("only here"))
    );
    let entries = control.get("/worlds/fork/journal").await.success()["entries"].clone();
    assert!(entries.as_array().expect("a list").iter().all(|entry| !entry.to_string().contains("only here")));
}

#[tokio::test]
async fn a_fork_of_a_snapshot_with_options_of_its_own() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    control.post("/worlds/default/snapshots", json!({"name": "clean"})).await.success();
    let later = server.user("mel").send_to("general", "t", "later").await;
    control.post("/worlds/default/clock", json!({"advance_seconds": 600})).await.success();

    let body = json!({"fork_of": "default", "snapshot": "clean", "feature_level": 300, "dialect": "zulip", "seed": 5});
    let world = control.post("/worlds", body).await.success();
    let there = user_in(&server, &world, "mel");

    let settings = there.get("/server_settings", json!({})).await.success();
    assert_eq!(settings["zulip_feature_level"], 300);
    there.get(&format!("/messages/{later}"), json!({})).await.error("BAD_REQUEST", "Invalid message(s)");
    let name = world["name"].as_str().expect("a name").to_owned();
    assert_eq!(control.get(&format!("/worlds/{name}/clock")).await.success()["now"], START_SECONDS as f64);
    let body = json!({"fork_of": name, "clock": "2027-01-01T00:00:00Z", "listen": true});
    let world = control.post("/worlds", body).await.success();
    let settings = user_in(&server, &world, "mel").get("/server_settings", json!({})).await.success();
    assert_eq!(settings["zulip_feature_level"], 300, "what is not given stays the origin's");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_forks_made_at_once_all_get_a_name() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let forks = (0..50).map(|number| {
        let (control, server) = (control.clone(), &server);
        async move {
            let body = if number % 2 == 0 { json!({"fork_of": "default"}) } else { json!({}) };
            let world = control.post("/worlds", body).await.success();
            let mel = user_in(server, &world, "mel");
            let id = mel.send_to("general", "t", &format!("from {number}")).await;
            let text = mel.get(&format!("/messages/{id}"), json!({})).await.success()["raw_content"].clone();
            assert_eq!(text, format!("from {number}"));
            id
        }
    });

    let ids = futures_util::future::join_all(forks).await;

    assert!(ids.iter().all(|id| *id == ids[0]), "no fork sees another's messages");
    assert_eq!(control.get("/health").await.success()["worlds"], 51);
}

#[tokio::test]
async fn a_fork_may_stand_at_an_earlier_time_or_reach_a_later_one() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let fork = |name: &str, clock: &str| json!({"name": name, "fork_of": "default", "clock": clock});
    let state = control.get("/worlds/default/state").await.success()["state"].clone();
    control.post("/worlds", fork("early", "2020-01-01T00:00:00Z")).await.success();
    let early = json!({"name": "early-state", "fixture": state, "clock": "2020-01-01T00:00:00Z"});
    control.post("/worlds", early).await.success();
    control.post("/worlds", fork("late", "2036-01-01T00:00:00Z")).await.success();
    for name in ["early", "early-state", "late"] {
        let report = control.get(&format!("/worlds/{name}/invariants")).await.success();
        assert_eq!(report["violations"], json!([]), "{name}");
    }
    let clock = control.get("/worlds/early/clock").await.success();
    assert_eq!(clock["now"], 1_577_836_800.0);

    // What fell due on the way happened at its own time.
    let realm = server.server().world("late").snapshot();
    let newest = realm.messages.values().next_back().expect("there are messages");
    assert!(newest.sent_at.seconds() < 1_900_000_000, "{newest:?}");
}

#[tokio::test]
async fn a_frozen_fork_keeps_its_origins_time() {
    let noon = InitialClock::At("2030-01-01T12:00:00Z".parse_timestamp());
    let server = TestServer::start_with(|options| options.clock = noon).await;
    let control = Control::of(&server);
    control.post("/worlds/default/clock", json!({"running": true})).await.success();
    let state = control.get("/worlds/default/state").await.success()["state"].clone();
    for (name, origin) in
        [("fork", json!({"fork_of": "default"})), ("copy", json!({"fixture": state})), ("new", json!({}))]
    {
        let mut options = origin;
        options["name"] = json!(name);
        options["clock"] = json!("frozen");
        control.post("/worlds", options).await.success();
        let clock = control.get(&format!("/worlds/{name}/clock")).await.success();
        let now = clock["now"].as_f64().expect("a time");
        assert_eq!(clock["running"], false, "{name}");
        assert!((1_893_499_200.0..1_893_499_260.0).contains(&now), "{name}: {now}");
    }
}

#[tokio::test]
async fn a_fork_whose_clock_runs_behind_its_origins_goes_by_its_own() {
    let far = InitialClock::At("2100-01-01T00:00:00Z".parse_timestamp());
    let server = TestServer::start_with(|options| options.clock = far).await;
    let control = Control::of(&server);
    let state = control.get("/worlds/default/state").await.success()["state"].clone();
    control.post("/worlds", json!({"name": "fork", "fork_of": "default", "clock": "real"})).await.success();
    control.post("/worlds", json!({"name": "copy", "fixture": state, "clock": "real"})).await.success();

    for name in ["fork", "copy"] {
        let base = format!("{}/w/{name}", server.url());
        let mel = server.user_at(&base, name, "mel");
        let id = mel.send_to("general", "x", "now").await;
        let message = mel.get(&format!("/messages/{id}"), json!({})).await.success();
        assert!(message["message"]["timestamp"].as_i64().is_some_and(|at| at < 4_102_444_800), "{name}: {message}");
        let report = control.get(&format!("/worlds/{name}/invariants")).await.success();
        assert_eq!(report["violations"], json!([]), "{name}");
    }
}
