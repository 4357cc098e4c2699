//! What is in a world, whoever may see it, and what somebody sees of it.

use super::Control;
use crate::support::TestServer;
use serde_json::{Value, json};

fn named<'list>(list: &'list Value, key: &str, name: &str) -> &'list Value {
    let rows = list.as_array().expect("a list");
    rows.iter().find(|row| row[key] == name).unwrap_or_else(|| panic!("no {name} in {list}"))
}

#[tokio::test]
async fn accounts_are_listed_with_keys_that_open_them() {
    let server = TestServer::start().await;
    let control = Control::of(&server);

    let listed = control.get("/worlds/default/users").await.success();
    let mel = named(&listed["users"], "email", "mel@chat.test");
    let bot = named(&listed["users"], "email", "build-bot@chat.test");
    let unread = json!([{"operator": "is", "operand": "unread"}]);
    let params = json!({"anchor": "newest", "num_before": 1000, "num_after": 0, "narrow": unread});
    let unread = server.user("mel").get("/messages", params).await.success();

    assert_eq!(mel["api_key"], "melKey00000000000000000000000000");
    assert_eq!([&mel["role"], &mel["is_bot"], &mel["owner"]], [&json!("member"), &json!(false), &Value::Null]);
    assert_eq!([&bot["is_bot"], &bot["owner"]], [&json!(true), &json!("mel@chat.test")]);
    assert_eq!(mel["unread"], json!(unread["messages"].as_array().map(Vec::len)));
    assert_eq!(named(&listed["users"], "email", "dana@chat.test")["is_active"], false);
    for name in ["mel", "mel@chat.test"] {
        let found = control.get(&format!("/worlds/default/users?user={name}")).await.success();
        assert_eq!(found["users"], json!([mel]), "{name}");
    }
    let unknown = control.get("/worlds/default/users?user=mell").await;
    unknown.error("BAD_REQUEST", "user: there is no user 'mell' in this world; the nearest is 'mel'");
    // Looking leaves no trace.
    control.post("/worlds/default/journal/verify", json!({"path": "/users", "exactly": 0})).await.success();
}

#[tokio::test]
async fn who_sees_a_channel_is_what_the_api_shows_them() {
    let server = TestServer::start().await;
    let control = Control::of(&server);

    for handle in ["olive", "mel", "max", "gus", "nora"] {
        let listed = control.get(&format!("/worlds/default/channels?seen_by={handle}")).await.success();
        let shown = server.user(handle).get("/streams", json!({"include_all": true, "exclude_archived": false})).await;
        let shown: Vec<&str> =
            shown.body["streams"].as_array().expect("channels").iter().filter_map(|one| one["name"].as_str()).collect();
        for channel in listed["channels"].as_array().expect("channels") {
            let name = channel["name"].as_str().expect("a name");
            assert_eq!(channel["visible"], shown.contains(&name), "{handle}: {channel}");
            assert_eq!(channel["reason"].is_string(), channel["visible"] == false, "{handle}: {channel}");
        }
    }
    let listed = control.get("/worlds/default/channels").await.success();
    let announcements = named(&listed["channels"], "name", "announcements");
    let posting = named(&announcements["permissions"], "name", "can_send_message_group");
    assert_eq!(posting["holders"], "role:administrators");
    assert_eq!(posting["users"], json!([server.user("olive").id(), server.user("adam").id()]));
    assert_eq!(announcements.get("visible"), None);
    let general = named(&listed["channels"], "name", "general");
    assert_eq!(general["description"], "For **everyone**, about everything.");
    assert_eq!(general["rendered_description"], "<p>For <strong>everyone</strong>, about everything.</p>");
}

