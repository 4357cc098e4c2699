//! Listing topics, and muting and following them.

use crate::support::{TestServer, User};
use chatdouble::reducer::State;
use serde_json::{Value, json};

async fn topics(server: &TestServer, user: &User, channel: &str) -> Vec<(String, i64)> {
    let path = format!("/users/me/{}/topics", server.channel(channel));
    let reply = user.get(&path, json!({})).await.success();
    let entry = |topic: &Value| {
        (topic["name"].as_str().unwrap_or_default().to_owned(), topic["max_id"].as_i64().unwrap_or_default())
    };
    reply["topics"].as_array().expect("a list of topics").iter().map(entry).collect()
}

#[tokio::test]
async fn topics_come_newest_first_once_each_as_last_spelt() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    mel.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "quiet"}]})).await.success();
    let chess = mel.send_to("quiet", "chess", "e4").await;
    let go = mel.send_to("quiet", "go", "3-4").await;
    let shouted = mel.send_to("quiet", "CHESS", "e5").await;

    assert!(chess < go);
    assert_eq!(topics(&server, &mel, "quiet").await, [("CHESS".to_owned(), shouted), ("go".to_owned(), go)]);
}

#[tokio::test]
async fn a_channel_without_messages_has_no_topics() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);

    let path = format!("/users/me/{}/topics", server.channel("quiet"));

    mel.get(&path, json!({})).await.is(json!({"topics": []}));
    max.get(&path, json!({})).await.is(json!({"topics": []}));
}

#[tokio::test]
async fn the_empty_topic_goes_by_its_display_name_unless_the_client_knows_it() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    mel.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "quiet"}]})).await.success();
    let id = mel.send_to("quiet", "", "hush").await;
    let path = format!("/users/me/{}/topics", server.channel("quiet"));

    mel.get(&path, json!({})).await.is(json!({"topics": [{"name": "general chat", "max_id": id}]}));
    let known = mel.get(&path, json!({"allow_empty_topic_name": true})).await;
    known.is(json!({"topics": [{"name": "", "max_id": id}]}));
}

#[tokio::test]
async fn protected_history_hides_topics_from_before_subscribing() {
    let server = TestServer::start().await;
    let [mel, max, bot] = server.users(["mel", "max", "build-bot"]);
    let params = json!({"subscriptions": [{"name": "vault"}], "invite_only": true});
    mel.post("/users/me/subscriptions", params).await.success();
    mel.send_to("vault", "before", "old").await;
    let join = async |user: &User| {
        let params = json!({
            "subscriptions": [{"name": "vault"}],
            "principals": [user.id()],
            "send_new_subscription_messages": false,
        });
        mel.post("/users/me/subscriptions", params).await.success();
    };

    join(&max).await;
    let between = mel.send_to("vault", "between", "new").await;
    join(&bot).await;
    let after = mel.send_to("vault", "after", "newer").await;

    let names = |topics: Vec<(String, i64)>| topics.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let max_topics = topics(&server, &max, "vault").await;
    assert_eq!(max_topics, [("after".to_owned(), after), ("between".to_owned(), between)]);
    // A bot has its own history, not its owner's.
    assert_eq!(topics(&server, &bot, "vault").await, [("after".to_owned(), after)]);
    assert!(names(topics(&server, &mel, "vault").await).contains(&"before".to_owned()));
}

#[tokio::test]
async fn topics_are_for_those_who_can_read_the_channel() {
    let server = TestServer::start().await;
    let [adam, mel, nora, gus] = server.users(["adam", "mel", "nora", "gus"]);
    let path = |id: i64| format!("/users/me/{id}/topics");

    for (user, channel) in [(&nora, "design"), (&adam, "design"), (&mel, "leadership"), (&gus, "engineering")] {
        user.get(&path(server.channel(channel)), json!({})).await.error("BAD_REQUEST", "Invalid channel ID");
    }
    mel.get(&path(999), json!({})).await.error("BAD_REQUEST", "Invalid channel ID");
    // Archived channels are still read.
    assert_eq!(topics(&server, &nora, "attic").await.len(), 1);
}

