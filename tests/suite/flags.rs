//! Personal flags: read, starred, collapsed.

use crate::support::{TestServer, User};
use chatdouble::realm::id::UserId;
use chatdouble::reducer::State;
use serde_json::{Value, json};

async fn flag(user: &User, messages: &[i64], op: &str, flag: &str) -> Value {
    user.post("/messages/flags", json!({"messages": messages, "op": op, "flag": flag})).await.success()
}

async fn flags_of(user: &User, message: i64) -> Value {
    let reply = user.get(&format!("/messages/{message}"), json!({})).await.success();
    reply["message"]["flags"].clone()
}

/// The user's unread messages, as the register reply has them.
async fn unread_count(user: &User) -> Value {
    let state = user.register(json!({"fetch_event_types": ["message", "update_message_flags"]})).await.state;
    state["unread_msgs"]["count"].clone()
}

#[tokio::test]
async fn a_message_is_marked_as_read_and_only_the_user_gets_an_event() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let message = server.message("Pasta it is.");
    let mut events = mel.events(["update_message_flags"]).await;
    let mut others = max.events(["update_message_flags"]).await;
    assert_eq!(flags_of(&mel, message).await, json!([]));

    assert_eq!(flag(&mel, &[message], "add", "read").await, json!({"messages": [message]}));

    events.next().await.is(json!({
        "type": "update_message_flags", "op": "add", "operation": "add", "flag": "read", "messages": [message], "all": false,
    }));
    events.none().await;
    others.none().await;
    assert_eq!(flags_of(&mel, message).await, json!(["read"]));
}

#[tokio::test]
async fn an_unchanged_flag_is_sent_once_more() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let (read, unread) = (server.message("Pizza or pasta?"), server.message("Pasta it is."));
    let mut events = mel.events(["update_message_flags"]).await;

    let reply = flag(&mel, &[unread, read, unread, 9999], "add", "read").await;
    assert_eq!(reply, json!({"messages": [unread, read, unread, 9999]}));
    events.next().await.has(json!({"messages": [unread]}));

    flag(&mel, &[unread], "add", "read").await;
    events.next().await.has(json!({"messages": []}));
    events.none().await;
}

#[tokio::test]
async fn a_message_marked_as_unread_comes_with_its_details() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let lunch = server.message("Pizza or pasta?");
    let direct = server.message("Not yet. Is it");
    let note = server.message("Note to self");
    let welcome = server.message("Welcome, @**Mel Marsh**");
    let mut events = mel.events(["update_message_flags"]).await;
    let mut others = max.events(["update_message_flags"]).await;

    let reply = flag(&mel, &[lunch, direct, note, welcome], "remove", "read").await;
    let ids = [lunch, direct, note, welcome];
    assert_eq!(reply, json!({"messages": ids, "ignored_because_not_subscribed_channels": []}));

    let mut sorted = ids;
    sorted.sort_unstable();
    let general = server.channel("general");
    events.next().await.is(json!({
        "type": "update_message_flags", "op": "remove", "operation": "remove", "flag": "read", "messages": sorted, "all": false,
        "message_details": {
            // Mel has muted this topic.
            lunch.to_string(): {"type": "stream", "stream_id": general, "topic": "lunch", "unmuted_stream_msg": false},
            direct.to_string(): {"type": "private", "user_ids": [max.id()]},
            note.to_string(): {"type": "private", "user_ids": []},
            welcome.to_string(): {
                "type": "stream", "stream_id": general, "topic": "greetings", "unmuted_stream_msg": true, "mentioned": true,
            },
        },
    }));
    others.none().await;
    assert_eq!(flags_of(&mel, lunch).await, json!([]));
}

#[tokio::test]
async fn details_show_the_empty_topic_as_clients_know_it() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let message = server.message("This has no topic.");
    let mut new = mel.events(["update_message_flags"]).await;
    let mut old = mel.register(json!({"event_types": ["update_message_flags"], "client_capabilities": {}})).await;

    flag(&mel, &[message], "remove", "read").await;

    let topic = |event: &Value| event["message_details"][message.to_string()]["topic"].clone();
    assert_eq!(topic(&new.next().await.0), "");
    assert_eq!(topic(&old.next().await.0), "general chat");
}

