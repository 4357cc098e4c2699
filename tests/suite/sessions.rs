//! The API as web clients call it: in a session, under `/json`.

use crate::every_operation::{handle_for, path_of, required};
use crate::support::{Browser, TestServer, User};
use chatdouble::api::{Access, NEWEST_FEATURE_LEVEL, OPERATIONS, OperationRow};
use chatdouble::world::sessions::MAX_SESSIONS;
use serde_json::{Value, json};

const NOT_LOGGED_IN: &str = "Not logged in: API authentication or user session required";

/// A fork of the built-in world; its base URL.
async fn fork(server: &TestServer, name: &str) -> String {
    let body = json!({"name": name, "fork_of": "default"});
    let made = server.anonymous().send("POST", "/control/worlds", &body, body.to_string().into_bytes(), None).await;
    made.success()["url"].as_str().expect("a world has an address").to_owned()
}

async fn control(server: &TestServer, path: &str, body: Value) -> Value {
    let path = format!("/control/worlds/default{path}");
    server.anonymous().send("POST", &path, &body, body.to_string().into_bytes(), None).await.success()
}

/// `mel` in a browser.
async fn mel(server: &TestServer) -> Browser {
    Browser::logged_in(server.url(), "mel@chat.test").await
}

#[tokio::test]
async fn every_operation_answers_a_session_as_it_answers_a_key() {
    let server = TestServer::start().await;
    // Services that deliver have a key.
    let takes_session = |row: &&OperationRow| row.exists_at(NEWEST_FEATURE_LEVEL) && row.access != Access::KeyHolder;
    for (at, row) in OPERATIONS.iter().filter(takes_session).enumerate() {
        // Of the same length, so that lengths in replies agree.
        let names = [format!("key-{at:03}"), format!("ses-{at:03}")];
        let with_key = fork(&server, &names[0]).await;
        let in_session = fork(&server, &names[1]).await;
        let params: Value = required(row).into();
        let method = row.route.method;
        let mut browser = Browser::logged_in(in_session.clone(), server.user(handle_for(row)).email()).await;
        let user = User::new(with_key.clone(), Some(server.server().user_of(&names[0], handle_for(row))));
        // As in the other world: a first login changes the account.
        Browser::logged_in(with_key, user.email()).await;

        let expected = crate::every_operation::call(&user, row, params.clone()).await;
        let reply = browser.call(method, &format!("/json{}", path_of(row)), &params).await;

        let text = String::from_utf8_lossy(&reply.bytes).replace(&names[1], &names[0]);
        let expected_text = String::from_utf8_lossy(&expected.bytes);
        assert_eq!((reply.status, &*text), (expected.status, &*expected_text), "{method} {}", row.route.path);
        for name in names {
            server.anonymous().delete(&format!("/control/worlds/{name}"), json!({})).await.success();
        }
    }
}

#[tokio::test]
async fn without_a_session_requests_are_refused_and_keys_do_not_count() {
    let server = TestServer::start().await;
    let mut nobody = Browser::new(server.url());

    for row in OPERATIONS.iter().filter(|row| row.exists_at(NEWEST_FEATURE_LEVEL)) {
        if matches!(row.access, Access::Anyone | Access::UserOrSpectator | Access::KeyHolder) {
            continue;
        }
        let reply = nobody.call(row.route.method, &format!("/json{}", path_of(row)), &json!({})).await;
        assert_eq!(reply.header("www-authenticate"), Some("Session realm=\"chatdouble\""), "{reply}");
        reply.with_status(401).error("UNAUTHORIZED", NOT_LOGGED_IN);
    }
    let reply = server.user("mel").get("/w/default/json/users/me", json!({})).await;
    reply.with_status(401).error("UNAUTHORIZED", NOT_LOGGED_IN);
    let page = nobody.look("/json/users/me").await.with_status(302);
    assert_eq!(page.header("location"), Some("/login/?next=%2Fjson%2Fusers%2Fme"));
    // A picture in a page must not open the login dialog of a browser.
    let picture = nobody.send("GET", "/avatar/mel@chat.test", String::new()).await;
    assert_eq!(picture.header("www-authenticate"), Some("Session realm=\"chatdouble\""));
    picture.with_status(401).error("UNAUTHORIZED", NOT_LOGGED_IN);
    let page = nobody.look("/avatar/mel@chat.test").await.with_status(302);
    assert_eq!(page.header("location"), Some("/login/?next=%2Favatar%2Fmel%40chat.test"));
    // A session is no key.
    let mut mel = mel(&server).await;
    let reply = mel.send("GET", "/api/v1/users/me", String::new()).await;
    assert_eq!(reply.header("www-authenticate"), Some("Basic realm=\"chatdouble\""));
    reply.with_status(401).error("UNAUTHORIZED", NOT_LOGGED_IN);
}

