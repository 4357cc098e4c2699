//! Requests with very long lists and texts, and requests to organizations with very many of a kind: each takes time in
//! proportion to its size, or is refused.

use crate::levels::Age;
use crate::support::{Reply, TestServer, User};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What one request may take, in a build without optimization.
const SHORT: Duration = Duration::from_secs(15);

async fn within(request: impl Future<Output = Reply>) -> Reply {
    let begun = Instant::now();
    let reply = request.await;
    assert!(begun.elapsed() < SHORT, "took {:?}", begun.elapsed());
    reply
}

fn message(content: &str) -> Value {
    json!({"type": "stream", "to": "town-square", "topic": "t", "content": content})
}

async fn flags_of_newest(user: &User) -> Value {
    let range = json!({"anchor": "newest", "num_before": 1, "num_after": 0});
    let reply = user.get("/messages", range).await.success();
    reply["messages"].as_array().and_then(|messages| messages.last()).expect("a message")["flags"].clone()
}

#[tokio::test]
async fn many_alert_words_are_added_looked_for_and_removed_in_time() {
    let server = TestServer::start().await;
    let [max, mel] = server.users(["max", "mel"]);
    let words: Vec<String> = (0..20_000).map(|index| format!("w{index}")).collect();
    let nested: Vec<String> = (1..=100).map(|length| "!".repeat(length)).collect();
    let body = json!({"alert_words": words});

    let before = mel.get("/users/me/alert_words", json!({})).await.success()["alert_words"].clone();
    let before = before.as_array().map_or(0, Vec::len);
    within(mel.post("/users/me/alert_words", body.clone())).await.success();
    within(mel.post("/users/me/alert_words", json!({"alert_words": nested}))).await.success();
    for (content, is_alerted) in [("w ".repeat(5_000), false), ("w19999".to_owned(), true), ("!?".repeat(5_000), true)]
    {
        within(max.post("/messages", message(&content))).await.success();
        let flags = flags_of_newest(&mel).await;
        assert_eq!(flags.as_array().expect("a list").contains(&json!("has_alert_word")), is_alerted, "{flags}");
    }
    let left = within(mel.delete("/users/me/alert_words", body)).await.success();
    assert_eq!(left["alert_words"].as_array().map(Vec::len), Some(before + 100));
}

#[tokio::test]
async fn words_are_found_whole_whatever_other_words_there_are() {
    let server = TestServer::start().await;
    let [max, mel] = server.users(["max", "mel"]);
    let words = ["a", "ab c", "ab", "abcd", "é", "x-y", "b"];
    mel.post("/users/me/alert_words", json!({"alert_words": words})).await.success();

    for (content, is_alerted) in [
        ("abc", false),
        ("AB C!", true),
        ("ab cd", true),
        ("(abcd)", true),
        ("abcde", false),
        ("caé", false),
        ("c É", true),
        ("x-yz", false),
        ("xx-y", true),
        ("yxx-y", false),
        ("-x-y-", false),
        ("-x-y.", true),
        ("ab_", false),
    ] {
        max.post("/messages", message(content)).await.success();
        let flags = flags_of_newest(&mel).await;
        assert_eq!(flags.as_array().expect("a list").contains(&json!("has_alert_word")), is_alerted, "{content}");
    }
}

