//! Access to a file by a message that links it: it is granted by authors who may read the file.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

async fn upload(user: &User) -> String {
    let reply = user.upload("/user_uploads", "s.txt", "text/plain", b"secret").await.success();
    reply["url"].as_str().expect("an address").to_owned()
}

/// The status with which somebody gets a file.
async fn status(user: &User, url: &str) -> u16 {
    user.get(url, json!({})).await.status
}

/// The messages in the events that the owner gets.
async fn linked_by(owner: &User, url: &str) -> Value {
    let files = owner.get("/attachments", json!({})).await.success()["attachments"].clone();
    let is_meant = |file: &&Value| url.ends_with(file["path_id"].as_str().unwrap_or("none"));
    files.as_array().into_iter().flatten().find(is_meant).expect("the file")["message_ids"].clone()
}

#[tokio::test]
async fn a_link_to_a_file_that_its_sender_may_not_read_gives_it_to_nobody() {
    let server = TestServer::start().await;
    let [mel, max, visitor] = [server.user("mel"), server.user("max"), server.anonymous()];
    let url = upload(&mel).await;
    let mut at_mel = mel.events(["attachment"]).await;
    let content = format!("[x]({url})");

    let sent = max.send_to("town-square", "x", &content).await;
    let edited = max.send_to("town-square", "x", "before").await;
    let reply = max.patch(&format!("/messages/{edited}"), json!({"content": content})).await;
    assert_eq!(reply.success()["detached_uploads"], json!([]));
    let later = json!({"type": "channel", "to": server.channel("town-square"), "topic": "x", "content": content,
                       "scheduled_delivery_timestamp": 1_767_268_860});
    max.post("/scheduled_messages", later).await.success();
    server.advance(60).await;

    assert_eq!((status(&max, &url).await, status(&visitor, &url).await), (403, 403));
    assert_eq!(linked_by(&mel, &url).await, json!([]));
    at_mel.none().await;
    let narrow = json!([["has", "attachment"], ["sender", max.email()]]);
    let found =
        max.get("/messages", json!({"anchor": "newest", "num_before": 9, "num_after": 0, "narrow": narrow})).await;
    assert_eq!(found.success()["messages"], json!([]), "none of them has a file");
    max.patch(&format!("/messages/{sent}"), json!({"content": "after"})).await.success();
    at_mel.none().await;
}

#[tokio::test]
async fn who_was_given_a_file_may_give_it_on() {
    let server = TestServer::start().await;
    let [mel, max, visitor] = [server.user("mel"), server.user("max"), server.anonymous()];
    let url = upload(&mel).await;
    let content = format!("[x]({url})");

    let given = mel.send_direct(&[max.id()], &content).await;
    assert_eq!((status(&max, &url).await, status(&visitor, &url).await), (200, 403));
    let [mut at_mel, mut at_max] = [mel.events(["attachment"]).await, max.events(["attachment"]).await];
    let sent = max.send_to("town-square", "x", &content).await;

    // The sender hears of it, whoever uploaded it.
    let event = at_max.next().await.has(json!({"type": "attachment", "op": "update"}));
    assert_eq!(event["attachment"]["message_ids"], json!([given, sent]));
    at_mel.none().await;
    assert_eq!(status(&visitor, &url).await, 200);
    assert_eq!(linked_by(&mel, &url).await, json!([given, sent]));
}

#[tokio::test]
async fn a_file_is_sent_before_what_the_message_does_to_the_topic() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    mel.patch("/settings", json!({"automatically_follow_topics_policy": 3})).await.success();
    let url = upload(&mel).await;
    let mut queue = mel.events(["attachment", "user_topic", "message"]).await;

    mel.send_to("general", "a new topic", &format!("[x]({url})")).await;

    for kind in ["attachment", "user_topic", "message"] {
        queue.next().await.has(json!({ "type": kind }));
    }
}
