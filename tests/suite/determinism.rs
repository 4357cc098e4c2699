//! The same seed and the same requests give the same bytes; many subscribers cost no more than few.

use crate::support::TestServer;
use serde_json::json;
use std::time::Instant;

/// A day's requests of every kind that draws chance or time; all replies as one.
async fn story(seed: u64) -> Vec<u8> {
    let server = TestServer::start_with(|options| options.seed = seed).await;
    let [mel, max, olive] = server.users(["mel", "max", "olive"]);
    let mut bytes = Vec::new();
    let port = server.url();
    let mut keep = |reply: crate::support::Reply| {
        // The port is not the server's choice.
        let text = String::from_utf8_lossy(&reply.bytes).replace(&port, "");
        bytes.extend_from_slice(text.as_bytes());
        reply.body
    };
    let queue = keep(max.post("/register", json!({})).await)["queue_id"].clone();
    keep(mel.upload("/user_uploads", "a.txt", "text/plain", b"hello").await);
    keep(mel.post("/messages", json!({"type": "direct", "to": [max.id()], "content": "hi"})).await);
    server.advance(61).await;
    keep(
        olive
            .post("/users", json!({"email": "new@chat.test", "full_name": "New", "password": "correct horse 77"}))
            .await,
    );
    keep(mel.post("/users/me/api_key/regenerate", json!({})).await);
    keep(max.get("/events", json!({"queue_id": queue, "last_event_id": -1, "dont_block": true})).await);
    keep(olive.get("/users", json!({})).await);
    keep(olive.get("/messages", json!({"anchor": "newest", "num_before": 100, "num_after": 0})).await);
    bytes
}

#[tokio::test]
async fn the_same_seed_and_requests_give_the_same_bytes() {
    let (first, second) = (story(7).await, story(7).await);

    assert!(first.len() > 10_000);
    assert_eq!(String::from_utf8_lossy(&first), String::from_utf8_lossy(&second));
    assert_ne!(first, story(8).await, "another seed gives other keys");
}

#[tokio::test]
async fn a_message_to_ten_thousand_subscribers_costs_what_one_to_ten_does() {
    async fn fastest(subscribers: usize) -> f64 {
        let server = TestServer::start().await;
        server.arrange(|tx| {
            let general = tx.channel_by_name("general").expect("a channel").id;
            // Not each of them needs a line of output.
            std::sync::Arc::make_mut(&mut tx.realm_mut().organization).signup_announcements = None;
            for number in 0..subscribers {
                let person = chatdouble::api::changes::users::creation::NewPerson {
                    channels: None,
                    email: format!("many{number}@chat.test"),
                    full_name: format!("Many {number}"),
                    password: None,
                    role: chatdouble::realm::user::Role::Member,
                };
                let user = chatdouble::api::changes::users::creation::add_person(tx, person);
                tx.subscribe(user, general, None);
            }
        });
        let mel = server.user("mel");
        for _ in 0..100 {
            server.user("max").events(["message"]).await;
        }
        let mut fastest = f64::MAX;
        for _ in 0..15 {
            let begun = Instant::now();
            mel.send_to("general", "t", "hello everybody").await;
            fastest = fastest.min(begun.elapsed().as_secs_f64());
        }
        fastest
    }

    let (few, many) = (fastest(10).await, fastest(10_000).await);

    // Work per subscriber would make it hundreds of times slower.
    assert!(many < few * 5.0 + 0.002, "10 subscribers: {few} s, 10,000: {many} s");
}
