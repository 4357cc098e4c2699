//! Who may send, mention and move what: each right taken away, each policy set, each limit passed.

use crate::support::TestServer;
use chatdouble::realm::group::SystemGroup;
use serde_json::{Value, json};
use std::sync::Arc;

impl TestServer {
    /// Subscribes twenty people made for it, so that mentioning everyone is a matter of rights.
    pub fn crowd(&self, channel: &str) {
        self.arrange(|tx| {
            let id = tx.channel_by_name(channel).expect("a channel of the built-in realm").id;
            for number in 0..20 {
                let person = chatdouble::api::changes::users::creation::NewPerson {
                    channels: None,
                    email: format!("crowd{number}@chat.test"),
                    full_name: format!("Crowd {number}"),
                    password: None,
                    role: chatdouble::realm::user::Role::Member,
                };
                let user = chatdouble::api::changes::users::creation::add_person(tx, person);
                tx.subscribe(user, id, None);
            }
        });
    }

    /// Makes a long link of each letter x, so that a text of many becomes too large.
    pub fn lengthen_links(&self) {
        self.arrange(|tx| {
            let source = chatdouble::realm::linkifier::LinkifierSource {
                pattern: "(?P<all>x)".into(),
                url_template: format!("https://example.com/{}/{{all}}", "y".repeat(1_000)),
                ..Default::default()
            };
            let id = chatdouble::realm::id::LinkifierId(99);
            let linkifier = chatdouble::realm::linkifier::Linkifier::compile(id, source).expect("well-formed");
            tx.realm_mut().counters.linkifier = 99;
            tx.realm_mut().linkifiers.push_front(Arc::new(linkifier));
        });
    }
}

fn to(channel: &str, topic: &str, content: &str) -> Value {
    json!({"type": "channel", "to": channel, "topic": topic, "content": content})
}

#[tokio::test]
async fn new_topics_need_the_right_to_make_them() {
    let server = TestServer::start().await;
    server.allow_in("general", "can_create_topic_group", SystemGroup::Administrators).await;
    let mel = server.user("mel");

    let message = "You do not have permission to create new topics in this channel.";
    mel.post("/messages", to("general", "brand new", "x")).await.error("BAD_REQUEST", message);
    mel.post("/messages", to("general", "LUNCH", "x")).await.success();
}

#[tokio::test]
async fn policies_rule_the_empty_topic() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    server.change_channel("general", json!({"topics_policy": "disable_empty_topic"})).await;
    let message = "Sending messages to the general chat is not allowed in this channel.";
    mel.post("/messages", to("general", "", "x")).await.error("BAD_REQUEST", message);
    server.empty_topics("general");
    let message = "Only the general chat topic is allowed in this channel.";
    mel.post("/messages", to("general", "lunch", "x")).await.error("BAD_REQUEST", message);
    mel.post("/messages", to("general", "", "x")).await.success();
    server.change_channel("general", json!({"topics_policy": "inherit"})).await;
    server.set("topics_policy", "disable_empty_topic").await;
    let message = "Sending messages to the general chat is not allowed in this channel.";
    mel.post("/messages", to("general", "(no topic)", "x")).await.error("BAD_REQUEST", message);
}

#[tokio::test]
async fn direct_messages_can_be_limited() {
    let server = TestServer::start().await;
    let [mel, max, olive, bot] = server.users(["mel", "max", "olive", "build-bot"]);
    let direct = |user: i64| json!({"type": "direct", "to": [user], "content": "x"});

    server.allow("direct_message_permission_group", SystemGroup::Nobody).await;
    mel.post("/messages", direct(max.id()))
        .await
        .error("BAD_REQUEST", "Direct messages are disabled in this organization.");
    mel.post("/messages", direct(bot.id())).await.success();
    server.allow("direct_message_permission_group", SystemGroup::Owners).await;
    let message = "This conversation does not include any users who can authorize it.";
    mel.post("/messages", direct(max.id())).await.error("BAD_REQUEST", message);
    mel.post("/messages", direct(olive.id())).await.success();
    server.allow("direct_message_permission_group", SystemGroup::Everyone).await;
    server.allow("direct_message_initiator_group", SystemGroup::Owners).await;
    let adam = server.user("adam").id();
    let message = "You do not have permission to initiate direct message conversations.";
    mel.post("/messages", direct(adam)).await.error("BAD_REQUEST", message);
    mel.post("/messages", direct(max.id())).await.success();
}

