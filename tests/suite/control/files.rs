//! Files: met by faults, entered into the journal, open to all pages.

use super::Control;
use crate::support::TestServer;
use serde_json::{Value, json};

const FAULTS: &str = "/worlds/default/faults";

#[tokio::test]
async fn faults_meet_files_and_the_journal_has_them() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let uploaded = mel.upload("/user_uploads", "a.txt", "text/plain", b"hello").await.success();
    let upload = uploaded["url"].as_str().expect("an address").to_owned();
    let picture =
        mel.get("/users/me", json!({})).await.success()["avatar_url"].as_str().expect("an address").to_owned();
    let icon = "/static/images/default-icon.png".to_owned();
    for (path, kind) in [
        (upload, "/user_uploads/*"),
        (picture, "/user_avatars/*"),
        (format!("/avatar/{}", mel.id()), "/avatar/*"),
        (icon, "/static/*"),
    ] {
        let id = control
            .fault(json!({"match": {"path": kind}, "times": 1,
            "effect": {"error": {"status": 503, "code": "DOWN", "msg": "Down"}}}))
            .await;
        let failed = mel.get(&path, json!({})).await.with_status(503);
        assert_eq!(failed.header("x-chatdouble-fault"), Some(id.as_str()), "{path}");
        let served = mel.get(&path, json!({})).await;
        assert!(served.status < 400, "{served}");

        let query = format!("/worlds/default/journal?path={}&limit=2", kind.replace('*', "%2A"));
        let entries = control.get(&query).await.success()["entries"].clone();
        let plain = path.split('?').next().expect("a path");
        assert_eq!((&entries[0]["path"], &entries[0]["status"]), (&json!(plain), &json!(503)));
        assert_eq!((&entries[0]["user"], &entries[0]["fault"]), (&json!("mel@chat.test"), &json!(id)));
        assert_eq!((&entries[1]["status"], &entries[1]["fault"]), (&json!(served.status), &Value::Null));
    }
    control.fault(json!({"effect": {"truncate_at": 3}})).await;
    let listed = control.get(FAULTS).await.success()["faults"].clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(5));
}

#[tokio::test]
async fn resumable_uploads_are_named_as_the_journal_spells_them() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for path in ["/tus", "/tus/", "/api/v1/tus/"] {
        control
            .fault(json!({"match": {"path": path}, "effect": {"error": {"status": 500, "code": "X", "msg": ""}}}))
            .await;
    }
    let reply = server.user("mel").post("/tus/", json!({})).await.with_status(500);
    assert_eq!(reply.header("x-chatdouble-fault"), Some("fault-1"));
}

#[tokio::test]
async fn pictures_may_be_read_by_pages_that_do_not_say_who_they_are() {
    let server = TestServer::start().await;
    let nobody = server.anonymous();
    let picture = server.user("mel").get("/users/me", json!({})).await.success()["avatar_url"].clone();
    for path in [picture.as_str().expect("an address"), "/static/images/default-icon.png"] {
        let reply = nobody.get(path, json!({})).await.with_status(200);
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"), "{path}");
    }
    for name in ["default-icon", "default-logo", "unknown-user-avatar"] {
        let reply = nobody.get(&format!("/static/images/{name}.png"), json!({})).await.with_status(200);
        assert!(reply.bytes.len() > 500 && reply.bytes.starts_with(b"\x89PNG"), "{name} shows something");
    }
    let one = TestServer::start_with(|options| options.cors_origin = "http://app.test".into()).await;
    let reply = one.anonymous().get("/static/images/default-icon.png", json!({})).await;
    assert_eq!(reply.header("access-control-allow-origin"), Some("http://app.test"));
    assert_eq!(reply.header("vary"), Some("Origin"));
}

#[tokio::test]
async fn an_address_of_a_world_works_behind_its_base_url_and_the_api() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let world = control.post("/worlds", json!({"name": "x"})).await.success();
    let mel = super::user_in(&server, &world, "mel");
    let uploaded = mel.upload("/user_uploads", "a.txt", "text/plain", b"hello").await.success();
    let url = uploaded["url"].as_str().expect("an address").to_owned();
    assert!(url.starts_with("/w/x/user_uploads/"), "{url}");

    let temporary = mel.get(&format!("/api/v1{url}"), json!({})).await.success();
    assert!(
        temporary["url"].as_str().is_some_and(|url| url.starts_with("/w/x/user_uploads/temporary/")),
        "{temporary}"
    );
}
