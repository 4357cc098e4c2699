//! Bots: whose they are, and their pictures.

use super::refuse;
use crate::support::{TestServer, User};
use serde_json::{Value, json};

#[tokio::test]
async fn bots_that_others_administer() {
    let server = crate::users::server_where("build-bot", true).await;
    let [build, hook] = server.users(["build-bot", "hook-bot"]).map(|bot| bot.id());

    refuse(&server, [("mel", "GET /bots/{bot_id}/api_key", json!({"bot_id": hook}), "Insufficient permission")]).await;
    let owner = "Must be an organization owner";
    refuse(
        &server,
        [
            ("adam", "GET /bots/{bot_id}/api_key", json!({"bot_id": build}), owner),
            ("mel", "DELETE /bots/{bot_id}", json!({"bot_id": build}), owner),
        ],
    )
    .await;
}

#[tokio::test]
async fn channels_that_bots_cannot_have_by_default() {
    let server = TestServer::start().await;
    let build = server.user("build-bot").id();
    let hidden = "Invalid channel name 'leadership'";
    let new = |key: &str| json!({"full_name": "New", "short_name": "new", key: "leadership"});

    for key in ["default_sending_stream", "default_events_register_stream"] {
        refuse(
            &server,
            [
                ("mel", "POST /bots", new(key), hidden),
                ("mel", "PATCH /bots/{bot_id}", json!({"bot_id": build, key: "leadership"}), hidden),
            ],
        )
        .await;
    }
}

/// Sends texts and files as parts of a body.
async fn with_files(user: &User, method: &str, path: &str, texts: &[(&str, &str)], files: &[&[u8]]) -> String {
    let mut body = Vec::new();
    let mut part = |headers: &str, content: &[u8]| {
        body.extend_from_slice(format!("--parts\r\nContent-Disposition: form-data; {headers}\r\n\r\n").as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    };
    texts.iter().for_each(|(name, text)| part(&format!("name=\"{name}\""), text.as_bytes()));
    files.iter().for_each(|file| part("name=\"file\"; filename=\"a.png\"", file));
    body.extend_from_slice(b"--parts--\r\n");
    let reply = user.send(method, path, &Value::Null, body, Some("multipart/form-data; boundary=parts")).await;
    assert_eq!(reply.status, 400, "{reply}");
    reply.body["msg"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn pictures_that_bots_cannot_have() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let existing = format!("/bots/{}", server.user("build-bot").id());
    let new = [("full_name", "New"), ("short_name", "new")];
    let large = vec![0; 5 * 1024 * 1024 + 1];

    for (files, message) in [
        (&[&b"x"[..], &b"y"[..]][..], "You may only upload one file at a time"),
        (&[&large[..]][..], "Uploaded file is larger than the allowed limit of 5 MiB"),
        (&[&b"no picture"[..]][..], "Could not decode image; did you upload an image file?"),
    ] {
        assert_eq!(with_files(&mel, "POST", "/bots", &new, files).await, message);
        assert_eq!(with_files(&mel, "PATCH", &existing, &[], files).await, message);
    }
}
