//! Narrows: every operator, in both forms and negated, and flags changed through them.

use crate::support::{TestServer, User};
use serde_json::{Value, json};
use std::collections::BTreeSet;

async fn found(user: &User, narrow: Value) -> BTreeSet<i64> {
    let params = json!({"anchor": "newest", "num_before": 1000, "num_after": 0, "narrow": narrow});
    let reply = user.get("/messages", params).await.success();
    reply["messages"].as_array().into_iter().flatten().filter_map(|one| one["id"].as_i64()).collect()
}

#[tokio::test]
async fn each_operator_finds_its_messages_and_its_opposite_finds_the_others() {
    let server = TestServer::start().await;
    let [mel, max, adam] = server.users(["mel", "max", "adam"]);
    let plain = mel.send_to("general", "narrows", "nothing special").await;
    let link = mel.send_to("general", "narrows", "see https://example.com").await;
    let mention = max.send_to("general", "narrows", "@**Mel Marsh** look at the zebra").await;
    let resolved = mel.send_to("general", "✔ narrows", "done").await;
    let direct = mel.send_direct(&[max.id()], "between us").await;
    let group = mel.send_direct(&[max.id(), adam.id()], "among three").await;
    mel.post("/messages/flags", json!({"messages": [plain], "op": "add", "flag": "starred"})).await.success();
    max.post(&format!("/messages/{plain}/reactions"), json!({"emoji_name": "tada"})).await.success();
    let mine = [plain, link, mention, resolved, direct, group];
    let channel = server.channel("general");

    for (operator, operand, expected) in [
        ("channel", json!("general"), vec![plain, link, mention, resolved]),
        ("stream", json!("General"), vec![plain, link, mention, resolved]),
        ("channel", json!(channel), vec![plain, link, mention, resolved]),
        ("topic", json!("NARROWS"), vec![plain, link, mention]),
        ("sender", json!("mel@chat.test"), vec![plain, link, resolved, direct, group]),
        ("sender", json!(max.id()), vec![mention]),
        ("dm", json!([max.id()]), vec![direct]),
        ("pm-with", json!("max@chat.test"), vec![direct]),
        ("dm", json!("max@chat.test,adam@chat.test"), vec![group]),
        ("dm-including", json!(max.id()), vec![direct, group]),
        ("group-pm-with", json!(max.id()), vec![group]),
        ("is", json!("dm"), vec![direct, group]),
        ("is", json!("private"), vec![direct, group]),
        ("is", json!("starred"), vec![plain]),
        ("is", json!("mentioned"), vec![mention]),
        ("is", json!("resolved"), vec![resolved]),
        ("has", json!("link"), vec![link]),
        ("has", json!("reaction"), vec![plain]),
        ("id", json!(link), vec![link]),
        ("id", json!(link.to_string()), vec![link]),
        ("near", json!(link.to_string()), mine.to_vec()),
        ("in", json!("all"), mine.to_vec()),
        ("search", json!("the ZEBRA"), vec![mention]),
        ("search", json!("\"the zebra\""), vec![mention]),
        ("mentions", json!(mel.id()), vec![mention]),
    ] {
        let among_mine =
            |ids: BTreeSet<i64>| -> BTreeSet<i64> { ids.into_iter().filter(|id| mine.contains(id)).collect() };
        let expected: BTreeSet<i64> = expected.into_iter().collect();
        let term = json!([{"operator": operator, "operand": operand}]);
        assert_eq!(among_mine(found(&mel, term).await), expected, "{operator}:{operand}");
        if operand.is_string() {
            assert_eq!(
                among_mine(found(&mel, json!([[operator, operand]])).await),
                expected,
                "pair {operator}:{operand}"
            );
        }
        let negated = json!([{"operator": operator, "operand": operand, "negated": true}]);
        let says_nothing = operator == "near" || operator == "in";
        let others: BTreeSet<i64> = mine.iter().copied().filter(|id| says_nothing || !expected.contains(id)).collect();
        assert_eq!(among_mine(found(&mel, negated).await), others, "-{operator}:{operand}");
    }
}

