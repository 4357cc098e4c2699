//! Who may do what with channels, and what becomes of those that end.

use super::{Age, send_old};
use crate::support::{TestServer, User};
use serde_json::{Value, json};

const NO_ADMINISTRATOR: &str = "Must be an organization administrator";

async fn make(user: &User, name: &str, more: Value) -> i64 {
    let mut params = json!({"subscriptions": [{"name": name}]});
    more.as_object().expect("an object").iter().for_each(|(name, value)| params[name] = value.clone());
    user.post("/users/me/subscriptions", params).await.success();
    let channels = user.get("/streams", json!({})).await.success()["streams"].take();
    let mut channels = channels.as_array().expect("a list").iter();
    channels.find(|one| one["name"] == name).expect("it is there")["stream_id"].as_i64().expect("a number")
}

#[tokio::test]
async fn only_administrators_changed_channels_before_325() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 325).await;
    for (age, maker_may) in [(before, false), (after, true)] {
        let (mel, adam, gus) = (age.user("mel"), age.user("adam"), age.user("gus"));
        let path = format!("/streams/{}", make(&mel, "melville", json!({})).await);
        let reply = mel.patch(&path, json!({"description": "mine"})).await;
        if maker_may {
            reply.success();
            mel.delete(&path, json!({})).await.success();
            continue;
        }
        reply.error("UNAUTHORIZED_PRINCIPAL", NO_ADMINISTRATOR);
        mel.delete(&path, json!({})).await.error("UNAUTHORIZED_PRINCIPAL", NO_ADMINISTRATOR);
        gus.patch(&path, json!({"description": "x"})).await.error("UNAUTHORIZED_PRINCIPAL", NO_ADMINISTRATOR);
        let hidden = format!("/streams/{}", server.channel("leadership"));
        gus.patch(&hidden, json!({"description": "x"})).await.error("BAD_REQUEST", "Invalid channel ID");
        gus.delete("/streams/99999", json!({})).await.error("BAD_REQUEST", "Invalid channel ID");
        adam.patch(&path, json!({"description": "x"})).await.success();
    }
}

#[tokio::test]
async fn only_subscribers_changed_who_may_unsubscribe_others_before_349() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 349).await;
    let id = make(&before.user("mel"), "closet", json!({"invite_only": true})).await;
    make(&after.user("mel"), "closet", json!({"invite_only": true})).await;
    let path = format!("/streams/{id}");
    let groups = before.user("olive").get("/user_groups", json!({})).await.success()["user_groups"].take();
    let mut groups = groups.as_array().expect("a list").iter();
    let members = groups.find(|group| group["name"] == "role:members").expect("it is there")["id"].clone();
    let change = json!({"can_remove_subscribers_group": {"new": members}});

    before.user("olive").patch(&path, change.clone()).await.error("BAD_REQUEST", "Invalid channel ID");
    before.user("olive").patch(&path, json!({"description": "still hers"})).await.success();
    after.user("olive").patch(&path, change).await.success();
}

#[tokio::test]
async fn archived_channels_lost_name_and_subscribers_before_315() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 315).await;
    for (age, is_buried) in [(before, true), (after, false)] {
        let (adam, mel) = (age.user("adam"), age.user("mel"));
        let id = make(&mel, "gone soon", json!({})).await;
        age.user("olive").patch("/realm", json!({"new_stream_announcements_stream_id": id})).await.success();
        let mut queue = mel.events(["stream", "message", "realm"]).await;
        adam.delete(&format!("/streams/{id}"), json!({})).await.success();
        let events = queue.all().await;
        let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
        if !is_buried {
            assert!(kinds.contains(&"message") && kinds.contains(&"realm"), "{kinds:?}");
            continue;
        }
        assert_eq!(kinds, ["stream"]);
        let received = &events[0]["streams"][0];
        assert_eq!((&received["name"], &received["invite_only"]), (&json!("gone soon"), &json!(false)));
        let state = mel.register(json!({})).await.state;
        assert_eq!(state["realm_new_stream_announcements_stream_id"], -1);

        // Its name is free, and administrators alone read it.
        let shown = adam.get(&format!("/streams/{id}"), json!({})).await.success()["stream"].take();
        let name = shown["name"].as_str().expect("a text");
        assert!(name.ends_with("!DEACTIVATED:gone soon") && name.len() == 29, "{name}");
        assert_eq!(shown["invite_only"], true);
        mel.get(&format!("/streams/{id}"), json!({})).await.error("BAD_REQUEST", "Invalid channel ID");
        let members = adam.get(&format!("/streams/{id}/members"), json!({})).await.success();
        assert_eq!(members["subscribers"], json!([]));
        assert_ne!(make(&mel, "gone soon", json!({})).await, id);
    }
}