#[tokio::test]
async fn messages_outside_one_s_subscriptions_never_become_unread() {
    let server = TestServer::start().await;
    let mona = server.user("mona");
    // Mona left engineering and has these; she never was in the attic or town square.
    let (left, foreign) = (server.message("Fixed."), server.message("Hello, world!"));
    let hidden = server.message("Before Mona joined us");
    let before = unread_count(&mona).await;
    let mut events = mona.events(["update_message_flags"]).await;

    for unseen in [hidden, 9999] {
        let params = json!({"messages": [left, unseen], "op": "remove", "flag": "read"});
        mona.post("/messages/flags", params).await.error("BAD_REQUEST", "Invalid message(s)");
    }
    let reply = flag(&mona, &[left, foreign], "remove", "read").await;

    let channels = json!([server.channel("engineering"), server.channel("town-square")]);
    assert_eq!(reply["ignored_because_not_subscribed_channels"], channels);
    events.next().await.has(json!({"op": "remove", "messages": [], "message_details": {}}));
    assert_eq!(flags_of(&mona, left).await, json!(["read"]));
    assert_eq!(unread_count(&mona).await, before);
}

#[tokio::test]
async fn a_mention_outside_one_s_subscriptions_is_read_from_the_start() {
    let server = TestServer::start().await;
    let [max, nora] = server.users(["max", "nora"]);
    let before = unread_count(&nora).await;
    let mut events = nora.events(["message"]).await;

    let sent = max.send_to("engineering", "builds", "@**Nora Novak** have a look").await;
    let edited = max.send_to("engineering", "builds", "Have a look").await;
    let path = format!("/messages/{edited}");
    max.patch(&path, json!({"content": "@**Nora Novak** have a look"})).await.success();

    events.next().await.has(json!({"flags": ["read", "mentioned"]}));
    assert_eq!(flags_of(&nora, sent).await, json!(["read", "mentioned"]));
    assert_eq!(flags_of(&nora, edited).await, json!(["read", "mentioned"]));
    assert_eq!(unread_count(&nora).await, before);
}

#[tokio::test]
async fn hidden_channels_are_not_given_away() {
    let server = TestServer::start().await;
    let nora = server.user("nora");

    let reply = flag(&nora, &[server.message("@**Mona Maddox** can see")], "remove", "read").await;

    assert_eq!(reply["ignored_because_not_subscribed_channels"], json!([]));
}

#[tokio::test]
async fn a_message_of_an_earlier_subscription_counts_as_unread_again() {
    let server = TestServer::start().await;
    let [mona, adam] = server.users(["mona", "adam"]);
    let message = server.message("Fixed.");
    adam.send_to("engineering", "builds", "Meanwhile").await;
    let again = json!({"subscriptions": [{"name": "engineering"}], "principals": [mona.id()]});
    adam.post("/users/me/subscriptions", again).await.success();
    let before = unread_count(&mona).await.as_i64();

    flag(&mona, &[message], "remove", "read").await;

    assert_eq!(unread_count(&mona).await.as_i64(), before.map(|count| count + 1));
    assert_eq!(flags_of(&mona, message).await, json!([]));
}

#[tokio::test]
async fn stars_and_collapsing_come_and_go() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let message = server.message("Pizza or pasta?");
    let mut events = mel.events(["update_message_flags"]).await;

    for name in ["starred", "collapsed"] {
        for op in ["add", "remove"] {
            assert_eq!(flag(&mel, &[message], op, name).await, json!({"messages": [message]}));
            events.next().await.is(json!({
                "type": "update_message_flags", "op": op, "operation": op, "flag": name, "messages": [message], "all": false,
            }));
            let expected = if op == "add" { json!(["read", name]) } else { json!(["read"]) };
            assert_eq!(flags_of(&mel, message).await, expected);
        }
    }
}

#[tokio::test]
async fn who_starred_what_they_did_not_receive_has_read_it() {
    let server = TestServer::start().await;
    let [nora, adam] = server.users(["nora", "adam"]);
    let message = server.message("Fixed.");
    let path = format!("/messages/{message}/read_receipts");
    let receipts =
        async || adam.get(&path, json!({})).await.success()["user_ids"].as_array().cloned().unwrap_or_default();
    assert!(!receipts().await.contains(&json!(nora.id())));

    flag(&nora, &[message], "add", "starred").await;

    assert!(receipts().await.contains(&json!(nora.id())));
}

#[tokio::test]
async fn starring_what_one_did_not_receive_gives_a_row_for_it() {
    let server = TestServer::start().await;
    let [nora, adam] = server.users(["nora", "adam"]);
    let message = server.message("Fixed.");
    let mut events = nora.events(["reaction"]).await;

    flag(&nora, &[message], "add", "starred").await;

    assert_eq!(flags_of(&nora, message).await, json!(["read", "starred", "historical"]));
    adam.post(&format!("/messages/{message}/reactions"), json!({"emoji_name": "tada"})).await.is(json!({}));
    events.next().await.has(json!({"message_id": message}));
}