#[tokio::test]
async fn what_changes_something_has_to_repeat_the_token() {
    let server = TestServer::start().await;
    let mut mel = mel(&server).await;
    let token = mel.token().to_owned();
    let refused = async |browser: &mut Browser, method: &str, body: &str, reason: &str| {
        let reply = browser.send(method, "/json/users/me/status", body.to_owned()).await.with_status(403);
        let body = reply.error("CSRF_FAILED", &format!("CSRF error: {reason}"));
        assert_eq!(body["reason"], reason);
    };

    refused(&mut mel, "POST", "status_text=x", "CSRF token missing.").await;
    let form = "status_text=x&csrfmiddlewaretoken";
    refused(&mut mel, "POST", &format!("{form}=short"), "CSRF token from POST has incorrect length.").await;
    let strange = "-".repeat(32);
    refused(&mut mel, "POST", &format!("{form}={strange}"), "CSRF token from POST has invalid characters.").await;
    let other = "x".repeat(32);
    refused(&mut mel, "POST", &format!("{form}={other}"), "CSRF token from POST incorrect.").await;
    mel.headers = vec![("x-csrftoken", other)];
    refused(&mut mel, "POST", "status_text=x", "CSRF token from the 'X-Csrftoken' HTTP header incorrect.").await;
    // The form's own goes before the header.
    let form = format!("{form}={token}");
    mel.send("POST", "/json/users/me/status", form.clone()).await.is(json!({}));
    // Only a form that is posted may have it.
    mel.headers.clear();
    let params = format!("topic=x&muted_until=1&{form}");
    let reply = mel.send("PATCH", "/json/settings", params).await.with_status(403);
    reply.error("CSRF_FAILED", "CSRF error: CSRF token missing.");
    mel.headers = vec![("x-csrftoken", token.clone()), ("origin", "https://evil.test".into())];
    let reason = "Origin checking failed - https://evil.test does not match any trusted origins.";
    refused(&mut mel, "POST", &form, reason).await;
    mel.headers[1].1 = "http://localhost:3000".into();
    mel.send("POST", "/json/users/me/status", form.clone()).await.success();
    mel.headers.clear();
    mel.cookies.remove("csrftoken");
    refused(&mut mel, "POST", &form, "CSRF cookie not set.").await;
    // What changes nothing needs none.
    assert_eq!(mel.send("GET", "/json/users/me", String::new()).await.success()["email"], "mel@chat.test");
}

#[tokio::test]
async fn visitors_that_the_organization_lets_in_repeat_the_token_too() {
    let server = TestServer::start().await;
    let mut visitor = Browser::new(server.url());

    let refused = visitor.send("POST", "/json/register", String::new()).await.with_status(403);
    refused.error("CSRF_FAILED", "CSRF error: CSRF cookie not set.");
    visitor.visit("/accounts/login/").await;
    let reply = visitor.call("POST", "/json/register", &json!({})).await.success();
    assert!(reply["queue_id"].is_null(), "visitors get no queue");
}

#[tokio::test]
async fn cookies_are_for_one_world_and_out_of_reach_of_other_sites() {
    let server = TestServer::start().await;
    let url = fork(&server, "tenant").await;
    let login = |url: String| async move {
        let reply = User::new(url, None).post("/dev_fetch_api_key", json!({"username": "mel@chat.test"})).await;
        let cookies = reply.headers.iter().filter(|(name, _)| name == "set-cookie");
        cookies.map(|(_, cookie)| cookie.clone()).collect::<Vec<_>>()
    };

    let own = login(server.url()).await;
    let [session, token] = own.as_slice() else { panic!("{own:?}") };
    let value = |cookie: &str, name: &str| cookie.strip_prefix(name).map(|rest| rest[..32].to_owned());
    let id = value(session, "sessionid=").expect("a session");
    assert_eq!(session, &format!("sessionid={id}; Path=/; Max-Age=1209600; SameSite=Lax; HttpOnly"));
    let csrf = value(token, "csrftoken=").expect("a token");
    assert_eq!(token, &format!("csrftoken={csrf}; Path=/; Max-Age=31449600; SameSite=Lax"));
    let others = login(url.clone()).await;
    assert!(others[0].contains("; Path=/w/tenant; ") && others[1].contains("; Path=/w/tenant; "), "{others:?}");
    // The cookie of another world opens nothing, even together with the right one.
    let mut browser = Browser::new(url);
    browser.cookies.insert("sessionid".into(), id.clone());
    browser.send("GET", "/json/users/me", String::new()).await.with_status(401).error("UNAUTHORIZED", NOT_LOGGED_IN);
    let both = format!("{id}; sessionid={}", value(&others[0], "sessionid=").expect("a session"));
    browser.cookies.insert("sessionid".into(), both);
    browser.send("GET", "/json/users/me", String::new()).await.success();
}