#[tokio::test]
async fn a_topic_is_muted_followed_and_forgotten() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut at_mel = mel.events(["user_topic", "muted_topics"]).await;
    let mut at_old_client = mel.events(["muted_topics"]).await;
    let mut at_max = max.events(["user_topic", "muted_topics"]).await;
    let id = server.channel("engineering");
    let set = async |policy: i64| {
        let params = json!({"stream_id": id, "topic": "a new topic", "visibility_policy": policy});
        mel.post("/user_topics", params).await.is(json!({}));
    };
    let event = |policy: i64| {
        json!({
            "type": "user_topic",
            "stream_id": id,
            "topic_name": "a new topic",
            "last_updated": 1_767_268_800,
            "visibility_policy": policy,
        })
    };

    for policy in [1, 1, 3, 0] {
        set(policy).await;
    }

    for policy in [1, 3, 0] {
        at_mel.next().await.is(event(policy));
    }
    at_mel.none().await;
    let muted = at_old_client.next().await.has(json!({"type": "muted_topics"}));
    let muted = muted["muted_topics"].as_array().expect("a list").clone();
    assert!(muted.contains(&json!(["engineering", "a new topic", 1_767_268_800])), "{muted:?}");
    at_max.none().await;
}

#[tokio::test]
async fn only_known_policies_short_topics_and_readable_channels_are_taken() {
    let server = TestServer::start().await;
    let [mel, nora] = server.users(["mel", "nora"]);
    let params = |channel: i64, topic: &str, policy: i64| json!({"stream_id": channel, "topic": topic, "visibility_policy": policy});
    let general = server.channel("general");
    let refused = async |user: &User, params: Value, message: &str| {
        user.post("/user_topics", params).await.error("BAD_REQUEST", message);
    };

    let unknown = "Invalid visibility_policy: Value error, Not in the list of possible values";
    refused(&mel, params(general, "t", 4), unknown).await;
    refused(&mel, params(general, &"t".repeat(61), 4), "topic is too long (limit: 60 characters)").await;
    refused(&nora, params(server.channel("design"), "t", 1), "Invalid channel ID").await;
    refused(&nora, params(999, "t", 0), "Invalid channel ID").await;
    refused(&mel, params(server.channel("attic"), "t", 1), "Invalid channel ID").await;
}

#[tokio::test]
async fn a_policy_can_be_forgotten_in_a_channel_that_was_lost() {
    let server = TestServer::start().await;
    let [mona, max] = server.users(["mona", "max"]);
    let id = server.channel("design");
    let params = |topic: &str| json!({"stream_id": id, "topic": topic, "visibility_policy": 0});
    let leave = json!({"subscriptions": ["design"], "principals": [max.id()]});
    mona.delete("/users/me/subscriptions", leave).await.success();

    let mut events = max.events(["user_topic"]).await;
    // What was not said is taken back without an event.
    for topic in ["LOGO", "logo"] {
        max.post("/user_topics", params(topic)).await.is(json!({}));
    }
    events.next().await.has(json!({"stream_id": id, "visibility_policy": 0}));
    events.none().await;
}

