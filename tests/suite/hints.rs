//! Hints of refusals: the nearest operation, parameter, role or name of the dialect.

use crate::support::TestServer;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

#[tokio::test]
async fn an_unknown_path_gets_the_nearest_operation() {
    let server = TestServer::start().await;

    let reply = server.request("GET", "/api/v1/mesages", &[], "").await;

    assert_eq!(reply.header("x-chatdouble-hint"), Some("The nearest operation is GET /api/v1/messages."));
    reply.with_status(404).error("BAD_REQUEST", "Unknown path");
    for path in ["/", "/api/v1", "/api/v1/", "/api/v2/users", "/api/v1/users/", "/favicon.ico", "/api/v1/messages/abc"]
    {
        server.request("GET", path, &[], "").await.with_status(404).error("BAD_REQUEST", "Unknown path");
    }
}

#[tokio::test]
async fn a_wrong_method_gets_the_right_ones_before_credentials_are_checked() {
    let server = TestServer::start().await;

    let reply = server.request("PUT", "/api/v1/messages", &[], "").await;

    assert_eq!(reply.header("allow"), Some("GET, POST, HEAD"));
    let body = reply.with_status(405).error("BAD_REQUEST", "Method Not Allowed");
    assert_eq!(body["allowed_methods"], json!(["GET", "POST", "HEAD"]));
}

#[tokio::test]
async fn a_path_outside_the_api_hints_at_where_the_api_is() {
    let server = TestServer::start().await;
    for (path, hint) in [
        ("/", "The API is below /api/v1, control below /control; a browser gets the console here."),
        (
            "/messages",
            "The API is below /api/v1, control below /control; the nearest operation is GET /api/v1/messages.",
        ),
        ("/contol/worlds", "The API is below /api/v1, control below /control: did you mean /control/worlds?"),
    ] {
        let reply = server.request("GET", path, &[], "").await;
        assert_eq!((reply.status, reply.header("x-chatdouble-hint")), (404, Some(hint)), "{path}");
    }
}

#[tokio::test]
async fn a_refusal_hints_at_the_parameter_or_the_role_that_it_takes() {
    let server = TestServer::start().await;
    let [adam, mel, max] = server.users(["adam", "mel", "max"]);
    let named = |sent: &str, meant: &str| format!("'{sent}' was sent; the parameter is called '{meant}'.");
    let message = json!({"type": "channel", "to": "general", "topics": "x", "content": "x"});
    let notice = json!({"type": "channel", "to": "announcements", "topic": "x", "content": "x"});

    for (reply, hint) in [
        (mel.post("/messages", message).await, named("topics", "topic")),
        (mel.get("/events", json!({"queueid": "x"})).await, named("queueid", "queue_id")),
        (mel.post("/users/me/status", json!({"status_txt": "x"})).await, named("status_txt", "status_text")),
        (adam.delete("/users/1", json!({})).await, "This requires an owner (olive@chat.test).".to_owned()),
        (
            max.delete("/streams/2", json!({})).await,
            "Allowed for administrators and members of the channel's can_administer_channel_group.".to_owned(),
        ),
        (
            mel.post("/messages", notice).await,
            "Allowed for members of the channel's can_send_message_group; for nobody in an archived channel.".to_owned(),
        ),
        (
            max.patch("/user_groups/9", json!({"description": "x"})).await,
            "This requires a role or permission that this member lacks; an owner (olive@chat.test) has most permissions.".to_owned(),
        ),
    ] {
        assert_eq!(reply.status, 400, "{reply}");
        assert_eq!(reply.header("x-chatdouble-hint"), Some(hint.as_str()), "{reply}");
    }
}