#[tokio::test]
async fn very_many_channels_are_made_and_subscribed_to_in_time() {
    let server = TestServer::start().await;
    let [olive, mel, max] = server.users(["olive", "mel", "max"]);
    server.arrange(|tx| {
        let mut pattern =
            tx.channels.values().find(|channel| channel.name == "town-square").expect("it is").as_ref().clone();
        pattern.subscribers = imbl::OrdSet::new();
        for index in 0..6_000 {
            tx.realm_mut().counters.channel += 1;
            tx.realm_mut().counters.recipient += 1;
            pattern.id = chatdouble::realm::id::ChannelId(tx.counters.channel);
            pattern.recipient = chatdouble::realm::id::RecipientId(tx.counters.recipient);
            pattern.name = format!("many {index}");
            tx.add_channel(pattern.clone());
        }
    });
    let names: Vec<String> = (0..6_000).map(|index| format!("many {index}")).collect();
    let wishes: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    let principals = [olive.id(), mel.id(), max.id()];

    let asked = json!({"subscriptions": wishes, "principals": principals});
    let reply = within(olive.post("/users/me/subscriptions", asked)).await.success();
    assert_eq!(reply["subscribed"][mel.id().to_string()].as_array().map(Vec::len), Some(6_000));
    let asked = json!({"subscriptions": names, "principals": principals});
    let reply = within(olive.delete("/users/me/subscriptions", asked)).await.success();
    assert_eq!(reply["removed"].as_array().map(Vec::len), Some(18_000));
}

#[tokio::test]
async fn searches_for_very_many_words_and_terms_are_refused() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let search = |words: usize| {
        let words: Vec<String> = (0..words).map(|index| format!("x{index}")).collect();
        json!([{"operator": "search", "operand": words.join(" ")}])
    };
    let ask = |narrow: Value| {
        let range = json!({"method": "GET", "anchor": "newest", "num_before": 5, "num_after": 0, "narrow": narrow});
        max.post("/messages", range)
    };

    ask(search(100)).await.success();
    within(ask(search(1_500))).await.error("BAD_NARROW", "Invalid narrow operator: more than 100 words");
    let too_long = "narrow[0][\"operand\"] is too long (limit: 10000 characters)";
    within(ask(search(200_000))).await.error("BAD_REQUEST", too_long);
    let terms = |count: usize| json!(vec![json!({"operator": "has", "operand": "link"}); count]);
    ask(terms(100)).await.success();
    within(ask(terms(20_000))).await.error("BAD_NARROW", "Invalid narrow operator: more than 100 terms");
}

#[tokio::test]
async fn a_text_that_is_longer_than_what_may_be_rendered_is_refused() {
    let server = TestServer::start().await;
    let max = server.user("max");

    let text = json!({"content": "*a* ".repeat(250_001)});

    within(max.post("/messages/render", text)).await.error("BAD_REQUEST", "Unable to render message");
}

#[tokio::test]
async fn a_long_text_names_users_groups_and_emoji_in_time() {
    let server = TestServer::start().await;
    let max = server.user("max");
    server.arrange(|tx| {
        let pattern = tx.group_by_name("engineers").expect("the group").clone();
        for index in 1_000..5_000 {
            let id = chatdouble::realm::id::GroupId(index);
            let group = chatdouble::realm::group::Group { id, name: format!("named {index}"), ..pattern.clone() };
            tx.realm_mut().groups.insert(id, std::sync::Arc::new(group));
        }
        tx.realm_mut().counters.group = 5_000;
    });

    let text = "@*named 4999* @**nobody** ".repeat(380);
    let reply = within(max.post("/messages/render", json!({"content": text.trim_end()}))).await.success();

    let html = reply["rendered"].as_str().expect("a text");
    assert_eq!(html.matches("data-user-group-id=\"4999\"").count(), 380);
}

/// A world with 2,000 people, all subscribed to two channels, in one of which is a topic of 2,000 messages.
async fn crowd(server: &TestServer) -> User {
    let people: Vec<String> = (0..2_000).map(|index| format!("person{index}")).collect();
    let mut users: Vec<Value> = people.iter().map(|handle| json!({"handle": handle, "full_name": handle})).collect();
    users.push(json!({"handle": "olive", "full_name": "Olive", "role": "owner"}));
    let insiders = [people.as_slice(), &["olive".to_owned()]].concat();
    let message = json!({"at": "-1d", "from": "person0", "channel": "here", "topic": "long", "content": "x"});
    let fixture = json!({
        "organization": {"name": "Crowd", "host": "chat.test"},
        "users": users,
        "channels": [
            {"name": "here", "subscribers": people},
            {"name": "there", "subscribers": people[1_000..]},
            {"name": "closed", "privacy": "private_protected_history", "subscribers": insiders},
        ],
        "messages": vec![message; 2_000],
    });
    let olive = server.user("olive");
    let world = json!({"name": "crowd", "fixture": fixture});
    let sent = world.to_string().into_bytes();
    olive.send("POST", "/control/worlds", &world, sent, Some("application/json")).await.success();
    server.user_at(&format!("{}/w/crowd", server.url()), "crowd", "olive")
}

