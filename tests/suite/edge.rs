//! The way of a request: routes, methods, credentials, parameters, envelopes, browsers.

use crate::support::{Reply, TestServer, User};
use base64::Engine;
use bytes::Bytes;
use http_body_util::Full;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn raw(server: &TestServer, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut request = http::Request::builder().method(method).uri(format!("{}{path}", server.url()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::from(body.to_owned()))).expect("a well-formed request");
    server.anonymous().raw(request, &format!("{method} {path}")).await
}

fn basic(pair: &str) -> String {
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair))
}

fn key_of(user: &User) -> String {
    user.credentials().api_key.clone()
}

#[tokio::test]
async fn server_settings_answer_without_credentials_and_with_wrong_ones() {
    let server = TestServer::start().await;

    let reply = server.anonymous().get("/server_settings", json!({})).await.success();
    assert_eq!(reply["realm_uri"], server.url());

    let wrong = server.user("mel").with_key("wrong");
    assert_eq!(wrong.get("/server_settings", json!({})).await.success(), reply);
}

#[tokio::test]
async fn an_unknown_path_is_told_the_nearest_operation() {
    let server = TestServer::start().await;

    let reply = raw(&server, "GET", "/api/v1/mesages", &[], "").await;

    assert_eq!(reply.header("x-chatdouble-hint"), Some("The nearest operation is GET /api/v1/messages."));
    reply.with_status(404).error("BAD_REQUEST", "Unknown path");
    for path in ["/", "/api/v1", "/api/v1/", "/api/v2/users", "/api/v1/users/", "/favicon.ico", "/api/v1/messages/abc"]
    {
        raw(&server, "GET", path, &[], "").await.with_status(404).error("BAD_REQUEST", "Unknown path");
    }
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones_before_credentials_are_looked_at() {
    let server = TestServer::start().await;

    let reply = raw(&server, "PUT", "/api/v1/messages", &[], "").await;

    assert_eq!(reply.header("allow"), Some("POST, GET, HEAD"));
    let body = reply.with_status(405).error("BAD_REQUEST", "Method Not Allowed");
    assert_eq!(body["allowed_methods"], json!(["POST", "GET", "HEAD"]));
}

#[tokio::test]
async fn credentials_fail_in_all_their_ways() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let key = key_of(&mel);
    let dana = server.user("dana");
    let mona = server.user("mona");
    let hidden = format!("user{}@chat.test:{}", mona.id(), key_of(&mona));
    for (header, status, code, message) in [
        (None, 401, "UNAUTHORIZED", "Not logged in: API authentication or user session required"),
        (Some("Bearer abc".to_owned()), 400, "BAD_REQUEST", "This endpoint requires HTTP basic authentication."),
        (Some("Basic".to_owned()), 401, "UNAUTHORIZED", "Invalid authorization header for basic auth"),
        (Some("Basic a b".to_owned()), 401, "UNAUTHORIZED", "Invalid authorization header for basic auth"),
        (Some("Basic !!!".to_owned()), 401, "UNAUTHORIZED", "Invalid authorization header for basic auth"),
        (Some(basic("no colon")), 401, "UNAUTHORIZED", "Invalid authorization header for basic auth"),
        (
            Some(basic(&format!("mel@chat.test:{key}:"))),
            401,
            "UNAUTHORIZED",
            "Invalid authorization header for basic auth",
        ),
        (Some(basic("mel@chat.test:short")), 401, "INVALID_API_KEY", "Malformed API key"),
        (Some(basic(&format!("mel@chat.test:{}", "x".repeat(32)))), 401, "INVALID_API_KEY", "Invalid API key"),
        (Some(basic(&format!("max@chat.test:{key}"))), 401, "INVALID_API_KEY", "Invalid API key"),
        (Some(basic(&hidden)), 401, "INVALID_API_KEY", "Invalid API key"),
        (Some(basic(&format!("dana@chat.test:{}", key_of(&dana)))), 401, "USER_DEACTIVATED", "Account is deactivated"),
    ] {
        let headers: Vec<(&str, &str)> = header.iter().map(|value| ("authorization", value.as_str())).collect();
        let reply = raw(&server, "GET", "/api/v1/users/me", &headers, "").await.with_status(status);
        assert_eq!(reply.header("www-authenticate").is_some(), status == 401, "{reply}");
        reply.error(code, message);
    }
    let shouted = basic(&format!("MEL@Chat.Test: {key} "));
    raw(&server, "GET", "/api/v1/users/me", &[("authorization", &shouted)], "").await.success();
}

