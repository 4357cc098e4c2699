//! The console: who is served its page and files, and what the page may do.

use crate::control::Control;
use crate::support::{Reply, TestServer};
use base64::Engine;
use bytes::Bytes;
use http_body_util::Full;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;

async fn asked(server: &TestServer, method: &str, path: &str, headers: &[(&str, &str)]) -> Reply {
    let mut request = http::Request::builder().method(method).uri(format!("{}{path}", server.url()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::new())).expect("a well-formed request");
    server.anonymous().raw(request, &format!("{method} {path} {headers:?}")).await
}

fn text(reply: &Reply) -> String {
    String::from_utf8_lossy(&reply.bytes).into_owned()
}

const BROWSER: (&str, &str) = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");

#[tokio::test]
async fn browsers_get_the_page_and_others_an_unknown_path() {
    let server = TestServer::start().await;

    for path in ["/", "/console", "/console/w/default/live", "/console/w/gone/act"] {
        let page = asked(&server, "GET", path, &[BROWSER]).await.with_status(200);
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert!(text(&page).contains("<div id=\"console\">"), "{path}");
    }
    for (method, path, headers) in [
        ("GET", "/", [("accept", "application/json")].as_slice()),
        ("GET", "/", &[]),
        ("GET", "/console/w/default/live", &[]),
        ("GET", "/console/files/nothing.js", &[]),
        ("GET", "/console/files/../../Cargo.toml", &[]),
        ("POST", "/", &[BROWSER]),
        ("GET", "/consoles", &[BROWSER]),
    ] {
        let other = asked(&server, method, path, headers).await.with_status(404);
        assert!(other.header("x-chatdouble-hint").is_some(), "{path}");
        other.error("BAD_REQUEST", "Unknown path");
    }
}

#[tokio::test]
async fn only_hosts_that_may_steer_get_the_page() {
    let server = TestServer::start().await;

    for host in ["localhost:9991", "127.0.0.1", "[::1]:80", "default.localhost"] {
        let _ = asked(&server, "GET", "/", &[BROWSER, ("host", host)]).await.with_status(200);
        let _ = asked(&server, "GET", "/console/files/main.js", &[("host", host)]).await.with_status(200);
    }
    for host in ["rebind.evil.test", "localhost.evil.test", "10.0.0.1", "localhost:evil"] {
        asked(&server, "GET", "/", &[BROWSER, ("host", host)])
            .await
            .with_status(404)
            .error("BAD_REQUEST", "Unknown path");
        let _ = asked(&server, "GET", "/console/files/main.js", &[("host", host)]).await.with_status(404);
    }
}

#[tokio::test]
async fn with_a_token_the_page_is_for_any_host_and_control_asks_for_it() {
    let server = TestServer::start_with(|options| options.control_token = Some("secret".into())).await;

    let _ = asked(&server, "GET", "/", &[BROWSER, ("host", "chat.example.com")]).await.with_status(200);
    asked(&server, "GET", "/control/worlds", &[]).await.with_status(401).error(
        "UNAUTHORIZED",
        "Control needs the token that the server was started with, in the header Authorization: Bearer TOKEN",
    );
    let _ = asked(&server, "GET", "/control/worlds", &[("authorization", "Bearer secret")]).await.with_status(200);
}

#[tokio::test]
async fn the_page_may_do_nothing_but_call_this_server() {
    let server = TestServer::start().await;

    let page = asked(&server, "GET", "/", &[BROWSER]).await;
    let policy = page.header("content-security-policy").expect("a policy");
    for rule in
        ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]
    {
        assert!(policy.split(';').any(|one| one.trim() == rule), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    assert!(!text(&page).contains("style=") && !text(&page).contains("onclick"), "nothing is inline");
}

#[tokio::test]
async fn files_that_a_browser_has_are_not_sent_again() {
    let server = TestServer::start().await;

    let first = asked(&server, "GET", "/console/files/main.js", &[]).await.with_status(200);
    let tag = first.header("etag").expect("a tag").to_owned();
    assert_eq!(first.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert_eq!(first.header("cache-control"), Some("no-cache"));
    let again = asked(&server, "GET", "/console/files/main.js", &[("if-none-match", &tag)]).await.with_status(304);
    assert_eq!(text(&again), "");
    let _ = asked(&server, "GET", "/console/files/main.js", &[("if-none-match", "\"other\"")]).await.with_status(200);
}

/// Files below the folder of the page, the program's own code left out.
fn files(folder: &Path, root: &Path, all: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files(&path, root, all);
        } else if path.extension().is_some_and(|end| end != "rs") {
            all.insert(path.strip_prefix(root).expect("inside").to_string_lossy().replace('\\', "/"));
        }
    }
}