#[tokio::test]
async fn a_guest_cannot_write_to_those_it_may_not_know() {
    let server = TestServer::start().await;
    server.allow("can_access_all_users_group", SystemGroup::Members).await;
    let [gus, ivy] = server.users(["gus", "ivy"]);
    ivy.delete("/users/me/subscriptions", json!({"subscriptions": ["general"]})).await.success();

    let params = json!({"type": "direct", "to": [ivy.id()], "content": "x"});
    let message = "You do not have permission to access some of the recipients.";
    gus.post("/messages", params).await.error("BAD_REQUEST", message);
}

#[tokio::test]
async fn mentioning_many_people_needs_the_right_to() {
    let server = TestServer::start().await;
    server.crowd("general");
    let [mel, olive] = server.users(["mel", "olive"]);

    for name in ["all", "everyone", "channel", "stream"] {
        mel.post("/messages", to("general", "t", &format!("@**{name}**"))).await.error(
            "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
            "You do not have permission to use channel wildcard mentions in this channel.",
        );
    }
    olive.post("/messages", to("general", "t", "@**all**")).await.success();
    mel.post("/messages", to("general", "t", "@_**all** `@**all**`")).await.success();
    mel.post("/messages", to("general", "t", "@**topic**")).await.success();
}

#[tokio::test]
async fn mentioning_everyone_in_a_busy_topic_needs_the_right_to() {
    let server = TestServer::start().await;
    server.crowd("general");
    for number in 0..20 {
        server.user(&format!("crowd{number}")).send_to("general", "busy", "here").await;
    }

    server.user("mel").post("/messages", to("general", "busy", "@**topic**")).await.error(
        "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
        "You do not have permission to use topic wildcard mentions in this topic.",
    );
}

#[tokio::test]
async fn a_group_is_mentioned_by_those_who_may() {
    let server = TestServer::start().await;
    server.allow_mentions_of("engineers", SystemGroup::Administrators).await;
    let [mel, adam] = server.users(["mel", "adam"]);

    let message = "You are not allowed to mention user group 'engineers'.";
    mel.post("/messages", to("general", "t", "@*engineers*")).await.error("BAD_REQUEST", message);
    mel.post("/messages", to("general", "t", "@_*engineers*")).await.success();
    adam.post("/messages", to("general", "t", "@*engineers*")).await.success();
}

#[tokio::test]
async fn a_message_that_would_become_too_large_is_refused() {
    let server = TestServer::start().await;
    server.lengthen_links();

    let content = "x ".repeat(2_000);
    server
        .user("mel")
        .post("/messages", to("general", "t", &content))
        .await
        .error("BAD_REQUEST", "Unable to render message");
}

