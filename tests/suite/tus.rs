//! Resumable uploads.

use crate::support::{Reply, TestServer, User};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::Full;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

const PIECE: &str = "application/offset+octet-stream";
const CAT: &str = "filename Y2F0IMOpLnBuZw==,filetype aW1hZ2UvcG5n";

fn authorization(user: &User) -> String {
    format!("Basic {}", STANDARD.encode(format!("{}:{}", user.email(), user.credentials().api_key)))
}

/// A request of the protocol, with the version and a user's credentials.
async fn tus(user: &User, method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
    let authorization = authorization(user);
    let common = [("tus-resumable", "1.0.0"), ("authorization", authorization.as_str())];
    let all: Vec<_> = common.iter().chain(headers).copied().collect();
    bare(user, method, url, &all, body).await
}

async fn bare(user: &User, method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
    let mut request = http::Request::builder().method(method).uri(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::copy_from_slice(body))).expect("a test's request is well-formed");
    user.raw(request, &format!("{method} {url}")).await
}

async fn create(server: &TestServer, user: &User, length: u64, metadata: &str) -> String {
    let length = length.to_string();
    let headers = [("upload-length", length.as_str()), ("upload-metadata", metadata)];
    let reply = tus(user, "POST", &format!("{}/api/v1/tus/", server.url()), &headers, b"").await.with_status(201);
    reply.header("location").expect("a new upload has an address").to_owned()
}

async fn patch(user: &User, url: &str, offset: u64, piece: &[u8]) -> Reply {
    let offset = offset.to_string();
    tus(user, "PATCH", url, &[("content-type", PIECE), ("upload-offset", &offset)], piece).await
}

async fn offset(user: &User, url: &str) -> String {
    let reply = tus(user, "HEAD", url, &[], b"").await.with_status(200);
    assert_eq!((reply.header("cache-control"), reply.bytes.len()), (Some("no-store"), 0));
    reply.header("upload-offset").unwrap_or_default().to_owned()
}

/// Asserts a refusal of the protocol.
#[track_caller]
fn refused(reply: Reply, status: u16, message: &str) {
    let reply = reply.with_status(status);
    assert_eq!(reply.body, json!({ "message": message }));
    assert_eq!(reply.header("tus-resumable"), Some("1.0.0"));
}

#[tokio::test]
async fn a_file_arrives_piece_by_piece_and_is_an_ordinary_upload() {
    let server = TestServer::start().await;
    let [max, mel] = server.users(["max", "mel"]);
    let mut at_max = max.events(["attachment"]).await;
    let mut at_mel = mel.events(["attachment"]).await;

    let url = create(&server, &max, 10, CAT).await;
    let id = url.strip_prefix(&format!("{}/api/v1/tus/", server.url())).expect("under the endpoint").to_owned();
    assert!(id.starts_with("2/") && id.ends_with("/cat-.png"), "{id}");
    assert_eq!(offset(&max, &url).await, "0");
    let first = patch(&max, &url, 0, b"01234").await.with_status(204);
    assert_eq!(first.header("upload-offset"), Some("5"));
    assert_eq!(offset(&max, &url).await, "5");
    at_max.none().await;
    let last = patch(&max, &url, 5, b"56789").await.with_status(200);

    assert_eq!(last.header("upload-offset"), Some("10"));
    assert_eq!(last.body, json!({"url": format!("/user_uploads/{id}"), "filename": "cat é.png"}));
    assert_eq!(offset(&max, &url).await, "10");
    let event = at_max.next().await.has(json!({"type": "attachment", "op": "add"}));
    assert_eq!(event["attachment"]["path_id"], id.as_str());
    assert_eq!((&event["attachment"]["size"], &event["attachment"]["name"]), (&json!(10), &json!("cat é.png")));
    at_max.none().await;
    at_mel.none().await;
    let file = max.get(&format!("/user_uploads/{id}"), json!({})).await.with_status(200);
    assert_eq!((file.bytes.as_slice(), file.header("content-type")), (&b"0123456789"[..], Some("image/png")));
    let listed = max.get("/attachments", json!({})).await.success();
    assert_eq!(listed["attachments"], json!([event["attachment"]]));
}

