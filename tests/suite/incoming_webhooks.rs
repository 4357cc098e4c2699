//! Incoming webhooks: what other services send, as messages.
//!
//! `incoming_webhooks/examples` has payloads in the forms that the services document, each with its messages.

use crate::support::{Reply, TestServer, User};
use serde_json::{Value, json};
use std::path::Path;

const HELLO: &str = r#"{"featured_title": "Goodbye", "featured_url": "https://en.wikipedia.org/wiki/Goodbye"}"#;
const HELLO_TEXT: &str = "Hello! I am happy to be here! :smile:\n\
    The Wikipedia featured article for today is **[Goodbye](https://en.wikipedia.org/wiki/Goodbye)**";
const JSON: (&str, &str) = ("content-type", "application/json");

/// The path of a service with the key of a bot.
fn path(service: &str, bot: &User, query: &str) -> String {
    format!("/api/v1/external/{service}?api_key={}&{query}", bot.credentials().api_key)
}

async fn deliver(server: &TestServer, service: &str, query: &str, body: &str) -> Reply {
    let hook = server.user("hook-bot");
    server.request("POST", &path(service, &hook, query), &[JSON], body).await
}

/// The topics and texts of the next messages of a queue.
async fn received(queue: &mut crate::support::Queue, count: usize) -> Vec<Value> {
    let mut messages = Vec::new();
    for _ in 0..count {
        let event = queue.next().await.0;
        messages.push(json!({"topic": event["message"]["subject"], "content": event["message"]["content"]}));
    }
    messages
}

async fn listen(user: &User) -> crate::support::Queue {
    user.register(json!({"event_types": ["message"], "fetch_event_types": [], "apply_markdown": false})).await
}

/// The direct messages that the notification bot sent to the owner of `hook-bot`.
async fn notices(server: &TestServer) -> Vec<String> {
    let adam = server.user("adam");
    let narrow = json!([{"operator": "dm", "operand": "notification-bot@chat.test"}]);
    let params =
        json!({"narrow": narrow, "anchor": "newest", "num_before": 10, "num_after": 0, "apply_markdown": false});
    let reply = adam.get("/messages", params).await.success();
    let texts = reply["messages"].as_array().into_iter().flatten();
    texts.filter_map(|message| Some(message["content"].as_str()?.to_owned())).collect()
}

#[tokio::test]
async fn payloads_become_the_messages_that_are_documented() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/incoming_webhooks/examples");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("there").map(|file| file.expect("readable").path()).collect();
    files.sort();
    assert!(files.len() >= 20);
    let server = TestServer::start().await;
    let [mel, hook] = server.users(["mel", "hook-bot"]);
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let example: Value = serde_json::from_slice(&std::fs::read(&file).expect("readable")).expect("JSON");
        let mut queue = listen(&mel).await;
        let query = format!("stream=engineering&{}", example["query"].as_str().unwrap_or_default());
        let path = path(example["service"].as_str().expect("a service"), &hook, &query);
        let (body, kind) = match example.get("form") {
            Some(form) => (crate::support::form(form), "application/x-www-form-urlencoded"),
            None => (example["payload"].to_string(), example["content_type"].as_str().unwrap_or("application/json")),
        };
        let mut headers = vec![("content-type", kind)];
        for (header, value) in example["headers"].as_object().into_iter().flatten() {
            headers.push((header, value.as_str().unwrap_or_default()));
        }

        server.request("POST", &path, &headers, &body).await.success();

        let expected = example["messages"].as_array().expect("messages");
        let messages = received(&mut queue, expected.len()).await;
        assert_eq!(&messages, expected, "{name}");
        queue.none().await;
    }
}

#[tokio::test]
async fn a_message_is_the_bots_own_and_names_its_service() {
    let server = TestServer::start().await;
    let [mel, hook] = server.users(["mel", "hook-bot"]);
    let mut queue = listen(&mel).await;

    deliver(&server, "helloworld", "stream=engineering", HELLO).await.success();

    let message = json!({"sender_id": hook.id(), "client": "HelloWorldWebhook", "display_recipient": "engineering"});
    queue.next().await.has(json!({"message": message}));
    let journal =
        server.user("mel").get("/control/worlds/default/journal", json!({"path": "/external/{integration}"})).await;
    let entry = &journal.success()["entries"][0];
    assert_eq!(entry["user"], hook.email());
    assert_eq!((&entry["path"], &entry["params"]["payload"]), (&json!("/external/helloworld"), &json!(HELLO)));
    assert_eq!(entry["params"]["api_key"], "…", "as of other requests, the journal has who sent it and no key");
}

