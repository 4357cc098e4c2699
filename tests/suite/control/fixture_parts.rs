//! Parts of a fixture that few organizations have.

use super::{Control, user_in};
use crate::support::{TestServer, User};
use serde_json::{Value, json};

#[tokio::test]
async fn a_fixture_has_switches_of_channels_exports_and_hidden_previews() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let person = |handle: &str, role: &str| json!({"handle": handle, "full_name": handle, "role": role, "api_key": server.user(handle).credentials().api_key});
    let document = json!({
        "users": [person("olive", "owner"), person("mel", "member")],
        "channels": [
            {"name": "loud", "default_push_notifications": true, "subscribers": [
                "olive", {"user": "mel", "notifications": {"push": false}},
            ]},
            {"name": "quiet", "subscribers": ["olive"]},
        ],
        "messages": [{"from": "olive", "channel": "loud", "topic": "x", "content": "https://x.test", "hide_link_previews_by": ["mel"]}],
        "exports": [
            {"by": "olive", "export_from_prior_server": true, "export_type": "full_with_consent"},
            {"id": 5, "by": "olive", "created": "-1h", "deleted": "-1m"},
        ],
    });
    let made = control.post("/worlds", json!({"name": "made", "fixture": document})).await.success();
    let [olive, mel] = ["olive", "mel"].map(|handle| user_in(&server, &made, handle));
    let pushes = async |user: &User| {
        let all = user.get("/users/me/subscriptions", json!({})).await.success();
        let all = all["subscriptions"].as_array().expect("a list").clone();
        let pair = |one: &Value| (one["default_push_notifications"].clone(), one["push_notifications"].clone());
        all.iter().map(pair).collect::<Vec<_>>()
    };
    assert_eq!(pushes(&olive).await, [(json!(true), json!(true)), (json!(false), Value::Null)]);
    assert_eq!(pushes(&mel).await, [(json!(true), json!(false))]);
    let flags = mel.get("/messages", json!({"anchor": "newest", "num_before": 1, "num_after": 0})).await.success();
    assert_eq!(flags["messages"][0]["flags"], json!(["read", "hide_link_previews"]));
    let exports = olive.get("/export/realm", json!({})).await.success();
    let shown: Vec<_> = exports["exports"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            (
                one["id"].clone(),
                one["export_type"].clone(),
                one["export_from_prior_server"].clone(),
                one["deleted_timestamp"].is_null(),
            )
        })
        .collect();
    assert_eq!(shown, [(json!(5), json!(1), json!(false), false), (json!(6), json!(2), json!(true), true)]);

    let state = control.get("/worlds/made/state").await.success()["state"].clone();
    control.post("/worlds", json!({"name": "again", "fixture": state})).await.success();
    assert_eq!(control.get("/worlds/again/state").await.success()["state"], state);

    for (part, key, value, reason) in [
        ("channels", "default_push_notifications", json!("on"), "$.fixture.channels[0].default_push_notifications"),
        ("channels", "default_push_notification", json!(true), "$.fixture.channels[0].default_push_notification"),
        ("exports", "by", json!("zoe"), "$.fixture.exports[0].by"),
        ("exports", "created", json!("now"), "$.fixture.exports[0].created"),
        ("exports", "failed", json!("-60d"), "$.fixture.exports[0].failed"),
    ] {
        let mut broken = document.clone();
        broken[part][0][key] = value;
        control.post("/worlds", json!({"name": "broken", "fixture": broken})).await.refused(reason);
    }
}
