//! Names in filters, assertions and faults: what no request, device, world or channel can have is refused, since it would
//! match nothing in silence.

use super::{Control, user_in};
use crate::support::TestServer;
use chatdouble::dialect::Dialect;
use serde_json::{Value, json};

const WORLD: &str = "/worlds/default";

/// Asserts that the journal's calls, and faults where `rule` has it, refuse a request that is named so.
async fn refused_everywhere(control: &Control, wanted: Value, part: &str) {
    for (call, further) in [("verify", json!({"exactly": 0})), ("wait", json!({"exactly": 0, "timeout_ms": 1}))] {
        let mut body = wanted.clone();
        body.as_object_mut().expect("an object").extend(further.as_object().expect("an object").clone());
        control.post(&format!("{WORLD}/journal/{call}"), body).await.refused(&format!("$.{part}"));
    }
    if wanted.get("params").is_none() {
        let filters = wanted.as_object().expect("an object").iter();
        let filters: Vec<String> =
            filters.map(|(name, value)| format!("{name}={}", value.as_str().expect("text"))).collect();
        control.get(&format!("{WORLD}/journal?{}", filters.join("&"))).await.refused(part);
    }
    let rule = json!({"match": wanted, "effect": {"garbage": true}});
    control.post(&format!("{WORLD}/faults"), rule).await.refused(&format!("$.match.{part}"));
}

#[tokio::test]
async fn requests_that_nothing_can_be_are_refused_with_the_nearest() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (wanted, part) in [
        (json!({"path": "/mesages"}), "path: no operation has the path /mesages; the nearest is /messages"),
        (
            json!({"path": "/api/v1/mesages"}),
            "path: no operation has the path /api/v1/mesages; the nearest is /messages",
        ),
        (json!({"path": "/users/{id}/x"}), "path: no operation has the path"),
        (
            json!({"path": "/users/{userid}"}),
            "path: no operation has the path /users/{userid}; the nearest is /users/{user_id}",
        ),
        (
            json!({"path": "/users/{email}/presence"}),
            "path: no operation has the path /users/{email}/presence; the nearest is /users/{user_id_or_email}/presence",
        ),
        (json!({"path": "/user_uploads/{id}/x"}), "path: no operation has the path"),
        (json!({"path": "/static"}), "path: no operation has the path"),
        (json!({"method": "DELETE", "path": "/messages"}), "method: /messages has"),
        (json!({"method": "HEAD", "path": "/messages"}), "method: HEAD is carried out and entered as GET"),
        (json!({"method": "POST", "path": "/static/*"}), "method: /static/* has GET"),
        (
            json!({"method": "POST", "path": "/messages", "params": {"contnet": "x"}}),
            "params.contnet: POST /messages does not take a parameter 'contnet'; the nearest is 'content'",
        ),
        (
            json!({"method": "POST", "path": "/messages", "params": {"stream": "general"}}),
            "params.stream: POST /messages does not take a parameter 'stream'",
        ),
        (
            json!({"path": "/messages", "params": {"ancor": "newest"}}),
            "params.ancor: /messages does not take a parameter 'ancor'; the nearest is 'anchor'",
        ),
        (json!({"params": {"contnet": "x"}}), "params.contnet: no operation takes a parameter 'contnet'"),
        (
            json!({"method": "GET", "path": "/messages", "params": {"content": "x"}}),
            "params.content: GET /messages does not",
        ),
        (
            json!({"path": "/messages/{message_id}", "params": {"message_id": "1"}}),
            "params.message_id: is a part of the path; give the path with its value",
        ),
        (json!({"path": "/tus", "params": {"filename": "a"}}), "params.filename: resumable uploads take headers"),
    ] {
        refused_everywhere(&control, wanted, part).await;
    }
    for path in ["/users/:id", "/users/*", "/users/%d", "/users/<id>", "/users/$ID", "/users/5?x=1"] {
        let message = format!("$.path: no operation has the path {path}; the nearest is /users/{{");
        control.post(&format!("{WORLD}/journal/verify"), json!({"path": path, "exactly": 0})).await.refused(&message);
    }
    for (path, with_placeholders) in [("/users/99999", "/users/{user_id}"), ("/users/a@chat.test", "/users/{email}")] {
        let rule = json!({"match": {"path": path}, "effect": {"garbage": true}});
        let message = format!("no operation has the path {path}; with placeholders, it is {with_placeholders}");
        control.post(&format!("{WORLD}/faults"), rule).await.refused(&message);
    }
    assert_eq!(control.get(&format!("{WORLD}/faults")).await.success()["faults"], json!([]));
}

