//! Uploads: taking files, listing and removing them, and who may read them.

use crate::support::{Reply, TestServer, User};
use serde_json::{Value, json};

const START: i64 = 1_767_268_800;

/// A PNG of 3 by 2 pixels, as far as its header goes.
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02\x08\x06\0\0\0\0\0\0\0";

async fn upload(user: &User, name: &str, content_type: &str, bytes: &[u8]) -> String {
    let reply = user.upload("/user_uploads", name, content_type, bytes).await.success();
    reply["url"].as_str().expect("uploads have addresses").to_owned()
}

async fn fetch(user: &User, url: &str) -> Reply {
    user.get(url, json!({})).await
}

/// A multipart body of these parts: headers and content each.
async fn send_parts(user: &User, parts: &[(&str, &str)]) -> Reply {
    let mut body = String::new();
    for (headers, content) in parts {
        body += &format!("--parts\r\n{headers}\r\n\r\n{content}\r\n");
    }
    body += "--parts--\r\n";
    let kind = "multipart/form-data; boundary=parts";
    user.send("POST", "/user_uploads", &Value::Null, body.into_bytes(), Some(kind)).await
}

#[tokio::test]
async fn a_file_gets_an_address_and_its_uploader_an_event() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut events = mel.events(["attachment"]).await;
    let mut others = max.events(["attachment"]).await;
    let used = mel.get("/attachments", json!({})).await.success()["upload_space_used"].as_i64().expect("bytes");

    let reply = mel.upload("/user_uploads", "my cat.txt", "text/plain", b"meow").await.success();

    let url = reply["url"].as_str().expect("a URL").to_owned();
    assert_eq!(reply, json!({"url": url, "uri": url, "filename": "my cat.txt"}));
    let path_id = url.strip_prefix("/user_uploads/").expect("host-relative");
    let parts: Vec<&str> = path_id.split('/').collect();
    let [organization, directory, token, name] = parts[..] else { panic!("four parts: {path_id}") };
    assert_eq!((organization, name), ("2", "my-cat.txt"));
    assert!(u8::from_str_radix(directory, 16).is_ok(), "{directory}");
    assert_eq!(token.len(), 24);
    let event = events.next().await.has(json!({
        "type": "attachment", "op": "add", "upload_space_used": used + 4,
        "attachment": {"name": "my cat.txt", "path_id": path_id, "size": 4, "create_time": START, "message_ids": []},
    }));
    assert!(event["attachment"]["id"].is_i64());
    events.none().await;
    others.none().await;
    assert_eq!(fetch(&mel, &url).await.with_status(200).bytes, b"meow");
}

#[tokio::test]
async fn the_part_may_have_any_name_and_the_file_a_path() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    for (given, shown, last) in [
        ("/home/mel/cat.png", "cat.png", "cat.png"),
        ("caf%C3%A9 (1).txt", "café (1).txt", "café-1.txt"),
        ("???", "???", "uploaded-file"),
        ("<b>.html", "<b>.html", "b.html"),
    ] {
        let headers = format!("Content-Disposition: form-data; name=\"/home/mel/cat.png\"; filename=\"{given}\"");
        let reply = send_parts(&mel, &[(&headers, "meow")]).await.success();
        assert_eq!(reply["filename"], shown);
        let url = reply["url"].as_str().unwrap_or_default();
        assert!(url.ends_with(&format!("/{last}")), "{url}");
    }
}