#[tokio::test]
async fn moving_needs_the_right_to_and_has_its_time() {
    let server = TestServer::start().await;
    let [mel, max, mona] = server.users(["mel", "max", "mona"]);
    let first = mel.send_to("general", "here", "one").await;
    server.advance(604_830).await;
    let last = mel.send_to("general", "here", "two").await;
    let path = |id: i64| format!("/messages/{id}");
    let engineering = server.channel("engineering");

    let message = "The time limit for editing this message's topic has passed.";
    max.patch(&path(first), json!({"topic": "there"})).await.error("BAD_REQUEST", message);
    let message = "The time limit for editing this message's channel has passed";
    max.patch(&path(first), json!({"stream_id": engineering})).await.error("BAD_REQUEST", message);
    let all = json!({"topic": "there", "propagate_mode": "change_all"});
    let body = max.patch(&path(last), all.clone()).await.error(
        "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
        "You only have permission to move the 1/2 most recent messages in this topic.",
    );
    assert_eq!(body["first_message_id_allowed_to_move"], last);
    assert_eq!((&body["total_messages_in_topic"], &body["total_messages_allowed_to_move"]), (&json!(2), &json!(1)));
    mona.patch(&path(last), all).await.success();

    server.allow("can_move_messages_between_topics_group", SystemGroup::Owners).await;
    let message = "You don't have permission to move this message";
    max.patch(&path(last), json!({"topic": "elsewhere"})).await.error("BAD_REQUEST", message);
    server.allow("can_resolve_topics_group", SystemGroup::Owners).await;
    let message = "You don't have permission to resolve topics in this channel.";
    max.patch(&path(last), json!({"topic": "✔ there"})).await.error("BAD_REQUEST", message);
    let message = "General chat cannot be marked as resolved";
    max.patch(&path(last), json!({"topic": "✔ "})).await.error("BAD_REQUEST", message);
}

#[tokio::test]
async fn an_organization_may_keep_history_and_receipts_to_itself() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = mel.send_to("general", "t", "x").await;
    mel.patch(&format!("/messages/{id}"), json!({"content": "y"})).await.success();

    server.set("message_edit_history_visibility_policy", "none").await;
    let message = "Message edit history is disabled in this organization";
    mel.get(&format!("/messages/{id}/history"), json!({})).await.error("BAD_REQUEST", message);
    let shown = mel.get(&format!("/messages/{id}"), json!({})).await.success();
    assert!(shown["message"].get("edit_history").is_none());
    server.set("message_edit_history_visibility_policy", "moves").await;
    let history = mel.get(&format!("/messages/{id}/history"), json!({})).await.success();
    assert!(!history.to_string().contains("prev_content"), "{history:#}");
    server.set("enable_read_receipts", false).await;
    let message = "Read receipts are disabled in this organization.";
    mel.get(&format!("/messages/{id}/read_receipts"), json!({})).await.error("BAD_REQUEST", message);
}

#[tokio::test]
async fn editing_can_be_switched_off() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = mel.send_to("general", "t", "x").await;
    server.set("allow_message_editing", false).await;

    let message = "Your organization has turned off message editing";
    mel.patch(&format!("/messages/{id}"), json!({"content": "y"})).await.error("BAD_REQUEST", message);
}

#[tokio::test]
async fn names_can_be_made_unique() {
    let server = TestServer::start().await;
    server.set("require_unique_names", true).await;

    let params = json!({"email": "new@chat.test", "password": "correct horse 77", "full_name": "mel MARSH"});
    server
        .user("olive")
        .post("/users", params)
        .await
        .error("BAD_REQUEST", "Unique names required in this organization.");
}

#[tokio::test]
async fn a_message_goes_to_one_channel_by_its_name_or_number() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let send = async |to: Value| {
        mel.post("/messages", json!({"type": "channel", "to": to, "topic": "t", "content": "x"})).await
    };
    for (to, message) in [
        (json!([]), "Expected exactly one channel"),
        (json!(""), "Channel name can't be empty."),
        (json!([" "]), "Channel name can't be empty."),
        (json!("a\u{7}b"), "Invalid character in channel name, at position 2."),
    ] {
        send(to).await.error("BAD_REQUEST", message);
    }
    let escaped = "&lt;b&gt; &amp; &quot;c&quot; &#x27;d&#x27;";
    let message = format!("Channel '{escaped}' does not exist");
    let body = send(json!("<b> & \"c\" 'd'")).await.error("STREAM_DOES_NOT_EXIST", &message);
    assert_eq!(body["stream"], escaped);
}

#[tokio::test]
async fn messages_of_archived_channels_stay() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let id = mel.send_to("design", "x", "to be kept").await;
    olive.delete(&format!("/streams/{}", server.channel("design")), json!({})).await.success();

    for user in [&olive, &mel] {
        let reply = user.delete(&format!("/messages/{id}"), json!({})).await;
        reply.error("BAD_REQUEST", "Invalid message(s)");
    }
    mel.get(&format!("/messages/{id}"), json!({})).await.success();
}