#[tokio::test]
async fn every_file_of_the_page_is_served_as_it_is_and_all_are_small() {
    let server = TestServer::start().await;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/console");
    let mut all = BTreeSet::new();
    files(&root, &root, &mut all);
    let page = std::fs::read_to_string(root.join("index.html")).expect("the page");
    let mut size = 0;

    for name in &all {
        let path = format!("/console/files/{name}");
        let served = asked(&server, "GET", &path, &[]).await.with_status(200);
        let bytes = std::fs::read(root.join(name)).expect("readable");
        assert_eq!(served.bytes, bytes, "{name}");
        size += bytes.len();
        if name.ends_with(".js") || name.ends_with(".css") {
            assert!(page.contains(&path), "{name} is not loaded with the page");
        }
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("innerHTML ="), "{name} writes HTML");
        let outside = ["src=\"http", "from \"http", "fetch(\"http", "url(http"];
        assert!(!outside.iter().any(|way| text.contains(way)), "{name} fetches from elsewhere");
    }
    assert!(all.len() > 20 && size < 400 * 1024, "{} files, {size} bytes", all.len());
}

#[tokio::test]
async fn a_page_may_choose_its_name_and_the_report_leaves_the_console_out() {
    let server = TestServer::start().await;
    let key = base64::engine::general_purpose::STANDARD.encode("mel@chat.test:melKey00000000000000000000000000");
    let authorization = format!("Basic {key}");
    let browser = [("authorization", authorization.as_str()), ("user-agent", "Mozilla/5.0 (X11)")];

    for name in [None, Some("webclient/2.1"), Some("chatdouble-console")] {
        let headers: Vec<_> = browser.into_iter().chain(name.map(|name| ("x-chatdouble-client", name))).collect();
        asked(&server, "GET", "/api/v1/users/me?colour=red", &headers).await.success();
    }

    let names = async |path: &str, list: &str, key: &str| {
        let reply = asked(&server, "GET", &format!("/control/worlds/default/{path}"), &[]).await.success();
        let rows = reply[list].as_array().expect("a list").clone();
        let mut names: Vec<String> = rows.iter().map(|row| row[key].as_str().unwrap_or_default().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names("journal", "entries", "client").await, ["Mozilla", "chatdouble-console", "webclient"]);
    assert_eq!(names("report", "clients", "client").await, ["Mozilla/5.0", "webclient/2.1"]);
}

#[tokio::test]
async fn the_networks_of_the_console_have_the_values_of_the_server() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let source = include_str!("../../src/console/part/presets.js");
    let (_, profiles) = source.split_once("export const PROFILES = {\n").expect("the networks");
    let rows: Vec<&str> = profiles.lines().take_while(|line| *line != "};").collect();
    assert!(rows.len() >= 6, "{rows:?}");
    for row in rows {
        let (name, values) = row.trim().split_once(": { ").expect("a name and its values");
        let name = name.trim_matches('"');
        control.post("/worlds/default/network", json!({"profile": name})).await.success();
        let reply = control.get("/worlds/default/network").await.success();
        let network = &reply["networks"][0];
        for value in values.trim_end_matches(" },").split(", ") {
            let (key, given) = value.split_once(": ").expect("a key and its value");
            let given: f64 = given.replace('_', "").parse().expect("a number");
            assert_eq!(network[key].as_f64(), Some(given), "{name}: {key} in {reply}");
        }
    }
}