#[tokio::test]
async fn exactly_one_file_is_taken() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut events = mel.events(["attachment"]).await;
    let file = ("Content-Disposition: form-data; name=\"a\"; filename=\"a.txt\"", "a");
    let text = ("Content-Disposition: form-data; name=\"a\"", "a");
    let not_chosen = ("Content-Disposition: form-data; name=\"a\"; filename=\"\"", "");

    for parts in [&[][..], &[text], &[not_chosen]] {
        send_parts(&mel, parts).await.error("BAD_REQUEST", "You must specify a file to upload");
    }
    mel.post("/user_uploads", json!({})).await.error("BAD_REQUEST", "You must specify a file to upload");
    send_parts(&mel, &[file, file]).await.error("BAD_REQUEST", "You may only upload one file at a time");
    events.none().await;

    let reply = send_parts(&mel, &[file, text]).await.success();
    assert_eq!(reply["ignored_parameters_unsupported"], json!(["a"]));
}

#[tokio::test]
async fn a_file_over_the_limit_is_too_large() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let reply = mel.upload("/user_uploads", "big", "text/plain", &vec![b'x'; 100 * 1024 * 1024 + 1]).await;

    let text = "File is larger than this server's configured maximum upload size (100 MiB).";
    reply.with_status(413).error("BAD_REQUEST", text);
}

#[tokio::test]
async fn the_organization_s_quota_holds() {
    let server =
        TestServer::start_in(|fixture| fixture["organization"]["settings"]["upload_quota_mib"] = json!(1)).await;
    let mel = server.user("mel");
    let used = mel.get("/attachments", json!({})).await.success()["upload_space_used"].as_i64().expect("bytes");
    let room = usize::try_from(1024 * 1024 - used).expect("the built-in uploads are small");
    let mut events = mel.events(["attachment"]).await;

    let reply = mel.upload("/user_uploads", "a", "text/plain", &vec![b'x'; room + 1]).await.with_status(400);
    reply.error("REALM_UPLOAD_QUOTA", "Upload would exceed your organization's upload quota.");
    events.none().await;

    mel.upload("/user_uploads", "a", "text/plain", &vec![b'x'; room]).await.success();
    mel.upload("/user_uploads", "empty", "text/plain", b"").await.success();
}

#[tokio::test]
async fn files_are_read_by_their_owner_and_by_those_who_see_a_message_with_them() {
    let server = TestServer::start().await;
    let [mel, max, gus, olive] = server.users(["mel", "max", "gus", "olive"]);
    let url = upload(&mel, "plan.txt", "text/plain", b"secret").await;
    let api_path = format!("/user_uploads/{}", url.trim_start_matches("/user_uploads/"));
    let forbidden = "You are not authorized to view this file.";

    for user in [&max, &olive, &gus] {
        fetch(user, &url).await.with_status(403).error("BAD_REQUEST", forbidden);
        let temporary = user.get(&format!("/api/v1{api_path}"), json!({})).await;
        temporary.with_status(403).error("BAD_REQUEST", forbidden);
    }
    fetch(&server.anonymous(), &url).await.with_status(403).error("BAD_REQUEST", forbidden);

    let mut events = mel.events(["attachment"]).await;
    let message = mel.send_direct(&[max.id()], &format!("[plan]({url})")).await;
    let event = events.next().await.has(json!({"type": "attachment", "op": "update"}));
    assert_eq!(event["attachment"]["message_ids"], json!([message]));
    assert_eq!(fetch(&max, &url).await.with_status(200).bytes, b"secret");
    fetch(&gus, &url).await.with_status(403).error("BAD_REQUEST", forbidden);

    mel.send_to("town-square", "hello world", &format!("[plan]({url})")).await;
    assert_eq!(fetch(&gus, &url).await.bytes, b"secret");
    assert_eq!(fetch(&server.anonymous(), &url).await.bytes, b"secret");
}

