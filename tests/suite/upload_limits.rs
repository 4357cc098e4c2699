//! Files of exactly the largest size are taken, one byte more is refused.

use crate::support::{Reply, TestServer, User};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::Full;
use serde_json::json;

const MIB: usize = 1024 * 1024;
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02\x08\x06\0\0\0\0\0\0\0";

/// A picture of so many bytes, as far as its header goes.
fn picture(length: usize) -> Vec<u8> {
    let mut bytes = PICTURE.to_vec();
    bytes.resize(length, 0);
    bytes
}

async fn upload(user: &User, path: &str, length: usize) -> Reply {
    user.upload(path, "a.png", "image/png", &picture(length)).await
}

/// Begins a resumable upload of so many bytes.
async fn begin(server: &TestServer, user: &User, length: usize) -> Reply {
    let pair = format!("{}:{}", user.email(), user.credentials().api_key);
    let request = http::Request::post(format!("{}/api/v1/tus/", server.url()))
        .header("authorization", format!("Basic {}", STANDARD.encode(pair)))
        .header("tus-resumable", "1.0.0")
        .header("content-type", "application/offset+octet-stream")
        .header("upload-length", length.to_string())
        .header("upload-metadata", "filename YS5wbmc=");
    let request = request.body(Full::new(Bytes::from(picture(length)))).expect("a test's request is well-formed");
    user.raw(request, &format!("an upload of {length} bytes")).await
}

#[tokio::test]
async fn files_may_have_the_size_that_the_organization_allows() {
    let server =
        TestServer::start_in(|fixture| fixture["organization"]["settings"]["max_file_upload_size_mib"] = json!(1))
            .await;
    let mel = server.user("mel");
    let state = mel.register(json!({"fetch_event_types": ["realm"]})).await.state;
    assert_eq!(state["max_file_upload_size_mib"], 1);

    upload(&mel, "/user_uploads", MIB).await.success();
    let refused = upload(&mel, "/user_uploads", MIB + 1).await.with_status(413);
    let message = "File is larger than this server's configured maximum upload size (1 MiB).";
    refused.error("BAD_REQUEST", message);
    assert_eq!(begin(&server, &mel, MIB).await.status, 201);
    assert_eq!(begin(&server, &mel, MIB + 1).await.with_status(413).body, json!({ "message": message }));

    let files = mel.get("/attachments", json!({})).await.success();
    let sizes = files["attachments"].as_array().into_iter().flatten().map(|file| file["size"].clone());
    assert_eq!(sizes.filter(|size| *size == MIB).count(), 2, "{files}");
}

#[tokio::test]
async fn pictures_may_have_five_mebibytes() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let message = "Uploaded file is larger than the allowed limit of 5 MiB";

    for path in ["/users/me/avatar", "/realm/emoji/large"] {
        upload(&mel, path, 5 * MIB + 1).await.error("BAD_REQUEST", message);
        upload(&mel, path, 5 * MIB).await.success();
    }
}

#[tokio::test]
async fn parts_are_no_way_around_the_limit_of_bodies_where_no_files_are_taken() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let message = "Request body is larger than the allowed limit of 32 MiB";

    for path in ["/messages", "/users/me/status", "/drafts"] {
        upload(&mel, path, 33 * MIB).await.with_status(413).error("BAD_REQUEST", message);
    }
    let body = vec![b'x'; 33 * MIB];
    let piece = mel.send("POST", "/messages", &json!({}), body, Some("application/offset+octet-stream")).await;
    piece.with_status(413).error("BAD_REQUEST", message);
    upload(&mel, "/user_uploads", 33 * MIB).await.success();
}