#[tokio::test]
async fn what_was_said_of_topics_is_not_listed_while_the_channel_is_archived() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let channel = |name: &str| format!("/streams/{}", server.channel(name));
    for name in ["engineering", "general"] {
        let mute = json!({"stream_id": server.channel(name), "topic": "noise", "visibility_policy": 1});
        mel.post("/user_topics", mute).await.is(json!({}));
    }
    let listed = async || {
        let mut state = mel.register(json!({})).await.state;
        let rows = |list: &Value| list.as_array().expect("a list").clone();
        let topics = rows(&state["user_topics"].take()).into_iter().filter(|row| row["topic_name"] == "noise");
        let muted = rows(&state["muted_topics"].take()).into_iter().filter(|row| row[1] == "noise");
        let (topics, muted) = (topics.map(|mut row| row["stream_id"].take()), muted.map(|mut row| row[0].take()));
        (topics.collect::<Vec<_>>(), muted.collect::<Vec<_>>())
    };
    let [engineering, general] = ["engineering", "general"].map(|name| json!(server.channel(name)));

    adam.delete(&channel("engineering"), json!({})).await.success();
    assert_eq!(listed().await, (vec![general.clone()], vec![json!("general")]));
    let mut at_old_client = mel.events(["muted_topics"]).await;
    let mute = json!({"stream_id": general, "topic": "more", "visibility_policy": 1});
    mel.post("/user_topics", mute).await.is(json!({}));
    let event = at_old_client.next().await.has(json!({"type": "muted_topics"}));
    let names: Vec<&Value> = event["muted_topics"].as_array().expect("a list").iter().map(|row| &row[0]).collect();
    assert!(!names.contains(&&json!("engineering")), "{event}");

    adam.patch(&channel("engineering"), json!({"is_archived": false})).await.success();
    assert_eq!(listed().await, (vec![engineering, general], vec![json!("engineering"), json!("general")]));
}

#[tokio::test]
async fn what_was_said_of_a_topic_does_not_follow_it_out_of_sight() {
    let server = TestServer::start().await;
    let [mona, nora, max] = server.users(["mona", "nora", "max"]);
    let (from, to) = (server.channel("general"), server.channel("design"));
    let message = mona.send_to("general", "plans", "Soon").await;
    for user in [&nora, &max] {
        let said = json!({"stream_id": from, "topic": "plans", "visibility_policy": 3});
        user.post("/user_topics", said).await.success();
    }
    let [mut at_nora, mut at_max] = [nora.events(["user_topic"]).await, max.events(["user_topic"]).await];

    let moved = json!({"stream_id": to, "topic": "secret", "propagate_mode": "change_all"});
    mona.patch(&format!("/messages/{message}"), moved).await.success();

    at_nora.next().await.has(json!({"stream_id": from, "topic_name": "plans", "visibility_policy": 0}));
    at_nora.none().await;
    at_max.next().await.has(json!({"stream_id": from, "topic_name": "plans", "visibility_policy": 0}));
    at_max.next().await.has(json!({"stream_id": to, "topic_name": "secret", "visibility_policy": 3}));
    let said = nora.post("/register", json!({"fetch_event_types": ["user_topic"]})).await.success();
    assert_eq!(said["user_topics"], json!([]));
}

#[tokio::test]
async fn of_two_topics_that_become_one_an_unmuted_one_counts() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let general = server.channel("general");
    for (case, (here, there, merged)) in
        [(1, 0, 0), (0, 1, 0), (1, 3, 0), (3, 1, 0), (3, 3, 3), (3, 0, 0), (2, 3, 2), (2, 1, 2), (1, 1, 1)]
            .into_iter()
            .enumerate()
    {
        let topic = |name: &str| format!("{name} {case}");
        let message = mel.send_to("general", &topic("here"), "one").await;
        mel.send_to("general", &topic("there"), "two").await;
        for (name, policy) in [("here", here), ("there", there)] {
            let said = json!({"stream_id": general, "topic": topic(name), "visibility_policy": policy});
            mel.post("/user_topics", said).await.success();
        }

        let moved = json!({"topic": topic("there"), "propagate_mode": "change_all"});
        mel.patch(&format!("/messages/{message}"), moved).await.success();

        let said = mel.post("/register", json!({"fetch_event_types": ["user_topic"]})).await.success();
        let policy = |name: &str| {
            let mut said = said["user_topics"].as_array().into_iter().flatten();
            let row = said.find(|row| row["topic_name"] == topic(name));
            row.map_or(0, |row| row["visibility_policy"].as_i64().unwrap_or_default())
        };
        assert_eq!((policy("here"), policy("there")), (0, merged), "{here} and {there}");
    }
}