#[tokio::test]
async fn missing_files_and_other_methods_answer_in_json() {
    let server = TestServer::start().await;
    let [mel, hook] = server.users(["mel", "hook-bot"]);
    let gone = "This file does not exist or has been deleted.";
    let url = upload(&mel, "a.txt", "text/plain", b"a").await;

    fetch(&mel, "/user_uploads/2/ab/nothing/a.txt").await.with_status(404).error("BAD_REQUEST", gone);
    fetch(&mel, "/api/v1/user_uploads/2/ab/nothing/a.txt").await.with_status(404).error("BAD_REQUEST", gone);
    fetch(&mel, &format!("/user_uploads/thumbnail{}/840x560.webp", &url["/user_uploads".len()..]))
        .await
        .with_status(404)
        .error("BAD_REQUEST", gone);
    let refused = mel.post(&url, json!({})).await.with_status(405);
    assert_eq!(refused.body["allowed_methods"], json!(["GET", "HEAD"]));
    fetch(&mel.with_key("wrong"), &url).await.with_status(401).error("INVALID_API_KEY", "Malformed API key");
    let refused = fetch(&hook, &url).await.with_status(401);
    refused.error("UNAUTHORIZED", "This API is not available to incoming webhook bots.");
}

#[tokio::test]
async fn what_could_run_as_a_page_is_offered_for_download() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    for (name, kind, place, served) in [
        ("a.txt", "text/plain", "inline", "text/plain; charset=utf-8"),
        ("a.png", "image/png", "inline", "image/png"),
        ("a.pdf", "application/pdf", "inline", "application/pdf"),
        ("a.html", "text/html", "attachment", "text/html; charset=utf-8"),
        ("a.html", "text/html; charset=utf-8", "attachment", "text/html; charset=utf-8"),
        ("a.svg", "image/svg+xml", "attachment", "image/svg+xml"),
        ("a.xml", "application/xml", "attachment", "application/xml"),
        ("a.txt", "application/xhtml+xml", "attachment", "application/xhtml+xml"),
        ("a.zip", "application/zip", "attachment", "application/zip"),
    ] {
        let url = upload(&mel, name, kind, b"<script>alert(1)</script>").await;
        let reply = fetch(&mel, &url).await.with_status(200);
        let disposition = reply.header("content-disposition").unwrap_or_default();
        assert!(disposition.starts_with(&format!("{place}; filename=\"a")), "{kind}: {disposition}");
        assert_eq!(reply.header("content-type"), Some(served));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert!(reply.header("content-security-policy").is_some_and(|policy| policy.contains("sandbox")));
    }
    let url = upload(&mel, "a.txt", "text/plain", b"a").await;
    let download = fetch(&mel, &url.replace("/user_uploads/", "/user_uploads/download/")).await.with_status(200);
    assert!(download.header("content-disposition").is_some_and(|place| place.starts_with("attachment")));
}

#[tokio::test]
async fn the_type_is_guessed_from_the_name_where_the_part_has_none() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    for (name, kind) in [
        ("a.png", "image/png"),
        ("a.unheard-of", "application/octet-stream"),
        ("page.html", "text/html; charset=utf-8"),
    ] {
        let headers = format!("Content-Disposition: form-data; name=\"a\"; filename=\"{name}\"");
        let reply = send_parts(&mel, &[(&headers, "x")]).await.success();
        let served = fetch(&mel, reply["url"].as_str().unwrap_or_default()).await;
        assert_eq!(served.header("content-type"), Some(kind));
    }
}

#[tokio::test]
async fn pictures_come_with_their_size() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let url = upload(&mel, "dot.png", "image/png", PICTURE).await;

    let id = mel.send_to("general", "x", &format!("[dot]({url})")).await;

    let message = mel.get(&format!("/messages/{id}"), json!({})).await.success();
    let html = message["message"]["content"].as_str().unwrap_or_default().to_owned();
    assert!(html.contains("data-original-dimensions=\"3x2\""), "{html}");
    let thumbnail = url.replace("/user_uploads/", "/user_uploads/thumbnail/") + "/840x560.webp";
    assert_eq!(fetch(&mel, &thumbnail).await.with_status(200).bytes, PICTURE);
}