#[tokio::test]
async fn many_messages_of_many_people_are_moved_in_time() {
    let server = TestServer::start().await;
    let olive = crowd(&server).await;
    let channel =
        async |name: &str| olive.get("/get_stream_id", json!({"stream": name})).await.success()["stream_id"].clone();
    let count = async |name: &str| {
        let narrow = json!([["channel", name], ["topic", "long"]]);
        let range = json!({"anchor": "oldest", "num_before": 0, "num_after": 5_000, "narrow": narrow});
        olive.get("/messages", range).await.success()["messages"].as_array().map_or(0, Vec::len)
    };
    let narrow = json!([["channel", "here"]]);
    let newest = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow});
    let id = olive.get("/messages", newest).await.success()["messages"][0]["id"].clone();

    for name in ["there", "closed", "here"] {
        let moved = json!({
            "stream_id": channel(name).await,
            "propagate_mode": "change_all",
            "send_notification_to_new_thread": false,
        });
        within(olive.patch(&format!("/messages/{id}"), moved)).await.success();
        assert_eq!(count(name).await, 2_000, "{name}");
    }
}

#[tokio::test]
async fn very_many_channels_and_subscriptions_at_once_are_refused() {
    let server = TestServer::start().await;
    let olive = crowd(&server).await;
    let named = |count: usize| -> Value { (0..count).map(|index| json!({"name": format!("c{index}")})).collect() };
    let people: Vec<Value> = olive.get("/users", json!({})).await.success()["members"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|user| user["is_bot"] == false)
        .map(|user| user["user_id"].clone())
        .collect();

    let path = "/users/me/subscriptions";
    within(olive.post(path, json!({"subscriptions": named(20_001)})))
        .await
        .error("BAD_REQUEST", "Too many channels at once (maximum 20000).");
    let asked = json!({"subscriptions": named(600), "principals": people});
    within(olive.post(path, asked)).await.error("BAD_REQUEST", "Too many subscriptions at once (maximum 1000000).");
    let former = Age::at(&server, 511).await.user("olive");
    within(former.patch(path, json!({"add": named(20_001)})))
        .await
        .error("BAD_REQUEST", "Too many channels at once (maximum 20000).");
    assert!(olive.get("/get_stream_id", json!({"stream": "c0"})).await.status == 400);
    olive.post(path, json!({"subscriptions": named(600)})).await.success();
    let names: Vec<String> = (0..600).map(|index| format!("c{index}")).collect();
    let asked = json!({"subscriptions": names, "principals": people});
    within(olive.delete(path, asked)).await.error("BAD_REQUEST", "Too many subscriptions at once (maximum 1000000).");
    let narrow = json!({"narrow": vec![["topic", "x"]; 101]});
    olive.post("/register", narrow).await.error("BAD_NARROW", "Invalid narrow operator: more than 100 terms");
}

#[tokio::test]
async fn a_text_that_is_too_long_for_so_many_linkifiers_is_refused() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    for index in 0..200 {
        let linkifier = json!({"pattern": format!("a{index}-(?P<id>[0-9]+)"), "url_template": "https://x.test/{id}"});
        olive.post("/realm/filters", linkifier).await.success();
    }
    let text = |length: usize| json!({"content": "x".repeat(length)});

    within(olive.post("/messages/render", text(600_000))).await.error("BAD_REQUEST", "Unable to render message");
    within(olive.post("/messages/render", text(10_000))).await.success();
}