#[tokio::test]
async fn head_is_get_without_a_body_and_options_names_the_methods() {
    let server = TestServer::start().await;

    let head = raw(&server, "HEAD", "/api/v1/server_settings", &[], "").await.with_status(200);
    assert!(head.bytes.is_empty());
    let options = raw(&server, "OPTIONS", "/api/v1/server_settings", &[], "").await.with_status(204);
    assert_eq!(options.header("allow"), Some("GET, HEAD"));
}

#[tokio::test]
async fn a_post_may_name_another_method() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = mel.send_to("general", "t", "x").await;

    mel.post(&format!("/messages/{id}"), json!({"method": "PATCH", "content": "y"})).await.success();

    assert_eq!(mel.get(&format!("/messages/{id}"), json!({})).await.success()["raw_content"], "y");
}

#[tokio::test]
async fn parameters_come_from_query_form_and_multipart_and_the_body_wins() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let form = "application/x-www-form-urlencoded";

    mel.send("POST", "/dev_fetch_api_key?username=max@chat.test", &json!({}), Vec::new(), None).await.success();
    let both = mel
        .send(
            "POST",
            "/dev_fetch_api_key?username=max@chat.test",
            &json!({}),
            b"username=adam%40chat.test".to_vec(),
            Some(form),
        )
        .await;
    assert_eq!(both.success()["email"], "adam@chat.test");
    let multipart = "--b\r\nContent-Disposition: form-data; name=\"username\"\r\n\r\nmona@chat.test\r\n--b--\r\n";
    let sent = mel
        .send(
            "POST",
            "/dev_fetch_api_key",
            &json!({}),
            multipart.as_bytes().to_vec(),
            Some("multipart/form-data; boundary=b"),
        )
        .await;
    assert_eq!(sent.success()["email"], "mona@chat.test");
    mel.send("DELETE", "/events?queue_id=x", &json!({}), Vec::new(), None)
        .await
        .error("BAD_EVENT_QUEUE_ID", "Bad event queue ID: x");
}

#[tokio::test]
async fn bodies_that_cannot_be_read_are_refused_in_the_envelope() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    for (kind, body) in [
        ("multipart/form-data", "x"),
        ("multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nunfinished"),
        ("multipart/form-data; boundary=b", "garbage"),
    ] {
        let reply = mel.send("POST", "/dev_fetch_api_key", &json!({}), body.into(), Some(kind)).await.with_status(400);
        assert_eq!(reply.body["code"], "BAD_REQUEST", "{reply}");
        let message = reply.body["msg"].as_str().unwrap_or_default();
        assert!(message.starts_with("Malformed request body: "), "{reply}");
    }
    let as_json = mel
        .send("POST", "/dev_fetch_api_key", &json!({}), b"{\"username\": 1}".to_vec(), Some("application/json"))
        .await;
    as_json.error("REQUEST_VARIABLE_MISSING", "Missing 'username' argument");
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_with_413() {
    let server = TestServer::start().await;
    let headers = [("content-type", "application/x-www-form-urlencoded"), ("content-length", "33554433")];
    let reply = raw(&server, "POST", "/api/v1/messages/render", &headers, "").await;

    reply.with_status(413).error("BAD_REQUEST", "Request body is larger than the allowed limit of 32 MiB");
}