#[tokio::test]
async fn a_misspelt_name_gets_the_nearest_that_the_caller_may_know_of() {
    let server = TestServer::start().await;
    let [adam, mel, gus] = server.users(["adam", "mel", "gus"]);
    let nobody = server.anonymous();
    let to = |kind: &str, to: &str| json!({"type": kind, "to": to, "topic": "x", "content": "x"});
    let channel = |name: &str| Some(format!("The nearest channel that the caller can see is '{name}'."));
    let address = |name: &str| Some(format!("The nearest address that the caller can see is {name}."));
    let own = |name: &str| Some(format!("The server does not know 'me' here: send the caller's own address, {name}."));
    let account = |name: &str| Some(format!("The nearest account is {name}; GET /dev_list_users lists them."));
    let narrow = |operator: &str, operand: &str| {
        json!({"anchor": "newest", "num_before": 1, "num_after": 0,
        "narrow": [{"operator": operator, "operand": operand}]})
    };
    let anchor = || Some("anchor takes a message id, newest, oldest or first_unread.".to_owned());
    let keyed = |username: &str| json!({"username": username});
    for (reply, hint) in [
        (mel.post("/messages", to("channel", "enginering")).await, channel("engineering")),
        (mel.post("/messages", to("direct", "maxx@chat.test")).await, address("max@chat.test")),
        (mel.post("/messages", to("direct", "maxx")).await, address("max@chat.test")),
        (mel.get("/get_stream_id", json!({"stream": "enginering"})).await, channel("engineering")),
        (mel.get("/messages", narrow("channel", "enginering")).await, channel("engineering")),
        (mel.get("/messages", narrow("sender", "maxx@chat.test")).await, address("max@chat.test")),
        (mel.get("/messages", narrow("sender", "me")).await, own("mel@chat.test")),
        (mel.get("/users/maxx@chat.test", json!({})).await, address("max@chat.test")),
        (mel.get("/messages", json!({"anchor": "newst", "num_before": 1, "num_after": 0})).await, anchor()),
        (nobody.post("/dev_fetch_api_key", keyed("mell@chat.test")).await, account("mel@chat.test")),
        (
            nobody.post("/dev_fetch_api_key", keyed("mel")).await,
            account("mel@chat.test").map(|hint| format!("username takes an address. {hint}")),
        ),
        // One letter is nearer than two, and a shared host makes no two addresses alike.
        (mel.post("/messages", to("direct", "mox@chat.test")).await, address("max@chat.test")),
        (mel.get("/users/mox@chat.test", json!({})).await, address("max@chat.test")),
        (mel.post("/messages", to("direct", "mox")).await, address("max@chat.test")),
        (nobody.post("/dev_fetch_api_key", keyed("mox@chat.test")).await, account("max@chat.test")),
        (mel.post("/messages", to("direct", "zzzzzz@chat.test")).await, None),
        // What the caller can't see is not named.
        (adam.post("/messages", to("channel", "leadershp")).await, channel("leadership")),
        (mel.post("/messages", to("channel", "leadershp")).await, None),
        (gus.post("/messages", to("channel", "enginering")).await, None),
        (gus.post("/messages", to("channel", "zzzzz")).await, None),
    ] {
        assert!(reply.status >= 400, "{reply}");
        assert_eq!(reply.header("x-chatdouble-hint"), hint.as_deref(), "{reply}");
    }
}

#[tokio::test]
async fn what_is_like_nothing_gets_no_nearest() {
    let server = TestServer::start().await;
    let list = "No operation has a path like this; GET /control/openapi.json lists them.";
    for (path, hint) in [
        ("/api/v1/foo", list),
        ("/api/v1/foo/bar", list),
        ("/foo", "The API is below /api/v1, control below /control."),
        ("/api/v1/user", "The nearest operation is GET /api/v1/users."),
        ("/api/v1/api/v1/user", "The path has /api/v1 more than once. The nearest operation is GET /api/v1/users."),
        ("/w/zzz/api/v1/users", "There is no world 'zzz'; GET /control/worlds lists those that there are."),
        ("/w/defualt/api/v1/users", "There is no world 'defualt'; the nearest is 'default'."),
    ] {
        let reply = server.request("GET", path, &[], "").await;
        assert_eq!(reply.header("x-chatdouble-hint"), Some(hint), "{path}");
    }
}

#[tokio::test]
async fn operations_of_older_servers_that_are_not_served_are_known() {
    let server = TestServer::start().await;

    for (method, path, status) in [
        ("GET", "/users/me/pointer", 404),
        ("POST", "/users/me/hotspots", 404),
        ("POST", "/users/me/tutorial_status", 404),
        ("GET", "/realm/filters", 405),
    ] {
        let reply = server.request(method, &format!("/api/v1{path}"), &[], "").await.with_status(status);

        let hint = format!("Older servers have {method} {path}; chatdouble does not serve it at any feature level.");
        assert_eq!(reply.header("x-chatdouble-hint"), Some(&*hint));
    }
}

