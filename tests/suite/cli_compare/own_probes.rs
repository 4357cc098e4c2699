//! Probes of the user: what both servers refuse alike is no proof, and equal differences are one.

use super::{Change, compare, deviating};
use crate::support::TestServer;
use serde_json::{Value, json};
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_differences_of_a_request_are_one_with_their_number() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let twice: Change = Arc::new(|_, path, _, body| {
        if path == "/events"
            && let Some(events) = body.get_mut("events").and_then(Value::as_array_mut)
            && let Some(id) =
                events.iter().find(|event| event["type"] == "alert_words").map(|event| event["id"].clone())
        {
            (0..2).for_each(|_| events.push(json!({"type": "news", "id": id})));
        }
    });
    let other = deviating(second.url(), twice).await;
    let (status, said, _) = compare(&first.url(), &other, &["--only", "Alert words"]).await;
    assert_eq!(status, Some(1), "{said}");
    let group = "    event news of mel (2 times)\n    - absent\n    + {\"type\":\"news\"}\n";
    assert!(said.contains(group) && !said.contains("    event news of mel\n"), "{said}");
}