#[tokio::test]
async fn a_path_outside_the_api_hints_at_where_the_api_is() {
    let server = TestServer::start().await;
    let anybody = server.anonymous();
    let get = async |path: &str| {
        let request = http::Request::get(format!("{}{path}", server.url())).body(Full::default()).expect("a request");
        anybody.raw(request, path).await
    };
    for (path, hint) in [
        ("/", "The API is below /api/v1, control below /control."),
        (
            "/messages",
            "The API is below /api/v1, control below /control; the nearest operation is GET /api/v1/messages.",
        ),
    ] {
        let reply = get(path).await;
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
        (adam.delete("/users/1", json!({})).await, "It takes an owner (olive@chat.test).".to_owned()),
        (
            max.delete("/streams/2", json!({})).await,
            "Administrators and those in the channel's can_administer_channel_group may.".to_owned(),
        ),
        (
            mel.post("/messages", notice).await,
            "Those in the channel's can_send_message_group may; nobody may in an archived one.".to_owned(),
        ),
        (
            max.patch("/user_groups/9", json!({"description": "x"})).await,
            "It takes a role or permission that this member lacks; an owner (olive@chat.test) has most.".to_owned(),
        ),
    ] {
        assert_eq!(reply.status, 400, "{reply}");
        assert_eq!(reply.header("x-chatdouble-hint"), Some(hint.as_str()), "{reply}");
    }
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
async fn paths_are_percent_decoded() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let reply = mel.get("/users/max%40chat.test", json!({})).await.success();

    assert_eq!(reply["user"]["full_name"], "Max Mercer");
    for path in ["/users/%", "/users/%ff", "/users/-5", "/users/a%2Fb", "/users/99999999999999999999"] {
        mel.get(path, json!({})).await.error("BAD_REQUEST", "No such user");
    }
    let no_number_is_too_long = format!("/messages/{}", "9".repeat(40));
    mel.get(&no_number_is_too_long, json!({})).await.error("BAD_REQUEST", "Invalid message(s)");
    mel.delete(&no_number_is_too_long, json!({})).await.error("BAD_REQUEST", "Invalid message(s)");
}

