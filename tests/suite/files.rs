//! Files of the API: byte ranges, validators, types, names, and pictures whose thumbnails arrive later.

use crate::support::{Queue, Reply, TestServer, User};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

const TEXT: &[u8] = b"0123456789";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9cc\xf8\xff\xff?\0\x05\xfe\x02\xfe\xa75\x81\x84\0\0\0\0IEND\xaeB`\x82";

async fn uploaded(user: &User, name: &str, kind: &str, bytes: &[u8]) -> String {
    let reply = user.upload("/user_uploads", name, kind, bytes).await.success();
    reply["url"].as_str().expect("an address").to_owned()
}

/// A file as a user with these headers gets it.
async fn fetched(server: &TestServer, url: &str, headers: &[(&str, &str)]) -> Reply {
    let mel = server.user("mel");
    let pair = format!("{}:{}", mel.email(), mel.credentials().api_key);
    let authorization = format!("Basic {}", STANDARD.encode(pair));
    let headers = [headers, &[("authorization", authorization.as_str())]].concat();
    server.request("GET", url, &headers, "").await
}

#[tokio::test]
async fn a_part_of_a_file_is_given() {
    let server = TestServer::start().await;
    let url = uploaded(&server.user("mel"), "n.txt", "text/plain", TEXT).await;

    let whole = fetched(&server, &url, &[]).await;
    assert_eq!((whole.status, whole.header("accept-ranges"), &*whole.bytes), (200, Some("bytes"), TEXT));
    for (range, part, given) in [
        ("bytes=2-4", "234", "bytes 2-4/10"),
        ("bytes=7-", "789", "bytes 7-9/10"),
        ("bytes=-2", "89", "bytes 8-9/10"),
        ("bytes=5-500", "56789", "bytes 5-9/10"),
    ] {
        let reply = fetched(&server, &url, &[("range", range)]).await;
        assert_eq!((reply.status, reply.header("content-range"), &*reply.bytes), (206, Some(given), part.as_bytes()));
        assert_eq!(reply.header("content-length"), Some(part.len().to_string().as_str()));
        assert_eq!(reply.header("content-type"), whole.header("content-type"));
    }
    let reply = fetched(&server, &url, &[("range", "bytes=10-")]).await;
    assert_eq!((reply.status, reply.header("content-range"), reply.bytes.len()), (416, Some("bytes */10"), 0));
    for range in ["bytes=0-1,3-4", "bytes=4-1", "lines=1-2"] {
        let reply = fetched(&server, &url, &[("range", range)]).await;
        assert_eq!((reply.status, &*reply.bytes), (200, TEXT), "{range}");
    }
}

#[tokio::test]
async fn a_part_of_another_version_is_not_given() {
    let server = TestServer::start().await;
    let url = uploaded(&server.user("mel"), "n.txt", "text/plain", TEXT).await;
    let whole = fetched(&server, &url, &[]).await;
    let tag = whole.header("etag").expect("a tag").to_owned();
    let time = whole.header("last-modified").expect("a time").to_owned();
    assert_eq!(time, "Thu, 01 Jan 2026 12:00:00 GMT");

    for (condition, status) in
        [(tag.as_str(), 206), (&time, 206), ("\"other\"", 200), ("Thu, 01 Jan 2026 12:00:01 GMT", 200)]
    {
        let reply = fetched(&server, &url, &[("range", "bytes=0-1"), ("if-range", condition)]).await;
        assert_eq!(reply.status, status, "{condition}");
    }
    for (header, value, status) in [
        ("if-none-match", tag.as_str(), 304),
        ("if-none-match", "*", 304),
        ("if-none-match", &format!("\"x\", W/{tag}"), 304),
        ("if-none-match", "\"x\"", 200),
        ("if-modified-since", &time, 304),
        ("if-modified-since", "Thu, 01 Jan 2026 11:00:00 GMT", 200),
    ] {
        let reply = fetched(&server, &url, &[(header, value)]).await;
        assert_eq!((reply.status, reply.header("etag")), (status, Some(tag.as_str())), "{header}: {value}");
        assert_eq!(reply.bytes.len(), if status == 304 { 0 } else { TEXT.len() });
    }
}

#[tokio::test]
async fn a_type_of_text_says_its_characters_where_the_bytes_are_such() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    for (name, kind, bytes, shown) in [
        ("a.txt", "text/plain", "größe".as_bytes(), "text/plain; charset=utf-8"),
        ("b.txt", "text/plain", b"\xff\xfe\x00", "text/plain"),
        ("c.txt", "text/plain; charset=latin1", b"\xfc", "text/plain; charset=latin1"),
        ("d.csv", "text/csv", b"a,b", "text/csv; charset=utf-8"),
        ("e.bin", "application/octet-stream", b"abc", "application/octet-stream"),
    ] {
        let url = uploaded(&mel, name, kind, bytes).await;
        let reply = fetched(&server, &url, &[]).await;
        assert_eq!(reply.header("content-type"), Some(shown), "{name}");
    }
}

#[tokio::test]
async fn names_are_plain_where_they_can_be() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    for (name, kind, disposition) in [
        ("n.txt", "text/plain", "inline; filename=\"n.txt\""),
        ("my notes (1).txt", "text/plain", "inline; filename=\"my notes (1).txt\""),
        ("größe.txt", "text/plain", "inline; filename*=utf-8''gr%C3%B6%C3%9Fe.txt"),
        ("p.html", "text/html", "attachment; filename=\"p.html\""),
    ] {
        let url = uploaded(&mel, name, kind, b"x").await;
        let reply = fetched(&server, &url, &[]).await;
        assert_eq!(reply.header("content-disposition"), Some(disposition), "{name}");
    }
}

#[tokio::test]
async fn long_names_are_cut_and_keep_their_ending() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let reply = mel.upload("/user_uploads", &format!("{}.tar.gz", "ü".repeat(400)), "text/plain", b"x").await.success();

    let shown = reply["filename"].as_str().expect("a name");
    assert_eq!((shown.chars().count(), shown.ends_with("ü.gz")), (255, true), "{shown}");
    let url = reply["url"].as_str().expect("an address");
    let last = url.rsplit('/').next().expect("a name");
    assert!(last.len() <= 255 && last.len() > 250 && last.ends_with("ü.gz"), "{last}");
    let path = url.replace('ü', "%C3%BC");
    assert_eq!(fetched(&server, &path, &[]).await.status, 200);
}

/// A queue that gets messages as HTML.
async fn listen(user: &User) -> Queue {
    let types = json!(["message", "update_message"]);
    user.register(json!({"event_types": types, "fetch_event_types": [], "apply_markdown": true})).await
}

async fn previews(server: &TestServer, body: Value) {
    let reply = server
        .request("POST", "/control/worlds/default/previews", &[("content-type", "application/json")], &body.to_string())
        .await;
    reply.success();
}

#[tokio::test]
async fn thumbnails_arrive_when_the_world_says() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    previews(&server, json!({"thumbnail_seconds": 5})).await;
    let url = uploaded(&mel, "dot.png", "image/png", PNG).await;
    let path = url.strip_prefix("/user_uploads/").expect("an upload").to_owned();
    let mut queue = listen(&mel).await;
    let id = mel.send_to("engineering", "pictures", &format!("[dot.png]({url}) ![in it]({url})")).await;
    let status =
        async || mel.get(&format!("/thumbnail/status/{path}"), json!({})).await.success()["has_thumbnail"].clone();

    let placeholder = queue.next().await.0["message"]["content"].as_str().expect("HTML").to_owned();
    assert_eq!(placeholder.matches("image-loading-placeholder").count(), 2, "{placeholder}");
    assert!(!placeholder.contains("/thumbnail/"), "{placeholder}");
    assert_eq!(status().await, false);
    server.advance(4).await;
    queue.none().await;
    server.advance(1).await;

    let event = queue.next().await.0;
    let shown = event["rendered_content"].as_str().expect("HTML").to_owned();
    assert_eq!(status().await, true);
    assert_eq!(
        event,
        json!({
            "type": "update_message", "id": event["id"], "user_id": null, "edit_timestamp": 1_767_268_805,
            "message_id": id, "message_ids": [id], "rendering_only": true, "flags": [],
            "content": format!("[dot.png]({url}) ![in it]({url})"), "rendered_content": shown,
        })
    );
    // What a message is that comes now.
    let later = mel.send_to("engineering", "pictures", &format!("[dot.png]({url}) ![in it]({url})")).await;
    let content = async |id: i64| mel.get(&format!("/messages/{id}"), json!({})).await.success()["message"].clone();
    assert_eq!(shown, content(later).await["content"]);
    let message = content(id).await;
    assert_eq!((&message["content"], &message["last_edit_timestamp"]), (&json!(shown), &Value::Null));
}

#[tokio::test]
async fn previews_of_pages_arrive_when_the_world_says() {
    let server = TestServer::start().await;
    let [mel, olive] = server.users(["mel", "olive"]);
    previews(&server, json!({"link_seconds": "1m"})).await;
    olive.patch("/realm", json!({"inline_url_embed_preview": true})).await.success();
    let mut queue = listen(&mel).await;
    let id = mel.send_to("engineering", "pages", "see https://example.com/a?b=1&c and [me](#narrow)").await;
    let plain = queue.next().await.0["message"]["content"].as_str().expect("HTML").to_owned();
    assert!(!plain.contains("message_embed"), "{plain}");

    server.advance(60).await;

    let event = queue.next().await.has(json!({"message_id": id, "rendering_only": true, "user_id": null}));
    let embed = "\n<div class=\"message_embed\"><a class=\"message_embed_image\" href=\"https://example.com/a?b=1&amp;c\" \
        style=\"background-image: url(&quot;/static/images/default-icon.png&quot;)\"></a><div class=\"data-container\">\
        <div class=\"message_embed_title\"><a href=\"https://example.com/a?b=1&amp;c\" title=\"example.com/a\">example.com/a</a>\
        </div></div></div>";
    assert_eq!(event["rendered_content"], format!("{plain}{embed}"));

    // An edited message is looked at again; one whose links are gone is not.
    mel.patch(&format!("/messages/{id}"), json!({"content": "nothing"})).await.success();
    queue.next().await.has(json!({"rendering_only": false}));
    server.advance(120).await;
    queue.none().await;
}

#[tokio::test]
async fn delays_are_shown_ended_and_forked() {
    let server = TestServer::start().await;
    let get = async |world: &str| {
        server.request("GET", &format!("/control/worlds/{world}/previews"), &[], "").await.success()
    };
    assert_eq!(get("default").await, json!({"thumbnail_seconds": 0.0, "link_seconds": null}));
    previews(&server, json!({"thumbnail_seconds": 5, "link_seconds": "2h"})).await;
    let fork = json!({"name": "fork", "fork_of": "default"}).to_string();
    server.request("POST", "/control/worlds", &[("content-type", "application/json")], &fork).await.success();
    server.request("DELETE", "/control/worlds/default/previews", &[], "").await.success();

    assert_eq!(get("fork").await, json!({"thumbnail_seconds": 5.0, "link_seconds": 7200.0}));
    assert_eq!(get("default").await, json!({"thumbnail_seconds": 0.0, "link_seconds": null}));
    let body = json!({"thumbnail_seconds": -1}).to_string();
    let reply = server
        .request("POST", "/control/worlds/default/previews", &[("content-type", "application/json")], &body)
        .await;
    assert_eq!(reply.status, 400);
}