#[tokio::test]
async fn unread_and_followed_follow_the_users_own_state() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.send_to("general", "state", "@**Max Mercer**").await;

    assert!(found(&max, json!([["is", "unread"]])).await.contains(&id));
    assert!(found(&max, json!([["is", "followed"]])).await.contains(&id), "followed since mentioned");
    max.post("/messages/flags", json!({"messages": [id], "op": "add", "flag": "read"})).await.success();
    assert!(!found(&max, json!([["is", "unread"]])).await.contains(&id));
}

#[tokio::test]
async fn with_means_the_conversation_of_a_message() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let first = mel.send_to("general", "here", "one").await;
    let second = max.send_to("general", "here", "two").await;
    let elsewhere = json!([["channel", "design"], ["topic", "x"], ["with", first.to_string()]]);

    assert_eq!(found(&mel, elsewhere).await, BTreeSet::from([first, second]));
}

#[tokio::test]
async fn with_a_message_out_of_reach_leaves_the_conversation_that_is_named() {
    let server = TestServer::start().await;
    let [olive, mel, max] = server.users(["olive", "mel", "max"]);
    let here = mel.send_to("general", "here", "one").await;
    let direct = mel.send_direct(&[max.id()], "between us").await;
    let hidden = olive.send_to("leadership", "there", "hush").await.to_string();

    let by_topic = json!([["channel", "general"], ["topic", "here"], ["with", hidden]]);
    assert_eq!(found(&mel, by_topic).await, BTreeSet::from([here]));
    let by_people = json!([["dm", "max@chat.test"], ["with", hidden]]);
    assert!(found(&mel, by_people).await.contains(&direct));
}

#[tokio::test]
async fn a_channel_out_of_reach_has_nothing_to_be_found() {
    let server = TestServer::start().await;
    let [olive, mel, gus] = server.users(["olive", "mel", "gus"]);
    olive.send_to("leadership", "there", "hush").await;

    assert_eq!(found(&mel, json!([["channel", "leadership"]])).await, BTreeSet::new());
    assert_eq!(found(&gus, json!([["channel", "engineering"]])).await, BTreeSet::new());
    assert_eq!(found(&mel, json!([{"operator": "dm", "operand": []}])).await, BTreeSet::new());
}

#[tokio::test]
async fn a_narrow_may_be_null() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let range = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": null});

    mel.get("/messages", range.clone()).await.success();
    let mut change = range;
    change["op"] = "add".into();
    change["flag"] = "read".into();
    mel.post("/messages/flags/narrow", change).await.success();
    let held = json!({"msg_ids": [1], "narrow": null});
    mel.get("/messages/matches_narrow", held).await.error("BAD_REQUEST", "narrow is not a list");
}

#[tokio::test]
async fn search_marks_what_it_found() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    mel.send_to("general", "zebra <b>", "A *Zebra* & co").await;

    let params = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": [["search", "zebra"]]});
    let reply = mel.get("/messages", params).await.success();

    let message = &reply["messages"][0];
    assert_eq!(message["match_content"], "<p>A <em><span class=\"highlight\">Zebra</span></em> &amp; co</p>");
    assert_eq!(message["match_subject"], "<span class=\"highlight\">zebra</span> &lt;b&gt;");
}

