//! The form of rendered Markdown.

use super::Age;
use crate::support::TestServer;
use serde_json::json;

/// What Mel's text is rendered as just below a level and at it.
async fn rendered(server: &TestServer, level: i64, text: &str) -> [String; 2] {
    let [before, after] = Age::around(server, level).await;
    let mut out = [String::new(), String::new()];
    for (age, html) in [before, after].iter().zip(&mut out) {
        let reply = age.user("mel").post("/messages/render", json!({"content": text})).await.success();
        *html = reply["rendered"].as_str().unwrap_or_default().to_owned();
    }
    out
}

#[tokio::test]
async fn faulty_times_were_errors_before_451() {
    let server = TestServer::start().await;
    let [before, after] = rendered(&server, 451, "<time:soon>").await;
    assert_eq!(before, "<p><span class=\"timestamp-error\">Invalid time format: soon</span></p>");
    assert_eq!(after, "<p>&lt;time:soon&gt;</p>");
}

#[tokio::test]
async fn uploaded_media_were_not_shown_inline_before_441() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let reply = mel.upload("/user_uploads", "a.png", "image/png", b"\x89PNG\r\n\x1a\n").await.success();
    let text = format!("![a]({})", reply["url"].as_str().unwrap_or_default());
    let [before, after] = rendered(&server, 441, &text).await;
    assert_eq!(before, format!("<p>{text}</p>"));
    assert!(after.starts_with("<p><img alt=\"a\" class=\"inline-image\""), "{after}");
}

#[tokio::test]
async fn links_to_topics_named_no_message_before_347() {
    let server = TestServer::start().await;
    let id = server.user("mel").send_to("general", "tea", "first").await;
    let [before, after] = rendered(&server, 347, "#**general>tea**").await;
    assert!(before.contains("/topic/tea\""), "{before}");
    assert!(after.contains(&format!("/topic/tea/with/{id}\"")), "{after}");
}

#[tokio::test]
async fn empty_topics_were_not_linked_before_334() {
    let server = TestServer::start().await;
    let [before, after] = rendered(&server, 334, "#**general>**").await;
    assert_eq!(before, "<p>#<strong>general&gt;</strong></p>");
    assert!(after.contains("#general &gt; <em>general chat</em></a>"), "{after}");
}

#[tokio::test]
async fn html_said_stream_before_320() {
    let server = TestServer::start().await;
    let [before, after] = rendered(&server, 320, "#**general** @**all** @_*role:members*").await;
    assert!(before.contains("/#narrow/stream/") && before.contains("class=\"user-mention\""), "{before}");
    assert!(before.ends_with("@_<em>role:members</em></p>"), "{before}");
    assert!(
        after.contains("/#narrow/channel/") && after.contains("\"user-mention channel-wildcard-mention\""),
        "{after}"
    );
    assert!(after.contains("class=\"user-group-mention silent\""), "{after}");
}

#[tokio::test]
async fn messages_were_not_linked_before_319() {
    let server = TestServer::start().await;
    let [before, after] = rendered(&server, 319, "#**general>tea@7**").await;
    assert!(before.contains("/topic/tea.407\">#general &gt; tea@7</a>"), "{before}");
    assert!(after.contains("/topic/tea/near/7\">#general &gt; tea @ 💬</a>"), "{after}");
}

#[tokio::test]
async fn previews_showed_whole_images_before_273() {
    let server = TestServer::start().await;
    let [before, after] = rendered(&server, 273, "[a](/user_uploads/2/ab/a.png)").await;
    assert!(before.contains("<img src=\"") && before.contains("/user_uploads/2/ab/a.png\"></a></div>"), "{before}");
    assert!(!after.contains("<img"), "{after}");
}

#[tokio::test]
async fn times_had_other_forms_before_503() {
    let server = TestServer::start().await;
    for typed in ["1685261400", "May 28, 2023 8:10 AM", "2023-05-28 08:10", "28.5.2023 08:10"] {
        let [before, after] = rendered(&server, 503, &format!("<time:{typed}>")).await;
        assert_eq!(before, format!("<p><time datetime=\"2023-05-28T08:10:00Z\">{typed}</time></p>"));
        assert_eq!(after, format!("<p>&lt;time:{typed}&gt;</p>"));
    }
    for typed in ["2023-05-28T08:10:00Z", "2023-05-28T13:40:00+05:30"] {
        let [before, after] = rendered(&server, 503, &format!("<time:{typed}>")).await;
        assert_eq!(before, format!("<p><time datetime=\"2023-05-28T08:10:00Z\">{typed}</time></p>"));
        assert_eq!(after, before);
    }
}