#[tokio::test]
async fn a_temporary_url_works_for_a_minute_without_credentials() {
    let server = TestServer::start().await;
    let [mel, anybody] = [server.user("mel"), server.anonymous()];
    let url = upload(&mel, "a.txt", "text/plain", b"meow").await;

    let reply = mel.get(&format!("/api/v1{url}"), json!({})).await.success();

    let temporary = reply["url"].as_str().expect("a URL").to_owned();
    assert!(temporary.starts_with("/user_uploads/temporary/") && temporary.ends_with("/a.txt"), "{temporary}");
    assert_eq!(fetch(&anybody, &temporary).await.with_status(200).bytes, b"meow");
    let other_name = temporary.replace("/a.txt", "/b.txt");
    fetch(&anybody, &other_name).await.with_status(400).error("BAD_REQUEST", "Invalid filename");
    fetch(&anybody, "/user_uploads/temporary/0000/a.txt").await.error("BAD_REQUEST", "Invalid token");
    server.advance(60).await;
    let expired = fetch(&anybody, &temporary).await.with_status(400);
    assert!(expired.header("x-chatdouble-hint").is_some_and(|hint| hint.contains("60 seconds")), "{expired}");
    expired.error("BAD_REQUEST", "Invalid token");
}

#[tokio::test]
async fn everybody_lists_their_own_files() {
    let server = TestServer::start().await;
    let [adam, max] = server.users(["adam", "max"]);
    upload(&adam, "later.txt", "text/plain", b"123").await;

    let reply = adam.get("/attachments", json!({})).await.success();

    let names: Vec<&str> =
        reply["attachments"].as_array().into_iter().flatten().filter_map(|file| file["name"].as_str()).collect();
    assert_eq!(names, ["notes.txt", "later.txt"]);
    assert_eq!(reply["attachments"][1]["create_time"], START);
    let none = max.get("/attachments", json!({})).await.success();
    assert_eq!(none, json!({"attachments": [], "upload_space_used": reply["upload_space_used"]}));
}

#[tokio::test]
async fn only_one_s_own_files_are_removed() {
    let server = TestServer::start().await;
    let [mel, max, olive] = server.users(["mel", "max", "olive"]);
    let url = upload(&mel, "a.txt", "text/plain", b"meow").await;
    let listed = mel.get("/attachments", json!({})).await.success();
    let used = listed["upload_space_used"].as_i64().expect("bytes");
    let id = listed["attachments"].as_array().and_then(|all| all.last()).expect("there is one")["id"].clone();
    let path = format!("/attachments/{id}");
    let mut events = mel.events(["attachment"]).await;
    let mut others = max.events(["attachment"]).await;

    for user in [&max, &olive] {
        user.delete(&path, json!({})).await.with_status(400).error("BAD_REQUEST", "Invalid attachment");
    }
    mel.delete("/attachments/9999", json!({})).await.error("BAD_REQUEST", "Invalid attachment");
    mel.delete(&path, json!({})).await.is(json!({}));

    let fields = json!({"type": "attachment", "op": "remove", "attachment": {"id": id}, "upload_space_used": used - 4});
    events.next().await.is(fields);
    events.none().await;
    others.none().await;
    mel.delete(&path, json!({})).await.error("BAD_REQUEST", "Invalid attachment");
    let gone = fetch(&mel, &url).await.with_status(404);
    gone.error("BAD_REQUEST", "This file does not exist or has been deleted.");
}

