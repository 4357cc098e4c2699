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
async fn narrows_were_read_at_once_before_248() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 248).await;
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

#[tokio::test]
async fn narrows_were_understood_otherwise_before_248() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 248).await;
    let (old, new) = (before.user("mel"), after.user("mel"));
    let excluding = json!([
        {"operator": "is", "operand": "dm", "negated": true},
        {"operator": "stream", "operand": "general", "negated": true},
    ]);
    let range = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": excluding});
    assert_eq!(old.get("/messages", range.clone()).await.body["code"], "BAD_NARROW");
    new.get("/messages", range).await.success();

    for (age, user, finds_others) in [(&before, &old, false), (&after, &new, true)] {
        let zebra = send(user, "general", "z", "a zebra").await;
        let lion = send(user, "general", "z", "a lion").await;
        let negated =
            json!([["stream", "general"], ["topic", "z"], {"operator": "search", "operand": "zebra", "negated": true}]);
        assert_eq!(found(user, negated).await, [if finds_others { lion } else { zebra }]);

        let by_name = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": [["stream", "attic"]]});
        assert_eq!(user.get("/messages", by_name).await.status == 200, finds_others);
        let attic = server.channel("attic");
        found(user, json!([{"operator": "stream", "operand": attic}])).await;

        // Nobody but Mel has a row.
        let marked = send(user, "quiet", "✔ done", "hush").await;
        let resolved = json!([["stream", "quiet"], ["is", "resolved"]]);
        assert_eq!(found(&age.user("max"), resolved).await.contains(&marked), finds_others);

        let secret = send(user, "design", "s", "a secret").await;
        let gone = json!({"subscriptions": ["design"]});
        age.user("max").delete("/users/me/subscriptions", gone).await.success();
        assert_eq!(found(&age.user("max"), json!([["topic", "s"]])).await == [secret], !finds_others);
    }
}

#[tokio::test]
async fn queues_took_any_operand_of_is_before_248() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 248).await;
    let wish = json!({"event_types": ["message"], "narrow": [["is", "nope"], ["stream", "general"]]});

    let mut queue = before.user("mel").register(wish.clone()).await;
    after.user("mel").post("/register", wish).await.error("BAD_REQUEST", "Operand nope not supported.");
    send(&before.user("max"), "general", "t", "heard").await;
    queue.next().await.has(json!({"type": "message"}));
}

#[tokio::test]
async fn recipients_came_in_lists_before_248() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 248).await;
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
async fn mentions_reached_subscribers_alone_before_248() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 248).await;
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
async fn movers_had_unread_notices_before_248() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 248).await;
    for (age, is_unread) in [(&before, true), (&after, false)] {
        let adam = age.user("adam");
        let id = send(&adam, "general", "old", "move me").await;
        let mut events = adam.events(["message", "delete_message"]).await;
        let path = format!("/messages/{id}");
        adam.patch(&path, json!({"topic": "new"})).await.success();
        let flags = &events.next().await.has(json!({"type": "message"}))["flags"];
        assert_eq!(*flags == json!([]), is_unread, "{flags}");

        adam.patch(&path, json!({"topic": "✔ new", "propagate_mode": "change_all"})).await.success();
        events.next().await.has(json!({"type": "message"}));
        adam.patch(&path, json!({"topic": "new", "propagate_mode": "change_all"})).await.success();
        let kind = if is_unread { "message" } else { "delete_message" };
        events.next().await.has(json!({"type": kind}));
    }
}

#[tokio::test]
async fn guests_read_where_they_subscribed_before_248() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 248).await;
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
async fn marks_were_unread_for_participants_before_385() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 385).await;
    for (age, participants_alone) in [(&before, true), (&after, false)] {
        let (adam, mel, max) = (age.user("adam"), age.user("mel"), age.user("max"));
        let id = send(&mel, "general", "plan", "what now?").await;
        max.post(&format!("/messages/{id}/reactions"), json!({"emoji_name": "tada"})).await.success();
        let mut queues = [mel.events(["message"]).await, max.events(["message"]).await];
        let marked = json!({"topic": "✔ plan", "propagate_mode": "change_all"});
        adam.patch(&format!("/messages/{id}"), marked).await.success();
        let mut unread = Vec::new();
        for queue in &mut queues {
            unread.push(queue.next().await.has(json!({"type": "message"}))["flags"] == json!([]));
        }
        // Mel follows the topic that he began.
        assert_eq!(unread, [true, participants_alone]);
    }
}

#[tokio::test]
async fn marking_was_renaming_before_367() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 367).await;
    for (age, is_apart) in [(&before, false), (&after, true)] {
        let olive = age.user("olive");
        let group = |name: &str| {
            let groups = olive.get("/user_groups", json!({}));
            let name = name.to_owned();
            async move {
                let groups = groups.await.success();
                let groups = groups["user_groups"].as_array().cloned().unwrap_or_default();
                groups.into_iter().find(|group| group["name"] == name.as_str()).expect("a group")["id"].clone()
            }
        };
        let nobody = group("role:nobody").await;
        let wish = json!({"can_move_messages_between_topics_group": {"new": nobody}});
        olive.patch("/realm", wish).await.success();
        let mel = age.user("mel");
        let id = send(&mel, "general", "plan", "what now?").await;
        let marked = json!({"topic": "✔ plan", "propagate_mode": "change_all"});
        assert_eq!(mel.patch(&format!("/messages/{id}"), marked).await.status == 200, is_apart);
    }
}

#[tokio::test]
async fn the_first_message_stayed_before_256() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 256).await;
    for (age, is_sent) in [(&before, false), (&after, true)] {
        let adam = age.user("adam");
        let first = send(&adam, "quiet", "t", "first").await;
        send(&adam, "quiet", "t", "second").await;
        let mut events = age.user("mel").events(["stream"]).await;
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