#[tokio::test]
async fn lists_with_many_repetitions_are_read_in_time() {
    let server = TestServer::start().await;
    let [olive, max] = server.users(["olive", "max"]);
    let same = vec![olive.id(); 200_000];

    within(max.post("/messages", json!({"type": "direct", "to": same, "content": "x"}))).await.success();
    let repeated = json!({"ordered_linkifier_ids": vec![1; 200_000]});
    within(olive.patch("/realm/linkifiers", repeated))
        .await
        .error("BAD_REQUEST", "The ordered list must not contain duplicated linkifiers");
}

#[tokio::test]
async fn lists_that_nobody_asked_for_are_not_kept_for_an_idle_queue() {
    let server = TestServer::start().await;
    let [max, mel] = server.users(["max", "mel"]);
    max.post("/register", json!({"event_types": ["presence"]})).await.success();
    let town_square = server.channel("town-square");
    let weight = || {
        let log = &server.server().world("default").snapshot().log;
        log.entries.iter().map(|entry| entry.event.weight()).sum::<usize>()
    };

    for index in 0..200 {
        let policy = json!({"stream_id": town_square, "topic": format!("topic {index}"), "visibility_policy": 1});
        mel.post("/user_topics", policy).await.success();
        mel.post("/users/me/alert_words", json!({"alert_words": [format!("word {index}")]})).await.success();
    }

    assert!(weight() < 400 * 2_000, "{}", weight());
}

#[tokio::test]
async fn lists_that_change_often_are_kept_once_for_an_idle_queue() {
    let server = TestServer::start().await;
    let [max, olive] = server.users(["max", "olive"]);
    let mut idle = max.register(json!({})).await;

    for index in 0..100 {
        let field = json!({"name": format!("field {index}"), "field_type": 1, "hint": "a hint of some length"});
        olive.post("/realm/profile_fields", field).await.success();
        let linkifier = json!({"pattern": format!("{index}-(?P<id>[0-9]+)"), "url_template": "https://x.test/{id}"});
        olive.post("/realm/filters", linkifier).await.success();
    }

    let log = server.server().world("default").snapshot().log.clone();
    let weight: usize = log.entries.iter().map(|entry| entry.event.weight()).sum();
    assert!(weight < 200 * 1_000, "{weight}");
    let events = idle.all().await;
    let lists = events.iter().filter(|event| event["type"] == "custom_profile_fields");
    let lengths: Vec<usize> = lists.map(|event| event["fields"].as_array().expect("a list").len()).collect();
    let first = lengths[0];
    assert_eq!(lengths, (first..first + 100).collect::<Vec<_>>(), "each event has the list as it was");
}

#[tokio::test]
async fn an_organization_of_very_many_messages_is_not_exported_at_once() {
    let server = TestServer::start().await;
    let message = json!({"at": "-1d", "from": "olive", "channel": "here", "topic": "long", "content": "x"});
    let fixture = json!({
        "organization": {"name": "Talk", "host": "chat.test"},
        "users": [{"handle": "olive", "full_name": "Olive", "role": "owner"}],
        "channels": [{"name": "here", "subscribers": ["olive"]}],
        "messages": vec![message; 50_001],
    });
    let olive = server.user("olive");
    let world = json!({"name": "talk", "fixture": fixture});
    let sent = world.to_string().into_bytes();
    olive.send("POST", "/control/worlds", &world, sent, Some("application/json")).await.success();
    let olive = server.user_at(&format!("{}/w/talk", server.url()), "talk", "olive");

    let message = "Please request a manual export from support@chat.test.";
    olive.post("/export/realm", json!({})).await.error("BAD_REQUEST", message);
}