#[tokio::test]
async fn requests_that_may_be_are_looked_for() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let _ = mel.get("/mesages", json!({})).await.with_status(404);
    let _ = mel.put("/messages", json!({})).await.with_status(405);
    mel.get("/users/me", json!({"client": "robot"})).await.success();
    let _ = server.request("GET", "/accounts/login/", &[], "").await.with_status(200);
    let _ = server.request("HEAD", "/static/images/default-icon.png", &[], "").await.with_status(200);
    let _ = server.request("OPTIONS", "/api/v1/messages", &[], "").await.with_status(204);
    for (wanted, count) in [
        (json!({"path": "/mesages", "status": 404}), 1),
        (json!({"path": "/other", "status": 404, "exactly": 0}), 0),
        (json!({"path": "/messages", "method": "PUT", "status": 405}), 1),
        (json!({"path": "/messages", "method": "OPTIONS"}), 1),
        (json!({"path": "/accounts/login/"}), 1),
        (json!({"path": "/static/images/default-icon.png", "method": "GET"}), 1),
        (json!({"path": "/static/*"}), 1),
        (json!({"path": "/json/users/me", "params": {"client": "robot"}}), 1),
        (json!({"path": "/users/me", "method": "GET", "params": {}}), 1),
        // Names of parameters at older levels, and the second names of some.
        (json!({"path": "/invites", "params": {"invite_expires_in_days": "1"}, "exactly": 0}), 0),
        (json!({"path": "/realm", "params": {"giphy_rating": "1"}, "exactly": 0}), 0),
        (json!({"path": "/users/{user_id}", "params": {"is_admin": "true"}, "exactly": 0}), 0),
        (json!({"path": "/messages", "params": {"subject": "x"}, "exactly": 0}), 0),
        (json!({"path": "/user_uploads/{realm_id_str}/{filename}", "exactly": 0}), 0),
    ] {
        control.post(&format!("{WORLD}/journal/verify"), wanted).await.is(json!({ "count": count }));
    }
}

#[tokio::test]
async fn names_of_the_dialect_are_taken_and_match() {
    let server = TestServer::start_with(|options| options.dialect = Dialect::zulip()).await;
    let control = Control::of(&server);
    let adam = server.user("adam");
    let change = json!({"zulip_update_announcements_stream_id": server.channel("general")});
    adam.patch("/realm", change.clone()).await.success();
    let channel = change["zulip_update_announcements_stream_id"].to_string();
    for name in ["zulip_update_announcements_stream_id", "service_update_announcements_stream_id"] {
        let wanted = json!({"path": "/realm", "params": {name: channel}});
        control.post(&format!("{WORLD}/journal/verify"), wanted).await.is(json!({"count": 1}));
    }
    let rule = json!({"match": {"path": "/users/me/apns_device_token"}, "effect": {"delay_ms": 1}});
    let id = control.fault(rule).await;
    let reply = adam.post("/users/me/apns_device_token", json!({"token": "aa", "appid": "x"})).await;
    assert_eq!(reply.header("x-chatdouble-fault"), Some(id.as_str()), "{reply}");
    let nearest = "no operation has the path /users/me/apns_device_tokn; the nearest is /users/me/apns_device_token";
    let wanted = json!({"path": "/users/me/apns_device_tokn"});
    control.post(&format!("{WORLD}/journal/verify"), wanted).await.refused(nearest);
}

