//! Requests that cost much: groups in lattices and chains, long lists, long texts, queues that nobody reads.

use super::random::credentials;
use super::{Tally, ask};
use crate::properties::draw::Draw;
use crate::support::User;
use chatdouble::realm::Realm;
use serde_json::{Value, json};

/// The longest life of a queue, in seconds.
const WEEK: u64 = 604_800;

/// One such request, or a few that belong together, by one of the people who may make it.
pub async fn step(tally: &mut Tally, base: &User, realm: &Realm, draw: &mut Draw<'_>) {
    let handle = ["mel", "max", "adam", "olive"][draw.below(4) as usize];
    let Some(user) = realm.user_by_email(&format!("{handle}@chat.test")).filter(|user| user.is_active) else {
        return;
    };
    let me = base.as_other(credentials(realm, &user.email));
    // Without optimization everything takes ten times as long.
    let size = |of: u64| if cfg!(debug_assertions) { of / 10 } else { of };
    match draw.below(10) {
        0 => lattice(tally, &me, 12 + draw.below(12)).await,
        1 => chain(tally, &me, size(100 + draw.below(200))).await,
        2 => alert_words(tally, &me, size(2_000 + draw.below(20_000))).await,
        3 => channels(tally, &me, realm, size(50 + draw.below(200))).await,
        4 => idle_queue(tally, &me, draw.below(1_000)).await,
        5 => long_lists(tally, &me, size(100_000)).await,
        6 => long_texts(tally, &me, draw.below(6)).await,
        7 => bot_storage(tally, base, realm, size(5_000)).await,
        8 => topics(tally, &me, draw.below(1_000)).await,
        _ => search(tally, &me, size(20_000)).await,
    }
}

async fn make_group(tally: &mut Tally, me: &User, name: String, subgroups: &[i64]) -> Option<i64> {
    let group = json!({"name": name, "description": "", "members": [me.id()], "subgroups": subgroups});
    ask(tally, me, "POST", "/user_groups/create", &group).await["group_id"].as_i64()
}

/// Layers of two groups, each of which has both groups of the layer below.
async fn lattice(tally: &mut Tally, me: &User, layers: u64) {
    let mut below: Vec<i64> = Vec::new();
    for layer in 0..layers {
        let mut made = Vec::new();
        for side in ["left", "right"] {
            made.extend(make_group(tally, me, format!("{side} {layer} of {layers}"), &below).await);
        }
        below = made;
    }
    walk(tally, me, below.first()).await;
}

/// Groups each of which is the only subgroup of the next.
async fn chain(tally: &mut Tally, me: &User, length: u64) {
    let mut last = Vec::new();
    for link in 0..length {
        last = make_group(tally, me, format!("link {link} of {length}"), &last).await.into_iter().collect();
    }
    walk(tally, me, last.first()).await;
}

/// All that walks through a group's subgroups.
async fn walk(tally: &mut Tally, me: &User, group: Option<&i64>) {
    let Some(group) = group else { return };
    let path = format!("/user_groups/{group}");
    ask(tally, me, "GET", &format!("{path}/members"), &json!({})).await;
    ask(tally, me, "GET", &format!("{path}/subgroups"), &json!({})).await;
    ask(tally, me, "GET", &format!("{path}/members/{}", me.id()), &json!({})).await;
    let channel = json!({
        "subscriptions": [{"name": format!("for {group}")}],
        "invite_only": true,
        "can_add_subscribers_group": group,
    });
    ask(tally, me, "POST", "/users/me/subscriptions", &channel).await;
}

async fn alert_words(tally: &mut Tally, me: &User, count: u64) {
    let words: Value = (0..count).map(|number| format!("w{number}")).collect();
    ask(tally, me, "POST", "/users/me/alert_words", &json!({"alert_words": words})).await;
    let message = json!({"type": "stream", "to": "general", "topic": "words", "content": "w w1 w w2 w".repeat(100)});
    ask(tally, me, "POST", "/messages", &message).await;
    ask(tally, me, "DELETE", "/users/me/alert_words", &json!({"alert_words": words})).await;
}

