//! What the notification bot said of channels.

use super::{Age, send_old};
use crate::support::{TestServer, User};
use chatdouble::api::NEWEST_FEATURE_LEVEL;
use serde_json::{Value, json};

/// The Markdown and the topic of the newest message that a user finds in a narrow.
async fn newest(user: &User, narrow: Value) -> (String, Value) {
    let query = json!({
        "anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow, "apply_markdown": false,
    });
    let reply = user.get("/messages", query).await.success();
    let message = &reply["messages"][0];
    (message["content"].as_str().unwrap_or_default().to_owned(), message["subject"].clone())
}

/// A new channel, with its ID and the narrow of it.
async fn made(user: &User) -> (Value, Value) {
    user.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "made"}]})).await.success();
    let id = user.get("/get_stream_id", json!({"stream": "made"})).await.success()["stream_id"].take();
    (id, json!([["stream", "made"]]))
}

#[tokio::test]
async fn notices_linked_help_of_streams_before_256() {
    let server = TestServer::start().await;
    for (level, page, posting, noun) in [
        (247, "stream-permissions", "stream-sending-policy", "stream"),
        (255, "stream-permissions", "stream-sending-policy", "channel"),
        (256, "channel-permissions", "channel-posting-policy", "channel"),
        (387, "channel-permissions", "channel-posting-policy", "channel"),
        (NEWEST_FEATURE_LEVEL, "channel-permissions", "channel-posting-policy", "channel"),
    ] {
        let olive = Age::at(&server, level).await.user("olive");
        let (id, narrow) = made(&olive).await;
        let path = format!("/streams/{id}");
        olive.patch(&path, json!({"is_private": true})).await.success();
        let (text, topic) = newest(&olive, narrow.clone()).await;
        let words = format!(
            " changed the [access permissions](/help/{page}) for this {noun} from **Public** to **Private, protected history**."
        );
        assert!(text.ends_with(&words), "at {level}: {text}");
        assert_eq!(topic, format!("{noun} events"));
        olive.patch(&path, json!({"message_retention_days": 30})).await.success();
        let (text, _) = newest(&olive, narrow.clone()).await;
        let words = format!("Messages in this {noun} will now be automatically deleted 30 days after they are sent.");
        assert!(text.ends_with(&words), "at {level}: {text}");
        let policy = if level < 333 { json!({"stream_post_policy": 2}) } else { posters(&olive).await };
        olive.patch(&path, policy).await.success();
        let (text, _) = newest(&olive, narrow).await;
        assert!(
            text.contains(&format!(" changed the [posting permissions](/help/{posting}) for this {noun}:")),
            "{text}"
        );
    }
}

/// A change of those who may post to administrators, one group and one user.
async fn posters(olive: &User) -> Value {
    let groups = olive.get("/user_groups", json!({})).await.success();
    let mut groups = groups["user_groups"].as_array().expect("a list").iter();
    let administrators = groups.find(|group| group["name"] == "role:administrators").expect("it is there");
    json!({"can_send_message_group": {
        "new": {"direct_members": [olive.id()], "direct_subgroups": [administrators["id"]]},
    }})
}

#[tokio::test]
async fn posting_notices_named_policies_before_333() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 333).await;
    let olive = before.user("olive");
    let (id, narrow) = made(&olive).await;
    olive.patch(&format!("/streams/{id}"), json!({"stream_post_policy": 2})).await.success();
    let (text, _) = newest(&olive, narrow).await;
    let lines = "* **Old permissions**: All channel members can post.\n* **New permissions**: Only organization administrators can post.";
    assert!(text.ends_with(lines), "{text}");

    let olive = after.user("olive");
    let (id, narrow) = made(&olive).await;
    olive.patch(&format!("/streams/{id}"), posters(&olive).await).await.success();
    let (text, _) = newest(&olive, narrow).await;
    let lines =
        format!("* **Old**: @_*role:everyone*\n* **New**: @_*role:administrators*, @_**Olive Ortega|{}**", olive.id());
    assert!(text.ends_with(&lines), "{text}");
}

#[tokio::test]
async fn unchanged_posting_policies_were_sent_before_333() {
    let server = TestServer::start().await;
    let olive = Age::at(&server, 332).await.user("olive");
    let (id, _) = made(&olive).await;
    let mut events = olive.events(["stream"]).await;
    olive.patch(&format!("/streams/{id}"), json!({"stream_post_policy": 1})).await.success();
    let kinds = |events: Vec<Value>| events.into_iter().map(|mut event| event["property"].take()).collect::<Vec<_>>();
    assert_eq!(
        kinds(events.all().await),
        ["can_send_message_group", "stream_post_policy", "is_announcement_only"][1..]
    );

    for level in [333, NEWEST_FEATURE_LEVEL] {
        let olive = Age::at(&server, level).await.user("olive");
        let (id, _) = made(&olive).await;
        let mut events = olive.events(["stream"]).await;
        // Whoever may post, by the policy everybody may.
        olive.patch(&format!("/streams/{id}"), posters(&olive).await).await.success();
        assert_eq!(kinds(events.all().await), ["can_send_message_group"], "at {level}");
    }
}

