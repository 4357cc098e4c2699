//! Faults: what the client sees, what was carried out, which users a rule applies to and how it counts.

use super::{Control, exchange};
use crate::support::{Reply, TestServer};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const FAULTS: &str = "/worlds/default/faults";

/// Whether the newest message of the realm has this text.
async fn is_newest(server: &TestServer, text: &str) -> bool {
    let realm = server.server().world("default").snapshot();
    realm.messages.values().next_back().is_some_and(|message| message.body.content == text)
}

const SENDING: &str = "POST /api/v1/messages";

fn message(text: &str) -> String {
    format!("type=channel&to=general&topic=t&content={text}")
}

#[tokio::test]
async fn rules_are_listed_counted_and_removed() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let rule = json!({"match": {"method": "GET", "path": "/users/{user_id}", "user": "mel@chat.test"}, "after": 1,
        "times": 1, "effect": {"garbage": true}});
    let id = control.fault(rule.clone()).await;
    let mel = server.user("mel");
    for _ in 0..4 {
        let _ = mel.get(&format!("/users/{}", mel.id()), json!({})).await;
    }

    let mut expected = rule;
    expected["fault_id"] = id.as_str().into();
    expected["passed"] = 1.into();
    expected["fired"] = 1.into();
    assert_eq!(control.get(FAULTS).await.success(), json!({"faults": [expected]}));
    control.delete(&format!("{FAULTS}/{id}")).await.is(json!({}));
    control
        .delete(&format!("{FAULTS}/{id}"))
        .await
        .with_status(404)
        .error("BAD_REQUEST", "There is no fault 'fault-1'; this world has none");
    control.fault(json!({"effect": {"garbage": true}})).await;
    control.delete(FAULTS).await.is(json!({}));
    assert_eq!(control.get(FAULTS).await.success(), json!({"faults": []}));
}