#[tokio::test]
async fn who_sees_a_message_is_what_the_api_shows_them() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let everything = json!({"anchor": "newest", "num_before": 1000, "num_after": 0});

    for handle in ["olive", "mel", "max", "gus"] {
        let listed = control.get(&format!("/worlds/default/messages?limit=1000&seen_by={handle}")).await.success();
        let user = server.user(handle);
        for message in listed["messages"].as_array().expect("messages") {
            let id = &message["message_id"];
            let fetched = user.get(&format!("/messages/{id}"), json!({})).await;
            assert_eq!(message["visible"], fetched.status == 200, "{handle}: {message}\n{fetched}");
            assert_eq!(message["reason"].is_string(), message["visible"] == false, "{message}");
        }
        let own = user.get("/messages", everything.clone()).await;
        let unread =
            |message: &&Value| !message["flags"].as_array().is_some_and(|flags| flags.contains(&json!("read")));
        let unread: Vec<i64> = own.body["messages"]
            .as_array()
            .expect("messages")
            .iter()
            .filter(unread)
            .filter_map(|one| one["id"].as_i64())
            .collect();
        for message in listed["messages"].as_array().expect("messages") {
            let id = message["message_id"].as_i64().expect("an id");
            assert_eq!(message["is_unread"], unread.contains(&id), "{handle}: {message}");
        }
    }
}

#[tokio::test]
async fn messages_are_narrowed_and_counted() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let mut sent = Vec::new();
    for text in ["one", "two", "three"] {
        sent.push(mel.send_to("general", "counting", text).await);
    }
    let ids = async |query: &str| {
        let listed = control.get(&format!("/worlds/default/messages?{query}")).await.success();
        listed["messages"].as_array().expect("messages").iter().map(|one| one["message_id"].clone()).collect::<Vec<_>>()
    };

    let general = server.channel("general");
    assert_eq!(
        ids(&format!("channel={general}&topic=counting")).await,
        [json!(sent[0]), json!(sent[1]), json!(sent[2])]
    );
    assert_eq!(ids("limit=1").await, [json!(sent[2])]);
    assert_eq!(ids(&format!("topic=counting&before={}&limit=1", sent[2])).await, [json!(sent[1])]);
    assert_eq!(ids("topic=nothing").await, [] as [Value; 0]);
    let bold = mel.send_to("general", "bold", "**Soup**").await;
    let listed = control.get("/worlds/default/messages?limit=1&rendered=true").await.success();
    let row = &listed["messages"][0];
    assert_eq!([&row["message_id"], &row["content"]], [&json!(bold), &json!("**Soup**")]);
    assert_eq!(row["rendered_content"], "<p><strong>Soup</strong></p>");
    let listed = control.get("/worlds/default/messages?limit=1").await.success();
    assert_eq!(listed["messages"][0].get("rendered_content"), None);
    let _ = control.get("/worlds/default/messages?seen_by=mell").await.with_status(400);
    let _ = control.get("/worlds/default/messages?colour=red").await.with_status(400);
}

#[tokio::test]
async fn groups_are_listed_with_all_in_them() {
    let server = TestServer::start().await;
    let control = Control::of(&server);

    let listed = control.get("/worlds/default/groups").await.success();
    let administrators = named(&listed["groups"], "name", "role:administrators");
    assert_eq!(administrators["all_members"], json!([server.user("olive").id(), server.user("adam").id()]));
    assert_eq!(administrators["subgroups"], json!(["role:owners"]));
}

#[tokio::test]
async fn the_journal_says_what_would_have_worked_and_which_client_asked() {
    let server = TestServer::start().await;
    let control = Control::of(&server);

    let refused = server.user("mel").get("/mesages", json!({})).await.with_status(404);
    let listed = control.get("/worlds/default/journal").await.success();

    assert_eq!(listed["entries"][0]["hint"].as_str(), refused.header("x-chatdouble-hint"));
    assert_eq!(listed["entries"][0]["client"], "Unspecified");
    let _ = server.user("mel").get("/users/me", json!({})).await.with_status(200);
    let listed = control.get("/worlds/default/journal?limit=1").await.success();
    assert_eq!(listed["entries"][0].get("hint"), None);
}