#[tokio::test]
async fn pages_of_other_origins_never_act_in_a_session() {
    let server = TestServer::start_with(|options| options.cors_origin = "https://app.example.org".into()).await;
    let mut mel = mel(&server).await;

    for origin in ["https://app.example.org", "http://localhost:3000", "https://evil.test"] {
        mel.headers = vec![("origin", origin.into())];
        let reply = mel.send("GET", "/json/users/me", String::new()).await;
        assert_eq!(reply.header("access-control-allow-credentials"), None, "{reply}");
    }
}

#[tokio::test]
async fn a_session_ends_by_logging_out_by_time_and_with_the_data() {
    let server = TestServer::start().await;
    let works = async |browser: &mut Browser| browser.call("GET", "/json/users/me", &json!({})).await.status == 200;

    let mut browser = mel(&server).await;
    let before = browser.cookies.clone();
    let reply = browser.submit("/accounts/logout/", json!({})).await.with_status(302);
    assert_eq!(reply.header("location"), Some("/accounts/login/"));
    assert!(!browser.cookies.contains_key("sessionid"));
    browser.cookies = before;
    assert!(!works(&mut browser).await, "a cookie that somebody kept opens nothing");

    let mut browser = mel(&server).await;
    control(&server, "/clock", json!({"advance_seconds": 14 * 86_400 - 1})).await;
    assert!(works(&mut browser).await);
    control(&server, "/clock", json!({"advance_seconds": 1})).await;
    assert!(!works(&mut browser).await);

    let mut browser = mel(&server).await;
    control(&server, "/snapshots", json!({"name": "now"})).await;
    control(&server, "/snapshots/now/restore", json!({})).await;
    assert!(!works(&mut browser).await);
    let mut browser = mel(&server).await;
    control(&server, "/reset", json!({})).await;
    assert!(!works(&mut browser).await);
    let mut browser = mel(&server).await;
    control(&server, "/upgrade", json!({"to": NEWEST_FEATURE_LEVEL})).await;
    assert!(works(&mut browser).await, "an upgrade keeps what is stored");
}

#[tokio::test]
async fn a_world_of_the_same_name_takes_no_sessions_of_the_former_one() {
    let server = TestServer::start().await;
    let url = fork(&server, "again").await;
    let mut browser = Browser::logged_in(url.clone(), "mel@chat.test").await;
    server.anonymous().delete("/control/worlds/again", json!({})).await.success();
    assert_eq!(fork(&server, "again").await, url);

    let mut other = Browser::logged_in(url, "olive@chat.test").await;

    browser.call("GET", "/json/users/me", &json!({})).await.with_status(401).error("UNAUTHORIZED", NOT_LOGGED_IN);
    other.call("GET", "/json/users/me", &json!({})).await.success();
}

#[tokio::test]
async fn another_password_ends_all_other_sessions() {
    let server = TestServer::start().await;
    let (mut one, mut other) = (mel(&server).await, mel(&server).await);

    let params = json!({"old_password": "mel-password-7421", "new_password": "correct horse battery staple"});
    one.call("PATCH", "/json/settings", &params).await.success();

    one.call("GET", "/json/users/me", &json!({})).await.success();
    other.call("GET", "/json/users/me", &json!({})).await.with_status(401).error("UNAUTHORIZED", NOT_LOGGED_IN);
}