#[tokio::test]
async fn notices_of_archiving_were_unread_before_347() {
    let server = TestServer::start().await;
    for (level, flags) in
        [(315, json!([])), (346, json!([])), (347, json!(["read"])), (NEWEST_FEATURE_LEVEL, json!(["read"]))]
    {
        let olive = Age::at(&server, level).await.user("olive");
        let (id, _) = made(&olive).await;
        let capabilities = json!({"notification_settings_null": true, "archived_channels": true});
        let mut events = olive.register(json!({"client_capabilities": capabilities, "apply_markdown": true})).await;
        olive.delete(&format!("/streams/{id}"), json!({})).await.success();
        let events = events.all().await;
        let last = events.last().expect("there are some");
        assert_eq!(last["message"]["content"], "<p>Channel made has been archived.</p>", "at {level}: {last}");
        assert_eq!(last["flags"], flags, "at {level}");
    }
}

#[tokio::test]
async fn archived_channels_take_no_notices() {
    let server = TestServer::start().await;
    for level in [315, 387, NEWEST_FEATURE_LEVEL] {
        let olive = Age::at(&server, level).await.user("olive");
        let (id, _) = made(&olive).await;
        olive.delete(&format!("/streams/{id}"), json!({})).await.success();
        let mut events = olive.events(["message"]).await;
        olive.patch(&format!("/streams/{id}"), json!({"description": "an attic"})).await.success();
        events.none().await;
    }
}

#[tokio::test]
async fn notices_of_subscriptions_mentioned_aloud_before_378() {
    let server = TestServer::start().await;
    for (level, mark, what) in [
        (247, "@**", "the stream #**general**"),
        (254, "@**", "the stream #**general**"),
        (255, "@**", "the channel #**general**"),
        (377, "@**", "the channel #**general**"),
        (378, "@_**", "#**general**"),
        (NEWEST_FEATURE_LEVEL, "@_**", "#**general**"),
    ] {
        let age = Age::at(&server, level).await;
        let (olive, mel) = (age.user("olive"), age.user("mel"));
        mel.delete("/users/me/subscriptions", json!({"subscriptions": ["general"]})).await.success();
        let added = json!({"subscriptions": [{"name": "general"}], "principals": [mel.id()]});
        olive.post("/users/me/subscriptions", added).await.success();
        let (text, _) = newest(&mel, json!([["is", "private"]])).await;
        assert_eq!(text, format!("{mark}Olive Ortega|{}** subscribed you to {what}.", olive.id()), "at {level}");
    }
}

#[tokio::test]
async fn private_channels_are_announced_without_a_link() {
    let server = TestServer::start().await;
    for level in [387, NEWEST_FEATURE_LEVEL] {
        let olive = Age::at(&server, level).await.user("olive");
        for (is_private, link) in [(true, "#<strong>"), (false, "<a class=\"stream\"")] {
            let name = if is_private { "hidden" } else { "shown" };
            let new = json!({"subscriptions": [{"name": name}], "invite_only": is_private, "announce": true});
            let wish = json!({"event_types": ["message"], "apply_markdown": true});
            let mut events = olive.register(wish).await;
            olive.post("/users/me/subscriptions", new).await.success();
            let event = events.next().await.has(json!({"message": {"subject": "new channels"}}));
            let html = event["message"]["content"].as_str().unwrap_or_default();
            assert!(html.contains(&format!("created a new channel {link}")), "at {level}: {html}");
        }
    }
}

#[tokio::test]
async fn topic_policies_survived_deletion_before_333() {
    let server = TestServer::start().await;
    for (level, is_gone) in [(332, false), (333, true), (NEWEST_FEATURE_LEVEL, true)] {
        let age = Age::at(&server, level).await;
        let (olive, mel) = (age.user("olive"), age.user("mel"));
        let general = server.channel("general");
        send_old(&mel, "general", "doomed", "x").await;
        let mute = json!({"stream_id": general, "topic": "doomed", "visibility_policy": 1});
        mel.post("/user_topics", mute).await.success();
        let mut events = mel.events(["user_topic"]).await;
        olive.post(&format!("/streams/{general}/delete_topic"), json!({"topic_name": "Doomed"})).await.success();
        let sent: Vec<Value> = events.all().await.into_iter().map(|mut one| one["visibility_policy"].take()).collect();
        assert_eq!(sent, if is_gone { vec![json!(0)] } else { vec![] }, "at {level}");
    }
}
