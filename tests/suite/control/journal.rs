//! The journal: filters, what is in an entry, asserting on it, waiting for it, its bounds.

use super::Control;
use crate::support::TestServer;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const JOURNAL: &str = "/worlds/default/journal";

async fn entries(control: &Control, query: &str) -> Vec<Value> {
    let reply = control.get(&format!("{JOURNAL}{query}")).await.success();
    reply["entries"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn an_entry_has_what_was_asked_and_answered() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    let _queue = max.events(["message"]).await;
    let id = mel.send_direct(&[max.id()], "hi").await;
    let _ = server.anonymous().get("/users/me?x=1", json!({})).await;

    let all = entries(&control, "").await;

    assert_eq!(all.len(), 3);
    let mut sent = all[1].clone();
    let address = format!("{}/#narrow/dm/{},{}/near/{id}", server.url(), mel.id(), max.id());
    assert!(sent["duration_ms"].as_f64().is_some_and(|took| took >= 0.0));
    sent["duration_ms"] = json!(0);
    assert_eq!(sent["events"].as_array().map(Vec::len), Some(1), "{sent:#}");
    sent["events"] = json!([]);
    assert_eq!(
        sent,
        json!({
            "id": 2,
            "at": super::START_SECONDS as f64,
            "method": "POST",
            "path": "/messages",
            "user": "mel@chat.test",
            "params": {"content": "hi", "to": format!("[{}]", max.id()), "type": "direct"},
            "status": 200,
            "reply": {"result": "success", "msg": "", "id": id, "message_url": address, "message_link": address},
            "duration_ms": 0,
            "client": "Unspecified",
            "fault": null,
            "events": [],
        })
    );
    assert_eq!(
        (&all[2]["user"], &all[2]["status"], &all[2]["params"]),
        (&json!(null), &json!(401), &json!({"x": "1"}))
    );
}

#[tokio::test]
async fn entries_are_filtered() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    mel.get(&format!("/users/{}", max.id()), json!({})).await.success();
    max.get(&format!("/users/{}", mel.id()), json!({})).await.success();
    mel.get("/users/9999", json!({})).await.with_status(400).error("BAD_REQUEST", "No such user");
    mel.post("/typing", json!({"op": "start", "to": [max.id()]})).await.success();
    let ids = |query: String| {
        let control = control.clone();
        async move {
            let all = entries(&control, &query).await;
            all.iter().map(|entry| entry["id"].as_u64().expect("an id")).collect::<Vec<_>>()
        }
    };

    assert_eq!(ids(String::new()).await, [1, 2, 3, 4]);
    assert_eq!(ids("?method=POST".into()).await, [4]);
    assert_eq!(ids("?path=/users/{user_id}".into()).await, [1, 2, 3]);
    assert_eq!(ids(format!("?path=/users/{}", mel.id())).await, [2]);
    assert_eq!(ids("?path=/api/v1/typing".into()).await, [4], "as clients say it");
    assert_eq!(ids("?user=MEL@chat.test&status=200".into()).await, [1, 4]);
    assert_eq!(ids("?status=400".into()).await, [3]);
    assert_eq!(ids("?since=2".into()).await, [3, 4]);
    assert_eq!(ids("?limit=2".into()).await, [3, 4]);
    assert_eq!(ids("?limit=0".into()).await, [0_u64; 0]);
    for query in ["?status=x", "?status=70000", "?since=-1", "?limit=", "?usr=mel", "?params=x"] {
        control.get(&format!("{JOURNAL}{query}")).await.refused(query[1..].split('=').next().expect("a name"));
    }
    control.delete(JOURNAL).await.is(json!({}));
    assert_eq!(ids(String::new()).await, [0_u64; 0]);
    mel.get("/users/me", json!({})).await.success();
    assert_eq!(ids(String::new()).await, [5], "ids go on rising");
}

#[tokio::test]
async fn long_names_of_parameters_are_cut() {
    let server = TestServer::start().await;
    server.user("mel").post("/users/me/status", json!({"x".repeat(10_000): "", "status_text": "busy"})).await.success();

    let [entry] = entries(&Control::of(&server), "").await.try_into().expect("one entry");
    assert_eq!(entry["truncated"], true);
    let names: Vec<usize> = entry["params"].as_object().expect("an object").keys().map(String::len).collect();
    assert!(names.contains(&4_096) && names.contains(&"status_text".len()), "{names:?}");
}