#[tokio::test]
async fn what_is_no_rule_is_refused() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let garbage = json!({"garbage": true});
    for (rule, part) in [
        (json!({}), "effect"),
        (json!([]), "$"),
        (json!({"effect": {}}), "$.effect"),
        (json!({"effect": {"garbage": true, "delay_ms": 1}}), "lose_queue and events, not garbage and delay_ms"),
        (json!({"effect": {"explode": true}}), "$.effect.explode"),
        (json!({"effect": {"drp": "after"}}), "the nearest is 'drop'"),
        (
            json!({"effect": {"status": 500}}),
            "$.effect.status: is a key of the effect `error`: {\"error\":{\"status\":500}}",
        ),
        (json!({"effect": {"garbage": false}}), "$.effect.garbage: takes true, not false"),
        (json!({"effect": {"gateway": 200}}), "$.effect.gateway: takes an HTTP status from 400 to 599, not 200"),
        (json!({"effect": {"lose_queue": 1}}), "$.effect.lose_queue: takes true, not 1"),
        (json!({"effect": {"drop": "during"}}), "$.effect.drop: takes before or after, not 'during'; the nearest is '"),
        (json!({"effect": {"drop": true}}), "$.effect.drop: takes before or after, not true"),
        (json!({"effect": {"drop": "after", "retries": 1}}), "$.effect.retries: takes true or false, not 1"),
        (json!({"effect": {"drop": "x".repeat(1000)}}), "xxx…"),
        (
            json!({"effect": {"delay_ms": -1}}),
            "$.effect.delay_ms: takes a whole number of milliseconds from 0 to 3600000, an hour, not -1",
        ),
        (json!({"effect": {"delay_ms": 3_600_001}}), "3600000, an hour, not 3600001"),
        (json!({"effect": {"delay_ms": "1"}}), "$.effect.delay_ms"),
        (json!({"effect": {"truncate_at": 1.5}}), "$.effect.truncate_at"),
        (json!({"effect": {"bouncer": "moody"}}), "admin_action_required, not 'moody'; the nearest is"),
        (json!({"effect": {"events": "repeet"}}), "one_by_one or unknown, not 'repeet'; the nearest is 'repeat'"),
        (json!({"effect": {"rate_limit": {}}}), "$.effect.rate_limit"),
        (json!({"effect": {"rate_limit": {"retry_after": -1}}}), r#"or a span such as 1m30s, not {"retry_after":-1}"#),
        (json!({"effect": {"rate_limit": {"retry_after": "-5"}}}), "$.effect.rate_limit"),
        (json!({"effect": {"rate_limit": {"retry_after": 1, "x": 1}}}), "$.effect.rate_limit"),
        (json!({"effect": {"error": 503}}), "$.effect.error: takes an object with status, and optionally"),
        (json!({"effect": {"error": {"code": "X"}}}), "$.effect.error: `status` is missing"),
        (
            json!({"effect": {"error": {"status": 399}}}),
            "$.effect.error.status: takes an HTTP status from 400 to 599, not 399",
        ),
        (json!({"effect": {"error": {"status": 600, "code": "X", "msg": ""}}}), "$.effect.error.status"),
        (
            json!({"effect": {"error": {"status": "503"}}}),
            r#"$.effect.error.status: takes an HTTP status from 400 to 599, not "503""#,
        ),
        (json!({"effect": {"error": {"status": 400, "code": 7}}}), "$.effect.error.code: takes a text, not 7"),
        (json!({"effect": {"error": {"status": 400, "msg": ["x"]}}}), r#"$.effect.error.msg: takes a text, not ["x"]"#),
        (json!({"effect": {"error": {"status": 400, "result": "success"}}}), "$.effect.error.result: takes error"),
        (json!({"effect": garbage, "match": {"path": "/nope"}}), "$.match.path"),
        (json!({"effect": garbage, "match": {"path": "/users/4"}}), "$.match.path"),
        (json!({"effect": garbage, "match": {"method": "get"}}), "$.match.method"),
        (json!({"effect": garbage, "match": {"usr": "x"}}), "usr"),
        (json!({"effect": garbage, "match": {"user": 4}}), "$.match.user: takes a text, not 4"),
        (json!({"effect": garbage, "after": -1}), "$.after"),
        (json!({"effect": garbage, "times": 0}), "$.times: takes a number from 1 on, not 0"),
        (json!({"effect": garbage, "probability": 1.5}), "$.probability: takes a number from 0 to 1, not 1.5"),
        (json!({"effect": garbage, "probability": "1"}), "$.probability"),
        (json!({"effect": garbage, "count": 1}), "count"),
    ] {
        control.post(FAULTS, rule).await.refused(part);
    }
    assert_eq!(control.get(FAULTS).await.success(), json!({"faults": []}));
}

#[tokio::test]
async fn a_drop_before_has_done_nothing_and_a_drop_after_has() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (when, is_done) in [("before", false), ("after", true)] {
        let id = control.fault(json!({"times": 1, "effect": {"drop": when}})).await;

        assert_eq!(exchange(&server, SENDING, &message(when)).await, "", "{when}");

        assert_eq!(is_newest(&server, when).await, is_done, "{when}");
        let entries = control.get("/worlds/default/journal?limit=1").await.success()["entries"].clone();
        assert_eq!((&entries[0]["status"], &entries[0]["fault"]), (&json!(0), &json!(id)));
        assert_eq!(entries[0]["events"].as_array().map(Vec::is_empty), Some(!is_done));
    }
}

#[tokio::test]
async fn a_truncated_body_has_its_full_length_in_the_head() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for bytes in [0, 10, 1_000_000] {
        let id = control.fault(json!({"times": 1, "effect": {"truncate_at": bytes}})).await;

        let reply = exchange(&server, SENDING, &message(&format!("cut-{bytes}"))).await;

        let (head, body) = reply.split_once("\r\n\r\n").expect("a head");
        let length: usize = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .and_then(|length| length.parse().ok())
            .expect("a length");
        assert!(head.starts_with("HTTP/1.1 200") && head.contains(&format!("x-chatdouble-fault: {id}")), "{head}");
        assert!(is_newest(&server, &format!("cut-{bytes}")).await);
        assert!(length > 30);
        assert_eq!(body.len(), length.min(bytes), "{body}");
    }
}

