//! Changing a flag of a range of messages: where the range begins and ends, what is counted, which forms terms have.

use crate::support::{Reply, TestServer, User};
use chatdouble::realm::id::MessageId;
use serde_json::{Value, json};

async fn change(user: &User, range: Value, more: Value) -> Reply {
    let mut params = json!({"narrow": [], "flag": "starred", "op": "add", "num_before": 0, "num_after": 0});
    for (key, value) in [range, more].iter().filter_map(Value::as_object).flatten() {
        params[key] = value.clone();
    }
    user.post("/messages/flags/narrow", params).await
}

/// Five messages in a topic of their own.
async fn five(mel: &User) -> [i64; 5] {
    let mut ids = [0; 5];
    for id in &mut ids {
        *id = mel.send_to("general", "five", "one of five").await;
    }
    ids
}

fn in_five() -> Value {
    json!({"narrow": [["channel", "general"], ["topic", "five"]]})
}

/// Reply: processed_count at most num_before + 1 + num_after, the ends of the range, and whether it reached those of
/// the narrow. The anchor is a message, `newest` or `oldest`; include_anchor is true by default.
#[tokio::test]
async fn a_range_has_as_many_as_asked_for_on_each_side_of_its_anchor() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let [a, b, c, d, e] = five(&mel).await;

    for (range, ends, count, found) in [
        (json!({"anchor": c, "num_before": 1, "num_after": 1}), (b, d), 3, (false, false)),
        (json!({"anchor": c, "num_before": 2, "num_after": 2}), (a, e), 5, (false, false)),
        (json!({"anchor": c, "num_before": 3, "num_after": 3}), (a, e), 5, (true, true)),
        (json!({"anchor": c}), (c, c), 1, (false, false)),
        (json!({"anchor": c, "num_before": 2, "include_anchor": false}), (a, b), 2, (false, false)),
        (json!({"anchor": c, "num_after": 3, "include_anchor": false}), (d, e), 2, (false, true)),
        (json!({"anchor": "newest", "num_before": 2}), (d, e), 2, (false, true)),
        (json!({"anchor": "newest", "num_before": 9, "num_after": 9}), (a, e), 5, (true, true)),
        (json!({"anchor": "oldest", "num_after": 2}), (a, b), 2, (true, false)),
        (json!({"anchor": 0, "num_after": 2}), (a, b), 2, (true, false)),
        (json!({"anchor": -7, "num_after": 2}), (a, b), 2, (true, false)),
        (json!({"anchor": 10_000_000_000_000_000_i64, "num_before": 1}), (e, e), 1, (false, true)),
    ] {
        let reply = change(&mel, range.clone(), in_five()).await.success();
        let received = (&reply["first_processed_id"], &reply["last_processed_id"], &reply["processed_count"]);
        assert_eq!(received, (&json!(ends.0), &json!(ends.1), &json!(count)), "{range}");
        assert_eq!((&reply["found_oldest"], &reply["found_newest"]), (&json!(found.0), &json!(found.1)), "{range}");
    }
    let nothing = change(&mel, json!({"anchor": c, "include_anchor": false}), in_five()).await.success();
    assert_eq!((&nothing["processed_count"], &nothing["first_processed_id"]), (&json!(0), &Value::Null));
    let inside = json!({"anchor": c, "num_before": 1, "num_after": 1, "include_anchor": false});
    let text = "The anchor can only be excluded at an end of the range";
    change(&mel, inside, in_five()).await.error("BAD_REQUEST", text);
}

/// `first_unread`: the oldest unread message matching the narrow, otherwise the most recent message.
#[tokio::test]
async fn the_first_unread_message_of_the_narrow_is_the_anchor_or_else_the_newest() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let [a, b, c, _, e] = five(&mel).await;
    max.post("/messages/flags", json!({"messages": [a, b], "op": "add", "flag": "read"})).await.success();
    let around = json!({"anchor": "first_unread", "num_before": 1, "num_after": 0});

    let reply = change(&max, around.clone(), in_five()).await.success();
    assert_eq!((&reply["first_processed_id"], &reply["last_processed_id"]), (&json!(b), &json!(c)));

    let all = json!({"anchor": "first_unread", "num_after": 10});
    let more = json!({"flag": "read", "narrow": [["channel", "general"], ["topic", "five"], ["is", "unread"]]});
    let reply = change(&max, all, more).await.success();
    assert_eq!((&reply["processed_count"], &reply["updated_count"]), (&json!(3), &json!(3)));
    let reply = change(&max, around, in_five()).await.success();
    assert_eq!((&reply["last_processed_id"], &reply["found_newest"]), (&json!(e), &json!(true)));
}

