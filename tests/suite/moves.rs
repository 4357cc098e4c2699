//! Moving messages and marking topics as resolved: what counts as which, and what the notification bot says of it.

use crate::support::{Queue, TestServer, User};
use chatdouble::realm::group::SystemGroup;
use serde_json::{Value, json};

async fn change(user: &User, message: i64, params: Value) {
    user.patch(&format!("/messages/{message}"), params).await.success();
}

/// Topics and texts of the messages that came.
async fn said(queue: &mut Queue) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let messages = queue.all().await.into_iter().filter(|event| event["type"] == "message");
    messages.map(|event| (text(&event["message"]["subject"]), text(&event["message"]["content"]))).collect()
}

#[tokio::test]
async fn a_topic_that_gets_another_name_with_the_mark_is_moved() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.send_to("general", "brunch", "Soup").await;
    let mut events = max.events(["message"]).await;

    change(&mel, id, json!({"topic": "✔ dinner"})).await;

    let text = format!("This topic was moved here from #**general>brunch** by @_**Mel Marsh|{}**.", mel.id());
    assert_eq!(said(&mut events).await, [("✔ dinner".to_owned(), text)]);
    let message = mel.get(&format!("/messages/{id}"), json!({})).await.success()["message"].clone();
    assert!(message["last_moved_timestamp"].is_i64(), "{message:#}");
    server.allow("can_move_messages_between_topics_group", SystemGroup::Owners).await;
    let refused = mel.patch(&format!("/messages/{id}"), json!({"topic": "supper"})).await;
    refused.error("BAD_REQUEST", "You don't have permission to move this message");
    change(&mel, id, json!({"topic": "dinner"})).await;
}

#[tokio::test]
async fn the_old_thread_gets_a_notice_of_a_resolved_topic_if_that_is_asked_for() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.send_to("general", "brunch", "Soup").await;
    let mut events = max.events(["message"]).await;

    change(&mel, id, json!({"topic": "✔ brunch", "send_notification_to_old_thread": true})).await;

    let who = format!("@_**Mel Marsh|{}**", mel.id());
    let expected = [
        ("✔ brunch".to_owned(), format!("{who} has marked this topic as resolved.")),
        ("brunch".to_owned(), format!("This topic was moved to #**general>✔ brunch** by {who}.")),
    ];
    assert_eq!(said(&mut events).await, expected);
}

#[tokio::test]
async fn a_topic_that_is_moved_by_case_alone_is_moved_whole() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    mel.send_to("general", "brunch", "Soup").await;
    let id = mel.send_to("general", "brunch", "Salad").await;
    let mut events = max.events(["message"]).await;

    change(&mel, id, json!({"topic": "Brunch", "propagate_mode": "change_all"})).await;

    let text = format!("This topic was moved here from #**general>brunch** by @_**Mel Marsh|{}**.", mel.id());
    assert_eq!(said(&mut events).await, [("Brunch".to_owned(), text)]);
}

#[tokio::test]
async fn a_topic_that_is_moved_into_another_does_not_make_it_up() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    mel.send_to("general", "dinner", "Fish").await;
    mel.send_to("general", "brunch", "Soup").await;
    let id = mel.send_to("general", "brunch", "Salad").await;
    let mut events = max.events(["message"]).await;

    let received = json!({"topic": "dinner", "propagate_mode": "change_all", "send_notification_to_old_thread": true});
    change(&mel, id, received).await;

    let who = format!("@_**Mel Marsh|{}**", mel.id());
    let expected = [
        ("dinner".to_owned(), format!("2 messages were moved here from #**general>brunch** by {who}.")),
        ("brunch".to_owned(), format!("This topic was moved to #**general>dinner** by {who}.")),
    ];
    assert_eq!(said(&mut events).await, expected);
}

#[tokio::test]
async fn notices_of_what_somebody_did_are_unread_for_them() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    for user in [&mel, &max] {
        user.patch("/settings", json!({"resolved_topic_notice_auto_read_policy": "never"})).await.success();
    }
    let id = mel.send_to("general", "brunch", "Soup").await;
    let mut at_mel = mel.events(["message"]).await;
    let mut at_max = max.events(["message"]).await;

    let both = json!({"topic": "dinner", "send_notification_to_old_thread": true});
    change(&mel, id, both).await;
    change(&mel, id, json!({"topic": "✔ dinner"})).await;

    for _ in 0..3 {
        at_mel.next().await.has(json!({"flags": []}));
        at_max.next().await.has(json!({"flags": []}));
    }
}