#[tokio::test]
async fn what_one_came_upon_later_becomes_unread_where_one_is_subscribed() {
    let server = TestServer::start().await;
    let nora = server.user("nora");
    let message = server.message("Fixed.");
    flag(&nora, &[message], "add", "starred").await;
    flag(&nora, &[message], "remove", "read").await;
    assert_eq!(flags_of(&nora, message).await, json!(["read", "starred", "historical"]));
    nora.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "engineering"}]})).await.success();
    let mut queue = nora.register(json!({})).await;

    let reply = flag(&nora, &[message], "remove", "read").await;

    assert_eq!(reply["ignored_because_not_subscribed_channels"], json!([]));
    assert_eq!(flags_of(&nora, message).await, json!(["starred", "historical"]));
    let mut state = State::from_register(queue.state.clone());
    for event in queue.all().await {
        assert!(state.apply(&event), "{event:#}");
    }
    let later = nora.register(json!({})).await.state;
    assert_eq!(state.differences(&later), []);
    let count = |state: &Value| state["unread_msgs"]["count"].as_i64().expect("a count");
    assert_eq!(count(&later), count(&queue.state) + 1);
}

#[tokio::test]
async fn one_hidden_message_refuses_all_stars() {
    let server = TestServer::start().await;
    let [mel, gus] = server.users(["mel", "gus"]);
    let mine = server.message("Pizza or pasta?");
    let mut events = mel.events(["update_message_flags"]).await;

    for (user, hidden) in [(&mel, server.message("Before Mona")), (&mel, 9999), (&gus, server.message("Fixed."))] {
        let params = json!({"messages": [mine, hidden], "op": "add", "flag": "starred"});
        user.post("/messages/flags", params).await.error("BAD_REQUEST", "Invalid message(s)");
    }

    events.none().await;
    assert_eq!(flags_of(&mel, mine).await, json!(["read"]));
    // There is no star to take away.
    assert_eq!(flag(&mel, &[9999], "remove", "starred").await, json!({"messages": [9999]}));
}

#[tokio::test]
async fn flag_then_right_then_operation_are_checked() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut events = mel.events(["update_message_flags"]).await;

    for (flag, op, text) in [
        ("no_such", "toggle", "Invalid flag: 'no_such'"),
        ("is_private", "add", "Invalid flag: 'is_private'"),
        ("mentioned", "toggle", "Flag not editable: 'mentioned'"),
        ("historical", "add", "Flag not editable: 'historical'"),
        ("has_alert_word", "add", "Flag not editable: 'has_alert_word'"),
        ("read", "toggle", "Invalid message flag operation: 'toggle'"),
    ] {
        let params = json!({"messages": [9999], "op": op, "flag": flag});
        mel.post("/messages/flags", params).await.with_status(400).error("BAD_REQUEST", text);
    }
    for (params, name) in [
        (json!({"op": "add", "flag": "read"}), "messages"),
        (json!({"messages": [], "flag": "read"}), "op"),
        (json!({"messages": [], "op": "add"}), "flag"),
    ] {
        let refused = mel.post("/messages/flags", params).await;
        refused.error("REQUEST_VARIABLE_MISSING", &format!("Missing '{name}' argument"));
    }
    let params = json!({"messages": ["x"], "op": "add", "flag": "read"});
    mel.post("/messages/flags", params).await.error("BAD_REQUEST", "messages[0] is not an integer");
    events.none().await;
}

#[tokio::test]
async fn everything_is_marked_as_read_at_once() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut events = mel.events(["update_message_flags"]).await;
    let others = unread_count(&max).await;
    assert_ne!(unread_count(&mel).await, 0);

    mel.post("/mark_all_as_read", json!({})).await.is(json!({"complete": true}));

    events.next().await.is(json!({
        "type": "update_message_flags", "op": "add", "operation": "add", "flag": "read", "messages": [], "all": true,
    }));
    events.none().await;
    assert_eq!(unread_count(&mel).await, 0);
    assert_eq!(unread_count(&max).await, others);
    let next = max.send_to("general", "lunch", "Or soup?").await;
    assert_eq!(flags_of(&mel, next).await, json!([]));
}

#[tokio::test]
async fn a_channel_is_marked_as_read() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut events = mel.events(["update_message_flags"]).await;
    let engineering = server.channel("engineering");
    let unread = [server.message("@**topic** Any"), server.message("@*engineers*")];

    mel.post("/mark_stream_as_read", json!({"stream_id": engineering})).await.is(json!({}));

    events.next().await.has(json!({"op": "add", "flag": "read", "messages": unread, "all": false}));
    events.none().await;
    assert_eq!(flags_of(&mel, server.message("Pasta it is.")).await, json!([]));
}

