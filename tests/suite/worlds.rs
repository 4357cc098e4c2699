//! Worlds: found by path, host and port; apart from each other; with addresses that lead back.

use crate::support::{ParseTimestamp, START, TestServer, User};
use bytes::Bytes;
use chatdouble::InitialClock;
use http_body_util::Full;
use serde_json::{Value, json};

fn add(server: &TestServer, name: &str) -> String {
    let fixture = chatdouble::fixture::built_in("default").expect("built in");
    let clock = InitialClock::At(START.parse_timestamp());
    server.server().add_world(name, fixture, clock, 0).unwrap_or_else(|error| panic!("{error}"))
}

async fn with_host(server: &TestServer, host: &str, path: &str) -> (u16, Value) {
    let request = http::Request::builder().uri(format!("{}{path}", server.url())).header("host", host);
    let request = request.body(Full::new(Bytes::new())).expect("a well-formed request");
    let reply = server.anonymous().raw(request, path).await;
    (reply.status, reply.body)
}

#[tokio::test]
async fn worlds_share_nothing() {
    let server = TestServer::start().await;
    let [here, there] = [server.user("mel"), server.user_at(&add(&server, "other"), "other", "mel")];
    let mut events = there.events(["message"]).await;
    let newest = there.get("/users/me", json!({})).await.success()["max_message_id"].clone();

    here.send_to("general", "t", "only here").await;

    events.none().await;
    assert_eq!(there.get("/users/me", json!({})).await.success()["max_message_id"], newest);
    assert_eq!(here.credentials(), there.credentials(), "the same fixture has the same keys");
}

#[tokio::test]
async fn a_poll_parked_on_one_world_is_not_woken_by_another() {
    let server = TestServer::start().await;
    let there = server.user_at(&add(&server, "other"), "other", "mel");
    let mut queue = server.user("mel").events(["message"]).await;
    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;

    there.send_to("general", "t", "elsewhere").await;

    assert_eq!(server.server().world("default").wake_count(), 0);
    assert!(!parked.is_finished());
}

#[tokio::test]
async fn a_world_is_found_by_path_host_and_port() {
    let server = TestServer::start().await;
    let by_path = add(&server, "blue");
    let by_port = server.server().listen_for("blue").await.expect("a free port");
    let port = server.server().address().port();

    for url in [&by_path, &by_port] {
        let settings = User::new(url.clone(), None).get("/server_settings", json!({})).await.success();
        assert_eq!(settings["realm_url"], *url);
    }
    let (status, settings) = with_host(&server, &format!("blue.localhost:{port}"), "/api/v1/server_settings").await;
    assert_eq!((status, &settings["realm_url"]), (200, &json!(format!("http://blue.localhost:{port}"))));
    let (status, settings) = with_host(&server, "10.0.2.2:9991", "/api/v1/server_settings").await;
    assert_eq!((status, &settings["realm_url"]), (200, &json!("http://10.0.2.2:9991")));
}

#[tokio::test]
async fn an_unknown_world_is_not_the_default_one() {
    let server = TestServer::start().await;

    let nowhere = User::new(format!("{}/w/nowhere", server.url()), None);
    let reply = nowhere.get("/server_settings", json!({})).await.with_status(404);
    let hint = "There is no world 'nowhere'; GET /control/worlds lists those that there are.";
    assert_eq!(reply.header("x-chatdouble-hint"), Some(hint));
    reply.error("NONEXISTENT_SUBDOMAIN", "Invalid subdomain");
    let (status, body) = with_host(&server, "nowhere.localhost", "/api/v1/server_settings").await;
    assert_eq!((status, &body["code"]), (404, &json!("NONEXISTENT_SUBDOMAIN")));
}