#[tokio::test]
async fn marking_a_topic_again_within_a_minute_takes_the_notice_back() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.send_to("general", "brunch", "Soup").await;
    let mut events = max.events(["message", "delete_message"]).await;
    let mark = async |topic: &str| change(&mel, id, json!({"topic": topic, "propagate_mode": "change_all"})).await;

    mark("✔ brunch").await;
    let notice = events.next().await.0["message"]["id"].clone();
    server.advance(60).await;
    mark("brunch").await;
    events.next().await.has(json!({"type": "delete_message", "message_ids": [notice], "topic": "brunch"}));
    events.none().await;

    mark("✔ brunch").await;
    assert_eq!(said(&mut events).await.len(), 1);
    server.advance(61).await;
    mark("brunch").await;
    let text = format!("@_**Mel Marsh|{}** has marked this topic as unresolved.", mel.id());
    assert_eq!(said(&mut events).await, [("brunch".to_owned(), text)]);

    // A message came after the notice, which therefore stays.
    max.send_to("general", "brunch", "Salad").await;
    mark("✔ brunch").await;
    assert_eq!(said(&mut events).await.len(), 2);
}

#[tokio::test]
async fn the_empty_topic_cannot_be_marked_by_the_name_that_it_is_shown_by() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = mel.send_to("general", "", "hush").await;

    let refused = mel.patch(&format!("/messages/{id}"), json!({"topic": "✔ general chat"})).await;

    refused.error("BAD_REQUEST", "General chat cannot be marked as resolved");
}

#[tokio::test]
async fn messages_are_moved_to_channels_that_the_mover_can_read() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let id = olive.send_to("general", "brunch", "Soup").await;
    let path = format!("/messages/{id}");
    let [design, leadership] = ["design", "leadership"].map(|name| server.channel(name));

    // Owners see that there is such a channel, and still don't belong to it.
    for (user, channel) in [(&olive, design), (&mel, leadership), (&mel, 999)] {
        let refused = user.patch(&path, json!({"stream_id": channel})).await;
        refused.error("BAD_REQUEST", "Invalid channel ID");
    }
    mel.patch(&path, json!({"stream_id": -1})).await.error("BAD_REQUEST", "stream_id is too small");
    mel.patch(&path, json!({"stream_id": design})).await.success();
}

#[tokio::test]
async fn messages_that_the_mover_cannot_see_stay_where_they_are() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let secret = json!({"subscriptions": [{"name": "secret"}], "invite_only": true});
    adam.post("/users/me/subscriptions", secret).await.success();
    let before = adam.send_to("secret", "plans", "Before mel came").await;
    let invited = json!({"subscriptions": [{"name": "secret"}], "principals": [mel.id()]});
    adam.post("/users/me/subscriptions", invited).await.success();
    let after = mel.send_to("secret", "plans", "I am here").await;
    let elsewhere =
        json!({"topic": "old plans", "propagate_mode": "change_all", "send_notification_to_new_thread": false});
    change(&mel, after, elsewhere).await;
    let topic = async |id| adam.get(&format!("/messages/{id}"), json!({})).await.success()["message"]["subject"].take();
    assert_eq!([topic(before).await, topic(after).await], ["old plans", "old plans"]);

    let engineering = server.channel("engineering");
    let mut events = adam.events(["message", "update_message"]).await;
    change(&mel, after, json!({"stream_id": engineering, "propagate_mode": "change_all"})).await;

    events.next().await.has(json!({"message_ids": [after], "new_stream_id": engineering}));
    mel.get(&format!("/messages/{before}"), json!({})).await.error("BAD_REQUEST", "Invalid message(s)");
    // The notice does not reveal what mel can't see either.
    let text = format!("This topic was moved here from #**secret>old plans** by @_**Mel Marsh|{}**.", mel.id());
    events.next().await.has(json!({"message": {"content": text}}));
}

#[tokio::test]
async fn a_notice_arrives_whatever_the_topic_mentions() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let group = json!({"name": "bakers", "description": "", "members": [], "can_mention_group": {
        "direct_members": [mel.id()], "direct_subgroups": []
    }});
    mel.post("/user_groups/create", group).await.success();
    let id = mel.send_to("general", "x** @*bakers* **", "Bread").await;

    let mut events = mel.events(["message", "update_message"]).await;
    change(&mel, id, json!({"topic": "bread", "propagate_mode": "change_all"})).await;

    events.next().await.has(json!({"type": "update_message", "subject": "bread"}));
    let notice = events.next().await.has(json!({"type": "message", "flags": []}));
    assert_eq!(notice["message"]["sender_full_name"], "Notification Bot");
    events.none().await;
}

