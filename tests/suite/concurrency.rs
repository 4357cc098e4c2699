//! Many clients at once, over sockets and threads: the events of each add up.

use crate::levels::control;
use crate::support::{TestServer, User, soak_seed};
use chatdouble::reducer::State;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::task::{JoinSet, spawn};

/// Messages that each sender sends.
fn messages() -> usize {
    if soak_seed().is_some() { 2_000 } else { 25 }
}

/// The message after which a reader stops.
const LAST: &str = "that is all";

/// What a reader's queue brought.
struct Read {
    registered: Value,
    params: Value,
    events: Vec<Value>,
}

/// Registers, then polls as clients do until the last message comes.
async fn read(user: User, params: Value) -> Read {
    let registered = user.post("/register", params.clone()).await.success();
    let (queue, mut last) = (registered["queue_id"].clone(), registered["last_event_id"].as_i64().expect("a number"));
    let mut events: Vec<Value> = Vec::new();
    loop {
        let reply = user.get("/events", json!({"queue_id": queue, "last_event_id": last})).await.success();
        for event in reply["events"].as_array().into_iter().flatten() {
            assert_eq!(event["id"], last + 1, "each event once, in order: {event}");
            last += 1;
            events.push(event.clone());
        }
        if events.iter().any(|event| event["message"]["content"] == LAST) {
            return Read { registered, params, events };
        }
    }
}