#[tokio::test]
async fn long_bodies_are_cut_and_polls_entered_when_answered() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    mel.send_to("general", "t", &"ü".repeat(3_000)).await;
    mel.get("/users", json!({})).await.success();
    let mut queue = mel.events(["message"]).await;
    let id = queue.id.clone();
    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;

    let all = entries(&control, "").await;
    assert_eq!(all.len(), 3, "the poll hangs");
    assert!(all[..2].iter().all(|entry| entry["truncated"] == true) && all[2].get("truncated").is_none());
    assert_eq!(all[0]["params"]["content"].as_str().map(str::len), Some(4_096));
    assert_eq!(all[1]["reply"].as_str().map(str::len), Some(4_096));
    control.delete(&format!("/worlds/default/queues/{id}")).await.success();
    parked.await.expect("answered").with_status(400).error("BAD_EVENT_QUEUE_ID", &format!("Bad event queue ID: {id}"));
    let last = entries(&control, "?limit=1").await;
    assert_eq!((&last[0]["path"], &last[0]["status"]), (&json!("/events"), &json!(400)));
}

#[tokio::test]
async fn verifying_counts_within_bounds() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    for text in ["one", "two", "two"] {
        mel.send_to("general", "t", text).await;
    }
    let verify = |body: Value| {
        let control = control.clone();
        async move { control.post(&format!("{JOURNAL}/verify"), body).await }
    };
    for (body, count) in [
        (json!({}), 3),
        (json!({"method": "POST", "path": "/messages", "user": "mel@chat.test", "status": 200}), 3),
        (json!({"params": {"content": "two"}}), 2),
        (json!({"params": {"content": "two", "topic": "t"}, "exactly": 2}), 2),
        (json!({"params": {"content": "none"}, "at_most": 0}), 0),
        (json!({"params": {"content": "none"}, "exactly": 0}), 0),
        (json!({"at_least": 2, "at_most": 3}), 3),
    ] {
        verify(body).await.is(json!({ "count": count }));
    }
    for (body, message) in [
        (json!({"params": {"content": "none"}}), "Expected at least 1 such request, found 0"),
        (json!({"exactly": 2}), "Expected exactly 2 such requests, found 3"),
        (json!({"at_most": 2}), "Expected 0 to 2 such requests, found 3"),
        (json!({"at_least": 4}), "Expected at least 4 such requests, found 3"),
    ] {
        verify(body).await.with_status(400).error("VERIFICATION_FAILED", message);
    }
    for (body, part) in [
        (json!({"exactly": 1, "at_least": 1}), "$.exactly"),
        (json!({"at_least": 3, "at_most": 2}), "$.at_most"),
        (json!({"at_least": -1}), "$.at_least"),
        (json!({"params": {"to": 5}}), "$.params.to"),
        (json!({"params": ["to"]}), "$.params"),
        (json!({"status": "200"}), "$.status"),
        (json!({"count": 1}), "count"),
        (json!({"timeout_ms": 5}), "$.timeout_ms"),
    ] {
        verify(body).await.refused(part);
    }
}

#[tokio::test]
async fn requests_at_which_a_fault_fired_are_found_by_its_id() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let rule = json!({"match": {"path": "/users/me"}, "times": 1, "effect": {"garbage": true}});
    let fault = control.post("/worlds/default/faults", rule).await.success()["fault_id"].clone();
    let expected = json!({"fault": fault, "exactly": 1, "timeout_ms": 10_000});
    let waiting = {
        let control = control.clone();
        tokio::spawn(async move { control.post(&format!("{JOURNAL}/wait"), expected).await })
    };
    for _ in 0..2 {
        let _ = mel.get("/users/me", json!({})).await;
    }

    waiting.await.expect("answered").is(json!({"count": 1}));
    let found = control.get(&format!("{JOURNAL}?fault={}", fault.as_str().expect("an id"))).await.success();
    assert_eq!(found["entries"].as_array().expect("a list").len(), 1, "{found}");
    // It fired, so that its name is known after its end.
    control.delete(&format!("/worlds/default/faults/{}", fault.as_str().expect("an id"))).await.success();
    control.post(&format!("{JOURNAL}/verify"), json!({"fault": fault, "exactly": 1})).await.success();
    control.post(&format!("{JOURNAL}/verify"), json!({"fault": "network", "exactly": 0})).await.success();
    control
        .post(&format!("{JOURNAL}/verify"), json!({"fault": "fault-9"}))
        .await
        .refused("$.fault: there is no fault 'fault-9' in this world");
}

