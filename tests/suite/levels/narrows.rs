//! Messages as they were read, moved and found at level 247.

use super::{Age, send_old};
use crate::support::{TestServer, User};
use serde_json::{Value, json};

async fn found(user: &User, narrow: Value) -> Vec<i64> {
    let params = json!({"anchor": "newest", "num_before": 100, "num_after": 0, "narrow": narrow});
    let reply = user.get("/messages", params).await.success();
    reply["messages"].as_array().into_iter().flatten().filter_map(|one| one["id"].as_i64()).collect()
}

/// The message's ID as a number.
async fn send(user: &User, channel: &str, topic: &str, content: &str) -> i64 {
    send_old(user, channel, topic, content).await.as_i64().expect("an ID")
}

#[tokio::test]
async fn narrows_were_checked_in_one_step_before_265() {
    let server = TestServer::start().await;
    let [before, after] = Age::at_both(&server, 247, 265).await;
    let (old, new) = (before.user("mel"), after.user("mel"));
    let range = |narrow: &str| json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow});

    for narrow in ["{}", "x", r#"[["stream", 1]]"#, "[null]", r#"[["a", "b", "c"]]"#] {
        let reply = old.get("/messages", range(narrow)).await;
        let reply = reply.error("REQUEST_VARIABLE_INVALID", &format!("Bad value for 'narrow': {narrow}"));
        assert_eq!((&reply["var_name"], &reply["bad_value"]), (&json!("narrow"), &json!(narrow)));
        assert_eq!(new.get("/messages", range(narrow)).await.body["code"], "BAD_REQUEST");
    }
    for (term, message) in [
        (r#"{"operator": "nope", "operand": 5}"#, "elem[\"operand\"] is not a string"),
        (r#"{"operator": "near", "operand": 5}"#, "elem[\"operand\"] is not a string"),
        (r#"{"operator": "channel", "operand": 5}"#, "elem[\"operand\"] is not a string"),
        (r#"{"operator": "dm", "operand": 5}"#, "elem[\"operand\"] is not a string or an integer list"),
        (r#"{"operator": "dm", "operand": ["x"]}"#, "elem[\"operand\"][0] is not an integer"),
        (r#"{"operator": "stream", "operand": [5]}"#, "elem[\"operand\"] is not a string or integer"),
        (r#"{"operator": "search", "operand": " "}"#, "elem[\"operand\"] cannot be blank."),
        (r#"{"operator": 1, "operand": "x"}"#, "elem[\"operator\"] is not a string"),
        (r#"{"operator": "is", "operand": "dm", "negated": "x"}"#, "elem[\"negated\"] is not a boolean"),
    ] {
        // The operator before it is not even looked at.
        let narrow = format!("[[\"nope\", \"x\"], {term}]");
        old.get("/messages", range(&narrow)).await.error("BAD_REQUEST", message);
        assert_ne!(new.get("/messages", range(&narrow)).await.body["msg"], message);
    }
    assert!(found(&old, json!([["search", ""]])).await.is_empty());
}

/// The two ages around a level, with a user of each.
async fn users<'server>(server: &'server TestServer, level: i64) -> [(Age<'server>, User); 2] {
    Age::around(server, level).await.map(|age| {
        let user = age.user("mel");
        (age, user)
    })
}

#[tokio::test]
async fn negated_terms_excluded_others_before_343() {
    let server = TestServer::start().await;
    let [(_, old), (_, new)] = users(&server, 343).await;
    let range = |narrow: Value| json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow});
    let not_direct = json!({"operator": "is", "operand": "dm", "negated": true});
    let elsewhere = json!({"operator": "stream", "operand": "general", "negated": true});
    let excluding = range(json!([not_direct, elsewhere]));
    assert_eq!(old.get("/messages", excluding.clone()).await.body["code"], "BAD_NARROW");
    new.get("/messages", excluding).await.success();
    assert_eq!(new.get("/messages", range(json!([not_direct, ["is", "dm"]]))).await.body["code"], "BAD_NARROW");
}

#[tokio::test]
async fn searches_were_never_negated_before_388() {
    let server = TestServer::start().await;
    for ((_, user), is_negated) in users(&server, 388).await.iter().zip([false, true]) {
        let zebra = send(user, "general", "z", "a zebra").await;
        let lion = send(user, "general", "z", "a lion").await;
        let negated =
            json!([["stream", "general"], ["topic", "z"], {"operator": "search", "operand": "zebra", "negated": true}]);
        assert_eq!(found(user, negated).await, [if is_negated { lion } else { zebra }]);
    }
}

#[tokio::test]
async fn home_was_never_negated_before_319() {
    let server = TestServer::start().await;
    for ((_, user), is_negated) in users(&server, 319).await.iter().zip([false, true]) {
        let id = send(user, "general", "z", "at home").await;
        let negated = json!([{"operator": "in", "operand": "home", "negated": true}]);
        assert_eq!(found(user, negated).await.contains(&id), !is_negated);
    }
}

#[tokio::test]
async fn archived_channels_had_no_name_in_narrows_before_315() {
    let server = TestServer::start().await;
    for ((_, user), is_found) in users(&server, 315).await.iter().zip([false, true]) {
        let by_name = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": [["stream", "attic"]]});
        assert_eq!(user.get("/messages", by_name).await.status == 200, is_found);
        found(user, json!([{"operator": "stream", "operand": server.channel("attic")}])).await;
    }
}

#[tokio::test]
async fn is_resolved_excluded_history_before_261() {
    let server = TestServer::start().await;
    for ((age, user), is_found) in users(&server, 261).await.iter().zip([false, true]) {
        // Nobody but Mel has a row.
        let marked = send(user, "quiet", "✔ done", "hush").await;
        let resolved = json!([["stream", "quiet"], ["is", "resolved"]]);
        assert_eq!(found(&age.user("max"), resolved).await.contains(&marked), is_found);
    }
}

#[tokio::test]
async fn is_followed_included_history_before_323() {
    let server = TestServer::start().await;
    for (level, is_found) in [(265, true), (322, true), (323, false)] {
        let age = Age::at(&server, level).await;
        let max = age.user("max");
        let quiet = send(&age.user("mel"), "quiet", "tea", "hush").await;
        let follow = json!({"stream_id": server.channel("quiet"), "topic": "tea", "visibility_policy": 3});
        max.post("/user_topics", follow).await.success();
        let followed = json!([["stream", "quiet"], ["is", "followed"]]);
        assert_eq!(found(&max, followed).await.contains(&quiet), is_found, "at {level}");
    }
}

#[tokio::test]
async fn narrows_did_not_check_access_before_368() {
    let server = TestServer::start().await;
    for ((age, user), is_enough) in users(&server, 368).await.iter().zip([true, false]) {
        let secret = send(user, "design", "s", "a secret").await;
        let gone = json!({"subscriptions": ["design"]});
        age.user("max").delete("/users/me/subscriptions", gone).await.success();
        assert_eq!(found(&age.user("max"), json!([["topic", "s"]])).await == [secret], is_enough);
    }
}

#[tokio::test]
async fn queues_accepted_any_operand_of_is_before_497() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    let wish = json!({"event_types": ["message"], "narrow": [["is", "nope"], ["stream", "general"]]});

    let mut queue = before.user("mel").register(wish.clone()).await;
    after.user("mel").post("/register", wish).await.error("BAD_REQUEST", "Operand nope not supported.");
    send(&before.user("max"), "general", "t", "heard").await;
    queue.next().await.has(json!({"type": "message"}));
}

#[tokio::test]
async fn queues_refuse_operators_that_do_not_select_events_by_name() {
    let server = TestServer::start().await;
    let age = Age::at(&server, 387).await;
    for (narrow, message) in [
        (json!([["channels", "archived"]]), "Operator channels not supported."),
        (json!([["mentions", "10"]]), "Operator mentions not supported."),
        (json!([["is", "followed"]]), "Operand followed not supported."),
    ] {
        let wish = json!({"event_types": ["message"], "narrow": narrow});
        age.user("mel").post("/register", wish).await.error("BAD_REQUEST", message);
    }
}

#[tokio::test]
async fn recipients_came_in_lists_before_497() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    for kind in ["direct", "private"] {
        let message = |to: Value| json!({"type": kind, "to": to, "content": "x"});
        let id = before.user("max").id();
        let one = before.user("mel").post("/messages", message(json!(id))).await;
        one.error("BAD_REQUEST", "Invalid data type for recipients");
        before.user("mel").post("/messages", message(json!([id]))).await.success();
        after.user("mel").post("/messages", message(json!(id))).await.success();
    }
}

#[tokio::test]
async fn mentions_reached_only_subscribers_before_388() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 388).await;
    for (age, is_reached) in [(&before, false), (&after, true)] {
        let (mel, max) = (age.user("mel"), age.user("max"));
        let mut events = max.events(["message", "update_message"]).await;
        let mut bot_events = age.user("build-bot").events(["message"]).await;
        let id = send(&mel, "quiet", "t", "@**Max Mercer** @**Build Bot** look").await;
        let edited = send(&mel, "quiet", "t", "nobody").await;
        let content = json!({"content": "@**Max Mercer** look again"});
        mel.patch(&format!("/messages/{edited}"), content).await.success();

        bot_events.next().await.has(json!({"type": "message", "message": {"id": id}}));
        assert_eq!(!events.all().await.is_empty(), is_reached);
        assert_eq!(found(&max, json!([["is", "mentioned"]])).await.contains(&id), is_reached);
        let flags = &max.get(&format!("/messages/{id}"), json!({})).await.success()["message"]["flags"];
        assert_eq!(*flags == json!(["read", "historical"]), !is_reached, "{flags}");
    }
}

#[tokio::test]
async fn guests_read_only_subscribed_channels_before_388() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 388).await;
    for (age, reads) in [(&before, false), (&after, true)] {
        let gus = age.user("gus");
        let id = send(&gus, "town-square", "t", "mine").await;
        gus.delete("/users/me/subscriptions", json!({"subscriptions": ["town-square"]})).await.success();
        let path = format!("/messages/{id}");
        let replies = [
            gus.get(&path, json!({})).await,
            gus.get(&format!("{path}/history"), json!({})).await,
            gus.post(&format!("{path}/reactions"), json!({"emoji_name": "tada"})).await,
            gus.patch(&path, json!({"content": "changed"})).await,
        ];
        for reply in replies {
            if reads {
                reply.success();
            } else {
                reply.error("BAD_REQUEST", "Invalid message(s)");
            }
        }
    }
}

#[tokio::test]
async fn the_first_message_stayed_before_256() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 256).await;
    for (age, is_sent) in [(&before, false), (&after, true)] {
        let adam = age.user("adam");
        adam.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "quiet"}]})).await.success();
        let first = send(&adam, "quiet", "t", "first").await;
        send(&adam, "quiet", "t", "second").await;
        let mut events = adam.events(["stream"]).await;
        adam.delete(&format!("/messages/{first}"), json!({})).await.success();
        assert_eq!(!events.all().await.is_empty(), is_sent);
    }
}

#[tokio::test]
async fn guests_find_the_history_of_web_public_channels_at_every_level() {
    let server = TestServer::start().await;
    for age in Age::around(&server, 248).await {
        let (olive, gus) = (age.user("olive"), age.user("gus"));
        let new = json!({"subscriptions": [{"name": "web"}], "is_web_public": true});
        olive.post("/users/me/subscriptions", new).await.success();
        let id = send(&olive, "web", "lunch", "soup").await;

        assert_eq!(found(&gus, json!([["stream", "web"], ["topic", "lunch"]])).await, [id]);
    }
}