#[tokio::test]
async fn a_browser_gets_a_page_for_an_unknown_world() {
    let server = TestServer::start().await;
    add(&server, "blue");
    let html = ("accept", "text/html,*/*");
    for path in ["/w/bleu/", "/w/bleu", "/w/bleu/accounts/login/"] {
        let page = server.request("GET", path, &[html], "").await.with_status(404);
        let shown = String::from_utf8(page.bytes).expect("text");
        assert!(shown.contains("There is no world ‘bleu’"), "{shown}");
        let places = ["blue", "default"].map(|world| shown.find(&format!(r#"href="/console/w/{world}""#)));
        assert!(places[0].is_some() && places[0] < places[1], "{shown}");
    }
    let page = server.request("GET", "/users", &[html, ("host", "bleu.localhost")], "").await.with_status(404);
    assert!(String::from_utf8_lossy(&page.bytes).contains("‘bleu’"), "{page}");
    // Others than browsers of this machine get the API's refusal.
    for (method, headers) in [("GET", vec![]), ("POST", vec![html]), ("GET", vec![html, ("host", "evil.example")])] {
        let reply = server.request(method, "/w/bleu/", &headers, "").await.with_status(404);
        reply.error("NONEXISTENT_SUBDOMAIN", "Invalid subdomain");
    }
    let guarded = TestServer::start_with(|options| options.control_token = Some("secret".into())).await;
    let page = guarded.request("GET", "/w/bleu/", &[html], "").await.with_status(404);
    let shown = String::from_utf8(page.bytes).expect("text");
    assert!(
        shown.contains("bleu") && !shown.contains("default"),
        "the worlds are for those who have the token: {shown}"
    );
}

#[tokio::test]
async fn addresses_lead_back_to_the_world_and_stored_text_has_no_prefix() {
    let server = TestServer::start().await;
    let mel = server.user_at(&add(&server, "blue"), "blue", "mel");
    let uploaded = mel.upload("/user_uploads", "note.txt", "text/plain", b"hello").await.success();
    let url = uploaded["url"].as_str().expect("an address").to_owned();
    assert!(url.starts_with("/w/blue/user_uploads/2/"), "{url}");

    // Joined to the host, or put behind the base URL: both lead to the file.
    let at_host = User::new(server.url(), Some(mel.credentials().clone()));
    assert_eq!(at_host.get(&url, json!({})).await.bytes, b"hello");
    let behind_base = User::new(format!("{}/w/blue", server.url()), Some(mel.credentials().clone()));
    assert_eq!(behind_base.get(&url, json!({})).await.bytes, b"hello");

    let id = mel.send_to("general", "t", &format!("[note]({url})")).await;
    let message = mel.get(&format!("/messages/{id}"), json!({})).await.success();
    let stored = message["raw_content"].as_str().expect("text");
    assert!(stored.starts_with("[note](/user_uploads/2/"), "{stored}");
    assert_eq!(message["message"]["content"], format!("<p><a href=\"{url}\">note</a></p>"));
}

#[tokio::test]
async fn forwarded_addresses_count() {
    let server = TestServer::start().await;
    let request = http::Request::builder()
        .uri(format!("{}/api/v1/server_settings", server.url()))
        .header("x-forwarded-proto", "https")
        .header("x-forwarded-host", "chat.example.org");
    let request = request.body(Full::new(Bytes::new())).expect("a well-formed request");

    let reply = server.anonymous().raw(request, "forwarded").await.success();

    assert_eq!(reply["realm_url"], "https://chat.example.org");
}

#[tokio::test]
async fn what_proxies_say_of_the_address_is_read_as_they_write_it() {
    let server = TestServer::start().await;
    for (name, value, expected) in [
        ("x-forwarded-host", "a.example, b.example", "http://a.example"),
        ("x-forwarded-proto", "https, http", "https://chat.example"),
        ("x-forwarded-proto", "HTTPS", "https://chat.example"),
        ("x-forwarded-host", "", "http://chat.example"),
    ] {
        let request = http::Request::builder().uri(format!("{}/api/v1/server_settings", server.url()));
        let request = request.header("host", "chat.example").header(name, value);
        let request = request.body(Full::new(Bytes::new())).expect("a well-formed request");
        let reply = server.anonymous().raw(request, "/server_settings").await;
        assert_eq!(reply.body["realm_url"], expected, "{name}: {value}");
    }
}

#[tokio::test]
async fn names_of_hosts_ignore_case() {
    let server = TestServer::start().await;
    add(&server, "blue");

    for host in ["BLUE.localhost", "Blue.LocalHost:1234", "blue.LOCALHOST"] {
        let (status, settings) = with_host(&server, host, "/api/v1/server_settings").await;
        assert_eq!((status, &settings["realm_url"]), (200, &json!(format!("http://{host}"))));
    }
    assert_eq!(with_host(&server, "RED.localhost", "/api/v1/server_settings").await.0, 404);
}

#[tokio::test]
async fn what_users_wrote_comes_back_as_it_was_from_a_world_at_a_path() {
    let server = TestServer::start().await;
    let url = add(&server, "blue");
    let [mel, bot] = ["mel", "build-bot"].map(|handle| server.user_at(&url, "blue", handle));
    let text = "see `\"/static/x\"` and \"/user_uploads/y\"";

    let storage = json!({"url": "/static/x", "content": "<img src=\"/static/x\">"});
    bot.put("/bot_storage", json!({ "storage": storage })).await.success();
    let kept = bot.get("/bot_storage", json!({})).await.success()["storage"].take();
    assert_eq!([&kept["url"], &kept["content"]], [&storage["url"], &storage["content"]]);
    mel.post("/saved_snippets", json!({"title": "t", "content": text})).await.success();
    let snippets = mel.get("/saved_snippets", json!({})).await.success()["saved_snippets"].take();
    assert!(snippets.as_array().expect("a list").iter().any(|snippet| snippet["content"] == text), "{snippets}");

    let id = mel.send_to("general", "t", &format!("{text} :octopus: ![](/static/z.png)")).await;
    let raw = mel.get(&format!("/messages/{id}"), json!({"apply_markdown": false})).await.success();
    assert!(raw["message"]["content"].as_str().expect("a text").starts_with(text), "{raw}");
    let html = mel.get(&format!("/messages/{id}"), json!({})).await.success()["message"]["content"].take();
    let html = html.as_str().expect("a text");
    assert!(html.contains("<code>\"/static/x\"</code> and \"/user_uploads/y\""), "{html}");
}