#[tokio::test]
async fn a_topic_is_marked_as_read_whatever_its_case() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut events = mel.events(["update_message_flags"]).await;
    let topic = json!({"stream_id": server.channel("engineering"), "topic_name": "On Call"});

    mel.post("/mark_topic_as_read", topic).await.is(json!({}));

    let message = server.message("@*engineers*");
    events.next().await.has(json!({"op": "add", "flag": "read", "messages": [message], "all": false}));
    events.none().await;
    assert_eq!(
        flags_of(&mel, server.message("@**topic** Any")).await,
        json!(["topic_wildcard_mentioned", "wildcard_mentioned"])
    );
}

#[tokio::test]
async fn the_empty_topic_is_marked_as_read_by_either_name() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let general = server.channel("general");
    let mut events = mel.events(["update_message_flags"]).await;
    for name in ["", "general chat"] {
        let id = max.send_to("general", "", "about nothing").await;
        mel.post("/mark_topic_as_read", json!({"stream_id": general, "topic_name": name})).await.is(json!({}));
        events.next().await.has(json!({"op": "add", "flag": "read", "messages": [id]}));
    }
    events.none().await;
}

#[tokio::test]
async fn channels_and_topics_must_be_there_and_readable() {
    let server = TestServer::start().await;
    let [mel, gus] = server.users(["mel", "gus"]);
    let mut events = mel.events(["update_message_flags"]).await;
    let channel = |name: &str| server.channel(name);

    for (user, id) in
        [(&mel, 9999), (&mel, channel("leadership")), (&mel, channel("attic")), (&gus, channel("engineering"))]
    {
        let refused = user.post("/mark_stream_as_read", json!({"stream_id": id})).await;
        refused.error("BAD_REQUEST", "Invalid channel ID");
        let refused = user.post("/mark_topic_as_read", json!({"stream_id": id, "topic_name": "x"})).await;
        refused.error("BAD_REQUEST", "Invalid channel ID");
    }
    let unknown = json!({"stream_id": channel("general"), "topic_name": "nothing"});
    mel.post("/mark_topic_as_read", unknown).await.error("BAD_REQUEST", "No such topic 'nothing'");
    for path in ["/mark_stream_as_read", "/mark_topic_as_read"] {
        let refused = mel.post(path, json!({})).await;
        refused.error("REQUEST_VARIABLE_MISSING", "Missing 'stream_id' argument");
    }
    events.none().await;
}

#[tokio::test]
async fn who_begins_a_topic_takes_part_in_it() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut events = mel.events(["message"]).await;
    for text in ["@**topic** hello", "@**topic** again"] {
        let id = mel.send_to("general", "a new topic", text).await;

        let flags = json!(["topic_wildcard_mentioned", "wildcard_mentioned"]);
        events.next().await.has(json!({"message": {"id": id}, "flags": flags}));
        assert_eq!(flags_of(&max, id).await, json!([]));
    }
}

#[tokio::test]
async fn fetched_messages_that_mention_everybody_have_the_older_flag_too() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.send_to("general", "t", "@**all**").await;

    let flags = json!(["stream_wildcard_mentioned", "wildcard_mentioned"]);
    assert_eq!(flags_of(&max, id).await, flags);
    let fetched = max.get("/messages", json!({"message_ids": [id]})).await.success();
    assert_eq!(fetched["messages"][0]["flags"], flags);
}

#[tokio::test]
async fn flags_of_a_message_go_with_it() {
    let server = TestServer::start().await;
    // Nora did not receive it, and has a row because she stars it.
    let [mel, nora] = server.users(["mel", "nora"]);
    let message = mel.send_to("engineering", "t", "Short-lived").await;
    let flag = async |user: &User, op: &str, flag: &str| {
        let mut events = user.events(["update_message_flags"]).await;
        let params = json!({"messages": [message], "op": op, "flag": flag});
        user.post("/messages/flags", params).await.success();
        events.next().await.has(json!({"op": op, "flag": flag}))["messages"].clone()
    };
    let marks = [(&mel, "starred"), (&mel, "collapsed"), (&nora, "starred"), (&nora, "collapsed")];
    for (user, name) in marks {
        assert_eq!(flag(user, "add", name).await, json!([message]));
    }

    server.user("adam").delete(&format!("/messages/{message}"), json!({})).await.success();

    let realm = server.server().world("default").snapshot();
    let own = realm.user_state(UserId(nora.id()));
    let mut kept = own.starred.iter().chain(&own.collapsed);
    assert!(kept.all(|id| realm.messages.contains_key(id)));
    for (user, name) in marks {
        assert_eq!(flag(user, "remove", name).await, json!([]), "{name}");
    }
}