#[tokio::test]
async fn a_dialect_names_the_service_as_its_vendor_does() {
    let server = TestServer::start_with(|options| options.dialect = chatdouble::dialect::Dialect::zulip()).await;
    let mel = server.user("mel");
    let mut queue = listen(&mel).await;

    deliver(&server, "json", "stream=engineering", "{}").await.success();

    assert_eq!(queue.next().await.0["message"]["client"], "ZulipJSONWebhook");
}

#[tokio::test]
async fn without_a_channel_the_owner_gets_the_message() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let mut queue = listen(&adam).await;

    deliver(&server, "helloworld", "topic=ignored", HELLO).await.success();

    let event = queue.next().await.0;
    assert_eq!((&event["message"]["type"], &event["message"]["content"]), (&json!("private"), &json!(HELLO_TEXT)));
}

#[tokio::test]
async fn an_account_without_an_owner_needs_a_channel() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let send = async |query: &str| server.request("POST", &path("helloworld", &mel, query), &[JSON], HELLO).await;

    send("").await.error("BAD_REQUEST", "Missing 'stream' argument: the account has no owner to send messages to");
    send("stream=engineering").await.success();
}

#[tokio::test]
async fn a_channel_is_found_by_name_and_number_and_a_topic_may_be_given() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut queue = listen(&mel).await;

    let by_number = format!("stream={}&topic=Custom%20Topic", server.channel("engineering"));
    deliver(&server, "helloworld", &by_number, HELLO).await.success();
    deliver(&server, "helloworld", "stream=engineering&topic=", HELLO).await.success();

    let expected = ["Custom Topic", ""].map(|topic| json!({"topic": topic, "content": HELLO_TEXT}));
    assert_eq!(received(&mut queue, 2).await, expected);
}

#[tokio::test]
async fn the_owner_learns_of_a_channel_that_does_not_exist() {
    let server = TestServer::start().await;
    let before = notices(&server).await.len();

    deliver(&server, "helloworld", "stream=nonexistent", HELLO).await.success();
    deliver(&server, "helloworld", "stream=nonexistent", HELLO).await.success();
    server.advance(61).await;
    deliver(&server, "helloworld", "stream=99999999999999999999", HELLO).await.success();

    let bot = server.user("hook-bot").email().to_owned();
    assert_eq!(
        notices(&server).await[before..],
        [
            format!(
                "Your bot `{bot}` tried to send a message to channel #**nonexistent**, but that channel does not exist. Click [here](#channels/new) to create it."
            ),
            format!(
                "Your bot `{bot}` tried to send a message to channel ID 99999999999999999999, but there is no channel with that ID."
            ),
        ]
    );
}

