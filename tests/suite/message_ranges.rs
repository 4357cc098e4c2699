//! Fetching messages: ranges around anchors, single ones, and what visitors may read.

use crate::support::TestServer;
use serde_json::{Value, json};

#[tokio::test]
async fn a_range_of_messages_is_returned_with_its_ends() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut ids = Vec::new();
    for text in ["a", "b", "c", "d"] {
        ids.push(mel.send_to("general", "range", text).await);
    }
    let narrow = json!([{"operator": "channel", "operand": "general"}, {"operator": "topic", "operand": "Range"}]);
    for (anchor, before, after, include, expected, found) in [
        (json!("newest"), 2, 0, true, &ids[2..], (false, false, true)),
        (json!("oldest"), 0, 2, true, &ids[..2], (false, true, false)),
        (json!(ids[1]), 1, 1, true, &ids[..3], (true, false, false)),
        (json!(ids[1]), 9, 9, true, &ids[..], (true, true, true)),
        (json!(ids[1]), 9, 0, false, &ids[..1], (false, true, false)),
        (json!(ids[1]), 0, 9, false, &ids[2..], (false, false, true)),
        (json!("newest"), 0, 0, true, &ids[..0], (false, false, true)),
    ] {
        let params = json!({
            "anchor": anchor, "num_before": before, "num_after": after, "include_anchor": include, "narrow": narrow,
        });
        let reply = mel.get("/messages", params).await.success();
        let got: Vec<i64> =
            reply["messages"].as_array().into_iter().flatten().filter_map(|one| one["id"].as_i64()).collect();
        assert_eq!(got, expected, "{anchor} {before} {after}");
        let flags = (&reply["found_anchor"], &reply["found_oldest"], &reply["found_newest"]);
        assert_eq!(flags, (&json!(found.0), &json!(found.1), &json!(found.2)), "{anchor} {before} {after}");
        assert_eq!(reply["history_limited"], false);
    }
}

#[tokio::test]
async fn ranges_that_cannot_be_are_refused() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    for (params, message) in [
        (json!({"num_before": 1, "num_after": 1}), "Missing 'anchor' argument."),
        (json!({"anchor": "soon", "num_before": 1, "num_after": 1}), "Invalid anchor"),
        (json!({"anchor": "newest", "num_before": -1, "num_after": 1}), "num_before is too small"),
        (json!({"anchor": "newest", "num_before": "x", "num_after": 1}), "num_before is not valid JSON"),
        (json!({"anchor": "newest", "num_before": "\"1\"", "num_after": 1}), "num_before is not an integer"),
        (
            json!({"anchor": "newest", "num_before": 5000, "num_after": 1}),
            "Too many messages requested (maximum 5000).",
        ),
        (
            json!({"anchor": 1, "num_before": 1, "num_after": 1, "include_anchor": false}),
            "The anchor can only be excluded at an end of the range",
        ),
        (
            json!({"anchor": 1, "message_ids": [1]}),
            "Unsupported parameter combination: num_before, num_after, anchor, message_ids, include_anchor, use_first_unread_anchor",
        ),
    ] {
        mel.get("/messages", params).await.error("BAD_REQUEST", message);
    }
}

#[tokio::test]
async fn messages_can_be_fetched_by_id_and_hidden_ones_are_left_out() {
    let server = TestServer::start().await;
    let [mel, olive, max] = server.users(["mel", "olive", "max"]);
    let seen = mel.send_to("general", "t", "seen").await;
    let hidden = olive.send_direct(&[max.id()], "hidden").await;

    let without_range = json!({"message_ids": [seen], "num_before": 0, "num_after": 0, "include_anchor": false});
    mel.get("/messages", without_range).await.success();
    let reply = mel.get("/messages", json!({"message_ids": [hidden, seen, 999_999]})).await.success();

    assert_eq!(reply["messages"].as_array().map(Vec::len), Some(1));
    assert_eq!(reply["messages"][0]["id"], seen);
    assert!(reply.get("anchor").is_none());
}

#[tokio::test]
async fn the_first_unread_message_is_an_anchor() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let first = mel.send_direct(&[max.id()], "one").await;
    mel.send_direct(&[max.id()], "two").await;
    let narrow = json!([{"operator": "dm", "operand": [mel.id()]}]);
    let params = json!({"anchor": "first_unread", "num_before": 0, "num_after": 5, "narrow": narrow});

    let reply = max.get("/messages", params.clone()).await.success();
    assert_eq!((&reply["anchor"], &reply["found_anchor"]), (&json!(first), &json!(true)));

    let all =
        json!({"anchor": "newest", "num_before": 10, "num_after": 0, "flag": "read", "op": "add", "narrow": narrow});
    max.post("/messages/flags/narrow", all).await.success();
    let reply = max.get("/messages", params).await.success();
    assert_eq!(reply["anchor"], 10_000_000_000_000_000_i64);
}

#[tokio::test]
async fn protected_history_begins_with_subscribing() {
    let server = TestServer::start().await;
    let [olive, mona] = server.users(["olive", "mona"]);
    let narrow = json!([["channel", "leadership"]]);
    let params = json!({"anchor": "oldest", "num_before": 0, "num_after": 50, "narrow": narrow});
    let texts = |reply: Value| -> Vec<String> {
        reply["messages"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["content"].as_str().map(str::to_owned))
            .collect()
    };

    let all = texts(olive.get("/messages", params.clone()).await.success());
    let own = texts(mona.get("/messages", params).await.success());

    assert!(all.iter().any(|text| text.contains("Before Mona joined")));
    assert!(!own.iter().any(|text| text.contains("Before Mona joined")));
    assert!(own.iter().any(|text| text.contains("can see this one")));
}

#[tokio::test]
async fn a_visitor_reads_web_public_channels_and_no_others() {
    let server = TestServer::start().await;
    let visitor = server.anonymous();
    let fetch = |narrow: Value| {
        let visitor = visitor.clone();
        async move {
            visitor
                .get("/messages", json!({"anchor": "newest", "num_before": 50, "num_after": 0, "narrow": narrow}))
                .await
        }
    };

    let reply = fetch(json!([["channels", "web-public"]])).await.success();
    let all_square = |reply: &Value| {
        reply["messages"]
            .as_array()
            .is_some_and(|all| !all.is_empty() && all.iter().all(|one| one["display_recipient"] == "town-square"))
    };
    assert!(all_square(&reply));
    let message = "Not logged in: API authentication or user session required";
    fetch(json!([])).await.with_status(401).error("UNAUTHORIZED", message);
    for (channel, problem) in [("general", "unknown web-public channel general"), ("x", "unknown channel x")] {
        let refused = fetch(json!([["channels", "web-public"], ["channel", channel]])).await;
        refused.error("BAD_NARROW", &format!("Invalid narrow operator: {problem}"));
    }
    fetch(json!([["channels", "web-public"], ["is", "starred"]])).await.error("UNAUTHORIZED", message);
}

#[tokio::test]
async fn visitors_get_messages_of_web_public_channels_and_are_to_log_in_for_others() {
    let server = TestServer::start().await;
    let [mel, visitor] = [server.user("mel"), server.anonymous()];
    let open = mel.send_to("town-square", "t", "for all").await;
    let closed = mel.send_to("general", "t", "for us").await;

    visitor.get(&format!("/messages/{open}"), json!({})).await.success();
    for id in [closed, 999_999] {
        let refused = visitor.get(&format!("/messages/{id}"), json!({})).await.with_status(401);
        refused.error("UNAUTHORIZED", "Not logged in: API authentication or user session required");
    }
}