#[tokio::test]
async fn a_gateways_page_has_its_status_and_nothing_is_done() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let id = control.fault(json!({"times": 1, "effect": {"gateway": 502}})).await;
    let mel = server.user("mel");

    let reply =
        mel.post("/messages", json!({"type": "channel", "to": "general", "topic": "t", "content": "lost"})).await;

    assert_eq!((reply.status, reply.header("x-chatdouble-fault")), (502, Some(id.as_str())));
    assert!(reply.body.is_null() && reply.header("content-type").is_some_and(|kind| kind.starts_with("text/html")));
    assert!(String::from_utf8_lossy(&reply.bytes).contains("<h1>502 Bad Gateway</h1>"), "{reply}");
    assert!(!is_newest(&server, "lost").await);
}

#[tokio::test]
async fn garbage_is_a_proxys_page_and_the_request_was_carried_out() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let id = control.fault(json!({"times": 1, "effect": {"garbage": true}})).await;
    let mel = server.user("mel");

    let reply =
        mel.post("/messages", json!({"type": "channel", "to": "general", "topic": "t", "content": "done"})).await;

    assert_eq!((reply.status, reply.header("x-chatdouble-fault")), (200, Some(id.as_str())));
    assert!(reply.body.is_null() && reply.header("content-type").is_some_and(|kind| kind.starts_with("text/html")));
    assert!(is_newest(&server, "done").await);
}

#[tokio::test]
async fn a_delay_holds_the_reply_back_and_not_the_deed() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    control.fault(json!({"match": {"method": "POST", "path": "/messages"}, "effect": {"delay_ms": 400}})).await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut heard = max.events(["message"]).await;
    let begun = Instant::now();
    let direct = max.id();
    let sending = tokio::spawn(async move { mel.send_direct(&[direct], "at once").await });

    heard.wait().await.success();
    assert!(begun.elapsed() < Duration::from_millis(300), "{:?}", begun.elapsed());
    assert!(!sending.is_finished());
    heard.next().await.has(json!({"type": "message"}));
    sending.await.expect("sent");

    assert!(begun.elapsed() >= Duration::from_millis(400), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_client_that_gives_up_waiting_is_in_the_journal_all_the_same() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    control.fault(json!({"match": {"path": "/messages", "method": "POST"}, "effect": {"delay_ms": 60_000}})).await;
    let impatient = exchange(&server, SENDING, "type=channel&to=general&topic=t&content=given-up");
    let given_up = tokio::time::timeout(Duration::from_millis(100), impatient).await;
    assert!(given_up.is_err());

    let sent = json!({"method": "POST", "path": "/messages", "params": {"content": "given-up"}});
    let given_up = json!({"path": "/messages", "status": 0, "timeout_ms": 5_000});
    control.post("/worlds/default/journal/wait", given_up).await.is(json!({"count": 1}));
    control.post("/worlds/default/journal/verify", sent).await.is(json!({"count": 1}));
}

#[tokio::test]
async fn an_error_has_its_further_keys_and_nothing_was_done() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let effect = json!({"error": {"status": 503, "code": "MAINTENANCE", "msg": "Back soon", "until": 5, "by": ["x"]}});
    let id = control.fault(json!({"times": 1, "effect": effect})).await;

    let params = json!({"type": "channel", "to": "general", "topic": "t", "content": "undone"});
    let reply = server.user("mel").post("/messages", params).await;

    assert_eq!((reply.status, reply.header("x-chatdouble-fault")), (503, Some(id.as_str())));
    let body = json!({"result": "error", "msg": "Back soon", "until": 5, "by": ["x"], "code": "MAINTENANCE"});
    assert_eq!(reply.body, body);
    assert!(!is_newest(&server, "undone").await);
}

