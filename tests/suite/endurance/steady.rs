//! The same traffic for a long time: what is written is taken back, queues come and go, and memory stays as it is.

use super::{Tally, ask, end, memory, minutes, span, start};
use crate::support::User;
use chatdouble::Credentials;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Requests a second of all clients together.
const RATE: u32 = 1_400;
const CLIENTS: u32 = 8;
/// Queues of all clients together that wait at any time.
const QUEUES: usize = 1_000;
/// Topics whose visibility changes.
const TOPICS: u64 = 4_000;
/// Messages of a client that are there at any time.
const MESSAGES: usize = 200;
/// After this time memory grows no more.
const SETTLED: Duration = Duration::from_secs(120);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steady_traffic_with_short_lived_queues_and_an_idle_one_leaves_the_memory_as_it_is() {
    let (program, url) = start();
    let began = Instant::now();
    let until = began + span();
    let base = User::new(url, None);
    let idle = json!({"idle_queue_timeout": 604_800});
    ask(&mut Tally::default(), &member(&base, "max").await, "POST", "/register", &idle).await;
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        clients.spawn(client(base.clone(), number, until));
    }
    let (mut settled, mut most) = (0, 0);
    while minutes().is_some() && Instant::now() < until {
        tokio::time::sleep(Duration::from_secs(10)).await;
        let now = memory(&program);
        println!("after {:3} s: {now} MiB", began.elapsed().as_secs());
        if began.elapsed() < SETTLED {
            settled = settled.max(now);
        } else {
            most = most.max(now);
        }
    }
    let mut all = Tally::default();
    while let Some(tally) = clients.join_next().await {
        all.add(tally.expect("a client goes on to the end"));
    }
    let rate = all.requests / began.elapsed().as_secs().max(1);
    println!(
        "{} requests, {} refused, {rate} a second, the slowest {:?}: {}",
        all.requests, all.refused, all.slowest, all.slowest_request
    );
    assert!(most <= settled + settled / 10, "memory grows from {settled} to {most} MiB");
    end(program);
}

async fn member(base: &User, handle: &str) -> User {
    let email = format!("{handle}@chat.test");
    let key = base.post("/dev_fetch_api_key", json!({"username": email})).await.success();
    let id = chatdouble::realm::id::UserId(key["user_id"].as_i64().expect("a number"));
    base.as_other(Credentials { id, email, api_key: key["api_key"].as_str().expect("a key").to_owned() })
}

/// Makes its share of the requests, at an even pace.
async fn client(base: User, number: u32, until: Instant) -> Tally {
    let me = member(&base, ["mel", "max", "adam", "nora"][number as usize % 4]).await;
    let mut tally = Tally::default();
    let (mut queues, mut messages) = (VecDeque::new(), VecDeque::new());
    let mut pace = tokio::time::interval(Duration::from_secs(1) * CLIENTS / RATE);
    let mut turn = 0_u64;
    while Instant::now() < until {
        pace.tick().await;
        turn += 1;
        match turn % 10 {
            0 => short_lived_queue(&mut tally, &me, &mut queues, turn).await,
            1 | 2 => passing_message(&mut tally, &me, &mut messages, turn).await,
            3 => {
                let topic = format!("a topic of some length {}", (turn * 7 + u64::from(number)) % TOPICS);
                let mute = json!({"stream_id": 1, "topic": topic, "visibility_policy": turn / 10 % 2});
                ask(&mut tally, &me, "POST", "/user_topics", &mute).await;
            }
            4 => {
                let words = json!({"alert_words": [format!("word {}", turn % 50)]});
                let method = if turn.is_multiple_of(20) { "POST" } else { "DELETE" };
                ask(&mut tally, &me, method, "/users/me/alert_words", &words).await;
            }
            5 => drop(ask(&mut tally, &me, "POST", "/users/me/presence", &json!({"status": "active"})).await),
            6 => {
                let typing = json!({"op": "start", "type": "stream", "stream_id": 1, "topic": "lunch"});
                ask(&mut tally, &me, "POST", "/typing", &typing).await;
            }
            7 => {
                drop(ask(&mut tally, &me, "POST", "/users/me/status", &json!({"status_text": turn.to_string()})).await)
            }
            8 => {
                let query = json!({"anchor": "newest", "num_before": 20, "num_after": 0});
                ask(&mut tally, &me, "GET", "/messages", &query).await;
            }
            _ => drop(ask(&mut tally, &me, "GET", "/users/me", &json!({})).await),
        }
    }
    tally
}

/// Registers a queue. Where there are enough, deletes the oldest; one in eight is read before, with the events of all clients
/// since then.
async fn short_lived_queue(tally: &mut Tally, me: &User, queues: &mut VecDeque<Value>, turn: u64) {
    let registered = ask(tally, me, "POST", "/register", &json!({"fetch_event_types": ["message"]})).await;
    queues.push_back(registered["queue_id"].clone());
    if queues.len() > QUEUES / CLIENTS as usize
        && let Some(queue) = queues.pop_front()
    {
        if turn.is_multiple_of(80) {
            let poll = json!({"queue_id": queue, "last_event_id": -1, "dont_block": true});
            ask(tally, me, "GET", "/events", &poll).await;
        }
        ask(tally, me, "DELETE", "/events", &json!({"queue_id": queue})).await;
    }
}

/// Sends a message; deletes the oldest where there are enough.
async fn passing_message(tally: &mut Tally, me: &User, messages: &mut VecDeque<i64>, turn: u64) {
    let content = format!("the **{turn}**th message, with :tada:");
    let message = json!({"type": "stream", "to": "general", "topic": "traffic", "content": content});
    messages.extend(ask(tally, me, "POST", "/messages", &message).await["id"].as_i64());
    if messages.len() > MESSAGES
        && let Some(oldest) = messages.pop_front()
    {
        ask(tally, me, "DELETE", &format!("/messages/{oldest}"), &json!({})).await;
    }
}
