//! NUL characters: no text that is kept has one, and what is refused leaves nothing behind.

use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn no_text_that_is_kept_may_have_a_null_character() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let mut queue = mel.register(json!({})).await;
    for (user, method, path, params, name) in [
        (&mel, "POST", "/users/me/status", json!({"status_text": "a\0b"}), "status_text"),
        (&mel, "POST", "/saved_snippets", json!({"title": "t", "content": "a\0b"}), "content"),
        (&mel, "POST", "/saved_snippets", json!({"title": "t\0", "content": "a"}), "title"),
        (&mel, "POST", "/user_groups/create", json!({"name": "a\0", "description": "", "members": []}), "name"),
        (&mel, "POST", "/user_groups/create", json!({"name": "a", "description": "\0", "members": []}), "description"),
        (&mel, "POST", "/users/me/alert_words", json!({"alert_words": ["a\0b"]}), "alert_words"),
        (&mel, "POST", "/reminders", json!({"note": "a\0b"}), "note"),
        (&mel, "POST", "/navigation_views", json!({"fragment": "a\0", "is_pinned": true, "name": "b"}), "fragment"),
        (&olive, "POST", "/realm/filters", json!({"pattern": "a\0", "url_template": "https://x.test/"}), "pattern"),
    ] {
        let form = crate::support::form(&params).into_bytes();
        let kind = Some("application/x-www-form-urlencoded");
        let reply = user.send(method, path, &params, form, kind).await;
        reply.error("BAD_REQUEST", &format!("{name} must not contain null bytes"));
    }
    queue.none().await;
}