#[tokio::test]
async fn a_rate_limit_says_when_to_come_again_in_body_and_header() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for retry_after in [json!(7), json!(2.5)] {
        control.fault(json!({"times": 1, "effect": {"rate_limit": {"retry_after": retry_after}}})).await;

        let reply = server.user("mel").get("/users/me", json!({})).await.with_status(429);

        assert_eq!(reply.header("retry-after"), Some(retry_after.to_string().as_str()));
        let reset = 1_767_268_800 + retry_after.as_f64().map_or(0, |seconds| seconds.ceil() as i64);
        let limits = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"].map(|name| reply.header(name));
        assert_eq!(limits, [Some("2000"), Some("0"), Some(reset.to_string().as_str())]);
        let body = reply.error("RATE_LIMIT_HIT", "API usage exceeded rate limit");
        assert_eq!(body["retry-after"], retry_after, "{body}");
    }
}

#[tokio::test]
async fn losing_queues_takes_all_of_the_caller_and_no_others() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    let (one, two, mut others) =
        (mel.events(["message"]).await, mel.events(["typing"]).await, max.events(["message"]).await);
    control.fault(json!({"times": 1, "match": {"path": "/users/me"}, "effect": {"lose_queue": true}})).await;

    let reply = mel.get("/users/me", json!({})).await;
    assert!(reply.header("x-chatdouble-fault").is_some());
    reply.success();

    for queue in [one, two] {
        let params = json!({"queue_id": queue.id, "last_event_id": -1, "dont_block": true});
        mel.get("/events", params).await.error("BAD_EVENT_QUEUE_ID", &format!("Bad event queue ID: {}", queue.id));
    }
    others.none().await;
}

#[tokio::test]
async fn a_queue_that_is_lost_by_its_own_poll_fails_that_poll() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut queue = mel.events(["message"]).await;
    Control::of(&server).fault(json!({"match": {"path": "/events"}, "effect": {"lose_queue": true}})).await;

    let reply = queue.wait().await;

    reply.error("BAD_EVENT_QUEUE_ID", &format!("Bad event queue ID: {}", queue.id));
}

#[tokio::test]
async fn a_poll_that_a_rule_met_is_in_the_journal_when_its_client_gives_up() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let queue = mel.events(["message"]).await;
    let id = control.fault(json!({"match": {"path": "/events"}, "times": 1, "effect": {"garbage": true}})).await;
    let poll = format!("GET /api/v1/events?queue_id={}&last_event_id=-1", queue.id);
    tokio::select! {
        reply = exchange(&server, &poll, "") => panic!("nothing is pending: {reply}"),
        () = server.until_parked(1) => {}
    }

    let met = json!({"fault": id, "user": "mel", "path": "/events", "status": 0, "exactly": 1, "timeout_ms": 5000});
    control.post("/worlds/default/journal/wait", met).await.success();

    // Without a fault there is none, and a failed assertion says why.
    tokio::select! {
        reply = exchange(&server, &poll, "") => panic!("nothing is pending: {reply}"),
        () = server.until_parked(1) => {}
    }
    control.post("/worlds/default/journal/verify", json!({"path": "/events", "exactly": 1})).await.success();
    server.until_parked(0).await;
    let missing = json!({"path": "/events", "user": "mel", "at_least": 2});
    let reply = control.post("/worlds/default/journal/verify", missing).await;
    let message = reply.body["msg"].as_str().expect("a text");
    assert!(
        message.contains("; 1 poll was given up by the client, after 0.") && message.ends_with("into the journal"),
        "{reply}"
    );

    // A poll that waits does not hide it.
    let verified = async {
        server.until_parked(1).await;
        control.post("/worlds/default/journal/verify", json!({"path": "/events", "user": "mel", "at_least": 2})).await
    };
    tokio::select! {
        reply = exchange(&server, &poll, "") => panic!("nothing is pending: {reply}"),
        reply = verified => {
            let message = reply.body["msg"].as_str().expect("a text");
            assert!(message.contains("; 1 poll is parked: ") && message.contains("; 1 poll was given up"), "{reply}");
        }
    }
}