#[tokio::test]
async fn faults_whose_effect_is_for_other_requests_are_refused() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (matching, effect, part) in [
        (json!({"path": "/messages"}), json!({"events": "hold"}), "$.match.path: the effect events is for GET /events"),
        (
            json!({"method": "DELETE", "path": "/events"}),
            json!({"events": "hold"}),
            "$.match.method: the effect events",
        ),
        (json!({"path": "/messages"}), json!({"bouncer": "unreachable"}), "$.match.path: the effect bouncer is for"),
    ] {
        let rule = json!({"match": matching, "effect": effect});
        control.post(&format!("{WORLD}/faults"), rule).await.refused(part);
    }
    for (matching, effect) in [
        (json!({"method": "GET", "path": "/events"}), json!({"events": "hold"})),
        (json!({"path": "/mobile_push/register"}), json!({"bouncer": "unreachable"})),
    ] {
        control.fault(json!({"match": matching, "effect": effect})).await;
    }
}

#[tokio::test]
async fn other_names_that_nothing_has_are_refused() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (path, part) in [
        (format!("{WORLD}/journal?status=99"), "status: takes an HTTP status"),
        (format!("{WORLD}/journal?status=600"), "status: takes an HTTP status"),
        (format!("{WORLD}/pushes?device_id=99"), "device_id: no device of this world has had the id 99"),
        (format!("{WORLD}/pushes?device_id=0"), "device_id: no device"),
        (
            format!("{WORLD}/pushes?user=max&device_id=1"),
            "device_id: 1 is a device of mel@chat.test, not of max@chat.test",
        ),
        (format!("{WORLD}/messages?channel=99"), "channel: there is no channel with the id 99"),
        (
            format!("{WORLD}/channels?seen_by=guss"),
            "seen_by: there is no user 'guss' in this world; the nearest is 'gus'",
        ),
        ("/worlds?prefix=CI-".to_owned(), "prefix: takes the beginning of a world's name"),
        ("/worlds?prefix=-a".to_owned(), "prefix: takes the beginning of a world's name"),
    ] {
        control.get(&path).await.refused(part);
    }
    control.delete("/worlds?prefix=a_b").await.refused("prefix: takes the beginning of a world's name");
    for (body, part) in [
        (json!({"device_id": 99}), "$.device_id: no device of this world has had the id 99"),
        (json!({"device_id": 1, "user": "max"}), "$.device_id: 1 is a device of mel@chat.test"),
    ] {
        let mut body = body;
        body["timeout_ms"] = json!(1);
        control.post(&format!("{WORLD}/pushes/wait"), body).await.refused(part);
    }
    control.get(&format!("{WORLD}/pushes?user=mel&device_id=1")).await.success();
    control.get("/worlds?prefix=ci--").await.is(json!({"worlds": []}));
    control.post(&format!("{WORLD}/journal/verify"), json!({"status": 99, "exactly": 0})).await.refused("$.status");
    control.post(&format!("{WORLD}/snapshots"), json!({"name": "before"})).await.success();
    for (body, part) in [
        (json!({"fork_of": "defualt"}), "$.fork_of: There is no world 'defualt'; the nearest is 'default'"),
        (
            json!({"fork_of": "default", "snapshot": "befor"}),
            "$.snapshot: There is no snapshot 'befor'; the nearest is 'before'",
        ),
        (json!({"fixture": "emty"}), "$.fixture: There is no fixture 'emty'; the nearest is 'empty'"),
        (
            json!({"fixture": "team.json"}),
            "$.fixture: control reads no files; give the document in 'team.json' itself, or start the server with --fixture",
        ),
    ] {
        control.post("/worlds", body).await.refused(part);
    }
    control.fault(json!({"effect": {"garbage": true}})).await;
    for (method, path, what) in [
        ("DELETE", "/faults/fault-2", "There is no fault 'fault-2'; the nearest is 'fault-1'"),
        ("DELETE", "/snapshots/befor", "There is no snapshot 'befor'; the nearest is 'before'"),
        ("POST", "/snapshots/befor/restore", "There is no snapshot 'befor'; the nearest is 'before'"),
    ] {
        let reply = control.send(method, &format!("{WORLD}{path}"), Vec::new()).await;
        reply.with_status(404).error("BAD_REQUEST", what);
    }
}