/// The server may reduce num_before and num_after to bound transaction size.
#[tokio::test]
async fn a_range_over_5000_messages_shrinks_on_both_sides() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let template = MessageId(mel.send_to("general", "many", "one of many").await);
    server.arrange(|tx| {
        for _ in 0..5_200 {
            tx.realm_mut().counters.message += 1;
            let id = MessageId(tx.counters.message);
            let message = tx.messages[&template].as_ref().clone();
            tx.add_message(chatdouble::realm::message::Message { id, ..message });
        }
    });
    let middle = template.0 + 2_600;
    let many = json!({"narrow": [["channel", "general"], ["topic", "many"]]});

    let both = json!({"anchor": middle, "num_before": 10_000, "num_after": 10_000});
    let reply = change(&mel, both, many.clone()).await.success();
    assert_eq!((&reply["processed_count"], &reply["updated_count"]), (&json!(5_001), &json!(5_001)));
    assert_eq!((&reply["found_oldest"], &reply["found_newest"]), (&json!(false), &json!(false)));
    // What one side does not need is the other's.
    let before = json!({"anchor": "newest", "num_before": 10_000, "num_after": 100});
    let reply = change(&mel, before, many).await.success();
    assert_eq!((&reply["processed_count"], &reply["found_newest"]), (&json!(4_900), &json!(true)));
}

/// Narrow: objects of operator and operand, or pairs of texts.
#[tokio::test]
async fn terms_are_objects_or_pairs_and_can_be_negated() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    five(&mel).await;
    max.send_direct(&[mel.id()], "Hello").await;
    let count = async |narrow: Value| {
        let range = json!({"anchor": "newest", "num_before": 4_000});
        let reply = change(&mel, range, json!({"narrow": narrow})).await.success();
        reply["processed_count"].as_i64().expect("a count")
    };
    let everything = count(json!([])).await;

    for (pair, operand) in [
        (json!(["topic", "five"]), json!("five")),
        (json!(["sender", "max@chat.test"]), json!(max.id())),
        (json!(["dm", "max@chat.test"]), json!([max.id()])),
        (json!(["dm-including", "max@chat.test"]), json!(max.id())),
        (json!(["is", "dm"]), json!("dm")),
        (json!(["has", "reaction"]), json!("reaction")),
    ] {
        let object = json!({"operator": pair[0], "operand": operand});
        let negated = json!({"operator": pair[0], "operand": operand, "negated": true});
        let (by_pair, by_object) = (count(json!([pair])).await, count(json!([object])).await);
        assert!(by_pair == by_object && by_pair > 0, "{pair}: {by_pair} and {by_object}");
        assert_eq!(by_object + count(json!([negated])).await, everything, "{negated}");
    }
    let channel = json!({"operator": "channel", "operand": server.channel("general")});
    assert_eq!(count(json!([channel])).await, count(json!([["stream", "general"]])).await);
}

/// `ignored_because_not_subscribed_channels` is there for the flag read with op remove alone.
#[tokio::test]
async fn ignored_channels_are_reported_only_for_removed_reads() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let range = json!({"anchor": "newest", "num_before": 3});

    for (flag, op) in [("read", "add"), ("starred", "add"), ("starred", "remove"), ("collapsed", "remove")] {
        let reply = change(&mel, range.clone(), json!({"flag": flag, "op": op})).await.success();
        assert!(reply.get("ignored_because_not_subscribed_channels").is_none(), "{flag} {op}: {reply}");
    }
    let reply = change(&mel, range, json!({"flag": "read", "op": "remove"})).await.success();
    assert_eq!(reply["ignored_because_not_subscribed_channels"], json!([]));
}
