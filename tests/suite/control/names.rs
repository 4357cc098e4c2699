//! Names in filters, assertions and faults: what no request, device, world or channel can have is refused, since it would
//! match nothing in silence.

use super::Control;
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
        (json!({"path": "/static"}), "path: no operation has the path"),
        (json!({"method": "DELETE", "path": "/messages"}), "method: /messages has"),
        (json!({"method": "HEAD", "path": "/messages"}), "method: HEAD is carried out and entered as GET"),
        (json!({"method": "POST", "path": "/static/*"}), "method: /static/* has GET"),
        (
            json!({"method": "POST", "path": "/messages", "params": {"contnet": "x"}}),
            "params.contnet: POST /messages does not take a parameter 'contnet'; the nearest is 'content'",
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
        (json!({"path": "/user_uploads/{realm_id}/{filename}", "exactly": 0}), 0),
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
    assert_eq!(body["nearest"].as_array().map(Vec::len), Some(2));

    server.user("max").get("/users/me", json!({})).await.success();
    let body = verify(json!({"path": "/messages", "user": "mel"})).await;
    assert_eq!(body["msg"], "Expected at least 1 such request, found 0; mel@chat.test sent no request");
    assert_eq!(body["nearest"].as_array().map(Vec::len), Some(1), "{body}");
    let body = verify(json!({"path": "/messages", "user": "max"})).await;
    assert_eq!(body["msg"], "Expected at least 1 such request, found 0");
}