async fn channels(tally: &mut Tally, me: &User, realm: &Realm, count: u64) {
    let names: Vec<Value> = (0..count).map(|number| json!({"name": format!("many {number}")})).collect();
    let people: Vec<i64> = realm.users.keys().map(|id| id.0).take(5).collect();
    let subscribe = json!({"subscriptions": names, "principals": people});
    ask(tally, me, "POST", "/users/me/subscriptions", &subscribe).await;
    ask(tally, me, "POST", "/register", &json!({})).await;
    let names: Vec<&Value> = names.iter().map(|name| &name["name"]).collect();
    ask(tally, me, "DELETE", "/users/me/subscriptions", &json!({"subscriptions": names})).await;
}

/// A queue that nobody reads, and changes of which its events are lists.
async fn idle_queue(tally: &mut Tally, me: &User, number: u64) {
    ask(tally, me, "POST", "/register", &json!({"idle_queue_timeout": WEEK, "event_types": ["muted_topics"]})).await;
    for index in 0..50 {
        let mute = json!({"stream_id": 1, "topic": format!("a long name of a topic {number} {index}"), "visibility_policy": 1});
        ask(tally, me, "POST", "/user_topics", &mute).await;
    }
}

async fn long_lists(tally: &mut Tally, me: &User, count: u64) {
    let numbers: Value = (1..=count).collect();
    let flags = json!({"messages": numbers, "op": "add", "flag": "starred"});
    ask(tally, me, "POST", "/messages/flags", &flags).await;
    ask(tally, me, "POST", "/messages", &json!({"type": "direct", "to": numbers, "content": "x"})).await;
    ask(tally, me, "POST", "/user_groups/create", &json!({"name": "x", "description": "", "members": numbers})).await;
    ask(tally, me, "POST", "/typing", &json!({"op": "start", "to": numbers})).await;
}

async fn long_texts(tally: &mut Tally, me: &User, choice: u64) {
    let text = match choice {
        0 => "> ".repeat(20_000),
        1 => "*a **b _c ".repeat(20_000),
        2 => "[[[](((".repeat(20_000),
        3 => "@**Mel Marsh** ".repeat(10_000),
        4 => "1. a\n  * b\n".repeat(10_000),
        _ => "|a|b|\n|-|-|\n".repeat(10_000),
    };
    ask(tally, me, "POST", "/messages/render", &json!({"content": text})).await;
    let message = json!({"type": "stream", "to": "general", "topic": "long", "content": text});
    ask(tally, me, "POST", "/messages", &message).await;
}

async fn bot_storage(tally: &mut Tally, base: &User, realm: &Realm, count: u64) {
    if realm.user_by_email("build-bot@chat.test").is_none_or(|bot| !bot.is_active) {
        return;
    }
    let bot = base.as_other(credentials(realm, "build-bot@chat.test"));
    let storage: serde_json::Map<String, Value> = (0..count).map(|key| (format!("key {key}"), json!("v"))).collect();
    ask(tally, &bot, "PUT", "/bot_storage", &json!({"storage": storage})).await;
}

async fn topics(tally: &mut Tally, me: &User, number: u64) {
    for index in 0..30 {
        let topic = format!("one of many {number} {index}");
        let message = json!({"type": "stream", "to": "general", "topic": topic, "content": "x"});
        let id = ask(tally, me, "POST", "/messages", &message).await["id"].clone();
        if let (Some(id), true) = (id.as_i64(), index % 3 == 0) {
            let edit = json!({"topic": format!("moved {number}"), "propagate_mode": "change_all"});
            ask(tally, me, "PATCH", &format!("/messages/{id}"), &edit).await;
        }
    }
}

async fn search(tally: &mut Tally, me: &User, words: u64) {
    let text: Vec<String> = (0..words).map(|word| format!("w{word}")).collect();
    let narrow = json!([{"operator": "search", "operand": text.join(" ")}]);
    let query = json!({"anchor": "newest", "num_before": 100, "num_after": 0, "narrow": narrow});
    let path = "/messages/flags/narrow";
    let flags = json!({"anchor": "newest", "num_before": 100, "num_after": 0, "narrow": narrow, "op": "add", "flag": "starred"});
    ask(tally, me, "POST", path, &flags).await;
    if query.to_string().len() < 30_000 {
        ask(tally, me, "GET", "/messages", &query).await;
    }
}