#[tokio::test]
async fn near_misses_are_shown_with_what_differs() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    mel.get("/users/me", json!({})).await.success();
    for text in ["one", "two", "three"] {
        mel.send_to("general", "t", text).await;
    }
    let wanted = json!({"method": "POST", "path": "/messages", "params": {"content": "four", "topic": "t"}});

    let reply = control.post(&format!("{JOURNAL}/verify"), wanted).await.with_status(400);

    let body = reply.error("VERIFICATION_FAILED", "Expected at least 1 such request, found 0");
    assert_eq!(body["count"], 0);
    let nearest = body["nearest"].as_array().expect("a list");
    let ids: Vec<_> = nearest.iter().map(|near| near["entry"]["id"].as_i64().expect("an id")).collect();
    assert_eq!(ids, [4, 3, 2], "the nearest first, then the newest");
    let diff = nearest[0]["diff"].as_str().expect("a text");
    assert!(diff.contains("-    \"content\": \"four\"") && diff.contains("+    \"content\": \"three\""), "{diff}");
    assert!(!diff.contains("+  \"status\""), "what was not asked for does not differ: {diff}");
}

#[tokio::test]
async fn requests_of_which_there_were_too_many_are_shown_without_others() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    for text in ["one", "two"] {
        mel.send_to("general", "t", text).await;
    }
    mel.get("/users/me", json!({})).await.success();
    let shown = |bounds: Value| {
        let control = control.clone();
        let mut wanted = json!({"method": "POST", "path": "/messages"});
        wanted.as_object_mut().expect("an object").extend(bounds.as_object().cloned().expect("an object"));
        async move {
            let reply = control.post(&format!("{JOURNAL}/verify"), wanted).await.with_status(400);
            let nearest = reply.body["nearest"].as_array().expect("a list");
            let part = |near: &Value| {
                (near["entry"]["id"].as_i64().expect("an id"), near["diff"].as_str().expect("a text").is_empty())
            };
            nearest.iter().map(part).collect::<Vec<_>>()
        }
    };

    assert_eq!(shown(json!({"exactly": 1})).await, [(1, true), (2, true)], "in their order");
    assert_eq!(shown(json!({"at_most": 0})).await, [(1, true), (2, true)]);
    assert_eq!(shown(json!({"at_least": 3})).await, [(2, true), (1, true)], "without the request to another path");
    for _ in 0..20 {
        mel.send_to("general", "t", "more").await;
    }
    let many = shown(json!({"exactly": 1})).await;
    assert_eq!((many.len(), many[0], many[9]), (10, (14, true), (23, true)), "the newest");
}

#[tokio::test]
async fn waiting_ends_as_soon_as_it_holds_or_in_time() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let waiting = {
        let control = control.clone();
        let wanted = json!({"path": "/messages", "params": {"content": "late"}, "timeout_ms": 20_000});
        tokio::spawn(async move { control.post(&format!("{JOURNAL}/wait"), wanted).await })
    };
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert!(!waiting.is_finished());
    let begun = Instant::now();
    server.user("mel").send_to("general", "t", "late").await;
    waiting.await.expect("answered").is(json!({"count": 1}));
    assert!(begun.elapsed() < Duration::from_secs(5));

    let wanted = json!({"params": {"content": "late"}, "timeout_ms": 20_000});
    control.post(&format!("{JOURNAL}/wait"), wanted).await.is(json!({"count": 1}));
    let never = json!({"params": {"content": "never"}, "timeout_ms": 30});
    let reply = control.post(&format!("{JOURNAL}/wait"), never).await.with_status(408);
    let body = reply.error("VERIFICATION_FAILED", "Expected at least 1 such request, found 0");
    assert_eq!((&body["count"], body["nearest"].as_array().map(Vec::len)), (&json!(0), Some(1)));

    server.user("mel").send_to("general", "t", "late").await;
    let begun = Instant::now();
    let too_many = json!({"params": {"content": "late"}, "exactly": 1, "timeout_ms": 20_000});
    let reply = control.post(&format!("{JOURNAL}/wait"), too_many).await.with_status(408);
    reply.error("VERIFICATION_FAILED", "Expected exactly 1 such request, found 2");
    assert!(begun.elapsed() < Duration::from_secs(5), "the number never gets less");
    for (body, part) in [
        (json!({}), "`timeout_ms` is missing"),
        (json!({"timeout_ms": -1}), "$.timeout_ms"),
        (json!({"timeout_ms": 1, "exactly": 1, "at_most": 1}), "$.exactly"),
        (json!({"timeout_ms": 1, "x": 1}), "x"),
    ] {
        control.post(&format!("{JOURNAL}/wait"), body).await.refused(part);
    }
}

#[tokio::test]
async fn waiting_for_a_world_that_is_deleted_ends() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    control.post("/worlds", json!({"name": "blue"})).await.success();
    let waiting = {
        let control = control.clone();
        let wanted = json!({"timeout_ms": 15_000});
        tokio::spawn(async move { control.post("/worlds/blue/journal/wait", wanted).await })
    };
    tokio::time::sleep(Duration::from_millis(30)).await;

    control.delete("/worlds/blue").await.success();

    let reply = tokio::time::timeout(Duration::from_secs(5), waiting).await.expect("in time").expect("answered");
    reply.with_status(404).error("NONEXISTENT_SUBDOMAIN", "The world 'blue' was deleted");
}