#[tokio::test]
async fn replies_are_not_cached() {
    let server = TestServer::start().await;
    let reply = server.user("mel").get("/users/me", json!({})).await;

    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert!(reply.header("cache-control").is_some_and(|value| value.contains("no-store")));
    assert_eq!(reply.bytes.last(), Some(&b'\n'));
    assert!(reply.bytes.starts_with(br#"{"result":"success","msg":"","#));
}

#[tokio::test]
async fn a_page_of_another_origin_may_call_the_api() {
    let server = TestServer::start().await;
    let preflight = [
        ("origin", "http://page.example"),
        ("access-control-request-method", "PATCH"),
        ("access-control-request-headers", "authorization"),
    ];

    let reply = raw(&server, "OPTIONS", "/api/v1/users/me", &preflight, "").await.with_status(204);
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    assert_eq!(reply.header("access-control-allow-headers"), Some("authorization"));
    assert!(reply.header("access-control-allow-methods").is_some_and(|value| value.contains("PATCH")));
    let refused = raw(&server, "GET", "/api/v1/users/me", &[("origin", "http://page.example")], "").await;
    assert_eq!(refused.header("access-control-allow-origin"), Some("*"), "a page must be able to read a refusal");
}

#[tokio::test]
async fn only_the_origin_that_was_given_is_let_in() {
    let server = TestServer::start_with(|options| options.cors_origin = "http://page.example".into()).await;

    let allowed = raw(&server, "GET", "/api/v1/server_settings", &[("origin", "http://page.example")], "").await;
    let other = raw(&server, "GET", "/api/v1/server_settings", &[("origin", "http://other.example")], "").await;

    assert_eq!(allowed.header("access-control-allow-origin"), Some("http://page.example"));
    assert_eq!(other.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn a_dialect_renames_keys_values_paths_and_parameters_both_ways() {
    let server = TestServer::start_with(|options| options.dialect = chatdouble::dialect::Dialect::zulip()).await;
    let [mel, max] = server.users(["mel", "max"]);

    let settings = mel.get("/server_settings", json!({})).await.success();
    assert!(settings["zulip_feature_level"].is_i64() && settings.get("service_feature_level").is_none());
    assert_eq!(settings["authentication_methods"]["github"], false);
    let mut events = max.events(["reaction"]).await;
    assert!(events.state["zulip_version"].is_string());
    let id = mel.send_direct(&[max.id()], "x").await;
    let params = json!({"emoji_name": "zulip", "reaction_type": "zulip_extra_emoji"});
    mel.post(&format!("/messages/{id}/reactions"), params).await.success();

    let event = events.next().await.has(json!({"emoji_name": "zulip", "reaction_type": "zulip_extra_emoji"}));
    assert_eq!(event["emoji_code"], "zulip");
    let rendered = mel.post("/messages/render", json!({"content": ":zulip:"})).await.success();
    let src = "/static/generated/emoji/images/emoji/unicode/zulip.png";
    let html = format!("<p><img alt=\":zulip:\" class=\"emoji\" src=\"{src}\" title=\"zulip\"></p>");
    assert_eq!(rendered["rendered"], html.as_str());
    let picture = mel.send("GET", src, &json!({}), Vec::new(), None).await;
    assert_eq!(picture.header("content-type"), Some("image/png"), "{picture}");
    // A setting's name is a parameter, a key of the reply and the register reply, and a value in the event.
    let name = "zulip_update_announcements_stream_id";
    let mut events = max.events(["realm"]).await;
    let params = json!({name: server.channel("quiet")});
    server.user("adam").patch("/realm", params.clone()).await.is(params);
    let event = json!({"type": "realm", "op": "update", "property": name, "value": server.channel("quiet")});
    events.next().await.is(event);
    let state = max.register(json!({"fetch_event_types": ["realm"]})).await.state;
    assert_eq!(state["realm_zulip_update_announcements_stream_id"], server.channel("quiet"));
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
async fn a_server_of_many_organizations_knows_only_its_own_settings_at_the_root() {
    let server = TestServer::start_with(|options| options.has_root_world = false).await;

    let settings = server.anonymous().get("/server_settings", json!({})).await.success();
    for key in ["realm_name", "realm_icon", "realm_description", "realm_web_public_access_enabled"] {
        assert!(settings.get(key).is_none(), "{key}");
    }
    assert_eq!(settings["realm_uri"], server.url());
    server
        .anonymous()
        .get("/users/me", json!({}))
        .await
        .with_status(404)
        .error("NONEXISTENT_SUBDOMAIN", "Invalid subdomain");
}

/// Sends bytes as they are, to the end of the reply: its status and its body.
async fn bytes(server: &TestServer, sent: &[u8]) -> (u16, Value) {
    let mut stream = TcpStream::connect(server.url().trim_start_matches("http://")).await.expect("the server listens");
    stream.write_all(sent).await.expect("the server reads");
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).await.expect("the server closes without breaking off");
    let reply = String::from_utf8(reply).expect("a text");
    let (head, body) = reply.split_once("\r\n\r\n").expect("a head and a body");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    assert!(head.contains("content-type: application/json"), "{head}");
    assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
    (status, serde_json::from_str(body).expect("JSON"))
}

#[tokio::test]
async fn what_is_no_http_is_refused_in_the_envelope() {
    let server = TestServer::start().await;
    let refused = |msg: &str| json!({"result": "error", "msg": msg, "code": "BAD_REQUEST"});

    let no_http: [&[u8]; 8] = [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
        b"POST /api/v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: abc\r\n\r\n",
        b"POST /api/v1/messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: odd\r\n\r\n",
        b"hello there\r\n\r\n",
        b"GET /api/v1/server_settings HTTP/1.1\r\nbad header\r\n\r\n",
        b"GET /api/v1/server_settings HTTP/9.9\r\n\r\n",
        b"G\x00T / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ];
    for sent in no_http {
        assert_eq!(bytes(&server, sent).await, (400, refused("Malformed HTTP request")), "{sent:?}");
    }
    let connect = b"CONNECT elsewhere:443 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    assert_eq!(bytes(&server, connect).await, (404, refused("Unknown path")));
    let chunks = b"POST /api/v1/messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n";
    let (status, body) = bytes(&server, chunks).await;
    assert_eq!((status, &body["code"]), (400, &json!("BAD_REQUEST")));
    let long = "x".repeat(2_000_000);
    let head = format!("GET / HTTP/1.1\r\nhost: localhost\r\nx-long: {long}\r\n\r\n");
    assert_eq!(bytes(&server, head.as_bytes()).await, (431, refused("Request headers are too large")));
    let address = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", &long[..70_000]);
    assert_eq!(bytes(&server, address.as_bytes()).await, (414, refused("Request address is too long")));
}

#[tokio::test]
async fn nothing_malformed_breaks_the_server() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let before = mel.get("/users/me", json!({})).await.success();
    let values: [Value; 14] = [
        json!(""),
        json!("null"),
        json!("[]"),
        json!("{}"),
        json!("-1"),
        json!("1e400"),
        json!("99999999999999999999"),
        json!("\"x\""),
        json!("[[]]"),
        json!("[{}]"),
        json!("[null]"),
        json!("\u{0}"),
        json!("true"),
        json!("[-1, 9007199254740993]"),
    ];
    for row in chatdouble::api::OPERATIONS {
        let path = row.route.path;
        let mut path =
            path.replace("{*filename}", "a/b").replace("{email}", "x%00y").replace("{user_id_or_email}", "zz");
        while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
            path.replace_range(start..=end, "4");
        }
        for value in &values {
            let params: serde_json::Map<String, Value> =
                row.parameters.iter().map(|info| (info.name.to_owned(), value.clone())).collect();
            // The first waits; the others give the caller another key, or end their account.
            let ends_the_caller = ["/users/me/api_key/regenerate", "/users/me"].contains(&row.route.path);
            if row.route == chatdouble::api::Route::new("GET", "/events")
                || (ends_the_caller && row.route.method != "GET")
            {
                continue;
            }
            let reply = match row.route.method {
                "GET" => mel.get(&path, params.into()).await,
                "POST" => mel.post(&path, params.into()).await,
                "PATCH" => mel.patch(&path, params.into()).await,
                "PUT" => mel.put(&path, params.into()).await,
                _ => mel.delete(&path, params.into()).await,
            };
            assert!(reply.status < 500, "{reply}");
            assert!(reply.body["result"].is_string(), "{reply}");
        }
    }
    assert_eq!(mel.get("/users/me", json!({})).await.success()["user_id"], before["user_id"]);
}

#[tokio::test]
async fn a_body_of_json_is_called_one() {
    let server = TestServer::start().await;
    let body = br#"{"type": "channel", "to": "general"}"#.to_vec();
    let mel = server.user("mel");
    let reply = mel.send("POST", "/messages", &json!({}), body, Some("application/json; charset=utf-8")).await;
    let hint = reply.header("x-chatdouble-hint").expect("a hint");
    assert!(hint.starts_with("This body is JSON; POST /messages takes its parameters as a form"), "{hint}");
    assert_eq!(reply.status, 400);
}

#[tokio::test]
async fn another_beginning_of_the_path_is_hinted_at() {
    let server = TestServer::start().await;
    let reply = server.user("mel").send("POST", "/api/messages", &json!({}), Vec::new(), None).await.with_status(404);
    let hint = reply.header("x-chatdouble-hint").expect("a hint");
    assert!(hint.ends_with("the nearest operation is POST /api/v1/messages."), "{hint}");
}
