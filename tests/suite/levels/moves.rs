//! Moving messages, and marking topics as resolved, before.

use super::{Age, send_old};
use crate::support::{Reply, TestServer, User};
use chatdouble::api::NEWEST_FEATURE_LEVEL;
use serde_json::{Value, json};

/// The message's ID as a number.
async fn send(user: &User, channel: &str, topic: &str, content: &str) -> i64 {
    send_old(user, channel, topic, content).await.as_i64().expect("an ID")
}

/// The group that nobody is in.
async fn nobody(user: &User) -> Value {
    let groups = user.get("/user_groups", json!({})).await.success();
    let mut groups = groups["user_groups"].as_array().expect("a list").iter();
    groups.find(|group| group["name"] == "role:nobody").expect("it is there")["id"].clone()
}

/// The reply to a user who renames a topic.
async fn renamed(user: &User) -> Reply {
    let id = send(user, "general", "plan", "what now?").await;
    user.patch(&format!("/messages/{id}"), json!({"topic": "other"})).await
}

#[tokio::test]
async fn resolve_notices_stayed_before_264() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 264).await;
    for (age, stays) in [(&before, true), (&after, false)] {
        let adam = age.user("adam");
        let id = send(&adam, "general", "plan", "what now?").await;
        let mut events = adam.events(["message", "delete_message"]).await;
        let path = format!("/messages/{id}");
        adam.patch(&path, json!({"topic": "✔ plan", "propagate_mode": "change_all"})).await.success();
        events.next().await.has(json!({"type": "message"}));
        adam.patch(&path, json!({"topic": "plan", "propagate_mode": "change_all"})).await.success();
        let kind = if stays { "message" } else { "delete_message" };
        events.next().await.has(json!({"type": kind}));
    }
}

#[tokio::test]
async fn whoever_moves_messages_has_the_notice_unread_at_every_level() {
    let server = TestServer::start().await;
    for level in [247, 387, NEWEST_FEATURE_LEVEL] {
        let adam = Age::at(&server, level).await.user("adam");
        let id = send(&adam, "general", "old", "move me").await;
        let mut events = adam.events(["message"]).await;
        adam.patch(&format!("/messages/{id}"), json!({"topic": "new"})).await.success();
        assert_eq!(events.next().await.has(json!({"type": "message"}))["flags"], json!([]), "at {level}");
    }
}

#[tokio::test]
async fn resolve_notices_were_unread_for_participants_before_385() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 385).await;
    for (age, participants_alone) in [(&before, true), (&after, false)] {
        let (adam, mel, max) = (age.user("adam"), age.user("mel"), age.user("max"));
        let id = send(&mel, "general", "plan", "what now?").await;
        max.post(&format!("/messages/{id}/reactions"), json!({"emoji_name": "tada"})).await.success();
        let mut queues = [mel.events(["message"]).await, max.events(["message"]).await];
        let marked = json!({"topic": "✔ plan", "propagate_mode": "change_all"});
        adam.patch(&format!("/messages/{id}"), marked).await.success();
        let mut unread = Vec::new();
        for queue in &mut queues {
            unread.push(queue.next().await.has(json!({"type": "message"}))["flags"] == json!([]));
        }
        // Mel follows the topic that he began.
        assert_eq!(unread, [true, participants_alone]);
    }
}

#[tokio::test]
async fn resolving_required_the_permission_to_rename_before_367() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 367).await;
    for (age, is_apart) in [(&before, false), (&after, true)] {
        let olive = age.user("olive");
        let nobody = nobody(&olive).await;
        let wish = json!({"can_move_messages_between_topics_group": {"new": nobody}});
        olive.patch("/realm", wish).await.success();
        // Nobody has a right of their own, whatever their role.
        assert_eq!(renamed(&olive).await.status, 400);
        let mel = age.user("mel");
        let id = send(&mel, "general", "plan", "what now?").await;
        let marked = json!({"topic": "✔ plan", "propagate_mode": "change_all"});
        assert_eq!(mel.patch(&format!("/messages/{id}"), marked).await.status == 200, is_apart);
    }
}