#[tokio::test]
async fn the_old_way_of_muting_takes_a_channel_by_name_or_id() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mute = async |params: Value| mel.patch("/users/me/subscriptions/muted_topics", params).await;
    let mut events = mel.events(["user_topic"]).await;
    let id = server.channel("quiet");

    mute(json!({"op": "add", "stream": "Quiet", "topic": "noise"})).await.is(json!({}));
    mute(json!({"op": "remove", "stream_id": id, "topic": "NOISE"})).await.is(json!({}));

    for policy in [1, 0] {
        events.next().await.has(json!({"type": "user_topic", "stream_id": id, "visibility_policy": policy}));
    }
    events.none().await;

    // What is not muted can be unmuted.
    mute(json!({"op": "remove", "stream_id": id, "topic": "noise"})).await.is(json!({}));
    events.none().await;
    let neither = mute(json!({"op": "add", "topic": "noise"})).await;
    neither.error("REQUEST_VARIABLE_MISSING", "Missing 'stream_id' argument");
    let both = mute(json!({"op": "add", "stream": "quiet", "stream_id": id, "topic": "noise"})).await;
    both.error("BAD_REQUEST", "Unsupported parameter combination: stream_id, stream");
    let hidden = mute(json!({"op": "add", "stream": "leadership", "topic": "noise"})).await;
    hidden.error("BAD_REQUEST", "Invalid channel name 'leadership'");
    mute(json!({"op": "shout", "stream": "quiet", "topic": "noise"})).await.error("BAD_REQUEST", "Invalid op");
}

#[tokio::test]
async fn what_is_said_of_the_empty_topic_is_said_by_any_of_its_names() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = server.channel("general");
    let mut events = mel.events(["user_topic"]).await;
    for (name, policy) in [("general chat", 3), ("General Chat", 2), ("", 0)] {
        let said = json!({"stream_id": id, "topic": name, "visibility_policy": policy});
        mel.post("/user_topics", said).await.is(json!({}));
        events.next().await.has(json!({"topic_name": "", "visibility_policy": policy}));
    }
    for (op, policy) in [("add", 1), ("remove", 0)] {
        let said = json!({"op": op, "stream_id": id, "topic": "general chat"});
        mel.patch("/users/me/subscriptions/muted_topics", said).await.is(json!({}));
        events.next().await.has(json!({"topic_name": "", "visibility_policy": policy}));
    }

    let said = mel.send_to("general", "(no topic)", "hello").await;
    let narrow = json!([["channel", "general"], ["topic", "general chat"]]);
    let found = mel.get("/messages", json!({"anchor": "newest", "num_before": 1, "narrow": narrow})).await.success();
    assert_eq!(found["messages"][0]["id"], said);
}

#[tokio::test]
async fn an_administrator_deletes_a_topic_whatever_its_case() {
    let server = TestServer::start().await;
    let [adam, mel, mona] = server.users(["adam", "mel", "mona"]);
    let general = server.channel("general");
    let first = mel.send_to("general", "doomed", "one").await;
    let second = mel.send_to("general", "Doomed", "two").await;
    let mut at_mel = mel.events(["delete_message"]).await;
    let path = format!("/streams/{general}/delete_topic");
    let delete = async |user: &User, topic: &str| user.post(&path, json!({"topic_name": topic})).await;

    let (code, message) = ("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator");
    delete(&mona, "doomed").await.error(code, message);
    delete(&adam, "DOOMED").await.is(json!({"complete": true}));
    delete(&adam, "DOOMED").await.is(json!({"complete": true}));

    at_mel.next().await.is(json!({
        "type": "delete_message",
        "message_type": "stream",
        "stream_id": general,
        "topic": "Doomed",
        "message_ids": [first, second],
    }));
    at_mel.none().await;
    assert!(!topics(&server, &mel, "general").await.iter().any(|(name, _)| name.eq_ignore_ascii_case("doomed")));
    let hidden = format!("/streams/{}/delete_topic", server.channel("design"));
    adam.post(&hidden, json!({"topic_name": "logo"})).await.error("BAD_REQUEST", "Invalid channel ID");
}