#[tokio::test]
async fn a_rule_is_for_the_users_it_names() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let rule = json!({"match": {"method": "GET", "path": "/users/{user_id}", "user": "MEL@chat.test"},
        "effect": {"garbage": true}});
    control.fault(rule).await;
    let [mel, max] = server.users(["mel", "max"]);
    let is_marked = |reply: Reply| reply.header("x-chatdouble-fault").is_some();
    let path = format!("/users/{}", max.id());

    assert!(is_marked(mel.get(&path, json!({})).await));
    assert!(!is_marked(max.get(&path, json!({})).await), "another user");
    assert!(!is_marked(mel.get("/users/me", json!({})).await), "another operation");
    assert!(!is_marked(mel.get("/users", json!({})).await), "another operation");
    assert!(!is_marked(server.anonymous().get(&path, json!({})).await), "nobody");
    control.delete(FAULTS).await.success();
    control.fault(json!({"effect": {"garbage": true}})).await;
    assert!(is_marked(server.anonymous().get("/no/such/path", json!({})).await), "every API request");
    assert!(!is_marked(mel.get("/control/health", json!({})).await), "control is none");
    let elsewhere = control.post("/worlds", json!({})).await.success();
    assert!(!is_marked(super::user_in(&server, &elsewhere, "mel").get("/users/me", json!({})).await), "another world");
}

#[tokio::test]
async fn the_first_rule_that_fires_applies_alone_and_rules_count() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let error = |code: &str| json!({"error": {"status": 400, "code": code, "msg": ""}});
    control.fault(json!({"after": 1, "times": 2, "effect": error("FIRST")})).await;
    control.fault(json!({"times": 2, "effect": error("SECOND")})).await;
    let mut codes = Vec::new();
    for _ in 0..5 {
        let reply = server.user("mel").get("/users/me", json!({})).await;
        codes.push(reply.body["code"].as_str().unwrap_or("-").to_owned());
    }

    assert_eq!(codes, ["SECOND", "FIRST", "FIRST", "SECOND", "-"]);
    let faults = control.get(FAULTS).await.success()["faults"].clone();
    let counts = |index: usize| (faults[index]["passed"].clone(), faults[index]["fired"].clone());
    assert_eq!((counts(0), counts(1)), ((json!(1), json!(2)), (json!(0), json!(2))));
}

#[tokio::test]
async fn a_flaky_network_is_replayed_from_its_seed() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mut played: Vec<Vec<bool>> = Vec::new();
    for seed in [11, 11, 12] {
        let world = control.post("/worlds", json!({"seed": seed})).await.success();
        let faults = format!("/worlds/{}/faults", world["name"].as_str().expect("a name"));
        let rule = json!({"probability": 0.5, "effect": {"error": {"status": 502, "code": "X", "msg": ""}}});
        control.post(&faults, rule).await.success();
        let mel = super::user_in(&server, &world, "mel");
        let mut run = Vec::new();
        for _ in 0..40 {
            run.push(mel.get("/server_settings", json!({})).await.status == 502);
        }
        let counted: Value = control.get(&faults).await.success()["faults"][0].clone();
        let fired = run.iter().filter(|failed| **failed).count();
        assert_eq!((&counted["fired"], &counted["passed"]), (&json!(fired), &json!(40 - fired)));
        played.push(run);
    }

    assert_eq!(played[0], played[1]);
    assert_ne!(played[0], played[2]);
    assert!(played[0].contains(&true) && played[0].contains(&false));
}