#[tokio::test]
async fn a_value_that_is_refused_gets_the_form_or_the_values_that_its_parameter_takes() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let message = json!({"type": "strem", "to": "general", "topic": "x", "content": "x"});
    let narrow = json!({"anchor": "newest", "num_before": "one", "num_after": 0});
    let scheduled = |to: &str| json!({"type": "channel", "to": to, "topic": "x", "content": "x", "scheduled_delivery_timestamp": 4_000_000_000_i64});
    for (reply, hint) in [
        (
            mel.post("/register", json!({"event_types": "message"})).await,
            "event_types takes a list in JSON, such as [\"message\"].",
        ),
        (
            mel.post("/messages", message).await,
            "type takes one of: channel, stream, direct, private; the nearest is stream.",
        ),
        (mel.get("/messages", narrow).await, "num_before takes a whole number."),
        (
            mel.post("/messages/flags", json!({"messages": "1,2", "op": "add", "flag": "read"})).await,
            "messages takes a list in JSON, such as [1,2].",
        ),
        (
            mel.post("/scheduled_messages", scheduled("general")).await,
            "to takes an ID here; that of the channel 'general' is 1.",
        ),
        (
            mel.post("/scheduled_messages", scheduled("mel@chat.test")).await,
            "to takes an ID here; that of mel@chat.test is 4.",
        ),
        (mel.post("/scheduled_messages", scheduled("leadership")).await, "to takes a whole number or a list in JSON."),
        (
            mel.post("/typing", json!({"type": "stream", "op": "start", "stream_id": "x", "topic": "x"})).await,
            "stream_id takes a whole number.",
        ),
    ] {
        assert_eq!((reply.status, reply.header("x-chatdouble-hint")), (400, Some(hint)), "{reply}");
    }
}

#[tokio::test]
async fn a_hidden_channel_differs_in_the_hint_from_one_that_does_not_exist() {
    let server = TestServer::start().await;
    let (max, olive) = (server.user("max"), server.user("olive"));
    let streams = olive.get("/streams", json!({"include_all": true})).await.success();
    let streams = streams["streams"].as_array().expect("a list").clone();
    let leadership = streams.iter().find(|stream| stream["name"] == "leadership").expect("a private channel");
    let id = leadership["stream_id"].as_i64().expect("an ID");
    let message = |to: i64| json!({"type": "channel", "to": to, "topic": "x", "content": "x"});
    let hidden = format!(
        "Channel {id} exists, but max@chat.test can't see it. A real server would refuse with its name (A-452)."
    );
    for (to, hint) in [(id, hidden.as_str()), (999, "No channel has the ID 999.")] {
        let reply = max.post("/messages", message(to)).await;
        assert_eq!((reply.status, reply.header("x-chatdouble-hint")), (400, Some(hint)), "{reply}");
    }
}

#[tokio::test]
async fn a_value_or_term_that_is_newer_than_the_level_gets_its_level() {
    let server = TestServer::start_with(|options| options.feature_level = 100).await;
    let mel = server.user("mel");
    let message = |kind: &str| json!({"type": kind, "to": "general", "topic": "x", "content": "x"});
    let narrow = |operator: &str, operand: &str| {
        let terms = json!([{"operator": operator, "operand": operand}]).to_string();
        json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": terms})
    };
    let queue = json!({"narrow": json!([["dm", "mel@chat.test"]]).to_string()});
    let added =
        |subject: &str, since: i64| format!("{subject} was added at feature level {since}; this world is at 100.");
    for (reply, hint) in [
        (mel.post("/messages", message("direct")).await, added("The value direct of type", 174)),
        (mel.post("/messages", message("channel")).await, added("The value channel of type", 248)),
        (mel.get("/messages", narrow("channel", "general")).await, added("The operator channel", 250)),
        (mel.get("/messages", narrow("is", "followed")).await, added("The operand is:followed", 265)),
        (mel.post("/register", queue).await, added("The operator dm", 177)),
    ] {
        assert_eq!((reply.status, reply.header("x-chatdouble-hint")), (400, Some(&*hint)), "{reply}");
    }
}

#[tokio::test]
async fn a_queue_for_events_that_there_are_not_gets_the_nearest_type() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let register = async |types: &[&str], fetched: &[&str]| {
        let reply = mel.post("/register", json!({"event_types": types, "fetch_event_types": fetched})).await;
        assert_eq!(reply.status, 200, "{reply}");
        reply.header("x-chatdouble-hint").map(str::to_owned)
    };

    let hint = register(&["reaction", "mesage"], &[]).await;
    assert_eq!(hint.as_deref(), Some("There is no type of events 'mesage' in event_types; the nearest is 'message'."));
    let hint = register(&["message"], &["realm_usr"]).await;
    assert_eq!(
        hint.as_deref(),
        Some("There is no type of events 'realm_usr' in fetch_event_types; the nearest is 'realm_user'.")
    );
    assert_eq!(register(&["message", "muted_users", "zzz"], &["realm_user", "subscription"]).await, None);
}