#[tokio::test]
async fn what_was_said_of_a_topic_goes_with_it_and_stays_when_its_messages_go() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let general = server.channel("general");
    for topic in ["doomed", "one message"] {
        mel.post("/user_topics", json!({"stream_id": general, "topic": topic, "visibility_policy": 3})).await.success();
        mel.send_to("general", topic, "x").await;
    }
    let last = mel.send_to("general", "one message", "x").await;
    let mut events = mel.events(["user_topic", "muted_topics"]).await;

    let path = format!("/streams/{general}/delete_topic");
    adam.post(&path, json!({"topic_name": "doomed"})).await.success();
    adam.delete(&format!("/messages/{last}"), json!({})).await.success();

    events.next().await.has(json!({"type": "user_topic", "topic_name": "doomed", "visibility_policy": 0}));
    events.none().await;
    let state = mel.register(json!({"fetch_event_types": ["user_topic"]})).await.state;
    let named = |name: &str| state["user_topics"].as_array().into_iter().flatten().any(|one| one["topic_name"] == name);
    assert!(!named("doomed") && named("one message"), "{}", state["user_topics"]);
}

#[tokio::test]
async fn muted_topics_are_sent_once_where_a_topic_moves() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let message = mel.send_to("general", "old", "moves").await;
    let channel = server.channel("general");
    let mute = json!({"stream_id": channel, "topic": "old", "visibility_policy": 1});
    mel.post("/user_topics", mute).await.success();
    let mut events = mel.register(json!({"fetch_event_types": []})).await;

    let place = json!({"topic": "new", "propagate_mode": "change_all", "send_notification_to_new_thread": false});
    mel.patch(&format!("/messages/{message}"), place).await.success();

    let topic =
        |name: &str, policy: i64| json!({"type": "user_topic", "topic_name": name, "visibility_policy": policy});
    events.next().await.has(topic("old", 0));
    let muted = events.next().await.has(json!({"type": "muted_topics"}));
    let topics: Vec<&Value> = muted["muted_topics"].as_array().into_iter().flatten().map(|row| &row[1]).collect();
    assert!(topics.contains(&&json!("new")) && !topics.contains(&&json!("old")), "{topics:?}");
    events.next().await.has(topic("new", 1));
    events.next().await.has(json!({"type": "update_message"}));
    events.none().await;
}

#[tokio::test]
async fn a_topic_stays_spelt_as_when_something_was_said_of_it_first() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut queue = mel.register(json!({"event_types": ["user_topic"]})).await;
    let mut state = State::from_register(queue.state.clone());
    for (topic, policy) in [("Tea", 1), ("TEA", 3)] {
        let said = json!({"stream_id": server.channel("general"), "topic": topic, "visibility_policy": policy});
        mel.post("/user_topics", said).await.is(json!({}));
        assert!(state.apply(&queue.next().await.has(json!({"topic_name": topic, "visibility_policy": policy}))));
    }

    let later = mel.register(json!({"event_types": ["user_topic"]})).await.state;
    let mut topics = later["user_topics"].as_array().expect("a list").iter();
    assert!(topics.any(|row| row["topic_name"] == "Tea" && row["visibility_policy"] == 3), "{later}");
    assert_eq!(state.differences(&later), []);
}

#[tokio::test]
async fn the_new_first_message_of_a_channel_is_sent_before_the_end_of_the_former() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    mel.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "nook"}]})).await.success();
    let nook = server.channel("nook");
    let id = mel.send_to("nook", "tea", "Hot").await;
    let mut queue = mel.events(["delete_message", "stream"]).await;

    let topic = json!({"topic_name": "channel events"});
    olive.post(&format!("/streams/{nook}/delete_topic"), topic).await.success();

    queue.next().await.has(json!({"type": "stream", "property": "first_message_id", "value": id}));
    queue.next().await.has(json!({"type": "delete_message", "topic": "channel events"}));
    queue.none().await;
}