#[tokio::test]
async fn vacant_private_channels_were_archived_before_361() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 361).await;
    for (age, is_kept) in [(before, false), (after, true)] {
        let (mel, max) = (age.user("mel"), age.user("max"));
        let id = make(&mel, "for two", json!({"invite_only": true, "principals": [mel.id(), max.id()]})).await;
        let leave = json!({"subscriptions": ["for two"]});
        mel.delete("/users/me/subscriptions", leave.clone()).await.success();
        let mut queue = age.user("adam").events(["stream"]).await;
        max.delete("/users/me/subscriptions", leave).await.success();
        if is_kept {
            queue.none().await;
        } else {
            queue.next().await.has(json!({"op": "delete", "stream_ids": [id]}));
        }
    }
}

#[tokio::test]
async fn names_of_channels_were_a_bad_request_before_417() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 417).await;
    let path = format!("/streams/{}", server.channel("engineering"));
    for (age, taken, unknown) in
        [(before, "BAD_REQUEST", "BAD_REQUEST"), (after, "CHANNEL_ALREADY_EXISTS", "STREAM_DOES_NOT_EXIST")]
    {
        let reply = age.user("adam").patch(&path, json!({"new_name": "general"})).await;
        assert_eq!((reply.body["code"].as_str(), reply.status == 409), (Some(taken), taken != "BAD_REQUEST"));
        let leave = json!({"subscriptions": ["nowhere"]});
        let reply = age.user("mel").delete("/users/me/subscriptions", leave).await;
        assert_eq!(reply.body["code"], unknown);
        assert_eq!(reply.body.get("stream").is_some(), unknown != "BAD_REQUEST");
        let reply = age.user("mel").patch("/users/me/subscriptions", json!({"delete": ["nowhere"]})).await;
        assert_eq!(reply.body["code"], unknown);
    }
}

#[tokio::test]
async fn settings_of_subscriptions_were_plain_texts_before_274() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 274).await;
    let path = format!("/users/me/subscriptions/{}", server.channel("general"));
    let color = |text: &str| json!({"property": "color", "value": text});
    let muted = json!({"property": "is_muted", "value": "true"});
    before.user("mel").patch(&path, color("#c2c2c2")).await.success();
    assert_ne!(before.user("mel").patch(&path, color("\"#c2c2c2\"")).await.status, 200);
    before.user("mel").patch(&path, muted.clone()).await.error("BAD_REQUEST", "is_muted is not a boolean");
    after.user("mel").patch(&path, color("\"#c2c2c2\"")).await.success();
    after.user("mel").patch(&path, muted).await.success();
}

#[tokio::test]
async fn unchanged_policies_of_posting_were_sent_again_before_333() {
    let server = TestServer::start().await;
    let before = Age::at(&server, 332).await;
    let path = format!("/streams/{}", server.channel("general"));
    let mut queue = before.user("mel").events(["stream", "message"]).await;
    for _ in 0..2 {
        before.user("adam").patch(&path, json!({"stream_post_policy": 2})).await.success();
        queue.next().await.has(json!({"property": "stream_post_policy", "value": 2}));
        queue.next().await.has(json!({"property": "is_announcement_only", "value": true}));
        queue.next().await.has(json!({"type": "message"}));
    }
    send_old(&before.user("adam"), "general", "t", "x").await;
}

#[tokio::test]
async fn administering_a_channel_had_no_code_before_388() {
    let server = TestServer::start().await;
    for (age, code) in Age::around(&server, 388).await.iter().zip(["BAD_REQUEST", "CANNOT_ADMINISTER_CHANNEL"]) {
        let path = format!("/streams/{}", server.channel("general"));
        for reply in [
            age.user("max").patch(&path, json!({"description": "x"})).await,
            age.user("max").delete(&path, json!({})).await,
        ] {
            reply.error(code, "You do not have permission to administer this channel.");
        }
    }
}