#[tokio::test]
async fn a_narrow_that_makes_no_sense_is_refused_with_its_reason() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    for (narrow, code, message) in [
        (json!([["channel", "nowhere"]]), "BAD_NARROW", "Invalid narrow operator: unknown channel nowhere"),
        (json!([["sender", "no@chat.test"]]), "BAD_NARROW", "Invalid narrow operator: unknown user no@chat.test"),
        (json!([["dm", "no@chat.test"]]), "BAD_NARROW", "Invalid narrow operator: unknown user in no@chat.test"),
        (json!([["subject", "t"]]), "BAD_NARROW", "Invalid narrow operator: unknown operator subject"),
        (json!([["has", "links"]]), "BAD_NARROW", "Invalid narrow operator: unknown 'has' operand links"),
        (json!([["is", "blue"]]), "BAD_NARROW", "Invalid narrow operator: unknown 'is' operand blue"),
        (json!([["has", "legs"]]), "BAD_NARROW", "Invalid narrow operator: unknown 'has' operand legs"),
        (json!([["in", "space"]]), "BAD_NARROW", "Invalid narrow operator: unknown 'in' operand space"),
        (json!([["channels", "all"]]), "BAD_NARROW", "Invalid narrow operator: unknown channels operand all"),
        (json!([["id", "x"]]), "BAD_NARROW", "Invalid narrow operator: Invalid message ID"),
        (json!([["color", "blue"]]), "BAD_NARROW", "Invalid narrow operator: unknown operator color"),
        (
            json!([["channel", "general"], ["is", "dm"]]),
            "BAD_NARROW",
            "Invalid narrow operator: No message can be both a channel message and direct message",
        ),
        (
            json!([["channels", "public"], ["dm", "max@chat.test"]]),
            "BAD_NARROW",
            "Invalid narrow operator: No message can be both a channel message and direct message",
        ),
        (
            json!([{"operator": "is", "operand": "dm", "negated": true}, {"operator": "dm", "operand": [1]}]),
            "BAD_NARROW",
            "Invalid narrow operator: No message can be both a channel message and direct message",
        ),
        (
            json!([["with", "1"], ["with", "2"]]),
            "BAD_NARROW",
            "Invalid narrow operator combination: Duplicate 'with' operators.",
        ),
        (json!([["with", "x"]]), "BAD_NARROW", "Invalid narrow operator: Invalid 'with' operator"),
        (json!([["with", "999"]]), "BAD_NARROW", "Invalid narrow operator: Invalid 'with' operator"),
        (json!([["topic", "t"], ["with", "999"]]), "BAD_NARROW", "Invalid narrow operator: Invalid 'with' operator"),
        (json!([["id", "-1"]]), "BAD_NARROW", "Invalid narrow operator: Invalid message ID"),
        (json!([{"operator": "channel", "operand": 1.5}]), "BAD_REQUEST", "operand is not a string or integer"),
        (json!([["a", "b", "c"]]), "BAD_REQUEST", "Invalid narrow[0]: Value error, element is not a string pair"),
        (json!([{"operand": "x"}]), "BAD_REQUEST", "Invalid narrow[0]: Value error, operator is missing"),
        (json!([{"operator": "is"}]), "BAD_REQUEST", "Invalid narrow[0]: Value error, operand is missing"),
        (json!([5]), "BAD_REQUEST", "Invalid narrow[0]: Value error, dict or list required"),
        (json!({}), "BAD_REQUEST", "narrow is not a list"),
        (
            json!([{"operator": "is", "operand": "dm", "negated": 1}]),
            "BAD_REQUEST",
            "narrow[0][\"negated\"] is not a boolean",
        ),
        (json!([{"operator": "channel", "operand": [1]}]), "BAD_REQUEST", "operand is not a string or integer"),
        (json!([{"operator": "search", "operand": " "}]), "BAD_REQUEST", "operand cannot be blank."),
        // Types are checked before what the terms name, and whatever the operator is.
        (json!([["nope", "x"], {"operator": "near", "operand": 1}]), "BAD_REQUEST", "operand is not a string"),
        (json!([["dm", [1, 2]], {"operator": "near", "operand": 1}]), "BAD_REQUEST", "operand is not a string"),
        (json!([["channel", "nope"], {"operator": "from", "operand": 1}]), "BAD_REQUEST", "operand is not a string"),
        (json!([{"operator": "nope", "operand": [1]}]), "BAD_REQUEST", "operand is not a string"),
        (json!([{"operator": "dm", "operand": [1, "x"]}]), "BAD_REQUEST", "operand[1] is not an integer"),
        (json!([{"operator": "dm", "operand": 1}]), "BAD_REQUEST", "operand is not a string or an integer list"),
        (json!([{"operator": "id", "operand": true}]), "BAD_NARROW", "Invalid narrow operator: Invalid message ID"),
    ] {
        let params = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow});
        mel.get("/messages", params).await.error(code, message);
    }
}