#[tokio::test]
async fn every_call_names_an_unknown_world_and_the_nearest() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    control.post("/worlds", json!({"name": "blue"})).await.success();
    let document = control.get("/openapi.json?control=true").await.body;
    let mut calls = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let Some(rest) = path.strip_prefix("/control/worlds/{name}") else { continue };
        for method in methods.as_object().expect("methods").keys() {
            let path = format!("/worlds/bleu{}", rest.replace(['{', '}'], ""));
            let reply = control.send(&method.to_uppercase(), &path, Vec::new()).await.with_status(404);
            reply.error("NONEXISTENT_SUBDOMAIN", "There is no world 'bleu'; the nearest is 'blue'");
            calls += 1;
        }
    }
    assert!(calls > 25, "{calls}");
}

#[tokio::test]
async fn requests_with_which_tests_get_keys_are_near_no_other() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let verify = async |body: Value| control.post(&format!("{WORLD}/journal/verify"), body).await.with_status(400).body;
    let key = json!({"username": "mel@chat.test"});
    server.anonymous().post("/dev_fetch_api_key", key).await.success();
    server.anonymous().get("/dev_list_users", json!({})).await.success();

    let body = verify(json!({"path": "/messages"})).await;
    assert_eq!(
        (&body["nearest"], &body["msg"]),
        (&json!([]), &json!("Expected at least 1 such request, found 0; no request came"))
    );
    let body = verify(json!({"path": "/dev_list_users", "exactly": 2})).await;
    assert_eq!(body["nearest"].as_array().map(Vec::len), Some(1), "the request to another path is left out");

    server.user("max").get("/users/me", json!({})).await.success();
    let body = verify(json!({"path": "/messages", "user": "mel"})).await;
    assert_eq!(body["msg"], "Expected at least 1 such request, found 0; mel@chat.test sent no request");
    assert_eq!(body["nearest"].as_array().map(Vec::len), Some(1), "{body}");
    let body = verify(json!({"path": "/messages", "user": "max"})).await;
    assert_eq!(body["msg"], "Expected at least 1 such request, found 0");
}

#[tokio::test]
async fn unknown_names_are_refused_with_those_that_there_are() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let refused = async |path: &str, message: &str| {
        control.delete(&format!("{WORLD}{path}")).await.with_status(404).error("BAD_REQUEST", message);
    };
    refused("/snapshots/a", "There is no snapshot 'a'; this world has none").await;
    refused("/queues/a", "There is no queue 'a'; this world has none").await;
    for number in 10..21 {
        control.post(&format!("{WORLD}/snapshots"), json!({"name": format!("s{number}")})).await.success();
        control.fault(json!({"effect": {"garbage": true}})).await;
    }
    let names: Vec<String> = (10..20).map(|number| format!("'s{number}'")).collect();
    let names = names.join(", ");
    refused(
        "/snapshots/s1x",
        &format!("There is no snapshot 's1x'; the nearest is 's19'; there are {names} and 1 more"),
    )
    .await;
    let verified = control.post(&format!("{WORLD}/journal/verify"), json!({"fault": "fault-77"})).await;
    verified.refused("; there are 'fault-1', 'fault-2', ");
}