#[tokio::test]
async fn operands_and_lists_that_a_queue_keeps_have_a_limit() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let long = |length: usize| "x".repeat(length);
    let too_long = |what: &str| format!("{what} is too long (limit: 10000 characters)");
    let terms = |operand: Value| json!([{"operator": "topic", "operand": operand}]);
    let read =
        |narrow: Value| json!({"method": "GET", "anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow});
    let matches = |narrow: Value| json!({"method": "GET", "msg_ids": [1], "narrow": narrow});
    let flagged = |narrow: Value| json!({"anchor": "newest", "num_before": 1, "num_after": 0, "op": "add", "flag": "read", "narrow": narrow});

    mel.post("/messages", read(terms(long(10_000).into()))).await.success();
    let operand = too_long("narrow[0][\"operand\"]");
    for narrow in [
        terms(long(10_001).into()),
        json!([{"operator": "dm", "operand": vec![1_000_000; 2_000]}]),
        json!([["topic", long(10_001)]]),
    ] {
        mel.post("/messages", read(narrow.clone())).await.error("BAD_REQUEST", &operand);
        mel.post("/messages/matches_narrow", matches(narrow.clone())).await.error("BAD_REQUEST", &operand);
        mel.post("/messages/flags/narrow", flagged(narrow)).await.error("BAD_REQUEST", &operand);
    }
    let operator = json!([{"operator": long(10_001), "operand": "x"}]);
    mel.post("/messages", read(operator)).await.error("BAD_REQUEST", &too_long("narrow[0][\"operator\"]"));
    let narrow = |length: usize| json!([["topic", long(length)]]);
    mel.post("/register", json!({"narrow": narrow(9_900), "event_types": [long(9_900)]})).await.success();
    mel.post("/register", json!({"narrow": narrow(10_000)})).await.error("BAD_REQUEST", &too_long("narrow"));
    for name in ["event_types", "fetch_event_types"] {
        mel.post("/register", json!({name: [long(10_000)]})).await.error("BAD_REQUEST", &too_long(name));
    }
    let polled = json!({"method": "GET", "dont_block": true, "event_types": [long(10_000)]});
    mel.post("/events", polled).await.error("BAD_REQUEST", &too_long("event_types"));
}

#[tokio::test]
async fn what_a_client_calls_itself_is_cut() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let sent = json!({"type": "channel", "to": "general", "topic": "t", "content": "x", "client": "é".repeat(1_000)});
    let id = mel.post("/messages", sent).await.success()["id"].clone();

    let message = mel.get(&format!("/messages/{id}"), json!({})).await.success();
    assert_eq!(message["message"]["client"], "é".repeat(30));
}

#[tokio::test]
async fn what_is_added_to_a_message_has_a_limit_alone_and_together() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let widget = json!({"widget_type": "zform", "extra_data": {"type": "choices", "heading": "h", "choices": []}});
    let bot = server.user("build-bot");
    let mut sent = json!({"type": "direct", "to": [mel.id()], "content": "x", "widget_content": widget.to_string()});
    let id = bot.post("/messages", sent.clone()).await.success()["id"].clone();
    let part = |kind: &str, length: usize| json!({"message_id": id, "msg_type": kind, "content": format!("\"{}\"", "x".repeat(length - 2))});

    let too_long = "content is too long (limit: 20000 characters)";
    mel.post("/submessage", part("other", 20_001)).await.error("BAD_REQUEST", too_long);
    let too_long = "msg_type is too long (limit: 20000 characters)";
    mel.post("/submessage", part(&"k".repeat(20_001), 9)).await.error("BAD_REQUEST", too_long);
    let mut taken = 0;
    while mel.post("/submessage", part("other", 10_000)).await.status == 200 {
        taken += 1;
    }
    assert!((95..=104).contains(&taken), "{taken}");
    let refused = mel.post("/submessage", part("other", 10_000)).await;
    refused.error("BAD_REQUEST", "This message has too many submessages (limit: 1024 KiB)");
    mel.post("/submessage", part("other", 10)).await.success();
    sent["widget_content"] = "x".repeat(10_001).into();
    let too_long = "widget_content is too long (limit: 10000 characters)";
    bot.post("/messages", sent).await.error("BAD_REQUEST", too_long);
    let local = json!({"type": "direct", "to": [mel.id()], "content": "x", "local_id": "l".repeat(1_001)});
    mel.post("/messages", local).await.error("BAD_REQUEST", "local_id is too long (limit: 1000 characters)");
}