#[tokio::test]
async fn the_first_bytes_may_come_with_the_creation() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let endpoint = format!("{}/api/v1/tus", server.url());
    let headers = [("upload-length", "4"), ("upload-metadata", "filename YS50eHQ="), ("content-type", PIECE)];

    let part = tus(&max, "POST", &endpoint, &headers, b"ab").await.with_status(201);
    assert_eq!(part.header("upload-offset"), Some("2"));
    let whole = tus(&max, "POST", &endpoint, &headers, b"abcd").await.with_status(201);

    assert_eq!(whole.body["filename"], "a.txt");
    let file = max.get(whole.body["url"].as_str().unwrap_or_default(), json!({})).await.with_status(200);
    assert_eq!(file.header("content-type"), Some("text/plain; charset=utf-8"), "guessed from the name");
    let nothing = tus(&max, "POST", &endpoint, &[("upload-length", "0")], b"").await.with_status(201);
    assert_eq!(nothing.body["filename"], "uploaded-file");
}

#[tokio::test]
async fn what_arrived_before_a_connection_broke_is_kept() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let url = create(&server, &max, 10, CAT).await;
    let (address, path) = (server.url().replace("http://", ""), url.strip_prefix(&server.url()).unwrap_or_default());
    let mut stream = tokio::net::TcpStream::connect(&address).await.expect("the server listens");
    let head = format!(
        "PATCH {path} HTTP/1.1\r\nHost: {address}\r\nTus-Resumable: 1.0.0\r\nAuthorization: {}\r\n\
         Content-Type: {PIECE}\r\nUpload-Offset: 0\r\nContent-Length: 10\r\n\r\n0123456",
        authorization(&max)
    );

    stream.write_all(head.as_bytes()).await.expect("it can be written to");
    stream.shutdown().await.expect("it can be closed");
    drop(stream);

    for _ in 0..2_000 {
        if offset(&max, &url).await == "7" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    assert_eq!(offset(&max, &url).await, "7");
    let last = patch(&max, &url, 7, b"789").await.with_status(200);
    let file = max.get(last.body["url"].as_str().unwrap_or_default(), json!({})).await;
    assert_eq!(file.bytes, b"0123456789");
}

#[tokio::test]
async fn uploads_are_authenticated_with_a_key_and_ones_own() {
    let server = TestServer::start().await;
    let [max, mel] = server.users(["max", "mel"]);
    let endpoint = format!("{}/api/v1/tus/", server.url());
    let url = create(&server, &max, 10, CAT).await;
    let message = "Unauthenticated upload";
    let version = ("tus-resumable", "1.0.0");

    refused(bare(&max, "POST", &endpoint, &[version, ("upload-length", "1")], b"").await, 401, message);
    let wrong = max.with_key("wrongKey000000000000000000000000");
    refused(tus(&wrong, "POST", &endpoint, &[("upload-length", "1")], b"").await, 401, message);
    refused(tus(&server.user("hook-bot"), "POST", &endpoint, &[("upload-length", "1")], b"").await, 401, message);
    refused(patch(&mel, &url, 0, b"x").await, 404, "Upload not found");
    refused(tus(&mel, "DELETE", &url, &[], b"").await, 404, "Upload not found");
    let head = tus(&mel, "HEAD", &url, &[], b"").await;
    assert_eq!((head.status, head.header("upload-offset")), (404, None));
}

#[tokio::test]
async fn files_are_limited_and_their_size_is_said_beforehand() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let endpoint = format!("{}/api/v1/tus/", server.url());
    let post = async |length: &str| tus(&max, "POST", &endpoint, &[("upload-length", length)], b"").await;
    let mib = 1024 * 1024;

    let large = "File is larger than this server's configured maximum upload size (100 MiB).";
    refused(post(&(100 * mib + 1).to_string()).await, 413, large);
    assert_eq!(post(&(100 * mib).to_string()).await.status, 201);
    let deferred = tus(&max, "POST", &endpoint, &[("upload-defer-length", "1")], b"").await;
    refused(deferred, 411, "SizeIsDeferred is not supported");
    refused(post("-1").await, 400, "Missing or invalid header: upload-length");
    let small =
        TestServer::start_in(|fixture| fixture["organization"]["settings"]["upload_quota_mib"] = json!(1)).await;
    let (max, endpoint) = (small.user("max"), format!("{}/api/v1/tus/", small.url()));
    let quota = "Upload would exceed your organization's upload quota.";
    refused(tus(&max, "POST", &endpoint, &[("upload-length", &mib.to_string())], b"").await, 413, quota);
}

