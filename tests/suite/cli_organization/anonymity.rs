//! With `--anonymize` no word of the original is in the file, and what led somewhere leads there still.

use super::{account, loaded, read, server_with};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Keys of fixtures whose values are the API's words, and keys whose values are numbers and times.
const WORDS_OF_THE_FORMAT: &[&str] = &[
    "role",
    "kind",
    "privacy",
    "system",
    "settings",
    "permissions",
    "user_defaults",
    "email_visibility",
    "policy",
    "timezone",
    "client",
    "at",
    "joined",
    "created",
    "since",
    "left",
    "active",
    "connected",
    "color",
    "emoji",
    "description_of_fixture",
    "authentication_methods",
    "topics_policy",
    "api_key",
    "password",
    "uuid",
    "base64",
    "push_key",
    "push_token_id",
    "push_token_kind",
    "onboarding_steps_seen",
    "ref",
    "service_name",
    "subtype",
    "expires",
    "fragment",
    "$schema",
    "id",
    "export_type",
    "token",
    "interface",
    "order",
    "content_type",
    "message",
    "reverse_template",
    "key",
];

/// All texts of a document that people wrote.
fn texts(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        // System groups are the API's.
        Value::String(text) if text.starts_with("role:") => {}
        Value::String(text) => _ = found.insert(text.clone()),
        Value::Array(list) => list.iter().for_each(|one| texts(one, found)),
        Value::Object(object) => {
            for (key, value) in object {
                if !WORDS_OF_THE_FORMAT.contains(&key.as_str()) {
                    texts(value, found);
                }
            }
        }
        _ => {}
    }
}

/// Words of four letters and more.
fn words(texts: &BTreeSet<String>) -> BTreeSet<String> {
    let words = texts.iter().flat_map(|text| text.split(|one: char| !one.is_alphanumeric()));
    words.filter(|word| word.chars().count() >= 4).map(str::to_lowercase).collect()
}

#[tokio::test]
async fn no_word_of_the_original_is_in_an_anonymous_file() {
    for name in ["default", "hostile"] {
        let source: Value =
            serde_json::from_str(chatdouble::fixture::built_in(name).expect("a fixture")).expect("JSON");
        let mut original = BTreeSet::new();
        texts(&source, &mut original);
        let origin = server_with(name).await;
        let options = ["--anonymize", "--with-uploads"];
        for handle in ["olive", "mel"] {
            let text = read(&origin.url(), &origin.user(handle), &format!("anonymous-{name}-{handle}"), &options).await;
            let mut document: Value = serde_json::from_str(&text).expect("JSON");
            document.as_object_mut().expect("an object").shift_remove("description");
            let mut written = BTreeSet::new();
            texts(&document, &mut written);
            let all = written.iter().cloned().collect::<Vec<_>>().join("\n").to_lowercase();
            let left: Vec<String> =
                words(&original).into_iter().filter(|word| all.contains(word) && !is_of_markup(word)).collect();
            assert!(left.is_empty(), "{name} as {handle}: {left:?}");
            let whole: Vec<&String> = original.iter().filter(|text| is_long(text) && written.contains(*text)).collect();
            assert!(whole.is_empty(), "{name} as {handle}: {whole:?}");
            loaded(&text, |_| {}).await;
        }
    }
}

/// Words that Markdown, links, files and hosts that are nobody's have; numbers, of which there are too few to avoid.
fn is_of_markup(word: &str) -> bool {
    const LINKS: &[&str] = &[
        "http", "https", "narrow", "channel", "topic", "near", "user", "upload", "uploads", "example", "username",
        "html",
    ];
    const BLOCKS: &[&str] = &["quote", "spoiler", "math", "frac", "python", "time", "todo", "poll", "everyone", "name"];
    let is_number = word.chars().all(|one| one.is_ascii_digit());
    let is_emoji = word == "service" || chat_markdown::emoji::EmojiNames::newest().code_of(word).is_some();
    is_number || is_emoji || LINKS.contains(&word) || BLOCKS.contains(&word)
}

fn is_long(text: &str) -> bool {
    text.chars().filter(|one| one.is_alphanumeric()).count() >= 4
}

#[tokio::test]
async fn names_and_addresses_of_many_people_are_distinct() {
    use chatdouble::fixture::generate::{Size, format_json, generate_document};
    let made = format_json(&generate_document(
        Size { user_count: 1_500, channel_count: 60, message_count: 500 },
        3,
        &mut |_| {},
    ));
    let origin = loaded(&made, |_| {}).await;
    loaded(&read(&origin.url(), &origin.user("olive"), "many", &["--anonymize"]).await, |_| {}).await;
}

#[tokio::test]
async fn the_same_seed_draws_the_same_file() {
    let origin = server_with("default").await;
    let olive = origin.user("olive");
    let mut files = Vec::new();
    for (name, options) in [
        ("seed-a", vec!["--anonymize"]),
        ("seed-b", vec!["--anonymize", "--seed", "0"]),
        ("seed-c", vec!["--anonymize", "--seed", "1"]),
        ("seed-d", vec![]),
        ("seed-e", vec![]),
    ] {
        files.push(read(&origin.url(), &olive, name, &options).await);
    }
    assert_eq!(files[0], files[1]);
    assert_ne!(files[0], files[2]);
    assert_eq!(files[3], files[4]);
}

#[tokio::test]
async fn mentions_links_and_uploads_lead_to_what_they_led_to() {
    let origin = server_with("default").await;
    let mel = origin.user("mel");
    let text = read(&origin.url(), &mel, "links", &["--anonymize", "--with-uploads"]).await;
    let copy = loaded(&text, |_| {}).await;
    let email = copy
        .server()
        .world("default")
        .snapshot()
        .users
        .values()
        .find(|user| user.id.0 == mel.id())
        .expect("mel")
        .email
        .clone();
    let copied = account(&copy, &email).await;
    let params = json!({"anchor": "newest", "num_before": 100, "num_after": 0});
    let [one, other] =
        [mel.get("/messages", params.clone()).await.success(), copied.get("/messages", params).await.success()];
    let [one, other] = [one, other].map(|reply| reply["messages"].as_array().expect("a list").clone());
    assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(&other) {
        for key in ["id", "sender_id", "stream_id", "timestamp", "flags", "is_me_message", "type"] {
            assert_eq!(one[key], other[key], "{key} of {one}\n{other}");
        }
        assert_eq!(marks(one), marks(other), "{one}\n{other}");
    }
    let [own] = [copied.get("/attachments", json!({})).await.success()];
    assert_eq!(own["attachments"][0]["message_ids"], json!([17]));
}

/// How often a rendered message has each kind of thing, and where its mentions lead.
fn marks(message: &Value) -> BTreeMap<String, usize> {
    let html = message["content"].as_str().expect("text");
    let kinds = [
        "<a ",
        "user-mention",
        "user-group-mention",
        "stream-topic",
        "message-link",
        "<code",
        "<blockquote",
        "<img",
        "<time ",
        "class=\"emoji",
        "<strong>",
        "<ol",
        "<ul",
        "data-user-id=\"4\"",
        "data-user-id=\"2\"",
        "data-stream-id=\"2\"",
    ];
    let mut marks: BTreeMap<String, usize> =
        kinds.iter().map(|kind| ((*kind).to_owned(), html.matches(kind).count())).collect();
    marks.insert("reactions".into(), message["reactions"].as_array().expect("a list").len());
    marks
}