#[tokio::test]
async fn who_has_a_message_or_deletes_it_hears_that_it_is_gone() {
    let server = TestServer::start().await;
    let [olive, mel, nora, gus] = server.users(["olive", "mel", "nora", "gus"]);
    let id = mel.send_to("engineering", "x", "gone soon").await;
    let mut strangers = server.user("ivy").events(["delete_message"]).await;
    nora.post(&format!("/messages/{id}/reactions"), json!({"emoji_name": "tada"})).await.success();
    let mut queues = Vec::new();
    for user in [&olive, &mel, &nora] {
        queues.push(user.events(["delete_message"]).await);
    }
    let mut guests = gus.events(["delete_message"]).await;

    olive.delete(&format!("/messages/{id}"), json!({})).await.success();

    for queue in &mut queues {
        queue.next().await.has(json!({"type": "delete_message", "message_ids": [id], "topic": "x"}));
        queue.none().await;
    }
    strangers.none().await;
    guests.none().await;
}

#[tokio::test]
async fn the_display_name_of_the_empty_topic_means_it_whatever_the_case() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let params = json!({"event_types": ["message"], "narrow": [["topic", "General Chat"]]});
    let mut queue = mel.register(params).await;

    let id = mel.send_to("general", "General Chat", "hello").await;

    let message = mel.get(&format!("/messages/{id}"), json!({"allow_empty_topic_name": true})).await.success();
    assert_eq!(message["message"]["subject"], "");
    queue.next().await.has(json!({"type": "message", "message": {"id": id}}));
}

#[tokio::test]
async fn the_history_of_moves_has_no_edits_of_the_text() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let id = mel.send_to("general", "before", "one").await;
    mel.patch(&format!("/messages/{id}"), json!({"content": "two"})).await.success();
    olive.patch(&format!("/messages/{id}"), json!({"topic": "after"})).await.success();
    olive.patch("/realm", json!({"message_edit_history_visibility_policy": "moves"})).await.success();

    let history = mel.get(&format!("/messages/{id}/history"), json!({})).await.success();

    let entries = history["message_history"].as_array().expect("a list");
    let topics: Vec<&Value> = entries.iter().map(|entry| &entry["topic"]).collect();
    assert_eq!(topics, ["before", "after"]);
    assert!(entries.iter().all(|entry| entry.get("prev_content").is_none()), "{history}");
}

#[tokio::test]
async fn anchors_beyond_all_messages_are_the_newest() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    for (anchor, resolved) in [
        ("100000000000000000", 10_000_000_000_000_000_i64),
        ("99999999999999999999", 10_000_000_000_000_000),
        ("-99999999999999999999", 0),
    ] {
        let params = json!({"anchor": anchor, "num_before": 1, "num_after": 1});
        assert_eq!(mel.get("/messages", params).await.success()["anchor"], resolved, "{anchor}");
    }
    for anchor in ["", "-", "1x", "1.5"] {
        let params = json!({"anchor": anchor, "num_before": 1, "num_after": 1});
        mel.get("/messages", params).await.error("BAD_REQUEST", "Invalid anchor");
    }
}

#[tokio::test]
async fn text_and_topic_changed_at_once_are_one_entry_of_the_history() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let [id, later] = [mel.send_to("general", "before", "one").await, mel.send_to("general", "before", "next").await];
    let params = json!({"content": "two", "topic": "after", "propagate_mode": "change_all"});
    mel.patch(&format!("/messages/{id}"), params).await.success();

    let message = mel.get(&format!("/messages/{id}"), json!({})).await.success()["message"].clone();
    let entry = json!({
        "user_id": mel.id(),
        "timestamp": message["last_edit_timestamp"],
        "prev_content": "one",
        "prev_rendered_content": "<p>one</p>",
        "prev_topic": "before",
        "topic": "after",
    });
    assert_eq!(message["edit_history"], json!([entry]));
    let history = mel.get(&format!("/messages/{id}/history"), json!({})).await.success();
    let entries: Vec<[&Value; 2]> = history["message_history"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| [&entry["topic"], &entry["content"]])
        .collect();
    assert_eq!(entries, [["before", "one"], ["after", "two"]]);
    let other = mel.get(&format!("/messages/{later}"), json!({})).await.success()["message"]["edit_history"].clone();
    assert_eq!(other[0].get("prev_content"), None, "{other}");
}

