//! Searching looks at what is read, and marks what it found there.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

/// The newest message with these words, if this one is it.
async fn search(user: &User, id: i64, words: &str) -> Option<Value> {
    let narrow = json!([["search", words], ["id", id.to_string()]]);
    let reply = user.get("/messages", json!({"anchor": "newest", "num_before": 1, "narrow": narrow})).await.success();
    reply["messages"].as_array().and_then(|messages| messages.first()).cloned()
}

#[tokio::test]
async fn words_are_found_across_marks_of_emphasis() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    for (text, words, marked) in [
        (
            "the **quick** brown fox",
            "quick brown",
            "<p>the <strong><span class=\"highlight\">quick</span></strong> <span class=\"highlight\">brown</span> fox</p>",
        ),
        (
            "Hello **wor**ld",
            "world",
            "<p>Hello <strong><span class=\"highlight\">wor</span></strong><span class=\"highlight\">ld</span></p>",
        ),
        ("plain words", "WORDS", "<p>plain <span class=\"highlight\">words</span></p>"),
    ] {
        let id = mel.send_to("general", "t", text).await;
        let message = search(&max, id, words).await.unwrap_or_else(|| panic!("{text} should be found by {words}"));
        assert_eq!(message["match_content"], marked);
    }
}

#[tokio::test]
async fn a_link_is_found_by_its_text_and_not_by_where_it_leads() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.send_to("general", "t", "[shown](https://hidden.example/abc) and **bold**").await;

    assert!(search(&max, id, "shown").await.is_some());
    for unread in ["hidden", "https", "**", "strong", "href"] {
        assert_eq!(search(&max, id, unread).await, None, "{unread}");
    }
}

#[tokio::test]
async fn marks_leave_entities_whole() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.send_to("general", "A&B", "lt x <b> & y").await;
    for (words, content, topic) in [("lt", "<p><span class=\"highlight\">lt</span> x &lt;b&gt; &amp; y</p>", "A&amp;B")]
    {
        let message = search(&max, id, words).await.unwrap_or_else(|| panic!("should be found by {words}"));
        assert_eq!((&message["match_content"], &message["match_subject"]), (&json!(content), &json!(topic)));
        let params = json!({"msg_ids": [id], "narrow": [{"operator": "search", "operand": words}]});
        max.get("/messages/matches_narrow", params).await.is(json!({
            "messages": {id.to_string(): {"match_content": content, "match_subject": topic}},
        }));
    }
    for nothing in ["amp", "&", "<b>"] {
        assert_eq!(search(&max, id, nothing).await, None, "{nothing}");
    }
}

#[tokio::test]
async fn words_are_found_whole_whatever_their_endings() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.send_to("general", "t", "run fast, runs the end, C++ code, email me@x.org and half-baked").await;
    for words in ["run", "RUNS", "the run", "codes", "me@x.org", "half", "half-baked", "\"run fast\"", "\"n fast\" run"]
    {
        assert!(search(&max, id, words).await.is_some(), "{words}");
    }
    for words in ["en", "running", "the", "\"the\"", "C++", "x.org", "\"fast run\"", "\""] {
        assert_eq!(search(&max, id, words).await, None, "{words}");
    }
}

#[tokio::test]
async fn what_was_found_is_html_for_readers_of_markdown_too() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.send_to("general", "<t>", "a <b> *zebra*").await;
    for which in [json!({"anchor": "newest", "num_before": 1}), json!({"message_ids": [id]})] {
        let mut params = which;
        params["apply_markdown"] = json!(false);
        params["narrow"] = json!([["search", "zebra"]]);
        let reply = max.get("/messages", params).await.success();
        let message = &reply["messages"][0];
        assert_eq!(message["content"], "a <b> *zebra*");
        assert_eq!(message["match_content"], "<p>a &lt;b&gt; <em><span class=\"highlight\">zebra</span></em></p>");
        assert_eq!(message["match_subject"], "&lt;t&gt;");
    }
}