#[tokio::test]
async fn methods_and_paths_that_no_request_has_are_refused() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for filter in ["method=post", "method=FOO", "method=", "path=messages", "path="] {
        let name = filter.split('=').next().expect("a name");
        control.get(&format!("{JOURNAL}?{filter}")).await.refused(&format!("{name}: takes"));
    }
    for wanted in
        [json!({"method": "post"}), json!({"method": "FOO"}), json!({"path": "messages"}), json!({"path": ""})]
    {
        let name = wanted.as_object().and_then(|wanted| wanted.keys().next()).expect("a key").clone();
        control.post(&format!("{JOURNAL}/verify"), wanted.clone()).await.refused(&format!("$.{name}: takes"));
        let mut waited_for = wanted;
        waited_for["timeout_ms"] = json!(1);
        control.post(&format!("{JOURNAL}/wait"), waited_for).await.refused(&format!("$.{name}: takes"));
    }
}

#[tokio::test]
async fn a_wait_for_a_fault_says_that_it_fired_for_a_poll_that_is_parked() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let rule = json!({"match": {"path": "/events"}, "times": 1, "effect": {"pseudo_localize": true}});
    let id = control.fault(rule).await;
    let expected = json!({"fault": id, "timeout_ms": 1});
    let message = async || {
        let reply = control.post("/worlds/default/journal/wait", expected.clone()).await.with_status(408);
        reply.body["msg"].as_str().expect("a text").to_owned()
    };
    let mel = server.user("mel");
    let mut queue = mel.events(["message"]).await;
    let unfired = message().await;
    assert!(unfired.contains("; 'fault-1' is for ") && unfired.contains(", and has not fired"), "{unfired}");

    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;

    let fired = "; 'fault-1' has fired once, but the journal has 0 of these requests: a parked poll comes into it when it is answered: send an event, or move the clock by a minute";
    let message = message().await;
    assert!(message.ends_with(fired), "{message}");
    server.user("max").send_to("general", "t", "news").await;
    parked.await.expect("answered").success();
    control.post("/worlds/default/journal/wait", expected).await.success();
}

#[tokio::test]
async fn a_wait_for_a_fault_says_that_a_poll_was_parked_before_it() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mut queue = server.user("mel").events(["message"]).await;
    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;
    let message = async |matching: Value| {
        let id = control.fault(json!({"match": matching, "times": 1, "effect": {"gateway": 502}})).await;
        let expected = json!({"fault": id, "timeout_ms": 1});
        let reply = control.post("/worlds/default/journal/wait", expected).await.with_status(408);
        reply.body["msg"].as_str().expect("a text").to_owned()
    };

    let clause = "; a poll that was parked before is not met";
    assert!(message(json!({"path": "/events", "user": "mel"})).await.contains(clause));
    assert!(!message(json!({"path": "/events", "user": "max"})).await.contains(clause));
    assert!(!message(json!({"path": "/messages"})).await.contains(clause));
    parked.abort();
}

#[tokio::test]
async fn a_wait_for_more_requests_than_there_are_says_that_polls_are_parked() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let message = async |expected: Value| {
        let mut expected = expected;
        expected["timeout_ms"] = json!(1);
        let reply = control.post("/worlds/default/journal/wait", expected).await.with_status(408);
        reply.body["msg"].as_str().expect("a text").to_owned()
    };
    let mut queue = server.user("mel").events(["message"]).await;
    let polls = json!({"path": "/events", "exactly": 1});
    assert!(!message(polls.clone()).await.contains("parked"));

    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;

    let note = "; 1 poll is parked: a parked poll comes into the journal when it is answered";
    for expected in [polls.clone(), json!({"exactly": 9}), json!({"user": "mel", "at_least": 9})] {
        let message = message(expected.clone()).await;
        assert!(message.ends_with(note), "{expected}: {message}");
    }
    for expected in [
        json!({"path": "/messages"}),
        json!({"method": "PATCH"}),
        json!({"user": "max"}),
        json!({"path": "/register", "exactly": 0}),
        json!({"fault": "network"}),
    ] {
        let message = message(expected.clone()).await;
        assert!(!message.contains("parked"), "{expected}: {message}");
    }
    let reply = control.post("/worlds/default/journal/verify", polls.clone()).await.with_status(400);
    assert!(reply.body["msg"].as_str().is_some_and(|message| message.ends_with(note)), "{reply}");
    server.user("max").send_to("general", "t", "news").await;
    parked.await.expect("answered").success();
    control.post("/worlds/default/journal/verify", polls).await.success();
}