#[tokio::test]
async fn the_history_marks_words_that_came_and_went() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = mel.send_to("general", "lunch", "Today the soup is *hot* and the bread is fresh").await;
    mel.patch(&format!("/messages/{id}"), json!({"content": "Today the soup is **cold** and the bread is fresh"}))
        .await
        .success();

    let history = mel.get(&format!("/messages/{id}/history"), json!({})).await.success();

    assert_eq!(
        history["message_history"][1]["content_html_diff"],
        "<div><p>Today the soup is <span class=\"highlight_text_inserted\"><strong>cold</strong></span> \
         <span class=\"highlight_text_deleted\"><em>hot</em></span> and the bread is fresh</p></div>"
    );
}

#[tokio::test]
async fn a_channel_that_the_sender_cannot_see_is_named_only_by_who_gave_its_name() {
    let server = TestServer::start().await;
    let leadership = server.channel("leadership");
    for handle in ["mel", "gus", "max"] {
        let user = server.user(handle);
        let to = |to: Value| json!({"type": "channel", "to": to, "topic": "x", "content": "x"});
        let unknown = |id: i64| format!("Channel with ID '{id}' does not exist");
        user.post("/messages", to(leadership.into())).await.error("STREAM_DOES_NOT_EXIST", &unknown(leadership));
        user.post("/messages", to(json!([leadership]))).await.error("STREAM_DOES_NOT_EXIST", &unknown(leadership));
        user.post("/messages", to(999.into())).await.error("STREAM_DOES_NOT_EXIST", &unknown(999));
        let by_name = user.post("/messages", to("Leadership".into())).await;
        by_name.error("BAD_REQUEST", "Not authorized to send to channel 'leadership'");
        let mut later = to(leadership.into());
        later["scheduled_delivery_timestamp"] = 1_900_000_000.into();
        user.post("/scheduled_messages", later).await.error("STREAM_DOES_NOT_EXIST", &unknown(leadership));
    }
}

#[tokio::test]
async fn a_scheduled_message_fails_without_the_new_name_of_a_channel_that_its_author_lost() {
    let server = TestServer::start().await;
    let [olive, max] = server.users(["olive", "max"]);
    let made =
        json!({"subscriptions": [{"name": "otters"}], "invite_only": true, "principals": [olive.id(), max.id()]});
    olive.post("/users/me/subscriptions", made).await.success();
    let id = server.channel("otters");
    let later = json!({"type": "channel", "to": id, "topic": "rivers", "content": "x", "scheduled_delivery_timestamp": 1_767_268_860});
    let scheduled = max.post("/scheduled_messages", later).await.success()["scheduled_message_id"].clone();
    let mut events = max.events(["message"]).await;
    olive
        .delete("/users/me/subscriptions", json!({"subscriptions": ["otters"], "principals": [max.id()]}))
        .await
        .success();
    olive.patch(&format!("/streams/{id}"), json!({"new_name": "merger"})).await.success();

    let refused = max.patch(&format!("/scheduled_messages/{scheduled}"), json!({"content": "y"})).await;
    refused.error("STREAM_DOES_NOT_EXIST", &format!("Channel with ID '{id}' does not exist"));
    server.advance(120).await;

    let notices: Vec<Value> = events.all().await;
    let text = Value::from(notices).to_string();
    assert!(text.contains("was not sent") && !text.contains("merger"), "{text}");
}
