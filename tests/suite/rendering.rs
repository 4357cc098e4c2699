//! What becomes of Markdown: the shapes that clients compare or look for.

use crate::support::{TestServer, User};
use serde_json::json;

/// The HTML of a message, as others receive it.
async fn sent(user: &User, content: &str) -> String {
    let id = user.send_to("general", "shapes", content).await;
    let reply = user.get(&format!("/messages/{id}"), json!({"apply_markdown": true})).await.success();
    reply["message"]["content"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn previews_follow_each_other_without_a_line_end() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let html = sent(&mel, "Both: https://x.example/a.png https://x.example/b.png\n\n* https://x.example/c.png").await;

    assert!(html.contains("</a></p>\n<div class=\"message_inline_image\">"), "{html}");
    assert!(html.contains("</a></div><div class=\"message_inline_image\">"), "{html}");
    assert!(html.contains("<li><div class=\"message_inline_image\">"), "{html}");
    assert!(html.ends_with("</a></div></li>\n</ul>"), "{html}");
}

#[tokio::test]
async fn code_is_shown_under_its_languages_name_up_to_a_fence_like_the_first() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let html = sent(&mel, "```yml\n\na: 'b'  \n````\n```\nSo much.").await;

    let pair =
        "<span class=\"nt\">a</span><span class=\"p\">:</span><span class=\"w\"> </span><span class=\"s\">'b'</span>";
    let code = format!("<pre><span></span><code>{pair}\n<span class=\"err\">````</span>\n</code></pre>");
    let block = format!("<div class=\"codehilite\" data-code-language=\"YAML\">{code}</div>");
    assert_eq!(html, format!("{block}\n<p>So much.</p>"));
    let html = sent(&mel, "```\nsay \"it's\"\n```").await;
    assert!(html.contains("<code>say &quot;it&#39;s&quot;\n</code>"), "{html}");
}

#[tokio::test]
async fn a_list_in_a_list_begins_with_any_number_and_lines_keep_their_indentation() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let html = sent(&mel, "1. Pack\n  3. tent\n     and poles\n2. Go").await;

    let inner = "<ol start=\"3\">\n<li>tent<br>\n   and poles</li>\n</ol>";
    // An item that directly follows other text begins behind a blank line, so that the list is loose.
    assert_eq!(html, format!("<ol>\n<li>\n<p>Pack</p>\n{inner}\n</li>\n<li>\n<p>Go</p>\n</li>\n</ol>"));
}

#[tokio::test]
async fn what_follows_the_empty_line_of_a_quote_is_quoted() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    assert_eq!(sent(&mel, ">\nSaid before.").await, "<blockquote>\n<p>Said before.</p>\n</blockquote>");
    assert_eq!(sent(&mel, ">>").await, "<blockquote>\n<p>&gt;</p>\n</blockquote>");
}

#[tokio::test]
async fn a_time_is_shown_where_it_was_written() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let html = sent(&mel, "Until <time:2026-03-03T17:30+01:00>, not <time:5:30 pm>.").await;

    let time = "<time datetime=\"2026-03-03T16:30:00Z\">2026-03-03T17:30+01:00</time>";
    assert_eq!(html, format!("<p>Until {time}, not &lt;time:5:30 pm&gt;.</p>"));
}

#[tokio::test]
async fn bare_hosts_are_linked_and_names_of_files_are_not() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let html = sent(&mel, "See zoo.museum/map, notes.md and me@x.example/y").await;

    let link = "<a href=\"http://zoo.museum/map\">zoo.museum/map</a>";
    assert_eq!(html, format!("<p>See {link}, notes.md and me@x.example/y</p>"));
}

/// Seeing a channel's settings, as administrators do, is not enough to link it.
#[tokio::test]
async fn channels_are_linked_by_those_who_can_read_them() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let made = json!({"subscriptions": [{"name": "vault"}], "invite_only": true});
    mel.post("/users/me/subscriptions", made).await.success();

    for (user, is_linked) in [(&mel, true), (&adam, false)] {
        for text in ["#**vault**", "#**vault>t**"] {
            let reply = user.post("/messages/render", json!({"content": text})).await.success();
            let html = reply["rendered"].as_str().expect("HTML");
            assert_eq!(html.contains("<a class"), is_linked, "{text}: {html}");
        }
    }
}