#[tokio::test]
async fn some_messages_are_held_against_a_narrow() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let yes = mel.send_to("general", "t", "a zebra").await;
    let no = mel.send_to("general", "t", "a horse").await;

    let params = json!({"msg_ids": [yes, no], "narrow": [{"operator": "search", "operand": "zebra"}]});
    mel.get("/messages/matches_narrow", params).await.is(json!({"messages": {
        yes.to_string(): {"match_content": "<p>a <span class=\"highlight\">zebra</span></p>", "match_subject": "t"},
    }}));
    let params = json!({"msg_ids": [yes], "narrow": [["with", yes.to_string()]]});
    let refused = mel.get("/messages/matches_narrow", params).await;
    refused.error("BAD_NARROW", "Invalid narrow operator: unknown operator with");
}

#[tokio::test]
async fn messages_that_were_not_received_match_no_narrow_until_they_are_marked() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let subscription = json!({"subscriptions": [{"name": "lounge"}]});
    olive.post("/users/me/subscriptions", subscription).await.success();
    let id = olive.send_to("lounge", "t", "a zebra").await;
    let params = json!({"msg_ids": [id], "narrow": [["channel", "lounge"]]});

    mel.get("/messages/matches_narrow", params.clone()).await.is(json!({"messages": {}}));

    mel.post("/messages/flags", json!({"messages": [id], "op": "add", "flag": "starred"})).await.success();
    mel.get("/messages/matches_narrow", params).await.is(json!({"messages": {
        id.to_string(): {"match_content": "<p>a zebra</p>", "match_subject": "t"},
    }}));
}

#[tokio::test]
async fn flags_of_a_range_are_counted_as_processed_and_as_changed() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut ids = Vec::new();
    for text in ["a", "b", "c"] {
        ids.push(mel.send_to("general", "count", text).await);
    }
    max.post("/messages/flags", json!({"messages": [ids[0]], "op": "add", "flag": "read"})).await.success();
    let mut events = max.events(["update_message_flags"]).await;
    let mut others = mel.events(["update_message_flags"]).await;
    let params = json!({
        "anchor": "oldest", "num_before": 0, "num_after": 10, "flag": "read", "op": "add",
        "narrow": [["channel", "general"], ["topic", "count"]],
    });

    max.post("/messages/flags/narrow", params.clone()).await.is(json!({
        "processed_count": 3,
        "updated_count": 2,
        "first_processed_id": ids[0],
        "last_processed_id": ids[2],
        "found_oldest": true,
        "found_newest": true,
    }));
    events.next().await.is(json!({
        "type": "update_message_flags", "op": "add", "operation": "add", "flag": "read", "messages": [ids[1], ids[2]], "all": false,
    }));
    others.none().await;

    let again = max.post("/messages/flags/narrow", params).await.success();
    assert_eq!(again["updated_count"], 0);
    events.next().await.has(json!({"messages": []}));
}

#[tokio::test]
async fn an_empty_range_has_no_ends() {
    let server = TestServer::start().await;
    let params = json!({
        "anchor": "newest", "num_before": 5, "num_after": 0, "flag": "starred", "op": "add",
        "narrow": [["channel", "quiet"]],
    });
    server.user("mel").post("/messages/flags/narrow", params).await.is(json!({
        "processed_count": 0,
        "updated_count": 0,
        "first_processed_id": null,
        "last_processed_id": null,
        "found_oldest": true,
        "found_newest": true,
    }));
}