#[tokio::test]
async fn renaming_was_refused_as_editing_before_388() {
    let server = TestServer::start().await;
    let words = ["You don't have permission to edit this message", "You don't have permission to move this message"];
    for (age, message) in Age::around(&server, 388).await.iter().zip(words) {
        let olive = age.user("olive");
        let nobody = json!({"can_move_messages_between_topics_group": {"new": nobody(&olive).await}});
        olive.patch("/realm", nobody).await.success();
        renamed(&olive).await.error("BAD_REQUEST", message);
    }
}

#[tokio::test]
async fn resolve_refusals_did_not_name_the_channel_before_402() {
    let server = TestServer::start().await;
    let words = [
        "You don't have permission to resolve topics.",
        "You don't have permission to resolve topics in this channel.",
    ];
    for (age, message) in Age::around(&server, 402).await.iter().zip(words) {
        let olive = age.user("olive");
        let nobody = json!({"can_resolve_topics_group": {"new": nobody(&olive).await}});
        olive.patch("/realm", nobody).await.success();
        let id = send(&olive, "general", "plan", "what now?").await;
        let reply = olive.patch(&format!("/messages/{id}"), json!({"topic": "✔ plan"})).await;
        reply.error("BAD_REQUEST", message);
    }
}

/// Whoever has no right to move messages has none, administrators of the channel or the organization included.
#[tokio::test]
async fn messages_move_by_permission_alone_at_every_level() {
    let server = TestServer::start().await;
    for level in [325, 387, NEWEST_FEATURE_LEVEL] {
        let olive = Age::at(&server, level).await.user("olive");
        let nobody = json!({"can_move_messages_between_channels_group": {"new": nobody(&olive).await}});
        olive.patch("/realm", nobody).await.success();
        let id = send(&olive, "general", "t", "x").await;
        let place = json!({"stream_id": server.channel("engineering")});
        let reply = olive.patch(&format!("/messages/{id}"), place).await;
        reply.error("BAD_REQUEST", "You don't have permission to move this message");
    }
}

#[tokio::test]
async fn moves_leave_the_first_message_of_a_channel() {
    let server = TestServer::start().await;
    for level in [256, 387, NEWEST_FEATURE_LEVEL] {
        let adam = Age::at(&server, level).await.user("adam");
        let first = send(&adam, "quiet", "t", "first").await;
        let channel = format!("/streams/{}", server.channel("quiet"));
        let noted = async || adam.get(&channel, json!({})).await.success()["stream"]["first_message_id"].clone();
        let before = noted().await;
        let mut events = adam.events(["stream"]).await;
        let place = json!({"stream_id": server.channel("general"), "propagate_mode": "change_all"});
        adam.patch(&format!("/messages/{first}"), place).await.success();
        events.none().await;
        assert_eq!(noted().await, before, "at {level}");
    }
}

#[tokio::test]
async fn names_broke_links_in_notices_of_moves_before_384() {
    let server = TestServer::start().await;
    let general = server.channel("general");
    let links = [
        "#**general>a > b**".to_owned(),
        format!("[#general > a &gt; b](#narrow/channel/{general}-general/topic/a.20.3E.20b)"),
    ];
    for (age, link) in Age::around(&server, 384).await.iter().zip(links) {
        let adam = age.user("adam");
        let id = send(&adam, "general", "a > b", "move me").await;
        let mut events = adam.events(["message"]).await;
        adam.patch(&format!("/messages/{id}"), json!({"topic": "new", "propagate_mode": "change_all"})).await.success();
        let event = events.next().await.has(json!({"type": "message"}));
        let text = event["message"]["content"].as_str().unwrap_or_default().to_owned();
        assert!(text.starts_with(&format!("This topic was moved here from {link} by ")), "{text}");
    }
}

#[tokio::test]
async fn moves_were_not_sent_to_the_new_channel_before_340() {
    let server = TestServer::start().await;
    for (age, is_sent) in Age::around(&server, 340).await.iter().zip([false, true]) {
        let (olive, nora) = (age.user("olive"), age.user("nora"));
        let here = json!({"subscriptions": [{"name": "here"}]});
        olive.post("/users/me/subscriptions", here).await.success();
        let id = send(&olive, "here", "t", "x").await;
        let mut events = nora.events(["update_message"]).await;
        let place = json!({"stream_id": server.channel("general"), "send_notification_to_new_thread": false});
        olive.patch(&format!("/messages/{id}"), place).await.success();
        assert_eq!(events.all().await.len(), usize::from(is_sent));
    }
}