#[tokio::test]
async fn a_release_is_refused_with_its_feature_level() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (body, refusal) in [
        (
            json!({"feature_level": "9.0"}),
            "$.feature_level: takes a feature level, a whole number; that of release 9.0 is 277",
        ),
        (
            json!({"feature_level": 10.0}),
            "$.feature_level: takes a feature level, a whole number; that of release 10.0 is 371",
        ),
        (json!({"feature_level": "newest"}), r#"$.feature_level: takes a whole number, not the text "newest""#),
        (json!({"feature_level": 1.5}), "$.feature_level: takes a whole number, not 1.5"),
        (json!({"feature_level": -1}), "$.feature_level: takes a whole number from 0 on"),
        (json!({"feature_level": u64::MAX}), "$.feature_level: takes a whole number, not 18446744073709551615"),
    ] {
        control.post("/worlds", body).await.refused(refusal);
    }
    control.post(&format!("{WORLD}/upgrade"), json!({"to": "12.0"})).await.refused("that of release 12.0 is 498");
    control.post("/worlds", json!({"feature_level": null})).await.success();
}

#[tokio::test]
async fn a_word_that_is_not_in_its_list_is_quoted_with_the_list_and_the_nearest() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let long = "x".repeat(1000);
    for (path, body, refusal) in [
        (
            "/worlds",
            json!({"dialect": "zulp"}),
            "$.dialect: takes neutral, zulip or a dialect's document, not 'zulp'; the nearest is 'zulip'",
        ),
        ("/worlds", json!({"dialect": 5}), "$.dialect: takes neutral, zulip or a dialect's document, not 5"),
        ("/worlds", json!({"dialect": long}), "xxx…'; the nearest is"),
        (
            "/worlds/default/reset",
            json!({"keep": ["reports"]}),
            "$.keep[0]: takes faults, journal or report (snapshots stay anyway), not 'reports'; the nearest is 'report'",
        ),
        ("/worlds/default/network", json!({"profile": "5g"}), "wifi, lossy, not '5g'; the nearest is '"),
        (
            "/worlds/default/journal/verify",
            json!({"method": "get"}),
            "$.method: takes an HTTP method in capitals, one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, not 'get'; the nearest is 'GET'",
        ),
    ] {
        control.post(path, body).await.refused(refusal);
    }
}

#[tokio::test]
async fn a_missing_request_says_which_other_world_received_requests() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    mel.get("/users/me", json!({})).await.success();
    let expected = json!({"path": "/messages", "timeout_ms": 1});
    let create = async || control.post("/worlds", json!({"fork_of": "default"})).await.success();
    let waited = async |world: &Value, expected: &Value| {
        let path = format!("/worlds/{}/journal/wait", world["name"].as_str().expect("a name"));
        control.post(&path, expected.clone()).await.with_status(408).body["msg"].as_str().expect("a text").to_owned()
    };
    let [mine, other, third] = [create().await, create().await, create().await];
    assert!(waited(&mine, &expected).await.ends_with("found 0; no request came"), "what came before does not count");

    mel.get("/users/me", json!({})).await.success();
    let in_default = "; the world 'default' got 1 request meanwhile";
    assert!(waited(&mine, &expected).await.ends_with(&format!("; no request came{in_default}")));
    let of_mel = json!({"path": "/messages", "user": "mel", "timeout_ms": 1});
    assert!(waited(&mine, &of_mel).await.ends_with(&format!("; mel@chat.test sent no request{in_default}")));

    for _ in 0..2 {
        user_in(&server, &other, "mel").get("/users/me", json!({})).await.success();
    }
    let in_other = format!("; the world '{}' got 2 requests meanwhile", other["name"].as_str().expect("a name"));
    assert!(waited(&mine, &expected).await.ends_with(&format!("{in_default}{in_other}")));
    user_in(&server, &third, "mel").get("/users/me", json!({})).await.success();
    assert!(waited(&mine, &expected).await.ends_with(in_default), "two other worlds are not named");
    user_in(&server, &mine, "mel").get("/users/me", json!({})).await.success();
    assert!(waited(&mine, &expected).await.ends_with("found 0"));
}