#[tokio::test]
async fn messages_of_channels_left_do_not_become_unread() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let kept = mel.send_to("general", "left", "kept").await;
    let left = mel.send_to("engineering", "left", "left").await;
    max.delete("/users/me/subscriptions", json!({"subscriptions": ["engineering"]})).await.success();
    max.post("/messages/flags", json!({"messages": [kept], "op": "add", "flag": "read"})).await.success();
    let mut events = max.events(["update_message_flags"]).await;
    let params = json!({
        "anchor": kept, "num_before": 0, "num_after": 5, "flag": "read", "op": "remove", "narrow": [["topic", "left"]],
    });

    let reply = max.post("/messages/flags/narrow", params).await.success();

    assert_eq!((&reply["processed_count"], &reply["updated_count"]), (&json!(2), &json!(1)));
    assert_eq!(reply["ignored_because_not_subscribed_channels"], json!([server.channel("engineering")]));
    events.next().await.has(json!({
        "op": "remove",
        "messages": [kept],
        "message_details": {kept.to_string(): {"type": "stream", "stream_id": server.channel("general"), "topic": "left"}},
    }));
    assert!(!found(&max, json!([["is", "unread"]])).await.contains(&left));
}

#[tokio::test]
async fn flags_are_refused_after_the_narrow_was_understood() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let base = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": [], "flag": "read", "op": "add"});
    for (key, value, code, message) in [
        ("flag", json!("mentioned"), "BAD_REQUEST", "Flag not editable: 'mentioned'"),
        ("flag", json!("blue"), "BAD_REQUEST", "Invalid flag: 'blue'"),
        ("op", json!("toggle"), "BAD_REQUEST", "Invalid message flag operation: 'toggle'"),
        ("anchor", json!("x"), "BAD_REQUEST", "Invalid anchor"),
        ("num_before", json!(-1), "BAD_REQUEST", "num_before is too small"),
        ("narrow", json!([["x", "y"]]), "BAD_NARROW", "Invalid narrow operator: unknown operator x"),
    ] {
        let mut params = base.clone();
        params[key] = value;
        mel.post("/messages/flags/narrow", params).await.error(code, message);
    }
    for key in ["anchor", "flag", "narrow", "num_after", "num_before", "op"] {
        let mut params = base.clone();
        params.as_object_mut().expect("an object").shift_remove(key);
        let message = format!("Missing '{key}' argument");
        mel.post("/messages/flags/narrow", params).await.error("REQUEST_VARIABLE_MISSING", &message);
    }
}

/// Channels that a user is not subscribed to are not muted, and direct messages never are.
#[tokio::test]
async fn muted_is_what_a_user_muted() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let (general, engineering) = (server.channel("general"), server.channel("engineering"));
    let plain = mel.send_to("general", "plain", "x").await;
    let muted = mel.send_to("general", "muted", "x").await;
    let [of_muted, followed] = ["a", "b"].map(|topic| (topic, "engineering"));
    let of_muted = mel.send_to(of_muted.1, of_muted.0, "x").await;
    let followed = mel.send_to(followed.1, followed.0, "x").await;
    let left = mel.send_to("town-square", "t", "x").await;
    for (channel, topic, policy) in [(general, "muted", 1), (engineering, "b", 3)] {
        let said = json!({"stream_id": channel, "topic": topic, "visibility_policy": policy});
        max.post("/user_topics", said).await.success();
    }
    let mute = json!([{"stream_id": engineering, "property": "is_muted", "value": true}]);
    max.post("/users/me/subscriptions/properties", json!({"subscription_data": mute})).await.success();
    max.post(&format!("/users/me/muted_users/{}", mel.id()), json!({})).await.success();
    let direct = mel.send_direct(&[max.id()], "x").await;

    let muted_ones = found(&max, json!([["is", "muted"]])).await;
    let at_home = found(&max, json!([["in", "home"]])).await;

    for (id, is_muted) in [(muted, true), (of_muted, true), (plain, false), (followed, false), (direct, false)] {
        assert_eq!((muted_ones.contains(&id), at_home.contains(&id)), (is_muted, !is_muted), "{id}");
    }
    let in_square = json!([["channel", "town-square"], ["in", "home"]]);
    max.delete("/users/me/subscriptions", json!({"subscriptions": ["town-square"]})).await.success();
    assert!(found(&max, in_square).await.contains(&left));
}