#[tokio::test]
async fn pieces_go_where_the_upload_continues() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let url = create(&server, &max, 4, CAT).await;

    refused(patch(&max, &url, 2, b"cd").await, 409, "Upload-Offset does not match the upload's offset");
    refused(patch(&max, &url, 0, b"abcde").await, 413, "The upload is longer than announced");
    let kind = tus(&max, "PATCH", &url, &[("upload-offset", "0"), ("content-type", "text/plain")], b"ab").await;
    refused(kind, 415, "Content-Type must be application/offset+octet-stream");
    let no_offset = tus(&max, "PATCH", &url, &[("content-type", PIECE)], b"ab").await;
    refused(no_offset, 400, "Missing or invalid header: upload-offset");
    let missing = format!("{}/api/v1/tus/2/aa/nothing/x", server.url());
    refused(patch(&max, &missing, 0, b"ab").await, 404, "Upload not found");
    let old = bare(&max, "PATCH", &url, &[("authorization", &authorization(&max))], b"ab").await;
    assert_eq!(old.header("tus-version"), Some("1.0.0"));
    refused(old, 412, "Tus-Resumable must be 1.0.0");
    assert_eq!(offset(&max, &url).await, "0");
}

#[tokio::test]
async fn an_unfinished_upload_is_given_up_and_a_finished_one_is_not() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let url = create(&server, &max, 4, CAT).await;
    assert_eq!(tus(&max, "DELETE", &url, &[], b"").await.status, 204);
    refused(patch(&max, &url, 0, b"abcd").await, 404, "Upload not found");

    let url = create(&server, &max, 4, CAT).await;
    assert_eq!(patch(&max, &url, 0, b"abcd").await.status, 200);
    refused(tus(&max, "DELETE", &url, &[], b"").await, 403, "Finished uploads can't be terminated");
}

#[tokio::test]
async fn the_endpoint_says_what_it_can() {
    let server = TestServer::start().await;
    let max = server.user("max");

    let reply = bare(&max, "OPTIONS", &format!("{}/api/v1/tus/", server.url()), &[], b"").await.with_status(204);

    assert_eq!(reply.header("tus-version"), Some("1.0.0"));
    assert_eq!(reply.header("tus-extension"), Some("creation,creation-with-upload,termination"));
    let url = create(&server, &max, 4, CAT).await;
    let get = tus(&max, "GET", &url, &[], b"").await;
    assert_eq!((get.status, get.body["message"].clone()), (405, Value::from("Method Not Allowed")));
}

#[tokio::test]
async fn in_a_session_uploads_prove_that_a_page_of_this_server_made_them() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let browser = crate::support::Browser::logged_in(server.url(), "mel@chat.test").await;
    let token = browser.token().to_owned();
    let cookies: Vec<String> = browser.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let cookies = cookies.join("; ");
    let url = format!("{}/api/v1/tus/", server.url());
    let common = [("tus-resumable", "1.0.0"), ("upload-length", "3"), ("cookie", cookies.as_str())];
    let foreign = [("x-csrftoken", token.as_str()), ("origin", "https://evil.test")];
    for (headers, message) in [
        (vec![], "CSRF error: CSRF token missing."),
        (vec![("x-csrftoken", "0".repeat(32))], "CSRF error: CSRF token from the 'X-Csrftoken' HTTP header incorrect."),
        (vec![("x-http-method-override", "POST".to_owned())], "CSRF error: CSRF token missing."),
    ] {
        let headers: Vec<_> =
            common.into_iter().chain(headers.iter().map(|(name, value)| (*name, value.as_str()))).collect();
        refused(bare(&mel, "POST", &url, &headers, b"").await, 403, message);
    }
    let headers: Vec<_> = common.into_iter().chain(foreign).collect();
    let message = "CSRF error: Origin checking failed - https://evil.test does not match any trusted origins.";
    refused(bare(&mel, "POST", &url, &headers, b"").await, 403, message);

    let headers: Vec<_> = common.into_iter().chain([foreign[0]]).collect();
    let made = bare(&mel, "POST", &url, &headers, b"").await.with_status(201);
    let place = made.header("location").expect("a new upload has an address").to_owned();
    let piece =
        [("tus-resumable", "1.0.0"), ("content-type", PIECE), ("upload-offset", "0"), ("cookie", cookies.as_str())];
    for (method, further) in [("PATCH", None), ("GET", Some(("x-http-method-override", "PATCH")))] {
        let headers: Vec<_> = piece.into_iter().chain(further).collect();
        refused(bare(&mel, method, &place, &headers, b"abc").await, 403, "CSRF error: CSRF token missing.");
    }
    let look = [("tus-resumable", "1.0.0"), ("cookie", cookies.as_str())];
    assert_eq!(bare(&mel, "HEAD", &place, &look, b"").await.status, 200);
    let headers: Vec<_> = piece.into_iter().chain([foreign[0]]).collect();
    assert_eq!(bare(&mel, "PATCH", &place, &headers, b"abc").await.status, 200);
}
