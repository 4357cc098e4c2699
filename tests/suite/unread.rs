//! What is unread, and which of it is listed as a mention.

use crate::support::{TestServer, User};
use chatdouble::reducer::State;
use serde_json::{Value, json};

async fn unread(user: &User) -> Value {
    let fetch = json!({"fetch_event_types": ["message", "update_message_flags"]});
    user.register(fetch).await.state["unread_msgs"].clone()
}

fn ids(list: &Value) -> Vec<i64> {
    list.as_array().into_iter().flatten().filter_map(Value::as_i64).collect()
}

/// 1 muted, 2 unmuted, 3 followed.
async fn say(server: &TestServer, user: &User, topic: &str, policy: i64) {
    let said = json!({"stream_id": server.channel("general"), "topic": topic, "visibility_policy": policy});
    user.post("/user_topics", said).await.success();
}

async fn mute_general(server: &TestServer, user: &User) {
    let mute = json!([{"stream_id": server.channel("general"), "property": "is_muted", "value": true}]);
    user.post("/users/me/subscriptions/properties", json!({"subscription_data": mute})).await.success();
}

#[tokio::test]
async fn the_notice_of_a_resolved_topic_is_read_by_those_who_want_it_so() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    for (policy, follows, is_read) in [
        ("always", true, true),
        ("except_followed", true, false),
        ("except_followed", false, true),
        ("never", false, false),
    ] {
        let max = server.user("max");
        max.patch("/settings", json!({"resolved_topic_notice_auto_read_policy": policy})).await.success();
        let topic = format!("{policy} {follows}");
        let id = mel.send_to("general", &topic, "broken").await;
        say(&server, &max, &topic, if follows { 3 } else { 0 }).await;
        let before = unread(&max).await["count"].as_i64();
        let mut events = max.events(["message"]).await;
        for (topic, word) in [(format!("✔ {topic}"), "resolved"), (topic.clone(), "unresolved")] {
            let params = json!({"topic": topic, "propagate_mode": "change_all"});
            mel.patch(&format!("/messages/{id}"), params).await.success();

            let notice = events.next().await.0;
            let content = notice["message"]["content"].as_str().unwrap_or_default();
            assert!(content.ends_with(&format!("marked this topic as {word}.")), "{content}");
            let flags = if is_read { json!(["read"]) } else { json!([]) };
            assert_eq!(notice["flags"], flags, "{policy}, follows: {follows}");
            let fetched = max.get(&format!("/messages/{}", notice["message"]["id"]), json!({})).await.success();
            assert_eq!(fetched["message"]["flags"], flags);
            // Marking the topic again at once takes the notice back.
            server.advance(61).await;
        }
        let more = if is_read { 0 } else { 2 };
        assert_eq!(unread(&max).await["count"].as_i64(), before.map(|count| count + more), "{policy}");
    }
}

#[tokio::test]
async fn mentions_of_everybody_are_listed_where_the_topic_is_not_muted() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    say(&server, &max, "muted", 1).await;
    let everybody = mel.send_to("general", "muted", "@**all**").await;
    let personal = mel.send_to("general", "muted", "@**Max Mercer**").await;
    let heard = mel.send_to("general", "heard", "@**all**").await;
    say(&server, &max, "muted", 1).await;

    let listed = ids(&unread(&max).await["mentions"]);
    assert_eq!([everybody, personal, heard].map(|id| listed.contains(&id)), [false, true, true]);

    mute_general(&server, &max).await;
    say(&server, &max, "muted", 2).await;
    let listed = ids(&unread(&max).await["mentions"]);
    assert_eq!([everybody, personal, heard].map(|id| listed.contains(&id)), [true, true, false]);
}

#[tokio::test]
async fn a_mention_of_everybody_that_is_unread_again_counts_as_one_where_the_topic_is_not_muted() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    say(&server, &max, "muted", 1).await;
    let muted = mel.send_to("general", "muted", "@**all**").await;
    let heard = mel.send_to("general", "heard", "@**all**").await;
    let both = json!([muted, heard]);
    max.post("/messages/flags", json!({"messages": both, "op": "add", "flag": "read"})).await.success();
    let mut events = max.events(["update_message_flags"]).await;

    max.post("/messages/flags", json!({"messages": both, "op": "remove", "flag": "read"})).await.success();

    let details = events.next().await.0["message_details"].clone();
    assert_eq!(details[muted.to_string()].get("mentioned"), None);
    assert_eq!(details[heard.to_string()]["mentioned"], true);
}

/// Archived channels are in no list of such a client's; it gets the notice all the same, which is read.
#[tokio::test]
async fn the_notice_of_an_archived_channel_comes_to_clients_that_do_not_know_such_channels() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let register = async || mel.register(json!({"client_capabilities": {"notification_settings_null": true}})).await;
    let path = format!("/streams/{}", server.channel("general"));
    let mut queue = register().await;
    adam.delete(&path, json!({})).await.success();
    adam.patch(&path, json!({"description": "Nothing more is said here."})).await.success();

    let mut state = State::from_register(queue.state.clone());
    let events = queue.all().await;
    assert!(events.iter().all(|event| state.apply(event)));

    let last = events.last().expect("the event of the notice");
    assert_eq!((&last["type"], &last["message"]["subject"]), (&json!("message"), &json!("channel events")));
    let later = register().await.state;
    assert_eq!(state.differences(&later), []);
    assert_eq!(last["flags"], json!(["read"]));
    let shelves = later["unread_msgs"]["streams"].as_array().cloned().unwrap_or_default();
    assert!(
        !shelves.iter().any(
            |shelf| ids(&shelf["unread_message_ids"]).contains(&last["message"]["id"].as_i64().unwrap_or_default())
        )
    );
}

#[tokio::test]
async fn unread_groups_are_sorted_by_their_text() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    for other in ["adam", "max", "build-bot", "nora"] {
        let to = [mel.id(), server.user(other).id()];
        olive.post("/messages", json!({"type": "direct", "to": to, "content": "hi"})).await.success();
    }

    let huddles = unread(&mel).await["huddles"].clone();

    let text = |row: &Value| row["user_ids_string"].as_str().expect("a text").to_owned();
    let texts: Vec<String> = huddles.as_array().expect("a list").iter().map(text).collect();
    assert!(texts.is_sorted(), "{texts:?}");
    let ids = |text: &String| text.split(',').map(|id| id.parse().expect("a number")).collect::<Vec<i64>>();
    assert!(!texts.is_sorted_by_key(ids), "{texts:?} are sorted by number too");
}

/// Topics are in the order of their names as the client reads them.
#[tokio::test]
async fn unread_topics_are_listed_by_the_names_that_clients_read() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    max.post("/mark_all_as_read", json!({})).await.success();
    for topic in ["z", "Apples", ""] {
        mel.send_to("general", topic, "x").await;
    }
    for (knows_empty, expected) in [(true, ["", "Apples", "z"]), (false, ["Apples", "general chat", "z"])] {
        let wish = json!({
            "fetch_event_types": ["message", "update_message_flags"],
            "client_capabilities": {"notification_settings_null": true, "empty_topic_name": knows_empty},
        });
        let state = max.register(wish).await.state;
        let shelves = state["unread_msgs"]["streams"].as_array().cloned().unwrap_or_default();
        let topics: Vec<&str> = shelves.iter().filter_map(|shelf| shelf["topic"].as_str()).collect();
        assert_eq!(topics, expected);
    }
}
