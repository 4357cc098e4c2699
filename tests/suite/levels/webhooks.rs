//! What was posted to outgoing webhooks.

use crate::control::{Control, user_in};
use crate::support::{Receiver, TestServer};
use crate::webhooks::point;
use serde_json::{Value, json};

#[tokio::test]
async fn direct_messages_to_bots_were_private_before_201() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let receiver = Receiver::answering([json!({})]).await;
    point(&server, &receiver.url, 1).await;
    let old = json!({"name": "old", "fork_of": "default", "feature_level": 200});
    let made = control.post("/worlds", old).await.success();
    let (max, out) = (user_in(&server, &made, "max"), server.user("out-bot"));

    max.send_direct(&[out.id()], "psst").await;

    let body = receiver.until_posted(1).await[0].json();
    assert_eq!(body["trigger"], "private_message");
    let newer = control.post("/worlds", json!({"fork_of": "default", "feature_level": 201})).await.success();
    user_in(&server, &newer, "max").send_direct(&[out.id()], "psst").await;
    assert_eq!(receiver.until_posted(2).await[1].json()["trigger"], "direct_message");
    assert_eq!(body["message"]["flags"], Value::Null);
}
