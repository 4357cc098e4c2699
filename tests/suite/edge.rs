//! The way of a request: credentials, methods, parameters, dialects, browsers.

use crate::support::{TestServer, User};
use base64::Engine;
use serde_json::json;

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
        let reply = server.request("GET", "/api/v1/users/me", &headers, "").await.with_status(status);
        assert_eq!(reply.header("www-authenticate").is_some(), status == 401, "{reply}");
        reply.error(code, message);
    }
    let shouted = basic(&format!("MEL@Chat.Test: {key} "));
    server.request("GET", "/api/v1/users/me", &[("authorization", &shouted)], "").await.success();
}

#[tokio::test]
async fn head_is_get_without_a_body_and_options_names_the_methods() {
    let server = TestServer::start().await;

    let head = server.request("HEAD", "/api/v1/server_settings", &[], "").await.with_status(200);
    assert!(head.bytes.is_empty());
    let options = server.request("OPTIONS", "/api/v1/server_settings", &[], "").await.with_status(204);
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

    let reply = server.request("OPTIONS", "/api/v1/users/me", &preflight, "").await.with_status(204);
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    assert_eq!(reply.header("access-control-allow-headers"), Some("authorization"));
    assert!(reply.header("access-control-allow-methods").is_some_and(|value| value.contains("PATCH")));
    let refused = server.request("GET", "/api/v1/users/me", &[("origin", "http://page.example")], "").await;
    assert_eq!(refused.header("access-control-allow-origin"), Some("*"), "a page must be able to read a refusal");
}

#[tokio::test]
async fn only_the_origin_that_was_given_is_let_in() {
    let server = TestServer::start_with(|options| options.cors_origin = "http://page.example".into()).await;

    let allowed = server.request("GET", "/api/v1/server_settings", &[("origin", "http://page.example")], "").await;
    let other = server.request("GET", "/api/v1/server_settings", &[("origin", "http://other.example")], "").await;

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
async fn a_server_of_many_organizations_knows_only_its_own_settings_at_the_root() {
    let server = TestServer::start_with(|options| options.has_default_world = false).await;

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
