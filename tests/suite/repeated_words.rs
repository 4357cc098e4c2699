//! What the notification bot repeats of people's words: it arrives, is rendered as those who wrote it see the
//! organization, and notifies nobody.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

/// A text that names what is hidden from members, mentions everybody and has several lines.
const WORDS: &str =
    "first\n\n@*role:members* @**all** @**topic** @**Mel Marsh**\r\n#**leadership** #**leadership>plans**";

/// The newest message that somebody has, as HTML.
async fn newest(user: &User) -> Value {
    let params = json!({"anchor": "newest", "num_before": 1, "num_after": 0});
    user.get("/messages", params).await.success()["messages"][0].clone()
}

async fn remind(user: &User, note: &str) -> Value {
    let params = json!({"note": note, "scheduled_delivery_timestamp": 1_767_268_860});
    user.post("/reminders", params).await.success();
    user.get("/reminders", json!({})).await.success()["reminders"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|reminder| reminder["note"] == note)
        .cloned()
        .expect("it is listed")
}

#[tokio::test]
async fn a_note_is_quoted_line_by_line_and_arrives_whatever_it_mentions() {
    let server = TestServer::start().await;
    let max = server.user("max");

    let reminder = remind(&max, WORDS).await;
    server.advance(60).await;

    let sent = newest(&max).await;
    assert_eq!(sent["sender_full_name"], "Notification Bot", "{sent}");
    assert_eq!(sent["content"], reminder["rendered_content"]);
    let html = sent["content"].as_str().expect("HTML");
    let (own, quote) = html.split_once("<blockquote>").expect("a quote");
    assert_eq!(own, "<p>You requested a reminder. Note:</p>\n");
    assert!(quote.ends_with("</blockquote>"), "{html}");
    assert!(quote.contains("<p>first</p>") && quote.contains(">Members</span>"), "{html}");
    assert_eq!(sent["flags"], json!([]), "no mention counts");
}

#[tokio::test]
async fn a_note_shows_nothing_of_channels_that_its_author_cannot_see() {
    let server = TestServer::start().await;
    let [max, mona] = server.users(["max", "mona"]);

    remind(&max, "#**leadership** #**leadership>strategy**").await;
    remind(&mona, "#**leadership**").await;
    server.advance(60).await;

    let sent = newest(&max).await;
    let html = sent["content"].as_str().expect("HTML");
    assert!(html.contains("#<strong>leadership</strong> #<strong>leadership&gt;strategy</strong>"), "{html}");
    let seen = newest(&mona).await;
    assert!(seen["content"].as_str().is_some_and(|html| html.contains("data-stream-id")), "{seen}");
}

#[tokio::test]
async fn a_welcome_text_arrives_whatever_it_mentions() {
    let server = TestServer::start().await;
    let [olive, adam] = server.users(["olive", "adam"]);
    let text = "Ask @*role:moderators* or @**all** please";
    olive.patch("/realm", json!({"welcome_message_custom_text": text})).await.success();
    let invited = adam.post("/invites/multiuse", json!({})).await.success();
    let link = invited["invite_link"].as_str().expect("a link").trim_end_matches('/');
    let key = link.rsplit('/').next().expect("a key");

    let params = json!({"email": "new@chat.test", "full_name": "New Person"}).to_string().into_bytes();
    let path = format!("/control/worlds/default/invites/{key}/accept");
    let accepted = server.anonymous().send("POST", &path, &Value::Null, params, Some("application/json")).await;
    let id = accepted.success()["user_id"].as_i64().expect("an ID");

    let welcomed = |text: &str, user_id: i64| {
        let realm = server.server().world("default").snapshot();
        let is_meant = |id: &i64| *id == user_id;
        let mut messages = realm.messages.values().filter(|message| message.body.content == text);
        let message = messages.find(|message| message.recipients.iter().map(|user| user.0).any(|id| is_meant(&id)));
        message.expect("it was sent").body.rendered_html().into_owned()
    };
    let html = welcomed(text, id);
    assert!(html.contains("user-group-mention silent") && html.contains("channel-wildcard-mention silent"), "{html}");

    let tested = "Try @*role:moderators*";
    let tried =
        olive.post("/realm/test_welcome_bot_custom_message", json!({"welcome_message_custom_text": tested})).await;
    assert!(tried.success()["message_id"].is_i64());
    assert!(welcomed(tested, olive.id()).contains("user-group-mention silent"));
}

#[tokio::test]
async fn a_report_is_taken_whatever_it_mentions_and_notifies_nobody() {
    let server = TestServer::start().await;
    let [max, olive] = server.users(["max", "olive"]);
    let message = server.message("Thank you, it is");
    let mut at_olive = olive.events(["message"]).await;

    let params = json!({"report_type": "other", "description": WORDS});
    max.post(&format!("/messages/{message}/report"), params).await.success();

    let event = at_olive.next().await.has(json!({"type": "message"}));
    assert_eq!(event["flags"], json!([]), "{event}");
    let html = event["message"]["content"].as_str().expect("text");
    assert!(html.contains("``` quote\nfirst\n\n@*role:members*"), "{html}");
    let sent = newest(&olive).await;
    let html = sent["content"].as_str().expect("HTML");
    assert!(!html.contains("data-stream-id"), "{html}");
    assert!(html.contains("channel-wildcard-mention silent"), "{html}");
    at_olive.none().await;
}

#[tokio::test]
async fn the_description_of_a_channel_shows_nothing_that_its_author_cannot_see() {
    let server = TestServer::start().await;
    let [max, mona] = server.users(["max", "mona"]);
    let made = async |user: &User, name: &str| {
        let channel = json!([{"name": name, "description": "See #**leadership**, @*role:members*"}]);
        user.post("/users/me/subscriptions", json!({"subscriptions": channel})).await.success();
        let channels = user.get("/streams", json!({})).await.success()["streams"].clone();
        let found = channels.as_array().into_iter().flatten().find(|row| row["name"] == name).cloned();
        found.expect("it is there")["rendered_description"].as_str().expect("HTML").to_owned()
    };

    assert!(made(&max, "of max").await.contains("#<strong>leadership</strong>"));
    assert!(made(&mona, "of mona").await.contains("data-stream-id"));
    // The notice of it arrives, whatever it mentions.
    let notice = newest(&max).await;
    let html = notice["content"].as_str().expect("HTML");
    assert!(html.contains("channel created by") && html.contains("#<strong>leadership</strong>"), "{html}");
}