#[tokio::test]
async fn the_key_of_another_account_is_named() {
    let server = TestServer::start().await;
    let key = "melKey00000000000000000000000000";
    let ask = async |address: &str, key: &str| {
        let header = format!("Basic {}", STANDARD.encode(format!("{address}:{key}")));
        server.request("GET", "/api/v1/users/me", &[("authorization", &header)], "").await
    };

    for address in ["max@chat.test", "nobody@chat.test"] {
        let reply = ask(address, key).await.with_status(401);
        let hint = "This is the key of mel@chat.test; send it with that address.";
        assert_eq!(reply.header("x-chatdouble-hint"), Some(hint), "{address}");
    }
    let reply = ask("max@chat.test", &"x".repeat(32)).await.with_status(401);
    assert!(reply.header("x-chatdouble-hint").is_some_and(|hint| hint.contains("/dev_fetch_api_key")), "{reply}");
}

#[tokio::test]
async fn refusals_of_pages_say_which_pages_may() {
    let server = TestServer::start().await;
    let foreign = [("origin", "https://example.com")];
    let reply = server.request("GET", "/api/v1/dev_list_users", &foreign, "").await.with_status(403);
    assert!(reply.header("x-chatdouble-hint").is_some_and(|hint| hint.contains("--cors-origin")), "{reply}");
    let mut browser = crate::support::Browser::logged_in(server.url(), "mel@chat.test").await;
    let reply = browser.send("POST", "/json/typing", String::new()).await;
    assert_eq!((reply.status, &reply.body["code"]), (403, &json!("CSRF_FAILED")), "{reply}");
    assert!(reply.header("x-chatdouble-hint").is_some_and(|hint| hint.contains("X-CSRFToken")), "{reply}");
}

#[tokio::test]
async fn parameters_that_an_operation_does_not_have_are_reported() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let reply = mel.get("/users/me", json!({"zeta": 1, "alpha": 2})).await.success();
    assert_eq!(reply["ignored_parameters_unsupported"], json!(["alpha", "zeta"]));
    let reply = mel.get("/users/me", json!({})).await.success();
    assert!(reply.get("ignored_parameters_unsupported").is_none());
    // What a client calls itself is taken everywhere, and wins over the header.
    let reply = mel.get("/users/me", json!({"client": "robot"})).await.success();
    assert!(reply.get("ignored_parameters_unsupported").is_none());
    let message = json!({"type": "stream", "to": "general", "topic": "t", "content": "x", "client": "robot"});
    let id = mel.post("/messages", message).await.success()["id"].clone();
    let sent = mel.get(&format!("/messages/{id}"), json!({})).await.success();
    assert_eq!(sent["message"]["client"], "robot");
    let refused = mel.post("/messages/render", json!({"contnet": "x"})).await;
    assert_eq!(refused.header("x-chatdouble-hint"), Some("'contnet' was sent; the parameter is called 'content'."));
    let body = refused.error("REQUEST_VARIABLE_MISSING", "Missing 'content' argument");
    assert!(body.get("ignored_parameters_unsupported").is_none());
}

#[tokio::test]
async fn under_a_dialect_neutral_names_are_unknown_and_hints_have_its_own() {
    let server = TestServer::start_with(|options| options.dialect = chatdouble::dialect::Dialect::zulip()).await;
    let [mel, adam] = server.users(["mel", "adam"]);
    let id = mel.send_direct(&[adam.id()], "x").await;
    let reactions = format!("/messages/{id}/reactions");

    let neutral = json!({"emoji_name": "zulip", "reaction_type": "service_extra_emoji"});
    mel.post(&reactions, neutral).await.error("BAD_REQUEST", "Invalid emoji type.");
    let neutral = json!({"emojiset": "modern"});
    mel.patch("/settings", neutral)
        .await
        .error("BAD_REQUEST", "Invalid emojiset: Value error, Not in the list of possible values");
    let neutral = json!({"service_update_announcements_stream_id": server.channel("quiet")});
    let reply = adam.patch("/realm", neutral).await.success();
    assert_eq!(reply["ignored_parameters_unsupported"], json!(["service_update_announcements_stream_id"]));
    assert_eq!(mel.register(json!({})).await.state["realm_zulip_update_announcements_stream_id"], -1);

    let reply = mel.post("/users/me/platform_device_token", json!({"token": "aa", "appid": "x"})).await;
    assert_eq!(reply.status, 404, "{reply}");
    let hint = reply.header("x-chatdouble-hint").expect("a hint");
    assert!(hint.contains("/users/me/apns_device_token") && !hint.contains("platform"), "{hint}");
    let reply = mel.post("/users/me/apns_device_token", json!({})).await;
    let hint = reply.header("x-chatdouble-hint").expect("a hint");
    assert!(hint.contains("/users/me/apns_device_token"), "{hint}");
}