#[tokio::test]
async fn a_bouncer_rule_leaves_other_operations_alone() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    control.fault(json!({"effect": {"bouncer": "unreachable"}})).await;

    let reply = server.user("mel").get("/users/me", json!({})).await;

    assert_eq!(reply.header("x-chatdouble-fault"), None);
    reply.success();
    let listed = control.get(FAULTS).await.success()["faults"][0].clone();
    assert_eq!((&listed["passed"], &listed["fired"]), (&json!(0), &json!(0)));
}

#[tokio::test]
async fn a_path_whose_part_may_hold_slashes_is_named_as_it_is_documented() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    for (path, method, asked) in
        [("/navigation_views/{fragment}", "PATCH", "/navigation_views/narrow/is/starred"), ("/tus", "POST", "/tus")]
    {
        let id = control.fault(json!({"match": {"path": path}, "times": 1, "effect": {"garbage": true}})).await;
        let body = "is_pinned=true".as_bytes().to_vec();
        let reply = mel.send(method, asked, &Value::Null, body, Some("application/x-www-form-urlencoded")).await;
        assert_eq!(reply.header("x-chatdouble-fault"), Some(id.as_str()), "{path}");
        let journal = control.get(&format!("/worlds/default/journal?path={path}")).await.success();
        assert_eq!(journal["entries"].as_array().map(Vec::len), Some(1), "{path}");
        let wanted = json!({"path": path, "exactly": 1});
        control.post("/worlds/default/journal/verify", wanted).await.success();
    }
}

#[tokio::test]
async fn a_rule_whose_match_is_null_holds_for_every_request() {
    let server = TestServer::start().await;
    let control = Control::of(&server);

    control.fault(json!({"match": null, "after": null, "times": 1, "effect": {"garbage": true}})).await;

    let reply = server.user("mel").get("/users/me", json!({})).await;
    assert_eq!(reply.header("x-chatdouble-fault"), Some("fault-1"));
}

#[tokio::test]
async fn a_rule_for_a_user_without_an_address_can_never_fire_and_is_refused() {
    let server = TestServer::start().await;
    let control = Control::of(&server);

    control.post(FAULTS, json!({"match": {"user": ""}, "effect": {"garbage": true}})).await.refused("$.match.user");

    assert_eq!(control.get(FAULTS).await.success()["faults"], json!([]));
}

#[tokio::test]
async fn an_error_without_code_and_message_is_the_usual_one_of_its_status() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (status, code, message) in [
        (400, "BAD_REQUEST", "Bad Request"),
        (401, "UNAUTHORIZED", "Not logged in: API authentication or user session required"),
        (403, "BAD_REQUEST", "Forbidden"),
        (404, "BAD_REQUEST", "Unknown path"),
        (405, "BAD_REQUEST", "Method Not Allowed"),
        (429, "RATE_LIMIT_HIT", "API usage exceeded rate limit"),
        (500, "INTERNAL_ERROR", "Internal server error"),
        (502, "INTERNAL_ERROR", "Bad Gateway"),
        (503, "INTERNAL_ERROR", "Service Unavailable"),
        (599, "INTERNAL_ERROR", "Error"),
    ] {
        control.fault(json!({"times": 1, "effect": {"error": {"status": status}}})).await;

        let reply = server.user("mel").get("/users/me", json!({})).await;

        let expected = json!({"result": "error", "msg": message, "code": code});
        assert_eq!((reply.status, &reply.body), (status, &expected));
    }
    control.fault(json!({"times": 1, "effect": {"error": {"status": 503, "msg": null, "code": "X", "more": 1}}})).await;
    let reply = server.user("mel").get("/users/me", json!({})).await;
    let expected = json!({"result": "error", "msg": "Service Unavailable", "more": 1, "code": "X"});
    assert_eq!((reply.status, &reply.body), (503, &expected));
}