#[tokio::test]
async fn deactivating_an_account_ends_its_sessions_for_good() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let mut browser = mel(&server).await;
    let mut max = Browser::logged_in(server.url(), "max@chat.test").await;
    let path = format!("/users/{}", server.user("mel").id());

    olive.delete(&path, json!({})).await.success();
    olive.post(&format!("{path}/reactivate"), json!({})).await.success();

    browser.call("GET", "/json/users/me", &json!({})).await.with_status(401).error("UNAUTHORIZED", NOT_LOGGED_IN);
    max.call("GET", "/json/users/me", &json!({})).await.success();
}

#[tokio::test]
async fn the_oldest_of_too_many_sessions_ends() {
    let server = TestServer::start().await;
    let (mut first, mut second) = (mel(&server).await, mel(&server).await);
    let world = server.server().world("default");
    let user = world.snapshot().user_by_email("max@chat.test").expect("max is there").clone();

    (0..MAX_SESSIONS - 1).for_each(|_| drop(world.open_session(&user)));

    assert_eq!(world.sessions().count(), MAX_SESSIONS);
    first.call("GET", "/json/users/me", &json!({})).await.with_status(401).error("UNAUTHORIZED", NOT_LOGGED_IN);
    second.call("GET", "/json/users/me", &json!({})).await.success();
}

#[tokio::test]
async fn requests_in_a_session_stand_in_the_journal_and_meet_faults_as_others_do() {
    let server = TestServer::start().await;
    let mut browser = mel(&server).await;
    let fault = json!({
        "match": {"method": "POST", "path": "/messages", "user": "mel"},
        "times": 1,
        "effect": {"error": {"status": 503, "code": "BAD_REQUEST", "msg": "Not now"}},
    });
    control(&server, "/faults", fault).await;
    let message = json!({"type": "channel", "to": "general", "topic": "web", "content": "hello"});

    drop(browser.call("POST", "/json/messages", &message).await.with_status(503));
    let sent = browser.call("POST", "/json/messages", &message).await.success();

    assert!(sent.get("ignored_parameters_unsupported").is_none());
    let filter = json!({"path": "/messages", "method": "POST", "user": "mel"});
    let entries = server.anonymous().get("/control/worlds/default/journal", filter).await.success();
    let seen: Vec<(&Value, &Value)> =
        entries["entries"].as_array().expect("a list").iter().map(|one| (&one["status"], &one["path"])).collect();
    assert_eq!(seen, [(&json!(503), &json!("/messages")), (&json!(200), &json!("/messages"))]);
}

#[tokio::test]
async fn the_own_key_is_given_for_the_password_alone() {
    let server = TestServer::start().await;
    let mut browser = mel(&server).await;

    let refused = browser.call("POST", "/json/fetch_api_key", &json!({"password": "wrong"})).await.with_status(401);
    refused.error("AUTHENTICATION_FAILED", "Your username or password is incorrect");
    let own = browser.call("POST", "/json/fetch_api_key", &json!({"password": "mel-password-7421"})).await.success();

    assert_eq!((&own["api_key"], &own["email"]), (&json!("melKey00000000000000000000000000"), &json!("mel@chat.test")));
}

#[tokio::test]
async fn a_poll_in_a_session_gets_events_and_files_are_shown() {
    let server = TestServer::start().await;
    let mut browser = mel(&server).await;
    let queue = browser.call("POST", "/json/register", &json!({"event_types": ["message"]})).await.success();
    server.user("max").send_to("general", "web", "hello").await;

    let params = json!({"queue_id": queue["queue_id"], "last_event_id": -1});
    let events = browser.call("GET", "/json/events", &params).await.success();
    assert_eq!(events["events"][0]["message"]["content"], "hello");

    let file = server.user("mel").upload("/user_uploads", "a.txt", "text/plain", b"of mel").await.success();
    let path = file["url"].as_str().expect("an address").to_owned();
    assert_eq!(browser.send("GET", &path, String::new()).await.with_status(200).bytes, b"of mel");
    let announced = [("tus-resumable", "1.0.0"), ("upload-length", "3"), ("upload-metadata", "filename YS50eHQ=")];
    browser.headers = announced.map(|(name, value)| (name, value.to_owned())).to_vec();
    browser.headers.push(("x-csrftoken", browser.token().to_owned()));
    drop(browser.send("POST", "/api/v1/tus/", String::new()).await.with_status(201));
    browser.headers.clear();
    browser.cookies.clear();
    assert_ne!(browser.send("GET", &path, String::new()).await.status, 200);
}
