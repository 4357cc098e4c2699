//! Webhooks and worlds: what a reset, a fork and an end do to calls under way, and what the list keeps.

use super::{MENTION, called, listen, messages, point, tries};
use crate::control::{Control, user_in};
use crate::support::TestServer;
use chatdouble::Dialect;
use serde_json::json;

#[tokio::test]
async fn an_answer_that_comes_after_a_reset_is_dropped() {
    for back in ["reset", "snapshots/before/restore"] {
        let server = TestServer::start().await;
        let control = Control::of(&server);
        let [max, out] = server.users(["max", "out-bot"]);
        let receiver = called(&server, [json!({"content": "late"}), json!({"content": "in time"})]).await;
        control.post("/worlds/default/snapshots", json!({"name": "before"})).await.success();
        receiver.hold();
        max.send_to("general", "talk", MENTION).await;
        max.send_to("general", "talk", "@**Out Bot** again").await;
        receiver.until_posted(1).await;

        control.post(&format!("/worlds/default/{back}"), json!({})).await.success();
        point(&server, &receiver.url, 1).await;
        let mut at_max = listen(&max).await;
        max.send_to("general", "talk", "@**Out Bot** again").await;
        receiver.until_posted(2).await;
        receiver.let_go();
        receiver.let_go();

        let came = messages(&mut at_max, 2).await;
        let texts: Vec<_> = came.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["@**Out Bot** again", "in time"], "{back}");
        assert_eq!(receiver.posted().len(), 2, "what waited was not posted");
        let tries = tries(&server).await;
        assert_eq!((tries.len(), &tries[0]["id"], &tries[0]["reply"]["content"]), (1, &json!(1), &json!("in time")));
        assert_eq!(tries[0]["user"], out.email());
    }
}

#[tokio::test]
async fn a_deleted_world_gets_no_answer_and_a_fork_calls_for_itself() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let receiver = called(&server, [json!({"content": "yes"})]).await;
    let made = control.post("/worlds", json!({"name": "fork", "fork_of": "default"})).await.success();
    let max = user_in(&server, &made, "max");
    let mut at_max = listen(&max).await;
    max.send_to("general", "talk", MENTION).await;
    assert_eq!(messages(&mut at_max, 2).await[1].1, "yes");
    assert!(tries(&server).await.is_empty(), "the origin was not asked");
    let of_fork = control.get("/worlds/fork/webhooks").await.success();
    assert_eq!(of_fork["webhooks"].as_array().map(Vec::len), Some(1));
    let again = control.post("/worlds", json!({"name": "again", "fork_of": "fork"})).await.success();
    assert_eq!(control.get("/worlds/again/webhooks").await.success(), json!({"webhooks": []}));

    receiver.hold();
    let max = user_in(&server, &again, "max");
    max.send_to("general", "talk", MENTION).await;
    receiver.until_posted(2).await;
    control.delete("/worlds/again").await.success();
    receiver.let_go();

    assert_eq!(control.get("/worlds/again/webhooks").await.status, 404);
    assert_eq!(receiver.posted().len(), 2);
}

#[tokio::test]
async fn the_list_can_be_emptied_and_keeps_the_newest() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [max, out] = server.users(["max", "out-bot"]);
    for _ in 0..3 {
        max.send_direct(&[out.id()], "to nobody").await;
    }
    assert_eq!(tries(&server).await.len(), 3);

    control.delete("/worlds/default/webhooks").await.is(json!({}));
    assert!(tries(&server).await.is_empty());
    max.send_direct(&[out.id()], "to nobody").await;
    assert_eq!(tries(&server).await[0]["id"], 4, "ids go on rising");

    for _ in 0..500 {
        max.send_direct(&[out.id()], "to nobody").await;
    }
    let tries = tries(&server).await;
    assert_eq!((tries.len(), &tries[0]["id"], &tries[499]["id"]), (500, &json!(5), &json!(504)));
}

#[tokio::test]
async fn the_same_requests_post_the_same() {
    let mut posted = Vec::new();
    for _ in 0..2 {
        let server = TestServer::start().await;
        let [max, mel, out] = server.users(["max", "mel", "out-bot"]);
        let receiver = called(&server, [json!({"content": "yes"})]).await;
        let mut at_max = listen(&max).await;
        for text in ["one", "two"] {
            max.send_direct(&[out.id(), mel.id()], text).await;
            messages(&mut at_max, 2).await;
            server.advance(60).await;
        }
        let texts: Vec<String> = receiver.posted().into_iter().map(|posted| posted.text).collect();
        let state = Control::of(&server).get("/worlds/default/state").await.success();
        posted.push((texts, state["state"]["messages"].clone()));
    }
    assert_eq!(posted[0], posted[1]);
    assert_eq!(posted[0].0.len(), 2);
}

#[tokio::test]
async fn calls_name_the_product_of_the_dialect() {
    for (dialect, agent) in [
        (Dialect::zulip(), "ZulipOutgoingWebhook/12.0"),
        (Dialect::neutral(), concat!("chatdouble-webhook/", env!("CARGO_PKG_VERSION"))),
    ] {
        let server = TestServer::start_with(|options| options.dialect = dialect).await;
        let receiver = called(&server, [json!({})]).await;

        server.user("max").send_to("general", "talk", MENTION).await;

        assert_eq!(receiver.until_posted(1).await[0].user_agent, agent);
    }
}