#[tokio::test]
async fn patterns_choose_events() {
    let server = TestServer::start().await;
    let [mel, hook] = server.users(["mel", "hook-bot"]);
    let mut queue = listen(&mel).await;
    let build =
        json!({"event": "new", "buildid": 1, "buildername": "b", "url": "http://b.test/", "project": "p"}).to_string();
    for (patterns, is_sent) in [
        (r#"only_events=["new"]"#, true),
        (r#"only_events=["n*","x"]"#, true),
        (r#"only_events=["finished"]"#, false),
        (r#"only_events=[]"#, false),
        (r#"exclude_events=["n?w"]"#, false),
        (r#"exclude_events=["[!n]ew"]"#, true),
        (r#"only_events=["*"]&exclude_events=["new"]"#, false),
    ] {
        let patterns = patterns.replace('"', "%22").replace('[', "%5B").replace(']', "%5D");
        let path = path("buildbot", &hook, &format!("stream=engineering&{patterns}"));
        server.request("POST", &path, &[JSON], &build).await.success();
        if is_sent {
            queue.next().await;
        }
        queue.none().await;
    }
    deliver(&server, "buildbot", "stream=engineering&only_events=new", &build)
        .await
        .error("BAD_REQUEST", "only_events is not valid JSON");
}

#[tokio::test]
async fn branches_and_private_repositories_can_be_left_out() {
    let server = TestServer::start().await;
    let [mel, hook] = server.users(["mel", "hook-bot"]);
    let mut queue = listen(&mel).await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/incoming_webhooks/examples");
    let example: Value =
        serde_json::from_slice(&std::fs::read(folder.join("github_push.json")).expect("there")).expect("JSON");
    let mut payload = example["payload"].clone();
    for (query, is_private, is_sent) in [
        ("branches=main,next", false, true),
        ("branches=next", false, false),
        ("ignore_private_repositories=true", false, true),
        ("ignore_private_repositories=true", true, false),
        ("", true, true),
    ] {
        payload["repository"]["private"] = is_private.into();
        let path = path("github", &hook, &format!("stream=engineering&{query}"));
        server.request("POST", &path, &[JSON, ("x-github-event", "push")], &payload.to_string()).await.success();
        if is_sent {
            queue.next().await;
        }
        queue.none().await;
    }
}

#[tokio::test]
async fn keys_are_checked_as_everywhere() {
    let server = TestServer::start().await;
    let post = async |query: &str| {
        let path = format!("/api/v1/external/helloworld?stream=engineering{query}");
        server.request("POST", &path, &[JSON], HELLO).await
    };

    post("").await.with_status(400).error("REQUEST_VARIABLE_MISSING", "Missing 'api_key' argument");
    post("&api_key=short").await.with_status(401).error("INVALID_API_KEY", "Malformed API key");
    post("&api_key=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
        .await
        .with_status(401)
        .error("INVALID_API_KEY", "Invalid API key");
    let hook = server.user("hook-bot");
    let adam = server.user("adam");
    adam.delete(&format!("/bots/{}", hook.id()), json!({})).await.success();
    post(&format!("&api_key={}", hook.credentials().api_key))
        .await
        .with_status(401)
        .error("USER_DEACTIVATED", "Account is deactivated");
}

#[tokio::test]
async fn other_services_and_methods_are_refused_with_a_hint() {
    let server = TestServer::start().await;
    let hook = server.user("hook-bot");

    let refused = server.request("POST", &path("jenkins", &hook, "stream=engineering"), &[JSON], "{}").await;
    let hint = refused.header("x-chatdouble-hint").unwrap_or_default().to_owned();
    assert!(hint.contains("alertmanager, buildbot, github"), "{hint}");
    assert_eq!(refused.status, 404);
    server
        .request("GET", &path("json", &hook, ""), &[], "")
        .await
        .with_status(405)
        .error("BAD_REQUEST", "Method Not Allowed");
}

#[tokio::test]
async fn the_build_server_that_posts_by_the_api_is_served_too() {
    let server = TestServer::start().await;
    let [mel, hook] = server.users(["mel", "hook-bot"]);
    let mut queue = listen(&mel).await;
    let content = "**Project: **test : **Build: **#1: **SUCCESS** :check_mark:";

    // The plugin of Jenkins has no webhook: it sends a message as its bot.
    let message = json!({"type": "stream", "to": "engineering", "subject": "test", "content": content});
    hook.post("/messages", message).await.success();

    assert_eq!(received(&mut queue, 1).await, [json!({"topic": "test", "content": content})]);
}

#[tokio::test]
async fn a_payload_that_is_none_is_refused_and_nothing_is_sent() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut queue = listen(&mel).await;
    for (service, body, code, message) in [
        ("helloworld", "", "BAD_REQUEST", "Malformed JSON"),
        ("helloworld", "{", "BAD_REQUEST", "Malformed JSON"),
        ("helloworld", "{}", "BAD_REQUEST", "request[\"featured_title\"] is missing"),
        ("helloworld", "[]", "BAD_REQUEST", "request is not a dict"),
        ("helloworld", r#"{"featured_title": 1}"#, "BAD_REQUEST", "request[\"featured_title\"] is not a string"),
        ("json", "[1]", "BAD_REQUEST", "request is not a dict"),
        ("sentry", "[1]", "BAD_REQUEST", "request is not a dict"),
        ("slack", "{", "INVALID_JSON", "Malformed JSON"),
        ("alertmanager", r#"{"alerts": {}}"#, "BAD_REQUEST", "request[\"alerts\"] is not a list"),
        (
            "alertmanager",
            r#"{"alerts": [{"generatorURL": "", "status": "odd"}]}"#,
            "BAD_REQUEST",
            "Invalid request[\"alerts\"][0][\"status\"]",
        ),
        ("buildbot", r#"{"project": "\u0000", "event": "new"}"#, "BAD_REQUEST", "request[\"buildid\"] is missing"),
    ] {
        deliver(&server, service, "stream=engineering", body).await.with_status(400).error(code, message);
    }
    let form = ("content-type", "application/x-www-form-urlencoded");
    let hook = server.user("hook-bot");
    let reply = server.request("POST", &path("slack", &hook, "stream=engineering"), &[form], "text=x").await;
    reply.error("REQUEST_VARIABLE_MISSING", "Missing 'user_name' argument");
    queue.none().await;
}

#[tokio::test]
async fn clients_of_slack_learn_of_refusals_in_their_form() {
    let server = TestServer::start().await;
    let hook = server.user("hook-bot");
    let form = ("content-type", "application/x-www-form-urlencoded");

    let reply = server.request("POST", &path("slack_incoming", &hook, "stream=engineering"), &[form], "").await;
    assert_eq!((reply.status, &reply.body), (400, &json!({"ok": false, "error": "Missing 'payload' argument"})));
    let reply = deliver(&server, "slack_incoming", "stream=engineering", "{").await;
    assert_eq!((reply.status, &reply.body), (400, &json!({"ok": false, "error": "Malformed JSON"})));
    let reply = deliver(&server, "slack_incoming", "stream=engineering", r#"{"text": "Done"}"#).await;
    assert_eq!(reply.success()["ok"], true);
    let reply = deliver(&server, "slack_incoming", "stream=engineering", r#"{"text": null}"#).await;
    assert_eq!(reply.success()["ok"], true);
}

#[tokio::test]
async fn the_owner_learns_of_a_delivery_that_names_no_event() {
    let server = TestServer::start().await;
    let before = notices(&server).await.len();

    let reply = deliver(&server, "github", "stream=engineering", "{}").await.with_status(400);

    let body = reply.error("MISSING_HTTP_EVENT_HEADER", "Missing the HTTP event header 'X-GitHub-Event'");
    assert_eq!(body["header"], "X-GitHub-Event");
    let notice = &notices(&server).await[before];
    assert!(
        notice.starts_with("Hi there!  Your bot Hook Bot just sent an HTTP request to /api/v1/external/github"),
        "{notice}"
    );
}

#[tokio::test]
async fn events_without_a_message_are_no_failure() {
    let server = TestServer::start().await;
    let [mel, hook] = server.users(["mel", "hook-bot"]);
    let mut queue = listen(&mel).await;
    let deliver = async |service: &str, headers: &[(&str, &str)], body: &str| {
        let headers = [&[JSON], headers].concat();
        server.request("POST", &path(service, &hook, "stream=engineering"), &headers, body).await.with_status(200)
    };

    let reply = deliver("github", &[("x-github-event", "deployment")], r#"{"action": "created"}"#).await;
    let message = "The 'deployment:created' event isn't currently supported by the GitHub webhook; ignoring";
    let expected = json!({
        "result": "error", "msg": message, "webhook_name": "GitHub", "event_type": "deployment:created",
        "code": "UNSUPPORTED_WEBHOOK_EVENT_TYPE",
    });
    assert_eq!(reply.body, expected);
    assert_eq!(reply.header("x-chatdouble-hint"), None);
    let reply = deliver("gitlab", &[("x-gitlab-event", "Odd Hook")], "{}").await;
    let message = "The 'Odd Hook' event isn't currently supported by the GitLab webhook; ignoring";
    assert_eq!(reply.body["msg"], message);
    deliver("github", &[("x-github-event", "check_suite")], "{}").await.success();
    let event = r#"{"type": "event_callback", "event": {"type": "message", "user": "U1", "text": "again"}}"#;
    deliver("slack", &[("x-slack-retry-num", "1")], event).await.success();
    queue.none().await;
}

#[tokio::test]
async fn slack_checks_the_address_and_maps_channels() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut queue = listen(&mel).await;
    let check = r#"{"type": "url_verification", "token": "x", "challenge": "3eZbrw1aB"}"#;

    let reply = deliver(&server, "slack", "stream=engineering&slack_app_token=xoxp-1", check).await.success();
    assert_eq!(reply["challenge"], "3eZbrw1aB");
    let configured =
        json!({"topic": "Integration events", "content": "Slack webhook has been successfully configured."});
    assert_eq!(received(&mut queue, 1).await, [configured]);

    let before = notices(&server).await.len();
    let reply = deliver(&server, "slack", "stream=engineering", check).await.success();
    assert_eq!(reply["challenge"], Value::Null);
    assert!(notices(&server).await[before].contains("slack_app_token"));

    let event = r#"{"type": "event_callback", "event": {"type": "message", "channel": "engineering", "user": "U1", "text": "x"}}"#;
    deliver(&server, "slack", "channels_map_to_topics=0&stream=general", event).await.success();
    assert_eq!(queue.next().await.0["message"]["display_recipient"], "engineering");
    deliver(&server, "slack", "channels_map_to_topics=2&stream=general", event)
        .await
        .error("BAD_REQUEST", "Error: channels_map_to_topics parameter other than 0 or 1");
}

#[tokio::test]
async fn a_delivery_makes_no_more_messages_than_the_limit_and_all_of_them_or_none() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut queue = listen(&mel).await;
    let alert = |index: usize| {
        let labels = json!({"alertname": "Down", "instance": format!("web-{index}")});
        json!({"status": "firing", "labels": labels, "generatorURL": "http://p.test/"})
    };
    let many = json!({"alerts": (0..501).map(alert).collect::<Vec<_>>()}).to_string();
    assert!(many.len() > 32 * 1024);

    deliver(&server, "alertmanager", "stream=engineering", &many)
        .await
        .error("BAD_REQUEST", "Too many messages in a payload (limit: 500)");
    let mut bad = alert(1);
    bad["labels"]["instance"] = "a\u{0}".into();
    let body = json!({"alerts": [alert(0), bad]}).to_string();
    deliver(&server, "alertmanager", "stream=engineering", &body)
        .await
        .error("BAD_REQUEST", "Invalid character in topic, at position 2!");

    queue.none().await;
}

#[tokio::test]
async fn a_large_payload_is_taken_from_those_who_may_send_one() {
    let server = TestServer::start().await;
    let large = json!({"text": "x".repeat(100_000)}).to_string();

    deliver(&server, "json", "stream=engineering", &large).await.success();
    let path = "/api/v1/external/json?api_key=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    server.request("POST", path, &[JSON], &large).await.error("INVALID_API_KEY", "Invalid API key");
}

#[tokio::test]
async fn refusals_of_messages_are_those_of_sending() {
    let server = TestServer::start().await;
    let bot = server.user("build-bot");
    let text = json!({"text": "a\u{0}b"}).to_string();
    for (service, query, body, message) in [
        ("helloworld", "stream=%20", HELLO, "Channel name can't be empty."),
        ("helloworld", "stream=leadership", HELLO, "Not authorized to send to channel 'leadership'"),
        ("helloworld", "stream=announcements", HELLO, "You do not have permission to post in this channel."),
        ("helloworld", "stream=engineering&topic=a%00b", HELLO, "Invalid character in topic, at position 2!"),
    ] {
        let reply = server.request("POST", &path(service, &bot, query), &[JSON], body).await;
        reply.error("BAD_REQUEST", message);
    }
    let reply = deliver(&server, "slack_incoming", "stream=engineering", &text).await;
    assert_eq!((reply.status, &reply.body["error"]), (400, &json!("Message must not contain null bytes")));
}

#[tokio::test]
async fn faults_networks_and_the_report_know_the_bot_by_its_key() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let fault = json!({"match": {"path": "/external/{integration}", "user": "hook-bot"}, "effect": {"error": {"status": 503, "code": "BAD_REQUEST", "msg": "Later"}}});
    let reply =
        mel.send("POST", "/control/worlds/default/faults", &fault, fault.to_string().into_bytes(), Some(JSON.1)).await;
    reply.success();

    assert_eq!(deliver(&server, "helloworld", "stream=engineering", HELLO).await.status, 503);

    let report = mel.get("/control/worlds/default/report", json!({})).await.success();
    let of_bot = report["clients"].as_array().into_iter().flatten().filter(|one| one["user"] == "hook-bot@chat.test");
    let rules: Vec<&Value> =
        of_bot.flat_map(|client| client["findings"].as_array().into_iter().flatten()).map(|one| &one["rule"]).collect();
    assert!(
        !rules
            .iter()
            .any(|rule| ["json-body", "secret-in-query", "split-parameters"]
                .contains(&rule.as_str().unwrap_or_default())),
        "{rules:?}"
    );
}