#[tokio::test]
async fn who_moves_to_a_new_topic_must_be_one_who_may_begin_it() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = mel.send_to("general", "brunch", "Soup").await;
    mel.send_to("general", "lunch", "Bread").await;
    server.allow_in("general", "can_create_topic_group", SystemGroup::Administrators).await;

    let refused = mel.patch(&format!("/messages/{id}"), json!({"topic": "dinner"})).await;
    refused.error("BAD_REQUEST", "You do not have permission to create new topics in this channel.");
    change(&mel, id, json!({"topic": "lunch"})).await;
    // The mark is no topic of its own.
    change(&mel, id, json!({"topic": "✔ lunch", "propagate_mode": "change_all"})).await;
}

#[tokio::test]
async fn rights_in_the_new_channel_let_messages_be_moved() {
    let server = TestServer::start().await;
    let [olive, mel, max] = server.users(["olive", "mel", "max"]);
    server.allow("can_move_messages_between_channels_group", SystemGroup::Nobody).await;
    server.allow("can_move_messages_between_topics_group", SystemGroup::Nobody).await;
    server.allow("can_resolve_topics_group", SystemGroup::Nobody).await;
    let id = mel.send_to("general", "brunch", "Soup").await;
    let engineering = server.channel("engineering");
    let path = format!("/messages/{id}");
    let refusal = "You don't have permission to move this message";

    // Nobody's role gives them the right, nor does it to administer the channel.
    server.allow_in("general", "can_administer_channel_group", SystemGroup::Members).await;
    for user in [&olive, &mel, &max] {
        for change in [json!({"topic": "lunch"}), json!({"stream_id": engineering})] {
            user.patch(&path, change).await.error("BAD_REQUEST", refusal);
        }
    }
    server.allow("can_move_messages_between_channels_group", SystemGroup::Members).await;
    server.allow("can_move_messages_between_topics_group", SystemGroup::Members).await;
    change(&mel, id, json!({"topic": "lunch"})).await;
    server.allow("can_move_messages_between_topics_group", SystemGroup::Nobody).await;
    let general = server.channel("general");
    mel.patch(&path, json!({"topic": "x", "stream_id": engineering})).await.error("BAD_REQUEST", refusal);
    server.allow_in("engineering", "can_move_messages_within_channel_group", SystemGroup::Members).await;
    server.allow_in("engineering", "can_resolve_topics_group", SystemGroup::Members).await;
    change(&mel, id, json!({"topic": "✔ lunch", "stream_id": engineering})).await;
    change(&mel, id, json!({"stream_id": general})).await;
    change(&mel, id, json!({"topic": "x", "stream_id": engineering})).await;
}

#[tokio::test]
async fn messages_that_are_moved_by_case_alone_leave_their_topic_behind() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let part = ("[A message](", "A message was moved from this topic to ");
    let whole = ("This topic was moved here from ", "This topic was moved to ");
    for (mode, (here, there)) in [("change_one", part), ("change_later", part), ("change_all", whole)] {
        let old = format!("{mode} soup");
        let id = mel.send_to("general", &old, "Hot").await;
        let mut events = max.events(["message"]).await;

        let new = old.to_uppercase();
        let params = json!({"topic": new, "propagate_mode": mode, "send_notification_to_old_thread": true});
        change(&mel, id, params).await;

        let said = said(&mut events).await;
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].1.starts_with(here) && said[1].1.starts_with(there), "{said:?}");
    }
}

#[tokio::test]
async fn messages_that_go_to_another_channel_keep_the_spelling_of_their_topic() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let first = mel.send_to("general", "tea", "Hot").await;
    let second = mel.send_to("general", "Tea", "Cold").await;
    let there = server.channel("engineering");

    change(&olive, first, json!({"stream_id": there, "propagate_mode": "change_all"})).await;

    let message = mel.get(&format!("/messages/{second}"), json!({})).await.success()["message"].take();
    assert_eq!((&message["stream_id"], &message["subject"]), (&json!(there), &json!("Tea")));
    let history = message["edit_history"][0].clone();
    assert_eq!((history.get("topic"), history.get("prev_topic")), (None, None));
    assert_eq!(history["stream"], there);
}

/// All moved messages name the former topic as the one of the request did, however they spelled it.
#[tokio::test]
async fn histories_of_moves_have_one_spelling() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let small = mel.send_to("general", "brunch", "Soup").await;
    let large = mel.send_to("general", "Brunch", "Salad").await;

    change(&mel, large, json!({"topic": "brunch", "propagate_mode": "change_all"})).await;

    for id in [small, large] {
        let message = mel.get(&format!("/messages/{id}"), json!({})).await.success()["message"].take();
        let edit = &message["edit_history"][0];
        assert_eq!((&edit["prev_topic"], &edit["topic"]), (&json!("Brunch"), &json!("brunch")), "{message:#}");
    }
}