#[tokio::test]
async fn addresses_lead_back_to_their_world_and_texts_keep_no_prefix() {
    let server = TestServer::start().await;
    let fixture = chatdouble::fixture::built_in("default").expect("it is built in");
    let clock = chatdouble::InitialClock::At(crate::support::ParseTimestamp::parse_timestamp(crate::support::START));
    let base = server.server().add_world("other", fixture, clock, 0).expect("the world is added");
    let mel = server.user_at(&base, "other", "mel");
    let outside = server.user_at(&server.url(), "other", "mel");

    let url = upload(&mel, "a.txt", "text/plain", b"meow").await;

    assert!(url.starts_with("/w/other/user_uploads/2/"), "{url}");
    assert_eq!(fetch(&outside, &url).await.with_status(200).bytes, b"meow");
    let here = url.trim_start_matches("/w/other");
    // Keys are the same in both, files are not.
    let elsewhere = fetch(&outside, here).await.with_status(404);
    elsewhere.error("BAD_REQUEST", "This file does not exist or has been deleted.");
    let temporary = mel.get(&format!("/api/v1{here}"), json!({})).await.success();
    let temporary = temporary["url"].as_str().unwrap_or_default().to_owned();
    assert_eq!(fetch(&server.anonymous(), &temporary).await.with_status(200).bytes, b"meow");

    let id = mel.send_to("general", "x", &format!("[a]({url})")).await;
    let message = mel.get(&format!("/messages/{id}"), json!({})).await.success();
    assert_eq!(message["raw_content"], format!("[a]({here})"));
    assert!(message["message"]["content"].as_str().is_some_and(|html| html.contains(&url)), "{message}");
}

#[tokio::test]
async fn the_whole_address_of_an_upload_is_a_link_that_claims_it_and_stays_as_it_was_written() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let url = upload(&mel, "plan.png", "image/png", PICTURE).await;
    let whole = format!("{}{url}", server.url());

    let content = format!("see {whole} and `{whole}`");
    let id = mel.send_to("general", "x", &content).await;

    let message = max.get(&format!("/messages/{id}"), json!({})).await.success();
    assert_eq!(message["raw_content"], content);
    let html = message["message"]["content"].as_str().expect("HTML");
    assert!(html.contains(&format!("<a href=\"{url}\">{whole}</a> and <code>{whole}</code>")), "{html}");
    assert!(html.contains("message_inline_image"), "{html}");
    let listed = mel.get("/attachments", json!({})).await.success();
    let claimed = listed["attachments"].as_array().expect("a list").iter().any(|one| one["message_ids"] == json!([id]));
    assert!(claimed, "{listed}");
    assert_eq!(fetch(&max, &url).await.with_status(200).bytes, PICTURE);
    assert_eq!(fetch(&server.anonymous(), &url).await.status, 403);
}

#[tokio::test]
async fn pictures_that_move_are_shown_moving() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let frame = b"\x21\xf9\x04\0\x0a\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0";
    let gif = [b"GIF89a\x01\0\x01\0\0\0\0".as_slice(), frame, frame, b";"].concat();
    for (bytes, is_moving) in [(gif.as_slice(), true), (PICTURE, false)] {
        let url = upload(&mel, "cat.gif", "image/gif", bytes).await;
        let rendered = mel.post("/messages/render", json!({"content": format!("[cat]({url})")})).await.success();
        let html = rendered["rendered"].as_str().expect("HTML");
        assert_eq!(html.contains("data-animated=\"true\"") && html.contains("840x560-anim.webp"), is_moving, "{html}");
    }
}

#[tokio::test]
async fn pictures_have_thumbnails_and_other_files_none() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let picture = upload(&mel, "cat.png", "image/png", PICTURE).await;
    let text = upload(&mel, "cat.txt", "text/plain", b"meow").await;
    let status = |url: &str| url.replace("/user_uploads/", "/thumbnail/status/");

    mel.get(&status(&picture), json!({})).await.is(json!({"has_thumbnail": true}));
    mel.get(&status(&text), json!({})).await.is(json!({"has_thumbnail": false}));
    let gone = mel.get("/thumbnail/status/2/ab/nothing.png", json!({})).await.with_status(404);
    gone.error("BAD_REQUEST", "This file does not exist or has been deleted.");
    let foreign = max.get(&status(&picture), json!({})).await.with_status(403);
    foreign.error("BAD_REQUEST", "You are not authorized to view this file.");
}