/// Sends, reacts, moves and stars; gives the ids of the messages that were acknowledged.
async fn act(user: User, name: String) -> Vec<i64> {
    let mut sent = Vec::new();
    for number in 0..messages() {
        let id = user.send_to("general", &name, &format!("{name} {number}")).await;
        sent.push(id);
        match number % 5 {
            0 => drop(user.post(&format!("/messages/{id}/reactions"), json!({"emoji_name": "tada"})).await.success()),
            1 => drop(user.patch(&format!("/messages/{id}"), json!({"content": "better"})).await.success()),
            2 => {
                let flags = json!({"messages": [id], "op": "add", "flag": "starred"});
                drop(user.post("/messages/flags", flags).await.success());
            }
            3 => drop(user.delete("/users/me/subscriptions", json!({"subscriptions": ["quiet"]})).await.success()),
            _ => drop(
                user.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "quiet"}]})).await.success(),
            ),
        }
    }
    sent
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_queue_gets_what_was_acknowledged_once_and_in_order() {
    let server = TestServer::start().await;
    let users = server.users(["mel", "max", "olive", "adam"]);
    let mut readers = JoinSet::new();
    for (index, user) in users.iter().chain(&users).enumerate() {
        let params = json!({"include_subscribers": (index < 4).to_string(), "idle_queue_timeout": 604_800});
        readers.spawn(read(user.clone(), params));
    }
    let early = server.user("mel");
    let mut ready = early.events(["message"]).await;
    let actors: Vec<_> =
        users.iter().enumerate().map(|(number, user)| spawn(act(user.clone(), format!("topic {number}")))).collect();
    // These register while the others act: their state and their first event must fit all the same.
    for user in &users {
        readers.spawn(read(user.clone(), json!({"idle_queue_timeout": 604_800})));
    }

    let mut sent = BTreeSet::new();
    for actor in actors {
        sent.extend(actor.await.expect("it ends"));
    }
    assert_eq!(sent.len(), users.len() * messages(), "no id is given twice");
    let last = users[0].send_to("general", "end", LAST).await;
    sent.insert(last);

    let ids = |events: &[Value]| -> Vec<i64> {
        let messages = events.iter().filter(|event| event["type"] == "message");
        messages.filter_map(|event| event["message"]["id"].as_i64()).filter(|id| sent.contains(id)).collect()
    };
    assert_eq!(ids(&ready.all().await), sent.iter().copied().collect::<Vec<_>>(), "all of it, in order");
    while let Some(reader) = readers.join_next().await {
        let Read { registered, params, events } = reader.expect("it ends");
        let newest = registered["max_message_id"].as_i64().expect("a number");
        let later: Vec<i64> = sent.iter().copied().filter(|id| *id > newest).collect();
        assert_eq!(ids(&events), later, "all that came after registering, in order");

        let email = registered["delivery_email"].as_str().unwrap_or_default().to_owned();
        let user = users.iter().find(|user| user.email() == email).expect("one of them");
        let mut state = State::from_register(registered);
        events.iter().for_each(|event| assert!(state.apply(event), "{event} is known"));
        let now = user.post("/register", params).await.success();
        let differences: Vec<String> = state.differences(&now).iter().map(ToString::to_string).collect();
        assert!(differences.is_empty(), "{differences:#?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_only_one_can_have_only_one_gets() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut events = mel.events(["reaction", "stream"]).await;
    let message = server.message("Welcome");
    let barrier = Arc::new(tokio::sync::Barrier::new(8));
    let race = |path: String, params: Value| {
        let mut racers = JoinSet::new();
        for _ in 0..8 {
            let (user, path, params, barrier) = (mel.clone(), path.clone(), params.clone(), barrier.clone());
            racers.spawn(async move {
                barrier.wait().await;
                user.post(&path, params).await.status
            });
        }
        racers.join_all()
    };

    let reacted = race(format!("/messages/{message}/reactions"), json!({"emoji_name": "octopus"})).await;
    let made = race("/channels/create".to_owned(), json!({"name": "contested", "subscribers": [mel.id()]})).await;

    for statuses in [reacted, made] {
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    }
    let heard = events.all().await;
    let kinds: Vec<&str> = heard.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(kinds, ["reaction", "stream"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_was_acknowledged_while_queues_ended_is_there() {
    let server = TestServer::start().await;
    let senders = ["mel", "max", "olive"].map(|handle| {
        let user = server.user(handle);
        spawn(async move {
            let mut sent = Vec::new();
            for number in 0..4 * messages() {
                sent.push(user.send_to("general", "t", &format!("{number}")).await);
            }
            sent
        })
    });
    let upgrade = json!({"to": chatdouble::api::NEWEST_FEATURE_LEVEL});
    for _ in 0..4 * messages() {
        control(&server, "/control/worlds/default/upgrade", &upgrade).await;
    }

    let mut sent = Vec::new();
    for sender in senders {
        sent.extend(sender.await.expect("it ends"));
    }
    let different: BTreeSet<i64> = sent.iter().copied().collect();
    assert_eq!(different.len(), sent.len(), "no id is given twice");
    let realm = server.server().worlds().get("default").expect("it is there").snapshot();
    assert!(different.iter().all(|id| realm.messages.contains_key(&chatdouble::realm::id::MessageId(*id))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_lost_a_right_does_nothing_with_it_any_more() {
    let server = TestServer::start().await;
    let [olive, adam, mel] = server.users(["olive", "adam", "mel"]);
    let mut events = mel.events(["realm", "realm_user"]).await;
    let writers = ["one", "two"].map(|name| {
        let adam = adam.clone();
        spawn(async move {
            for number in 0..4 * messages() {
                let _ = adam.patch("/realm", json!({"description": format!("{name} {number}")})).await;
            }
        })
    });
    let path = format!("/users/{}", adam.id());
    for _ in 0..messages() {
        for role in [400, 200] {
            olive.patch(&path, json!({"role": role})).await.success();
        }
    }
    for writer in writers {
        writer.await.expect("it ends");
    }

    let mut is_member = false;
    for event in events.all().await {
        match event["person"]["role"].as_i64() {
            Some(role) => is_member = role == 400,
            None => assert!(!is_member || event["type"] != "realm", "{event}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_queue_outlives_an_upgrade() {
    let server = TestServer::start().await;
    control(&server, "/control/worlds", &json!({"name": "old", "feature_level": 400})).await;
    let url = format!("{}/w/old", server.url());
    let clients = [(); 3].map(|()| {
        let mel = server.user_at(&url, "old", "mel");
        spawn(async move {
            let mut registered = Vec::new();
            for _ in 0..2 * messages() {
                let reply = mel.post("/register", json!({"fetch_event_types": []})).await.success();
                registered.push((reply["queue_id"].clone(), reply["service_feature_level"].as_i64()));
            }
            registered
        })
    });
    let mut left = Vec::new();
    for level in 401..450 {
        control(&server, "/control/worlds/old/upgrade", &json!({ "to": level })).await;
        let world = server.server().world("old");
        let queues: Vec<String> = world.snapshot().queues.keys().map(|id| id.to_string()).collect();
        left.push((level, queues));
    }
    let mut registered = Vec::new();
    for client in clients {
        registered.extend(client.await.expect("it ends"));
    }

    for (level, queues) in left {
        let is_left = |id: &Value| queues.iter().any(|queue| id == queue.as_str());
        let older = registered.iter().find(|(id, of)| is_left(id) && of.is_some_and(|of| of < level));
        assert_eq!(older, None, "it was there at {level}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_clock_goes_as_far_as_all_together_move_it() {
    let server = TestServer::start().await;
    let path = "/control/worlds/default/clock";
    let began = control(&server, path, &json!({"advance_seconds": 0})).await["now"].as_f64().expect("a time");
    let server = Arc::new(server);
    let mut movers = JoinSet::new();
    for _ in 0..8 {
        let server = server.clone();
        movers.spawn(async move {
            for _ in 0..messages() {
                control(&server, path, &json!({"advance_seconds": 10})).await;
            }
        });
    }
    movers.join_all().await;

    let now = control(&server, path, &json!({"advance_seconds": 0})).await["now"].as_f64().expect("a time");
    assert_eq!(now - began, (8 * messages() * 10) as f64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_polls_of_one_queue_share_no_event_that_was_acknowledged() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let queue = mel.post("/register", json!({"event_types": ["message"]})).await.success()["queue_id"].clone();
    for last in -1..19 {
        let poll = || {
            let (user, params) = (mel.clone(), json!({"queue_id": queue, "last_event_id": last}));
            spawn(async move { user.get("/events", params).await.success() })
        };
        let (one, other) = (poll(), poll());
        max.send_direct(&[mel.id()], &format!("after {last}")).await;
        // The older poll was ended by the newer one, or both saw the message: neither has what was acknowledged.
        let replies = [one.await.expect("it ends"), other.await.expect("it ends")];
        let ids: Vec<Option<i64>> = replies.iter().map(|reply| reply["events"][0]["id"].as_i64()).collect();
        assert!(ids.contains(&Some(last + 1)), "{ids:?}");
        assert!(ids.iter().flatten().all(|id| *id == last + 1), "{ids:?}");
    }
}