#[tokio::test]
async fn another_beginning_of_the_path_is_hinted_at() {
    let server = TestServer::start().await;
    let reply = server.user("mel").send("POST", "/api/messages", &json!({}), Vec::new(), None).await.with_status(404);
    let hint = reply.header("x-chatdouble-hint").expect("a hint");
    assert!(hint.ends_with("the nearest operation is POST /api/v1/messages."), "{hint}");
}

#[tokio::test]
async fn a_doubled_slash_and_a_receiver_of_integrations_are_named() {
    let server = TestServer::start().await;
    for (path, hint) in [
        ("//api/v1/users/me", "The path has a doubled slash; without it: /api/v1/users/me"),
        ("/api/v1//users/me", "The path has a doubled slash; without it: /users/me"),
        ("/w/default//api/v1/users/me", "The path has a doubled slash; without it: /api/v1/users/me"),
        (
            "/api/v1/external/jira?api_key=x",
            "Incoming webhooks are served for alertmanager, buildbot, github, gitlab, grafana, helloworld, json, sentry, slack, slack_incoming; other services can post by POST /api/v1/messages.",
        ),
    ] {
        let reply = server.request("GET", path, &[], "").await;
        assert_eq!(reply.header("x-chatdouble-hint"), Some(hint), "{path}");
        reply.with_status(404).error("BAD_REQUEST", "Unknown path");
    }
}

#[tokio::test]
async fn a_message_to_an_archived_channel_gets_a_hint_of_its_own() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    adam.delete(&format!("/streams/{}", server.channel("general")), json!({})).await.success();
    let to = |channel: &str| json!({"type": "channel", "to": channel, "topic": "x", "content": "x"});

    let refused = mel.post("/messages", to("general")).await;
    assert_eq!(refused.header("x-chatdouble-hint"), Some("The channel is archived: nobody sends messages to it."));
    let refused = mel.post("/messages", to("leadership")).await;
    let hint = "Allowed for users who can read the channel: only its subscribers, if it is private.";
    assert_eq!(refused.header("x-chatdouble-hint"), Some(hint));
}

#[tokio::test]
async fn a_refused_message_hints_at_whether_it_was_deleted_or_never_sent() {
    let server = TestServer::start().await;
    let [adam, mel, max] = server.users(["adam", "mel", "max"]);
    let deleted = mel.send_to("general", "t", "gone").await;
    let seen = mel.send_to("general", "t", "here").await;
    let private = adam.send_direct(&[max.id()], "secret").await;
    adam.delete(&format!("/messages/{deleted}"), json!({})).await.success();
    let newest = private;
    let next = newest + 1;

    let thumbs_up = json!({"emoji_name": "thumbs_up"});
    let flags = json!({"messages": [seen, deleted, next], "op": "add", "flag": "starred"});
    for (reply, hint) in [
        (mel.get(&format!("/messages/{deleted}"), json!({})).await, format!("Message {deleted} was deleted.")),
        (
            mel.post(&format!("/messages/{next}/reactions"), thumbs_up).await,
            format!("No message has had the ID {next}; the newest is {newest}."),
        ),
        (
            mel.patch(&format!("/messages/{private}"), json!({"content": "x"})).await,
            format!("Message {private} exists, but mel@chat.test can't see it."),
        ),
        (mel.post("/messages/flags", flags).await, format!("Message {deleted} was deleted.")),
        (mel.get("/messages/0", json!({})).await, format!("No message has had the ID 0; the newest is {newest}.")),
    ] {
        assert_eq!(reply.header("x-chatdouble-hint"), Some(hint.as_str()), "{reply}");
        reply.with_status(400).error("BAD_REQUEST", "Invalid message(s)");
    }
}

#[tokio::test]
async fn a_login_to_an_account_without_a_password_hints_at_the_login_without_one() {
    let server = TestServer::start().await;
    let log_in = async |username: &str| {
        let params = json!({"username": username, "password": "guess"});
        server.anonymous().post("/fetch_api_key", params).await
    };
    let expected = "The account has no password: give it one in the fixture, or use POST /dev_fetch_api_key.";
    let reply = log_in("build-bot@chat.test").await;
    assert_eq!(reply.header("x-chatdouble-hint"), Some(expected), "{reply}");
    reply.with_status(401).error("AUTHENTICATION_FAILED", "Your username or password is incorrect");
    for username in ["mel@chat.test", "nobody@chat.test"] {
        let reply = log_in(username).await;
        assert!(reply.header("x-chatdouble-hint").is_none_or(|hint| !hint.contains("password")), "{reply}");
    }
}
